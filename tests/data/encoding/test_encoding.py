"""Raw columns and what is made of them."""

from __future__ import annotations

import datetime
import decimal
import json

import numpy as np
import pandas as pd
import pytest

from multigene.data.encoding.columns import Cyclic, Elapsed, Filled, Level, Missing, Plain, Scored
from multigene.data.encoding.encoding import Encoding
from multigene.data.encoding.learn import learn, shrunk_means
from multigene.data.encoding.raw import raw_columns


def kinds(**columns: object) -> dict[str, str]:
    return {column.name: column.kind for column in raw_columns(pd.DataFrame(columns))}


def test_what_columns_hold() -> None:
    found = kinds(
        number=[1, 2, None],
        flag=[True, False, True],
        nullable=pd.array([1, None, 3], dtype="Int64"),
        text=["a", "b", None],
        category=pd.Categorical(["a", "b", "a"]),
        date=pd.to_datetime(["2024-01-01", None, "2024-01-03"]),
        zoned=pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]).tz_localize("Europe/Prague"),
        objects=[datetime.date(2024, 1, 1), datetime.date(2024, 1, 2), None],
        iso=["2024-01-01", "2024-02-01", None],
        german=["01.02.2024", "13.02.2024", "03.02.2024"],
        us=["1/2/2024", "1/13/2024", "3/2/2024"],
        digits=["1", "2.5", "3"],
        decimals=[decimal.Decimal("1.5"), decimal.Decimal("2"), None],
        duration=pd.to_timedelta(["1 D", "2 D", "12 h"]),
    )
    texts, dates = {"text", "category"}, {"date", "zoned", "objects", "iso", "german", "us"}
    assert {name for name, kind in found.items() if kind == "text"} == texts
    assert {name for name, kind in found.items() if kind == "date"} == dates


def test_days_are_counted_from_1970() -> None:
    frame = pd.DataFrame({"d": ["13.02.2024", "14.02.2024"], "u": ["2/13/2024", "2/14/2024"]})
    expected = (pd.Timestamp("2024-02-13") - pd.Timestamp("1970-01-01")).days
    for column in raw_columns(frame):
        assert column.values.tolist() == [expected, expected + 1]
    [prague] = raw_columns(
        pd.DataFrame({"z": pd.to_datetime(["2024-01-01 12:00"]).tz_localize("Europe/Prague")})
    )
    assert prague.values[0] == pytest.approx(19723 + 11 / 24)


def test_text_among_numbers_is_refused_with_its_row() -> None:
    with pytest.raises(ValueError, match="Column 'x' holds '12abc' in row 7, which is not a number"):
        raw_columns(pd.DataFrame({"x": [*map(str, range(7)), "12abc", "8", "9"]}))
    with pytest.raises(ValueError, match="Column 'x' is infinite in row 1"):
        raw_columns(pd.DataFrame({"x": [1.0, np.inf]}))
    with pytest.raises(ValueError, match="values of type"):
        raw_columns(pd.DataFrame({"x": [[1], [2]]}))


def learned(X: pd.DataFrame, y: np.ndarray) -> tuple[Encoding, np.ndarray]:
    return learn(raw_columns(X), np.asarray(y, dtype=float))


def test_few_levels_become_indicators_and_rare_ones_are_joined() -> None:
    rng = np.random.default_rng(0)
    town = rng.choice(["a", "b", "c"], 400)
    plain, _ = learned(pd.DataFrame({"t": town}), rng.normal(size=400))
    assert sorted(plain.names) != []
    assert len(plain.columns) == 3  # a shrunk line is shrunk towards the mean of all, not towards a level
    two, _ = learned(pd.DataFrame({"t": np.where(town == "a", "a", "b")}), rng.normal(size=400))
    assert [c.levels for c in two.columns if isinstance(c, Level)] == [("a",)]  # the rarer of two is enough
    town[:2] = "rare"
    joined, X = learned(pd.DataFrame({"t": town}), rng.normal(size=400))
    assert {c.levels for c in joined.columns if isinstance(c, Level)} == {("a",), ("b",), ("c",)}
    assert X[:2].sum() == 0.0


def test_many_levels_are_shrunk_and_training_rows_see_other_rows() -> None:
    rng = np.random.default_rng(0)
    level = rng.integers(0, 40, 400)
    noise = rng.normal(size=400)
    encoding, X = learned(pd.DataFrame({"t": [f"l{i}" for i in level]}), noise)
    [column] = encoding.columns
    assert isinstance(column, Scored)
    # Noise: the means are shrunk to nearly nothing, and out of fold they do not explain the target.
    assert np.std([score for _, score in column.scores]) < 0.5 * np.std(
        pd.Series(noise).groupby(level).mean()
    )
    assert np.corrcoef(X[:, 0], noise)[0, 1] < 0.1
    effect = rng.normal(size=40)[level]
    raw = raw_columns(pd.DataFrame({"t": [f"l{i}" for i in level]}))[0]
    scored, _ = shrunk_means(raw, effect, np.arange(400) % 5)
    np.testing.assert_allclose(
        [s for _, s in scored.scores],
        [effect[level == int(name[1:])][0] for name, _ in scored.scores],
        atol=0.6,
    )


def test_ordered_levels_are_ranks_where_held_out_rows_say_so() -> None:
    rng = np.random.default_rng(0)
    grade = rng.integers(0, 5, 300)
    X = pd.DataFrame({"g": pd.Categorical.from_codes(grade, list("abcde"), ordered=True)})
    ranked, _ = learned(X, grade + 0.3 * rng.normal(size=300))
    assert ranked.names == ["rank_of(g)"]
    levels, _ = learned(X, np.array([0.0, 5.0, -3.0, 4.0, -6.0])[grade] + 0.1 * rng.normal(size=300))
    assert all(isinstance(c, Level) for c in levels.columns)


def test_waves_are_made_where_they_help() -> None:
    rng = np.random.default_rng(0)
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.append(0, rng.integers(0, 1500, 499)), "D")
    turn = 2.0 * np.pi * (day - pd.Timestamp("1970-01-01")).days.to_numpy() / 365.2425
    season, _ = learned(pd.DataFrame({"day": day}), np.sin(turn) + 0.1 * rng.normal(size=500))
    assert season.names == ["days(day since 2020-01-01)", "sin_year(day)", "cos_year(day)"]
    none, _ = learned(pd.DataFrame({"day": day}), rng.normal(size=500))
    assert none.names == ["days(day since 2020-01-01)"]
    hours = pd.Timestamp("2024-05-05 10:00") + pd.to_timedelta(rng.uniform(0, 5, 50), "h")
    assert "hours(t since" in learned(pd.DataFrame({"t": hours}), rng.normal(size=50))[0].names[0]


def test_dates_on_the_same_day_of_every_year_have_no_wave_of_the_year() -> None:
    """Of model years (1970-01-01 …) a wave sees the quarter of a day that leap years shift: 2.4e7*cos_year(Year)."""
    rng = np.random.default_rng(0)
    years = rng.integers(1970, 1983, 400)
    X = pd.DataFrame({"year": pd.to_datetime([f"{year}-01-01" for year in years])})
    encoding, _ = learned(X, years % 4 + 0.1 * rng.normal(size=400))
    assert encoding.names == ["days(year since 1970-01-01)"]


def test_columns_that_say_nothing_are_left_out_with_a_note() -> None:
    X = pd.DataFrame({"id": [f"r{i}" for i in range(50)], "same": "x", "none": np.nan, "a": np.arange(50.0)})
    encoding, _ = learned(X, np.arange(50.0))
    assert encoding.names == ["a"]
    assert len(encoding.notes) == 3
    with pytest.raises(ValueError, match="No column says anything"):
        learned(X[["id", "same"]], np.arange(50.0))


def test_texts() -> None:
    assert Plain("a b").text == "a b"
    assert Filled("a b", 1.5).text == "filled(`a b`, 1.5)"
    assert Missing("a").text == "missing(a)"
    assert Level("t", ('x"y',)).text == 't == "x\\"y"'
    assert Level("t", ("x", "y")).text == 't in ("x", "y")'
    assert Elapsed("d", 19723.5, "hours", 0.0).text == "hours(d since 2024-01-01 12:00:00)"
    assert Cyclic("d", "sin", "week").text == "sin_week(d)"


def test_as_plain_values_and_back() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"t": rng.choice(list("abc"), 90), "n": rng.normal(size=90), "d": pd.date_range("2024", periods=90)}
    )
    X.loc[::5, "n"] = np.nan
    encoding, values = learned(X, rng.normal(size=90))
    again = Encoding.from_dict(json.loads(json.dumps(encoding.as_dict())))
    assert (again.sources, again.columns) == (encoding.sources, encoding.columns)
    np.testing.assert_array_equal(again.transform(X), values)


@pytest.mark.parametrize(
    "change",
    [
        {"columns": []},
        {"columns": [{"kind": "spell", "source": "a"}]},
        {"columns": [{"kind": "plain", "source": "b"}]},
        {"columns": [{"kind": "level", "source": "a", "levels": ["x"]}]},
        {"columns": [{"kind": "filled", "source": "a", "value": float("inf")}]},
        {"columns": [{"kind": "filled", "source": "a", "value": 1.0, "more": 2}]},
        {"sources": [{"name": "a", "kind": "magic", "levels": []}]},
        {"sources": 3},
    ],
)
def test_damaged_encodings_are_refused(change: dict[str, object]) -> None:
    good = {
        "sources": [{"name": "a", "kind": "number", "levels": []}],
        "columns": [{"kind": "plain", "source": "a"}],
    }
    assert Encoding.from_dict(good).names == ["a"]
    with pytest.raises(ValueError, match="its encoding"):
        Encoding.from_dict({**good, **change})


@pytest.mark.parametrize(
    "form",
    [
        "%d %b %Y",
        "%B %d, %Y",
        "%d-%b-%Y",
        "%m/%d/%y",
        "%d.%m.%y",
        "%d/%m/%Y %I:%M %p",
        "%Y-%m",
    ],
)
def test_dates_as_people_write_them(form: str) -> None:
    dates = pd.date_range("2023-12-20", periods=40)
    [column] = raw_columns(pd.DataFrame({"d": dates.strftime(form)}))
    shown = dates.to_period("M").to_timestamp() if form == "%Y-%m" else dates
    assert column.kind == "date"
    assert column.values.tolist() == [(each - pd.Timestamp("1970-01-01")).days for each in shown]


@pytest.mark.parametrize(
    "texts",
    [
        ["Mon 15 Jan 2024", "Tue 12 Mar 2024"],
        ["15. Jan. 2024", "12. März 2024"],
        ["Montag, 15. Januar 2024", "Dienstag, 12. März 2024"],
        ["15 janv. 2024", "12 mars 2024"],
    ],
)
def test_dates_with_days_of_the_week_and_months_of_other_languages(texts: list[str]) -> None:
    [column] = raw_columns(pd.DataFrame({"d": texts}))
    assert column.kind == "date"
    assert column.values.tolist() == [19737.0, 19794.0]


def test_months_of_a_year_are_dates_and_places_are_none() -> None:
    [column] = raw_columns(pd.DataFrame({"m": ["Dez 2023", "Jan 2024", "Juli 2024"]}))
    assert column.values.tolist() == [19692.0, 19723.0, 19905.0]
    assert raw_columns(pd.DataFrame({"m": ["Site 1 Mar 2024", "Site 2 Mar 2024"]}))[0].kind == "text"


def test_quarters_are_dates_and_codes_are_none() -> None:
    [quarters] = raw_columns(pd.DataFrame({"q": ["2010Q1", "2010-Q3", "2011q4"]}))
    assert quarters.values.tolist() == [14610.0, 14791.0, 15248.0]
    for texts in (["12-05-03", "11-04-02"], ["may", "june"], ["1.2.03", "99.99.99"], ["3.11.7", "3.12.1"]):
        assert raw_columns(pd.DataFrame({"c": texts}))[0].kind == "text"


def test_levels_that_differ_in_capitals_or_spaces_alone_are_one() -> None:
    rng = np.random.default_rng(5)
    n = 400
    region = rng.choice(["north", "NORTH", "north  ", "south", "South", "west"], n)
    plain = np.char.strip(np.char.lower(region))
    y = 3.0 * (plain == "north") - (plain == "west") + 0.2 * rng.normal(size=n)
    encoding, values = learned(pd.DataFrame({"region": region}), y)
    levels = {c.levels[0].strip().lower(): set(c.levels) for c in encoding.columns if isinstance(c, Level)}
    spelt = {"north": {"north", "NORTH", "north  "}, "south": {"south", "South"}, "west": {"west"}}
    assert levels == spelt
    assert values.shape == (n, 3)
    np.testing.assert_array_equal(encoding.transform(pd.DataFrame({"region": region})), values)
    assert any("differ in capitals or spaces alone are one" in note for note in encoding.notes)


def test_capitals_that_tell_something_stay_apart() -> None:
    rng = np.random.default_rng(6)
    allele = rng.choice(["a", "A", "b", "B"], 400)
    y = 2.0 * (allele == "A") + 0.2 * rng.normal(size=400)
    encoding, _ = learned(pd.DataFrame({"allele": allele}), y)
    assert all(len(c.levels) == 1 for c in encoding.columns if isinstance(c, Level))
    assert len(encoding.columns) == 4


def test_many_levels_in_several_spellings_share_a_number() -> None:
    rng = np.random.default_rng(7)
    town, effect = rng.integers(0, 40, 600), rng.normal(size=40) * 5.0
    texts = [f"Town {t}" if k else f"TOWN {t}" for t, k in zip(town, rng.integers(0, 2, 600), strict=True)]
    encoding, _ = learned(pd.DataFrame({"town": texts}), effect[town] + 0.1 * rng.normal(size=600))
    [column] = encoding.columns
    assert isinstance(column, Scored)
    scores = dict(column.scores)
    assert len(scores) == 80
    assert scores["Town 3"] == scores["TOWN 3"]


@pytest.mark.parametrize(
    ("name", "numbers", "left_out"),
    [
        ("order_id", np.random.default_rng(0).permutation(10**6)[:100], True),
        ("orderId", np.arange(100), True),
        ("Bestell-Nr", np.arange(1000, 1100), True),
        ("Unnamed: 0", np.arange(100), True),
        ("no", np.random.default_rng(0).permutation(1000)[:100], False),  # nitrogen oxide
        ("width", np.arange(100), False),
        ("order_id", np.arange(100) // 5, False),
        ("id", np.arange(100) + 0.5, False),
    ],
)
def test_numbers_of_rows_are_left_out_with_a_note(name: str, numbers: np.ndarray, left_out: bool) -> None:
    y = np.arange(100.0)
    encoding, _ = learned(pd.DataFrame({name: numbers, "x": np.random.default_rng(1).normal(size=100)}), y)
    assert (name not in [column.source for column in encoding.columns]) == left_out
    assert any("numbers the rows" in note for note in encoding.notes) == left_out
    alone, _ = learned(pd.DataFrame({name: numbers}), y)
    assert [column.source for column in alone.columns] == [name]


def test_texts_of_their_own_are_counted_among_rows_that_have_one() -> None:
    remarks = [f"call back {i}" if i % 3 == 0 else None for i in range(300)]
    encoding, _ = learned(pd.DataFrame({"note": remarks, "x": np.arange(300.0)}), np.arange(300.0) % 7)
    assert "column 'note' has its own text in nearly every row and was left out" in encoding.notes
    assert not any(isinstance(column, Scored) for column in encoding.columns)


def test_whole_numbers_given_as_text_are_codes_where_held_out_rows_say_so() -> None:
    rng = np.random.default_rng(8)
    code = rng.integers(0, 4, 300)
    frame = pd.DataFrame({"kind": code.astype(str), "x": rng.normal(size=300)})
    noise = 0.2 * rng.normal(size=300)
    encoding, values = learned(frame, np.array([0.0, 3.0, -1.0, 3.0])[code] + noise)
    assert [type(column) for column in encoding.columns] == [Level, Level, Level, Level, Plain]
    assert encoding.sources[0].kind == "text"
    np.testing.assert_array_equal(encoding.transform(frame), values)
    np.testing.assert_array_equal(encoding.transform(frame.assign(kind=code)), values)
    straight, _ = learned(frame, 2.0 * code + noise)
    assert [type(column) for column in straight.columns] == [Plain, Plain]


def test_levels_that_tell_nothing_are_left_out_beside_other_columns() -> None:
    """Means of other rows are lower where the row itself is high: a line would take that for an effect of the opposite sign."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        town, x = rng.integers(0, 9, 18), rng.normal(size=18)
        frame = pd.DataFrame({"town": [f"town {t}" for t in town], "x": x})
        encoding, values = learned(frame, x + rng.normal(size=18))
        scored = [j for j, column in enumerate(encoding.columns) if isinstance(column, Scored)]
        told = any("tell held-out rows nothing" in note for note in encoding.notes)
        assert told != bool(scored)
        for j in scored:
            assert np.corrcoef(values[:, j], x)[0, 1] > -0.3


def test_few_rows_give_no_waves_away() -> None:
    """Of 20 monthly values of noise a wave of the year is seldom taken; of 20 that follow the year it is."""
    days = pd.date_range("2020-01-15", periods=20, freq="30D")
    angle = 2.0 * np.pi * days.day_of_year.to_numpy() / 365.25
    taken = {False: 0, True: 0}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        frame, noise = pd.DataFrame({"day": days, "x": rng.normal(size=20)}), rng.normal(size=20)
        for follows in taken:
            encoding, _ = learned(frame, noise + 5.0 * follows * np.sin(angle))
            taken[follows] += any(isinstance(column, Cyclic) for column in encoding.columns)
    assert taken[False] <= 2  # 7 where a share of the error is enough
    assert taken[True] == 20

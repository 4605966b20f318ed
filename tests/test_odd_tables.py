"""Odd DataFrames and frequent mistakes: each gives the right formula, or a sentence that says what to do."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from input_cases import quick

from multigene import MultigeneRegressor

N = 80
_RNG = np.random.default_rng(0)
X_VALUES = _RNG.uniform(1.0, 5.0, N)
LEVELS = _RNG.choice(["a", "b", "c"], N)
Y = 2.0 * X_VALUES + 3.0 * (LEVELS == "a") + 0.05 * _RNG.normal(size=N)
BASE = pd.DataFrame({"x": X_VALUES, "c": LEVELS})
MONTHS = pd.period_range("2020-01", periods=N, freq="M")
DAYS = pd.date_range("2024-01-01", periods=N)


def model(**options: Any) -> MultigeneRegressor:
    return quick(search="accuracy", generations=2, configuration=None, **options)


def with_gap(values: Any, kind: str) -> Any:
    found = pd.array(values, dtype=kind)
    found[3] = pd.NA
    return found


#: Tables that all say y = 2x + 3 (c == "a"), and names that the formula has.
TABLES: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "pandas' own text and nullable numbers": (lambda: BASE.convert_dtypes(), ("x", 'c == "a"')),
    "pandas with Arrow's types": (
        lambda: BASE.convert_dtypes(dtype_backend="pyarrow"),
        ("x", 'c == "a"'),
    ),
    "nullable numbers with a gap": (
        lambda: BASE.assign(x=with_gap(np.round(X_VALUES, 2), "Float64")),
        ("filled(x", 'c == "a"'),
    ),
    "booleans with a gap": (
        lambda: pd.DataFrame({"x": X_VALUES, "b": with_gap(LEVELS == "a", "boolean")}),
        ("x", "filled(b"),
    ),
    "categories that no row has": (
        lambda: BASE.assign(c=pd.Categorical(LEVELS, categories=["z", "a", "b", "c", "more"])),
        ("x", 'c == "a"'),
    ),
    "durations": (
        lambda: pd.DataFrame({"x": pd.to_timedelta(X_VALUES, "D"), "c": LEVELS}),
        ("x", 'c == "a"'),
    ),
    "a column without values": (lambda: BASE.assign(e=np.nan), ("x", 'c == "a"')),
    "a column of None": (lambda: BASE.assign(e=[None] * N), ("x", 'c == "a"')),
    "constant columns": (lambda: BASE.assign(k=7, t="same"), ("x", 'c == "a"')),
    "an index that is not 0, 1, 2, …": (lambda: BASE.set_index(np.arange(N)[::-1] + 100), ("x", 'c == "a"')),
    "names of two levels": (
        lambda: BASE.set_axis(pd.MultiIndex.from_tuples([("2024", "x"), ("kind", "")]), axis=1),
        ("2024 x", 'kind == "a"'),
    ),
}


@pytest.mark.filterwarnings("ignore:X has .* gaps")
@pytest.mark.parametrize("kind", TABLES)
def test_the_formula_of_an_odd_table(kind: str) -> None:
    make, names = TABLES[kind]
    table = make()
    found = model().fit(table, Y)
    assert found.score(table, Y) > 0.95
    assert all(name in str(found.formula_) for name in names), str(found.formula_)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Tokyo", None])
def test_dates_of_another_zone_are_the_same_moments(zone: str | None) -> None:
    table = pd.DataFrame({"d": DAYS.tz_localize("UTC")})
    found = model().fit(table, np.arange(float(N)))
    np.testing.assert_array_equal(
        found.predict(pd.DataFrame({"d": table["d"].dt.tz_convert(zone)})), found.predict(table)
    )


def test_periods_are_dates() -> None:
    days = np.asarray((MONTHS.start_time - MONTHS.start_time[0]) / pd.Timedelta(days=1))
    found = model().fit(pd.DataFrame({"p": MONTHS, "z": X_VALUES}), 0.5 * days)
    assert "days(p since 2020-01-01)" in str(found.formula_)
    assert found.predict(pd.DataFrame({"p": MONTHS[[7]], "z": [1.0]})) == pytest.approx(
        [0.5 * days[7]], abs=0.01
    )


#: What is fitted, and what is said.
REFUSED: dict[str, tuple[Callable[[], tuple[Any, Any]], str]] = {
    "a column of lists": (
        lambda: (BASE.assign(l=[[1, 2]] * N), Y),
        "Column 'l' holds values of type list, which are neither numbers, dates nor text",
    ),
    "a column of dictionaries": (lambda: (BASE.assign(l=[{"a": 1}] * N), Y), "holds values of type dict"),
    "two columns of one name": (
        lambda: (BASE.set_axis(["x", "x"], axis=1), Y),
        "Column 'x' appears 2 times; rename it",
    ),
    "two columns of one joined name": (
        lambda: (BASE.set_axis(pd.MultiIndex.from_tuples([("a b", "c"), ("a", "b c")]), axis=1), Y),
        "Column 'a b c' appears 2 times; rename it",
    ),
    "the name of the target": (
        lambda: (BASE.assign(price=Y), "price"),
        r"y is the text 'price'; give the values of the target, for example fit\(table.drop\(columns='price'\)",
    ),
    "a target of dates": (lambda: (BASE, DAYS), "holds 2024-01-01 00:00:00, .* days since the first"),
    "a target of durations": (
        lambda: (BASE, pd.to_timedelta(Y + 30.0, "h")),
        r"holds 1 days \d\d:.* days since the first",
    ),
    "a target of datetime.date": (
        lambda: (BASE, [datetime.date(2024, 1, 1)] * N),
        "holds 2024-01-01 00:00:00, which is not a number",
    ),
    "one column": (lambda: (BASE["x"], Y), r"X is a Series, one row or one column of a table; give a table"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_refused_with_a_sentence(kind: str) -> None:
    make, said = REFUSED[kind]
    with pytest.raises(ValueError, match=said):
        model().fit(*make())


def test_a_target_in_another_order_is_warned_of() -> None:
    """pandas would match the labels, a fit does not, and the formula was a constant without a word."""
    shuffled = pd.Series(Y).sample(frac=1.0, random_state=0)
    with pytest.warns(UserWarning, match=r"the same row labels in another order.* give y.loc\[X.index\]"):
        model().fit(BASE, shuffled)
    found = model().fit(BASE, shuffled.loc[BASE.index])
    assert found.score(BASE, Y) > 0.95
    model().fit(BASE, pd.Series(Y, index=np.arange(N) + 500))  # other labels say nothing


def test_predictions_of_odd_rows() -> None:
    found = model().fit(BASE, Y)
    with pytest.raises(ValueError, match=r"X is a Series, one row .* X.to_frame\(\).T for a row"):
        found.predict(BASE.iloc[0])
    row = BASE.iloc[0].to_frame().T
    assert found.predict(row) == pytest.approx(found.predict(BASE.iloc[[0]]))
    assert len(found.predict(BASE.iloc[:0])) == 0
    text = BASE.assign(x=BASE["x"].astype(str), c=pd.Categorical(LEVELS))
    assert found.predict(text) == pytest.approx(found.predict(BASE))
    for wrong, said in (
        (BASE[["x"]], "now missing"),
        (BASE[["c", "x"]], "same order"),
        (BASE.assign(e=1.0), "unseen at fit time"),
        (BASE.assign(x="abc"), "Column 'x' holds 'abc' in row 0"),
    ):
        with pytest.raises(ValueError, match=said):
            found.predict(wrong)


@pytest.mark.parametrize("kind", ["polars", "polars lazy", "pyarrow", "duckdb"])
def test_tables_of_other_libraries(kind: str) -> None:
    columns = {"x": X_VALUES, "c": LEVELS.tolist()}
    if kind.startswith("polars"):
        pl = pytest.importorskip("polars")
        table: Any = pl.LazyFrame(columns) if kind.endswith("lazy") else pl.DataFrame(columns)
    elif kind == "pyarrow":
        table = pytest.importorskip("pyarrow").table(columns)
    else:
        table = pytest.importorskip("duckdb").from_df(BASE.astype({"c": object}))
    found = model().fit(table, Y)
    assert found.predict(table) == pytest.approx(model().fit(BASE, Y).predict(BASE))


@pytest.mark.parametrize("names", [[0, 1], ["x", 2024], [2023, 2024]])
def test_names_that_are_no_text(names: list[object]) -> None:
    """As tables without a header and pivot tables have them."""
    rng = np.random.default_rng(0)
    x, level = rng.uniform(1.0, 2.0, 60), rng.choice(["a", "b"], 60)
    X = pd.DataFrame({"x": x, "level": level}).set_axis(names, axis=1)
    model = MultigeneRegressor(generations=2, random_state=0, n_jobs=1).fit(X, 3.0 * x + (level == "a"))
    shown = [str(name) for name in names] if "x" in names else ["x0", "x1"]
    assert model.feature_names_in_.tolist() == shown
    assert model.predict(X) == pytest.approx(3.0 * x + (level == "a"), abs=0.1)
    assert model.predict(X[::-1]) == pytest.approx(model.predict(X)[::-1])

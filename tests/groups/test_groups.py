"""Groups as a user has them: `fit(X, y, groups="site")`, the formula, its table of numbers, files, exports and mistakes."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_cases import run

import multigene
from multigene import MultigeneRegressor
from multigene.data.encoding.encoding import UnseenLevelWarning
from multigene.model_file import dumps, loads
from multigene.report import write_report
from multigene.report.reproduce import constructor, shell_command

SCALES = {"Genoa": 2.0, "Oslo": 5.0, "St. John's": 3.0, "Rio": 1.0}


@cache
def table() -> pd.DataFrame:
    """Decays that differ in their scale from site to site."""
    rng = np.random.default_rng(0)
    site, t = rng.choice(list(SCALES), 240), rng.uniform(0.0, 5.0, 240)
    y = np.array([SCALES[each] for each in site]) * np.exp(-0.4 * t) + 0.02 * rng.normal(size=240)
    return pd.DataFrame({"site": site, "t": t, "y": y})


@cache
def model() -> MultigeneRegressor:
    """A model of them."""
    found = MultigeneRegressor(
        generations=8, random_state=0, search="accuracy", settings={"population_size": 60}
    )
    return found.fit(table()[["site", "t"]], table()["y"], groups="site")


def test_every_group_has_its_own_scale() -> None:
    assert "[site]" in str(model().formula_)
    assert model().r2_ > 0.99
    assert any("of its own" in note for note in model().fitted_.encoding.notes)


def test_the_table_of_numbers_has_every_group_and_the_pooled_value() -> None:
    found = model().groups_
    first = found[found["number"] == found["number"].iloc[0]]
    assert set(first["group"].dropna()) == set(SCALES)
    assert first["group"].isna().sum() == 1
    assert int(first["rows"].sum()) == 240
    assert (first["lower"] < first["estimate"]).all()
    assert (first["estimate"] < first["upper"]).all()


def test_new_groups_get_the_pooled_value_and_are_warned_of_once() -> None:
    again = multigene.load(io.BytesIO(dumps(model().fitted_).encode()))
    new = pd.DataFrame({"site": ["Mars"], "t": [1.0]})
    with pytest.warns(UnseenLevelWarning, match="pooled numbers"):
        value = again.predict(new)
    gap = again.predict(pd.DataFrame({"site": [None], "t": [1.0]}))
    assert value == pytest.approx(gap)
    low, high = (again.predict(pd.DataFrame({"site": [s], "t": [1.0]}))[0] for s in ("Rio", "Oslo"))
    assert low < value[0] < high


def test_intervals_cover_and_are_wider_for_new_groups() -> None:
    X, y = table()[["site", "t"]], table()["y"]
    _, lower, upper = model().predict(X, interval=0.9)
    assert 0.8 < np.mean((lower <= y) & (y <= upper)) < 0.97
    _, low, high = model().predict(X.head(1).assign(site=None), interval=0.9)
    assert high[0] - low[0] > 2.0 * (upper[0] - lower[0])


def test_a_file_keeps_it_all() -> None:
    again = MultigeneRegressor.from_fitted(loads(dumps(model().fitted_).encode()))
    X = table()[["site", "t"]]
    assert again.predict(X) == pytest.approx(model().predict(X), rel=1e-12)
    for mine, old in zip(again.predict(X, interval=0.9), model().predict(X, interval=0.9), strict=True):
        assert mine == pytest.approx(old, rel=1e-9)
    pd.testing.assert_frame_equal(again.groups_, model().groups_)
    assert "groups='site'" in constructor(again.fitted_)
    assert "--groups site" in shell_command(again.fitted_)


@pytest.mark.parametrize("damage", ["own", "rows", "numbers"])
def test_a_damaged_file_is_refused(damage: str) -> None:
    document = json.loads(dumps(model().fitted_))
    if damage == "own":
        document["intervals"]["own"] = [[[1.0]]]
    else:
        document["groups"][damage] = ["something"] if damage == "numbers" else [["Oslo", "many"]]
    with pytest.raises(ValueError, match="not a model that can be loaded"):
        loads(json.dumps(document).encode())


def test_exported_python_computes_the_same() -> None:
    source = model().formula_.python()
    space: dict[str, object] = {}
    exec(source, space)
    X = table()[["site", "t"]]
    assert space["predict"](X) == pytest.approx(model().predict(X), rel=1e-9)  # type: ignore[operator]
    assert model().formula_(X) == pytest.approx(model().predict(X), rel=1e-9)


def test_a_power_per_group_is_found_kept_in_files_and_exported() -> None:
    """Forms had no exponents of groups, and this ended as p[site] + x**2.6*q[site]."""
    rng = np.random.default_rng(0)
    powers = {"a": 0.5, "b": 1.0, "c": 1.5, "d": 2.2}
    X = pd.DataFrame({"site": rng.choice(list(powers), 200), "x": rng.uniform(0.5, 4.0, 200)})
    y = 2.0 * X["x"] ** X["site"].map(powers) + 0.02 * rng.normal(size=200)
    found = MultigeneRegressor(
        generations=8, random_state=0, search="accuracy", settings={"population_size": 60}
    ).fit(X, y, groups="site")
    assert "x**p[site]" in str(found.formula_)
    numbers = found.groups_.dropna(subset="group").set_index("group")["estimate"]
    assert numbers.to_dict() == pytest.approx(powers, abs=0.05)
    again = multigene.load(io.BytesIO(dumps(found.fitted_).encode()))
    np.testing.assert_array_equal(again.predict(X), found.predict(X))
    space: dict[str, object] = {}
    exec(found.formula_.python(), space)
    assert space["predict"](X) == pytest.approx(found.predict(X), rel=1e-9)  # type: ignore[operator]


def test_a_report_can_be_written(tmp_path: Path) -> None:
    write_report(model().fitted_, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "Numbers of every site" in page
    assert "St. John" in page


def test_the_same_seed_gives_the_same_groups() -> None:
    one = MultigeneRegressor(
        generations=3, search="accuracy", random_state=1, n_jobs=1, settings={"population_size": 30}
    )
    two = MultigeneRegressor(
        generations=3, search="accuracy", random_state=1, n_jobs=2, settings={"population_size": 30}
    )
    X, y = table()[["site", "t"]], table()["y"]
    texts = [str(each.fit(X, y, groups="site").formula_) for each in (one, two)]
    assert texts[0] == texts[1]


def test_functions_that_are_not_allowed_do_not_come_in_by_the_digits() -> None:
    """The tail of a logistic function is an exponential, and may be written as one where exp is allowed."""
    found = MultigeneRegressor(
        generations=8,
        random_state=0,
        search="accuracy",
        functions=["add", "mul", "logistic"],
        settings={"population_size": 60},
    ).fit(table()[["site", "t"]], table()["y"], groups="site")
    formulas = [str(formula) for formula in found.equations_["formula"]]
    assert any("/(1 + exp(" in formula for formula in formulas)
    assert not any("*exp(" in formula for formula in formulas)


def test_groups_of_an_array_are_told_by_number() -> None:
    codes = table()["site"].map({name: j for j, name in enumerate(SCALES)})
    X = np.column_stack([codes, table()["t"]])
    found = MultigeneRegressor(
        generations=3, search="accuracy", random_state=0, settings={"population_size": 30}
    )
    found.fit(X, table()["y"].to_numpy(), groups=0, group_numbers=["offset", "factor"])
    assert set(found.groups_["group"].dropna()) == {"0", "1", "2", "3"}
    assert found.groups_["number"].nunique() == 2
    assert found.predict(X[:3]).shape == (3,)
    assert "groups=0, group_numbers=['offset', 'factor']" in constructor(found.fitted_)


@pytest.mark.parametrize(
    ("groups", "numbers", "said"),
    [
        ("sites", "auto", "did you mean 'site'"),
        ([1, 2], "auto", "put the groups into X as a column"),
        ("site", "slope", "group_numbers='slope' is not known"),
        ("site", ["auto", "offset"], "contradicts itself"),
        (7, "auto", "columns 0 to 1"),
    ],
)
def test_mistakes_are_told(groups: object, numbers: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        MultigeneRegressor(generations=1).fit(
            table()[["site", "t"]],
            table()["y"],
            groups=groups,
            group_numbers=numbers,  # type: ignore[arg-type]
        )


def test_one_group_alone_and_a_group_per_row_are_refused() -> None:
    X, y = table()[["site", "t"]], table()["y"]
    with pytest.raises(ValueError, match="one group alone"):
        MultigeneRegressor(generations=1).fit(X.assign(site="a"), y, groups="site")
    with pytest.raises(ValueError, match="two rows or more each"):
        MultigeneRegressor(generations=1).fit(X.assign(site=[f"s{i}" for i in range(240)]), y, groups="site")


def test_the_command_prints_the_numbers(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "d.csv", index=False)
    options = [
        "--groups",
        "site",
        "--search",
        "accuracy",
        "--generations",
        "3",
        "--set",
        "population_size=30",
    ]
    done = run("fit", str(tmp_path / "d.csv"), "-t", "y", *options, "--save", str(tmp_path / "m.json"))
    assert "new groups" in done.stdout
    assert "[site]" in done.stdout
    wrong = run("fit", str(tmp_path / "d.csv"), "-t", "y", "--groups", "sit")
    assert wrong.exit_code == 2
    assert "did you mean 'site'" in wrong.stderr

"""Every number that report and explorer show of twenty models, long ones among them, computed anew by NumPy from the model's
predictions; numbers are read from the page's own text."""

from __future__ import annotations

import re
from functools import cache
from html import unescape

import numpy as np
import pandas as pd
import pytest
from mathml_reader import value
from report_cases import awkward, extreme, fitted, rows, shown_columns

from multigene import MultigeneRegressor
from multigene.expression.tree import evaluate
from multigene.report import collect
from multigene.report.html import explorer
from multigene.report.numbers import spoken_number, spoken_r2
from multigene.report.statistics import grid_of

NAMES = ["a", "x_2", "free_stream_velocity_of_the_air_m_s", "chord length <m>", "e"]
QUICK = {"random_state": 0, "n_jobs": 1}
SMALL = {"settings": {"population_size": 40}, **QUICK}


def table(seed: int, noise: float, n: int = 240) -> tuple[pd.DataFrame, pd.Series]:
    """Rows of a smooth function with noise, all positive."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(-2.0, 2.0, (n, 5)), columns=NAMES)
    y = 3.0 / (1.0 + np.exp(X["a"] - 2.0 * X["x_2"])) + X[NAMES[2]] * X[NAMES[3]] + noise * rng.normal(size=n)
    return X, pd.Series(y + 8.0, name="sound level")


def _asked(code: str | None = None, seed: int = 1, noise: float = 0.5, **more):
    X, y = table(seed, noise)
    weight = more.pop("sample_weight", None)
    counts = more.pop("counts", False)
    y = y.clip(lower=0.5).round() if counts else y
    settings = {"generations": 12, **(SMALL if code else QUICK), **more}
    return MultigeneRegressor(code, **settings).fit(X, y, sample_weight=weight), X, y


@cache
def cases():
    """Twenty models with the rows to show them on: training rows, test rows or none."""
    weight = np.random.default_rng(3).uniform(0.1, 3.0, 240)
    X, X_test, y, y_test = rows()
    found = {"diabetes": (fitted(), X, y, X_test, y_test)}
    for code in ("baseline", "UB", "UC", "SB", "SC", "GB"):
        for seed in (1, 2):
            model, *shown = _asked(code, seed)
            found[f"{code} {seed}"] = (model, *shown, *table(seed + 10, 0.5, 90))
    for name, more in {
        "default": {"generations": 15},
        "weighted": {"code": "UB", "sample_weight": weight},
        "absolute": {"code": "UB", "loss": "absolute"},
        "poisson": {"code": "UB", "loss": "poisson", "counts": True},
    }.items():
        model, *shown = _asked(**more)
        found[name] = (model, *shown, None, None)
    for name, model in {"large": extreme(1e9), "small": extreme(1e-9), "awkward": awkward()}.items():
        found[name] = (model, None, None, None, None)
    return found


CASES = [
    "diabetes", *(f"{code} {seed}" for code in ("baseline", "UB", "UC", "SB", "SC", "GB") for seed in (1, 2)),
    "default", "weighted", "absolute", "poisson", "large", "small", "awkward",
]  # fmt: skip


@cache
def shown(name):
    """The explorer of a case, and the rows as the model sees them."""
    model, X, y, X_test, y_test = cases()[name]
    weight = model.fitted_.rows.weights if name == "weighted" else None
    markup, data = explorer(collect(model.fitted_, X, y, X_test, y_test, weight))
    sets = {"train": (model.fitted_.rows.X, model.fitted_.rows.y, model.fitted_.rows.weights)}
    if X_test is not None:
        sets["test"] = (X_test.to_numpy(dtype=float), y_test.to_numpy(dtype=float), None)
    return model, markup, data, sets


def predicted(model, said, X):
    """What a model of the page predicts, by the engine."""
    individual = model.fitted_.front.listed[said["row"]].member.individual
    return model.fitted_.loss.prediction(individual.predict(X))


def average(values, weights=None):
    return float(np.average(values, weights=weights))


def errors(y, prediction, weights):
    """Error measures by their definitions."""
    residual = y - prediction
    total = average((y - average(y, weights)) ** 2, weights)
    return {
        "r2": 1.0 - average(residual**2, weights) / total,
        "rmse": np.sqrt(average(residual**2, weights)),
        "mae": average(np.abs(residual), weights),
        "max": np.abs(residual).max(),
        "rows": len(y),
    }


def within(y, prediction, share):
    return np.sort(np.abs(y - prediction))[int(np.ceil(share * len(y))) - 1]


def said_as(number, digits=4, kept=6):
    """A number as the page writes it: kept with some digits, spoken with fewer."""
    return spoken_number(float(f"{number:.{kept}g}"), digits)


def plain(html):
    """The text of a piece of a page."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", html)))


def test_there_are_twenty_and_long_ones_among_them():
    assert len(cases()) == len(CASES) == 20
    assert list(cases()) == CASES
    assert sum(max(each["size"] for each in shown(name)[2]["models"]) > 60 for name in CASES) >= 5


@pytest.mark.parametrize("name", CASES)
def test_cards_and_tables_of_errors(name):
    model, markup, data, sets = shown(name)
    for said in data["models"]:
        cards = plain(said["panels"]["cards"])
        for part, (X, y, weights) in sets.items():
            exact = errors(y, predicted(model, said, X), weights)
            for key, found in said["errors"][part].items():
                if key in exact:
                    assert found == pytest.approx(exact[key], rel=5.1e-6, abs=1e-12 * np.abs(y).max())
            for label, key in (("RMSE", "rmse"), ("MAE", "mae"), ("largest", "max")):
                assert f"{label} {said_as(exact[key])}{data['unit']}" in cards
            assert f"rows {len(y):,}" in cards
            assert "R² " + spoken_r2(float(f"{exact['r2']:.6g}")) in cards
        formula = model.fitted_.front.listed[said["row"]].formula
        assert f"Size {formula.size} node" in cards
        assert f"columns {len(formula.variables)} of {len(data['features'])}" in cards
        X, y, weights = list(sets.values())[-1]
        if weights is None:
            row = plain(re.search(r'<tr class="selected">.*?</tr>', said["panels"]["errors"], re.DOTALL)[0])
            prediction = predicted(model, said, X)
            for share in (0.5, 0.9):
                assert said_as(within(y, prediction, share), 4, 4) in row
    picks = {pick["name"]: data["models"][pick["model"]] for pick in data["picks"]}
    for pick, said in picks.items():
        text = plain(re.search(rf'data-pick="{pick}".*?</button>', markup, re.DOTALL)[0])
        r2 = said["r2"] if said["unseen"]["r2"] is None else said["unseen"]["r2"]
        assert f"{said['size']} node" in text
        assert spoken_r2(r2) in text


@pytest.mark.parametrize("name", CASES)
def test_where_it_errs_and_what_it_depends_on(name):
    model, _, data, sets = shown(name)
    for said in data["models"]:
        X, y, weights = list(sets.values())[-1]
        residual = y - predicted(model, said, X)
        text = plain(said["panels"]["segments"])
        for each in said["segments"]:
            column = X[:, each["feature"]]
            here = (column >= each["low"] * (1 - 1e-5 * np.sign(each["low"]))) & (
                column <= each["high"] * (1 + 1e-5 * np.sign(each["high"]))
            )
            own = None if weights is None else weights[here]
            assert here.sum() == each["rows"]
            assert each["rmse"] == pytest.approx(np.sqrt(average(residual[here] ** 2, own)), rel=5.1e-6)
            assert each["bias"] == pytest.approx(
                average(residual[here], own), rel=1e-4, abs=1e-9 * np.abs(y).max()
            )
            assert said_as(each["rmse"], 3) in text
            assert said_as(each["bias"], 3) in text
        X, y, weights = sets["train"]
        for curve in said["dependence"]:
            grid = grid_of(
                np.sort(X[:, curve["feature"]])
            )  # as it is: a steep formula feels the digits that a page leaves out
            assert data["columns"][curve["feature"] + 1]["grid"] == pytest.approx(grid, rel=1e-4)
            for place in (0, len(grid) // 2, len(grid) - 1):
                moved = X.copy()
                moved[:, curve["feature"]] = grid[place]
                exact = average(predicted(model, said, moved), weights)
                spread = np.ptp([v for v in curve["mean"] if v is not None]) + np.abs(exact)
                assert curve["mean"][place] == pytest.approx(exact, rel=2e-4, abs=1e-3 * spread)


@pytest.mark.parametrize("name", CASES)
def test_terms_move_and_cost_what_the_table_says(name):
    model, _, data, sets = shown(name)
    X, y, weights = sets["train"]
    if not model.fitted_.loss.squared:
        return
    for said in data["models"]:
        columns = shown_columns(said, list(model.fitted_.names), X)
        for each in said["terms"]:
            if each["spread"] is None:
                continue
            term = np.broadcast_to(value(each["mathml"], columns), len(X))
            exact = np.sqrt(average((term - average(term, weights)) ** 2, weights))
            assert each["spread"] == pytest.approx(exact, rel=5e-3, abs=1e-12 * np.abs(y).max())
            if len(said["terms"]) > 1:
                assert said_as(each["spread"], 3) in plain(said["panels"]["terms"])


@pytest.mark.parametrize("name", CASES)
def test_every_formula_says_what_its_model_predicts(name):
    model, _, data, sets = shown(name)
    X, y, _ = sets["train"]
    for said in data["models"]:
        formula = model.fitted_.front.listed[said["row"]].formula
        with np.errstate(all="ignore"):  # by NumPy as well: a sine of 1e10 feels the last bit of its argument
            exact = evaluate(formula.expression, X)
        columns = shown_columns(said, list(model.fitted_.names), X)
        change = np.broadcast_to(value(said["mathml"], columns), len(X)) - exact
        unnoticed = 1.01e-3 * np.sqrt(np.mean((y - exact) ** 2))
        assert np.sqrt(np.mean(change**2)) <= max(unnoticed, 1e-11 * np.abs(exact).max())


@pytest.mark.parametrize("name", CASES)
def test_columns_run_and_sentences(name):
    model, markup, data, sets = shown(name)
    fitted_model = model.fitted_
    X, y, _ = sets["train"]
    for column, values in zip(data["columns"], [y, *X.T], strict=True):
        assert column["min"] == values.min()
        assert column["max"] == values.max()
        assert column["median"] == pytest.approx(np.median(values))
        assert column["mean"] == pytest.approx(values.mean(), rel=1e-5, abs=1e-9 * np.abs(values).max())
        assert column["distinct"] == len(np.unique(values))
    text = plain(markup)
    assert f"generations {fitted_model.n_generations:,}" in text
    assert f"ended by {fitted_model.stopped_by}" in text
    said = data["models"][data["chosen"]]
    sentence = said["sentence"]
    if said["law"] is None and "test" in sets:
        X, y, _ = sets["test"]
        assert said_as(within(y, predicted(model, said, X), 0.5), 3, 4) in sentence
    elif said["law"] is None and "training rows are predicted" in sentence and sets["train"][2] is None:
        assert said_as(within(y, predicted(model, said, X), 0.5), 3, 4) in sentence
    assert sentence in plain(said["panels"]["first"])
    if said["coverage"].get("train") and sets["train"][2] is None:
        share, counted = said["coverage"]["train"]
        X, y, _ = sets["train"]
        _, low, high = fitted_model.interval(X, 0.95)
        assert counted == len(y)
        assert share == pytest.approx(np.mean((low <= y) & (y <= high)), abs=2.0 / len(y))

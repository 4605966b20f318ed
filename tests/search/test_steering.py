"""Steering a search between rounds: bans hold, offers and pins arrive, and a script repeats what was done."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from multigene import MultigeneRegressor
from multigene.search.steering import Script
from multigene.search.typed_formula import read_formula

QUICK = {"generations": 40, "random_state": 0, "n_jobs": 1, "search": "accuracy"}


def table(n: int = 400) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-2.0, 2.0, (n, 3)), columns=["a", "b", "the c"])
    y = np.exp(X["a"]) * X["b"] + np.sin(2 * X["the c"]) + 0.3 * rng.normal(size=n)
    return X, y.rename("y")


def fitted(actions=(), **other) -> MultigeneRegressor:
    return MultigeneRegressor(**{**QUICK, **other}).fit(*table(), callback=Script(list(actions)))


def used(model: MultigeneRegressor) -> set[str]:
    return {name for each in model.fitted_.front.listed for name in each.formula.variables}


def test_a_banned_column_is_in_no_formula_and_a_banned_function_neither():
    free = fitted()
    assert {"a", "b", "the c"} <= used(free)
    model = fitted([(1, "ban", "the c"), (2, "ban", "sin")])
    assert used(model) == {"a", "b"}
    assert not any("sin(" in str(each.formula) for each in model.fitted_.front.listed)
    assert 0.3 < model.r2_ < free.r2_


def test_an_offered_formula_is_taken_up_and_a_pinned_one_stays():
    model = fitted([(1, "offer", "exp(a)*b + sin(2*`the c`)"), (1, "pin", "a*b")])
    rows = model.equations_
    pinned = rows[rows["source"] == "pinned"]
    assert len(pinned) == 1
    assert "a*b" in pinned["formula"].item()
    assert model.r2_ > 0.97


def test_a_price_of_size_makes_formulas_smaller():
    """In the median of three seeds: what was found before the price was set stays on the front where nothing beats it."""
    free, dear = (
        [
            max(e.complexity for e in fitted(actions, random_state=seed).fitted_.front.listed)
            for seed in range(3)
        ]
        for actions in ((), [(1, "price", 20.0)])
    )
    assert np.median(dear) < np.median(free)


def test_a_script_gives_the_same_front_every_time():
    actions = [(1, "pin", "a*b"), (1, "ban", "the c"), (2, "price", 3.0), (2, "offer", "exp(a)")]
    first, again = fitted(actions).equations_, fitted(actions).equations_
    pd.testing.assert_frame_equal(first, again)


STEERED = [(1, "pin", "a*b"), (1, "ban", "the c"), (1, "ban", "sin"), (1, "price", 0.5)]


def stopped_and_resumed(path, search) -> MultigeneRegressor:
    model = MultigeneRegressor(**{**QUICK, "search": search})
    model.fit(*table(), callback=Script([*STEERED, (2, "stop", None)]), checkpoint=path)
    assert model.stopped_by_ == "callback"
    return model.fit(*table(), checkpoint=path)


def test_a_steered_run_that_is_resumed_goes_on_as_if_it_had_not_been_stopped(tmp_path):
    resumed = stopped_and_resumed(tmp_path / "checkpoint", "accuracy")
    pd.testing.assert_frame_equal(resumed.equations_, fitted(STEERED).equations_)


def test_bans_and_pins_outlast_a_stop_with_the_law_search_too(tmp_path):
    resumed = stopped_and_resumed(tmp_path / "checkpoint", "both")
    assert used(resumed) == {"a", "b"}
    assert not any("sin(" in str(each.formula) for each in resumed.fitted_.front.listed)
    assert (resumed.equations_["source"] == "pinned").sum() == 1


def law_and_ban(banned: str, path) -> tuple[MultigeneRegressor, MultigeneRegressor]:
    """A law of a and b, something banned at the very step at which it is found; and the same run resumed."""
    X, _ = table()
    y = (np.exp(X["a"]) * X["b"]).rename("y")
    model = MultigeneRegressor(**{**QUICK, "search": "both", "generations": 20})
    watched = Script([])
    assert model.fit(X, y, callback=watched).stopped_by_ == "law"
    model.fit(X, y, callback=Script([(watched.step, "ban", banned)]), checkpoint=path)
    return model, MultigeneRegressor(**model.get_params()).fit(X, y, checkpoint=path)


def test_a_law_that_is_found_when_something_else_is_banned_is_kept_and_resumed(tmp_path):
    for model in law_and_ban("the c", tmp_path / "checkpoint"):
        assert model.stopped_by_ == "law"
        assert set(model.formula_.variables) == {"a", "b"}


def test_a_law_with_what_is_banned_at_that_step_is_none_and_the_search_goes_on(tmp_path):
    for model in law_and_ban("a", tmp_path / "checkpoint"):
        assert model.stopped_by_ != "law"
        assert model.n_generations_ > 0
        assert "a" not in used(model)


@pytest.mark.parametrize("steered", [{}, {"columns": [7], "functions": [], "price": None, "pinned": []}, 3])
def test_a_checkpoint_whose_steering_is_damaged_is_told(tmp_path, steered):
    path = tmp_path / "checkpoint"
    MultigeneRegressor(**QUICK).fit(*table(), callback=Script([(1, "stop", None)]), checkpoint=path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"steered": steered}))
    with pytest.raises(ValueError, match="checkpoint is damaged"):
        MultigeneRegressor(**QUICK).fit(*table(), checkpoint=path)


def test_a_script_can_end_a_run():
    model = fitted([(2, "stop", None)])
    assert model.stopped_by_ == "callback"
    assert 0 < model.n_generations_ < 40


@pytest.mark.parametrize(
    ("action", "value", "said"),
    [
        ("turn", None, "no action"),
        ("ban", "d", "neither a column nor a function"),
        ("price", -1.0, "from 0 on"),
        ("offer", "a +", "cannot be read"),
        ("offer", "aa + 1", "«aa».* cannot be read: .aa. is no column; did you mean .a."),
    ],
)
def test_mistakes_are_told(action, value, said):
    with pytest.raises(ValueError, match=said):
        fitted([(1, action, value)])


def test_configurations_of_the_paper_cannot_be_steered():
    with pytest.raises(ValueError, match="cannot be steered"):
        MultigeneRegressor("UB", generations=3, random_state=0).fit(
            *table(), callback=Script([(1, "ban", "a")])
        )


def test_formulas_are_read_by_column_names():
    model = read_formula("y = 2*speed^2 − `air gap`/1.5e3 + sin(e)", ["speed", "air gap", "e"])
    X = np.array([[3.0, 5.0, 0.5]])
    assert model.predict(X)[0] == pytest.approx(18.0 - 5.0 / 1500.0 + np.sin(0.5))

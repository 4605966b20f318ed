"""FittedModel: one value that never changes, with or without an estimator."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import io
import pickle

import numpy as np
import pandas as pd
import pytest

import multigene
from multigene import MultigeneRegressor, model_file
from multigene.data.training_rows import TrainingRows
from multigene.fitted import FittedModel
from multigene.report.notebook import estimator_html
from multigene.search import run


def rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n)


@pytest.fixture(scope="module")
def model():
    return MultigeneRegressor(
        "UB", generations=15, settings={"population_size": 40}, random_state=0, n_jobs=1
    ).fit(*rows())


@pytest.fixture
def fitted(model):
    return model.fitted_


def test_it_cannot_be_changed(model, fitted):
    with pytest.raises(dataclasses.FrozenInstanceError):
        fitted.chosen = None
    with pytest.raises(AttributeError):
        model.fitted_ = fitted
    for name in ("formula_", "r2_", "n_genes_", "stopped_by_", "history_", "choice_"):
        with pytest.raises(AttributeError):
            setattr(model, name, None)


def test_the_estimator_says_what_it_says(model, fitted):
    X, y = rows()
    assert model.formula_ is fitted.formula
    assert (model.r2_, model.n_genes_, model.n_nodes_) == (fitted.r2, fitted.n_genes, fitted.n_nodes)
    assert (model.depth_, model.lcf_share_) == (fitted.depth, fitted.lcf_share)
    assert (model.n_generations_, model.stopped_by_) == (fitted.n_generations, fitted.stopped_by)
    assert str(model) == str(fitted)
    np.testing.assert_array_equal(model.predict(X), fitted.predict(X))
    for ours, theirs in zip(model.predict(X, interval=0.9), fitted.interval(X, 0.9), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    pd.testing.assert_frame_equal(model.equations_, fitted.equations())
    pd.testing.assert_frame_equal(model.parameters_, fitted.parameter_table())
    pd.testing.assert_frame_equal(model.transformations_, fitted.transformations())
    pd.testing.assert_frame_equal(model.genes(), fitted.genes())
    assert model.metrics(X, y) == fitted.metrics(TrainingRows(X, y, None, len(y)))


def test_another_choice_is_another_model(fitted):
    smallest = fitted.choose(0)
    assert smallest is not fitted
    assert (smallest.choice, fitted.choice) == ("index", "default")
    assert smallest.formula.size <= fitted.formula.size
    assert str(smallest.choose("default").formula) == str(fitted.formula)
    X, _ = rows()
    np.testing.assert_array_equal(fitted.at(0).predict(X), smallest.predict(X))
    assert fitted.equations()["chosen"].sum() == smallest.equations()["chosen"].sum() == 1


def test_pruning_leaves_the_model_as_it_was(fitted):
    before = len(fitted.front)
    shorter, pruned = fitted.choose("accuracy").prune(0.01)
    assert len(fitted.front) == before
    assert len(shorter.front) == before + 1
    assert shorter.formula.size <= pruned.before.size
    assert shorter.choice == "pruned"


def test_what_was_asked_is_kept(fitted):
    assert fitted.changes == ()
    assert fitted.choose("knee").choose("default").changes == ()
    assert fitted.choose("knee").choose(1).changes == (("choose", 1),)
    pruned, _ = fitted.choose("knee").prune(0.1)
    assert pruned.changes == (("choose", "knee"), ("prune", 0.1))
    assert pruned.choose("default").changes == (("choose", "knee"), ("prune", 0.1), ("choose", "default"))
    loaded = model_file.loads(model_file.dumps(pruned).encode())
    assert loaded.changes == pruned.changes


def test_made_of_a_file_without_an_estimator(fitted, monkeypatch):
    def none(*_: object, **__: object) -> None:
        raise AssertionError("an estimator was made")

    text = model_file.dumps(fitted)
    monkeypatch.setattr(MultigeneRegressor, "__init__", none)
    loaded = model_file.loads(text.encode())
    X, y = rows()
    assert isinstance(loaded, FittedModel)
    assert str(loaded) == str(fitted)
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    np.testing.assert_allclose(loaded.interval(X, 0.95)[1], fitted.interval(X, 0.95)[1])
    with pytest.raises(ValueError, match=r"model\.keep_rows"):
        loaded.genes()
    kept = loaded.with_rows(TrainingRows(X, y, None, len(y)))
    pd.testing.assert_frame_equal(kept.genes(), fitted.genes())
    assert loaded.rows is None
    assert "R²" in estimator_html(loaded, "diagram")


def test_it_can_be_pickled(fitted):
    X, _ = rows()
    for model in (fitted, fitted.choose(0)):
        other = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        assert any(member is other.chosen for member in other.front)
        pd.testing.assert_frame_equal(other.equations(), model.equations())


def test_a_pickle_of_an_earlier_form_gets_a_sentence(model):
    state = model.__getstate__() | {"_member": None, "_front": None}
    with pytest.raises(ValueError, match=r"earlier version of multigene.* fit it again, or save it"):
        MultigeneRegressor().__setstate__(state)


def test_a_failed_fit_leaves_the_model_as_it_was():
    X, y = rows()
    model = MultigeneRegressor("UB", generations=2, random_state=0, n_jobs=1).fit(X, y)
    before = model.fitted_
    with pytest.raises(ZeroDivisionError):
        model.fit(X, y + 1.0, callback=lambda _: 1 / 0)
    assert model.fitted_ is before


def test_parameters_are_those_of_the_fit(model):
    changed = multigene.load(io.BytesIO(model_file.dumps(model.fitted_).encode())).set_params(generations=99)
    assert changed.fitted_.parameters.generations == 15
    assert model.fitted_.parameters.values() == model.get_params()
    assert model.fitted_.parameters.given() == {
        "configuration": "UB",
        "generations": 15,
        "random_state": 0,
        "settings": {"population_size": 40},
    }


@pytest.mark.parametrize(("n", "said"), [(120, "cross-validated"), (450, "held-out")])
def test_where_validation_comes_from(n, said):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = np.exp(0.4 * X[:, 0]) + X[:, 1] + rng.normal(size=n)
    model = MultigeneRegressor(generations=3, random_state=0, n_jobs=1).fit(X, y)
    assert model.fitted_.validated_by == said
    assert multigene.load(io.BytesIO(model_file.dumps(model.fitted_).encode())).fitted_.validated_by == said


def test_where_there_is_no_validation(fitted):
    assert fitted.validated_by == ""


def test_every_reason_to_stop_is_documented():
    """Read off the source of the run: what it sets as the reason, or returns as one."""
    tree = ast.parse(inspect.getsource(run))
    assigned = [
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Assign)
        and isinstance(n.targets[0], ast.Attribute)
        and n.targets[0].attr == "stopped_by"
    ]
    names = ("_why_it_ended", "_rule_that_holds")
    saying = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name in names]
    assert len(saying) == len(names)
    returned = [c for f in saying for n in ast.walk(f) if isinstance(n, ast.Return) for c in ast.walk(n)]
    reasons = {n.value for n in [*assigned, *returned] if isinstance(n, ast.Constant) and n.value}
    assert {"generations", "time", "law", "callback", "interrupt", "stagnation"} <= reasons
    for reason in reasons:
        assert f'"{reason}"' in (MultigeneRegressor.__doc__ or ""), reason

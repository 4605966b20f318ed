"""Transformer and several targets: scikit-learn's own checks, and what users do with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from multigene import MultigeneRegressor, MultigeneTransformer

TINY = MultigeneRegressor("UB", generations=3, settings={"population_size": 12}, random_state=0, n_jobs=1)


@parametrize_with_checks([MultigeneTransformer(TINY)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def rows():
    X = pd.DataFrame(np.random.default_rng(0).uniform(-2, 2, (200, 3)), columns=["a", "b", "c"])
    return X, np.sin(X["a"]) * X["b"] + X["c"] ** 2


def test_genes_explain_the_target_as_the_regressor_does(rows):
    X, y = rows
    transformer = MultigeneTransformer(TINY).fit(X, y)
    linear = LinearRegression().fit(transformer.transform(X), y)
    assert linear.score(transformer.transform(X), y) == pytest.approx(transformer.regressor_.r2_, abs=1e-9)


def test_columns_are_what_the_formulas_say(rows):
    X, y = rows
    transformer = MultigeneTransformer(TINY).fit(X, y)
    values = transformer.transform(X)
    for column, formula in zip(values.T, transformer.genes_, strict=True):
        np.testing.assert_allclose(formula(X), column, rtol=1e-9, atol=1e-12)


def test_columns_add_up_to_the_prediction(rows):
    X, y = rows
    transformer = MultigeneTransformer(TINY).fit(X, y)
    regressor = transformer.regressor_
    total = transformer.transform(X).sum(axis=1) + regressor.fitted_.individual.intercept
    np.testing.assert_allclose(total, regressor.predict(X), rtol=1e-9, atol=1e-9)


def test_names_and_pandas_output(rows):
    X, y = rows
    transformer = MultigeneTransformer(TINY, keep_features=True).set_output(transform="pandas").fit(X, y)
    frame = transformer.transform(X)
    assert list(frame.columns[:3]) == ["a", "b", "c"]
    assert list(frame.columns) == list(transformer.get_feature_names_out())
    assert frame.columns[3] == "gene0"
    pd.testing.assert_frame_equal(frame[["a", "b", "c"]], X)


def test_rows_without_a_finite_value_stay_usable():
    X = np.linspace(0.5, 3.0, 60)[:, None]
    regressor = clone(TINY).set_params(functions="log,exp,mul", configuration="baseline", generations=10)
    transformer = MultigeneTransformer(regressor).fit(X, np.log(X[:, 0]))
    wild = np.array([[-1.0], [0.0], [1e200], [-1e200]])
    assert np.isfinite(transformer.transform(wild)).all()


def test_in_a_pipeline_and_a_grid_search(rows):
    X, y = rows
    pipeline = make_pipeline(MultigeneTransformer(TINY), LinearRegression())
    search = GridSearchCV(
        pipeline, {"multigenetransformer__regressor__settings": [{"max_genes": 1}, {"max_genes": 4}]}, cv=2
    ).fit(X, y)
    assert search.best_score_ > 0.3


def test_several_targets_through_scikit_learn(rows):
    X, y = rows
    both = np.column_stack([y, X["a"] * X["b"]])
    model = MultiOutputRegressor(TINY).fit(X.to_numpy(), both)
    assert model.predict(X.to_numpy()).shape == both.shape
    assert [str(each.formula_) for each in model.estimators_][1] != str(model.estimators_[0].formula_)
    alone = clone(TINY).fit(X.to_numpy(), both[:, 1])
    np.testing.assert_array_equal(model.predict(X.to_numpy())[:, 1], alone.predict(X.to_numpy()))


def test_the_examples_of_the_documentation_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[2] / "docs" / "pipelines.md").read_text()
    space: dict = {}
    for block in text.split("```python\n")[1:]:
        exec(block.split("```")[0], space)
    assert space["pipeline"].score(space["X"], space["y"]) > 0.9
    assert space["classifier"].score(space["X"], space["inside"]) > 0.9

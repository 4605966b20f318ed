"""The SRBench adapter, called as SRBench's evaluate_model.py calls a method."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV, KFold, train_test_split

sympy = pytest.importorskip("sympy")
HOME = Path(__file__).parents[1] / "examples" / "srbench" / "regressor.py"


@pytest.fixture(scope="module")
def method():
    spec = importlib.util.spec_from_file_location("srbench_method", HOME)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.uniform(0.5, 2.0, (120, 3)), columns=["x_1", "theta", "E"])
    return train_test_split(X, X["x_1"] * np.sin(X["theta"]) + X["E"], train_size=0.75, random_state=3)


def test_a_whole_evaluation_with_tuning_by_halving(method, rows):
    X_train, X_test, y_train, y_test = rows
    est = clone(method.est)
    est.random_state = 42
    est.set_params(**method.eval_kwargs["test_params"])
    est.max_time = 2
    cv = KFold(n_splits=2, shuffle=True, random_state=42)
    search = HalvingGridSearchCV(
        est, cv=cv, param_grid=method.hyper_params, n_jobs=1, scoring="r2", error_score="raise"
    )
    search.fit(X_train, y_train)
    best = search.best_estimator_
    assert best.random_state == 42
    assert best.score(X_test, y_test) > 0.5
    assert method.complexity(best) == best.formula_.size


@pytest.mark.parametrize("as_frame", [True, False])
def test_the_symbolic_model_predicts_what_the_estimator_does(method, rows, as_frame):
    X_train, X_test, y_train, _ = rows
    est = clone(method.est).set_params(random_state=1, generations=10, max_time=20)
    est.fit(X_train if as_frame else X_train.to_numpy(), y_train.to_numpy())
    text = method.model(est, X_train)
    names = list(X_train.columns)
    symbols = {name: sympy.Symbol(name) for name in names}
    expression = sympy.parse_expr(text, local_dict=symbols)
    assert {str(s) for s in expression.free_symbols} <= set(names)
    compiled = sympy.lambdify([symbols[name] for name in names], expression, "numpy")
    expected = est.predict(X_test if as_frame else X_test.to_numpy())
    values = np.broadcast_to(compiled(*X_test.to_numpy().T), expected.shape)
    np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-9)


def test_array_columns_are_numbered(method, rows):
    X_train, _, y_train, _ = rows
    est = clone(method.est).set_params(random_state=1, generations=5)
    est.fit(X_train.to_numpy(), y_train.to_numpy())
    symbols = sympy.parse_expr(method.model(est)).free_symbols
    assert {str(s) for s in symbols} <= {"x0", "x1", "x2"}


def test_max_time_holds_and_parameters_stay_as_set(method, rows):
    X_train, _, y_train, _ = rows
    est = clone(method.est).set_params(random_state=0)
    est.max_time = 1.0
    before = est.get_params()
    noise = 0.1 * y_train.std() * np.random.default_rng(0).standard_normal(len(y_train))
    est.fit(X_train, y_train + noise)  # without noise the law may be found sooner
    assert est.fitted_.settings.stopping.seconds == pytest.approx(0.97)
    assert est.stopped_by_ == "time"
    assert est.get_params() == before


def test_the_same_random_state_gives_the_same_model(method, rows):
    X_train, _, y_train, _ = rows
    texts = [
        method.model(
            clone(method.est).set_params(random_state=7, generations=5).fit(X_train, y_train), X_train
        )
        for _ in range(2)
    ]
    assert texts[0] == texts[1]


def test_pre_train_sets_the_hours_of_the_benchmark(method):
    est = clone(method.est)
    method.pre_train(est, np.zeros((1000, 1)), np.zeros(1000))
    assert est.max_time == 3600
    method.pre_train(est, np.zeros((1001, 1)), np.zeros(1001))
    assert est.max_time == 36000

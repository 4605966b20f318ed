"""Input at the edge that works sensibly: constants, few rows, numbers beyond floating point, masks, weights of any size."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pandas as pd
import pytest
from input_cases import problem, quick

# --- works sensibly -------------------------------------------------------------------------------


def test_one_row():
    model = quick().fit([[1.0, 2.0]], [3.0])
    assert model.predict([[1.0, 2.0], [5.0, 5.0]]).tolist() == [3.0, 3.0]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_few_rows(n):
    X, y = problem(n=n)
    assert np.isfinite(quick().fit(X, y).predict(X)).all()


@pytest.mark.parametrize("constant", [0.0, 5.0, -1e300, 1e-300, 0.1])
def test_a_constant_target_gives_the_constant(constant):
    X, _ = problem()
    model = quick().fit(X, np.full(40, constant))
    assert model.predict(X * 100.0) == pytest.approx(np.full(40, constant), rel=1e-12)
    assert np.isfinite(model.r2_)
    assert str(model)
    assert len(model.equations_) >= 1


def test_constant_and_repeated_columns():
    X, y = problem()
    for extra in (np.zeros(40), np.full(40, 1e9), X[:, 0]):
        model = quick().fit(np.column_stack([X, extra]), y)
        assert model.r2_ > 0.3
        assert np.isfinite(model.predict(np.column_stack([X, extra]))).all()
    assert quick().fit(np.ones((40, 3)), y).predict(np.ones((40, 3))) == pytest.approx(np.full(40, y.mean()))


@pytest.mark.parametrize("of_features", [1e-300, 1e-150, 1e-30, 1.0, 1e30, 1e150, 1e300])
@pytest.mark.parametrize("of_target", [1e-300, 1e-150, 1.0, 1e150, 1e300])
@pytest.mark.parametrize("configuration", ["baseline", "UC", "GC"])
def test_scales(of_features, of_target, configuration):
    """In any units: no warning, finite predictions, an honest R², never worse than the mean; a linear
    law is found."""
    X, _ = problem()
    y = (X[:, 0] - 2.0 * X[:, 1]) * of_target
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = quick(configuration=configuration, generations=10).fit(X * of_features, y)
        found = model.predict(X * of_features)
    assert np.isfinite(found).all()
    assert np.isfinite(model.r2_)
    assert model.r2_ >= -1e-9
    explained = 1.0 - np.sum((found / of_target - y / of_target) ** 2) / np.sum(
        (y / of_target - np.mean(y / of_target)) ** 2
    )
    assert explained == pytest.approx(model.r2_, abs=1e-6)
    if 1e-290 < of_target / of_features < 1e290:  # beyond that the coefficient itself is no number
        assert model.r2_ > 0.5
    assert str(model)


def test_values_that_cannot_be_added_up():
    X, _ = problem()
    y = np.full(40, 1.7e308)
    y[0] = -1.7e308
    with pytest.raises(ValueError, match="too large to add up; divide"):
        quick().fit(X, y)


def test_whole_numbers_at_the_edge():
    rng = np.random.default_rng(0)
    X = rng.integers(np.iinfo(np.int64).min, np.iinfo(np.int64).max, size=(40, 2))
    y = rng.integers(0, 2, 40)
    for data in (X, X.astype(np.uint64), (X >> 56).astype(np.int8), [[10**40 + i, i] for i in range(40)]):
        model = quick().fit(data, y)
        assert np.isfinite(model.predict(data)).all()
    big = quick().fit(X, X[:, 0])
    assert big.r2_ > 0.99


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 300))
    assert np.isfinite(quick(configuration="UB").fit(X, X[:, 7]).predict(X)).all()


def test_prediction_far_outside():
    """Overflow outside the training rows is the formula's answer, not an error."""
    X, y = problem()
    model = quick().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(np.full((2, 3), 1e300)).shape == (2,)


def test_a_refused_fit_leaves_a_fitted_model_usable():
    X, y = problem()
    model = quick().fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="population_size"):
        model.set_params(settings={"population_size": -5}).fit(X, y)
    assert np.array_equal(model.predict(X), before)


# --- numbers beyond floating point, masks, weights of any size ------------------------------------


def test_whole_numbers_beyond_floating_point_are_refused_with_a_sentence():
    X, y = problem()
    huge = [10**400, *y[1:].tolist()]
    with pytest.raises(ValueError, match=r"The target holds a whole number .* beyond floating point"):
        quick().fit(X, huge)
    with pytest.raises(ValueError, match="Column 'a' is infinite in row 0"):
        quick().fit(pd.DataFrame({"a": huge, "b": y}), y)
    with pytest.raises(ValueError, match=r"X holds a whole number .* beyond floating point"):
        quick().fit(np.array([[-(10**400)]] * len(y), dtype=object), y)


def test_what_a_mask_hides_is_not_used():
    X, y = problem()
    hidden = np.ma.masked_array(X.copy(), mask=np.zeros(X.shape, dtype=bool))
    assert str(quick().fit(hidden, y).formula_) == str(quick().fit(X, y).formula_)
    hidden[3, 1] = np.ma.masked
    with pytest.raises(ValueError, match="NaN in row 3"):
        quick(settings={"missing": "error"}).fit(hidden, y)
    with pytest.raises(ValueError, match="NaN in row 3"):
        quick().fit(X, y).predict(hidden)
    target = np.ma.masked_array(np.where(np.arange(len(y)) == 5, 1e9, y), mask=np.arange(len(y)) == 5)
    with pytest.warns(UserWarning, match="Left out 1 row"):
        model = quick().fit(X, target)
    assert np.abs(model.predict(X)).max() < 1e6


@pytest.mark.parametrize("unit", [1e-323, 1e-300, 1e300])
def test_only_ratios_of_weights_count(unit):
    X, y = problem()
    ratios = np.random.default_rng(0).integers(1, 9, len(y)).astype(float)
    plain = quick().fit(X, y, ratios)
    scaled = quick().fit(X, y, unit * ratios)
    np.testing.assert_allclose(scaled.predict(X), plain.predict(X), rtol=1e-6, atol=1e-6)


def test_error_bars_of_any_size():
    X, y = problem()
    errors = np.ones(len(y))
    errors[0] = 1e-300
    assert np.isfinite(quick().fit(X, y, y_error=errors).predict(X)).all()


def test_a_number_of_threads_beyond_sense_is_a_sensible_one():
    from multigene.settings.resolve import threads

    assert threads(10**9) <= max(32, os.cpu_count() or 1)
    assert threads(3) == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "X is None; give a table"),
        ([[1.0, 2.0], [3.0]], "X has 2 values in row 0 and 1 in row 1"),
        ((row for row in [[1.0], [2.0]]), "X is a generator; give a list of rows"),
        ({1.0, 2.0}, "X is a set; give a list of rows"),
        (np.zeros(2, dtype=[("a", "f8"), ("b", "f8")]), r"array of records; give a table, .*DataFrame"),
        (pd.DataFrame(index=range(2)), "X has no columns"),
    ],
    ids=["nothing", "ragged", "generator", "set", "records", "no columns"],
)
def test_what_is_no_table_is_refused_with_a_sentence(given, said):
    with pytest.raises(ValueError, match=said):
        quick().fit(given, [1.0, 2.0])
    fitted = quick().fit([[1.0, 2.0], [3.0, 5.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match=said):
        fitted.predict(given)


def test_a_target_without_any_value_is_said():
    with pytest.raises(ValueError, match="The target is NaN in every row"):
        quick().fit([[1.0], [2.0]], [np.nan, np.nan])


def test_columns_whose_products_are_beyond_floating_point():
    """Their genes had no number in the user's units: 'The gene "…" cannot be read'."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (60, 3))
    y = X[:, 0] * X[:, 1] + 0.1 * rng.standard_normal(60)
    options = {
        "configuration": None,
        "generations": 2,
        "search": "accuracy",
        "settings": {"population_size": 20},
    }
    for features, target in ((1e200 * X, y), (1e200 * X, 1e-300 * y)):
        model = quick(**options).fit(features, target)
        assert np.isfinite(model.predict(features)).all()


def test_an_outlier_at_the_end_of_floating_point():
    X, y = problem()
    y = np.where(np.arange(len(y)) == 5, 1e308, y)
    with pytest.warns(UserWarning, match="1 of .* rows look like outliers"):
        model = quick(configuration=None, generations=2, search="accuracy").fit(X, y)
    assert model.outliers_ == [5]
    with pytest.raises(ValueError, match="The weight of row 0 is -1"):
        quick(configuration=None).fit(X, y, -np.ones(len(y)))


def test_a_target_in_a_table_beside_text_is_one_column():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=60), "kind": rng.choice(["a", "b"], 60)})
    y = pd.DataFrame({"y": X["x"] * 2.0 + (X["kind"] == "a")})
    with pytest.warns(UserWarning, match="1d array was expected"):
        quick().fit(X, y)
    with pytest.raises(ValueError, match="1d array"):
        quick().fit(X, y.assign(z=1.0))

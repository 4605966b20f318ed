"""Bad input: it either works sensibly, or there is one sentence that names the value and the remedy."""

from __future__ import annotations

import math
import os
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from multigene import MultigeneRegressor, Settings


def quick(**parameters):
    if not isinstance(parameters.get("settings"), Settings):
        parameters = {"configuration": "UB", **parameters}
    if isinstance(parameters.get("settings", {}), dict):
        parameters["settings"] = {"population_size": 30, **parameters.get("settings", {})}
    return MultigeneRegressor(**{"generations": 6, "n_jobs": 1, "random_state": 0, **parameters})


def problem(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] ** 2 + X[:, -1]


def with_entry(value, row=3, column=1):
    X, y = problem()
    X[row, column] = value
    return X, y


# --- refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(value):
    X, y = problem()
    bad = y.copy()
    bad[5] = value
    kind = "NaN" if np.isnan(value) else "infinite"
    with pytest.raises(ValueError, match=f"Column 1 of X is {kind} in row 3; fill"):
        quick(settings={"missing": "error"}).fit(*with_entry(value))
    with pytest.raises(ValueError, match=f"The target is {kind} in row 5; fill"):
        quick(settings={"missing": "error"}).fit(X, bad)
    model = quick().fit(X, y)
    with pytest.raises(ValueError, match=f"Column 1 of X is {kind} in row 3; fill"):
        model.predict(with_entry(value)[0])
    weights = np.ones(len(y))
    weights[2] = value
    with pytest.raises(ValueError, match=r"NaN|infinity|weight"):
        quick().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_missing_value_is_named_by_its_column(frame):
    X, y = with_entry(np.nan)
    table = frame(dict(zip("abcdef", X.T, strict=False)))
    with pytest.raises(
        ValueError, match=r"^Column 'b' is NaN in row 3; fill the value in or leave the row out\.$"
    ):
        quick(settings={"missing": "error"}).fit(table, y)


def test_complex_numbers_are_refused_in_one_sentence():
    X, y = problem()
    with pytest.raises(ValueError, match="Complex data not supported: X holds") as refusal:
        quick().fit(X + 1j, y)
    assert len(str(refusal.value)) < 200


def test_weights_by_name_are_refused():
    with pytest.raises(ValueError, match=r"sample_weight holds 'balanced'.*one number per row"):
        quick().fit(*problem(), sample_weight="balanced")


def test_a_callback_that_cannot_be_called():
    with pytest.raises(ValueError, match="callback='loud' cannot be called"):
        quick().fit(*problem(), callback="loud")


@pytest.mark.parametrize("configuration", [None, "UB"])
def test_unknown_functions_are_refused_by_every_search(configuration):
    """By the default search too, which may find an exact law before any function is drawn."""
    X, _ = problem()
    for functions, said in (
        (["add", "sine"], "Did you mean 'sin'"),
        (["add", "qqq"], 'no function "qqq"; take one of'),
        ({"hill": "x**2/(1+z)"}, 'unknown variable "z"'),
    ):
        model = MultigeneRegressor(configuration, generations=2, functions=functions, random_state=0)
        with pytest.raises(ValueError, match=re.escape(said)):
            model.fit(X, 2.0 * X[:, 0])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_text_in_a_column(frame):
    X, y = problem()
    table = frame({"size": X[:, 0], "city": ["Prague"] * 39 + ["Brno"]})
    assert "city" in quick().fit(table, y).feature_names_in_
    with pytest.raises(ValueError, match="X holds 'Prague', which is not a number"):
        quick().fit(
            np.array([["Prague", 1.0]] * 40, dtype=object), y
        )  # an array has no names to tell columns by
    fitted = quick().fit(frame({"size": X[:, 0], "city": X[:, 1]}), y)
    with pytest.raises(ValueError, match="Column 'city' holds 'Prague'"):
        fitted.predict(table)


def test_text_elsewhere():
    X, y = problem()
    table = pd.DataFrame({"a": X[:, 0], "mixed": np.array([1.0] * 39 + ["n/a"], dtype=object)})
    with pytest.raises(ValueError, match="Column 'mixed' holds 'n/a'"):
        quick().fit(table, y)
    with pytest.raises(ValueError, match=r"X holds .*high.*, which is not a number"):
        quick().fit([[1.0, "high"], [2.0, "low"]], [1.0, 2.0])
    with pytest.raises(ValueError, match="X holds 'a', which is not a number"):
        quick().fit(np.array([["a"], [1.0]], dtype=object), [1.0, 2.0])
    for target in (
        ["yes"] * 40,
        np.array(["yes"] * 40),
        pd.Series(["yes"] * 40),
        np.array(["yes"] * 40, dtype=object),
    ):
        with pytest.raises(ValueError, match=r"The target holds .*yes.*, which is not a number"):
            quick().fit(X, target)


def test_dates():
    X, y = problem()
    dates = pd.date_range("2024-01-01", periods=40)
    for column in (dates, dates.tz_localize("UTC"), pd.Series(dates.date, dtype=object)):
        names = quick().fit(pd.DataFrame({"a": X[:, 0], "when": column}), y).fitted_.names
        assert "days(when since 2024-01-01)" in names
    assert quick().fit(pd.DataFrame({"a": X[:, 0], "when": dates - dates[0]}), y).n_features_in_ == 2
    with pytest.raises(ValueError, match="The target holds 2024-01-01"):
        quick().fit(X, dates.to_numpy())


def test_numbers_written_as_text_are_numbers():
    X, y = problem()
    table = pd.DataFrame({"a": [str(v) for v in X[:, 0]], "b": X[:, 1]})
    assert np.array_equal(quick().fit(table, y).predict(table), quick().fit(X[:, :2], y).predict(X[:, :2]))


def test_complex_numbers():
    X, y = problem()
    with pytest.raises(ValueError, match="Complex data not supported"):
        quick().fit(X + 1j, y)


def test_missing_values_of_pandas():
    X, y = problem()
    for column in (pd.array([1, None] * 20, dtype="Int64"), [None, 1.0] * 20, [pd.NA, 1.0] * 20):
        with pytest.raises(ValueError, match=r"NaN|NA"):
            quick(settings={"missing": "error"}).fit(pd.DataFrame({"a": X[:, 0], "b": column}), y)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.empty((0, 3)), np.empty(0)),
        (np.empty((5, 0)), np.zeros(5)),
        ([], []),
        ([[]], [1.0]),
        (None, [1.0]),
        (5.0, 5.0),
        (np.zeros(5), np.zeros(5)),
        (np.zeros((5, 2, 2)), np.zeros(5)),
        ([[1.0, 2.0], [3.0]], [1.0, 2.0]),
    ],
    ids=str,
)
def test_empty_and_misshapen(X, y):
    with pytest.raises(ValueError, match=r"\w+ \w+ \w+"):
        quick().fit(X, y)


def test_lengths():
    X, y = problem()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        quick().fit(X, y[:-1])
    with pytest.raises(ValueError, match=r"sample_weight.*shape"):
        quick().fit(X, y, sample_weight=np.ones(39))
    with pytest.raises(ValueError, match="1d array"):
        quick().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="requires y"):
        quick().fit(X, None)


def test_row_weights():
    X, y = problem()
    negative = np.ones(40)
    negative[7] = -2.0
    with pytest.raises(ValueError, match=r"weight of row 7 is -2; weights must be finite and not negative"):
        quick().fit(X, y, sample_weight=negative)
    with pytest.raises(ValueError, match=r"[Ww]eights.*zero|zero.*weight"):
        quick().fit(X, y, sample_weight=np.zeros(40))
    with pytest.raises((ValueError, TypeError), match=r".+"):
        quick().fit(X, y, sample_weight="heavy")


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_matrix])
def test_sparse(kind):
    X, y = problem()
    with pytest.raises(TypeError, match=r"Sparse data was passed.*toarray"):
        quick().fit(kind(X), y)
    with pytest.raises(TypeError, match="Sparse"):
        quick().fit(X, y).predict(kind(X))


@pytest.mark.parametrize(
    ("functions", "sentence"),
    [
        (["add", "sine"], 'no function "sine".*take one of'),
        ([], "function set is empty"),
        (["sin", "sin"], "named twice"),
        (5, "functions=5"),
        (["pow1"], 'no function "pow1"'),
        (["pow99"], 'no function "pow99"'),
        ({"sin": "x+1"}, "cannot be named"),
        ({"f": "x +"}, "cannot be read"),
        ({"f": "3"}, "uses neither x nor y"),
        ({"f": "z*2"}, "cannot be read"),
        ({"f": "import os"}, "cannot be read"),
        ({"add": 0}, "Function 'add' has the value 0"),
        ({"2f": "x"}, "cannot be named"),
        ("add, plus", 'no function "plus"'),
        ({"f": "(" * 1500 + "x" + ")" * 1500}, "cannot be read|nested"),
        ({"f": "(" * 5000 + "x" + ")" * 5000}, "longer than 4000 characters"),
        ({"add": [1]}, "Function 'add'"),
        ([""], "no function"),
    ],
)
def test_functions(functions, sentence):
    with pytest.raises(ValueError, match=sentence):
        quick(functions=functions).fit(*problem())


class Odd:
    """An object of no use; its repr, unlike that of `object()`, is the same in every process."""

    def __repr__(self):
        return "Odd()"


NONSENSE = ["text", -1, 0, 2.5, math.nan, math.inf, [], {}, Odd(), 10**30, -(10**30), b"x", (1, 2), True]
SETTINGS = ["population_size", "max_genes", "max_depth", "max_nodes"]
PARAMETERS = ["generations", "time_limit", "n_jobs", "random_state"]
SENSIBLE = {
    ("time_limit", 2.5),
    ("n_jobs", -1),
    ("n_jobs", 10**30),
    ("n_jobs", -(10**30)),
    ("random_state", 0),
    ("random_state", 10**30),
    ("random_state", True),
}


@pytest.mark.parametrize("name", [*PARAMETERS, *SETTINGS])
@pytest.mark.parametrize("value", NONSENSE, ids=repr)
def test_nonsense_in_every_parameter(name, value):
    model = quick(**({"settings": {name: value}} if name in SETTINGS else {name: value}))
    if (name, value if isinstance(value, int | float) else None) in SENSIBLE and not (
        value is True and name != "random_state"
    ):
        model.fit(*problem())
        return
    with pytest.raises(ValueError, match=f"{name}=") as error:
        model.fit(*problem())
    sentence = str(error.value)
    assert sentence.endswith(".")
    assert "give" in sentence or "take" in sentence


@pytest.mark.parametrize("value", [5, "text", [], [("a", 1)], Odd()], ids=repr)
def test_nonsense_settings(value):
    with pytest.raises(ValueError, match=r"is neither a multigene.Settings nor a dict"):
        quick(settings=value).fit(*problem())


@pytest.mark.parametrize("value", [5, "ub", "", [], Odd()], ids=repr)
def test_nonsense_configuration(value):
    with pytest.raises(ValueError, match=r"There is no configuration .*take one of baseline"):
        quick(configuration=value).fit(*problem())


@pytest.mark.parametrize(
    "settings",
    [
        {"elites": 30},
        {"elites": 99},
        {"initial_depth": 20},
        {"crossover": 1.0, "mutation": 0.5},
        {"no_such": 1},
        {"max_genes": "many"},
        {"constant_range": (5, 1)},
        {"rule": "sgd"},
        {"lcf_birth": "warm"},
        {"lcf": "both"},
        {"weights_sigma": -1.0},
    ],
)
def test_contradictory_settings(settings):
    with pytest.raises(ValueError, match=r"give|take|lower|exchange|did you mean|lists"):
        quick(settings=settings).fit(*problem())


def test_time_limit_and_generations_together():
    X, y = problem()
    y = y + np.random.default_rng(1).normal(size=len(y))  # noise, so that nothing explains the target before
    assert quick(generations=2, time_limit=60.0).fit(X, y).stopped_by_ == "generations"


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

"""Bad input: it either works sensibly, or there is one sentence that names the value and the remedy."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from input_cases import problem, quick, with_entry

from multigene import MultigeneRegressor

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


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0, np.nan] + [1.0] * 28, "sample_weight is nan in row 1; give every row a number"),
        ([0.0] * 30, "zero in every row"),
    ],
)
def test_weights_that_tell_nothing(weights, said):
    X = np.arange(30.0)[:, None]
    with pytest.raises(ValueError, match=said):
        MultigeneRegressor(generations=1).fit(X, X[:, 0], sample_weight=weights)

"""Arrays and DataFrames in: names, text that is refused, summaries, rows that are spread evenly.

What `fit` and `predict` say about bad input is tested in `tests/test_bad_input.py`.
"""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from multigene.data.arrays import column_names, data_summary, target_name
from multigene.data.refusals import refuse_text
from multigene.data.spread import evenly, spread_rows


def test_names() -> None:
    assert column_names(np.zeros((2, 2))) is None
    assert column_names(pd.DataFrame({"a": [1], "b": [2]})) == ["a", "b"]
    assert column_names(pl.DataFrame({"a": [1]})) == ["a"]
    assert column_names(pd.DataFrame([[1, 2]])) is None
    with pytest.raises(ValueError, match="Column 'a' appears 2 times"):
        column_names(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    assert target_name(pd.Series([1.0], name="power")) == "power"
    assert target_name([1.0]) == target_name(pd.Series([1.0])) == "y"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (pd.DataFrame({"a": ["red"]}), "Column 'a' holds 'red', which is not a number; drop the column"),
        (np.array([["1", "x"]]), "X holds 'x'"),
        ([datetime.date(2020, 1, 1)], "X holds 2020-01-01"),
        (np.array([1 + 2j]), "Complex data not supported"),
        (pd.DataFrame({"a": pd.array([1, None], dtype="object")}).replace({None: pd.NA}), "holds NA"),
    ],
)
def test_text_is_refused(values: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        refuse_text(values)


def test_numbers_as_text_are_left_alone() -> None:
    refuse_text(np.array([["1", "2.5e3"]]))
    refuse_text([[1, 2], [3]])  # ragged: scikit-learn says so


def test_summary() -> None:
    X, y = np.array([[1.0, 5.0], [2.0, 3.0]]), np.array([0.0, 4.0])
    assert data_summary(None, X, y, 4.0) == {
        "rows": 2,
        "target_variance": 4.0,
        "target_range": [0.0, 4.0],
        "ranges": {"x0": [1.0, 2.0], "x1": [3.0, 5.0]},
    }
    assert data_summary(["a", "b"], X, y, np.inf)["target_variance"] is None


def test_some_rows_lie_at_equal_distances() -> None:
    assert evenly(9, 3).tolist() == [0, 4, 8]
    assert evenly(3, 9).tolist() == [0, 1, 2]


def test_rows_are_spread_over_the_target() -> None:
    y = np.random.default_rng(0).permutation(1000).astype(float)
    rows = spread_rows(y, 11)
    assert sorted(y[rows]) == pytest.approx(np.linspace(0.0, 999.0, 11), abs=0.6)
    assert rows.tolist() == sorted(rows)
    assert spread_rows(y[:5], 11).tolist() == [0, 1, 2, 3, 4]

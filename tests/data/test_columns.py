"""Target and features of a table, and their values as numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from multigene.data.columns import Columns, choose_columns, expand, numbers, raw_rows
from multigene.data.table import Table


def table(**columns: object) -> Table:
    return Table(pd.DataFrame(columns), "data.csv", first_line=2)


ROWS = table(y=[1.0, 2.0], x1=[3.0, 4.0], x2=[5.0, 6.0], z=[7.0, 8.0])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, Columns("y", ("x1", "x2", "z"), "the target is column 'y', by its name")),
        ({"target": "z"}, Columns("z", ("y", "x1", "x2"))),
        ({"target": "y", "features": ["x*"]}, Columns("y", ("x1", "x2"))),
        ({"target": "y", "features": ["z,x1"]}, Columns("y", ("z", "x1"))),
        ({"target": "y", "exclude": ["x?"]}, Columns("y", ("z",))),
    ],
)
def test_columns_are_chosen(options: dict[str, object], expected: Columns) -> None:
    assert choose_columns(ROWS, **options) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": "x"}, "has no column 'x'; did you mean"),
        ({"target": "y", "exclude": ["y"]}, "cannot be excluded"),
        ({"target": "y", "features": ["y", "z"]}, "cannot be a feature too"),
        ({"target": "y", "exclude": ["x*", "z"]}, "No column is left"),
        ({"target": "y", "features": ["q*"]}, r"has no column 'q\*'"),
    ],
)
def test_mistakes_are_named(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        choose_columns(ROWS, **options)  # type: ignore[arg-type]


def test_the_target_is_guessed_only_where_it_is_clear() -> None:
    with pytest.raises(ValueError, match="Both 'y' and 'label' could be the target"):
        choose_columns(table(y=[1.0], label=[2.0], a=[3.0]))
    with pytest.raises(ValueError, match=r"Say which column .* has 'a', 'b'"):
        choose_columns(table(a=[1.0], b=[2.0]))


def test_wildcards_give_each_column_once() -> None:
    assert expand(["x*", "x1", "z"], ["x1", "x2", "z"], "data.csv") == ["x1", "x2", "z"]
    assert expand(["a,b"], ["a,b", "a"], "data.csv") == ["a,b"]


def test_numbers() -> None:
    frame, dropped = numbers(table(a=["1", "2.5"], b=[True, False]), ["a", "b"])
    assert frame.to_dict("list") == {"a": [1.0, 2.5], "b": [1.0, 0.0]}
    assert dropped == 0


def test_rows_without_a_value() -> None:
    rows = table(a=[1.0, np.nan, 3.0], b=[1.0, 2.0, np.nan])
    with pytest.raises(
        ValueError, match=r"'a' has no value in row 2 \(line 3\) of data.csv \(and 1 more rows"
    ):
        numbers(rows, ["a", "b"])
    frame, dropped = numbers(rows, ["a", "b"], drop_missing=True)
    assert (frame["a"].tolist(), dropped) == ([1.0], 2)
    with pytest.raises(ValueError, match=r"Every row of data\.csv lacks a value"):
        numbers(table(a=[np.nan]), ["a"], drop_missing=True)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["1", "two"], "holds 'two' in row 2 .* which is not a number"),
        (["1,5", "2,5"], "give --decimal ','"),
        ([1.0, np.inf], "is infinite in row 2"),
        ([1, 10**400], "is infinite in row 2"),
        ([1, 1 + 2j], "complex numbers"),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), "which is not a number"),
    ],
)
def test_what_is_no_number_is_named(values: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        numbers(table(a=values), ["a"])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            ["yes", "no", "yes"],
            r"'b' holds 'yes' in row 1 .* no number anywhere \('yes', 'no'\); .* --task classification",
        ),
        (["low", "high", "mid"], "give --task classification to tell classes apart"),
        (["1", "two", "3"], "holds 'two' in row 2"),
    ],
)
def test_a_target_of_text_is_refused_with_a_way_out(values: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        raw_rows(table(a=[1.0, 2.0, 3.0], b=values), Columns("b", ("a",)))

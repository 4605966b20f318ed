"""What a table is like: kinds, gaps, outliers, duplicates, copies of the target."""

from __future__ import annotations

import numpy as np
import pandas as pd

from multigene.data.look import leaks, look
from multigene.data.table import Table


def test_a_table_with_every_trouble() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=100)
    frame = pd.DataFrame(
        {
            "id": np.arange(100),
            "y": y,
            "copy": y,
            "twin": np.exp(y),
            "gaps": np.where(np.arange(100) < 7, np.nan, rng.normal(size=100)),
            "far": np.where(np.arange(100) == 5, 1e6, rng.normal(size=100)),
            "sentinel": np.where(np.arange(100) < 3, -999.0, rng.uniform(size=100)),
            "town": rng.choice(["Brno", "Praha"], 100),
            "words": [f"text {i}" for i in range(100)],
            "when": pd.date_range("2024-01-01", periods=100),
            "flag": rng.uniform(size=100) > 0.5,
            "same": 1.0,
            "none": np.full(100, np.nan),
        }
    )
    found = look(Table(pd.concat([frame, frame.iloc[[3]]]), "t.csv", units={"far": "mm"}), "y")
    kinds = {column.name: column for column in found.columns}
    assert found.duplicates == 1
    assert "1 row repeats an earlier one" in found.remarks
    assert [c.kind for c in found.columns] == [
        *["number"] * 7, "category", "text", "date", "yes or no", "number", "empty",
    ]  # fmt: skip
    assert kinds["gaps"].gaps == 8
    assert kinds["far"].outliers == 1
    assert kinds["far"].unit == "mm"
    assert kinds["copy"].remarks == ("is a copy of 'y'",)
    assert kinds["twin"].remarks == ("orders the rows as 'y' does; it may be made of it",)
    assert kinds["town"].remarks == ()
    assert "is the same in every row" in kinds["same"].remarks
    assert any("may mean a gap" in remark for remark in kinds["sentinel"].remarks)
    assert look(Table(frame, "t.csv")).as_dict()["columns"][0]["remarks"] == [
        "numbers the rows; a fit leaves it out"
    ]
    renamed = look(Table(frame.rename(columns={"id": "step"}), "t.csv"))
    assert renamed.columns[0].remarks == ("counts the rows",)


def test_what_may_be_made_of_the_target() -> None:
    rng = np.random.default_rng(1)
    y = rng.uniform(1.0, 9.0, 300)
    frame = pd.DataFrame(
        {
            "copy": y,
            "euros": y * 0.93,
            "noisy copy": y + 0.001 * rng.normal(size=300),
            "falling": 1.0 / y,
            "grade": [f"class {int(10 * value)}" for value in y],
            "near": y + 0.5 * rng.normal(size=300),
            "flag": y > 5.0,
            "when": pd.date_range("2024-01-01", periods=300),
            "y": y,
        }
    )
    told = leaks(frame, "y")
    assert told == {
        "copy": "is a copy of 'y'",
        "euros": "is 'y' times a number, or nearly so; it may be made of it",
        "noisy copy": "is 'y' times a number, or nearly so; it may be made of it",
        "falling": "orders the rows as 'y' does; it may be made of it",
    }
    rounded = frame.assign(y=(10 * y).astype(int))
    assert leaks(rounded[["grade", "near", "y"]], "y") == {
        "grade": "has one value of 'y' for each of its texts; it may be made of it"
    }
    assert leaks(frame[["falling", "y"]], "y") == {}  # one column that tells all is a law to be found
    assert leaks(frame.iloc[:9], "y") == {}


def test_texts_that_are_dates_are_dates() -> None:
    moments = pd.date_range("2024-01-01", periods=40)
    [column, _] = look(
        Table(pd.DataFrame({"when": moments.strftime("%d/%m/%Y"), "x": range(40)}), "t.csv")
    ).columns
    assert (column.kind, column.values) == ("date", "2024-01-01 … 2024-02-09")
    assert column.remarks == ("is read with the day first",)

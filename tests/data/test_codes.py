"""Digits with zeros before them: codes stay text, from the file to the model and to rows to predict."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from multigene import MultigeneRegressor
from multigene.cli import app
from multigene.data.codes import are_codes
from multigene.data.reading import read_table
from multigene.data.table import Dialect

ZIPS = ["01067", "80331", "04109", "10115", "20095"]


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        (ZIPS, True),
        (["02134"], True),
        (["0012345678905", "4006381333931"], True),
        (["01", "02", "11"], False),  # months
        (["80331", "10115"], False),
        (["01067", "8033"], False),
        (["01067", "8033x"], False),
        ([f"{i:05d}" for i in range(30)], False),  # padded
        (["0.12", "1.20"], False),
    ],
)
def test_codes_have_as_many_digits_each_and_zeros_before_some(texts: list[str], codes: bool) -> None:
    assert are_codes(texts, "x") is codes


def test_three_digits_are_codes_by_their_columns_name_alone() -> None:
    texts = ["012", "150", "330"]
    assert [are_codes(texts, name) for name in ("angle", "area_code", "Station ID")] == [False, True, True]


def read(text: str) -> pd.DataFrame:
    return read_table("-", None, io.BytesIO(text.encode())).frame


def test_a_file_keeps_the_zeros_of_codes_and_says_so() -> None:
    found = read_table("-", None, io.BytesIO(b"zip;x\n01067;1,5\n;2,5\n80331;3\n"))
    assert found.frame["zip"].fillna("").tolist() == ["01067", "", "80331"]
    said = "'zip' read with the zeros before its digits, as codes (--as-it-is takes the numbers)"
    assert said in found.notes


def test_months_padded_numbers_and_times_stay_numbers() -> None:
    assert read("month,y\n01,1\n02,2\n11,3\n")["month"].tolist() == [1, 2, 11]
    assert read("time,y\n0930,1\n1015,2\n1130,3\n")["time"].tolist() == [930, 1015, 1130]
    padded = "".join(f"{i:04d},{i}\n" for i in range(40))
    assert read("n,y\n" + padded)["n"].tolist() == list(range(40))


def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    place, x = rng.integers(0, 5, 120), rng.uniform(0.0, 5.0, 120).round(3)
    y = (2.0 * x + np.array([0.0, 9.0, 1.0, 4.0, 6.0])[place] + 0.1 * rng.normal(size=120)).round(3)
    return pd.DataFrame({"zip": np.array(ZIPS)[place], "x": x, "y": y})


def test_codes_are_levels_of_a_model() -> None:
    table = rows()
    model = MultigeneRegressor(generations=3, random_state=0, n_jobs=1).fit(table[["zip", "x"]], table["y"])
    assert 'zip == "01067"' in str(model.formula_)


def test_rows_to_predict_are_read_as_the_model_was(tmp_path: Path) -> None:
    """Also where no code of theirs, or every one, has a zero before it."""
    table = rows()
    table.to_csv(tmp_path / "train.csv", index=False)
    arguments = ["--target", "y", "--generations", "3", "--save", str(tmp_path / "model.json")]
    done = CliRunner().invoke(app, ["fit", str(tmp_path / "train.csv"), *arguments])
    assert done.exit_code == 0, done.output
    for codes, expected in ((["80331", "10115"], [11.0, 6.0]), (["01067"], [2.0])):
        pd.DataFrame({"zip": codes, "x": 1.0}).to_csv(tmp_path / "new.csv", index=False)
        told = CliRunner().invoke(app, ["predict", str(tmp_path / "model.json"), str(tmp_path / "new.csv")])
        assert told.exit_code == 0, told.output
        values = [float(line) for line in told.stdout.split() if line != "prediction"]
        assert values == pytest.approx(expected, abs=0.3)


@pytest.mark.parametrize(
    ("texts", "law"),
    [
        ([f"{i % 1000:03d}" for i in range(7, 200 * 37, 37)], "0.01*x"),  # evenly spread over their width
        ([f"{i:05d}" for i in range(123, 100_000, 499)], "0.01*x"),  # long ones that differ in every row
        ([f"{15 * (i % 24):03d}" for i in range(200)], "sin(0.01745*x)"),
    ],
)
def test_measured_values_of_one_width_stay_numbers(tmp_path: Path, texts: list[str], law: str) -> None:
    x = np.array(texts, dtype=float)[:200]
    y = 0.01 * x if "sin" not in law else np.sin(np.radians(x))
    pd.DataFrame({"x": texts[:200], "y": y}).to_csv(tmp_path / "t.csv", index=False)
    arguments = ["--target", "y", "--generations", "3", "--save", str(tmp_path / "model.json")]
    done = CliRunner().invoke(app, ["fit", str(tmp_path / "t.csv"), *arguments])
    assert done.exit_code == 0, done.output
    assert "codes" not in done.output
    assert law in done.output


def test_codes_can_be_had_as_numbers() -> None:
    dialect = Dialect(as_it_is=("zip",))
    found = read_table("-", dialect, io.BytesIO(b"zip,x\n01067,1\n80331,3\n"))
    assert found.frame["zip"].tolist() == [1067, 80331]
    assert not found.notes

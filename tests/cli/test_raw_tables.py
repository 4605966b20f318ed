"""Raw tables on the command line: text, dates and gaps from file to prediction, export and report."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
from cli_cases import run

QUICK = ("--generations", "8", "--search", "accuracy", "--seed", "0")


def make(folder) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 200
    table = pd.DataFrame(
        {
            "size": rng.uniform(20, 120, n).round(1),
            "region": rng.choice(["north", "south", "west"], n),
            "day": (pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")).strftime(
                "%d.%m.%Y"
            ),
        }
    )
    table["price"] = 3 * table["size"] + 40 * (table["region"] == "north") + rng.normal(0, 2, n)
    table.loc[::17, "size"] = np.nan
    table.loc[3, "price"] = np.nan
    table.to_csv(folder / "sales.csv", index=False)
    return table


def test_from_a_raw_file_to_predictions_exports_and_reports(here):
    table = make(here)
    fit = run("fit", "sales.csv", "-t", "price", *QUICK, "--save", "raw.json", "--json", "--holdout", "0.2")
    assert fit.exit_code == 0, fit.stderr
    assert "left out 1 row of sales.csv without a target" in fit.stderr
    assert "gaps of 'size' are filled by" in fit.stderr
    found = json.loads(fit.stdout)
    assert found["features"] == ["size", "region", "day"]
    assert "region ==" in found["formula"]
    table.head(3).assign(region=["east", "north", "south"]).to_csv(here / "new.csv", index=False)
    predicted = run("predict", "raw.json", "new.csv")
    assert "has the level 'east', which the training rows did not have" in predicted.stderr
    assert len(predicted.stdout.split()) == 4
    assert "CASE WHEN" in run("export", "raw.json", "--format", "sqlite").stdout
    table.dropna().to_csv(here / "whole.csv", index=False)
    assert run("report", "raw.json", "whole.csv", "-o", "raw.html").exit_code == 0
    assert "has no column 'size', which the formula uses" in run("predict", "raw.json", "good.csv").stderr


def test_a_messy_table_from_look_to_prediction(here):
    """Numbers of rows, two ways to write dates, spellings, a column without a value, gaps that training rows did not have."""
    rng = np.random.default_rng(1)
    n = 240
    day = pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    size = rng.uniform(20, 120, n).round(1)
    region = rng.choice(["north", "NORTH", "north ", "south", "west"], n)
    price = 3 * size + 40 * np.isin(region, ["north", "NORTH", "north "]) + rng.normal(0, 2, n)
    table = pd.DataFrame(
        {
            "Bestell-Nr": np.arange(n) + 1000,
            "größe [m²]": np.where(np.arange(n) % 20 == 0, "?", size.astype(str)),
            "region": region,
            "day": np.where(np.arange(n) % 3 == 0, day.strftime("%d.%m.%Y"), day.strftime("%Y-%m-%d")),
            "discount": [f"{each} %" for each in rng.integers(0, 20, n)],
            "empty": "",
            "price": [f"{each:.2f} €" for each in price],
        }
    )
    table.to_csv(here / "messy.csv", index=False)
    looked = run("look", "messy.csv", "-t", "price").stdout
    assert "'Bestell-Nr' numbers the rows; a fit leaves it out" in looked
    assert "'day' is read with the day first" in looked
    fit = run("fit", "messy.csv", "-t", "price", *QUICK, "--save", "messy.json", "--json")
    assert fit.exit_code == 0, fit.stderr
    formula = json.loads(fit.stdout)["formula"]
    assert "Bestell" not in formula
    assert all(spelling in formula for spelling in ('"north"', '"NORTH"', '"north "')) or "south" in formula
    new = table.head(4).drop(columns="price").assign(discount=["1 %", "", "3 %", ""])
    new.to_csv(here / "new.csv", index=False)
    predicted = run("predict", "messy.json", "new.csv")
    if "discount" in formula:
        assert "'discount' has no value in row 2" in predicted.stderr
        predicted = run("predict", "messy.json", "new.csv", "--drop-missing")
    assert predicted.exit_code == 0, predicted.stderr


def test_a_gap_that_training_rows_did_not_have_is_refused_with_its_line(here):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.normal(size=60), "kind": rng.choice(["u", "v"], 60)})
    frame.assign(y=3 * frame["a"] + (frame["kind"] == "u")).to_csv(here / "whole.csv", index=False)
    assert run("fit", "whole.csv", "-t", "y", *QUICK, "--save", "two.json").exit_code == 0
    (here / "gap.csv").write_text("a,kind\n1,u\n2,v\n,u\n")
    refused = run("predict", "two.json", "gap.csv")
    assert (
        "Column 'a' has no value in row 3 (line 4) of gap.csv, and the training rows had no gaps"
        in refused.stderr
    )
    left = run("predict", "two.json", "gap.csv", "--drop-missing")
    assert len(left.stdout.split()) == 3
    (here / "gap.csv").write_text("a,kind\n1,u\n2,\n,u\n")  # without its kind a row can be predicted
    left = run("predict", "two.json", "gap.csv", "--drop-missing", "--keep")
    assert pd.read_csv(io.StringIO(left.stdout))["a"].tolist() == [1, 2], left.stderr


def test_rows_with_gaps_can_be_left_out(here):
    make(here)
    said = run("fit", "sales.csv", "-t", "price", "--drop-missing", *QUICK).stderr
    assert "left out 12 rows of sales.csv without a value" in said


def test_parquet_larger_than_the_setting_is_read_in_pieces(here):
    rng = np.random.default_rng(0)
    folder = here / "pieces"
    folder.mkdir(exist_ok=True)
    for number in range(2):
        x = rng.uniform(-2, 2, (40_000, 2))
        y = x[:, 0] ** 2 + x[:, 1] + 0.2 * rng.normal(size=len(x))
        pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": y}).to_parquet(
            folder / f"{number}.parquet", index=False
        )
    small = ("--set", "memory_megabytes=1", "--save", "pieces.json", "--json")
    result = run("fit", "pieces", "-t", "y", *QUICK, *small)
    assert "works on 3333 of 80000 rows, drawn evenly" in result.stderr
    found = json.loads(result.stdout)
    assert found["all_rows"]["rows"] == 80_000
    assert found["all_rows"]["r2"] > 0.9
    assert json.loads((here / "pieces.json").read_text())["data"]["rows"] == 80_000
    refused = run("fit", "pieces", "-t", "y", "--holdout", "0.2", *QUICK, *small)
    assert "--holdout needs the whole table in memory" in refused.stderr


def test_other_regressors_get_raw_tables_prepared(here):
    make(here)
    result = run("compare", "sales.csv", "multigene", "linear", "tree", "-t", "price", "-g", "4", "--json")
    assert result.exit_code == 0, result.stderr
    scores = {row["name"]: row["test_r2"] for row in json.loads(result.stdout)["results"]}
    assert scores["linear"] > 0.5
    assert scores["multigene"] > 0.5


def test_text_among_numbers_is_refused_with_its_line(here):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.normal(size=60), "kind": rng.choice(["u", "v"], 60)})
    frame.assign(y=3 * frame["a"] + (frame["kind"] == "u")).to_csv(here / "all.csv", index=False)
    assert run("fit", "all.csv", "-t", "y", *QUICK, "--save", "all.json").exit_code == 0
    (here / "text.csv").write_text("a,kind\n1,u\n2,v\nabc,u\n")
    refused = run("predict", "all.json", "text.csv")
    assert refused.exit_code == 2
    assert "Column 'a' holds 'abc' in row 3 (line 4) of text.csv, which is not a number" in refused.stderr

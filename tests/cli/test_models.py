"""What commands do with a model: predict, show, export, compare, report."""

from __future__ import annotations

import io
import json
import re
import shlex
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")
from cli_cases import QUICK, exact, run, xy
from report_cases import unpacked

import multigene
import multigene.model_file
from multigene.words import among, anatomy


def test_predict_writes_what_the_model_predicts(here, tmp_path):
    X, _ = xy("test.csv")
    expected = multigene.load("model.json").predict(X)
    printed = run("predict", "model.json", "test.csv")
    read = exact(io.StringIO(printed.stdout))
    np.testing.assert_array_equal(read["prediction"], expected)
    assert "against 'y': R²" in printed.stderr
    assert run("predict", "model.json", "test.csv", "-k", "-o", tmp_path / "out.parquet").stdout == ""
    kept = pd.read_parquet(tmp_path / "out.parquet")
    assert list(kept.columns) == ["x1", "x2", "y", "prediction"]
    np.testing.assert_array_equal(kept["prediction"], expected)
    found = json.loads(run("predict", "model.json", "test.csv", "--json").stdout)
    np.testing.assert_array_equal(found["prediction"], expected)


def test_predict_reads_columns_by_name(here, tmp_path):
    frame = pd.read_csv("test.csv")
    frame[["y", "x2", "x1"]].assign(more="text").to_csv(tmp_path / "shuffled.csv", index=False)
    assert (
        run("predict", "model.json", tmp_path / "shuffled.csv").stdout
        == run("predict", "model.json", "test.csv").stdout
    )


def test_predict_says_when_rows_are_far_away(here, tmp_path):
    pd.DataFrame({"x1": [0.0, 100.0], "x2": [0.0, 0.0]}).to_csv(tmp_path / "far.csv", index=False)
    assert "1 of 2 rows lie outside" in run("predict", "model.json", tmp_path / "far.csv").stderr


def test_predict_drops_rows_if_asked(here):
    """What is left says which rows it is, by all columns or by number: nothing is shifted."""
    whole = pd.read_csv("holes.csv")
    left = whole[whole[["x1", "x2"]].notna().all(axis=1)]
    kept = pd.read_csv(io.StringIO(run("predict", "model.json", "holes.csv", "--drop-missing", "-k").stdout))
    pd.testing.assert_frame_equal(kept[["x1", "x2"]], left[["x1", "x2"]].reset_index(drop=True))
    alone = pd.read_csv(io.StringIO(run("predict", "model.json", "holes.csv", "--drop-missing").stdout))
    assert alone["row"].tolist() == (left.index + 1).tolist()
    assert alone["prediction"].tolist() == kept["prediction"].tolist()
    told = json.loads(run("predict", "model.json", "holes.csv", "--drop-missing", "--json").stdout)
    assert told["row"] == alone["row"].tolist()
    assert "row" not in run("predict", "model.json", "test.csv").stdout


def test_columns_that_the_formula_does_not_use_may_be_missing(here, tmp_path):
    frame = pd.read_csv("good.csv")
    frame = frame.assign(useless=0.0, y=3.0 * frame["x1"])
    frame.to_csv(tmp_path / "data.csv", index=False)
    run(
        "fit",
        tmp_path / "data.csv",
        "-f",
        "x1,useless",
        "-c",
        "baseline",
        "--save",
        tmp_path / "m.json",
        *QUICK,
    )
    assert multigene.load(tmp_path / "m.json").formula_.variables == ("x1",)
    result = run("predict", tmp_path / "m.json", "test.csv")
    assert result.exit_code == 0
    assert "lacks 1 column" in result.stderr


def test_show(here):
    plain = run("show", "model.json").stdout
    assert plain.startswith("y = ")
    assert "60 rows" in plain
    model = multigene.load("model.json")
    assert f"{anatomy(model.formula_.size, model.n_genes_)}, {among(len(model.equations_))}" in plain
    front = run("show", "model.json", "--front").stdout.splitlines()
    assert len(front) == 1 + len(multigene.load("model.json").equations_)
    assert sum(line.startswith("*") for line in front) == 1
    assert json.loads(run("show", "model.json", "--json").stdout)["target"] == "y"
    assert (
        run("show", "model.json", "--format", "latex").stdout.strip() == multigene.load("model.json").latex()
    )


def test_export_runs_as_the_model_does(here, tmp_path):
    assert run("export", "model.json", "-o", tmp_path / "formula.py").exit_code == 0
    printed = run("export", "model.json", "--format", "python").stdout
    assert printed == (tmp_path / "formula.py").read_text()
    X, _ = xy("test.csv")
    space: dict = {}
    exec(printed, space)
    try:
        values = space["predict"](X["x1"].to_numpy(), X["x2"].to_numpy())
    except TypeError:
        values = space["predict"](X.to_numpy())
    np.testing.assert_allclose(values, multigene.load("model.json").predict(X), rtol=1e-9)


def test_compare(here):
    result = run(
        "compare",
        "good.csv",
        "mean",
        "linear",
        "multigene",
        "model.json",
        "--json",
        "-g",
        "3",
        "--threads",
        "1",
    )
    found = json.loads(result.stdout)["results"]
    assert {row["name"] for row in found} == {"mean", "linear", "multigene", "model.json"}
    assert [row["test_r2"] for row in found] == sorted((row["test_r2"] for row in found), reverse=True)
    by_name = {row["name"]: row for row in found}
    assert by_name["mean"]["train_r2"] == pytest.approx(0.0, abs=1e-12)
    assert by_name["multigene"]["train_r2"] > by_name["linear"]["train_r2"]
    assert by_name["model.json"]["nodes"] == multigene.load("model.json").formula_.size


def test_compare_draws_error_curves(here, tmp_path):
    result = run("compare", "good.csv", "linear", "mean", "--plot", tmp_path / "curves.svg")
    assert result.exit_code == 0, result.stderr
    assert "<svg" in (tmp_path / "curves.svg").read_text()
    result = run("compare", "good.csv", "linear", "--plot", tmp_path / "curves.txt")
    assert result.exit_code == 2
    assert "end its name in .png" in result.stderr


def test_compare_by_folds_covers_every_row_once(here):
    result = run("compare", "good.csv", "linear", "tree", "--cv", "3")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 3
    assert result.stdout.startswith("contender")


def test_a_row_of_the_front_can_be_shown(here):
    front = json.loads(run("show", "model.json", "--json").stdout)["front"]
    assert run("show", "model.json", "--choose", "0").stdout.startswith(f"y = {front[0]['formula']}\n")


def test_test_rows_reach_the_report(here, tmp_path):
    page = tmp_path / "r.html"
    for rows in (["--test", "test.csv"], ["--holdout", "0.25"]):
        result = run("fit", "good.csv", *rows, *QUICK, "--report", page, "--json")
        found = json.loads(result.stdout)["test"]["r2"]
        text = page.read_text("utf-8")
        page_data = json.loads(unpacked(text, "content"))
        shown = page_data["models"][page_data["chosen"]]["errors"]["test"]
        assert shown["r2"] == pytest.approx(found, abs=1e-5), rows


def test_the_report_says_how_to_repeat_the_run(here, tmp_path, monkeypatch):
    """The command of a report, run in the same place, finds the same formula."""
    pd.read_csv("good.csv").assign(id=range(60), more=1.5).to_csv(
        tmp_path / "my data.csv", index=False, sep=";"
    )
    monkeypatch.chdir(tmp_path)
    given = ["my data.csv", "-t", "y", "-f", "x*,more", "-x", "more", "--holdout", "0.2", "--separator", ";"]
    search = [*QUICK, "--seed", "3", "--functions", "add,mul,sin", "--choose", "accuracy", "--prune", "0.05"]
    done = run("fit", *given, *search, "--report", "first.html", "--save", "first.json")
    assert done.exit_code == 0, done.stderr
    said = re.search(r'id="reproduce-shell">([^<]*)<', Path("first.html").read_text("utf-8"))
    words = shlex.split(unescape(said[1]))
    assert words[:3] == ["multigene", "fit", "my data.csv"]
    again = run(*words[1:])
    assert again.exit_code == 0, again.stderr
    first, second = (multigene.load(name) for name in ("first.json", "model.json"))
    assert str(second) == str(first)
    np.testing.assert_array_equal(second.equations_["r2"], first.equations_["r2"])
    assert (
        run("report", "first.json", "-o", "later.html").exit_code == 0
    )  # a saved model remembers its command
    assert said[1] in Path("later.html").read_text("utf-8")


def test_report_reads_data_as_it_is_told(here, tmp_path):
    text = (here / "good.csv").read_text().replace(",", ";")
    (tmp_path / "semicolons.txt").write_text(text)
    page = tmp_path / "r.html"
    result = run("report", "model.json", tmp_path / "semicolons.txt", "--separator", ";", "-o", page)
    assert (result.exit_code, result.stdout) == (0, f"wrote {page}\n")
    assert "<html" in page.read_text("utf-8")


def test_a_model_may_know_a_column_by_its_header_with_the_unit(tmp_path):
    """The command line reads `dose (mg)` as `dose`; a model that was fitted in Python to the same table has the whole header."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.uniform(1.0, 2.0, (60, 2)), columns=["dose (mg)", "t"])
    rows["gain [kg]"] = 2.0 * rows["dose (mg)"] + rows["t"]
    model = multigene.MultigeneRegressor(generations=2, random_state=0).fit(
        rows[["dose (mg)", "t"]], rows["gain [kg]"]
    )
    model.save(tmp_path / "model.json")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    done = run("predict", tmp_path / "model.json", tmp_path / "rows.csv")
    assert done.exit_code == 0, done.output
    predicted = pd.read_csv(io.StringIO(done.stdout))["prediction"]
    np.testing.assert_allclose(predicted, model.predict(rows[["dose (mg)", "t"]]), rtol=1e-12)
    assert "against 'gain [kg]'" in done.stderr
    report = run("report", tmp_path / "model.json", tmp_path / "rows.csv", "-o", tmp_path / "report.html")
    assert report.exit_code == 0, report.output

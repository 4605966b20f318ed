"""Classes on the command line: fit, predict, show, export and report where the target is one of classes."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from multigene import load
from multigene.cli import app

QUICK = ["--generations", "1", "--seed", "0", "--threads", "1"]


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("classes")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(120, 2)), columns=["a", "b"])
    total = table["a"] + table["b"] + 0.3 * rng.normal(size=120)
    table.assign(kind=np.where(total > 0, "up", "down")).to_csv(place / "two.csv", index=False)
    table.assign(kind=np.digitize(total, [-0.7, 0.7])).to_csv(place / "numbers.csv", index=False)
    names = np.array(["low", "middle", "high"])[np.digitize(total, [-0.7, 0.7])]
    table.assign(kind=names).to_csv(place / "three.csv", index=False)
    table.assign(kind=(total > 0).astype(int)).to_csv(place / "zero_one.csv", index=False)
    return place


@pytest.fixture(scope="module")
def two(folder):
    said = run("fit", folder / "two.csv", "-t", "kind", *QUICK, "--holdout", 0.3,
               "--save", folder / "two.json", "--report", folder / "two.html", "-o", folder / "out")  # fmt: skip
    assert said.exit_code == 0, said.output
    return said


def test_text_is_taken_for_classes_and_that_is_said(two):
    assert (
        "holds text of 2 kinds: classes are told apart; --task regression takes it for numbers" in two.output
    )
    assert "log-odds of kind = up:" in two.output
    assert "test:      accuracy" in two.output


def test_files_are_written(folder, two):
    assert sorted(p.name for p in (folder / "out").iterdir()) == [
        "model.json",
        "predictions.csv",
        "summary.json",
    ]
    page = (folder / "two.html").read_text()
    assert "ROC curve" in page
    assert "Calibration" in page
    assert "rows are told right" in page


def test_predictions_are_classes_and_probabilities(folder, two):
    said = run("predict", folder / "two.json", folder / "two.csv", "-o", folder / "p.csv")
    assert said.exit_code == 0
    assert "against 'kind': accuracy" in said.output
    found = pd.read_csv(folder / "p.csv")
    model, rows = load(folder / "two.json"), pd.read_csv(folder / "two.csv")[["a", "b"]]
    assert list(found["prediction"]) == list(model.predict(rows))
    np.testing.assert_allclose(found[["P(down)", "P(up)"]], model.predict_proba(rows), rtol=1e-9)


@pytest.mark.parametrize("words", [("show",), ("export", "--format", "python"), ("report", "-o", "r.html")])
def test_other_commands_take_the_only_formula(folder, two, words, monkeypatch):
    monkeypatch.chdir(folder)
    assert run(words[0], folder / "two.json", *words[1:]).exit_code == 0


def test_three_classes_have_a_formula_each(folder):
    said = run("fit", folder / "three.csv", "-t", "kind", *QUICK, "--class-weight", "balanced",
               "--save", folder / "three.json", "--report", folder / "three.html", "--json", "-q")  # fmt: skip
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    assert set(told["formulas"]) == {"low", "middle", "high"}
    assert told["train"]["roc_auc"] > 0.6
    assert (folder / "three-middle.html").exists()
    assert run("show", folder / "three.json").output.count("log-odds of kind") == 3
    piped = (folder / "three.json").read_bytes()
    assert CliRunner().invoke(app, ["show", "-"], input=piped).output.count("log-odds of kind") == 3
    words = ["report", "-", str(folder / "three.csv"), "--label", "low", "-o", str(folder / "p.html")]
    assert CliRunner().invoke(app, words, input=piped).exit_code == 0
    refused = run("export", folder / "three.json", "--format", "c")
    assert refused.exit_code == 2
    assert "say which by --label" in refused.output
    assert run("export", folder / "three.json", "--format", "c", "--label", "low").exit_code == 0
    rows = run(
        "report", folder / "three.json", folder / "three.csv", "--label", "low", "-o", folder / "l.html"
    )
    assert rows.exit_code == 0, rows.output


@pytest.mark.parametrize("table", ["zero_one.csv", "numbers.csv"])
def test_numbers_are_classes_where_there_are_two_or_it_is_said(folder, table):
    words = ("fit", folder / table, "-t", "kind", *QUICK, "--json")
    said = run(*words) if table == "zero_one.csv" else run(*words, "--task", "classification")
    assert said.exit_code == 0, said.output
    assert '"task": "classification"' in said.stdout
    as_numbers = run(*words, "--task", "regression", "-q")
    assert "task" not in json.loads(as_numbers.stdout)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--task", "clusters"), "--task clusters is not known"),
        (("--class-weight", "even"), "--class-weight even is not known"),
        (("--task", "regression", "--class-weight", "balanced"), "belongs to classification"),
        (("--task", "classification", "--prune", "0.01"), "--prune does not go with classification"),
        (("--task", "regression"), "give --task classification"),
    ],
)
def test_mistakes_are_told(folder, words, message):
    said = run("fit", folder / "two.csv", "-t", "kind", *QUICK, *words)
    assert said.exit_code == 2
    assert message in " ".join(said.output.split())


def test_intervals_are_for_numbers(folder, two):
    said = run("predict", folder / "two.json", folder / "two.csv", "--interval", "0.9")
    assert said.exit_code == 2
    assert "--interval is for numbers" in said.output


def test_classes_that_would_share_a_name_have_pages_of_their_own(folder):
    rows = pd.read_csv(folder / "three.csv").replace({"kind": {"low": "a/b", "middle": "a b", "high": "A:B"}})
    rows.to_csv(folder / "alike.csv", index=False)
    said = run("fit", folder / "alike.csv", "-t", "kind", *QUICK, "--report", folder / "alike.html", "-q")
    assert said.exit_code == 0, said.output
    pages = sorted(page.name for page in folder.glob("alike-*.html"))
    assert pages == ["alike-1-A-B.html", "alike-2-a-b.html", "alike-3-a-b.html"]


@pytest.fixture(scope="module")
def with_gaps(folder):
    """The table of 0 and 1 with gaps: one in a feature, one in the target (which makes 0 and 1 numbers with a point)."""
    rows = pd.read_csv(folder / "zero_one.csv").astype(float)
    rows.loc[3, "a"] = rows.loc[5, "b"] = rows.loc[7, "kind"] = np.nan
    rows.to_csv(folder / "gaps.csv", index=False)
    said = run("fit", folder / "zero_one.csv", "-t", "kind", *QUICK, "--save", folder / "zero_one.json", "-q")
    assert said.exit_code == 0, said.output
    return folder / "gaps.csv"


def test_rows_with_gaps_are_left_out_if_asked_for_and_scores_count_rows_with_a_class(folder, with_gaps):
    said = run("predict", folder / "zero_one.json", with_gaps, "--drop-missing", "-o", folder / "p.csv")
    assert said.exit_code == 0, said.output
    used = len(set(load(folder / "zero_one.json").fitted_.models[0].raw_variables))
    assert f"left out {used} row" in said.output
    found = pd.read_csv(folder / "p.csv")
    assert len(found) == 120 - used
    assert set(range(1, 121)) - set(found["row"]) <= {4, 6}
    assert f"{120 - used - 1} rows" in said.output.split("against 'kind'")[1]


def test_a_report_on_rows_leaves_out_those_without_a_class(folder, with_gaps):
    said = run("report", folder / "zero_one.json", with_gaps, "--drop-missing", "-o", folder / "gaps.html")
    assert said.exit_code == 0, said.output
    assert "left out 1 row without 'kind'" in said.output


def test_a_pipe_cannot_hold_the_model_and_the_rows(folder):
    for command in ("predict", "report"):
        said = run(command, "-", "-")
        assert said.exit_code == 2
        assert "can be read only once" in said.output

"""`multigene fit`: results, settings, and files of all kinds."""

from __future__ import annotations

import gc
import json
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")
from cli_cases import QUICK, exact, run, xy

import multigene
import multigene.model_file
from multigene.data.reading import read_table


def test_fit_prints_the_formula_and_says_what_it_guessed(here):
    result = run("fit", "good.csv", "--holdout", "0.25", *QUICK)
    assert result.exit_code == 0
    assert result.stdout.startswith("y = ")
    assert "training:  R² " in result.stdout
    assert "15 rows" in result.stdout
    assert "the target is column 'y'" in result.stderr


def test_quiet_says_nothing_but_the_result(here):
    assert run("fit", "good.csv", "-q", *QUICK).stderr == ""


def test_fit_for_machines(here):
    result = run("fit", "good.csv", "--test", "test.csv", "--json", "--seed", "3", *QUICK)
    found = json.loads(result.stdout)
    model = multigene.MultigeneRegressor(
        "UB", generations=4, random_state=3, n_jobs=1, settings={"population_size": 15}
    ).fit(*xy("good.csv"))
    assert found["formula"] == str(model.formula_)
    assert found["exact_formula"] == model.formula_.text(None)
    assert found["train"]["r2"] == pytest.approx(model.score(*xy("good.csv")))
    assert found["test"]["r2"] == pytest.approx(model.score(*xy("test.csv")))
    assert (found["test"]["rows"], found["seed"], found["generations"]) == (20, 3, 4)
    assert [row["chosen"] for row in found["front"]].count(True) == 1


def test_what_may_be_claimed_is_said(here, tmp_path):
    a = np.linspace(1.0, 5.0, 60)
    pd.DataFrame({"a": a, "b": np.sin(7.0 * a), "y": a**2 / (1.0 + a)}).to_csv(
        tmp_path / "law.csv", index=False
    )
    command = ("fit", tmp_path / "law.csv", "--seed", "0", "--time", "20")
    claim = json.loads(run(*command, "--json").stdout)["claim"]
    assert claim["grade"].startswith("exact")
    assert 0.9 < claim["probability"] < 1.0
    assert f"claim:     {claim['grade']}; formulas like it are the law in" in run(*command).stdout


def test_the_output_directory_has_everything(here, tmp_path):
    result = run("fit", "good.csv", "--test", "test.csv", "-o", tmp_path / "deep" / "out", *QUICK)
    assert result.exit_code == 0
    out = tmp_path / "deep" / "out"
    names = {"model.json", "predictions-train.csv", "predictions-test.csv", "front.csv", "history.csv"}
    assert {path.name for path in out.iterdir()} == names | {"summary.json", "summary.txt"}
    X, y = xy("test.csv")
    predictions = exact(out / "predictions-test.csv")
    np.testing.assert_array_equal(predictions["prediction"], multigene.load(out / "model.json").predict(X))
    np.testing.assert_allclose(predictions["residual"], y - predictions["prediction"])
    summary = json.loads((out / "summary.json").read_text())
    assert summary["named_formula"] in (out / "summary.txt").read_text()
    assert len(pd.read_csv(out / "history.csv")) == 4


def test_columns_can_be_chosen(here):
    for arguments in (["-f", "x1"], ["-x", "x2"], ["-f", "x?", "-x", "x2"], ["-f", "x1", "-f", "x1"]):
        found = json.loads(run("fit", "good.csv", *arguments, "--json", *QUICK).stdout)
        assert found["features"] == ["x1"], arguments


def test_every_setting_by_name_and_by_file(here, tmp_path):
    arguments = [
        "--settings",
        "settings.toml",
        "--set",
        "lcf=synchronised",
        "--set",
        "lcf_range=[-2, 2]",
        "--set",
        "functions=add,mul",
    ]
    assert run("fit", "good.csv", *QUICK, *arguments, "--save", tmp_path / "m.json").exit_code == 0
    settings = multigene.load(tmp_path / "m.json").fitted_.settings
    assert settings.selection.tournament_size == 3
    assert settings.genes.max_depth == 4
    assert settings.genes.lcf == "synchronised"
    assert settings.genes.lcf_range == (-2.0, 2.0)
    assert [name for name, _, _ in settings.genes.functions] == ["add", "mul"]


@pytest.mark.parametrize("codename", [None, "SB", "baseline"])
def test_listed_settings_are_a_settings_file(here, tmp_path, codename):
    given = [] if codename is None else ["-c", codename]
    listed = run("settings", *given)
    assert listed.exit_code == 0, listed.stderr
    text = listed.stdout
    assert "more_mutations" in text
    assert ("looks_for" in text) == (codename is None)
    (tmp_path / "all.toml").write_text(text)
    assert "tournament_size" in text
    settings = ["--settings", tmp_path / "all.toml"]
    models = []
    for arguments in (settings, [*settings, *given], given):
        result = run("fit", "good.csv", *arguments, "-g", "2", "--save", tmp_path / "m.json")
        assert result.exit_code == 0, result.stderr
        models.append(multigene.load(tmp_path / "m.json"))
    assert models[0].fitted_.settings == models[1].fitted_.settings == models[2].fitted_.settings
    assert len({str(model.formula_) for model in models}) == 1


def test_settings_that_contradict_the_configuration_are_refused(here, tmp_path):
    (tmp_path / "SB.toml").write_text(run("settings", "-c", "SB").stdout)
    result = run("fit", "good.csv", "--settings", tmp_path / "SB.toml", "-c", "UB")
    assert result.exit_code == 2
    assert "--configuration UB contradicts" in result.stderr


@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_same_seed_gives_the_same_formula(tmp_path, threads):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.uniform(-2.0, 2.0, size=(60, 4)), columns=["a", "b", "c", "d"])
    rows["y"] = (
        np.tanh(rows["a"] * rows["b"]) + np.cos(2.0 * rows["c"]) * rows["d"] + 0.1 * rng.normal(size=60)
    )
    rows.to_csv(tmp_path / "rows.csv", index=False)  # no short formula that every seed would find
    fit = ("fit", tmp_path / "rows.csv", "-g", "4", "-q")
    one = run(*fit, "--seed", "5", "--threads", threads).stdout.splitlines()[0]
    two = run(*fit, "--seed", "5").stdout.splitlines()[0]
    other = run(*fit, "--seed", "6").stdout.splitlines()[0]
    assert one == two != other


def test_missing_values_can_be_dropped(here):
    result = run("fit", "holes.csv", "--drop-missing", "--json", *QUICK)
    assert json.loads(result.stdout)["train"]["rows"] == 59
    assert "left out 1 row of" in result.stderr


# --- files of all kinds ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("t.tsv", lambda frame, path: frame.to_csv(path, sep="\t", index=False)),
        ("t.txt", lambda frame, path: frame.to_csv(path, sep=" ", index=False)),
        ("t.csv.gz", lambda frame, path: frame.to_csv(path, index=False)),
        ("german.csv", lambda frame, path: frame.to_csv(path, sep=";", decimal=",", index=False)),
        ("quoted.csv", lambda frame, path: frame.to_csv(path, index=False, quoting=1)),
        ("indexed.csv", lambda frame, path: frame.to_csv(path)),
        (
            "windows.csv",
            lambda frame, path: frame.to_csv(path, index=False, encoding="utf-8-sig", lineterminator="\r\n"),
        ),
        ("excel.csv", lambda frame, path: frame.to_csv(path, index=False, sep="\t", encoding="utf-16")),
        ("t.xlsx", lambda frame, path: frame.to_excel(path, index=False)),
        ("t.parquet", lambda frame, path: frame.to_parquet(path)),
        ("t.feather", lambda frame, path: frame.to_feather(path)),
        ("t.json", lambda frame, path: path.write_text(json.dumps(frame.to_dict("records")))),
        ("misnamed.csv", lambda frame, path: path.write_bytes(frame.to_parquet())),
    ],
)
def test_every_kind_of_file_is_the_same_table(here, tmp_path, name, write):
    frame = pd.read_csv("good.csv")
    write(frame, tmp_path / name)
    read = read_table(tmp_path / name).frame
    assert list(read.columns) == list(frame.columns)
    np.testing.assert_allclose(read, frame, rtol=1e-14)
    result = run("fit", tmp_path / name, *QUICK)
    assert result.exit_code == 0, result.stderr


def test_a_file_without_header_can_be_read_if_asked(here):
    found = json.loads(run("fit", "headless.csv", "--no-header", "-t", "x2", "--json", *QUICK).stdout)
    assert (found["target"], found["features"]) == ("x2", ["x0", "x1"])


def test_decimal_commas_in_quotes_can_be_read_if_asked(here):
    found = json.loads(run("fit", "commas.csv", "--decimal", ",", "--json", *QUICK).stdout)
    assert found["train"]["rows"] == 2


def test_latin_text_can_be_read_if_asked(here):
    found = json.loads(run("fit", "latin.csv", "--encoding", "latin-1", "--json", *QUICK).stdout)
    assert found["features"] == ["größe"]


def test_pruning_makes_the_formula_no_longer(here):
    plain, pruned = (
        json.loads(run("fit", "good.csv", *QUICK, "--json", *more).stdout)
        for more in ((), ("--prune", "0.2"))
    )
    assert pruned["nodes"] < plain["nodes"]
    assert plain["train"]["r2"] - 0.2 <= pruned["train"]["r2"]


def test_what_is_pruned_is_what_was_chosen(here):
    """`--choose` first, then `--prune`: the other way round the shortened formula would be thrown away."""
    chosen, both = (
        json.loads(run("fit", "good.csv", *QUICK, "--json", *more).stdout)
        for more in (("--choose", "accuracy"), ("--choose", "accuracy", "--prune", "0.2"))
    )
    assert both["nodes"] < chosen["nodes"]
    [used] = [row for row in both["front"] if row["chosen"]]
    assert used["source"] == "pruned"


def test_laws_and_units_on_the_command_line(here, tmp_path):
    rng = np.random.default_rng(0)
    m, v = rng.uniform(1, 3, (2, 80))
    pd.DataFrame({"m": m, "v": v, "E": 0.5 * m * v**2}).to_csv(tmp_path / "e.csv", index=False)
    common = [
        "fit",
        tmp_path / "e.csv",
        "-t",
        "E",
        "-g",
        "20",
        "--threads",
        "1",
        "--save",
        tmp_path / "m.json",
    ]
    for units in (["--units", "m=kg,v=m/s,E=J"], ["--units", "m=kg", "--units", "v=m/s", "--units", "E=J"]):
        assert run(*common, *units).exit_code == 0
        model = multigene.load(tmp_path / "m.json")
        assert model.units == {"m": "kg", "v": "m/s", "E": "J"}
    assert run(*common, "--search", "laws").exit_code == 0
    assert multigene.load(tmp_path / "m.json").search == "laws"


def test_a_device_is_closed_after_writing():
    from multigene.cli.output import write

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write(Path(os.devnull), "text")
        gc.collect()


# --- on a par with Python -------------------------------------------------------------------------


def test_a_checkpoint_goes_on_with_a_larger_limit(here, tmp_path):
    command = ["fit", "good.csv", "--threads", "1", "--json", "--checkpoint", str(tmp_path / "run.state")]
    first, more = (json.loads(run(*command, "-g", n).stdout) for n in ("10", "30"))
    # Few rows may decide before the limit that nothing is left to be found.
    assert first["generations"] == 10 < more["generations"] <= 30
    whole = json.loads(run("fit", "good.csv", "--threads", "1", "--json", "-g", "10").stdout)
    assert first["formula"] == whole["formula"]
    other = run(*command, "-g", "30", "--seed", "5")  # the state is read, and is another run's
    assert other.exit_code == 2
    assert "belongs to other data" in other.stderr
    refused = run("fit", "good.csv", "--checkpoint", tmp_path / "no" / "run.state")
    assert refused.exit_code == 2
    assert "--checkpoint" in refused.stderr


def test_a_column_of_weights_is_no_feature(here, tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=80), "w": rng.choice([0.0, 1.0], size=80)})
    table["y"] = np.where(table["w"] > 0.0, 2.0 * table["a"], -50.0)
    table.to_csv(tmp_path / "t.csv", index=False)
    result = json.loads(run("fit", tmp_path / "t.csv", "--weights", "w", "--json", *QUICK).stdout)
    assert result["features"] == ["a"]
    assert result["formula"] == "2*a"
    assert result["train"]["r2"] == pytest.approx(1.0)  # as rows count, like the front's
    for column, said in (("v", "no such column"), ("y", "is the target")):
        refused = run("fit", tmp_path / "t.csv", "-t", "y", "--weights", column, *QUICK)
        assert refused.exit_code == 2
        assert said in refused.stderr


@pytest.mark.parametrize("nodes", ["3", "9"])
def test_the_largest_formula_is_as_large_as_asked(here, nodes):
    short = ("--generations", "2", "--seed", "0", "--search", "accuracy")
    said = json.loads(run("fit", "good.csv", "-t", "y", "--max-size", nodes, "--json", *short).stdout)
    assert said["nodes"] <= int(nodes)
    assert max(row["complexity"] for row in said["front"]) <= int(nodes)
    refused = run("fit", "good.csv", "-t", "y", "--max-size", "0", *short)
    assert refused.exit_code == 2
    assert "max_size" in refused.stderr or "--max-size" in refused.stderr


def test_a_column_of_errors_is_no_feature_and_counts_by_its_inverse_square(here, tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=80), "s": rng.choice([1e-3, 1e3], size=80)})
    table["y"] = np.where(table["s"] < 1.0, 2.0 * table["a"], -50.0)
    table.to_csv(tmp_path / "t.csv", index=False)
    result = json.loads(run("fit", tmp_path / "t.csv", "--y-error", "s", "--json", *QUICK).stdout)
    assert result["features"] == ["a"]
    assert result["formula"].startswith("2*a")
    refusals = (("v", "--y-error v: "), ("y", "is the target"), ("a", "leaves no column"))
    for column, said in refusals:
        features = ("--features", "a") if column == "a" else ()
        refused = run("fit", tmp_path / "t.csv", "-t", "y", *features, "--y-error", column, *QUICK)
        assert refused.exit_code == 2
        assert said in refused.stderr
    table.assign(s=0.0).to_csv(tmp_path / "t.csv", index=False)
    refused = run("fit", tmp_path / "t.csv", "-t", "y", "--y-error", "s", *QUICK)
    assert refused.exit_code == 2
    assert "y_error of row 0 is 0" in refused.stderr


def test_predictions_with_bounds(here):
    result = run("predict", "model.json", "good.csv", "--interval", "0.9", "-q")
    lines = [line.split(",") for line in result.stdout.splitlines()]
    assert lines[0] == ["prediction", "lower", "upper"]
    assert all(float(low) <= float(value) <= float(high) for value, low, high in lines[1:])
    told = json.loads(run("predict", "model.json", "good.csv", "--interval", "0.9", "-q", "--json").stdout)
    assert len(told["lower"]) == len(told["upper"]) == told["rows"]


def test_a_column_that_may_be_made_of_the_target_is_noted(here):
    rng = np.random.default_rng(0)
    y = rng.normal(size=40)
    pd.DataFrame({"x": rng.normal(size=40), "twin": y, "y": y}).to_csv("leak.csv", index=False)
    result = run("fit", "leak.csv", "--target", "y", *QUICK)
    assert result.exit_code == 0
    assert "column 'twin' is a copy of 'y'; --exclude 'twin' leaves it out" in result.stderr
    assert "twin" not in run("fit", "leak.csv", "--target", "y", "--exclude", "twin", *QUICK).stderr


def test_a_way_to_choose_that_there_is_not_is_told_before_the_search(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i},{2 * i}\n" for i in range(30)))
    arguments = ["fit", f"{tmp_path}/t.csv", "-t", "y", "--time", "600", "--save", f"{tmp_path}/m.json"]
    done = run(*arguments, "--choose", "smple")
    assert done.exit_code == 2
    assert "criterion='smple' is unknown; did you mean 'simple'" in done.output
    assert not (tmp_path / "m.json").exists()

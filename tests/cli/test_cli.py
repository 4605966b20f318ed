"""The command line as people and programs use it: results, files, pipes, signals, and people's mistakes."""

from __future__ import annotations

import gc
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import warnings
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")
from typer.testing import CliRunner

import multigene
import multigene.model_file
from multigene.cli import app
from multigene.cli.demo import k11c
from multigene.data.table import read_table
from multigene.report.html import spoken_r2
from multigene.words import among, anatomy

QUICK = ["-c", "UB", "-g", "4", "--threads", "1", "--set", "population_size=15"]


def run(*arguments: str, stdin: bytes | None = None):
    return CliRunner().invoke(app, [str(a) for a in arguments], input=stdin, prog_name="multigene")


def process(*arguments: str, **options):
    return subprocess.run(
        [sys.executable, "-m", "multigene", *map(str, arguments)], capture_output=True, timeout=60, **options
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory of good and bad files, and a model."""
    home = tmp_path_factory.mktemp("cli")
    good = k11c(60, 0)
    good.to_csv(home / "good.csv", index=False)
    k11c(20, 1).to_csv(home / "test.csv", index=False)
    good.assign(name="abc").to_csv(home / "text.csv", index=False)
    holes = good.copy()
    holes.loc[16, "x2"] = np.nan
    holes.to_csv(home / "holes.csv", index=False)
    good.assign(x2=[np.inf, *good["x2"][1:]]).to_csv(home / "infinite.csv", index=False)
    good.rename(columns={"y": "price"}).to_csv(home / "unnamed_target.csv", index=False)
    good.assign(target=1.0).to_csv(home / "two_targets.csv", index=False)
    good[["y"]].to_csv(home / "lonely.csv", index=False)
    lines = (home / "good.csv").read_text().splitlines()
    (home / "commas.csv").write_text('a,y\n"1,5","2,5"\n"3,5","4,5"\n')
    (home / "headless.csv").write_text("\n".join(lines[1:]))
    (home / "long_row.csv").write_text("\n".join([*lines[:5], "1,2,3,4", *lines[5:]]))
    (home / "short_row.csv").write_text("\n".join([*lines[:5], "1,2", *lines[5:]]))
    (home / "repeated.csv").write_text("a,a,y\n1,2,3\n4,5,6\n")
    (home / "header_only.csv").write_text("x1,x2,y\n")
    (home / "empty.csv").write_text("")
    (home / "latin.csv").write_bytes("größe,y\n1,2\n3,4\n".encode("latin-1"))
    (home / "binary.csv").write_bytes(bytes(range(256)) * 4)
    (home / "damaged.parquet").write_bytes(b"PAR1 and nothing more")
    (home / "damaged.xlsx").write_bytes(b"PK\x03\x04 and nothing more")
    (home / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    (home / "damaged.csv.gz").write_bytes(b"\x1f\x8b\x08 and nothing more")
    (home / "bad.toml").write_text("crossover = = 1")
    (home / "wrong.toml").write_text("[genes]\nmax_dept = 5\n")
    (home / "settings.toml").write_text("tournament_size = 3\n[genes]\nmax_depth = 4\n")
    (home / "empty.json").write_text("")
    (home / "other.json").write_text('{"a": 1}')
    good.to_excel(home / "good.xlsx", index=False, sheet_name="first")
    good.to_parquet(home / "good.parquet")
    assert run("fit", home / "good.csv", *QUICK, "--save", home / "model.json").exit_code == 0
    newer = json.loads((home / "model.json").read_text()) | {"version": 99}
    (home / "newer.json").write_text(json.dumps(newer))
    (home / "cut.json").write_text((home / "model.json").read_text()[:500])
    (home / "folder").mkdir()
    return home


@pytest.fixture
def here(place, monkeypatch):
    monkeypatch.chdir(place)
    return place


def exact(source):
    """A CSV file with every digit of its numbers, whichever version of pandas reads it."""
    return pd.read_csv(source, dtype=str).map(float)


# --- mistakes -------------------------------------------------------------------------------------

MISTAKES = {
    "no such command": ("fitt good.csv", "Did you mean 'fit'"),
    "no such option": ("fit good.csv --targt y", "--target"),
    "option without value": ("fit good.csv --target", "requires an argument"),
    "no data": ("fit", "Missing argument"),
    "two data files": ("fit good.csv test.csv", "unexpected extra argument"),
    "no such file": ("fit god.csv", "did you mean 'good.csv'"),
    "no such directory": ("fit none/good.csv", "no directory none"),
    "a directory": ("fit folder", "is a directory"),
    "empty file": ("fit empty.csv", "is empty"),
    "header only": ("fit header_only.csv", "no rows of data"),
    "no header": ("fit headless.csv --target y", "--no-header"),
    "repeated column": ("fit repeated.csv", "several columns named 'a'"),
    "row too long": ("fit long_row.csv", "Line 6 of long_row.csv has 4 fields where the first line has 3"),
    "row too short": ("fit short_row.csv", "Line 6 of short_row.csv has 2 fields"),
    "wrong encoding": ("fit latin.csv", "--encoding latin-1"),
    "unknown encoding": ("fit latin.csv --encoding klingon", "no encoding 'klingon'"),
    "binary file": ("fit binary.csv", "binary.csv is not"),
    "damaged parquet": ("fit damaged.parquet", "damaged Parquet"),
    "damaged excel": ("fit damaged.xlsx", "not an Excel file"),
    "old excel": ("fit old.xls", "save it as .xlsx"),
    "damaged gzip": ("fit damaged.csv.gz", "damaged gzip"),
    "no such sheet": ("fit good.xlsx --sheet second", "its sheets are 'first'"),
    "text in a column": ("fit text.csv", "'name' holds 'abc' in row 1 (line 2) of text.csv"),
    "decimal commas in quotes": ("fit commas.csv", "give --decimal ','"),
    "missing value": ("fit holes.csv", "'x2' has no value in row 17 (line 18)"),
    "infinite value": ("fit infinite.csv", "'x2' is infinite in row 1"),
    "wrong separator": ("fit good.csv --separator ;", "--target"),
    "long separator": ("fit good.csv --separator abc", "not one character"),
    "wrong decimal sign": ("fit good.csv --decimal x", "neither '.' nor ','"),
    "target misspelt": ("fit good.csv -t Y1", "its columns are 'x1', 'x2', 'y'"),
    "target nearly right": ("fit unnamed_target.csv -t pricee", "did you mean 'price'"),
    "target not named": ("fit unnamed_target.csv", "with --target"),
    "two possible targets": ("fit two_targets.csv", "Both 'y' and 'target'"),
    "nothing but the target": ("fit lonely.csv", "No column is left"),
    "feature misspelt": ("fit good.csv -f x1,x3", "no column 'x3'"),
    "excluded misspelt": ("fit good.csv -x nme", "no column 'nme'"),
    "everything excluded": ("fit good.csv -x x*", "No column is left"),
    "target excluded": ("fit good.csv -t y -x y", "cannot be excluded"),
    "target as feature": ("fit good.csv -t y -f x1,y", "cannot be a feature too"),
    "holdout too large": ("fit good.csv --holdout 20", "not a share between 0 and 1"),
    "holdout not a number": ("fit good.csv --holdout some", "--holdout"),
    "holdout leaves nothing": ("fit good.csv --holdout 0.999", "leaves no rows"),
    "test and holdout": ("fit good.csv --test test.csv --holdout 0.2", "either --test or --holdout"),
    "test without the columns": ("fit good.csv --test unnamed_target.csv", "no column 'y'"),
    "test file missing": ("fit good.csv --test tst.csv", "did you mean 'test.csv'"),
    "data and test from one pipe": ("fit - --test -", "only once"),
    "negative time": ("fit good.csv --time -3", "not a positive number of seconds"),
    "time not a number": ("fit good.csv --time 3s", "--time"),
    "no generations": ("fit good.csv -g 0", "generations=0 is too small"),
    "generations not whole": ("fit good.csv -g 2.5", "--generations"),
    "negative seed": ("fit good.csv --seed -1", "--seed -1 is negative"),
    "no threads": ("fit good.csv --threads 0", "--threads 0 is too few"),
    "unknown configuration": ("fit good.csv -c XY", "no configuration 'XY'"),
    "senseless configuration": ("fit good.csv -c GM", "Take GB or GC"),
    "unknown function": ("fit good.csv --functions add,sine", 'no function "sine"'),
    "unknown setting": ("fit good.csv --set tournament=3", "did you mean 'tournament_size'"),
    "setting without value": ("fit good.csv --set tournament_size", "is not name=value"),
    "setting of the wrong type": ("fit good.csv --set crossover=high", "crossover='high' is not a number"),
    "setting that cannot be none": ("fit good.csv --set crossover=none", "'crossover' cannot be none"),
    "setting out of range": ("fit good.csv --set crossover=1.5", "crossover=1.5 is not"),
    "setting not among choices": ("fit good.csv --set rule=sgd", "rule='sgd' is not known"),
    "no settings file": ("fit good.csv --settings none.toml", "no settings file none.toml"),
    "bad settings file": ("fit good.csv --settings bad.toml", "bad.toml is not a TOML file"),
    "unknown setting in a file": ("fit good.csv --settings wrong.toml", "did you mean 'max_depth'"),
    "save into nowhere": ("fit good.csv --save none/model.json", "no directory none"),
    "save over a directory": ("fit good.csv --save folder", "is a directory"),
    "a report that is no page": ("fit good.csv --report r.pdf", "would hold an HTML page, not .pdf; name it r.html"),
    "a model that is no JSON": ("fit good.csv --save m.pkl", "--save m.pkl would hold JSON, not .pkl; name it m.json"),
    "a report of a model that is no page": ("report model.json -o r.pdf", "--output r.pdf would hold an HTML page"),
    "unknown kind of search": ("fit good.csv --search gold", "gold"),
    "units without a column": ("fit good.csv --units kg", "is not COLUMN=UNIT"),
    "units of some columns": ("fit good.csv --units x1=m", "no entry for the feature 'x2'"),
    "report into nowhere": ("fit good.csv --report none/report.html", "no directory none"),
    "output is a file": ("fit good.csv --output good.csv", "is a file"),
    "prune by too much": ("fit good.csv -g 2 --prune 3", "between 0 and 1"),
    "predict without data": ("predict model.json", "Missing argument"),
    "predict without a model": ("predict none.json good.csv", "no model file none.json"),
    "arguments swapped": ("predict good.csv model.json", "good.csv is not a model"),
    "empty model": ("predict empty.json good.csv", "it is empty"),
    "other JSON": ("predict other.json good.csv", "no model file of multigene"),
    "cut model": ("predict cut.json good.csv", "damaged or not JSON"),
    "newer model": ("predict newer.json good.csv", "install a newer one"),
    "column missing": ("predict model.json lonely.csv", "which the formula uses"),
    "missing value in new data": ("predict model.json holes.csv", "--drop-missing"),
    "predictions into nowhere": ("predict model.json good.csv -o none/out.csv", "no directory none"),
    "model and data from one pipe": ("predict - -", "only once"),
    "show a directory": ("show folder", "is a directory"),
    "show in an unknown format": ("show model.json --format latx", "did you mean 'latex'"),
    "too many digits": ("show model.json --format text --digits 40", "not between 1 and 17"),
    "too many digits of the plain text": ("show model.json --digits 40", "not between 1 and 17"),
    "export without a format": ("export model.json", "--format"),
    "export to an unknown suffix": ("export model.json -o formula.xyz", "Unknown export format '.xyz'"),
    "export to nowhere": ("export model.json --format python -o none/f.py", "no directory none"),
    "compare with an unknown regressor": ("compare good.csv linaer", "did you mean 'linear'"),
    "compare with too few folds": ("compare good.csv linear --cv 1", "too few folds"),
    "compare with too many folds": ("compare good.csv linear --cv 500", "more folds than there are rows"),
    "compare with folds and holdout": ("compare good.csv linear --cv 3 --holdout 0.2", "one of --cv"),
    "compare with an unknown configuration": ("compare good.csv multigene:ZZ", "no configuration 'ZZ'"),
    "report of nothing": ("report none.json", "no model file"),
    "settings of an unknown configuration": ("settings -c QQ", "no configuration 'QQ'"),
    "study without such a command": ("study rnu", "rnu"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_get_one_clear_line(mistake, here):
    arguments, said = MISTAKES[mistake]
    before = {path: path.stat().st_mtime_ns for path in here.rglob("*")}
    result = run(*arguments.split(), stdin=b"x,y\n1,2\n")
    lines = result.stderr.strip().splitlines()
    assert result.exit_code == 2, (result.exit_code, result.stderr, result.stdout)
    assert result.stdout == ""
    assert lines[-1].startswith("multigene: ")
    assert said in lines[-1]
    assert [line for line in lines[:-1] if not line.startswith("note: ")] == []
    assert "Traceback" not in result.stderr
    assert {path: path.stat().st_mtime_ns for path in here.rglob("*")} == before


def test_there_are_fifty_mistakes():
    assert len(MISTAKES) >= 50


# --- fit ------------------------------------------------------------------------------------------


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
    ).fit(*_xy("good.csv"))
    assert found["formula"] == str(model.formula_)
    assert found["exact_formula"] == model.formula_.text(None)
    assert found["train"]["r2"] == pytest.approx(model.score(*_xy("good.csv")))
    assert found["test"]["r2"] == pytest.approx(model.score(*_xy("test.csv")))
    assert (found["test"]["rows"], found["seed"], found["generations"]) == (20, 3, 4)
    assert [row["chosen"] for row in found["front"]].count(True) == 1


def _xy(path):
    frame = pd.read_csv(path)
    return frame[["x1", "x2"]], frame["y"]


def test_the_output_directory_has_everything(here, tmp_path):
    result = run("fit", "good.csv", "--test", "test.csv", "-o", tmp_path / "deep" / "out", *QUICK)
    assert result.exit_code == 0
    out = tmp_path / "deep" / "out"
    names = {"model.json", "predictions-train.csv", "predictions-test.csv", "front.csv", "history.csv"}
    assert {path.name for path in out.iterdir()} == names | {"summary.json", "summary.txt"}
    X, y = _xy("test.csv")
    predictions = exact(out / "predictions-test.csv")
    np.testing.assert_array_equal(predictions["prediction"], multigene.load(out / "model.json").predict(X))
    np.testing.assert_allclose(predictions["residual"], y - predictions["prediction"])
    summary = json.loads((out / "summary.json").read_text())
    assert summary["formula"] in (out / "summary.txt").read_text()
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
def test_the_same_seed_gives_the_same_formula(here, threads):
    one = run("fit", "good.csv", "-g", "4", "--seed", "5", "--threads", threads, "-q").stdout.splitlines()[0]
    two = run("fit", "good.csv", "-g", "4", "--seed", "5", "-q").stdout.splitlines()[0]
    other = run("fit", "good.csv", "-g", "4", "--seed", "6", "-q").stdout.splitlines()[0]
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


# --- using a model --------------------------------------------------------------------------------


def test_predict_writes_what_the_model_predicts(here, tmp_path):
    X, _ = _xy("test.csv")
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
    result = run("predict", "model.json", "holes.csv", "--drop-missing", "-k")
    assert len(pd.read_csv(io.StringIO(result.stdout))) == 59


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
    X, _ = _xy("test.csv")
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


def test_test_rows_reach_the_report(here, tmp_path):
    page = tmp_path / "r.html"
    for rows in (["--test", "test.csv"], ["--holdout", "0.25"]):
        result = run("fit", "good.csv", *rows, *QUICK, "--report", page, "--json")
        found = json.loads(result.stdout)["test"]["r2"]
        text = page.read_text("utf-8")
        assert "<h3>Test</h3>" in text, rows
        assert spoken_r2(found) in text.split("<h3>Test</h3>")[1][:200]


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


def test_report_reads_data_as_it_is_told(here, tmp_path):
    text = (here / "good.csv").read_text().replace(",", ";")
    (tmp_path / "semicolons.txt").write_text(text)
    page = tmp_path / "r.html"
    result = run("report", "model.json", tmp_path / "semicolons.txt", "--separator", ";", "-o", page)
    assert (result.exit_code, result.stdout) == (0, f"wrote {page}\n")
    assert "<html" in page.read_text("utf-8")


# --- demo, help, version, completion --------------------------------------------------------------


def test_demo(here):
    result = run("demo", "-g", "5", "--threads", "1")
    assert result.exit_code == 0
    for part in ("27.22", "y = ", "training:  R²", "test:      R²", "What to try next"):
        assert part in result.stdout


def test_help_has_examples(here):
    for command in ("fit", "predict", "show", "export", "compare", "settings"):
        result = run(command, "--help")
        assert result.exit_code == 0
        assert f"multigene {command} " in result.stdout
    assert "study" in run("--help").stdout


def test_version():
    assert run("--version").stdout.strip() == f"multigene {multigene.__version__}"


def test_no_arguments_show_the_help():
    result = run()
    assert result.exit_code == 2
    assert (result.stdout + result.stderr).count("Usage:") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell):
    words = {"bash": {"COMP_WORDS": "multigene ex", "COMP_CWORD": "1"}}.get(
        shell, {"_TYPER_COMPLETE_ARGS": "multigene ex", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    )
    environment = os.environ | words | {"_MULTIGENE_COMPLETE": f"complete_{shell}"}
    done = subprocess.run(
        [sys.executable, "-m", "multigene"], env=environment, capture_output=True, timeout=60
    )
    assert b"export" in done.stdout


def test_without_the_extra_one_sentence_says_what_to_install(tmp_path):
    (tmp_path / "typer.py").write_text("raise ImportError('no typer')")
    done = process("--version", env=os.environ | {"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    assert done.stderr.decode().strip().splitlines() == [
        "multigene: the command line needs more packages: pip install 'multigene[cli]'"
    ]


# --- pipes and signals, in real processes ---------------------------------------------------------


def test_pipes_in_and_out(here):
    data = Path("good.csv").read_bytes()
    fitted = process("fit", "-", "--save", "-", "-q", *QUICK, input=data)
    assert fitted.returncode == 0, fitted.stderr
    assert str(multigene.model_file.loads(fitted.stdout).formula) == str(
        multigene.load("model.json").formula_
    )
    shown = process("show", "-", input=fitted.stdout)
    assert shown.stdout.decode() == run("show", "model.json").stdout
    predicted = process("predict", "model.json", "-", "-o", "-", input=data)
    assert predicted.stdout.decode() == run("predict", "model.json", "good.csv").stdout
    assert process("fit", "-", input=b"").returncode == 2


def test_a_pipe_of_parquet(here):
    result = run("fit", "-", "-q", *QUICK, stdin=Path("good.parquet").read_bytes())
    assert result.stdout.splitlines()[0] == run("fit", "good.csv", "-q", *QUICK).stdout.splitlines()[0]


def test_nothing_but_results_when_it_is_no_terminal(here):
    done = process("fit", "good.csv", "-t", "y", *QUICK)
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
def test_ctrl_c_keeps_the_best_formula(here, tmp_path):
    import pty

    terminal, side = pty.openpty()
    command = ["fit", "good.csv", "--time", "60", "--save", str(tmp_path / "m.json")]
    child = subprocess.Popen(
        [sys.executable, "-m", "multigene", *command], stdout=subprocess.PIPE, stderr=side
    )
    os.close(side)
    said = b""
    while b"generation 2" not in said:  # the progress line of a terminal
        said += os.read(terminal, 4096)
    child.send_signal(signal.SIGINT)
    out = child.stdout.read()
    assert child.wait(timeout=30) == 0
    said += os.read(terminal, 65536)
    os.close(terminal)
    child.stdout.close()
    assert out.startswith(b"y = ")
    assert b"stopped by Ctrl-C" in said
    assert b"Traceback" not in said
    assert multigene.load(tmp_path / "m.json").stopped_by_ == "interrupt"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
def test_ctrl_c_without_a_model_is_130(here):
    with subprocess.Popen(
        [sys.executable, "-m", "multigene", "fit", "good.csv", "--test", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        time.sleep(4.0)  # it waits for data
        child.send_signal(signal.SIGINT)
        err = child.stderr.read()
    assert child.returncode == 130
    assert err.decode().strip() == "multigene: interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are those of Unix")
def test_a_reader_that_goes_away_is_no_error(here, tmp_path):
    k11c(200_000, 0).to_csv(tmp_path / "large.csv", index=False)
    child = subprocess.Popen(
        [sys.executable, "-m", "multigene", "predict", "model.json", str(tmp_path / "large.csv"), "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout.readline() == b"prediction\n"
    child.stdout.close()
    err = child.stderr.read()
    child.stderr.close()
    assert child.wait(timeout=30) == 141
    assert err == b""


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="needs a user who may not write everywhere"
)
def test_a_place_that_may_not_be_written(here, tmp_path):
    tmp_path.chmod(0o500)
    result = run("fit", "good.csv", *QUICK, "--save", tmp_path / "m.json")
    assert result.exit_code == 2
    assert "permission denied" in result.stderr

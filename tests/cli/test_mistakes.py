"""People's mistakes: each gets one clear line, exit code 2, and leaves no file behind."""

from __future__ import annotations

import pytest

pytest.importorskip("typer")
from cli_cases import run

MISTAKES = {
    "form without unknowns": ("fit good.csv -t y --form x1+2", "has no unknown function and no unknown number"),
    "form of no column": ("fit good.csv -t y --form f(xx)", "f(«xx») cannot be read: 'xx' is no column"),
    "form that is cut off": ("fit good.csv -t y --form f(x1", "cannot be read: expected ')'"),
    "unknown loss": ("fit good.csv -t y --loss hubber", "'hubber'"),
    "loss that cannot be read": ("fit good.csv -t y --loss (y-q)**2", "(y-«q»)**2 cannot be read: 'q' is no name"),
    "loss that is not finite": ("fit good.csv -t y --loss log(p-1e9)", "finite"),
    "guess of no column": ("fit good.csv -t y --guess xx1*2", "«xx1»*2 cannot be read: 'xx1' is no column; did you mean"),
    "guess of no function": ("fit good.csv -t y --guess sine(x1)", "'sine' is no function; did you mean 'sin'"),
    "guess in no file": ("fit good.csv -t y --guess none.csv", "there is no file 'none.csv'"),
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
    "wrong encoding": ("fit latin.csv --encoding utf-8", "--encoding latin-1"),
    "unknown encoding": ("fit latin.csv --encoding klingon", "no encoding 'klingon'"),
    "binary file": ("fit binary.csv", "binary.csv is not"),
    "damaged parquet": ("fit damaged.parquet", "damaged Parquet"),
    "damaged excel": ("fit damaged.xlsx", "not an Excel file"),
    "old excel": ("fit old.xls", "save it as .xlsx"),
    "damaged gzip": ("fit damaged.csv.gz", "damaged gzip"),
    "no such sheet": ("fit good.xlsx --sheet second", "its sheets are 'first'"),
    "text in the target": ("fit text.csv --target name", "'name' holds 'abc' in row 1 (line 2) of text.csv"),
    "decimal commas in quotes": ("fit commas.csv --decimal .", "give --decimal ','"),
    "missing value": ("fit holes.csv --missing error", "'x2' has no value in row 17 (line 18)"),
    "gaps treated oddly": ("fit holes.csv --missing guess", "take fill, drop or error"),
    "gaps dropped and refused": ("fit holes.csv --drop-missing --missing error", "contradict"),
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
    "export to an unknown suffix": ("export model.json -o formula.xyz", "There is no export format '.xyz'"),
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

"""How a report says to repeat a run, and that this repeats it."""

from __future__ import annotations

import shlex
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from multigene import MultigeneRegressor, configuration, model_file
from multigene.report.reproduce import constructor, shell_command
from multigene.settings.settings import Refinement

QUICK = {"generations": 3, "random_state": 0, "n_jobs": 1}


def rows(n=90):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(1.0, 3.0, size=(n, 2)), columns=["m", "v in m/s"])
    return X, pd.Series(0.5 * X["m"] * X["v in m/s"] ** 2, name="the energy")


RUNS = {
    "default": {},
    "baseline": {"configuration": "baseline"},
    "limits": {"configuration": "UB", "settings": {"population_size": 20, "max_genes": 3, "max_depth": 4, "max_nodes": 9}},
    "functions": {"configuration": "UB", "functions": ["add", "mul", "sin"]},
    "functions as text": {"configuration": "UB", "functions": "add,mul"},
    "own functions": {"configuration": "UB", "functions": {"add": 2.0, "hill": "x**2/(1+x**2)"}},
    "settings": {"configuration": "SC", "settings": {"constant_range": (-2.0, 2.0), "target_r2": None, "guarded": False}},
    "laws": {"search": "laws"},
    "accuracy": {"search": "accuracy"},
    "units": {"units": {"m": "kg", "v in m/s": "m/s", "the energy": "J"}},
    "Settings": {"settings": configuration("UB").changed(tournament_size=3)},
    "Settings with refinement": {"settings": replace(configuration("UC"), refinement=Refinement(iterations=2))},
}  # fmt: skip


@pytest.fixture(scope="module", params=RUNS)
def model(request):
    return MultigeneRegressor(**QUICK | RUNS[request.param]).fit(*rows())


def repeated(text: str) -> MultigeneRegressor:
    """What the Python of a report makes."""
    X, y = rows()
    names: dict = {"X": X, "y": y}
    exec(text.replace('model.report("report.html")\n', ""), names)
    return names["model"]


def from_shell(text: str, place, monkeypatch) -> MultigeneRegressor:
    """What the command of a report makes of a table of the same rows."""
    pytest.importorskip("typer")
    from typer.testing import CliRunner

    from multigene.cli import app

    X, y = rows()
    X.assign(**{"the energy": y}).to_csv(place / "data.csv", index=False)
    monkeypatch.chdir(place)
    words = shlex.split(text, comments=True)
    assert words[:2] == ["multigene", "fit"]
    done = CliRunner().invoke(app, [*words[1:], "-q"], prog_name="multigene")
    assert done.exit_code == 0, done.stderr
    return model_file.load("model.json")


def test_python_repeats_the_run(model):
    again = repeated(constructor(model.fitted_))
    assert again.fitted_.settings == model.fitted_.settings
    assert again.equations_["formula"].tolist() == model.equations_["formula"].tolist()


def test_the_command_repeats_the_run(model, tmp_path, monkeypatch):
    again = from_shell(shell_command(model.fitted_), tmp_path, monkeypatch)
    assert again.settings == model.fitted_.settings
    assert again.equations()["formula"].tolist() == model.equations_["formula"].tolist()


def test_a_loaded_model_is_repeated_too(model):
    loaded = model_file.loads(model_file.dumps(model.fitted_).encode())
    assert shell_command(loaded) == shell_command(model.fitted_)


def test_what_was_asked_afterwards_is_asked_again(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rows()
    y = y + rng.normal(size=len(y))
    parameters = QUICK | {"configuration": "UB", "settings": {"population_size": 20}}
    model = MultigeneRegressor(**parameters).fit(X, y).choose("accuracy")
    model.prune(0.05)
    text = constructor(model.fitted_)
    assert "model.choose('accuracy')\nmodel.prune(0.05)\n" in text
    names: dict = {"X": X, "y": y}
    exec(text.replace('model.report("report.html")\n', ""), names)
    assert str(names["model"]) == str(model)
    assert "--choose accuracy --prune 0.05" in shell_command(model.fitted_)
    model.choose("default")
    assert "# Afterwards choose accuracy, then prune 0.05, then choose default." in shell_command(
        model.fitted_
    )


def test_weights_are_named():
    X, y = rows()
    model = MultigeneRegressor("UB", generations=2, random_state=0, n_jobs=1).fit(
        X, y, np.arange(len(y)) + 1.0
    )
    assert "model.fit(X, y, sample_weight=sample_weight)" in constructor(model.fitted_)


def test_a_seed_that_is_an_object_is_left_out():
    model = MultigeneRegressor("UB", generations=2, n_jobs=1, random_state=np.random.default_rng(0)).fit(
        *rows()
    )
    assert "random_state" not in constructor(model.fitted_)
    assert "--seed" not in shell_command(model.fitted_)

"""Model files: nothing is lost on the way."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import pickle
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from model_file_cases import EVERYTHING, FAST, dumps, reloaded, training_rows
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import multigene
from multigene import MultigeneRegressor
from multigene.model_check import Limits
from multigene.settings.earlier import RETIRED
from multigene.settings.paper import configuration
from multigene.settings.settings import Refinement, Settings


@pytest.fixture(scope="module")
def rows():
    return training_rows()


@pytest.fixture(scope="module")
def model(rows):
    return MultigeneRegressor(**FAST).fit(*rows)


# --- nothing is lost ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"configuration": "baseline"},
        {"configuration": "SC", "settings": {"constant_range": (-2.0, 2.0)}},
        {"configuration": "GB"},
        EVERYTHING,
        {"functions": {"add": None, "mul": 2.0, "hill": "x**2/(1+x**2)"}},
        {"settings": replace(configuration("UC"), refinement=Refinement(iterations=2))},
    ],
    ids=["default", "baseline", "SC", "GB", "everything", "own function", "Settings"],
)
def test_round_trip_is_bit_identical(rows, parameters, tmp_path):
    X, y = rows
    model = MultigeneRegressor(**{**FAST, **parameters}).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = multigene.load(tmp_path / "model.json")
    wide = pd.DataFrame(np.random.default_rng(1).normal(0, 10, (1000, 3)), columns=X.columns)
    assert loaded.predict(wide).tobytes() == model.predict(wide).tobytes()
    assert str(loaded) == str(model)
    pd.testing.assert_frame_equal(loaded.equations_, model.equations_)
    for attribute in ("r2_", "n_genes_", "n_nodes_", "depth_", "lcf_share_", "n_generations_", "stopped_by_"):
        assert getattr(loaded, attribute) == getattr(model, attribute), attribute
    assert list(loaded.feature_names_in_) == list(X.columns)
    assert dumps(loaded).split('"run"')[0] == dumps(model).split('"run"')[0]
    if not isinstance(model.settings, Settings):  # of a whole Settings the file keeps what the run made of it
        assert loaded.get_params() == model.get_params()


@pytest.mark.parametrize(
    "parameters",
    [
        {"search": "laws"},
        {"search": "accuracy"},
        {"units": {"größe (m)": "m", 'a "quoted" one': "s", "x": "m*s", "y/z": "m*s"}},
        {"verbose": False, "n_jobs": None},
        {"time_limit": np.float64(60.0), "settings": {"population_size": np.int64(20)}},
    ],
    ids=str,
)
def test_every_parameter_comes_back(rows, parameters):
    X, y = rows
    law = pd.Series(2.0 * X["x"], name="y/z")
    model = MultigeneRegressor(**{**FAST, **parameters}).fit(X, law if "units" in parameters else y)
    loaded = reloaded(model)
    assert loaded.get_params() == model.get_params()
    assert loaded.fitted_.settings == model.fitted_.settings


def version_1() -> bytes:
    """A file as the first program wrote it, with fewer parameters and other words."""
    return (Path(__file__).parent / "data" / "model-version-1.json").read_bytes()


def test_files_of_the_first_program_load():
    loaded = multigene.load(io.BytesIO(version_1()))
    assert loaded.stopped_by_ == "no improvement expected"
    assert (loaded.search, loaded.units) == ("both", None)
    assert loaded.fitted_.changes == ()
    assert loaded.fitted_.command is None
    document = json.loads(version_1())
    assert "search" not in document["parameters"]
    again = json.loads(dumps(loaded))
    assert all(again[key] == document[key] for key in ("front", "features", "data"))
    # Settings that the first program did not have are as it behaved.
    assert again["settings"]["genes"]["dependent_below"] == pytest.approx(10**-4.5)
    assert again["settings"]["seeking"]["structure"] == "linear"
    # A setting that is none any more is left out, and what came in its place is off.
    assert document["settings"]["search"].pop("compact") is True
    assert again["settings"]["search"]["short"] is False
    assert document["settings"]["refinement"].pop("bound") == "inf"
    assert again["settings"]["refinement"]["bound"] is None
    for name in ("portfolio", "adaptive", "brief", "neutral", "rounding"):
        assert document["settings"]["seeking"].pop(name) is True
    for part, names in RETIRED.items():
        for name in names:
            assert name not in (again["settings"][part] or {})
            (document["settings"][part] or {}).pop(name, None)
    for part, values in document["settings"].items():
        kept = again["settings"][part]
        assert (kept if values is None else {name: kept[name] for name in values}) == values, part


def test_every_model_of_the_front_comes_back(model):
    loaded = reloaded(model)
    assert len(loaded.fitted_.front) == len(model.fitted_.front)
    for ours, theirs in zip(model.fitted_.front, loaded.fitted_.front, strict=True):
        assert ours.individual.genes == theirs.individual.genes
        assert ours.individual.coefficients == theirs.individual.coefficients
        assert ours.individual.intercept == theirs.individual.intercept
        assert (ours.fitness, ours.complexity) == (theirs.fitness, theirs.complexity)


def test_a_model_fitted_to_an_array_needs_no_names(rows):
    X, y = rows
    model = MultigeneRegressor(**FAST).fit(X.to_numpy(), y.to_numpy())
    loaded = reloaded(model)
    assert not hasattr(loaded, "feature_names_in_")
    np.testing.assert_array_equal(loaded.predict(X.to_numpy()), model.predict(X.to_numpy()))


def test_a_loaded_model_is_an_estimator_like_any_other(model, rows):
    X, y = rows
    loaded = reloaded(model)
    assert clone(loaded).get_params() == model.get_params()
    again = clone(loaded).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(loaded)).predict(X), model.predict(X))
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(X.rename(columns={"x": "other"}))


def test_a_constant_target_round_trips():
    X = np.arange(12.0).reshape(6, 2)
    model = MultigeneRegressor(**FAST).fit(X, np.full(6, 3.5))
    np.testing.assert_array_equal(reloaded(model).predict(X), model.predict(X))


def test_the_file_tells_about_the_data(model, rows):
    X, _ = rows
    document = json.loads(dumps(model))
    assert document["data"]["rows"] == len(X)
    assert document["data"]["ranges"]["x"] == [X["x"].min(), X["x"].max()]
    assert document["target"] == "y/z"
    assert document["written_by"]["multigene"] == multigene.__version__


def test_an_open_stream_can_be_read(model, rows):
    np.testing.assert_array_equal(
        multigene.load(io.BytesIO(dumps(model).encode())).predict(rows[0]), model.predict(rows[0])
    )


# --- writing --------------------------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file(model, tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    path.write_text("precious")

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        model.save(path)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_follow_the_umask_and_links_stay(model, tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    link.symlink_to(real)
    old = os.umask(0o027)
    try:
        model.save(link)
    finally:
        os.umask(old)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_what_cannot_be_written_is_said(model, tmp_path):
    with pytest.raises(ValueError, match="is a directory"):
        model.save(tmp_path)
    with pytest.raises(ValueError, match="no directory"):
        model.save(tmp_path / "none" / "model.json")
    with pytest.raises(NotFittedError):
        MultigeneRegressor().save(tmp_path / "model.json")


def test_a_name_that_says_something_else_is_told_and_nothing_is_lost(model, rows, tmp_path):
    with pytest.warns(UserWarning, match=r"m\.pkl holds JSON, not \.pkl; name it .*m\.json"):
        model.save(tmp_path / "m.pkl")
    np.testing.assert_array_equal(multigene.load(tmp_path / "m.pkl").predict(rows[0]), model.predict(rows[0]))


# --- the documentation ----------------------------------------------------------------------------


def test_the_documentation_names_every_key_and_limit(model):
    text = (Path(__file__).parents[1] / "docs" / "model-file.md").read_text()
    document = json.loads(dumps(model))
    for key in [*document, *document["front"][0], *document["run"], *document["data"]]:
        assert f"`{key}`" in text, key
    for limit in dataclasses.astuple(Limits())[1:]:
        assert f"{limit:,}" in text, limit


def test_the_example_of_the_documentation_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[1] / "docs" / "model-file.md").read_text()
    exec(text.split("```python\n")[1].split("```")[0], {})

"""Model files: nothing is lost on the way, and nothing bad comes in."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import os
import pickle
import random
import stat
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import multigene
from multigene import MultigeneRegressor, model_file
from multigene.model_check import Limits
from multigene.model_file import load, loads
from multigene.settings.earlier import RETIRED
from multigene.settings.paper import configuration
from multigene.settings.settings import Refinement, Settings

FAST = {"generations": 6, "settings": {"population_size": 20}, "random_state": 0, "n_jobs": 1}


def dumps(model: MultigeneRegressor) -> str:
    return model_file.dumps(model.fitted_)


def reloaded(model: MultigeneRegressor) -> MultigeneRegressor:
    return multigene.load(io.BytesIO(dumps(model).encode()))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["größe (m)", 'a "quoted" one', "x"])
    return X, pd.Series(np.sin(X.iloc[:, 0]) * X.iloc[:, 1] + X.iloc[:, 2], name="y/z")


@pytest.fixture(scope="module")
def model(rows):
    return MultigeneRegressor(**FAST).fit(*rows)


# --- nothing is lost ------------------------------------------------------------------------------

EVERYTHING = {
    "functions": "add,sub,mul,div,sin,cos,exp,log,tanh,sqrt,abs,pow2,pow3,pow-1",
    "settings": {"weighted_nodes": 0.3, "product_frequency": 2.0, "constant_frequency": 3.0},
}


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


# --- files that are refused -----------------------------------------------------------------------


def changed(model, **changes):
    document = json.loads(dumps(model))
    for path, value in changes.items():
        place = document
        *way, last = path.split("__")
        for step in way:
            place = place[int(step) if step.isdigit() else step]
        place[int(last) if last.isdigit() else last] = value
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "other"}, "no model file of multigene"),
        ({"version": 4}, "install a newer one"),
        ({"version": "1"}, "never written"),
        ({"version": True}, "never written"),
        ({"chosen": 10_000}, "'chosen' is 10000"),
        ({"chosen": -1}, "'chosen' is -1"),
        ({"chosen": 1.0}, "not a whole number"),
        ({"front": []}, "no models"),
        ({"front": {}}, "missing or damaged"),
        ({"front__0": 7}, "damaged"),
        ({"front__0__genes": ["x9"], "front__0__coefficients": [1.0]}, "uses feature 9"),
        ({"front__0__genes": ["x4000000000"], "front__0__coefficients": [1.0]}, "uses feature 4000000000"),
        ({"front__0__genes": ["x0"], "front__0__coefficients": []}, "1 genes but 0 coefficients"),
        ({"front__0__genes": ["1e999"], "front__0__coefficients": [1.0]}, "too large"),
        ({"front__0__genes": ["x0**1000000"], "front__0__coefficients": [1.0]}, "exponent"),
        ({"front__0__genes": ["(" * 5000 + "x0"], "front__0__coefficients": [1.0]}, "nested"),
        ({"front__0__genes": ["-" * 400_000 + "x0"], "front__0__coefficients": [1.0]}, "nested"),
        ({"front__0__genes": ["+".join(["x0"] * 5000)], "front__0__coefficients": [1.0]}, "5000 deep"),
        ({"front__0__genes": ["x0" + "+(x0+x1)" * 90] * 200, "front__0__coefficients": [1.0] * 200}, "nodes"),
        (
            {"front__0__genes": ["1" * 1_000_001], "front__0__coefficients": [1.0]},
            "at most 500000 characters",
        ),
        ({"front__0__genes": ["__import__('os')"], "front__0__coefficients": [1.0]}, "unexpected character"),
        ({"front__0__genes": [3], "front__0__coefficients": [1.0]}, "no text"),
        ({"front__0__intercept": "1"}, "not a number"),
        ({"front__0__intercept": None}, "not a number"),
        ({"front__0__complexity": 1.5}, "not a whole number"),
        ({"features": []}, "no features"),
        ({"features": ["a", "a", "b"]}, "twice"),
        ({"features": ["a" * 3000, "b", "c"]}, "at most 2000 characters"),
        ({"target": None}, "'target'"),
        ({"named": "yes"}, "neither true nor false"),
        ({"parameters": []}, "'parameters' is missing"),
        ({"parameters__generations": "many"}, "wrong kind"),
        ({"parameters__generations": True}, "wrong kind"),
        ({"parameters__search": "gold"}, "wrong kind"),
        ({"parameters__units": {"x": 3}}, "wrong kind"),
        ({"parameters__random_state": "7"}, "wrong kind"),
        ({"parameters__settings": "other"}, "wrong kind"),
        ({"changes": [{"prune": "much"}]}, "not a number"),
        ({"changes": [{"melt": 1}]}, "which is unknown"),
        ({"changes": ["prune"]}, "'changes' is damaged"),
        ({"command": ["multigene", 3]}, "'command'"),
        ({"parameters__settings": {"no_such": 1}}, "no setting 'no_such'"),
        ({"settings__genes__max_depth": "deep"}, "not a whole number"),
        ({"settings__genes__lcf": "sideways"}, "not known"),
        ({"settings__oven": 200}, "no setting 'oven'"),
        ({"data__ranges": {"nowhere": [0, 1]}}, "no features"),
        ({"data__rows": -3}, "'rows'"),
        ({"run__stopped_by": 4}, "'stopped_by'"),
    ],
)
def test_wrong_values_are_refused_with_a_sentence(model, changes, said):
    with pytest.raises(ValueError, match="is not a model that can be loaded") as error:
        loads(changed(model, **changes), "m.json")
    assert said in str(error.value)
    assert len(str(error.value)) < 500
    assert str(error.value).startswith("m.json")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"   \n", "empty"),
        (b"[" * 200_000, "nested"),
        (b'{"a":' * 100_000, "nested"),
        (b"[" + b"0," * 3_000_000 + b"0]", "more than the 300000 allowed"),
        (b"\xff\xfe\x00\x01", "not a text file"),
        (b'{"format": "multigene-model", "version": 1, "x": NaN}', "NaN"),
        (b'{"format": "multigene-model", "version": 1, "x": 1e999}', "too large"),
        (b'{"format": "multigene-model", "version": 1' + b"0" * 100_000 + b"}", "too large"),
        (b'{"format": "multigene-model"', "damaged or not JSON"),
        (b'"multigene-model"', "no model file"),
        (b"null", "no model file"),
        (b"x,y\n1,2\n", "damaged or not JSON"),
    ],
)
def test_what_is_no_model_file_is_refused_with_a_sentence(content, said):
    with pytest.raises(ValueError, match="is not a model that can be loaded") as error:
        loads(content)
    assert said in str(error.value)


def test_large_files_are_not_even_read(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(10_000_000_000)  # a hole: takes no room on the disk
    with pytest.raises(ValueError, match="larger than 2000 bytes"):
        load(path, Limits(bytes=2000))


def test_missing_files_and_directories_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"no model file .*none\.json"):
        load(tmp_path / "none.json")
    with pytest.raises(ValueError, match="is a directory"):
        load(tmp_path)


# --- random damage --------------------------------------------------------------------------------

ODD = (None, True, -1, 0, 1e308, 10**18, "", "x0", "x" * 5000, [], {}, [[]], {"a": 1}, [1] * 500, -0.0)
TEXTS = (
    b"NaN",
    b"1e999",
    b"-",
    b"[[[[",
    b"}}",
    b'"',
    b"\\u0000",
    b"\\",
    b"\x00",
    b"\xff",
    b"9" * 50,
    b"(((",
    b"x99",
)


def bytes_damaged(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content))
    end = min(len(content), at + rng.choice([1, 1, 2, 10, 1000]))
    kind = rng.randrange(5)
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + content[end:]
    if kind == 2:
        return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]
    if kind == 3:
        return content[:end] + content[at:end] * rng.choice([1, 3, 50]) + content[end:]
    return content[:at] + rng.choice(TEXTS) + content[end:]


def values_damaged(content: bytes, rng: random.Random) -> bytes:
    document = json.loads(content)
    place, parent, key = document, None, None
    while isinstance(place, (dict, list)) and place and rng.random() < 0.85:
        parent, key = place, rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
        place = place[key]
    if parent is None:
        return json.dumps(rng.choice(ODD)).encode()
    if isinstance(place, str) and rng.random() < 0.5 and place:
        at = rng.randrange(len(place))
        parent[key] = (
            place[:at] + rng.choice("()[]{}+-*/^:,x0123456789e. ") * rng.choice([1, 2, 300]) + place[at + 1 :]
        )
    elif rng.random() < 0.2:
        del parent[key]
    else:
        parent[key] = copy.deepcopy(rng.choice(ODD))
    return json.dumps(document).encode()


FUZZ = """
import resource, signal, sys
import numpy as np
sys.path.insert(0, {tests!r})
from test_model_file import bytes_damaged, values_damaged
import random, tracemalloc
from multigene import MultigeneRegressor
from multigene.model_file import loads
content = open({path!r}, "rb").read()
MultigeneRegressor.from_fitted(loads(content))  # everything is imported before memory is measured
width = 3
rng = random.Random(20)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
loaded = refused = 0
for number in range({number}):
    damaged = content
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        try:
            damaged = (bytes_damaged if number % 2 else values_damaged)(damaged, rng) or b"x"
        except ValueError:
            break
    signal.alarm(10)  # a file that hangs ends this process
    try:
        model = MultigeneRegressor.from_fitted(loads(damaged))
        model.predict(np.zeros((2, width))) if not hasattr(model, "feature_names_in_") else None
        str(model)
        loaded += 1
    except ValueError as error:
        assert 20 < len(str(error)) < 700 and str(error).strip(), error
        refused += 1
    signal.alarm(0)
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
print(loaded, refused, grown)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signal.alarm and resource")
def test_a_thousand_damaged_files_load_or_are_refused(rows, tmp_path):
    X, y = rows
    MultigeneRegressor(**{**FAST, **EVERYTHING}).fit(X, y).save(tmp_path / "model.json")
    script = textwrap.dedent(FUZZ).format(
        tests=os.path.dirname(__file__), path=str(tmp_path / "model.json"), number=1000
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    loaded, refused, grown = map(int, done.stdout.split())
    assert loaded + refused == 1000
    assert refused > 500
    assert loaded > 20
    assert grown < 100_000_000


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


@pytest.mark.parametrize(
    "content",
    [
        b'{"a": "' + b"\\" * 1_000_000,
        b'{"a": "' + b'\\"' * 1_000_000,
        b'"' * 10_000_000,
        b'["' + b'","' * 3_000_000 + b'"]',
        b"[" * 10_000_000,
        b'{"a": [' + b"0," * 9_000_000 + b"0]}",
    ],
    ids=["backslashes", "quotes that do not end", "quotes", "empty texts", "brackets", "zeros"],
)
def test_files_are_refused_in_linear_time(content):
    # A file of twice the length takes about twice as long; reading texts again from every quote took hours.
    with pytest.raises(ValueError, match="not a model that can be loaded"):
        loads(content)


def test_formulas_are_counted_as_they_are_printed(model):
    document = json.loads(dumps(model))
    wide = "[0: 1.0 + " + " + ".join(f"1.5*x{j}" for j in range(5_000)) + "]"
    document |= {"features": [f"x{j}" for j in range(5_000)], "data": None, "intervals": None, "chosen": 0}
    document |= {"front": [document["front"][0] | {"genes": [wide], "coefficients": [1.0]}], "default": 0}
    with pytest.raises(ValueError, match="nodes, more than"):
        loads(json.dumps(document).encode())

"""Model files that are refused: wrong values, damage, files that are too large."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
import textwrap

import pytest
from model_file_cases import EVERYTHING, FAST, dumps, training_rows

from multigene import MultigeneRegressor, model_file
from multigene.expression import genes
from multigene.expression.rewriting import simplify
from multigene.model_check import Limits
from multigene.model_file import load, loads


@pytest.fixture(scope="module")
def rows():
    return training_rows()


@pytest.fixture(scope="module")
def model(rows):
    return MultigeneRegressor(**FAST).fit(*rows)


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
        ({"intervals__spread": 0.5}, "'spread' is missing or damaged"),
        ({"intervals__spread": [0.5]}, "spread of residuals is damaged"),
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
from test_model_check import bytes_damaged, values_damaged
import random, tracemalloc
from multigene import MultigeneRegressor, model_file
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


def test_a_model_is_simplified_once_however_often_it_is_read_and_written(model, monkeypatch):
    """Of wide linear combinations that is most of the time that a file takes."""
    counted = []
    monkeypatch.setattr(genes, "simplify", lambda tree: counted.append(tree) or simplify(tree))
    content = changed(model, front__0__genes=["[0: 1.25 + 1.5*x0 + 1.75*x1]"], front__0__coefficients=[1.0])
    document = json.loads(content)
    alone = {"front": document["front"][:1], "chosen": 0, "default": 0, "intervals": None}
    fitted = loads(json.dumps(document | alone).encode())
    loads(model_file.dumps(fitted).encode())
    assert "1.75" in str(fitted)
    assert len(fitted.equations()) == 1
    for language in ("python", "latex", "c"):
        assert "1.75" in fitted.formula.to(language)
    assert len(counted) == 1

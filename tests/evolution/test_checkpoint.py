"""Fingerprints of states: the same in every process, different for other data, settings, seeds and units."""

from __future__ import annotations

import errno
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene.evolution import checkpoint
from multigene.evolution.checkpoint import fingerprint_of, load
from multigene.laws.variables.units import Dimensions
from multigene.search import run
from multigene.settings.defaults import default_settings


class Bomb:
    """What runs code where it is unpickled."""

    def __reduce__(self):
        return pytest.fail, ("it was unpickled",)


X, Y = np.arange(6.0).reshape(3, 2), np.arange(3.0)


def mark(seed=0, units=None, x=X, y=Y, weights=None, settings=None):
    """A fingerprint."""
    return fingerprint_of(settings or default_settings(), x, y, weights, seed, units)


def units(target="J"):
    """Dimensions of two features and the target."""
    pytest.importorskip("pint")
    return Dimensions.of({"x0": "kg", "x1": "m/s", "y": target}, ["x0", "x1"])


def test_data_settings_seed_and_units_matter():
    others = [
        mark(),
        mark(seed=1),
        mark(x=X + 1.0),
        mark(y=-Y),
        mark(weights=Y),
        mark(settings=default_settings().changed(max_genes=3)),
        mark(units=units()),
        mark(units=units("N")),
        mark(seed=1, units=units()),
    ]
    assert len(set(others)) == len(others)


def test_limits_and_the_kind_of_number_do_not():
    assert mark() == mark(settings=default_settings().changed(generations=7, seconds=3.0))
    assert mark(seed=3) == mark(seed=np.int64(3))


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_seed_that_is_an_object_leaves_no_address(make):
    for dimensions in (None, units()):
        first, second = make(0), make(0)  # both alive, so at two addresses
        assert mark(first, dimensions) == mark(second, dimensions)


def test_a_run_with_units_and_a_generator_is_resumed_in_another_process(tmp_path):
    pytest.importorskip("pint")
    path = tmp_path / "state"
    code = (
        "import sys, numpy as np\n"
        "from multigene import MultigeneRegressor\n"
        "X = np.random.default_rng(0).uniform(1.0, 2.0, (80, 2))\n"
        "padding = [object() for _ in range(int(sys.argv[2]))]\n"
        "rng = np.random.default_rng(1)\n"
        "MultigeneRegressor(units={'x0': 'kg', 'x1': 'm/s', 'y': 'J'}, random_state=rng, generations=2, n_jobs=1).fit(\n"
        "    X, 0.5 * X[:, 0] * X[:, 1] ** 2, checkpoint=sys.argv[1])\n"
    )
    for padding in ("0", "100000"):
        command = [sys.executable, "-c", code, str(path), padding]
        subprocess.run(command, check=True, capture_output=True, env=dict(os.environ))
    assert path.exists()


def test_parts_that_a_kill_left_are_removed_when_the_checkpoint_is_opened(tmp_path):
    path = tmp_path / "run.state"
    stale = tmp_path / "run.state.0123456789ab.part"
    kept = [
        tmp_path / name
        for name in ("run.state.part", "run.state.0123456789ab.part.bak", "other.0123456789ab.part")
    ]
    for file in (stale, *kept):
        file.write_bytes(b"half")
    rng = np.random.default_rng(0)
    data = rng.normal(size=(60, 2))
    MultigeneRegressor("UB", generations=2, n_jobs=1).fit(data, data[:, 0], checkpoint=path)
    assert not stale.exists()
    assert all(file.exists() for file in kept)


def table(n=80):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 2))
    return x, x[:, 0] * x[:, 1] + 0.3 * rng.normal(size=n)


def small(configuration=None):
    settings = {"population_size": 16} | ({} if configuration else {"islands": 2})
    return MultigeneRegressor(configuration, generations=2, n_jobs=1, random_state=0, settings=settings)


@pytest.mark.parametrize("configuration", [None, "SC"])
def test_any_value_that_was_changed_is_noticed(configuration, tmp_path):
    """Wherever it stands: some were found out by exceptions of other kinds, some not at all."""
    path = tmp_path / "state"
    small(configuration).fit(*table(), checkpoint=path)
    content = json.loads(path.read_bytes())
    whole = dict(content)

    def places(value, before=()):
        children = value.items() if isinstance(value, dict) else enumerate(value[:2])
        for key, child in children:
            yield (*before, key)
            if isinstance(child, dict | list):
                yield from places(child, (*before, key))

    known = [p for p in places(content) if p[0] not in ("format", "version", "fingerprint")]
    assert len(known) > 20
    for number, place in enumerate(known):
        changed = json.loads(json.dumps(whole))
        value = changed
        for key in place[:-1]:
            value = value[key]
        others = [new for new in (None, "0x1p2000", [[]], 10**30) if new != value[place[-1]]]
        value[place[-1]] = others[number % len(others)]
        with pytest.raises(ValueError, match="The checkpoint is damaged; delete it"):
            load(json.dumps(changed).encode(), content["fingerprint"])
    assert load(path.read_bytes(), content["fingerprint"])["history"] == content["history"]


def forged(content, place, new):
    """A state with another value and a digest that fits."""
    changed = json.loads(json.dumps(content))
    changed.pop("digest")
    value = changed
    for key in place[:-1]:
        value = value[key]
    value[place[-1]] = new
    return json.dumps(changed | {"digest": checkpoint._digest(changed)}).encode()


ISLAND = ("search", "islands", "populations", 0, 0)
FORGED = {
    "a history of text": (None, ("history", 0, "fitness"), ""),
    "no history": (None, ("history",), None),
    "limits that are none": (None, ("limits",), [[]]),
    "another random generator": (None, (*ISLAND, "rng"), "PCG64"),
    "a random state beyond its range": (None, ("search", "laws", "seekers", "rng", "uinteger"), 10**30),
    "fitness that is no number": (None, (*ISLAND, "fitness", 0), "0x1p2000"),
    "another population": (None, (*ISLAND, "population"), "AAAA"),
    "genes that are none": ("SC", ("generation", "front", 0, 0), ["__import__('os')"]),
    "a front of parts": ("SC", ("generation", "front", 0), [1, 2, 3]),
    "a random state of the paper's loop": ("SC", ("generation", "rng", "state"), 1.5),
}


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_state_is_refused_with_a_sentence(case, tmp_path):
    """The digest only tells of accidents: whoever can write the file can write that too."""
    configuration, place, new = FORGED[case]
    path = tmp_path / "state"
    small(configuration).fit(*table(), checkpoint=path)
    path.write_bytes(forged(json.loads(path.read_bytes()), place, new))
    with pytest.raises(ValueError, match="The checkpoint is damaged; delete it"):
        small(configuration).set_params(generations=3).fit(*table(), checkpoint=path)


@pytest.mark.parametrize("content", [b"[" * 100_000, pickle.dumps(Bomb()), b"", b"null", b'{"a": 1'])
def test_files_that_are_no_checkpoints(content, tmp_path):
    path = tmp_path / "state"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="checkpoint"):
        small().fit(*table(), checkpoint=path)
    assert path.read_bytes() == content


def test_a_full_disk_costs_the_checkpoint_and_not_the_run(tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(run, "write_atomically", full)
    with pytest.warns(UserWarning, match="cannot be written .*No space left.*goes on without"):
        model = small().fit(*table(), checkpoint=tmp_path / "state")
    assert str(model.formula_) == str(small().fit(*table()).formula_)

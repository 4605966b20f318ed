"""When a run of the estimator ends, and what is left of it then: limits, callbacks, Ctrl-C, kill -9, checkpoints."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from estimator_cases import problem, quick, same

from multigene import MultigeneRegressor
from multigene.evolution.checkpoint import VERSION
from multigene.settings.paper import CODENAMES

# --- when a run ends ------------------------------------------------------------------------------


def test_stopping_rules():
    X, y = problem()
    assert quick(generations=3).fit(X, y).stopped_by_ == "generations"
    easy = quick(generations=200).fit(X, 2.0 * X[:, 0] + 1.0)
    assert easy.stopped_by_ == "target"
    assert easy.n_generations_ < 200
    lazy = quick(generations=500, settings={"stagnation": 3, "target_r2": None}).fit(
        X, np.random.default_rng(0).normal(size=len(y))
    )
    assert lazy.stopped_by_ == "stagnation"
    assert lazy.n_generations_ < 500
    noise = np.random.default_rng(1).normal(size=len(y))
    assert quick(generations=None, time_limit=0.2).fit(X, y + noise).stopped_by_ == "time"


def test_the_processors_clock_does_not_count_waiting():
    def waits(_):
        time.sleep(0.2)

    X, y = problem()
    ended = {}
    for clock in ("wall", "processor"):
        settings = {"clock": clock, "target_r2": None}
        model = quick(generations=10, time_limit=1.0, settings=settings).fit(X, y, callback=waits)
        ended[clock] = model.stopped_by_
    assert ended == {"wall": "time", "processor": "generations"}
    with pytest.raises(ValueError, match="clock='sun' is not known; take one of 'wall', 'processor'"):
        quick(settings={"clock": "sun"}).fit(X, y)


def test_callback():
    seen = []
    model = quick(generations=50).fit(*problem(), callback=lambda g: seen.append(g.number) or g.number == 4)
    assert seen == [0, 1, 2, 3, 4]
    assert model.stopped_by_ == "callback"
    assert model.n_generations_ == 5
    with pytest.raises(ZeroDivisionError):
        quick().fit(*problem(), callback=lambda g: 1 / 0)


def test_warm_start_goes_on():
    X, y = problem()
    whole = quick(generations=20).fit(X, y)
    half = quick(generations=10, warm_start=True).fit(X, y)
    assert half.n_generations_ == 10
    half.fit(X, y)
    assert half.n_generations_ == 20
    assert same(whole, half)
    assert whole.history_["fitness"].tolist() == half.history_["fitness"].tolist()
    assert whole.history_["complexity"].tolist() == half.history_["complexity"].tolist()
    with pytest.raises(ValueError, match="other data"):
        half.fit(X[:-1], y[:-1])


@pytest.mark.parametrize("limit", [0.3, 1e-6])
def test_time_limit_on_many_rows(limit):
    """Generous here (a busy machine must not fail the test); benchmarks measure the overshoot."""
    X, y = problem(n=100_000, d=5)
    start = time.perf_counter()
    model = MultigeneRegressor("UB", time_limit=limit, random_state=0).fit(X, y)
    took = time.perf_counter() - start
    assert took < limit + 20.0
    assert model.stopped_by_ == "time"
    assert np.isfinite(model.predict(X)).all()
    assert model.score(X, y) > -1e-9


# --- Ctrl-C and kill -9 ---------------------------------------------------------------------------

RUN = """
import sys
import numpy as np
from multigene import MultigeneRegressor
from multigene.search import run
run.CHECKPOINT_SECONDS = 0.0
X = np.random.default_rng(0).uniform(-2.0, 2.0, size=(80, 3))
y = np.sin(X[:, 0] + X[:, 1]) + 0.5 * X[:, -1] ** 2
def say(generation):
    print(generation.number, flush=True)
"""


def started(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_line(process: subprocess.Popen[str], wanted: str) -> None:
    for line in process.stdout:
        if line.strip() == wanted:
            return
    raise AssertionError(f"{wanted} was never printed: {process.stderr.read()}")


def test_ctrl_c_gives_the_best_model_so_far():
    parameters = "generations=10**9, settings={'target_r2': None}"
    fit = f"model = MultigeneRegressor('UB', {parameters}).fit(X, y, callback=say)\n"
    process = started(fit + "print('model', model.stopped_by_, model.score(X, y) > 0.5); print(model)")
    wait_for_line(process, "20")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "model interrupt True" in out
    assert "y = " in out
    assert "Traceback" not in err


def test_ctrl_c_in_the_first_generation_gives_the_mean():
    """Before anything was evaluated the best model so far is a constant."""
    prepare = (
        "X = np.random.default_rng(0).normal(size=(400_000, 20)); y = X[:, 0]\nprint('ready', flush=True)\n"
    )
    parameters = "n_jobs=1, settings={'population_size': 2000, 'steps': 10**5}"
    fit = f"model = MultigeneRegressor('UB', {parameters}).fit(X, y)\n"
    process = started(
        prepare
        + fit
        + "print('model', model.stopped_by_, np.isfinite(model.predict(X)).all(), len(model.history_))"
    )
    wait_for_line(process, "ready")
    time.sleep(2.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "model interrupt True 0" in out


def model_of(checkpoint, generations: int = 60) -> MultigeneRegressor:
    X = np.random.default_rng(0).uniform(-2.0, 2.0, size=(80, 3))
    y = np.sin(X[:, 0] + X[:, 1]) + 0.5 * X[:, -1] ** 2
    return MultigeneRegressor("SC", generations=generations, random_state=7).fit(X, y, checkpoint=checkpoint)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
def test_a_stopped_run_is_resumed_as_if_nothing_had_happened(how, tmp_path):
    path = tmp_path / "run.checkpoint"
    process = started(
        "model = MultigeneRegressor('SC', generations=60, random_state=7)\n"
        f"model.fit(X, y, callback=say, checkpoint={str(path)!r})"
    )
    wait_for_line(process, "25")
    process.send_signal(how)
    process.communicate(timeout=300)
    assert path.exists()
    undisturbed = model_of(None)
    resumed = model_of(path)
    assert same(undisturbed, resumed)
    for column in ("generation", "evaluations", "fitness", "complexity"):
        assert undisturbed.history_[column].tolist() == resumed.history_[column].tolist()
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part") and how != signal.SIGKILL]


@pytest.mark.parametrize("codename", CODENAMES)
def test_checkpoints_of_every_configuration(codename, tmp_path):
    X, y = problem()
    parameters = {"configuration": codename, "settings": {"population_size": 30}}
    whole = quick(generations=16, **parameters).fit(X, y)
    quick(generations=8, **parameters).fit(X, y, checkpoint=tmp_path / "c")
    assert same(whole, quick(generations=16, **parameters).fit(X, y, checkpoint=tmp_path / "c"))
    finished = quick(generations=16, **parameters).fit(X, y, checkpoint=tmp_path / "c")
    assert finished.n_generations_ == 16
    assert same(whole, finished)


def test_wrong_checkpoints_get_a_sentence(tmp_path):
    X, y = problem()
    path = tmp_path / "c"
    quick().fit(X, y, checkpoint=path)
    for other in (quick(random_state=1), quick(settings={"max_genes": 3}), quick(configuration="SB")):
        with pytest.raises(ValueError, match="other data, settings or random_state"):
            other.fit(X, y, checkpoint=path)
    with pytest.raises(ValueError, match="other data, settings or random_state"):
        quick().fit(X, y + 1.0, checkpoint=path)
    good = path.read_bytes()
    for damaged, sentence in [
        (good[:100], "damaged"),
        (b"[]", "not a checkpoint"),
        (b"\x00\xff", "damaged"),
        (good.replace(b'"version": %d' % VERSION, b'"version": 99'), "version 99"),
        (good.replace(b'"front"', b'"frond"'), "damaged"),
        (good.replace(b'"population": "', b'"population": "AAAA'), "damaged"),
    ]:
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=sentence):
            quick().fit(X, y, checkpoint=path)
    for nowhere in (tmp_path / "missing" / "c", tmp_path):
        with pytest.raises(ValueError, match="existing directory"):
            quick().fit(X, y, checkpoint=nowhere)

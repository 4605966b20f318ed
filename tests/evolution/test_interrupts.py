"""Signals during `fit`: where they break off work, where they wait, and what a second one does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene.evolution.interrupts import Interrupts, during_fit
from multigene.fitting import fitting, result
from multigene.search import phases, run, searcher
from multigene.search.islands import Islands

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def test_outside_breakable_work_the_wish_waits():
    with Interrupts() as interrupts:
        press()
        assert interrupts.asked
        with pytest.raises(KeyboardInterrupt), interrupts.breakable():
            pytest.fail("it should not begin")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_work_is_broken_off_once_and_its_clean_up_is_not():
    cleaned = []

    def work():
        with interrupts.breakable():
            try:
                press()
            finally:
                press()
                cleaned.append(1)

    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt):
            work()
        assert cleaned
        interrupts.met()
        with interrupts.breakable():
            pass


def test_work_that_makes_another_error_of_it_is_broken_off_all_the_same():
    """As NumPy does where it compares rows: "Cannot compare structured arrays unless they have a common dtype"."""

    def work():
        try:
            press()
        except KeyboardInterrupt:
            raise TypeError("Cannot compare structured arrays") from None

    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt), interrupts.breakable():
            work()
        interrupts.met()
        with pytest.raises(TypeError), interrupts.breakable():
            raise TypeError("nobody asked for an end")


def test_a_program_keeps_its_own_handler():
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
    try:
        with Interrupts() as interrupts:
            press()
            assert pressed == [1]
            assert not interrupts.asked
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_ignored_signal_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts((signal.SIGHUP,)):
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_those_of_the_command_line_hold_during_fit():
    with Interrupts() as outer, during_fit() as inner:
        assert inner is outer
    found = []
    with Interrupts():

        def elsewhere():
            with during_fit() as inner:
                found.append(inner)

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert not found[0].asked


def test_a_second_signal_ends_the_process_and_leaves_no_part_file(tmp_path):
    program = (
        "import os, signal, time; from multigene.evolution.interrupts import *; from multigene import files\n"
        "def replace(part, target):\n"
        "    os.kill(os.getpid(), signal.SIGTERM); print('held', flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)\n"
        "files.os.replace = replace\n"
        "with Interrupts(ENDING, second_ends=True): files.write_atomically('m.json', b'x')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == -signal.SIGTERM
    assert done.stdout == b"held\n"
    assert os.listdir(tmp_path) == []


# --- during fit -----------------------------------------------------------------------------------

MOMENTS = {
    "rows are being looked at": (fitting, "problem_of"),
    "the search is being prepared": (searcher.SearchState, "at_the_start"),
    "islands evolve": (Islands, "round_within"),
    "a step is being noted": (run.Run, "_record"),
    "the size is being decided": (phases, "validate"),
    "the best so far is being taken": (searcher, "provisional"),
    "the result is being made": (searcher, "result_of"),
    "digits are being dropped": (result, "with_few_digits"),
    "the data are being summed up": (result, "data_summary"),
    "the front is being made": (result, "Front"),
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("presses", [1, 3])
def test_ctrl_c_at_any_moment_leaves_a_model(moment, presses, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=500)
    place, name = MOMENTS[moment]
    plain = getattr(place, name)

    def pressed(*arguments, **named):
        monkeypatch.setattr(place, name, plain)
        for _ in range(presses):
            press()
        return plain(*arguments, **named)

    monkeypatch.setattr(place, name, pressed)
    try:
        model = MultigeneRegressor(generations=10, random_state=0, n_jobs=1, search="accuracy").fit(X, y)
    except KeyboardInterrupt:
        pytest.fail("no model")
    assert getattr(place, name) is plain, "the moment never came"
    assert np.isfinite(model.predict(X)).all()
    assert model.stopped_by_ == "interrupt"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_fit_within_others_finds_them_where_ctrl_c_is_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as for what a script puts into the background
    try:
        with Interrupts((signal.SIGINT, signal.SIGTERM)) as outer, during_fit() as inner:
            assert inner is outer
    finally:
        signal.signal(signal.SIGINT, before)

"""The runner: everything done once, also if something is killed in between."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest
from study_commands import command, contents, environment, study_of, wait_until_done
from study_fakes import design_text

from multigene.study.design import build_study
from multigene.study.runner import LocalProcesses, run_study
from multigene.study.store import Store


def test_a_study_is_run_once(tmp_path: Path) -> None:
    study = study_of(tmp_path, design_text(seeds=3))
    with Store.create(tmp_path / "study.db") as store:
        assert run_study(study, store, LocalProcesses(study, 2))["done"] == len(study.runs) == 18
        first = store.frame()
        assert run_study(study, store, LocalProcesses(study, 1))["done"] == 18
        pd.testing.assert_frame_equal(store.frame(), first)  # not even the times changed
        more = build_study(study.design.restricted(seeds=4))
        assert run_study(more, store, LocalProcesses(more, 2))["done"] == 24
        kept = store.frame().iloc[:18]
        pd.testing.assert_frame_equal(kept, first)


def test_runs_that_raise_die_or_explode_do_not_stop_the_rest(tmp_path: Path) -> None:
    moods = "\n".join(
        f'[method.{mood}]\nregressor = "study_fakes:Moody"\nparameters = {{mood = "{mood}"}}'
        for mood in ("raise", "die", "explode")
    )
    text = f'problems = ["S2D"]\nseeds = 2\n{moods}\n[method.plain]\nregressor = "study_fakes:Plain"'
    study = study_of(tmp_path, text)
    with Store.create(tmp_path / "study.db") as store:
        counts = run_study(study, store, LocalProcesses(study, 1))
        assert counts == {"waiting": 0, "running": 0, "done": 6, "failed": 2}
        failed = store.frame(("error", "traceback", "attempts"), state="failed").set_index(["method", "seed"])
        assert failed.loc[("raise", 1), "error"] == "RuntimeError: bad mood today, seed 1"
        assert "in fit" in failed.loc[("raise", 1), "traceback"]
        assert "worker was lost 3 times" in failed.loc[("die", 1), "error"]
        assert failed.loc[("die", 1), "attempts"] == 3
        done = store.frame(("test_r2", "train_r2")).set_index(["method", "seed"])
        assert done.loc[("explode", 1), "test_r2"] == -float("inf")
        assert done.loc[("explode", 1), "train_r2"] > 0
        assert store.retry_failed() == 2


def test_kill_minus_nine_five_times(tmp_path: Path) -> None:
    """Killed at random moments and resumed each time, a study ends with the store of an undisturbed one."""
    text = design_text(seeds=12, pause=0.02, problems='"S2D", "RS2D"')
    study = study_of(tmp_path, text)
    with Store.create(tmp_path / "undisturbed.db") as store:
        run_study(study, store, LocalProcesses(study, 2))
    disturbed = tmp_path / "disturbed.db"
    begin = command("run", tmp_path / "design.toml", "--store", disturbed, "--jobs", 2, "--quiet")
    rng = random.Random(6)
    finished = []
    for attempt in range(5):
        arguments = begin if attempt == 0 else command("resume", disturbed, "--jobs", 2, "--quiet")
        process = subprocess.Popen(arguments, env=environment(), stdout=subprocess.DEVNULL)
        before = finished[-1] if finished else 0
        wait_until_done(disturbed, before + 1, process)
        time.sleep(rng.uniform(0, 0.4))
        process.kill()
        process.wait()
        finished.append(int((contents(disturbed)["state"] == "done").sum()))
    assert finished == sorted(finished)
    assert finished[-1] < len(study.runs), "the kills came too late to show anything"
    last = subprocess.run(
        command("resume", disturbed, "--quiet"),
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert last.returncode == 0, last.stderr
    assert f"{len(study.runs)} runs done, 0 failed" in last.stdout
    pd.testing.assert_frame_equal(contents(disturbed), contents(tmp_path / "undisturbed.db"))


def test_two_processes_on_one_store(tmp_path: Path) -> None:
    study = study_of(tmp_path, design_text(seeds=8, pause=0.04))
    store = tmp_path / "study.db"
    arguments = command("run", tmp_path / "design.toml", "--store", store, "--jobs", 1, "--quiet")
    both = [subprocess.Popen(arguments, env=environment(), stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(300) for process in both] == [0, 0]
    with Store.open(store) as opened:
        frame = opened.frame(("state", "attempts", "owner"), state=None)
    assert len(frame) == len(study.runs)
    assert set(frame["state"]) == {"done"}
    assert set(frame["attempts"]) == {1}
    assert frame["owner"].nunique() == 2


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interrupts_are_clean(tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "design.toml").write_text(design_text(seeds=20, pause=0.05))
    store = tmp_path / "study.db"
    process = subprocess.Popen(
        command("run", tmp_path / "design.toml", "--store", store, "--jobs", 2),
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until_done(store, 1, process)  # type: ignore[arg-type]
    for _ in range(3):  # as `timeout` and batch systems do: to the process, then to its group
        process.send_signal(how)
        time.sleep(0.01)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert f"go on with `multigene study resume {store}`" in errors
    with Store.open(store) as opened:
        assert opened.counts()["running"] == 0
        assert opened.counts()["done"] >= 1

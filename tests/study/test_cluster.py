"""The study on a real Dask scheduler with worker processes, one of them killed in the middle."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from study_commands import command, contents, environment, study_of, wait_until_done
from study_fakes import design_text

from multigene.study.runner import LocalProcesses, run_study
from multigene.study.store import Store

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="Dask is not installed"
)


class Cluster:
    """A scheduler and workers as processes of their own, started as users start them."""

    def __init__(self, directory: Path) -> None:
        self.file = directory / "scheduler.json"
        self.log = (directory / "dask.log").open("w")
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start("scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1")
        deadline = time.monotonic() + 300
        while not self.file.exists():
            assert time.monotonic() < deadline, "no scheduler"
            time.sleep(0.05)
        time.sleep(0.1)
        self.address = json.loads(self.file.read_text())["address"]

    def start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        arguments = [sys.executable, "-m", "dask", what, "--scheduler-file", str(self.file), *options]
        process = subprocess.Popen(arguments, env=environment(), stdout=self.log, stderr=self.log)
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        return self.start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")

    def close(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        self.log.close()


def test_a_lost_worker_loses_nothing(tmp_path: Path) -> None:
    moody = '\n[method.moody]\nregressor = "study_fakes:Moody"\nparameters = {mood = "raise"}\n'
    study = study_of(tmp_path, design_text(seeds=8, pause=0.03) + moody)
    with Store.create(tmp_path / "local.db") as store:
        run_study(study, store, LocalProcesses(study, 2))
    on_cluster = tmp_path / "cluster.db"
    cluster = Cluster(tmp_path)
    try:
        doomed, _ = cluster.worker(), cluster.worker()
        arguments = command(
            "run", tmp_path / "design.toml", "--store", on_cluster, "--scheduler", cluster.address, "--quiet"
        )
        process = subprocess.Popen(
            arguments, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        wait_until_done(on_cluster, 5, process)
        doomed.send_signal(signal.SIGKILL)
        with Store.open(on_cluster) as store:
            at_kill = store.counts()
        out, errors = process.communicate(timeout=300)
    finally:
        cluster.close()
    assert at_kill["done"] + at_kill["failed"] < len(study.runs), "the kill came too late to show anything"
    assert process.returncode == 1, errors  # some runs raise on purpose
    assert f"{len(study.runs) - 8} runs done, 8 failed" in out
    assert "Traceback" not in errors
    assert len(contents(on_cluster)) == len(study.runs)
    pd.testing.assert_frame_equal(contents(on_cluster), contents(tmp_path / "local.db"))

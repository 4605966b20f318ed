"""The study on a real Dask scheduler with worker processes, one of them killed in the middle."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from dask_cluster import Cluster
from study_commands import command, contents, environment, study_of, wait_until_done
from study_fakes import design_text

from multigene.study.runner import LocalProcesses, run_study
from multigene.study.store import Store

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="Dask is not installed"
)


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

"""Studies run by commands, for the tests of runner, cluster and command line: one place."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from multigene.study.design import Study, build_study, read_design
from multigene.study.store import Store

TESTS = Path(__file__).parent
DETERMINISTIC = [
    "problem",
    "method",
    "run_limit",
    "seed",
    "state",
    "train_r2",
    "test_r2",
    "train_rmse",
    "test_rmse",
]
DETERMINISTIC += ["generations", "formula", "size", "lcf_share", "depth", "genes", "error"]


def study_of(tmp_path: Path, text: str) -> Study:
    (tmp_path / "design.toml").write_text(text)
    return build_study(read_design(tmp_path / "design.toml"))


def contents(path: Path) -> pd.DataFrame:
    with Store.open(path) as store:
        return store.frame(state=None)[DETERMINISTIC].sort_values(DETERMINISTIC[:4], ignore_index=True)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "multigene.study", *map(str, arguments)]


def environment() -> dict[str, str]:
    paths = [str(TESTS), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def wait_until_done(path: Path, done: int, process: subprocess.Popen[Any]) -> None:
    """Until a store holds some finished runs; a study that ends or takes too long before that is ended, and the test fails."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.stat().st_size:
            with Store.open(path) as store:
                if store.counts()["done"] >= done:
                    return
        time.sleep(0.05)
    process.kill()
    pytest.fail(f"the study did not come as far as it should: {process.communicate()}")

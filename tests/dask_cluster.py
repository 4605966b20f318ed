"""A Dask cluster of processes for tests, started as users start one."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from study_commands import environment


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

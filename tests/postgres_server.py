"""A PostgreSQL server for tests that run exported SQL."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
from pathlib import Path

import pytest


def programs() -> Path:
    found = shutil.which("pg_ctl")
    places = [Path(found).resolve().parent] if found else []
    places += [Path(path).parent for path in sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_ctl"))]
    if not places:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    return places[-1]


class Postgres:
    """A server of its own in a temporary folder, reached through a socket there."""

    def __init__(self, folder: Path) -> None:
        self.programs, self.folder = programs(), folder
        # The server refuses to run as root.
        self.user = "postgres" if os.getuid() == 0 else None

    def run(self, *command: str | Path, **options: object) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            user=self.user,
            capture_output=True,
            text=True,
            timeout=120,
            **options,
        )  # type: ignore[call-overload]
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    def start(self) -> None:
        if self.user:
            shutil.chown(self.folder, self.user)
        data = self.folder / "data"
        self.run(
            self.programs / "initdb",
            "-D",
            data,
            "-U",
            "tester",
            "-E",
            "UTF8",
            "--no-locale",
            "-A",
            "trust",
            "-N",
        )
        settings = f"-c listen_addresses='' -c fsync=off -k {self.folder}"
        self.run(
            self.programs / "pg_ctl", "-D", data, "-o", settings, "-l", self.folder / "log", "-w", "start"
        )

    def stop(self) -> None:
        self.run(self.programs / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")

    def query(self, text: str) -> list[list[float]]:
        (self.folder / "query.sql").write_text(text, encoding="utf-8")
        out = self.run(
            self.programs / "psql", "-h", self.folder, "-U", "tester", "-d", "postgres", "-X", "-qAt",
            "-F", ",", "-v", "ON_ERROR_STOP=1", "-f", self.folder / "query.sql",
        )  # fmt: skip
        return [[float(cell or "nan") for cell in line.split(",")] for line in out.splitlines()]

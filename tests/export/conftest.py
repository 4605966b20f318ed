"""What several export tests need."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_server import Postgres, programs


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    programs()
    # Not pytest's own folder: the server's user must be able to reach it, and sockets have short paths.
    folder = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True).stdout.strip())
    server = Postgres(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)

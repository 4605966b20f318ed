"""The studio without a browser: a client that has its token, and waiting for a run."""

from __future__ import annotations

import time

from starlette.testclient import TestClient

from multigene.studio.app import Studio
from multigene.studio.workspace import Workspace

TOKEN, PORT = "secret-token", 8765


def opened(folder, *tables):
    workspace = Workspace(folder)
    for each in tables:
        workspace.open(each)
    studio = Studio(workspace)
    client = TestClient(studio.application(TOKEN, PORT), base_url=f"http://127.0.0.1:{PORT}")
    client.get(f"/?token={TOKEN}")
    return studio, client


def wait(client, number, *states):
    for _ in range(3_000):
        said = client.get(f"/api/runs/{number}/live").json()
        if said["state"] in states:
            return said
        time.sleep(0.1)
    raise AssertionError(said)

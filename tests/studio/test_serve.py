"""Starting the studio."""

from __future__ import annotations

import re
import socket

import pytest

pytest.importorskip("uvicorn", reason="needs multigene[studio]")

from multigene.studio.serve import serve


def test_the_address_that_is_said_can_be_connected_to_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets: sockets[0].close())
    connected = []

    def follow(said: str) -> None:
        port = re.search(r"127\.0\.0\.1:(\d+)/", said)
        assert port is not None
        with socket.create_connection(("127.0.0.1", int(port[1])), timeout=5.0):
            connected.append(port[1])

    serve([], tmp_path / "workspace", browser=False, say=follow)
    assert len(connected) == 1

"""Starts the studio: a server on 127.0.0.1 with a token of its own, and a browser on its page."""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

MISSING = "The studio needs Starlette and uvicorn: pip install 'multigene[studio]'."


def serve(
    tables: list[Path], folder: Path, port: int = 0, browser: bool = True, say: Callable[[str], None] = print
) -> None:
    """Serve until Ctrl-C; `port` 0 takes one that is free."""
    try:
        import uvicorn

        from multigene.studio.app import Studio
        from multigene.studio.workspace import Workspace
    except ImportError as error:
        raise ImportError(f"{MISSING} ({error})") from None
    workspace = Workspace(folder)
    for path in tables:
        workspace.open(path)
    studio = Studio(workspace)
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        raise ValueError(
            f"Port {port} cannot be used ({error.strerror}); give another one, or leave --port out."
        ) from None
    port, token = listening.getsockname()[1], secrets.token_urlsafe(24)
    address = f"http://127.0.0.1:{port}/?token={token}"
    server = uvicorn.Server(
        uvicorn.Config(studio.application(token, port), log_level="warning", server_header=False)
    )
    listening.listen()  # whoever follows the address at once waits for the server instead of being refused
    say(f"The studio is at {address}\nIts files are in {folder}. Ctrl-C ends it.")
    if browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:  # the way to end it
        pass
    finally:
        for run in studio.runs.values():
            if run.state == "running":
                run.ask("pause")
        for run in studio.runs.values():
            if run.thread is not None:
                run.thread.join(timeout=20.0)

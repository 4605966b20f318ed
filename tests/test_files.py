"""Files are the old one or the whole new one, keep their permissions, and leave nothing behind."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from multigene.files import write_atomically


def test_a_new_file_and_another_over_it(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write_atomically(path, b"one")
    path.chmod(0o640)
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_the_old_file_is_left_where_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    path.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["report.html"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are those of Unix")
def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    """As a device does: whoever may write to /dev had /dev/null replaced by a report."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(path.read_bytes()))
    reader.start()
    write_atomically(path, b"content")
    reader.join()
    assert received == [b"content"]
    assert path.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(tmp_path / "no" / "file.txt", b"text")
    assert caught.value.filename == str(tmp_path / "no" / "file.txt")

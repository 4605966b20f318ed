"""Writing files so that a reader never sees half of one. Used for reports, model files, checkpoints and tables."""

from __future__ import annotations

import glob
import os
import re
import secrets
import shutil
from pathlib import Path

#: What the name of a file has at its end while it is being written.
PART = re.compile(r"\.[0-9a-f]{12}\.part")
#: Files that are being written at this moment.
_unfinished: set[Path] = set()


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that it is either the old one or the whole new one, even if the machine stops in between.

    A link stays a link, and the file keeps its permissions; a new one gets those the user's umask allows. Devices and pipes are
    written to as they are.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # a device or a pipe takes bytes; nothing may take its place
        with open(target, "wb") as file:
            file.write(content)
        return
    part = target.with_name(f"{target.name}.{secrets.token_hex(6)}.part")
    _unfinished.add(part)
    try:
        with open(part, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, part)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        _unfinished.discard(part)


def remove_unfinished() -> None:
    """Remove what is being written at this moment, before the process ends without further ado."""
    for part in list(_unfinished):
        part.unlink(missing_ok=True)


def remove_parts(path: str | os.PathLike[str]) -> None:
    """Remove what `write_atomically` left beside a file when it was killed in the middle of writing."""
    target = Path(os.path.realpath(path))
    for part in target.parent.glob(f"{glob.escape(target.name)}.*.part"):
        if PART.fullmatch(part.name[len(target.name) :]):
            part.unlink(missing_ok=True)

"""Writing files so that a reader never sees half of one. Used for reports, model files, checkpoints and tables."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that it is either the old one or the whole new one, even if the machine stops in between.

    A link stays a link, and the file keeps its permissions; a new one gets those the user's umask allows.
    """
    target = Path(os.path.realpath(path))
    part = target.with_name(f"{target.name}.{secrets.token_hex(6)}.part")
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

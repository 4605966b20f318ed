"""Files written so that a reader never sees half of one (reports, model files, checkpoints and tables), and JSON from untrusted
sources read within bounds."""

from __future__ import annotations

import glob
import json
import math
import os
import re
import secrets
import shutil
import warnings
from pathlib import Path
from typing import Any

#: What the name of a file has at its end while it is being written.
PART = re.compile(r"\.[0-9a-f]{12}\.part")
#: What files hold, by their suffix.
KINDS = {".json": "JSON", ".html": "an HTML page"}
#: A text, or what is left of the file if it does not end: nothing is read twice, of any file.
_TEXTS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
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
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is not None:
            error.filename = str(path)  # the part is none of the user's
        raise
    finally:
        _unfinished.discard(part)


def misnamed(path: Path, *suffixes: str) -> str:
    """What is wrong with a file's name whose suffix says that something else is in it; empty if nothing."""
    if not path.suffix or path.suffix.lower() in suffixes:
        return ""
    return f"{KINDS[suffixes[0]]}, not {path.suffix}; name it {path.with_suffix(suffixes[0])}."


def warn_if_misnamed(path: Path, *suffixes: str) -> None:
    """A warning and no error: what took long to find is not lost for a name."""
    if wrong := misnamed(path, *suffixes):
        warnings.warn(f"{path} holds {wrong}", UserWarning, stacklevel=4)


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


def bounded_json(content: bytes, most_bytes: int, most_values: int, most_nesting: int) -> Any:
    """The value of a JSON text from an untrusted source, in linear time; a `ValueError` refuses what is larger or deeper."""
    if len(content) > most_bytes:
        raise ValueError(f"it is larger than {most_bytes} bytes; pass larger Limits if you trust it")
    if not content.strip():
        raise ValueError("it is empty")
    if content.count(b'"') > 4 * most_values:
        raise ValueError(f"it holds more texts than the {most_values} values allowed")
    bare = _TEXTS.sub(b"", content)
    values = sum(bare.count(sign) for sign in (b",", b"[", b"{"))
    if values > most_values:
        raise ValueError(f"it holds {values} values, more than the {most_values} allowed")
    depth = 0
    for sign in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if sign in b"[{" else -1
        if depth > most_nesting:
            raise ValueError(f"it is nested more than {most_nesting} deep")
    try:
        return json.loads(
            content.decode("utf-8-sig"), parse_constant=_no_constant, parse_float=_finite, parse_int=_whole
        )
    except UnicodeDecodeError:
        raise ValueError("it is not a text file") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is damaged or not JSON (line {error.lineno}: {error.msg})") from None


def _no_constant(name: str) -> float:
    raise ValueError(f"it holds the number {name}, which is not finite")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"it holds the number {text[:20]}, which is too large")
    return value


def _whole(text: str) -> int:
    if len(text) > 20:
        raise ValueError(f"it holds the number {text[:20]}…, which is too large")
    return int(text)

"""What commands say: results on standard output, notes on standard error, files at once or not at all."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
import pandas as pd

from multigene.explain.front_text import broken_between_terms
from multigene.files import misnamed, write_atomically


class ReaderGone(Exception):
    """Whoever read our standard output has stopped, as `head` does."""


def say(text: str = "") -> None:
    """A line of the result."""
    put(text + "\n")


def put(content: str | bytes) -> None:
    """Text or bytes on standard output."""
    try:
        sys.stdout.flush()
        data = (
            content.encode(sys.stdout.encoding or "utf-8", "replace") if isinstance(content, str) else content
        )
        rest = memoryview(data)
        while rest:  # an unbuffered stream may take less than it is given
            rest = rest[sys.stdout.buffer.write(rest[: 1 << 16]) :]
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None


def formula_lines(text: str) -> str:
    """Formulas as they are read: broken to the width of a terminal; in a file or a pipe one line each."""
    return broken_between_terms(text) if sys.stdout.isatty() else text


def note(text: str, quiet: bool = False) -> None:
    """A remark that is not part of the result."""
    if not quiet:
        remark(f"note: {text}")


def remark(line: str) -> None:
    """A line on standard error; where nobody reads it any more it is not said, and the work goes on."""
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)


def notes(texts: Iterable[str], quiet: bool = False) -> None:
    """Several remarks."""
    for text in texts:
        note(text, quiet)


def say_json(value: Any) -> None:
    """One JSON document on standard output."""
    say(as_json(value))


def as_json(value: Any) -> str:
    """JSON with two spaces; numbers that are not finite become null, as JSON has none of them."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """NumPy and pandas values as what JSON knows."""
    if isinstance(value, pd.DataFrame):
        return [plain(row) for row in value.to_dict(orient="records")]
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def check_writable(path: Path | None, option: str, *suffixes: str) -> None:
    """Refuse a place that cannot be written before minutes of work are spent on what should go there; and a name whose suffix
    says that something else is in the file.
    """
    if path is None or str(path) == "-":
        return
    if path.is_dir():
        raise ValueError(f"{option} {path} is a directory; give the name of a file in it.")
    if not path.parent.is_dir():
        raise ValueError(f"{option} {path}: there is no directory {path.parent}; make it first.")
    if suffixes and (wrong := misnamed(path, *suffixes)):
        raise ValueError(f"{option} {path} would hold {wrong}")


def write(path: Path | None, content: str | bytes) -> None:
    """A file, written at once or not at all; standard output for None and `-`."""
    data = content.encode() if isinstance(content, str) else content
    if path is None or str(path) == "-":
        put(content)
        return
    if path.exists() and not path.is_file():  # a pipe or a device such as /dev/stdout
        path.write_bytes(data)
        return
    write_atomically(path, data)


@contextmanager
def kept(model: str) -> Iterator[None]:
    """Files are written here: where the disk does not take one, the text of the model file goes to the temporary directory."""
    try:
        yield
    except OSError as error:
        try:
            with NamedTemporaryFile(
                "w", prefix="multigene-", suffix=".json", delete=False, encoding="utf-8"
            ) as file:
                file.write(model)
        except OSError:
            raise error from None
        raise ValueError(f"{sentence_of(error).rstrip('.')}. The model is in {file.name}.") from None


def sentence_of(error: BaseException) -> str:
    """What an error says, in a sentence."""
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror.lower()}; check the path, its permissions and the space left."
    return str(error) or type(error).__name__


def csv_text(frame: pd.DataFrame) -> str:
    """A table as CSV that reads back to the same numbers."""
    return str(frame.to_csv(index=False, lineterminator="\n"))


def parquet_or_csv(frame: pd.DataFrame, path: Path | None) -> str | bytes:
    """A table in the format its file name asks for."""
    suffix = "" if path is None else path.suffix.lower()
    if suffix == ".parquet":
        return bytes(frame.to_parquet(index=False))
    if suffix == ".tsv":
        return str(frame.to_csv(index=False, sep="\t", lineterminator="\n"))
    return csv_text(frame)


def progress_visible(quiet: bool) -> bool:
    """Progress is for people who watch."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def working(visible: bool) -> Iterator[Callable[[str], None]]:
    """A live line on standard error that says what is being done; nothing if it is not to be seen."""
    if not visible:
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(text)

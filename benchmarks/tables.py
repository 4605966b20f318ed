"""Tables of a directory as data sets: what `sizes.py` and `srbench.py` measure beside the study's own problems.

A file `name.csv` or `name.tsv` (also `.gz`) is one set. Its target is the column named `target` or `y`, else the last one; all
other columns are features.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]

SEPARATORS = {".csv": ",", ".tsv": "\t"}
TARGETS = ("target", "y")


@dataclass(frozen=True)
class Table:
    """A data set: features and target as numbers."""

    name: str
    X: Floats
    y: Floats


def tables(directory: str | Path) -> list[Table]:
    """All tables of a directory, by name."""
    place = Path(directory)
    paths = sorted(path for path in place.glob("*") if _parts(path)[1] in SEPARATORS)
    if not paths:
        raise SystemExit(
            f"{str(directory)!r} holds no table; give a directory with files .csv or .tsv (or .gz)."
        )
    return [table(path) for path in paths]


def table(path: Path) -> Table:
    """One table; a sentence says what is wrong with one that no method could use."""
    name, kind = _parts(path)
    frame = pd.read_csv(path, sep=SEPARATORS[kind])
    named = [column for column in frame.columns if str(column).lower() in TARGETS]
    target = named[0] if named else frame.columns[-1]
    for column in frame.columns:
        values = pd.to_numeric(frame[column], errors="coerce")
        if not np.all(np.isfinite(values.to_numpy(dtype=np.float64))):
            raise SystemExit(
                f"Column {str(column)!r} of {path.name} has values that are not finite numbers; remove them."
            )
    features = frame.drop(columns=target).to_numpy(dtype=np.float64)
    return Table(name, features, frame[target].to_numpy(dtype=np.float64))


def _parts(path: Path) -> tuple[str, str]:
    """The set's name and the file's kind: `a.tsv.gz` is the set `a` of the kind `.tsv`."""
    inner = path.with_suffix("") if path.suffix == ".gz" else path
    return inner.stem, inner.suffix

"""Tables larger than memory: Parquet files and directories, Arrow datasets and Dask DataFrames, read in pieces.

The search works on rows drawn evenly from all of them (`sample`); then `fitting/in_pieces.py` goes through all rows in chunks,
for the final coefficients and the scores. No more than a chunk and the sample are in memory at a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from multigene.data.constants import BYTES_PER_VALUE, CHUNK
from multigene.words import nearest


@dataclass(frozen=True)
class Stream:
    """A table that is read in pieces: its features, its target, its number of rows, and a way to go through it once."""

    features: tuple[str, ...]
    target: str
    rows: int
    frames: Callable[[], Iterator[pd.DataFrame]]
    """Goes through the table from the start; frames have the features and the target."""

    @staticmethod
    def of(X: Any, y: Any) -> Stream | None:
        """The stream of a Parquet path or Arrow dataset and the name of its target, or of Dask's X and y; None for others."""
        if type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(X, "partitions"):
            return _of_dask(X, y)
        if isinstance(X, str | os.PathLike) and isinstance(y, str):
            return parquet(Path(X), y)
        if type(X).__module__.startswith("pyarrow") and hasattr(X, "to_batches") and hasattr(X, "count_rows"):
            if not isinstance(y, str):
                raise ValueError(
                    "With an Arrow dataset, y is the name of its target column; give for example y='price'."
                )
            return _of_dataset(X, y)
        return None

    def chunks(self) -> Iterator[pd.DataFrame]:
        """Frames of at most `CHUNK` rows that have a target."""
        for frame in self.frames():
            for start in range(0, len(frame), CHUNK):
                chunk = frame.iloc[start : start + CHUNK]
                chunk = chunk[chunk[self.target].notna()]
                if len(chunk):
                    yield chunk

    def sample(self, most: int, seed: int) -> pd.DataFrame:
        """At most this many rows, drawn evenly from all of them; the same for the same seed."""
        if self.rows <= most:
            wanted = np.arange(self.rows)
        else:
            # One row of each of `most` equal stretches: even over the table, and no order of `rows` numbers in memory.
            edges = np.linspace(0, self.rows, most + 1)
            draws = np.random.default_rng(seed).uniform(size=most)
            wanted = np.minimum(np.floor(edges[:-1] + draws * np.diff(edges)).astype(np.int64), self.rows - 1)
        parts, first = [], 0
        for frame in self.frames():
            low, high = np.searchsorted(wanted, (first, first + len(frame)))
            if high > low:
                parts.append(frame.iloc[wanted[low:high] - first])
            first += len(frame)
        return pd.concat(parts, ignore_index=True)

    def sample_size(self, megabytes: float) -> int:
        """Rows that a search can work on within this much memory."""
        return max(1000, int(megabytes * 1e6 / (BYTES_PER_VALUE * (len(self.features) + 1))))


def parquet(path: Path, target: str, features: Sequence[str] | None = None) -> Stream:
    """The stream of a Parquet file, or of all Parquet files of a directory."""
    try:
        import pyarrow.dataset
    except ImportError:
        raise ValueError("Parquet files need one more package: pip install 'multigene[cli]'.") from None
    parts = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not parts or not all(part.is_file() for part in parts):
        raise ValueError(f"{path} is neither a Parquet file nor a directory with some.")
    try:
        dataset = pyarrow.dataset.dataset([str(part) for part in parts], format="parquet")
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}.") from None
    return _of_dataset(dataset, target, features)


def all_columns(path: Path) -> Stream:
    """The stream of a Parquet table before anybody has said which column is the target."""
    import pyarrow.dataset

    parts = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    dataset = pyarrow.dataset.dataset([str(part) for part in parts], format="parquet")
    return _of_dataset(dataset, dataset.schema.names[-1], dataset.schema.names[:-1])


def large_parquet(source: str, megabytes: float) -> int | None:
    """Rows of a Parquet file or directory whose values take more memory than this; None for everything else."""
    path = Path(source)
    parts = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    try:
        with parts[0].open("rb") as file:
            if file.read(4) != b"PAR1":
                return None
        import pyarrow.dataset

        dataset = pyarrow.dataset.dataset([str(part) for part in parts], format="parquet")
        rows = int(dataset.count_rows())
    except (ImportError, IndexError, OSError, ValueError):
        return None  # whoever reads it whole says what is wrong
    return rows if rows * len(dataset.schema.names) * 8 > megabytes * 1e6 else None


def _of_dataset(dataset: Any, target: str, features: Sequence[str] | None = None) -> Stream:
    names = [name for name in dataset.schema.names if not name.startswith("__")]
    if target not in names:
        raise ValueError(f"The table has no column {target!r}{nearest(target, names) or '.'}")
    kept = [name for name in names if name != target] if features is None else list(features)

    def frames() -> Iterator[pd.DataFrame]:
        batches = dataset.to_batches(
            columns=[*kept, target], batch_size=CHUNK, batch_readahead=1, fragment_readahead=1
        )
        for batch in batches:
            if batch.num_rows:
                yield batch.to_pandas()

    return Stream(tuple(kept), target, int(dataset.count_rows()), frames)


def _of_dask(X: Any, y: Any) -> Stream:
    if not hasattr(y, "partitions") or y.npartitions != X.npartitions:
        raise ValueError(
            "With a Dask DataFrame, y is a Dask Series with the same partitions, such as frame['price']."
        )
    target = str(y.name or "y")
    if target in X.columns:
        raise ValueError(f"X holds the target {target!r} as well; drop it from X.")

    def frames() -> Iterator[pd.DataFrame]:
        for part in range(X.npartitions):
            frame = X.get_partition(part).compute()
            yield frame.assign(**{target: y.get_partition(part).compute().to_numpy()})

    rows = int(X.map_partitions(len).compute().sum())
    return Stream(tuple(map(str, X.columns)), target, rows, frames)


def only_in_memory(given: Mapping[str, Any]) -> None:
    """Refuse arguments of a fit that tables read in pieces do not take; None stands for what was not given."""
    for name, value in given.items():
        if value is not None:
            raise ValueError(
                f"Tables that are read in pieces have no {name}; fit rows in memory, or leave it out."
            )

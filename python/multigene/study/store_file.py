"""The SQLite file of a study: its tables, how it is made and opened, and SQLite's complaints as sentences.

`store.py` works on the file that is opened here.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from multigene.study.errors import StudyError

SCHEMA = 2
FORMAT = "multigene study store"
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE specification (
    kind TEXT NOT NULL, name TEXT NOT NULL, settings TEXT NOT NULL, PRIMARY KEY (kind, name)
);
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    problem TEXT NOT NULL, method TEXT NOT NULL, run_limit TEXT NOT NULL, seed INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    owner TEXT, heartbeat REAL, attempts INTEGER NOT NULL DEFAULT 0, finished TEXT,
    train_r2 REAL, test_r2 REAL, train_rmse REAL, test_rmse REAL, seconds REAL, generations INTEGER,
    formula TEXT, size INTEGER, lcf_share REAL, depth INTEGER, genes INTEGER,
    history TEXT, warnings TEXT, error TEXT, traceback TEXT, versions TEXT, machine TEXT,
    UNIQUE (problem, method, run_limit, seed)
);
CREATE INDEX run_state ON run (state);
CREATE TABLE checkpoint (
    run INTEGER NOT NULL REFERENCES run (id), at TEXT NOT NULL, rule TEXT NOT NULL,
    generations INTEGER NOT NULL, seconds REAL NOT NULL, train_r2 REAL, test_r2 REAL,
    size INTEGER, lcf_share REAL, depth INTEGER, PRIMARY KEY (run, at, rule)
);
"""


def make(path: Path) -> None:
    """Makes the file with its tables, if there is none yet."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudyError(f"the store {path} cannot be made: {error.strerror or error}") from error
    with sentences(path):
        connection = _connect(path, "rwc")
        try:
            connection.execute("BEGIN IMMEDIATE")
            if not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                for statement in _TABLES.split(";"):
                    connection.execute(statement)
                rows = [("format", FORMAT), ("schema", str(SCHEMA)), ("created", now())]
                connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
            connection.execute("COMMIT")
        finally:
            connection.close()


def opened(path: Path) -> sqlite3.Connection:
    """A connection to an existing file that is a store, whole, and of a schema that this version knows."""
    if not path.is_file():
        raise StudyError(
            f"there is no store {path}; start a study with `multigene study run … --store {path}`"
        )
    with sentences(path):
        connection = _connect(path, "rw")
        try:
            damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if damage != "ok":
                raise sqlite3.DatabaseError(damage)
            meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        except BaseException:
            connection.close()
            raise
    if meta.get("format") != FORMAT:
        connection.close()
        raise StudyError(f"{path} is an SQLite file but not a store of a study; name another file")
    if meta.get("schema") != str(SCHEMA):
        connection.close()
        raise StudyError(
            f"{path} has schema {meta.get('schema')}, this version of multigene reads {SCHEMA}; "
            "use the version that made it"
        )
    return connection


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    location = f"{path.resolve().as_uri()}?mode={mode}"
    return sqlite3.connect(location, uri=True, timeout=30.0, isolation_level=None)


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Turns SQLite's complaints into sentences."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        unusable = isinstance(error, sqlite3.OperationalError)
        if unusable and not str(error).startswith(("no such table", "no such column")):
            raise StudyError(
                f"the store {path} cannot be used: {error}; is it writable and on a local disk?"
            ) from error
        raise damaged(path, str(error)) from error


def damaged(path: Path, how: str) -> StudyError:
    """A file that cannot be read as a store."""
    return StudyError(
        f"{path} is not a store of a study, or it is damaged ({how}); nothing was changed: "
        "restore a copy or name another file"
    )


def now() -> str:
    """The time as the store writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

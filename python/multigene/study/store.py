"""The durable record of a study: one SQLite file that knows the state and the result of every run.

A run is claimed (by an owner, with a heartbeat), then recorded: each is one transaction, so a killed study
loses at most the runs it was in the middle of. A claim whose owner is dead, or silent for longer than the
lease, is free again; a late result of an owner who lost its claim is not taken. So any number of processes
can work on one store without doing a run twice.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from multigene.study.design import Design, Run, Study, design_from
from multigene.study.errors import StudyError
from multigene.study.execution import Outcome
from multigene.study.owners import is_dead, new_owner
from multigene.study.store_file import damaged, make, now, opened, sentences

LEASE_SECONDS = 60.0
ATTEMPTS = 3

RESULT_COLUMNS = (
    *("train_r2", "test_r2", "train_rmse", "test_rmse", "seconds", "generations", "formula", "size"),
    *("lcf_share", "depth", "genes", "history", "warnings", "error", "traceback", "versions", "machine"),
)
CHECKPOINT_COLUMNS = (
    *("at", "rule", "generations", "seconds", "train_r2", "test_r2", "size", "lcf_share", "depth"),
)
NUMBERS = frozenset(RESULT_COLUMNS[:6]) | {"size", "lcf_share", "depth", "genes"}


class Store:
    """An open store. Not shared between threads: each opens its own (`Store.open` with the same path)."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._wanted = False

    @classmethod
    def create(cls, path: str | Path) -> Store:
        """Opens the store at `path`, made anew if there is no file yet."""
        make(Path(path))
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """Opens an existing store and checks that it is one, whole, and of a schema this version knows."""
        return cls(Path(path), opened(Path(path)))

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- what the study is ---------------------------------------------------------------------------------

    def enrol(self, study: Study) -> None:
        """Makes the study's runs known (those already there keep their results) and the only ones to be
        claimed.
        """
        with self._transaction() as connection:
            self._check_specifications(study)
            connection.execute(
                "INSERT OR REPLACE INTO meta VALUES ('design', ?)", (json.dumps(study.design.to_dict()),)
            )
            connection.executemany(
                "INSERT OR IGNORE INTO run (problem, method, run_limit, seed) VALUES (?, ?, ?, ?)",
                [(run.problem, run.method, run.limit, run.seed) for run in study.runs],
            )
        self.want(study.runs)

    def _check_specifications(self, study: Study) -> None:
        for kind, members in (("problem", study.problems), ("method", study.methods)):
            for name, member in members.items():
                self._check_specification(kind, name, member.specification())

    def _check_specification(self, kind: str, name: str, specification: Mapping[str, str]) -> None:
        settings = json.dumps(specification, sort_keys=True)
        row = self._connection.execute(
            "SELECT settings FROM specification WHERE kind = ? AND name = ?", (kind, name)
        ).fetchone()
        if row is not None and row[0] != settings:
            raise StudyError(
                f"{self.path} already holds runs of the {kind} {name!r} with other settings "
                f"({row[0]} there, {settings} now); give it another name or use another store"
            )
        self._connection.execute(
            "INSERT OR IGNORE INTO specification VALUES (?, ?, ?)", (kind, name, settings)
        )

    def design(self) -> Design:
        """The design last enrolled."""
        with sentences(self.path):
            row = self._connection.execute("SELECT value FROM meta WHERE key = 'design'").fetchone()
        if row is None:
            raise StudyError(f"{self.path} holds no design yet; start a study with `multigene study run`")
        try:
            return design_from(json.loads(row[0]), Path.cwd())
        except ValueError as error:
            raise damaged(self.path, f"its design cannot be read: {error}") from error

    def want(self, runs: Iterable[Run]) -> None:
        """Restricts claims and counts to these runs (a store may hold those of other designs too)."""
        with self._transaction() as connection:
            connection.execute("CREATE TEMP TABLE IF NOT EXISTS wanted (id INTEGER PRIMARY KEY)")
            connection.execute("DELETE FROM wanted")
            connection.executemany(
                "INSERT INTO wanted SELECT id FROM run "
                "WHERE problem = ? AND method = ? AND run_limit = ? AND seed = ?",
                [(run.problem, run.method, run.limit, run.seed) for run in runs],
            )
        self._wanted = True

    # -- work ----------------------------------------------------------------------------------------------

    def claim(self, owner: str, lease: float = LEASE_SECONDS) -> Run | None:
        """Takes the next waiting run for `owner`; None when there is none. Runs of dead owners are freed
        first.
        """
        with self._transaction() as connection:
            row = self._next_waiting()
            if row is None and self._free_abandoned(lease):
                row = self._next_waiting()
            if row is None:
                return None
            connection.execute(
                "UPDATE run SET state = 'running', owner = ?, heartbeat = ?, attempts = attempts + 1 "
                "WHERE id = ?",
                (owner, time.time(), row[0]),
            )
            return Run(*row[1:])

    def _next_waiting(self) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._connection.execute(
            "SELECT id, problem, method, run_limit, seed FROM run WHERE state = 'waiting' "
            f"{self._restriction()} ORDER BY id LIMIT 1"
        ).fetchone()
        return row

    def _restriction(self) -> str:
        return "AND id IN (SELECT id FROM wanted)" if self._wanted else ""

    def _free_abandoned(self, lease: float) -> int:
        owners = self._connection.execute(
            "SELECT owner, MAX(heartbeat) FROM run WHERE state = 'running' GROUP BY owner"
        ).fetchall()
        freed = 0
        for owner, heartbeat in owners:
            if heartbeat is None or time.time() - heartbeat > lease or is_dead(owner):
                freed += self._connection.execute(
                    "UPDATE run SET state = 'waiting', owner = NULL, attempts = attempts - 1 "
                    "WHERE state = 'running' AND owner IS ?",
                    (owner,),
                ).rowcount
        return freed

    def beat(self, owner: str) -> None:
        """Says that `owner` is alive and still at work on its claims."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE run SET heartbeat = ? WHERE state = 'running' AND owner = ?", (time.time(), owner)
            )

    def record(self, owner: str, run: Run, outcome: Outcome) -> bool:
        """Writes a finished run; False (and nothing written) when the claim is no longer the owner's."""
        with self._transaction() as connection:
            return self._record(connection, owner, run, outcome)

    def adopt(
        self,
        finished: Iterable[tuple[Run, Outcome]],
        specifications: Mapping[tuple[str, str], Mapping[str, str]],
    ) -> int:
        """Takes in runs that were made elsewhere, of problems and methods with these settings; returns how many were still
        waiting here.
        """
        owner, added = new_owner(), 0
        with self._transaction() as connection:
            for (kind, name), settings in specifications.items():
                self._check_specification(kind, name, settings)
            for run, outcome in finished:
                added += connection.execute(
                    "UPDATE run SET state = 'running', owner = ? WHERE state = 'waiting' "
                    "AND problem = ? AND method = ? AND run_limit = ? AND seed = ?",
                    (owner, run.problem, run.method, run.limit, run.seed),
                ).rowcount
                self._record(connection, owner, run, outcome)
        return added

    def _record(self, connection: sqlite3.Connection, owner: str, run: Run, outcome: Outcome) -> bool:
        values = asdict(outcome)
        checkpoints = values.pop("checkpoints")
        for name in ("history", "warnings", "versions", "machine"):
            values[name] = json.dumps(values[name])
        assignments = ", ".join(f"{name} = :{name}" for name in RESULT_COLUMNS)
        changed = connection.execute(
            f"UPDATE run SET state = :state, finished = :finished, {assignments} "
            "WHERE problem = :problem AND method = :method AND run_limit = :run_limit AND seed = :seed "
            "AND state = 'running' AND owner = :owner",
            {
                **{name: values[name] for name in RESULT_COLUMNS},
                **{"problem": run.problem, "method": run.method, "run_limit": run.limit, "seed": run.seed},
                "state": "done" if outcome.error is None else "failed",
                "finished": now(),
                "owner": owner,
            },
        ).rowcount
        if changed == 1:
            self._record_checkpoints(connection, run, checkpoints)
        return changed == 1

    def _record_checkpoints(
        self, connection: sqlite3.Connection, run: Run, checkpoints: list[dict[str, Any]]
    ) -> None:
        names = CHECKPOINT_COLUMNS
        connection.executemany(
            f"INSERT OR REPLACE INTO checkpoint (run, {', '.join(names)}) SELECT id, "
            f"{', '.join(f':{name}' for name in names)} FROM run WHERE problem = :run_problem AND "
            "method = :run_method AND run_limit = :run_limit AND seed = :run_seed",
            [
                {
                    **checkpoint,
                    "run_problem": run.problem,
                    "run_method": run.method,
                    "run_limit": run.limit,
                    "run_seed": run.seed,
                }
                for checkpoint in checkpoints
            ],
        )

    def give_back(self, owner: str, run: Run | None = None) -> int:
        """Frees the owner's claim on this run, or all its claims, for the next one who asks."""
        where, values = "", []
        if run is not None:
            where = "AND problem = ? AND method = ? AND run_limit = ? AND seed = ?"
            values = [run.problem, run.method, run.limit, run.seed]
        with self._transaction() as connection:
            return connection.execute(
                "UPDATE run SET state = 'waiting', owner = NULL, attempts = attempts - ? "
                f"WHERE state = 'running' AND owner = ? {where}",
                [0 if run is not None else 1, owner, *values],
            ).rowcount

    def attempts(self, run: Run) -> int:
        """How often the run was begun."""
        row = self._connection.execute(
            "SELECT attempts FROM run WHERE problem = ? AND method = ? AND run_limit = ? AND seed = ?",
            (run.problem, run.method, run.limit, run.seed),
        ).fetchone()
        return int(row[0])

    def retry_failed(self) -> int:
        """Makes failed runs wait again (after the cause was removed); returns how many."""
        with self._transaction() as connection:
            return connection.execute(
                "UPDATE run SET state = 'waiting', attempts = 0, error = NULL, traceback = NULL "
                f"WHERE state = 'failed' {self._restriction()}"
            ).rowcount

    # -- reading -------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, int]:
        """How many runs are waiting, running, done and failed."""
        with sentences(self.path):
            rows = self._connection.execute(
                f"SELECT state, COUNT(*) FROM run WHERE 1 {self._restriction()} GROUP BY state"
            ).fetchall()
        return {"waiting": 0, "running": 0, "done": 0, "failed": 0, **dict(rows)}

    def frame(self, columns: Iterable[str] = (), state: str | None = "done") -> pd.DataFrame:
        """The runs of this state (None: all) as a frame: names, seed and the chosen result columns (default:
        all).
        """
        chosen = [
            "problem",
            "method",
            "run_limit",
            "seed",
            *(columns or ("state", "finished", *RESULT_COLUMNS)),
        ]
        query = f"SELECT {', '.join(chosen)} FROM run WHERE (? IS NULL OR state = ?) ORDER BY id"
        with sentences(self.path):
            rows = self._connection.execute(query, (state, state)).fetchall()
        frame = pd.DataFrame(rows, columns=chosen)
        for column in NUMBERS.intersection(chosen):
            if frame[column].map(lambda value: isinstance(value, str | bytes)).any():
                raise damaged(self.path, f"a run has a text as its {column}")
        return frame

    def checkpoints(self) -> pd.DataFrame:
        """What finished runs had on their way: names, seed, and what was found at every mark, by either rule."""
        names = ["problem", "method", "run_limit", "seed"]
        chosen = ", ".join([*names, *(f"checkpoint.{name}" for name in CHECKPOINT_COLUMNS)])
        query = f"SELECT {chosen} FROM checkpoint JOIN run ON run.id = checkpoint.run WHERE state = 'done' ORDER BY run.id"
        with sentences(self.path):
            rows = self._connection.execute(query).fetchall()
        return pd.DataFrame(rows, columns=[*names, *CHECKPOINT_COLUMNS])

    def settings(self) -> dict[tuple[str, str], dict[str, str]]:
        """The settings of every problem and method the store has seen, by kind and name."""
        with sentences(self.path):
            rows = self._connection.execute("SELECT kind, name, settings FROM specification").fetchall()
        return {(kind, name): json.loads(settings) for kind, name, settings in rows}

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with sentences(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def read_json(frame: pd.DataFrame, column: str) -> list[Any]:
    """A column of JSON texts as plain data; a sentence when one of them is none."""
    try:
        return [json.loads(text) if isinstance(text, str) else None for text in frame[column]]
    except ValueError as error:
        raise StudyError(f"the store is damaged: a run has an unreadable {column} ({error})") from error

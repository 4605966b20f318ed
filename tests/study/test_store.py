"""The store: claims, leases, records, refusals."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from study_fakes import design_text

from multigene.study.design import Study, build_study, read_design
from multigene.study.errors import StudyError
from multigene.study.execution import Outcome
from multigene.study.owners import new_owner
from multigene.study.store import Store, read_json


@pytest.fixture
def study(tmp_path: Path) -> Study:
    (tmp_path / "design.toml").write_text(design_text(seeds=2))
    return build_study(read_design(tmp_path / "design.toml"))


@pytest.fixture
def store(tmp_path: Path, study: Study) -> Store:
    made = Store.create(tmp_path / "a" / "study.db")
    made.enrol(study)
    yield made
    made.close()


def test_every_run_is_claimed_once_and_recorded_whole(store: Store, study: Study) -> None:
    owner = new_owner()
    claimed = []
    while (run := store.claim(owner)) is not None:
        claimed.append(run)
    assert claimed == list(study.runs)
    outcome = Outcome(
        train_r2=0.5,
        test_r2=-np.inf,
        seconds=1.5,
        formula="x",
        history=((0.1, 5, 0.5),),
        versions={"python": "3"},
    )
    assert store.record(owner, claimed[0], outcome)
    assert not store.record(owner, claimed[0], outcome)  # finished runs are never written again
    row = store.frame().iloc[0]
    assert row["test_r2"] == -np.inf
    assert row["history"] == "[[0.1, 5, 0.5]]"
    assert store.counts() == {"waiting": 0, "running": len(claimed) - 1, "done": 1, "failed": 0}
    store.enrol(study)  # enrolling again changes nothing
    assert store.counts()["done"] == 1


def test_two_owners_never_share_a_run(store: Store) -> None:
    with Store.open(store.path) as other:
        mine, theirs = new_owner(), new_owner()
        pairs = [(store.claim(mine), other.claim(theirs)) for _ in range(3)]
    assert len({run for pair in pairs for run in pair}) == 6


def test_expired_leases_are_run_again_and_late_results_refused(
    store: Store, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    slow, quick = "elsewhere|1|1|a", new_owner()
    for _ in study.runs:
        store.claim(slow)
    assert store.claim(quick, lease=60) is None
    now += 50.0
    store.beat(slow)
    now += 50.0
    assert store.claim(quick, lease=60) is None  # the heartbeat keeps the claim
    now += 50.0
    run = store.claim(quick, lease=60)
    assert run == study.runs[0]
    assert not store.record(slow, run, Outcome(test_r2=0.1))
    assert store.record(quick, run, Outcome(test_r2=0.2))
    assert store.frame()["test_r2"].tolist() == [0.2]


def test_claims_of_a_dead_process_are_free_at_once(store: Store, study: Study) -> None:
    code = (
        "import sys; from multigene.study.store import Store, new_owner\n"
        "store, owner = Store.open(sys.argv[1]), new_owner()\n"
        "print([store.claim(owner) for _ in range(int(sys.argv[2]))][0].problem)"
    )
    subprocess.run([sys.executable, "-c", code, store.path, str(len(study.runs))], check=True)
    assert store.counts()["running"] == len(study.runs)
    assert store.claim(new_owner()) == study.runs[0]
    assert store.counts()["running"] == 1


def test_giving_back_and_retrying(store: Store, study: Study) -> None:
    owner = new_owner()
    first, second = store.claim(owner), store.claim(owner)
    assert first is not None
    assert second is not None
    store.record(owner, first, Outcome(error="ValueError: no"))
    assert store.counts()["failed"] == 1
    assert store.give_back(owner) == 1
    assert store.claim(owner) == second
    assert store.attempts(second) == 1
    assert store.retry_failed() == 1
    assert store.claim(owner) == first
    assert store.frame(("error",), state=None)["error"].isna().all()


def test_other_settings_under_the_same_name_are_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(design_text().replace("features = 6", "features = 7"))
    with pytest.raises(
        StudyError, match=r"method 'UB' with other settings .*another name or use another store"
    ):
        store.enrol(build_study(read_design(tmp_path / "other.toml")))
    assert sum(store.counts().values()) == 12


def test_a_smaller_design_is_worked_off_alone(store: Store, study: Study) -> None:
    small = build_study(study.design.restricted(problems=["SU"], methods=["plain"]))
    store.enrol(small)
    owner = new_owner()
    assert [store.claim(owner) for _ in range(3)] == [*small.runs, None]
    assert sum(store.counts().values()) == 2


def test_what_is_not_a_store_is_refused_and_left_alone(tmp_path: Path, store: Store) -> None:
    text = tmp_path / "text.db"
    text.write_text("not a database at all, but long enough to look like a file with something inside" * 20)
    before = text.read_bytes()
    for opening in (Store.open, Store.create):
        with pytest.raises(StudyError, match="not a store of a study, or it is damaged"):
            opening(text)
    assert text.read_bytes() == before
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE meta (key, value)")
    connection.close()
    with pytest.raises(StudyError, match="not a store of a study; name another file"):
        Store.create(other)
    with pytest.raises(StudyError, match="there is no store"):
        Store.open(tmp_path / "missing.db")
    store._connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    with pytest.raises(StudyError, match="schema 99"):
        Store.open(store.path)
    with pytest.raises(StudyError, match="cannot be"):
        Store.create("/proc/none/study.db")


def test_a_damaged_store_gets_a_sentence(tmp_path: Path, store: Store) -> None:
    content = bytearray(store.path.read_bytes())
    content[4096:12288] = b"\x5a" * 8192
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(content)
    with pytest.raises(StudyError, match="damaged"):
        Store.open(damaged)
    assert damaged.read_bytes() == bytes(content)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("UPDATE meta SET value = '{bad' WHERE key = 'design'", "its design cannot be read"),
        ("UPDATE run SET state = 'done', test_r2 = 'abc'", "a run has a text as its test_r2"),
        ("UPDATE run SET state = 'done', test_r2 = 1, train_r2 = 1, history = '{bad'", "unreadable history"),
        ("DROP TABLE run", "no such table: run"),
        ("DROP TABLE meta", "no such table: meta"),
    ],
)
def test_records_that_make_no_sense_get_a_sentence(store: Store, change: str, sentence: str) -> None:
    with sqlite3.connect(store.path) as connection:
        connection.execute(change)
    connection.close()
    before = store.path.read_bytes()

    def read_all() -> None:
        with Store.open(store.path) as opened:
            read_json(opened.frame(("history",)), "history")
            opened.frame()
            opened.design()

    with pytest.raises(StudyError, match=sentence):
        read_all()
    assert store.path.read_bytes() == before


def test_a_claim_that_makes_no_sense_is_free(store: Store) -> None:
    count = sum(store.counts().values())
    store._connection.execute("UPDATE run SET state = 'running', owner = NULL, heartbeat = NULL WHERE id = 1")
    store._connection.execute("UPDATE run SET state = 'running', owner = 'x', heartbeat = 0 WHERE id = 2")
    owner = new_owner()
    claimed = [store.claim(owner) for _ in range(count)]
    assert None not in claimed
    assert store.claim(owner) is None

"""How long a study will take: by limits, by what the store knows, by the table of measured runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from multigene.study import estimate
from multigene.study.design import build_study, read_design
from multigene.study.execution import Outcome
from multigene.study.owners import new_owner
from multigene.study.store import Store


@pytest.fixture
def store(tmp_path: Path):
    with Store.create(tmp_path / "s.db") as made:
        yield made


def seconds(store: Store, design: str, **restricted) -> tuple[int, float | None]:
    study = build_study(read_design(design).restricted(**restricted), prepare=False)
    store.enrol(study)
    return estimate.seconds_left(study, store)


def test_runs_limited_by_seconds_take_those(store):
    number, total = seconds(store, "science-steps", problems=["K11C"], seeds=3)
    assert number == 3 * 7
    assert total == pytest.approx(number * 1.0)


def test_the_whole_paper_takes_hours(store, monkeypatch):
    monkeypatch.setattr(estimate, "machine_factor", lambda: 1.0)
    number, total = seconds(store, "paper-effort")
    assert number == 15 * 12 * 30
    assert 3 * 3600 < total < 20 * 3600
    twice = estimate.measured_seconds()
    assert ("K11C", "UB") in twice
    monkeypatch.setattr(estimate, "machine_factor", lambda: 2.0)
    assert seconds(store, "paper-effort")[1] == pytest.approx(2.0 * total)


def test_finished_runs_are_not_counted_and_tell_of_the_others(store):
    study = build_study(read_design("paper-effort").restricted(["S5D"], ["UB"], 4, ()), prepare=False)
    store.enrol(study)
    owner = new_owner()
    run = store.claim(owner)
    assert run is not None
    store.record(owner, run, Outcome(train_r2=1.0, test_r2=1.0, seconds=7.0))
    assert estimate.seconds_left(study, store) == (3, pytest.approx(21.0))


def test_methods_that_nothing_is_known_of(store):
    number, total = seconds(store, "paper-effort", methods=["multigene"], problems=["S5D"], seeds=1)
    assert (number, total) == (1, None)


def test_the_machine_is_measured():
    assert 0.02 < estimate.machine_factor() < 50.0

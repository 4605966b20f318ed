"""The benchmark of claims: what is written is read again, and counted by kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks import calibration
from benchmarks.calibration import Planted, by_grade, by_kind, draw, interval

from multigene.laws.claims import kind_of
from multigene.laws.exact import EXACTLY, IN_NOISE, TO_PRECISION

RUNS = [
    Planted("dev", "one", 0.0, "exact", 0, 1, "x"),
    Planted("dev", "two", 0.01, "consistent with the noise", 3, 0, "1.5*x, y"),
    Planted("dev", "three", 0.01, "consistent with the noise", 3, 1, "2*x"),
    Planted("held-out", "four", 0.1, "no claim", 9, 0, "x + y"),
]


def test_runs_in_the_file_are_not_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "CSV", str(tmp_path / "runs.csv"))
    for run in RUNS:
        calibration._append(run)
    assert calibration._read() == RUNS[:3]  # of the development set
    monkeypatch.setattr(calibration, "NOISE", [0.01])
    monkeypatch.setattr(calibration, "planted", lambda: [_Named("two"), _Named("five")])
    made = Planted("dev", "five", 0.01, "no claim", 0, 0, "0")
    monkeypatch.setattr(calibration, "_claimed", lambda law, number, noise: made)
    assert list(calibration.claims()) == [RUNS[1], made]
    assert calibration._read() == [*RUNS[:3], made]


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name


def test_claims_are_counted_by_kind(tmp_path):
    kinds = by_kind(RUNS)
    assert list(kinds.values()) == [(1, 1), (1, 2), (0, 1)]
    assert [kind.name.split(",")[0] for kind in kinds] == ["exact", "consistent with the noise", "no claim"]
    exact, noisy = (RUNS[k].kind.probability for k in (0, 1))
    assert by_grade(RUNS) == {("consistent with the noise", noisy): (1, 2), ("exact", exact): (1, 1)}
    draw(kinds, str(tmp_path / "figure.svg"))
    assert (tmp_path / "figure.svg").stat().st_size > 5000


@pytest.mark.parametrize("noise", [0.0, 1e-7, 0.001, 0.01, 0.1])
@pytest.mark.parametrize("fitted", [0, 1, 2, 8, 9])
def test_a_run_is_stated_as_its_claim_is(noise, fitted):
    """What a file of runs keeps tells the probability that a claim states."""
    grade = {0.0: EXACTLY, 1e-7: TO_PRECISION}.get(noise, IN_NOISE)
    expected = kind_of(grade, noise**2, fitted)[2]
    assert Planted("dev", "one", noise, grade, fitted, 1).kind.probability == expected


def test_the_runs_of_the_docs_are_all_there(monkeypatch):
    monkeypatch.setattr(calibration, "CSV", str(Path(calibration.__file__).with_name("calibration.csv")))
    monkeypatch.setattr(calibration, "SET", "unused")
    runs = calibration._read()
    assert len({(run.law, run.noise) for run in runs}) == len(runs) >= 900
    for kind, (true, count) in by_grade(runs).items():
        assert abs(true / count - kind.probability) < 0.05


@pytest.mark.parametrize(("true", "count", "low", "high"), [(10, 10, 0.72, 1.0), (5, 10, 0.24, 0.76)])
def test_intervals_of_shares(true, count, low, high):
    assert interval(true, count) == pytest.approx((low, high), abs=0.01)

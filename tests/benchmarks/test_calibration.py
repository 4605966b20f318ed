"""The benchmark of claims: what is written is read again, and counted by kind."""

from __future__ import annotations

import pytest
from benchmarks import calibration
from benchmarks.calibration import Planted, by_kind, draw, interval

RUNS = [
    Planted("dev", "one", 0.0, "exact", 0, 0.99, 1, "x"),
    Planted("dev", "two", 0.01, "consistent with the noise", 3, 0.42, 0, "1.5*x, y"),
    Planted("dev", "three", 0.01, "consistent with the noise", 3, 0.42, 1, "2*x"),
    Planted("held-out", "four", 0.1, "no claim", 9, 0.0, 0, "x + y"),
]


def test_runs_in_the_file_are_not_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "CSV", str(tmp_path / "runs.csv"))
    for run in RUNS:
        calibration._append(run)
    assert calibration._read() == RUNS[:3]  # of the development set
    monkeypatch.setattr(calibration, "NOISE", [0.01])
    monkeypatch.setattr(calibration, "planted", lambda: [_Named("two"), _Named("five")])
    made = Planted("dev", "five", 0.01, "no claim", 0, 0.0, 0, "0")
    monkeypatch.setattr(calibration, "_claimed", lambda law, number, noise: made)
    assert list(calibration.claims()) == [RUNS[1], made]
    assert calibration._read() == [*RUNS[:3], made]


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name


def test_claims_are_counted_by_kind(tmp_path):
    kinds = by_kind(RUNS)
    assert kinds == {
        ("exact", 0.99): (1, 1),
        ("consistent with the noise", 0.42): (1, 2),
        ("no claim", 0.0): (0, 1),
    }
    draw(kinds, str(tmp_path / "figure.svg"))
    assert (tmp_path / "figure.svg").stat().st_size > 5000


@pytest.mark.parametrize(("true", "count", "low", "high"), [(10, 10, 0.72, 1.0), (5, 10, 0.24, 0.76)])
def test_intervals_of_shares(true, count, low, high):
    assert interval(true, count) == pytest.approx((low, high), abs=0.01)

"""The reliability campaign in small: its table, what it counts as a failure, and a few trials of what takes no time."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import numpy as np
import pytest
from benchmarks import campaign
from benchmarks.campaign import kills, record
from benchmarks.campaign.outcome import Outcome


@pytest.mark.parametrize("name", ["mutated model files", "adversarial", "mutated tables", "random settings"])
def test_text_from_outside(name):
    [(_, check, _, _)] = [entry for entry in campaign.CHECKS if entry[0].startswith(name)]
    outcome = check(np.random.default_rng(7), 7)
    assert outcome.tried >= 7
    assert outcome.failed == 0, outcome.worst


def test_extreme_values_and_definitions():
    checks = {name: check for name, check, _, _ in campaign.CHECKS}
    for name in ("random fits, extreme values", "definitions of functions"):
        outcome = checks[name](np.random.default_rng(3), 6)
        assert outcome.failed == 0, outcome.worst


def test_warnings_exceptions_and_figures_are_failures():
    outcome = Outcome()
    with outcome.trial("fine", ValueError):
        raise ValueError
    with outcome.trial("warns"):
        np.log(np.zeros(1))
    with outcome.trial("breaks", ValueError):
        raise KeyError("k")
    outcome.measure(2.0, "s", most=1.0)
    assert (outcome.tried, outcome.failed) == (3, 3)
    assert outcome.worst.startswith("warns: RuntimeWarning")


def test_a_failure_ends_the_campaign_with_an_exit_code(monkeypatch, capsys):
    def broken(rng, trials):
        return Outcome(tried=trials, failed=1, worst="broke")

    monkeypatch.setattr(campaign, "CHECKS", (("broken", broken, 2, 5),))
    with pytest.raises(SystemExit) as ended:
        campaign.run(["--quick"])
    assert ended.value.code == 1
    assert "broke" in capsys.readouterr().out
    assert campaign.run(["--quick", "--only", "other"]).row_count == 0
    assert campaign.run(["--quick", "--skip", "brok"]).row_count == 0
    monkeypatch.setattr(campaign, "CHECKS", (("fine", lambda rng, trials: Outcome(tried=trials), 2, 5),))
    assert list(campaign.run(["--trials", "3"]).columns[1].cells) == ["3"]


def test_pieces_add_up_and_the_last_run_of_a_seed_counts(tmp_path, monkeypatch):
    path = tmp_path / "runs.csv"
    outcomes = {
        3: Outcome(tried=10, failed=1, worst="broke,\nbadly"),
        4: Outcome(tried=5, largest=0.5, worst="0.5 s"),
        5: Outcome(tried=5, largest=0.7, worst="0.7 s"),
    }
    for seed, outcome in outcomes.items():
        record.add(path, "kills", seed, outcome, 2.0)
    [(total, seconds)] = record.totals(path).values()
    assert (total.tried, total.failed, total.worst, seconds) == (20, 1, "broke, badly", 6.0)
    with pytest.raises(SystemExit):
        campaign.run(["--total", str(path)])
    record.add(path, "kills", 3, Outcome(tried=12, largest=0.6), 1.0)
    assert campaign.run(["--total", str(path)]).row_count == 1
    assert "| kills | 50 | 22 | 0 | 0 | 0.7 s |" in record.page_table([("kills", 50)], path)
    monkeypatch.setattr(campaign, "CHECKS", (("fine", lambda rng, trials: Outcome(tried=trials), 2, 5),))
    campaign.run(["--quick", "--record", str(path)])
    assert record.totals(path)["fine"][0].tried == 2


def test_a_fit_that_was_killed_ends_as_if_nobody_had():
    outcome = kills.fits(np.random.default_rng(0), 1)
    assert (outcome.tried, outcome.failed) == (1, 0), outcome.worst


def test_every_defect_that_was_found_has_a_test():
    root = Path(__file__).parents[2]
    page = (root / "docs" / "reliability.md").read_text(encoding="utf-8")
    table = page[page.index("## Found and mended") : page.index("## The engine")]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 50
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row)
        assert named, row
        for file, name in named:
            assert f"def {name}(" in (root / file).read_text(encoding="utf-8"), f"{file}::{name}"


def test_signals_that_the_shell_has_ignored_are_obeyed():
    """A shell's background jobs ignore Ctrl-C, and fits that were to be interrupted ran on to their limit."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        campaign.obey_signals()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)

"""The reliability campaign in small: its table, what it counts as a failure, and a few trials of what takes no time."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import campaign
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

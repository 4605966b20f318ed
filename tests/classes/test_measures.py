"""Curves of probabilities: area, calibration, weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from multigene.classes.constants import MOST_POINTS
from multigene.classes.measures import calibration, roc

RNG = np.random.default_rng(0)
SHARES = RNG.uniform(size=2000)
LABELS = (RNG.uniform(size=2000) < SHARES).astype(float)


@pytest.mark.parametrize("weights", [None, RNG.uniform(0.5, 2.0, 2000)], ids=["even", "weighted"])
def test_the_area_is_that_of_scikit_learn(weights):
    false, true, area = roc(LABELS, SHARES, weights)
    assert area == pytest.approx(roc_auc_score(LABELS, SHARES, sample_weight=weights), abs=1e-9)
    assert len(false) == len(true) <= MOST_POINTS
    assert (false[0], true[0], false[-1], true[-1]) == (0.0, 0.0, 1.0, 1.0)


def test_probabilities_that_are_right_lie_on_the_diagonal():
    groups = calibration(LABELS, SHARES)
    assert sum(rows for *_, rows in groups) == 2000
    assert max(abs(p - share) for p, share, _ in groups) < 0.08
    assert max(abs(p - share) for p, share, _ in calibration(LABELS, SHARES**4)) > 0.3

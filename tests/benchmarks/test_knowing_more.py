"""Telling the program more never makes it worse: random laws, with and without noise, units, functions, columns, weights."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.campaign.knowing import KINDS, WORSE, random_law, worse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10_000), noise=st.sampled_from([0.0, 0.01, 0.03]))
def test_knowing_more_is_never_worse(kind, seed, noise):
    pytest.importorskip("pint")
    rng = np.random.default_rng(seed)
    assert worse(rng, random_law(rng), kind, 80, noise, generations=3) <= WORSE

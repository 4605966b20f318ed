"""Seekers and approximators share a run by counted work."""

from __future__ import annotations

import numpy as np

from multigene.search.sharing import FAIR_CHANCE, SAVED, SHARES, due


def test_the_nearer_a_law_seems_the_more_seekers_get():
    much = 1_000_000
    given = [due(left, np.inf, much, 0, True) for left in (1e-6, 5e-4, 0.01, 0.5)]
    assert given == [int(share * much) for _, share in SHARES] + [0]


def test_what_they_had_counts():
    assert due(1e-6, np.inf, 100_000, 150_000, True) == 50_000
    assert due(1e-6, np.inf, 100_000, 250_000, True) == 0


def test_approximators_that_come_close_say_that_there_is_little_noise():
    assert due(0.5, 1e-6, 1_000_000, 0, True) == 2_000_000
    assert due(0.5, 1e-2, 1_000_000, 0, True) == 0


def test_a_find_that_leaves_more_than_approximators_says_nothing():
    assert due(0.015, 0.01, 1_000_000, 0, True) == 0
    assert due(0.010, 0.015, 1_000_000, 0, True) == int(SHARES[-1][1] * 1_000_000)


def test_a_fair_chance_comes_first():
    assert due(np.inf, np.inf, 1_000_000, 0, False) == int(FAIR_CHANCE * 1_000_000)
    assert due(np.inf, np.inf, 1_000_000, 0, True) == 0


def test_little_is_saved_up():
    assert due(1e-6, np.inf, SAVED // 4, 0, True) == 0
    assert due(1e-6, np.inf, SAVED, 0, True) == 2 * SAVED

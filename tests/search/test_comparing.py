"""One model against another on the same unseen rows."""

from __future__ import annotations

import numpy as np

from multigene.search.comparing import better_in_noise, clearly_better, convincingly_better
from multigene.search.constants import BETTER_IN_NOISE


def test_clearly_better_counts_standard_errors():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=10_000)
    first, second = 1.0 + noise, 1.03 + noise + rng.normal(size=10_000)  # three standard errors of 0.01
    assert clearly_better(first, second, 2.0)
    assert not clearly_better(first, second, 5.0)
    assert not clearly_better(second, first, 0.0)


def test_infinite_errors_lose():
    fine, broken = np.ones(5), np.array([1.0, np.inf, 1.0, 1.0, 1.0])
    assert clearly_better(fine, broken, 10.0)
    assert not clearly_better(broken, fine, 0.0)
    assert not clearly_better(broken, broken, 0.0)


def test_one_row_does_not_convince():
    first, second = np.ones(100), np.ones(100) - 1e-9
    second[0] = 1000.0  # worse on one row, better on all others
    assert clearly_better(first, second, 0.5)
    assert not convincingly_better(first, second, 0.5)
    assert convincingly_better(np.ones(100), np.linspace(1.1, 1.2, 100), 0.5)


def test_few_large_rows_convince_where_most_of_the_error_is_saved():
    """Four of 40 rows are most of a sum of squares: they are about two standard errors, however well they are predicted."""
    line = np.ones(40)
    line[:4] = 100.0
    formula = np.where(line > 50.0, 10.0, 0.8)
    assert not convincingly_better(formula, line, BETTER_IN_NOISE)
    assert better_in_noise(formula, line)
    assert not better_in_noise(np.where(line > 50.0, 60.0, 0.8), line)
    assert not better_in_noise(
        np.where(np.arange(40) == 0, 1.0, 1.1), np.where(np.arange(40) == 0, 400.0, 1.0)
    )

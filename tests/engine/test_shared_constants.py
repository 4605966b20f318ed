"""Constants that stand at several places of a model: read, written and tuned as one; and genes added as they are."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Dataset, Individual, Workers, polish
from multigene.settings.settings import Refinement

X = np.random.default_rng(0).uniform(1.0, 3.0, (200, 2))
HALF = "shared(0, 1.0)*x{0}**2 + shared(1, 1.0)*exp(shared(2, 0.5)*x{0})"


def test_text_and_back():
    [text] = Individual([HALF.format(0)], 0.0, [1.0]).genes
    assert "shared(2, 0.5)" in text
    assert Individual([text], 0.0, [1.0]).genes == [text]


def test_they_are_tuned_together_without_outer_coefficients():
    def f(x):
        return 2.5 * x**2 + 1.3 * np.exp(0.7 * x)

    model = Individual([f"({HALF.format(0)}) - ({HALF.format(1)})"], 0.0, [1.0])
    data, how = Dataset(X, f(X[:, 0]) - f(X[:, 1])), Refinement(iterations=60, gain=0.0)
    [tuned] = polish([model], data, how, [], Workers(1), False)
    assert tuned.coefficients == [1.0]
    assert tuned.intercept == 0.0
    values = [token[1] for token in tuned.tokens(0) if token[0] == "c"]
    assert values[:3] == values[3:]
    assert values[:3] == pytest.approx([2.5, 1.3, 0.7], rel=1e-6)

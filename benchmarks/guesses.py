"""Guesses: how long a right one with wrong numbers takes, and what a useless one costs.

The first table has processor seconds of whole fits of 500 rows that end by the guess; the second the test R² of the default
search with and without a guess that has nothing to do with the data.

GUESSES_SECONDS (processor seconds of the second table's runs, 3) and GUESSES_SEEDS (3).
"""

from __future__ import annotations

import os
import time

import numpy as np
from rich.console import Group
from rich.table import Table

from multigene import MultigeneRegressor
from multigene.expression.reading import read
from multigene.expression.tree import evaluate

NAMES = ["dose", "t"]
#: The law, and a guess that has its structure.
RIGHT = {
    "3.7*dose/(1.3 + dose)*exp(-0.42*t)": "dose/(5 + dose)*exp(-2*t)",
    "2.1*sin(1.7*t + 0.3) + dose**2": "sin(t) + dose**2",
    "0.8*dose**1.7 + 4": "dose**2 + 1",
    "5*exp(-3*t) + 2*exp(-0.3*t)": "exp(-t) + exp(-2*t)",
    "dose*t/(0.5 + t)": "3*dose*t/(20 + t)",
}
USELESS = ("sin(7*x0)*x1", "exp(x2)/x3")


def run() -> Group:
    """Both tables."""
    return Group(right(), useless())


def right() -> Table:
    """Processor seconds until a guess that is right but for its numbers is reported."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(0.5, 4, 500), rng.uniform(0, 3, 500)])
    table = Table("law", "guess", "ended by", "processor s", title="A right guess, 500 rows, one thread")
    for law, guess in RIGHT.items():
        y = evaluate(read(law, NAMES), X)
        started = time.process_time()
        model = MultigeneRegressor(guesses=guess, time_limit=10, random_state=0, n_jobs=1)
        model.fit(_table(X), y)
        table.add_row(law, guess, model.stopped_by_, f"{time.process_time() - started:.2f}")
    return table


def useless() -> Table:
    """Test R² with and without guesses that have nothing to do with the data."""
    seconds = float(os.environ.get("GUESSES_SECONDS", "3"))
    table = Table(
        "seed",
        "without",
        "with",
        title=f"Useless guesses, Friedman's function with noise, {seconds:g} processor s",
    )
    for seed in range(int(os.environ.get("GUESSES_SEEDS", "3"))):
        rng = np.random.default_rng(seed)
        X = rng.uniform(0, 1, (900, 5))
        clean = (
            10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
        )
        y = clean + rng.normal(size=900)
        scores = []
        for guesses in (None, list(USELESS)):
            model = MultigeneRegressor(
                guesses=guesses,
                time_limit=seconds,
                random_state=seed,
                n_jobs=1,
                settings={"clock": "processor"},
            )
            scores.append(model.fit(X[:500], y[:500]).score(X[500:], clean[500:]))
        table.add_row(str(seed), *(f"{score:.4f}" for score in scores))
    return table


def _table(X: np.ndarray) -> object:
    import pandas as pd

    return pd.DataFrame(X, columns=NAMES)

"""Telling the program more never makes it worse: units, functions, fewer columns, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.campaign.outcome import Outcome
from multigene import MultigeneRegressor

#: How much of what is left unexplained may be more, of the target's variance.
WORSE = 0.01
#: Laws with units: columns with their units and ranges, the law, the target's unit, the functions it is made of.
LAWS: tuple[tuple[dict[str, str], Any, str, list[str]], ...] = (
    ({"m": "kg", "v": "m/s"}, lambda m, v: 0.5 * m * v**2, "J", ["mul"]),
    ({"i": "A", "R": "ohm"}, lambda i, R: i * R, "V", ["mul"]),
    ({"a": "m", "b": "m"}, lambda a, b: np.sqrt(a**2 + b**2), "m", ["mul", "add", "sqrt"]),
    ({"s": "m", "t": "s"}, lambda s, t: s / t, "m/s", ["div"]),
    ({"F": "N", "A": "m**2"}, lambda F, A: 3.0 * F / A, "Pa", ["div", "mul"]),
    ({"L": "m", "g": "m/s**2"}, lambda L, g: 6.2831853 * np.sqrt(L / g), "s", ["div", "sqrt"]),
    ({"N": "1", "k": "1/s", "t": "s"}, lambda N, k, t: N * np.exp(-k * t), "1", ["mul", "exp"]),
)


def more(rng: np.random.Generator, trials: int) -> Outcome:
    """The same rows with and without knowledge; what is left unexplained of the law without noise is compared."""
    outcome = Outcome()
    for trial in range(trials):
        units, law, of_target, functions = LAWS[trial % len(LAWS)]
        n, noise = int(rng.choice([60, 150, 500])), float(rng.choice([0.0, 0.001, 0.01, 0.03]))
        columns = {name: rng.uniform(0.5, 4.0, n) for name in units}
        truth = law(*columns.values())
        y = truth + noise * truth.std() * rng.standard_normal(n)
        table = pd.DataFrame(columns)
        kind = ("units", "functions", "columns", "weights")[trial // len(LAWS) % 4]
        with outcome.trial(f"{kind}, {n} rows, noise {noise}"):
            plain = table.assign(other=rng.uniform(0.5, 4.0, n)) if kind == "columns" else table
            knows = {"units": units | {"y": of_target}} if kind == "units" else {}
            knows |= {"functions": functions} if kind == "functions" else {}
            weights = np.ones(n) if kind == "weights" else None
            without = _left(plain, y, truth, None)
            given = _left(table, y, truth, weights, **knows)
            outcome.measure(
                given - without,
                "more unexplained",
                WORSE,
                f"with {kind}, {n} rows, noise {noise:g}, {of_target}",
            )
    return outcome


def _left(table: pd.DataFrame, y: np.ndarray, truth: np.ndarray, weights: Any, **knows: Any) -> float:
    model = MultigeneRegressor(
        time_limit=2.0, random_state=0, n_jobs=1, settings={"clock": "processor"}, **knows
    ).fit(table, y, weights)
    return float(np.var(truth - model.predict(table)) / np.var(truth))

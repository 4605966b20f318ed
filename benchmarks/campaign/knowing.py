"""Telling the program more never makes it worse: units, functions, fewer columns, weights.

The yardstick for units and functions is the best formula of the front without them that they allow; for columns and weights it is
what is chosen without them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.campaign.outcome import Outcome
from multigene import MultigeneRegressor
from multigene.expression.genes import model_expression
from multigene.expression.tree import Expression
from multigene.expression.vocabulary import Vocabulary
from multigene.laws.variables.units import Dimensions

#: How much of what is left unexplained may be more, of the target's variance.
WORSE = 0.01
#: Processor seconds of a fit, with knowledge and without: the shorter, the more chance has to say.
SECONDS = (0.5, 1.0, 2.0)
KINDS = ("units", "functions", "columns", "weights")
Law = Callable[..., np.ndarray]


@dataclass(frozen=True)
class Known:
    """A law and what may be told of it: units of the columns and of the target, the functions that it is made of."""

    units: dict[str, str]
    law: Law
    of_target: str
    functions: list[str]


LAWS = (
    Known({"m": "kg", "v": "m/s"}, lambda m, v: 0.5 * m * v**2, "J", ["mul"]),
    Known({"i": "A", "R": "ohm"}, lambda i, R: i * R, "V", ["mul"]),
    Known({"a": "m", "b": "m"}, lambda a, b: np.sqrt(a**2 + b**2), "m", ["mul", "add", "sqrt"]),
    Known({"s": "m", "t": "s"}, lambda s, t: s / t, "m/s", ["div"]),
    Known({"F": "N", "A": "m**2"}, lambda F, A: 3.0 * F / A, "Pa", ["div", "mul"]),
    Known({"L": "m", "g": "m/s**2"}, lambda L, g: 6.2831853 * np.sqrt(L / g), "s", ["div", "sqrt"]),
    Known({"N": "1", "k": "1/s", "t": "s"}, lambda N, k, t: N * np.exp(-k * t), "1", ["mul", "exp"]),
)


def random_law(rng: np.random.Generator) -> Known:
    """A product of powers, perhaps with a function of a ratio of two columns of the same unit."""
    number = int(rng.integers(1, 4))
    units = {f"c{j}": str(rng.choice(["m", "s", "kg", "A", "K"])) for j in range(number)}
    powers = rng.choice([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0], size=number)
    factor = float(rng.choice([0.25, 0.5, 1.0, 2.0, 3.7]))
    product = "*".join(f"({unit})**({power:g})" for unit, power in zip(units.values(), powers, strict=True))
    functions = ["mul", "div", "sqrt"]
    outer = str(rng.choice(["", "exp", "add"]))
    if outer:
        units |= {"u": "m", "w": "m"}
        functions.append(outer)

    def law(*columns: np.ndarray) -> np.ndarray:
        found = factor * np.prod([c**p for c, p in zip(columns, powers, strict=False)], axis=0)
        ratio = columns[-2] / columns[-1] if outer else 0.0
        return np.asarray(found * (np.exp(-ratio) if outer == "exp" else 1.0 + ratio))

    return Known(units, law, product, functions)


def more(rng: np.random.Generator, trials: int) -> Outcome:
    """The same rows with and without knowledge; what is left unexplained of the law without noise is compared."""
    outcome = Outcome()
    for trial in range(trials):
        known = LAWS[int(rng.integers(len(LAWS)))] if rng.random() < 0.3 else random_law(rng)
        kind = KINDS[trial % len(KINDS)]
        n, noise = int(rng.choice([60, 150, 500])), float(rng.choice([0.0, 0.001, 0.01, 0.03]))
        limit = float(rng.choice(SECONDS))
        case = f"with {kind}, {n} rows, noise {noise:g}, {limit:g} s, {known.of_target}, {known.functions}"
        limits = {"time_limit": limit, "settings": {"clock": "processor"}}
        with outcome.trial(case):
            outcome.measure(worse(rng, known, kind, n, noise, **limits), "more unexplained", WORSE, case)
    return outcome


def worse(rng: np.random.Generator, known: Known, kind: str, n: int, noise: float, **limits: Any) -> float:
    """How much more is left unexplained with knowledge than without."""
    table = pd.DataFrame({name: rng.uniform(0.5, 4.0, n) for name in known.units})
    truth = known.law(*(table[name].to_numpy() for name in table))
    spread = noise * truth.std() * (10.0 ** rng.uniform(-1.0, 0.5, n) if kind == "weights" else np.ones(n))
    y = truth + spread * rng.standard_normal(n)

    def fitted(rows: pd.DataFrame, weights: Any = None, **told: Any) -> MultigeneRegressor:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # of a mean or of outliers: what counts is what is left unexplained
            return MultigeneRegressor(random_state=0, n_jobs=1, **limits, **told).fit(rows, y, weights)

    def left(model: MultigeneRegressor, rows: pd.DataFrame, index: int | None = None) -> float:
        return float(np.var(truth - model.predict(rows, index=index)) / np.var(truth))

    if kind == "columns":
        wide = table.assign(other=rng.uniform(0.5, 4.0, n))
        return left(fitted(table), table) - left(fitted(wide), wide)
    plain = fitted(table)
    if kind == "weights":
        weights = np.ones(n) if noise == 0.0 else spread**-2.0
        return left(fitted(table, weights), table) - left(plain, table)
    units = known.units | {"y": known.of_target}
    told = {"units": units} if kind == "units" else {"functions": known.functions}
    allows = (
        Dimensions.of(units, list(table)).admits if kind == "units" else Vocabulary(known.functions).admits
    )
    return left(fitted(table, **told), table) - _best_allowed(plain, allows, lambda i: left(plain, table, i))


def _best_allowed(
    model: MultigeneRegressor, allows: Callable[[Expression], bool], left: Callable[[int], float]
) -> float:
    """What the best formula of a front leaves unexplained, of those that are allowed; the mean always is."""
    rows = range(len(model.equations_))
    allowed = [i for i in rows if allows(model_expression(model.fitted_.at(i).individual))]
    return min((left(i) for i in allowed), default=1.0)

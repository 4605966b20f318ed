"""Known shapes: what they cost on rows like those fitted, and what they are worth beyond them.

Twelve laws with noise of 10 % of the target's spread and their shapes. Rows are drawn in the lower 60 % of every column's
range, the shapes are stated for the whole range. Columns: test R² without and with shapes in the range of the rows (−inf for a
formula without a value there), the median absolute error (in units of the law's spread) up to 20 % of the rows' range beyond
them and in all of the box beyond them, violations among 10⁶ points of the box, and how many shapes are proven.

    python -m benchmarks shapes --seconds 3 --seeds 1 --laws langmuir,hill
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene import MultigeneRegressor
from multigene.shapes.points import Conditions

Floats = npt.NDArray[np.float64]
ROWS, TEST_ROWS, POINTS = 300, 4000, 1_000_000
#: Share of a column's range that rows are drawn in.
SEEN = 0.6
#: What is near: this share of the rows' range beyond them.
NEAR = 0.2


@dataclass(frozen=True)
class Law:
    """A law of some columns, their ranges, and what is known of it."""

    value: Callable[..., Floats]
    ranges: tuple[tuple[float, float], ...]
    shapes: tuple[str, ...]


LAWS: dict[str, Law] = {
    "langmuir": Law(
        lambda p: 4 * p / (1 + p), ((0.0, 10.0),), ("increasing in x0", "concave in x0", "y(0) = 0", "y >= 0")
    ),
    "hill": Law(lambda d: d**2 / (4 + d**2), ((0.0, 10.0),), ("increasing in x0", "0 <= y <= 1", "y(0) = 0")),
    "decay": Law(lambda t: 5 * np.exp(-0.4 * t), ((0.0, 10.0),), ("decreasing in x0", "convex in x0", "y >= 0")),
    "stopping": Law(
        lambda v, g: v + v**2 / (20 * g), ((0.0, 40.0), (0.3, 1.0)),
        ("increasing in x0", "convex in x0", "decreasing in x1", "y(x0=0) = 0"),
    ),
    "cobb": Law(
        lambda k, work: 3 * k**0.4 * work**0.6, ((0.1, 10.0), (0.1, 10.0)),
        ("increasing in x0", "concave in x0", "increasing in x1", "concave in x1"),
    ),
    "parallel": Law(
        lambda a, b: a * b / (a + b), ((0.5, 10.0), (0.5, 10.0)),
        ("symmetric in x0, x1", "increasing in x0", "increasing in x1"),
    ),
    "gravity": Law(lambda r: 10 / r**2, ((0.5, 5.0),), ("decreasing in x0", "convex in x0", "y >= 0")),
    "spring": Law(lambda x: 2 * x**2, ((-5.0, 5.0),), ("even in x0", "convex in x0", "y(0) = 0")),
    "logistic": Law(lambda t: 1 / (1 + np.exp(4 - t)), ((0.0, 10.0),), ("increasing in x0", "0 <= y <= 1")),
    "drag": Law(
        lambda v, a: 0.3 * a * v**2, ((0.0, 10.0), (0.1, 2.0)),
        ("increasing in x0", "convex in x0", "increasing in x1", "y(x0=0) = 0"),
    ),
    "radiation": Law(lambda t: (t / 300) ** 4, ((200.0, 800.0),), ("increasing in x0", "convex in x0", "y >= 0")),
    "saturation": Law(
        lambda i, n: n * (1 - np.exp(-i / 3)), ((0.0, 10.0), (0.5, 4.0)),
        ("increasing in x0", "concave in x0", "increasing in x1", "y(x0=0) = 0"),
    ),
}  # fmt: skip


def drawn(law: Law, share: float, rows: int, rng: np.random.Generator) -> Floats:
    """Rows in the lower share of every range."""
    low, high = np.array(law.ranges).T
    return low + rng.uniform(0.0, 1.0, (rows, len(low))) * share * (high - low)


def beyond(law: Law, share: float, rng: np.random.Generator) -> Floats:
    """Rows in the lower share of the range that have a column where no row was seen."""
    low, high = np.array(law.ranges).T
    X = drawn(law, share, 5 * TEST_ROWS, rng)
    return X[np.any(low + SEEN * (high - low) < X, axis=1)][:TEST_ROWS]


def measured(law: Law, seconds: float, seed: int) -> dict[str, float]:
    """One fit without and one with shapes."""
    rng = np.random.default_rng(seed)
    X = drawn(law, SEEN, ROWS, rng)
    clean = law.value(*X.T)
    y = clean + 0.1 * clean.std() * rng.normal(size=ROWS)
    inside = drawn(law, SEEN, TEST_ROWS, rng)
    outside = {"far": beyond(law, 1.0, rng), "near": beyond(law, SEEN * (1.0 + NEAR), rng)}
    whole = [f"{low} <= x{j} <= {high}" for j, (low, high) in enumerate(law.ranges)]
    found: dict[str, float] = {}
    for name, shapes in (("plain", None), ("shapes", [*law.shapes, *whole])):
        model = MultigeneRegressor(
            time_limit=seconds, random_state=seed, n_jobs=1, shapes=shapes, settings={"clock": "processor"}
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        truth = law.value(*inside.T)
        left = float(np.mean((model.predict(inside) - truth) ** 2) / truth.var())
        found[name] = 1.0 - left if np.isfinite(left) else -np.inf
        for where, rows in outside.items():
            error = np.median(np.abs(model.predict(rows) - law.value(*rows.T)))
            found[f"{name} {where}"] = float(np.nan_to_num(error, nan=1e9) / clean.std())
    found["violations"] = violations(model, seed)
    found["proven"] = sum(v.status == "proven" for v in model.certificate_) / len(model.certificate_)
    return found


def violations(model: Any, seed: int) -> int:
    """Conditions that a model breaks at about 10⁶ points, by its own `predict`."""
    known = model.fitted_.known
    count = POINTS // (2 * len(known.stated.shapes))
    rng = np.random.default_rng(1000 + seed)
    conditions = Conditions.of(known.stated, known.low, known.high, known.unit, rng, count)
    return int(np.sum(conditions.missing(model.fitted_.predict(conditions.points)) > 1e-8))


def run(arguments: Sequence[str] = ()) -> str:
    """Measure; prints every law when it is done, and returns the summary."""
    parser = argparse.ArgumentParser(prog="benchmarks shapes", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=4.0, help="of the processor")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--laws", default=",".join(LAWS))
    given = parser.parse_args(arguments)
    print(
        f"{'law':10} {'R²':>8} {'shapes':>8} {'near':>8} {'shapes':>8} {'far':>8} {'shapes':>8} {'broken':>6} {'proven':>6}"
    )
    lost, broken = [], 0.0
    gained: dict[str, list[float]] = {"near": [], "far": []}
    for name in (name for name in given.laws.split(",") if name):
        draws = [measured(LAWS[name], given.seconds, seed) for seed in range(given.seeds)]
        row = {key: statistics.median(draw[key] for draw in draws) for key in draws[0]}
        lost.append(row["plain"] - row["shapes"])
        for where, ratios in gained.items():
            ratios.append(row[f"shapes {where}"] / max(row[f"plain {where}"], 1e-12))
        broken += sum(draw["violations"] for draw in draws)
        print(
            f"{name:10} {row['plain']:8.4f} {row['shapes']:8.4f} {row['plain near']:8.4f} {row['shapes near']:8.4f} "
            f"{row['plain far']:8.4f} {row['shapes far']:8.4f} "
            f"{sum(draw['violations'] for draw in draws):6.0f} {row['proven']:6.2f}",
            flush=True,
        )
    return (
        f"Median loss of test R²: {statistics.median(lost):.4f}, largest {max(lost):.4f}; error beyond the rows, with shapes "
        f"over without, median over laws: {statistics.median(gained['near']):.2f} up to {NEAR:.0%} beyond, "
        f"{statistics.median(gained['far']):.2f} in all of the box; violations: {broken:.0f}."
    )

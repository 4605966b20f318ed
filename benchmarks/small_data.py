"""Small and noisy data, data without a signal, and many dimensions: where symbolic regression usually embarrasses itself.

Three tables: cross-validated R² beside ridge regression on small sets (five folds, drawn anew for every seed);
test R² on sets without a learnable signal; rotated sigmoids in 50 and 100 dimensions and 100 features, 5 of them with an effect.
Environment: BENCH_SECONDS (5; many dimensions get 30), BENCH_SEEDS (3), BENCH_CLOCK (wall or processor), BENCH_TABLES
(small,silent,many), BENCH_PROBLEMS.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_friedman1, make_regression
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from multigene import MultigeneRegressor
from multigene.study import problem_named

SECONDS = float(os.environ.get("BENCH_SECONDS", "5"))
SEEDS = int(os.environ.get("BENCH_SEEDS", "3"))
CLOCK = os.environ.get("BENCH_CLOCK", "wall")
ONLY = [name for name in os.environ.get("BENCH_PROBLEMS", "").split(",") if name]

Rows = tuple[Any, Any]


def _noisy(X: Any, signal: Any, noise: float, rng: np.random.Generator) -> Rows:
    return X, signal + noise * np.std(signal) * rng.normal(size=len(signal))


def _iris(rng: np.random.Generator) -> Rows:
    table = load_iris().data
    return table[:, :3], table[:, 3]


def _wine(rng: np.random.Generator) -> Rows:
    table = load_wine().data
    return np.delete(table, 9, axis=1), table[:, 9]


def _diabetes(rng: np.random.Generator) -> Rows:
    return load_diabetes(return_X_y=True)


def _friedman(rng: np.random.Generator) -> Rows:
    X, signal = make_friedman1(120, 10, noise=0.0, random_state=int(rng.integers(2**31)))
    return _noisy(X, signal, 1.0, rng)


def _line_of_fifty(rng: np.random.Generator) -> Rows:
    X, signal = make_regression(100, 50, n_informative=5, random_state=int(rng.integers(2**31)))
    return _noisy(X, signal, 1.0, rng)


def _forty_rows(rng: np.random.Generator) -> Rows:
    X = rng.normal(size=(40, 3))
    return _noisy(X, X[:, 0] + 0.5 * X[:, 1] ** 2, 0.7, rng)


def _product(rng: np.random.Generator) -> Rows:
    X = rng.uniform(1.0, 3.0, (60, 5))
    return _noisy(X, X[:, 0] * X[:, 1] / X[:, 2], 1.0, rng)


SMALL: dict[str, Callable[[np.random.Generator], Rows]] = {
    "diabetes (442 x 10)": _diabetes,
    "iris petal width (150 x 3)": _iris,
    "wine colour (178 x 12)": _wine,
    "Friedman 1, noise 100 % (120 x 10)": _friedman,
    "line, noise 100 % (100 x 50)": _line_of_fifty,
    "curve, noise 70 % (40 x 3)": _forty_rows,
    "product, noise 100 % (60 x 5)": _product,
}


def _noise(n: int, d: int, heavy: bool = False) -> Callable[[np.random.Generator], Rows]:
    def rows(rng: np.random.Generator) -> Rows:
        return rng.normal(size=(n, d)), rng.standard_t(2, n) if heavy else rng.normal(size=n)

    return rows


def _fast(n: int, frequency: float) -> Callable[[np.random.Generator], Rows]:
    def rows(rng: np.random.Generator) -> Rows:
        X = rng.uniform(0.0, 1.0, (n, 1))
        return X, np.sin(frequency * X[:, 0])

    return rows


#: The first half of the rows trains, the second half tests.
SILENT: dict[str, Callable[[np.random.Generator], Rows]] = {
    "noise, 50 x 3": _noise(100, 3),
    "noise, 100 x 10": _noise(200, 10),
    "noise, 100 x 50": _noise(200, 50),
    "noise, 500 x 5": _noise(1000, 5),
    "noise, 2000 x 20": _noise(4000, 20),
    "heavy tails, 200 x 5": _noise(400, 5, True),
    "heavy tails, 60 x 10": _noise(120, 10, True),
    "sin 5000 x, 200 rows": _fast(400, 5000.0),
    "sin 20000 x, 500 rows": _fast(1000, 20000.0),
    "sin 3000 x, 80 rows": _fast(160, 3000.0),
}


def _model(seed: int, seconds: float = SECONDS) -> MultigeneRegressor:
    return MultigeneRegressor(time_limit=seconds, random_state=seed, n_jobs=2, settings={"clock": CLOCK})


def _wanted(names: Any) -> list[str]:
    return [name for name in names if not ONLY or any(part in name for part in ONLY)]


def small() -> Table:
    """Cross-validated R² beside ridge regression."""
    table = Table(
        "set", "multigene", "ridge", "worst draw against ridge", "worst fold", "of ridge",
        title=f"Small data, five folds, {SECONDS:g} s a fit, mean of {SEEDS} draws",
    )  # fmt: skip
    for name in _wanted(SMALL):
        draws = np.array([_cross_validated(name, seed) for seed in range(SEEDS)])
        ours, theirs, worst, worst_of_ridge = draws.T
        cells = [f"{ours.mean():.4f}", f"{theirs.mean():.4f}", f"{(ours - theirs).min():+.4f}"]
        table.add_row(name, *cells, f"{worst.min():.3f}", f"{worst_of_ridge.min():.3f}")
    return table


def _cross_validated(name: str, seed: int) -> tuple[float, float, float, float]:
    """R² over all folds and in the worst, ours and ridge regression's in turn."""
    X, y = SMALL[name](np.random.default_rng(seed))
    folds = KFold(5, shuffle=True, random_state=seed)
    ridge = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13)))
    whole, worst = [], []
    for model in (_model(0), ridge):
        predicted = cross_val_predict(model, X, y, cv=folds)
        whole.append(float(r2_score(y, predicted)))
        worst.append(min(float(r2_score(y[test], predicted[test])) for _, test in folds.split(X)))
    return whole[0], whole[1], worst[0], worst[1]


def silent() -> Table:
    """Test R² where nothing can be learnt, beside that of the training rows' mean, and the size of what was reported."""
    table = Table(
        "set", "median", "worst", "worst of the mean", "largest size",
        title=f"No learnable signal: test R², {SECONDS:g} s a fit, {SEEDS} draws",
    )  # fmt: skip
    for name in _wanted(SILENT):
        scores, means, sizes = [], [], []
        for seed in range(SEEDS):
            X, y = SILENT[name](np.random.default_rng(1 + seed))
            half = len(y) // 2
            model = _model(0).fit(X[:half], y[:half])
            scores.append(float(r2_score(y[half:], model.predict(X[half:]))))
            means.append(float(r2_score(y[half:], np.full(len(y) - half, y[:half].mean()))))
            sizes.append(model.formula_.size)
        middle = f"{statistics.median(scores):.4f}"
        table.add_row(name, middle, f"{min(scores):.4f}", f"{min(means):.4f}", str(max(sizes)))
    return table


def many() -> Table:
    """Rotated sigmoids and sparse functions of many features."""
    table = Table(
        "problem",
        "median test R²",
        "worst",
        "nodes",
        "features used",
        title=f"Many dimensions, 30 s, {SEEDS} seeds",
    )
    for name in _wanted(("RS20D", "RS50D", "RS100D", "SPR20D", "SPR50D", "SPR100D")):
        scores, sizes, used = [], [], []
        for seed in range(SEEDS):
            split = problem_named(name).sample(seed)
            model = _model(seed, 30.0).fit(split.X_train, split.y_train)
            scores.append(r2_score(split.y_test, model.predict(split.X_test)))
            sizes.append(model.formula_.size)
            used.append(len(model.formula_.variables))
        table.add_row(
            name,
            f"{statistics.median(scores):.5f}",
            f"{min(scores):.5f}",
            f"{statistics.median(sizes):.0f}",
            f"{statistics.median(used):.0f}",
        )
    return table


def run() -> Group:
    """The tables asked for."""
    tables = {"small": small, "silent": silent, "many": many}
    return Group(*(tables[name]() for name in os.environ.get("BENCH_TABLES", ",".join(tables)).split(",")))

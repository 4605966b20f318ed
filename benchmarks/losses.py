"""Losses: each beside squared error where it should be the better one, and lines of them beside scikit-learn's.

Simulated rows of one law each, fitted with squared error and with the loss; both are scored on 5,000 new rows by what a user of
the loss wants (the column *measure*, less is better). The second table has the largest difference between coefficients of a line
and those of scikit-learn's generalised linear models without a penalty.

    python -m benchmarks losses --seconds 2 --seeds 3 --cases "counts; classes"
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
from rich.console import Group
from rich.table import Table
from sklearn.linear_model import GammaRegressor, LogisticRegression, PoissonRegressor
from sklearn.metrics import log_loss, mean_gamma_deviance, mean_pinball_loss, mean_poisson_deviance

from multigene import MultigeneRegressor
from multigene._engine import Dataset, Individual

Floats = npt.NDArray[np.float64]
ROWS, NEW_ROWS = 400, 5000
#: Least prediction that a deviance knows, as a share of the mean target: squared error may say less than nothing.
LEAST = 1e-3


@dataclass(frozen=True)
class Case:
    """Rows of a law, and what their predictions are worth."""

    loss: str
    law: Callable[[Floats], Floats]
    """Of the columns."""
    drawn: Callable[[Floats, np.random.Generator], Floats]
    """Targets, given what the law says."""
    measure: str
    score: Callable[[Floats, Floats, Floats], float]
    """Of the law's values, new targets and predictions."""


def _wave(X: Floats) -> Floats:
    return np.asarray(2.0 * X[:, 0] ** 2 + 3.0 * np.sin(2.0 * X[:, 1]))


def _growth(X: Floats) -> Floats:
    return np.asarray(np.exp(2.0 * X[:, 0] + X[:, 1] ** 2))


def _rate(X: Floats) -> Floats:
    return np.asarray(np.exp(X[:, 0] - X[:, 1] ** 2))


def _odds(X: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(1.0 - 3.0 * X[:, 0] - 2.0 * X[:, 1] ** 2)))


def _with_outliers(clean: Floats, rng: np.random.Generator) -> Floats:
    """Noise of a tenth of the spread; every tenth row is far above."""
    noise = 0.1 * clean.std() * rng.normal(size=len(clean))
    return clean + noise + np.where(rng.uniform(size=len(clean)) < 0.1, 10.0 * clean.std(), 0.0)


def _distance(clean: Floats, new: Floats, predicted: Floats) -> float:
    return float(np.sqrt(np.mean((predicted - clean) ** 2)) / clean.std())


def _deviance(of: Callable[..., Any]) -> Callable[[Floats, Floats, Floats], float]:
    return lambda clean, new, predicted: float(of(new, np.maximum(predicted, LEAST * new.mean())))


CASES: dict[str, Case] = {
    "outliers, absolute": Case("absolute", _wave, _with_outliers, "error of the law", _distance),
    "outliers, huber": Case("huber", _wave, _with_outliers, "error of the law", _distance),
    "outliers, own": Case("log(cosh(y - p))", _wave, _with_outliers, "error of the law", _distance),
    "bound": Case(
        "quantile:0.9", _wave, lambda clean, rng: clean + (0.3 + np.abs(clean)) * rng.exponential(size=len(clean)),
        "pinball loss at 0.9", lambda clean, new, p: float(mean_pinball_loss(new, p, alpha=0.9)),
    ),
    "relative errors": Case(
        "relative", _growth, lambda clean, rng: clean * np.exp(0.3 * rng.normal(size=len(clean))), "median relative error",
        lambda clean, new, p: float(np.median(np.abs(p / clean - 1.0))),
    ),
    "counts": Case(
        "poisson", _rate, lambda clean, rng: rng.poisson(clean).astype(np.float64), "deviance",
        _deviance(mean_poisson_deviance),
    ),
    "skew": Case(
        "gamma", _growth, lambda clean, rng: clean * rng.gamma(2.0, 0.5, size=len(clean)), "deviance",
        _deviance(mean_gamma_deviance),
    ),
    "classes": Case(
        "logistic", _odds, lambda clean, rng: (rng.uniform(size=len(clean)) < clean).astype(np.float64), "log loss",
        lambda clean, new, p: float(log_loss(new, np.clip(p, LEAST, 1.0 - LEAST))),
    ),
}  # fmt: skip


def measured(case: Case, seconds: float, seed: int) -> tuple[float, float]:
    """The measure of a fit with squared error and of one with the loss."""
    rng = np.random.default_rng(seed)
    X, new = (rng.uniform(-1.5, 1.5, (rows, 2)) for rows in (ROWS, NEW_ROWS))
    y, clean = case.drawn(case.law(X), rng), case.law(new)
    targets = case.drawn(clean, rng)
    found = []
    for loss in ("squared", case.loss):
        model = MultigeneRegressor(
            loss=loss, time_limit=seconds, random_state=seed, n_jobs=1, settings={"clock": "processor"}
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(case.score(clean, targets, model.fit(X, y).predict(new)))
    return found[0], found[1]


def lines() -> Table:
    """The largest difference of coefficients to those of scikit-learn, by loss."""
    table = Table(
        "loss", "scikit-learn's", "difference", title="Lines without a penalty, 1,000 rows, 4 columns"
    )
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 4))
    predictor = 0.3 + X @ [0.5, -0.4, 0.2, 0.1]
    rates = np.exp(predictor)
    theirs: dict[str, tuple[Any, Floats]] = {
        "poisson": (PoissonRegressor(alpha=0.0, tol=1e-12, max_iter=10_000), rng.poisson(rates) * 1.0),
        "gamma": (GammaRegressor(alpha=0.0, tol=1e-12, max_iter=10_000), rates * rng.gamma(2.0, 0.5, 1000)),
        "logistic": (
            LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000),
            (rng.uniform(size=1000) < 1.0 / (1.0 + np.exp(-predictor))) * 1.0,
        ),
    }
    for loss, (model, y) in theirs.items():
        model.fit(X, y)
        ours = Individual([f"x{j}" for j in range(4)], 0.0, [1.0] * 4).fit(
            Dataset(X, y, None, loss=(loss, []))
        )
        expected = np.r_[np.ravel(model.intercept_), np.ravel(model.coef_)]
        difference = np.abs(np.r_[ours.intercept, ours.coefficients] - expected).max()
        table.add_row(loss, type(model).__name__, f"{difference:.1e}")
    return table


def run(arguments: Sequence[str] = ()) -> Group:
    """Both tables."""
    parser = argparse.ArgumentParser(prog="benchmarks losses", description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="of the processor")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cases", default=";".join(CASES), help="some of them, semicolons between")
    given = parser.parse_args(arguments)
    table = Table(
        "rows", "loss", "measure", "squared", "loss", "better in",
        title=f"{ROWS} rows, {given.seconds:g} processor seconds on one thread, medians of {given.seeds} seeds",
    )  # fmt: skip
    better, names = 0, [name.strip() for name in given.cases.split(";") if name.strip()]
    for name in names:
        case = CASES[name]
        pairs = [measured(case, given.seconds, seed) for seed in range(given.seeds)]
        squared, own = (statistics.median(values) for values in zip(*pairs, strict=True))
        wins = sum(after < before for before, after in pairs)
        better += own < squared
        table.add_row(
            name, case.loss, case.measure, f"{squared:.4f}", f"{own:.4f}", f"{wins} of {given.seeds}"
        )
    return Group(table, f"Better than squared error in {better} of {len(names)} cases.", lines())

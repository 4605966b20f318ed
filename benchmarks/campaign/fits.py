"""Fits: extreme values, the same model again, several at once, and small noisy data against a ridge regression."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import warnings
from itertools import cycle
from typing import Any

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.campaign.outcome import Outcome
from multigene import MultigeneRegressor

#: How much of R² a model may be below ridge on fresh rows, and how many ranges it may leave the target's 20 % outside the box.
BELOW, RANGES = 0.1, 3.0
#: Rows of tables with extreme values, and how often the search for laws is part of the fit: it takes a second.
ROWS, WITH_LAWS = (1, 2, 5, 14, 39, 40, 120, 450), 0.02
LOSSES = ("absolute", "huber", "quantile:0.9", "relative", "poisson", "gamma", "logistic")
#: Time to search in small noisy tables.
LIMIT: dict[str, Any] = {"generations": None, "time_limit": 0.3, "settings": {"clock": "processor"}}
#: What may be said of rows that spoil a fit, or would.
OUTLIERS = r"\d+ of \d+ rows (have most of the squared errors|look like outliers)"
#: Words of errors that are no sentence about what was given.
INTERNAL = (
    "The gene",
    "cannot be read",
    "zero-size array",
    "broadcast",
    "Input X",
    "Input y",
    "SVD",
    "too large for dtype",
)
#: Values that break sums and squares.
EXTREMES = (
    0.0,
    -0.0,
    1e-308,
    5e-324,
    1e-160,
    1e-20,
    1.0,
    1e8,
    1e20,
    1e150,
    1e200,
    1e300,
    1.7e308,
    -1e300,
    -1e-300,
)


def quick(**parameters: Any) -> MultigeneRegressor:
    """A short fit."""
    return MultigeneRegressor(**{"generations": 3, "n_jobs": 1, "random_state": 0} | parameters)


def column(rng: np.random.Generator, n: int) -> np.ndarray:
    """A column of ordinary or extreme values."""
    kind = int(rng.integers(6))
    if kind == 0:
        return rng.choice(EXTREMES, size=n)
    if kind == 1:
        return np.full(n, rng.choice(EXTREMES))
    if kind == 2:
        return rng.standard_normal(n) * 10.0 ** rng.uniform(-300.0, 300.0)
    if kind == 3:
        return 10.0 ** rng.uniform(-300.0, 300.0, n)
    if kind == 4:
        return rng.integers(0, 3, n).astype(float)
    return rng.standard_normal(n)


def extremes(rng: np.random.Generator, trials: int) -> Outcome:
    """Tables of extreme values: a model that is finite on every training row and scores at least as the mean, or a sentence."""
    outcome = Outcome()
    for trial in range(trials):
        n, d = int(rng.choice(ROWS)), int(rng.integers(1, 5))
        X, y = np.column_stack([column(rng, n) for _ in range(d)]), column(rng, n)
        weights = None if rng.random() < 0.7 else np.abs(column(rng, n))
        options: dict[str, Any] = {"random_state": trial, "settings": {"population_size": 20}}
        if rng.random() < 0.3:
            options |= {"configuration": str(rng.choice(["UB", "SC", "baseline"]))}
        elif rng.random() < WITH_LAWS:
            options |= {"search": "both"}
        else:
            options |= {"search": "accuracy"}
        if rng.random() < 0.3:
            options |= {"functions": ["add", "mul", "div", "exp", "log"]}
        elif rng.random() < 0.3:
            options |= {"loss": str(rng.choice(LOSSES))}
        with outcome.trial(f"{n} × {d}, trial {trial}, {options}", ValueError):
            warnings.filterwarnings("ignore", OUTLIERS)
            model = _fitted(quick(**options), X, y, weights)
            seen = np.ones(n, dtype=bool) if weights is None else weights > 0.0
            if not np.isfinite(model.predict(X[seen])).all():
                raise RuntimeError(f"not finite on a training row: {model.formula_}")
            str(model)
    return outcome


def _fitted(model: MultigeneRegressor, *rows: Any) -> MultigeneRegressor:
    """A fit whose linear algebra may not fail, which NumPy would call a ValueError; nor may anything else that is not said to the
    user: what the engine says of genes, libraries of arrays."""
    try:
        return model.fit(*rows)
    except np.linalg.LinAlgError as error:
        raise RuntimeError(f"linear algebra: {error}") from None
    except ValueError as error:
        if any(words in str(error) for words in INTERNAL):
            raise RuntimeError(f"not for users: {error}") from None
        raise


PROGRAM = """
import numpy as np
from multigene import MultigeneRegressor
for seed, n, options in {cases}:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=n)
    print(MultigeneRegressor(**options, random_state=1, n_jobs={jobs}).fit(X, y).equations_.to_json())
"""
#: Cases for each process of `determinism`: what is imported takes as long as a fit.
TOGETHER = 8
#: What they fit, in turn: with and without the law search, which takes most of the time, and configurations of the paper.
SEARCHES: tuple[dict[str, Any], ...] = (
    {"generations": 10},
    {"generations": 20, "search": "accuracy"},
    {"generations": 5, "configuration": "UB"},
    {"generations": 10, "search": "accuracy", "loss": "absolute"},
    {"generations": 5, "configuration": "GC"},
)


def determinism(rng: np.random.Generator, trials: int) -> Outcome:
    """The same front at any number of threads, hash seed and in any process, and after any other fit."""
    outcome, searches = Outcome(), cycle(SEARCHES)
    while outcome.tried < trials:
        cases = [
            (int(rng.integers(1_000)), int(rng.choice([50, 300, 500])), next(searches))
            for _ in range(min(TOGETHER, -(-(trials - outcome.tried) // 3)))
        ]
        found = [_fronts(cases, jobs, int(rng.integers(1, 1_000))) for jobs in (1, 2, 3)]
        for (seed, n, options), *fronts in zip(cases, *found, strict=True):
            outcome.tried += len(fronts)
            if len(set(fronts)) > 1:
                outcome.fail(f"{len(set(fronts))} fronts of seed {seed}, {n} rows, {options}")
    return outcome


def _fronts(cases: list[tuple[int, int, dict[str, Any]]], jobs: int, hash_seed: int) -> list[str]:
    """The fronts of these cases, in a process of their own; with two threads in the opposite order."""
    turned = cases[::-1] if jobs == 2 else cases
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(cases=turned, jobs=jobs)],
        env=os.environ | {"PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        check=True,
        text=True,
    )
    fronts = done.stdout.splitlines()
    return fronts[::-1] if jobs == 2 else fronts


def side_by_side(rng: np.random.Generator, trials: int) -> Outcome:
    """Fits in threads, in a forked process and from an event loop give the model that a fit alone gives."""
    outcome = Outcome()
    for _ in range(trials):
        X = rng.normal(size=(300, 2))
        y = np.sin(X[:, 0]) + X[:, 1]
        alone = str(quick().fit(X, y).formula_)
        found: list[str] = []

        def one(X: np.ndarray = X, y: np.ndarray = y, found: list[str] = found) -> None:
            found.append(str(quick(n_jobs=2).fit(X, y).formula_))

        async def several() -> None:
            await asyncio.gather(*(asyncio.to_thread(one) for _ in range(2)))

        with outcome.trial("threads and asyncio"):
            threads = [threading.Thread(target=one) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            asyncio.run(several())
            if set(found) != {alone} or len(found) != 6:
                raise RuntimeError(f"{len(found)} fits, {len(set(found) | {alone})} formulas")
        with outcome.trial("fork"):
            program = (
                "import os, numpy as np; from multigene import MultigeneRegressor as M\n"
                "X = np.random.default_rng(0).normal(size=(100, 2)); M(generations=2).fit(X, X[:, 0])\n"
                "child = os.fork()\n"
                "if child == 0: M(generations=2).fit(X, X[:, 0]); os._exit(7)\n"
                "os._exit(0 if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7 else 1)\n"
            )
            subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
    return outcome


def small_noisy(rng: np.random.Generator, trials: int) -> Outcome:
    """Few noisy rows: not below ridge by more than 0.1 on fresh rows, and not far from the target outside the box."""
    outcome = Outcome()
    for trial in range(trials):
        n, d = int(rng.integers(10, 120)), int(rng.integers(1, 7))
        kind, noise = int(rng.integers(4)), rng.uniform(0.1, 1.5)

        def truth(X: np.ndarray, kind: int = kind) -> np.ndarray:
            first, last = X[:, 0], X[:, -1]
            return (first + last, np.sin(2.0 * first), first * last + first, np.zeros(len(X)))[kind]

        X, fresh, outside = (rng.uniform(-s, s, (m, d)) for s, m in ((1.0, n), (1.0, 2_000), (1.4, 500)))
        y = truth(X) + noise * rng.standard_normal(n)
        new = truth(fresh) + noise * rng.standard_normal(len(fresh))
        with outcome.trial(f"{n} × {d}"):
            model = quick(**LIMIT, random_state=trial).fit(X, y)
            ridge = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13))).fit(X, y)
            case = f"{n} × {d}, kind {kind}, noise {noise:.2f}: {str(model.formula_)[:80]}"
            ours, theirs = (r2_score(new, m.predict(fresh)) for m in (model, ridge))
            outcome.measure(theirs - ours, "below ridge", BELOW, case)
            away = np.abs(model.predict(outside) - np.clip(model.predict(outside), y.min(), y.max())).max()
            if away > RANGES * max(np.ptp(y), 1e-300):
                outcome.fail(f"{away / np.ptp(y):.1f} ranges away outside the box, {case}")
    return outcome

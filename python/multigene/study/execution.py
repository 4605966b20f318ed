"""One run of a study, from sampling to result: the only place where a method meets a problem.

`perform` is what worker processes and cluster workers call. It never raises for a run that goes wrong: the
outcome then holds the error, so that the rest of the study goes on.
"""

from __future__ import annotations

import os
import platform
import time
import traceback
import warnings
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import metadata
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from multigene.data.scores import r2
from multigene.expression.genes import model_expression
from multigene.formula import Formula
from multigene.settings.resolve import resolved
from multigene.settings.settings import CLOCKS
from multigene.study.limits import Limit
from multigene.study.methods import Method, describe, thinned
from multigene.study.problems import Problem, Split
from multigene.study.trajectory import Checkpoint, Marks, follow

Array = NDArray[np.float64]
WARNINGS_KEPT = 5


@dataclass(frozen=True)
class Outcome:
    """Everything that is recorded of one run; `error` is None when it went well."""

    train_r2: float | None = None
    test_r2: float | None = None
    train_rmse: float | None = None
    test_rmse: float | None = None
    seconds: float | None = None
    generations: int | None = None
    formula: str | None = None
    size: int | None = None
    lcf_share: float | None = None
    depth: int | None = None
    genes: int | None = None
    history: tuple[tuple[float, int | None, float], ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str | None = None
    traceback: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    machine: dict[str, str] = field(default_factory=dict)


def perform(problem: Problem, method: Method, limit: Limit | None, seed: int) -> Outcome:
    """Samples the problem, fits the method on one thread, tests it; errors become part of the outcome."""
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("always")
        try:
            outcome = _fit_and_test(problem, method, limit, seed)
        except Exception as error:
            outcome = Outcome(
                seconds=time.perf_counter() - started,
                error=f"{type(error).__name__}: {error}",
                traceback=traceback.format_exc(),
            )
    texts = tuple(dict.fromkeys(f"{type(item.message).__name__}: {item.message}" for item in caught))
    return replace(outcome, warnings=texts[:WARNINGS_KEPT], versions=versions(), machine=machine())


def _fit_and_test(problem: Problem, method: Method, limit: Limit | None, seed: int) -> Outcome:
    split = problem.sample(seed)
    limit = None if limit is None else limit.on(problem.name, method.name)
    model = method.build(seed, limit)
    if limit is not None and limit.marks.labels and limit.generations is not None and method.one_population:
        return _followed(split, model, seed, limit.generations, limit.marks)
    names = split.feature_names if method.takes_names else None
    X_train, X_test = _features(split.X_train, names), _features(split.X_test, names)
    now = CLOCKS["wall" if limit is None else limit.clock]
    started = now()
    model.fit(X_train, split.y_train)
    seconds = now() - started
    on_train = np.asarray(model.predict(X_train), dtype=np.float64)
    on_test = np.asarray(model.predict(X_test), dtype=np.float64)
    about = describe(model, split.feature_names)
    return Outcome(
        train_r2=r2(split.y_train, on_train),
        test_r2=r2(split.y_test, on_test),
        train_rmse=root_mean_square(split.y_train, on_train),
        test_rmse=root_mean_square(split.y_test, on_test),
        seconds=seconds,
        generations=about.generations,
        formula=about.formula,
        size=about.size,
        lcf_share=about.lcf_share,
        depth=about.depth,
        genes=about.genes,
        history=about.history,
    )


def _followed(split: Split, model: Any, seed: int, generations: int, marks: Marks) -> Outcome:
    """The same run as `fit` makes, looked at on its way."""
    run = follow(split, resolved(model), seed, generations, marks)
    on_train, on_test = run.model.predict(split.X_train), run.model.predict(split.X_test)
    return Outcome(
        train_r2=r2(split.y_train, on_train),
        test_r2=r2(split.y_test, on_test),
        train_rmse=root_mean_square(split.y_train, on_train),
        test_rmse=root_mean_square(split.y_test, on_test),
        seconds=run.seconds,
        generations=run.generations,
        formula=str(Formula(model_expression(run.model), list(split.feature_names), "y")),
        size=run.model.n_nodes,
        lcf_share=run.model.lcf_share,
        depth=run.model.depth,
        genes=sum(c != 0.0 for c in run.model.coefficients),
        history=thinned(list(run.history)),
        checkpoints=run.checkpoints,
    )


def _features(X: Array, names: tuple[str, ...] | None) -> Array | pd.DataFrame:
    return X if names is None else pd.DataFrame(X, columns=list(names))


def root_mean_square(y: Array, predicted: Array) -> float:
    """The root mean square error, infinity when a prediction is not finite."""
    with np.errstate(all="ignore"):
        error = float(np.sqrt(np.mean((y - predicted) ** 2)))
    return error if np.isfinite(error) else np.inf


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """The versions of Python and of the packages a result depends on."""
    found = {"python": platform.python_version()}
    for package in ("multigene", "numpy", "scipy", "scikit-learn", "pyoperon", "gplearn"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


@lru_cache(maxsize=1)
def machine() -> dict[str, str]:
    """Where the run was made: comparisons by time only mean something on like machines."""
    return {
        "host": platform.node(),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()

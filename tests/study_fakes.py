"""Stand-ins for the study's tests: an evolving regressor that needs no engine, regressors that fail, a user's problem."""

from __future__ import annotations

import inspect
import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from multigene.study.problems import Split


@dataclass
class Record:
    seconds: float
    fitness: np.ndarray
    evaluations: int


class Parameters:
    """The part of scikit-learn's estimator protocol that the study uses."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {
            name: getattr(self, name)
            for name in inspect.signature(type(self).__init__).parameters
            if name != "self"
        }

    def set_params(self, **parameters: Any) -> Any:
        for name, value in parameters.items():
            setattr(self, name, value)
        return self


class Plain(Parameters):
    """Least squares: ends by itself, takes no seed."""

    def __init__(self) -> None:
        return

    def fit(self, X: np.ndarray, y: np.ndarray) -> Plain:
        coefficients, *_ = np.linalg.lstsq(np.column_stack([np.ones(len(y)), X]), y, rcond=None)
        self.intercept_, self.coef_ = coefficients[0], coefficients[1:]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.intercept_ + X @ self.coef_


class FakeGP(Parameters):
    """Each generation tries random tanh features and keeps the best fit: deterministic for a number of generations."""

    def __init__(
        self,
        generations: int | None = None,
        time_limit: float | None = None,
        random_state: int = 0,
        features: int = 3,
        pause: float = 0.0,
    ) -> None:
        self.generations = generations
        self.time_limit = time_limit
        self.random_state = random_state
        self.features = features
        self.pause = pause

    def resolved_settings(self) -> None:
        """Stands in for the product's check of its settings."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> FakeGP:
        rng = np.random.default_rng(self.random_state)
        started = time.perf_counter()
        self.history_, best, number = [], np.inf, 0
        while self.generations is None or number < self.generations:
            if self.time_limit is not None and time.perf_counter() - started > self.time_limit:
                break
            number += 1
            weights = rng.normal(size=(X.shape[1], self.features)) * 0.3
            columns = np.column_stack([np.ones(len(y)), np.tanh(X @ weights)])
            coefficients, *_ = np.linalg.lstsq(columns, y, rcond=None)
            error = float(np.mean((columns @ coefficients - y) ** 2))
            if error < best:
                best, self.weights_, self.coefficients_ = error, weights, coefficients
            fitness = np.array([1 - best / np.var(y), -np.inf])
            self.history_.append(Record(time.perf_counter() - started, fitness, 10 * number))
            time.sleep(self.pause)
        self.n_generations_, self.n_genes_, self.n_nodes_ = number, self.features, 4 * self.features
        self.lcf_share_, self.depth_ = 0.25 * self.features % 1, 2
        self.formula_ = " + ".join(f"{c:.12g}*tanh(...)" for c in self.coefficients_)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.column_stack([np.ones(len(X)), np.tanh(X @ self.weights_)]) @ self.coefficients_


class Moody(FakeGP):
    """Fails in the way its parameter says, for odd seeds only."""

    def __init__(self, mood: str = "raise", random_state: int = 0) -> None:
        super().__init__(random_state=random_state)
        self.mood = mood

    def fit(self, X: np.ndarray, y: np.ndarray) -> Any:
        if self.random_state % 2:
            if self.mood == "raise":
                raise RuntimeError(f"bad mood today, seed {self.random_state}")
            if self.mood == "die":
                os._exit(9)
        self.generations = 3
        return super().fit(X, y)

    def predict(self, X: np.ndarray) -> np.ndarray:
        predicted = super().predict(X)
        if self.mood == "explode" and len(X) > 200 and self.random_state % 2:
            predicted[0] = np.nan
        return predicted


class Parabola:
    """A user's own problem: nothing but a class with `sample`."""

    def __init__(self, rows: int = 30) -> None:
        self.rows = rows

    def sample(self, seed: int) -> Split:
        X = np.random.default_rng(seed).uniform(-1, 1, (2 * self.rows, 2))
        y = X[:, 0] ** 2 + X[:, 1]
        return Split(X[: self.rows], y[: self.rows], X[self.rows :], y[self.rows :], ("a", "b"))


def design_text(
    seeds: int = 4, pause: float = 0.0, generations: int = 5, problems: str = '"S2D", "SU"'
) -> str:
    """A design of fakes: a weak baseline and a strong method, in TOML."""
    return f"""
title = "fakes"
problems = [{problems}]
methods = ["baseline", "UB", "plain"]
seeds = {seeds}
limits = [{{generations = {generations}}}]

[method.plain]
regressor = "study_fakes:Plain"

[method.baseline]
regressor = "study_fakes:FakeGP"
parameters = {{features = 1, pause = {pause}}}
limits = {{generations = "generations", seconds = "time_limit"}}

[method.UB]
regressor = "study_fakes:FakeGP"
parameters = {{features = 6, pause = {pause}}}
limits = {{generations = "generations", seconds = "time_limit"}}
"""

"""MultigeneRegressor: fit = validate → evolve → choose; predict; score. The front door of the package."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from multigene import checkpoint as checkpoints
from multigene._engine import Dataset, Individual, Workers
from multigene.data import column_names, data_summary, refuse_text, target_name
from multigene.evolution import Generation, evolve
from multigene.formula import Formula
from multigene.model import model_expression, transformations
from multigene.progress import ProgressLine
from multigene.settings import Settings, Stopping, check, configuration, function_entries

Callback = Callable[[Generation], Any]


class MultigeneRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Symbolic regression by multi-gene genetic programming with linear combinations of features.

    A model is `y = c0 + c1·gene1(x) + … + ck·genek(x)`: genes evolve, outer coefficients come from least squares, inner weights
    from gradient tuning.

    Parameters
    ----------
    configuration : str or None
        A configuration of the paper by codename: "baseline" (or "--"), "UM", "UB", "UC", "SM", "SB", "SC", "GB", "GC".
        None for the default.
    functions : list, dict, str or None
        Functions of inner nodes by name, e.g. `["add", "mul", "sin"]`; a dict entry defines a new one:
        `{"add": None, "hill": "x**2/(1+x**2)"}`. None for those of the configuration.
    population_size : int or None
        Number of individuals, `|P|`.
    generations : int or None
        Number of generations after which the run ends. None for that of the settings, or no limit if `time_limit` is given.
    time_limit : float or None
        Seconds after which the run ends.
    max_genes, max_depth, max_nodes : int or None
        Limits of an individual: `G_max`, `D_max` and `N_max` of the paper.
    n_jobs : int or None
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Seed: the same seed gives the same model.
    verbose : int
        1 shows a live progress line on standard error.
    warm_start : bool
        Continue from the last generation when `fit` is called again.
    settings : Settings, dict or None
        All other settings: a `multigene.settings.Settings`, or a dict of settings by name, e.g. `{"tournament_size": 7}`.

    Attributes
    ----------
    formula_ : Formula
        The chosen formula; `str()`, `.latex()`, `.sympy()`, `.to("c")` and so on.
    equations_ : pandas.DataFrame
        The front: the best model of every complexity.
    history_ : pandas.DataFrame
        Best fitness, its complexity, evaluations and seconds after every generation.
    r2_, n_genes_, n_nodes_, depth_, lcf_share_ :
        What the paper reports of a model: training R², genes, nodes, depth, share of LCFs among non-constant leaves.
    transformations_ : pandas.DataFrame
        The learned linear combinations, one row each, one column per feature.
    stopped_by_ : str
        Why the run ended: "generations", "time", "target", "stagnation" or "interrupt".
    """

    def __init__(
        self,
        configuration: str | None = None,
        *,
        functions: Any = None,
        population_size: int | None = None,
        generations: int | None = None,
        time_limit: float | None = None,
        max_genes: int | None = None,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        settings: Settings | dict[str, Any] | None = None,
    ) -> None:
        self.configuration = configuration
        self.functions = functions
        self.population_size = population_size
        self.generations = generations
        self.time_limit = time_limit
        self.max_genes = max_genes
        self.max_depth = max_depth
        self.max_nodes = max_nodes
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.settings = settings

    # --- fitting ----------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        callback: Callback | None = None,
        checkpoint: str | Path | None = None,
    ) -> MultigeneRegressor:
        """Find a formula for `y` in terms of the columns of `X`.

        Parameters
        ----------
        X, y : array or DataFrame, array or Series
            Finite numbers.
        sample_weight : array, optional
            Weight of every row, not negative.
        callback : callable, optional
            Called with a `Generation` after every generation; returning True ends the run.
        checkpoint : path, optional
            File in which the state of the run is kept; a run that was killed goes on from it.

        Ends with the best model so far on Ctrl-C and at the time limit.
        """
        started = time.perf_counter()
        settings = self._resolved_settings()
        names = column_names(X)
        refuse_text(X)
        self._target_name = target_name(y)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=1)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        y = y.astype(np.float64, copy=False)  # whole numbers pass validation as they are
        data = Dataset(X, y, weights)
        self._data_summary: dict[str, Any] | None = data_summary(names, X, y)
        self._names = names or [f"x{j}" for j in range(X.shape[1])]
        workers = Workers(effective_n_jobs(self.n_jobs))
        if settings.stopping.seconds is not None:
            workers.set_deadline(settings.stopping.seconds - (time.perf_counter() - started))
        run = _Run(settings, data, workers, started, callback, checkpoint, fingerprint(settings, X, y, weights))
        state = getattr(self, "_state", None) if self.warm_start else None
        run.start(self._random_generator(), state)
        with ProgressLine(settings.stopping, visible=bool(self.verbose)) as line:
            run.execute(line)
        self._settings = settings
        self._take(run)
        return self

    def _resolved_settings(self) -> Settings:
        settings = self.settings
        if isinstance(settings, Settings):
            if self.configuration is not None:
                raise ValueError(
                    f"Both configuration={self.configuration!r} and a Settings object are given; start from "
                    "multigene.settings.configuration(...) and pass the settings alone, or give a dict of changes."
                )
            base, changes = settings, {}
        else:
            base, changes = configuration(self.configuration or "UB"), dict(settings or {})
        base = base.with_values(**changes)
        functions = None if self.functions is None else function_entries(self.functions)
        base = base.with_values(
            functions=functions,
            population_size=self.population_size,
            max_genes=self.max_genes,
            max_depth=self.max_depth,
            max_nodes=self.max_nodes,
        )
        resolved = with_limits(scaled_to_population(base, changes), self.generations, self.time_limit)
        check(resolved)
        return resolved

    def _random_generator(self) -> np.random.Generator:
        seed = self.random_state
        if isinstance(seed, np.random.Generator):
            return seed
        if isinstance(seed, np.random.RandomState):
            return np.random.default_rng(seed.randint(0, 2**31 - 1))
        return np.random.default_rng(seed)

    def _take(self, run: _Run) -> None:
        """Set the fitted attributes from a finished run."""
        self._front = list(run.generation.front) or [run.constant_model()]
        self._state = run.state() if self.warm_start else None
        self.history_ = pd.DataFrame(run.history)
        self.n_generations_ = len(run.history)
        self.stopped_by_ = run.stopped_by
        self._choose(max(self._front, key=lambda member: member.fitness))

    def _choose(self, member: Any) -> None:
        self._member = member
        individual: Individual = member.individual
        self.r2_ = float(member.fitness)
        self.n_genes_ = sum(c != 0.0 for c in individual.coefficients)
        self.n_nodes_, self.depth_, self.lcf_share_ = individual.n_nodes, individual.depth, individual.lcf_share
        self.formula_ = Formula(model_expression(individual), self._names, self._target_name)

    # --- using ------------------------------------------------------------------------------------

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Prediction of the chosen formula for every row of `X`."""
        check_is_fitted(self)
        column_names(X)
        refuse_text(X)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        individual: Individual = self._member.individual
        return individual.predict(X)

    @property
    def equations_(self) -> pd.DataFrame:
        """The front: the best model of every complexity, the chosen one marked."""
        check_is_fitted(self)
        rows = []
        for member in self._front:
            formula = Formula(model_expression(member.individual), self._names, self._target_name)
            rows.append(
                {
                    "complexity": formula.size,
                    "r2": member.fitness,
                    "genes": sum(c != 0.0 for c in member.individual.coefficients),
                    "formula": str(formula),
                    "chosen": member is self._member,
                }
            )
        return pd.DataFrame(rows)

    @property
    def transformations_(self) -> pd.DataFrame:
        """The learned linear combinations: one row each, the additive weight first, then one column per feature."""
        check_is_fitted(self)
        rows = [
            {"gene": gene, "bias": bias, **{self._names[j]: weight for j, weight in weights.items()}}
            for gene, bias, weights in transformations(self._member.individual)
        ]
        return pd.DataFrame(rows, columns=["gene", "bias", *self._names]).fillna(0.0)

    def sympy(self) -> Any:
        """The chosen formula as a SymPy expression."""
        check_is_fitted(self)
        return self.formula_.sympy()

    def latex(self, digits: int | None = 4) -> str:
        """The chosen formula for LaTeX."""
        check_is_fitted(self)
        return self.formula_.latex(digits)

    def save(self, path: str | Path) -> None:
        """Write the model to a file that `multigene.load` reads: versioned JSON, written at once or not at all."""
        from multigene.model_file import save

        save(self, path)

    def __str__(self) -> str:
        if not hasattr(self, "_member"):
            return super().__repr__()  # type: ignore[no-any-return]
        return (
            f"{self._target_name} = {self.formula_}\n"
            f"R² {self.r2_:.6f} on the training rows, {self.formula_.size} nodes, {self.n_genes_} genes; "
            f"one of {len(self._front)} models of the front"
        )

    def __sklearn_tags__(self) -> Any:
        return super().__sklearn_tags__()


class _Run:
    """One run: iterates over `evolve()`, keeps history and checkpoint, and knows when to stop."""

    def __init__(
        self,
        settings: Settings,
        data: Dataset,
        workers: Workers,
        started: float,
        callback: Callback | None,
        checkpoint: str | Path | None,
        fingerprint: str,
    ) -> None:
        self.settings, self.data, self.workers, self.started = settings, data, workers, started
        self.callback, self.fingerprint = callback, fingerprint
        self.checkpoint = None if checkpoint is None else Path(checkpoint)
        self.history: list[dict[str, Any]] = []
        self.stopped_by = ""
        self.earlier = 0.0
        self.saved = started

    def start(self, rng: np.random.Generator, state: bytes | None) -> None:
        """Prepare the generations, continuing from a state or a checkpoint file where there is one."""
        previous: Generation | None = None
        if self.checkpoint is not None and self.checkpoint.exists():
            state = self.checkpoint.read_bytes()
        if state is not None:
            previous, self.history = checkpoints.load(
                state, self.fingerprint, self.settings, self.data.n_features, self.workers
            )
            self.generation = previous
            self.earlier = self.history[-1]["seconds"] if self.history else 0.0
            self.limit = (self.settings.stopping.generations or 0) + (len(self.history) if self.checkpoint is None else 0)
        else:
            self.limit = self.settings.stopping.generations or 0
        self.generations = evolve(self.data, self.settings, rng, self.workers, previous)

    def execute(self, line: ProgressLine) -> None:
        """Run until a stopping rule holds; Ctrl-C is one of them."""
        try:
            if self._finished():
                return
            for self.generation in self.generations:
                self._record(line)
                if self.callback is not None and self.callback(self.generation):
                    self.stopped_by = "callback"
                if self._finished():
                    break
                self._save(every=5.0)
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
            if not hasattr(self, "generation"):
                raise
        self._save(every=0.0)

    def _record(self, line: ProgressLine) -> None:
        best = self.generation.front.best
        fitness = best.fitness if best else float("-inf")
        complexity = best.complexity if best else 0
        seconds = self.earlier + time.perf_counter() - self.started
        self.history.append(
            {
                "generation": self.generation.number,
                "seconds": seconds,
                "evaluations": self.generation.evaluations,
                "fitness": fitness,
                "complexity": complexity,
            }
        )
        line.show(self.generation.number + 1, seconds, fitness, complexity)

    def _finished(self) -> bool:
        stopping, history = self.settings.stopping, self.history
        if not self.stopped_by and history:
            best = history[-1]["fitness"]
            since = stopping.stagnation
            if stopping.target_r2 is not None and best >= stopping.target_r2:
                self.stopped_by = "target"
            elif self.limit and len(history) >= self.limit:
                self.stopped_by = "generations"
            elif stopping.seconds is not None and time.perf_counter() - self.started >= stopping.seconds:
                self.stopped_by = "time"
            elif since is not None and len(history) > since and history[-1 - since]["fitness"] >= best:
                self.stopped_by = "stagnation"
        return bool(self.stopped_by)

    def state(self) -> bytes:
        """The state after the last generation."""
        return checkpoints.dump(self.generation, self.fingerprint, self.history)

    def _save(self, every: float) -> None:
        if self.checkpoint is not None and time.perf_counter() - self.saved >= every:
            checkpoints.write_atomically(self.checkpoint, self.state())
            self.saved = time.perf_counter()

    def constant_model(self) -> Any:
        """The mean: what is left when no individual was evaluated before the run had to end."""
        from multigene.pareto import Member

        constant = Individual(["0.0"], 0.0, [0.0]).fit(self.data)
        return Member(constant, constant.fitness, constant.complexity)


def with_limits(settings: Settings, generations: int | None, seconds: float | None) -> Settings:
    """Settings with the limits given; a time limit alone takes the place of the number of generations."""
    from dataclasses import replace

    stopping: Stopping = settings.stopping
    if seconds is not None:
        stopping = replace(stopping, seconds=seconds, generations=generations)
    if generations is not None:
        stopping = replace(stopping, generations=generations)
    return replace(settings, stopping=stopping)


def scaled_to_population(settings: Settings, given: dict[str, Any]) -> Settings:
    """Keep tournament and elites in proportion when only the population size was changed (Table 2 halves all three)."""
    from dataclasses import replace

    s = settings.selection
    whole = hasattr(s.population_size, "__index__") and hasattr(s.elites, "__index__")
    if whole and s.elites >= s.population_size and "elites" not in given:
        s = replace(s, elites=max(1, round(0.15 * s.population_size)))
    return replace(settings, selection=s)


def fingerprint(settings: Settings, X: npt.NDArray[np.float64], y: npt.NDArray[np.float64], weights: Any) -> str:
    """Tells whether a checkpoint belongs to these data and settings; limits may change in between."""
    from dataclasses import replace

    digest = hashlib.sha256(repr(replace(settings, stopping=Stopping())).encode())
    for array in (X, y, weights):
        digest.update(b"none" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()

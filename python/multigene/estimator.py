"""MultigeneRegressor: fit = validate → evolve → choose; predict; score. The front door of the package."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from multigene._engine import Dataset, Individual, Workers
from multigene.choice import Front
from multigene.data import column_names, data_summary, refuse_text, target_name
from multigene.formula import Formula
from multigene.inspection import Inspection
from multigene.looking import Looking
from multigene.model import model_expression, transformations
from multigene.problem import Problem
from multigene.progress import ProgressLine
from multigene.rows import TrainingRows
from multigene.run import CLOCKS, Callback, Run
from multigene.search import default_settings
from multigene.settings import Settings, Stopping, configuration, function_entries
from multigene.settings_check import check
from multigene.units import Dimensions

if TYPE_CHECKING:
    import pandas as pd


class MultigeneRegressor(Inspection, Looking, RegressorMixin, BaseEstimator):  # type: ignore[misc]
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
        Seconds after which the run ends; of the wall clock, or of the processor with `settings={"clock": "processor"}`.
    max_genes, max_depth, max_nodes : int or None
        Limits of an individual: `G_max`, `D_max` and `N_max` of the paper.
    search : str
        What the default search looks for: "laws" (formulas exact to numerical precision; the best find at the end of the
        run where
        there is none), "accuracy" (approximations), or "both". Without a configuration of the paper only.
    units : dict or None
        Units of all features, and of the target under its name or "y", e.g. `{"m": "kg", "v": "m/s", "y": "J"}`, read by Pint
        (`multigene[units]`). Only laws are sought then, and no formula that contradicts the units is reported; numbers
        have no unit,
        but one factor in front of the formula may have (see `multigene.units`).
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
        The front: the best model of every complexity; `choose()` takes another one of it into use.
    choice_ : str
        How the formula in use was chosen: "default", a criterion of `choose`, "index" or "pruned".
    parameters_ : pandas.DataFrame
        The numbers of the formula with their standard errors.
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
        search: str = "both",
        units: dict[str, str] | None = None,
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
        self.search = search
        self.units = units
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
        settings = self._resolved_settings()
        now = CLOCKS[settings.stopping.clock]
        started = now()
        rng = random_generator(self.random_state)
        workers = Workers(threads(self.n_jobs))
        names = column_names(X)
        refuse_text(X)
        refuse_text(y, "The target")
        self._target_name = target_name(y)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=1)
        y = np.asarray(y, dtype=np.float64)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64)
        check_rows(X, y, weights)
        self._rows, self._uncertainty = TrainingRows.of(X, y, weights), None
        self._data_summary: dict[str, Any] | None = data_summary(names, X, y, self._rows.variance)
        self._names = names or [f"x{j}" for j in range(X.shape[1])]
        if settings.stopping.seconds is not None and settings.stopping.clock == "wall":
            workers.set_deadline(settings.stopping.seconds - (now() - started))
        dimensions = None if self.units is None else Dimensions.of(self.units, self._names, self._target_name)
        mark = (
            fingerprint(settings, X, y, weights, (self.random_state, dimensions))
            if checkpoint or self.warm_start
            else ""
        )
        options = settings.search
        if options is None:
            problem = Problem.of(*seen_rows(X, y, weights), holdout=0.0, standardise=False)
        else:
            problem = Problem.of(
                *seen_rows(X, y, weights), holdout=options.holdout, standardise=options.standardise
            )
            problem = replace(problem, dimensions=dimensions)
        run = Run(settings, problem, workers, started, callback, checkpoint, mark)
        state = getattr(self, "_state", None) if self.warm_start else None
        run.start(rng, state)
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
            if settings is not None and not isinstance(settings, dict):
                raise ValueError(
                    f"settings={settings!r} is neither a multigene.Settings nor a dict; "
                    "give for example {'tournament_size': 7}."
                )
            base = default_settings() if self.configuration is None else configuration(self.configuration)
            changes = dict(settings or {})
        base = base.changed(**changes)
        functions = None if self.functions is None else function_entries(self.functions)
        if self.search != "both" or self.units is not None:
            base = base.changed(looks_for=looks_for(base, self.search, self.units))
        base = base.with_values(
            functions=functions,
            population_size=self.population_size,
            max_genes=self.max_genes,
            max_depth=self.max_depth,
            max_nodes=self.max_nodes,
        )
        resolved = with_limits(scaled_to_population(base, changes), self.generations, self.time_limit)
        check(resolved)
        if resolved.search is not None and resolved.genes.lcf in ("synchronised", "global"):
            raise ValueError(
                f"lcf={resolved.genes.lcf!r} belongs to the paper's configurations; give configuration='SB', 'SC', 'GB' or 'GC', "
                "or leave lcf as it is for the default search."
            )
        return resolved

    def _take(self, run: Run) -> None:
        """Set the fitted attributes from a finished run."""
        import pandas as pd

        result = run.result()
        self._front = Front(
            result.front, result.chosen, self._names, self._target_name, self._data_summary or {}
        )
        self._state = run.state() if self.warm_start else None
        self.history_ = pd.DataFrame(run.history)
        self.n_generations_ = run.generations()
        self.stopped_by_ = run.stopped_by
        self._choose(result.chosen, "default")

    def _choose(self, member: Any, choice: str) -> None:
        self._member, self.choice_ = member, choice
        individual: Individual = member.individual
        self.r2_ = float(member.fitness)
        self.n_genes_ = sum(c != 0.0 for c in individual.coefficients)
        self.n_nodes_, self.depth_, self.lcf_share_ = (
            individual.n_nodes,
            individual.depth,
            individual.lcf_share,
        )
        self.formula_ = Formula(model_expression(individual), self._names, self._target_name)

    # --- using ------------------------------------------------------------------------------------

    def predict(self, X: Any, index: int | None = None, interval: float | None = None) -> Any:
        """Prediction of the chosen formula, or of that of a row of `equations_`, for every row of `X`.

        With `interval=0.95` also the bounds that hold a new observation with that probability: (prediction, lower, upper). They
        suppose that the form of the formula is right; outside the range of the training rows they are too narrow.
        """
        check_is_fitted(self)
        column_names(X)
        refuse_text(X)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        member = self._member if index is None else self._front.at(index)
        return member.individual.predict(X) if interval is None else self._with_interval(member, X, interval)

    @property
    def transformations_(self) -> pd.DataFrame:
        """The learned linear combinations: one row each, the additive weight first, then one column per feature."""
        check_is_fitted(self)
        import pandas as pd

        # By position: a feature may itself be called "gene" or "bias".
        found = transformations(self._member.individual)
        weights = [[bias, *(terms.get(j, 0.0) for j in range(len(self._names)))] for _, bias, terms in found]
        table = pd.DataFrame(
            np.array(weights).reshape(len(found), -1 if found else 1 + len(self._names)),
            columns=["bias", *self._names],
        )
        table.insert(0, "gene", np.array([gene for gene, _, _ in found], dtype=int), allow_duplicates=True)
        return table

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
            f"one of {len(self._front.listed)} models of the front"
        )

    def __sklearn_tags__(self) -> Any:
        return super().__sklearn_tags__()


def looks_for(settings: Settings, search: str, units: Any) -> str:
    """What the search is to look for; refuses what contradicts it."""
    if settings.search is None:
        given = f"search={search!r}" if search != "both" else "units"
        raise ValueError(
            f"{given} belongs to the default search; leave configuration out, or leave {given.split('=')[0]} out."
        )
    if units is not None and search == "accuracy":
        raise ValueError(
            "search='accuracy' and units contradict each other: approximations have no dimensions; take search='laws'."
        )
    if units is not None and not isinstance(units, dict):
        raise ValueError(f"units={units!r} is no dict; give for example {{'m': 'kg', 'v': 'm/s', 'y': 'J'}}.")
    return "laws" if units is not None and search == "both" else search


def check_rows(
    X: npt.NDArray[np.float64], y: npt.NDArray[np.float64], weights: npt.NDArray[np.float64] | None
) -> None:
    """Let the engine check one row's worth of every array: values, weights, sizes."""
    Dataset(X, y, weights)


def seen_rows(X: Any, y: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Rows of weight zero are not seen at all."""
    if weights is None or np.all(weights > 0.0):
        return X, y, weights
    seen = weights > 0.0
    return X[seen], y[seen], weights[seen]


def with_limits(settings: Settings, generations: int | None, seconds: float | None) -> Settings:
    """Settings with the limits given; a time limit alone takes the place of the number of generations."""
    stopping: Stopping = settings.stopping
    if seconds is not None:
        stopping = replace(stopping, seconds=seconds, generations=generations)
    if generations is not None:
        stopping = replace(stopping, generations=generations)
    return replace(settings, stopping=stopping)


def scaled_to_population(settings: Settings, given: dict[str, Any]) -> Settings:
    """Keep tournament and elites in proportion when only the population size was changed (Table 2 halves all three)."""
    s = settings.selection
    whole = hasattr(s.population_size, "__index__") and hasattr(s.elites, "__index__")
    if whole and s.elites >= s.population_size and "elites" not in given:
        s = replace(s, elites=max(1, round(0.15 * s.population_size)))
    return replace(settings, selection=s)


def fingerprint(
    settings: Settings, X: npt.NDArray[np.float64], y: npt.NDArray[np.float64], weights: Any, seed: Any
) -> str:
    """Tells whether a checkpoint belongs to these data, settings, seed and units; limits may change in between."""
    number, dimensions = seed
    parts: tuple[Any, ...] = replace(settings, stopping=Stopping()), X.shape
    parts += (
        (number if isinstance(number, int | np.integer) else None,)
        if dimensions is None
        else (number, dimensions)
    )
    digest = hashlib.sha256(repr(parts).encode())
    for array in (X, y, weights):
        digest.update(b"none" if array is None else np.ascontiguousarray(array).data)
    return digest.hexdigest()


def random_generator(seed: Any) -> np.random.Generator:
    """The generator of a run from whatever scikit-learn's users give as `random_state`."""
    if isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed.integers(2**63))
    if isinstance(seed, np.random.RandomState):
        return np.random.default_rng(seed.randint(0, 2**31 - 1))
    if seed is None or (isinstance(seed, int | np.integer) and seed >= 0):
        return np.random.default_rng(seed)
    raise ValueError(
        f"random_state={seed!r} is no seed; give a whole number from 0, a NumPy random generator, or None."
    )


def threads(n_jobs: Any) -> int:
    """Number of threads; -1 for all cores, -2 for all but one, None for joblib's present setting."""
    if n_jobs is not None and (
        isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0
    ):
        raise ValueError(
            f"n_jobs={n_jobs!r} is no number of threads; give a whole number from 1, -1 for all cores, or None."
        )
    # More threads than this gain nothing: no population is larger by much, and the system may refuse them.
    return min(int(effective_n_jobs(n_jobs)), 1024)

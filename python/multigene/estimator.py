"""MultigeneRegressor: fit = validate → run → choose; predict; score. The front door of the package.

`settings/resolve.py` makes settings of its parameters, `data/arrays.py` arrays of its rows, `search/run.py` searches;
`inspection.py` and `looking.py` hold what a fitted model can be asked.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from multigene._engine import Dataset, Individual, Workers
from multigene.data.arrays import checked_features, checked_rows, column_names, data_summary, target_name
from multigene.data.training_rows import TrainingRows
from multigene.evolution.checkpoint import fingerprint_of
from multigene.explain.digits import with_few_digits
from multigene.explain.front import Front
from multigene.expression.genes import model_expression, transformations
from multigene.expression.tree import variables
from multigene.formula import Digits, Formula
from multigene.inspection import Inspection
from multigene.laws.variables.units import Dimensions
from multigene.looking import Looking
from multigene.report.progress import ProgressLine
from multigene.search.problem import Problem, unequal
from multigene.search.run import CLOCKS, Callback, Run
from multigene.settings.resolve import random_generator, resolved, threads
from multigene.settings.settings import Settings
from multigene.words import among, anatomy

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]

NOTHING_WITH_THESE_UNITS = (
    "No formula was found that agrees with the units, so the model is the mean; check them, give more time, or leave units out. "
    "A constant that has a unit inside a formula, such as g in v**2/2 + g*h, needs a column of its own."
)
#: Seconds beyond a time limit that numbers of models that were not chosen may take to lose digits.
DIGITS_SECONDS = 0.05


class MultigeneRegressor(Inspection, Looking, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Symbolic regression by multi-gene genetic programming with linear combinations of features.

    A model is `y = c0 + c1·gene1(x) + … + ck·genek(x)`: genes evolve, outer coefficients come from least squares,
    inner weights from gradient tuning. Without a configuration of the paper, the default search is used: several
    populations, seekers of exact laws, and rows held out that decide how large a formula may be.

    Parameters
    ----------
    configuration : str or None
        A configuration of the paper by codename: "baseline" (or "--"), "UM", "UB", "UC", "SM", "SB", "SC", "GB", "GC".
        None for the default search.
    functions : list, dict, str or None
        Functions of inner nodes by name, e.g. `["add", "mul", "sin"]`; a dict entry defines a new one:
        `{"add": None, "hill": "x**2/(1+x**2)"}`. None for those of the configuration.
    population_size : int or None
        Number of individuals, `|P|` of the paper. None for that of the configuration.
    generations : int or None
        Number of generations after which the run ends. None for that of the settings, or no limit if `time_limit` is
        given.
    time_limit : float or None
        Seconds after which the run ends; of the wall clock, or of the processor with
        `settings={"clock": "processor"}`. None for no such limit.
    max_genes, max_depth, max_nodes : int or None
        Limits of an individual: `G_max`, `D_max` and `N_max` of the paper. None for those of the configuration.
    search : str
        What the default search looks for: "laws" (formulas exact to numerical precision; the best find at the end of
        the run where there is none), "accuracy" (approximations), or "both". Not with a configuration of the paper.
    units : dict or None
        Units of all features, and of the target under its name or "y", e.g. `{"m": "kg", "v": "m/s", "y": "J"}`, read
        by Pint (`multigene[units]`). Only laws are sought then, and no formula that contradicts the units is
        reported; numbers have no unit, but one factor in front of the formula may have (see `multigene.laws.variables.units`).
    n_jobs : int or None
        Threads; -1 for all cores. The result does not depend on it.
    random_state : int, RandomState, Generator or None
        Seed: the same seed gives the same model. None for another one each time.
    verbose : int
        1 shows a live progress line on standard error.
    warm_start : bool
        Continue from the last generation when `fit` is called again.
    settings : Settings, dict or None
        All other settings: a `multigene.settings.settings.Settings`, or a dict of settings by name, e.g.
        `{"tournament_size": 7}`. `multigene settings` on the command line lists them.

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
    transformations_ : pandas.DataFrame
        The learned linear combinations, one row each, one column per feature.
    r2_ : float
        R² of the chosen formula on the training rows.
    n_genes_, n_nodes_, depth_ : int
        Genes that take part, nodes of all genes, largest depth of a gene, as the paper counts them.
    lcf_share_ : float
        Share of linear combinations among the leaves that are not constants.
    history_ : pandas.DataFrame
        Best fitness, its complexity, evaluations and seconds after every generation.
    n_generations_ : int
        Number of generations of the run.
    stopped_by_ : str
        Why the run ended: "generations", "time", "target", "stagnation", "callback" or "interrupt".
    n_features_in_ : int
        Number of features of the training rows.
    feature_names_in_ : array of str
        Their names, where the training rows had names of columns.

    Examples
    --------
    >>> model = MultigeneRegressor(time_limit=10, random_state=0).fit(X, y)
    >>> print(model.formula_)
    >>> model.predict(X)
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
        X : array or DataFrame of shape (rows, features)
            Finite numbers.
        y : array or Series of shape (rows,)
            Finite numbers.
        sample_weight : array of shape (rows,), optional
            Weight of every row, not negative; rows of weight 0 are not seen. Laws are not looked for among rows of
            different weights.
        callback : callable, optional
            Called with a `multigene.Progress` after every generation of a configuration of the paper and after every
            round of generations of the default search; returning True ends the run.
        checkpoint : path, optional
            File in which the state of the run is kept; a run that was killed goes on from it, and one that has ended goes
            on with a larger limit.

        Returns
        -------
        MultigeneRegressor
            The estimator itself. On Ctrl-C and at the time limit it has the best model so far.
        """
        settings = self._resolved_settings()
        now = CLOCKS[settings.stopping.clock]
        started = now()
        rng, workers = random_generator(self.random_state), Workers(threads(self.n_jobs))
        if callback is not None and not callable(callback):
            raise ValueError(
                f"callback={callback!r} cannot be called; give a function of a multigene.Progress, or None."
            )
        names = column_names(X)
        self._target_name = target_name(y)
        X, y, weights = checked_rows(self, X, y, sample_weight, reset=True, ensure_min_samples=1)
        Dataset(X, y, weights)  # the engine's own checks, of weights above all
        weights = unequal(weights)
        self._names = names or [f"x{j}" for j in range(X.shape[1])]
        self._rows, self._uncertainty = TrainingRows.of(X, y, weights), None
        self._data_summary: dict[str, Any] | None = data_summary(names, X, y, self._rows.variance)
        if settings.stopping.seconds is not None and settings.stopping.clock == "wall":
            workers.set_deadline(settings.stopping.seconds - (now() - started))
        dimensions = None if self.units is None else Dimensions.of(self.units, self._names, self._target_name)
        kept = checkpoint or self.warm_start
        mark = fingerprint_of(settings, X, y, weights, self.random_state, dimensions) if kept else ""
        problem = seen(settings, X, y, weights, dimensions)
        run = Run(
            settings, problem, workers, started, callback, checkpoint, mark, self._names, self._target_name
        )
        # BLAS on one thread: more would wait beside the engine's, and sums must not depend on their number.
        with threadpool_limits(1, user_api="blas"):
            run.start(rng, getattr(self, "_state", None) if self.warm_start else None)
            with ProgressLine(settings.stopping, visible=bool(self.verbose)) as line:
                run.execute(line)
            self._settings = settings
            self._take(run)
        if dimensions is not None and not variables(self.formula_.expression) and np.ptp(y) > 0.0:
            warnings.warn(NOTHING_WITH_THESE_UNITS, UserWarning, stacklevel=2)
        return self

    def _resolved_settings(self) -> Settings:
        return resolved(self)

    def _take(self, run: Run) -> None:
        """Set the fitted attributes from a finished run."""
        import pandas as pd

        result = run.result()
        front, chosen = list(result.front), result.chosen
        if self._settings.search is not None and self._rows is not None:
            # A run limited by time is over; nobody waits for digits of models that were not chosen.
            seconds = None if self._settings.stopping.seconds is None else DIGITS_SECONDS
            front = with_few_digits(result.front, self._rows, result.chosen, seconds)
            chosen = next(new for new, old in zip(front, result.front, strict=True) if old is result.chosen)
        self._front = Front(front, chosen, self._names, self._target_name, self._data_summary or {})
        self._state = run.state() if self.warm_start else None
        self.history_ = pd.DataFrame(run.history)
        self.n_generations_ = run.generations()
        self.stopped_by_ = run.stopped_by
        self._choose(chosen, "default")

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

        With `interval=0.95` also the bounds that hold a new observation with that probability: (prediction,
        lower, upper). They suppose that the form of the formula is right; outside the range of the training rows
        they are too narrow.
        """
        check_is_fitted(self)
        X = checked_features(self, X)
        member = self._member if index is None else self._front.at(index)
        if interval is not None:
            return self._with_interval(member, X, interval)
        return self._clipped(member.individual.predict(X))

    def _clipped(self, values: Any) -> Any:
        """Predictions within the bounds of the setting `clip`, if there are any."""
        search = self._settings.search
        if search is None or search.clip is None or self._data_summary is None:
            return values
        low, high = self._data_summary["target_range"]
        room = search.clip * (high - low)
        return np.clip(values, low - room, high + room)

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

    def latex(self, digits: Digits = "few") -> str:
        """The chosen formula for LaTeX; `digits` as in `Formula.text`."""
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
            f"R² {self.r2_:.6f} on the training rows, {anatomy(self.formula_.size, self.n_genes_)}; "
            f"{among(len(self._front.listed))}"
        )

    def __sklearn_tags__(self) -> Any:
        return super().__sklearn_tags__()


def seen(
    settings: Settings, X: Floats, y: Floats, weights: Floats | None, dimensions: Dimensions | None = None
) -> Problem:
    """The rows as the search sees them: those of weight zero not at all."""
    if weights is not None and not np.all(weights > 0.0):
        kept = weights > 0.0
        X, y, weights = X[kept], y[kept], weights[kept]
    options = settings.search
    if options is None:  # a configuration of the paper: the rows as they are
        return Problem.of(X, y, weights, holdout=0.0, standardise=False)
    only_laws = options.looks_for == "laws" or dimensions is not None
    problem = Problem.of(
        X, y, weights, holdout=options.holdout, standardise=options.standardise, only_laws=only_laws
    )
    return replace(problem, dimensions=dimensions)

"""MultigeneRegressor: fit = validate → run → `FittedModel`; predict; score. The front door of the package.

`settings/resolve.py` makes settings of its parameters, `data/arrays.py` arrays of its rows, `fitting/` runs the search; what
comes out is a `FittedModel` (`fitted.py`), and everything that a fitted estimator is asked goes there (`answers.py`). The
search is imported by the first fit: a model that was read from a file needs none of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from multigene.answers import Answers
from multigene.data.arrays import rows_to_fit, target_name, with_errors
from multigene.data.by_value import packed
from multigene.data.stream import Stream
from multigene.evolution.interrupts import during_fit
from multigene.fitted import FittedModel
from multigene.report.notebook import InNotebook
from multigene.settings.loss import loss_of
from multigene.settings.parameters import Parameters, explain_unknown_parameters
from multigene.settings.resolve import resolved
from multigene.settings.settings import Search, Settings, gaps_of

if TYPE_CHECKING:
    from multigene.search.run import Callback

PICKLED_EARLIER = (
    "This model was pickled by an earlier version of multigene, whose models had another form; "
    "fit it again, or save it with that version by model.save(path), which this one reads."
)


class MultigeneRegressor(Answers, InNotebook, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Symbolic regression by multi-gene genetic programming with linear combinations of features.

    A model is `y = c0 + c1·gene1(x) + … + ck·genek(x)`: genes evolve, outer coefficients come from least squares,
    inner weights from gradient tuning. Without a configuration of the paper, the default search is used: several
    populations, a search for exact laws, and held-out rows that decide how large a formula may be.

    Parameters
    ----------
    configuration : str or None
        A configuration of the paper by codename: "baseline" (or "--"), "UM", "UB", "UC", "SM", "SB", "SC", "GB", "GC".
        None for the default search.
    functions : list, dict, str or None
        Functions of inner nodes by name, e.g. `["add", "mul", "sin"]`; a dict entry defines a new one:
        `{"add": None, "hill": "x**2/(1+x**2)"}`. None for those of the configuration. With a list, formulas have these functions,
        sums and multiples alone (`settings={"structure": "products"}` adds products and powers of features). Formulas spell
        definitions out, so what a definition is made of may stand by itself as well: here quotients, products and powers.
    form : str, SymPy expression or None
        The formula as far as you know it, such as "f(a, b)*exp(-g(c)/T) + p": f and g are unknown functions of columns, p is an
        unknown number, the rest stands as it is. "…; f <= 9" limits the nodes of f. Not with a configuration of the paper.
    guesses : str, list or None
        Formulas that you have already: text such as "2*a*exp(-b)", SymPy expressions, `Formula`s, fitted models, model files,
        fronts of other programs as CSV files or tables. They are tuned, listed on the front and bred from; one that is exact ends
        the search at once. Not with a configuration of the paper.
    generations : int or None
        Generations after which the run ends. None for the settings' number, or no limit if `time_limit` is given.
    time_limit : float or None
        Seconds after which the run ends; of the wall clock, or of the processor with
        `settings={"clock": "processor"}`. None for no such limit.
    loss : str or callable
        What is minimised: "squared", "absolute", "huber", "quantile:0.9", "relative", "poisson", "gamma", "logistic"; an
        expression of target and prediction such as "(y - p)**4"; or a function of the two arrays. "auto" is squared error of all
        rows but outliers: few rows whose targets nothing in the other rows accounts for are left out, which a warning says.
    max_size : int or None
        Nodes of the largest formula that the front may hold, counted as SymPy does (`3*x + 1` has five); None for any size.
        The search knows it from the start. Not with a configuration of the paper.
    search : str
        What the default search looks for: "laws" (formulas exact to numerical precision, or the best formula that the
        law search has found where there is none), "accuracy" (approximations), or "both". Not with a configuration of the paper.
    shapes : list of str or None
        What is known of the formula's shape: "increasing in dose", "convex in t", "0 <= y <= 1", "y(0) = 0", "symmetric in a, b"
        (docs/say-what-you-know.md). No formula that breaks one is on the front.
    units : dict or None
        Units of all features, and of the target under its name or "y", e.g. `{"m": "kg", "v": "m/s", "y": "J"}`, read
        by Pint (`multigene[units]`). Only laws are searched for then, and no formula that contradicts the units is
        reported; numbers have no unit, but one factor in front of the formula may have (see `multigene.laws.variables.units`).
    n_jobs : int or None
        Threads, or processes within `joblib.parallel_config` of a back end that has some (loky, Dask, Ray); -1 for all cores. The
        result does not depend on it.
    random_state : int, RandomState, Generator or None
        Seed: the same one gives the same model, unless the clock ends the run. None for a different one in every fit.
    verbose, warm_start : int, bool
        1 shows a live progress line on standard error; True continues from the last generation when `fit` is called again.
    settings : Settings, dict or None
        All other settings: a `Settings`, or a dict by name, e.g. `{"max_genes": 4}`; `multigene settings` lists them.

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
    groups_ : pandas.DataFrame
        The numbers that groups have for themselves (`fit(…, groups=)`), with intervals; last those of new groups.
    transformations_ : pandas.DataFrame
        The learned linear combinations, one row each, one column per feature.
    r2_ : float
        R² of the chosen formula on the training rows.
    outliers_ : list of int
        Rows that were left out as outliers (`loss="auto"`), by number; those without a target or, if so asked, with gaps are not
        counted.
    explained_ : float
        Share of the best constant's loss that it explains on them: R² for squared error, D² for a deviance.
    claim_ : multigene.laws.claims.Claim or None
        Whether the formula may be the law behind the training rows: `grade` ("exact", "exact to the data's precision" or
        "consistent with the noise") and `probability`, as calibrated on planted laws. None where the rows contradict it, and
        where more than 3 % of the target's variance is left: no planted law had as much noise.
    certificate_ : list of multigene.shapes.proof.Verdict
        For every shape whether it is "proven" (by interval arithmetic) or "checked" on a number of points.
    n_genes_, n_nodes_, depth_ : int
        Genes that take part, nodes of all genes, largest depth of a gene, as the paper counts them.
    lcf_share_ : float
        Share of linear combinations among the leaves that are not constants.
    history_ : pandas.DataFrame
        Best fitness, its complexity, evaluations and seconds after every generation.
    n_generations_ : int
        Number of generations of the run.
    stopped_by_ : str
        Why the run ended: "generations", "time", "target" (`target_r2` is reached), "stagnation", "callback", "interrupt"
        (Ctrl-C), "law" (an exact law was found) or "no improvement expected" (held-out rows say that there is nothing to
        explain, or few rows that no larger formula helps). A run that ended before its first generation was cut short
        (`fitted_.cut_short`): its model is the best of what was tried until then.
    fitted_ : FittedModel
        All of the above as one value that never changes.
    n_features_in_, feature_names_in_ : int, array of str
        Number of features of the training rows, and their names where columns had names.
    """

    @explain_unknown_parameters
    def __init__(
        self,
        configuration: str | None = None,
        *,
        functions: Any = None,
        form: Any = None,
        guesses: Any = None,
        generations: int | None = None,
        time_limit: float | None = None,
        loss: Any = "auto",
        max_size: int | None = None,
        search: str = "both",
        shapes: list[str] | str | None = None,
        units: dict[str, str] | None = None,
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        settings: Settings | dict[str, Any] | None = None,
    ) -> None:
        self.configuration, self.functions, self.form = configuration, functions, form
        self.guesses, self.generations, self.time_limit = guesses, generations, time_limit
        self.loss, self.max_size, self.search = loss, max_size, search
        self.shapes, self.units, self.n_jobs = shapes, units, n_jobs
        self.random_state, self.verbose, self.warm_start = random_state, verbose, warm_start
        self.settings = settings

    # --- fitting ----------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        y_error: Any = None,
        groups: str | int | None = None,
        group_numbers: str | Sequence[str] = "auto",
        callback: Callback | None = None,
        checkpoint: str | Path | None = None,
    ) -> MultigeneRegressor:
        """Find a formula for `y` in terms of the columns of `X`. On Ctrl-C and at the time limit it is the best so far.

        Parameters
        ----------
        X, y : array or DataFrame of shape (rows, features), array or Series of shape (rows,)
            Numbers; a DataFrame (pandas, polars, PyArrow, …) may have text, categories, dates and gaps as well, which
            the formula then names: `3.2 if region == "north"`, `days(date since 2024-01-01)`.
            Tables larger than memory are read in pieces: the path of a Parquet file or of a directory of them (or an Arrow
            dataset) and the name of the target, or a Dask DataFrame and Series.
        sample_weight : array of shape (rows,), optional
            Weight of every row, not negative; rows of weight 0 are not seen.
        y_error : array of shape (rows,), optional
            Standard deviation of every target, positive: rows count by its inverse square.
        groups : str or int, optional
            Column of X (of an array its number) that names the group of every row: one form for all, some numbers per group,
            `p[site]*exp(-0.4*t)`. New groups get the pooled value.
        group_numbers : str or list of str
            Which numbers these are: "auto" (held-out rows decide), "offset" (a term), "factor", both in a list, or "all".
        callback : callable, optional
            Called with a `multigene.Progress` after every generation of a configuration of the paper and after every
            round of generations of the default search; returning True ends the run.
        checkpoint : path, optional
            File in which the state of the run is kept; a run that was killed goes on from it, and one that has ended goes
            on with a larger limit.
        """
        stream = Stream.of(X, y)
        if stream is not None:
            given = {"sample_weight": sample_weight, "y_error": y_error, "groups": groups}
            return self._fit_in_pieces(stream, given, callback=callback, checkpoint=checkpoint)
        sample_weight = with_errors(sample_weight, y_error, len(y) if hasattr(y, "__len__") else 0)
        asked = (groups, group_numbers)
        return self._fit_rows(Parameters.of(self), X, y, sample_weight, *asked, callback, checkpoint)

    def _fit_rows(
        self,
        parameters: Parameters,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: str | int | None = None,
        group_numbers: str | Sequence[str] = "auto",
        callback: Callback | None = None,
        checkpoint: str | Path | None = None,
    ) -> MultigeneRegressor:
        """Check the rows, run the search, keep what it has found."""
        from multigene.fitting.asked import data_of, group_numbers_of
        from multigene.fitting.fitting import Fitting
        from multigene.report.progress import ProgressLine

        with during_fit() as interrupts:
            fitting = Fitting(parameters, self.resolved_settings(), callback, interrupts)
            numbers = group_numbers_of(fitting, groups, group_numbers)
            rows = rows_to_fit(self, X, y, sample_weight, fitting.settings.table.missing, groups)
            data = data_of(rows, target_name(y), numbers, self.form, self.guesses)
            line = ProgressLine(fitting.settings.stopping, bool(self.verbose), loss_of(self.loss).measure)
            state = getattr(self, "_state", None)
            self._fitted, self._state = fitting.run(data, line, checkpoint, state)
        return self

    def _fit_in_pieces(self, stream: Stream, given: dict[str, Any], **options: Any) -> MultigeneRegressor:
        """Search on rows drawn evenly from a table larger than memory; coefficients and scores from all of its rows. What was
        `given` beside the table is refused."""
        from multigene.fitting.in_pieces import on_all_rows, refuse_in_pieces

        refuse_in_pieces(Parameters.of(self), self.resolved_settings(), given)
        search = self.resolved_settings().search
        most = stream.sample_size((search or Search()).memory_megabytes)
        sample = stream.sample(most, self.random_state if isinstance(self.random_state, int) else 0)
        parameters = Parameters.of(self)
        if stream.rows > most:  # of all rows nobody knows which are outliers
            parameters = replace(parameters, loss="squared")
        self._fit_rows(parameters, sample[list(stream.features)], sample[stream.target], **options)
        if stream.rows > most:
            self._fitted = on_all_rows(self._fitted, stream)
        return self

    def resolved_settings(self) -> Settings:
        """All settings that `fit` would use; a `ValueError` names what it would refuse."""
        return resolved(Parameters.of(self))

    @classmethod
    def from_fitted(cls, fitted: FittedModel) -> MultigeneRegressor:
        """The estimator of a fitted model, such as one that was read from a file."""
        model = cls(**fitted.parameters.values())
        model.n_features_in_ = len(fitted.raw_names)
        if fitted.named:
            model.feature_names_in_ = np.array(fitted.raw_names, dtype=object)
        model._fitted = fitted
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in vars(self)

    def __str__(self) -> str:
        return str(self._fitted) if self.__sklearn_is_fitted__() else super().__repr__()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = gaps_of(self.settings) == "fill"
        return tags

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_member" in state:
            raise ValueError(PICKLED_EARLIER)
        super().__setstate__(state)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "loss": packed(self.loss)}

"""What a fitted estimator can be asked: its front, another choice, a shorter form, its parts and its certainty.

Each method is a line or two over the module that does the work (`explain/front.py`, `explain/prune.py`, `explain/measures.py`,
`explain/intervals.py`); `MultigeneRegressor` inherits them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from multigene.data.arrays import checked_rows
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain import measures as understand
from multigene.explain.front import Front, rescored
from multigene.explain.intervals import Uncertainty, parameter_table
from multigene.expression.genes import model_expression
from multigene.formula import Formula

if TYPE_CHECKING:
    import pandas as pd

    from multigene.explain.prune import Pruned

Floats = npt.NDArray[np.float64]
Self = TypeVar("Self", bound="Inspection")

NO_ROWS = (
    "This model was loaded from a file, which does not hold the training rows; give rows as X and y, "
    "or let the model keep them with model.keep_rows(X, y)."
)


class Inspection:
    """Methods of a fitted model that look at it or change which formula it uses; none of them searches."""

    choice_: str
    formula_: Formula
    _front: Front
    _member: Member
    _names: list[str]
    _rows: TrainingRows | None
    _uncertainty: tuple[Member, Uncertainty] | None

    # --- the front --------------------------------------------------------------------------------

    @property
    def equations_(self) -> pd.DataFrame:
        """The front, smallest formula first: one row per model that no smaller one equals.

        Columns: `complexity` (nodes of the printed formula), `r2` (training), `validation_r2` (what formulas
        of at most this size were worth on rows held out during the first part of the run; NaN where none
        were), `rmse`, `mdl` (description length in bits), `bic`, `parameters` (printed numbers), `genes`,
        `source` ("search" or "pruned"), `formula`, `chosen`.
        """
        check_is_fitted(self)
        return self._front.table(self._member)

    def choose(self: Self, criterion: str | int = "default") -> Self:
        """Use another formula of the front from now on, without fitting anything.

        `criterion` is a row of `equations_`, or "default" (what the search itself chose: as large as rows
        held out allow), "accuracy" (highest training R²), "knee" (smallest that explains all but 1.5 % of
        what the most accurate one does), "validation", "mdl" or "bic" (best in that column). `choice_` tells what
        is in use. Returns the model itself.
        """
        check_is_fitted(self)
        member, name = self._front.best(criterion)
        self._choose(member, name)
        return self

    def rescore(self, X: Any, y: Any, sample_weight: Any = None) -> pd.DataFrame:
        """Every formula of the front on other rows: R², RMSE, mean, median, largest error, bias."""
        check_is_fitted(self)
        rows = self._given(X, y, sample_weight)
        return rescored(self._front, rows.X, rows.y, rows.weights, self._member)

    def prune(
        self, max_loss: float = 0.001, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Pruned:
        """Shorten the chosen formula at the cost of at most `max_loss` of training R², and use it from now on.

        Terms, weights and parts whose removal costs little are dropped one after the other, the rest refitted
        each time; then constants are rounded to as few digits as the loss allows. The front stays as it was
        with the shortened formula added; `choose("default")` goes back. Without `X` and `y` the training rows
        kept by `fit` are used (at most 20,000).
        """
        from multigene.explain.prune import pruned as prune

        check_is_fitted(self)
        rows = self._rows_or(X, y, sample_weight)
        pruned = prune(self._member, self._names, rows, max_loss, self.formula_.target_name)
        self._front = self._front.with_member(pruned.member)
        self._choose(pruned.member, "pruned")
        return pruned

    # --- its parts --------------------------------------------------------------------------------

    def genes(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> pd.DataFrame:
        """The genes: formula, coefficient, share of variance, spread, and the loss of R² without each.

        The rest is refitted when a gene is left out. On the training rows, or on those given.
        """
        check_is_fitted(self)
        return understand.gene_table(self._member.individual, self._names, self._rows_or(X, y, sample_weight))

    def importance(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, repeats: int = 5
    ) -> pd.DataFrame:
        """Importance of the variables: loss of R² when shuffled, and share of variance by gene.

        On the training rows, or on those given.
        """
        check_is_fitted(self)
        return understand.importance(
            self._member.individual, self._names, self._rows_or(X, y, sample_weight), repeats
        )

    def variable_frequencies(self, least: float = 0.9) -> pd.DataFrame:
        """How often the good models of the front (at least this share of the best R²) use each variable."""
        check_is_fitted(self)
        return understand.variable_frequencies(self._front, least)

    def metrics(self, X: Any, y: Any, sample_weight: Any = None) -> dict[str, float]:
        """R², RMSE, mean, median and largest absolute error, and bias of the chosen formula on any rows."""
        check_is_fitted(self)
        rows = self._given(X, y, sample_weight)
        return understand.metrics(rows.y, self._member.individual.predict(rows.X), rows.weights)

    # --- its certainty ----------------------------------------------------------------------------

    @property
    def parameters_(self) -> pd.DataFrame:
        """The numbers of the formula as printed: estimate, standard error, 95 % interval, and where each stands.

        A standard error is NaN where the rows determine a number only together with others.
        """
        check_is_fitted(self)
        return parameter_table(self.formula_, self._uncertain(self._member))

    def keep_rows(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep training rows with a model that was loaded from a file, as `fit` does.

        Intervals, pruning and importance need them.
        """
        check_is_fitted(self)
        rows = self._given(X, y, sample_weight)
        self._rows, self._uncertainty = TrainingRows.of(rows.X, rows.y, rows.weights), None
        return self

    def _uncertain(self, member: Member) -> Uncertainty:
        """What the rows say about a model's numbers; computed when first asked for."""
        known = getattr(self, "_uncertainty", None)
        if known is None or known[0] is not member:
            known = member, Uncertainty.of(model_expression(member.individual), self._rows_or(None, None))
            self._uncertainty = known
        return known[1]

    def _with_interval(self, member: Member, X: Floats, level: float) -> tuple[Floats, Floats, Floats]:
        """Prediction and bounds that hold a new observation with this probability."""
        prediction = member.individual.predict(X)
        expression = (
            self.formula_.expression if member is self._member else model_expression(member.individual)
        )
        width = self._uncertain(member).half_width(expression, X, level)
        return prediction, prediction - width, prediction + width

    # --- rows -------------------------------------------------------------------------------------

    def _given(self, X: Any, y: Any, sample_weight: Any = None) -> TrainingRows:
        """Checked rows as they are given."""
        X, y, weights = checked_rows(self, X, y, sample_weight)
        return TrainingRows(X, y, weights, len(y))

    def _rows_or(self, X: Any, y: Any, sample_weight: Any = None) -> TrainingRows:
        """The rows given, or those kept by `fit`."""
        if (X is None) != (y is None):
            raise ValueError("X and y belong together; give both, or neither for the training rows.")
        if X is not None:
            return self._given(X, y, sample_weight)
        rows: TrainingRows | None = getattr(self, "_rows", None)
        if rows is None:
            raise ValueError(NO_ROWS)
        return rows

    def _choose(self, member: Member, choice: str) -> None:
        raise NotImplementedError

"""A regression problem as the searches see it: the user's rows, how they are shared out, standardised columns, the guard.

Some rows are for searching, others are held out to validate what was found on them. Searches work on standardised features;
every model that leaves a search speaks in the user's units.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.data.losses import SQUARED, Loss
from multigene.data.spread import evenly
from multigene.evolution.pareto import Candidate
from multigene.expression.form import Form
from multigene.expression.tree import Expression
from multigene.laws.variables.units import Dimensions
from multigene.rules.kept import Rules
from multigene.search.constants import (
    FEW_ROWS,
    MANY_ROWS,
    MOST_HELD_OUT_ROWS,
    MOST_SEARCH_ROWS,
    REPRESENTATIVE_ROWS,
)
from multigene.search.guard import Guard
from multigene.search.keeper import Keeper
from multigene.search.scaling import Scaling
from multigene.shapes.known import Known

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Problem:
    """Rows in the user's units, and how they are shared out."""

    X: Floats
    y: Floats
    weights: Floats | None
    search_rows: Rows
    held_out_rows: Rows
    """Rows that no search sees, to validate models; none where there are few rows."""
    scaling: Scaling
    guard: Guard
    loss: Loss = SQUARED
    """What is minimised, with its numbers."""
    dimensions: Dimensions | None = None
    """Of features and target, where the user gave units."""
    keeper: Keeper | None = None
    """Of the shapes that the user knows."""
    form: Form | None = None
    """The formula as far as the user knows it."""
    guesses: tuple[Expression, ...] = ()
    """Formulas that the user has already."""
    rules: Rules = field(default_factory=Rules)
    """What formulas may be made of, as the user says."""

    @staticmethod
    def of(
        X: Floats,
        y: Floats,
        weights: Floats | None,
        *,
        holdout: float = 0.25,
        standardise: bool = True,
        only_laws: bool = False,
        loss: Loss = SQUARED,
        known: Known | None = None,
        formed: bool = False,
    ) -> Problem:
        """Share out the rows and draw the guard's points: the same for every seed of a run.

        `known` are shapes; with `formed` a form says where numbers stand, and shapes change none of them.
        A law search alone is not cross-validated: some rows are held out for it even if there are few.
        """
        weights = unequal(weights)
        # Sums over columns must not depend on how the table lies in memory.
        n, X = len(y), np.ascontiguousarray(X)
        # Very few rows with weights: as if they were repeated.
        rng = np.random.default_rng(n if n >= REPRESENTATIVE_ROWS else 0)
        splits = n >= (REPRESENTATIVE_ROWS if only_laws else FEW_ROWS)
        order = rng.permutation(n) if splits else np.arange(n)
        n_held = min(round(holdout * n), MOST_HELD_OUT_ROWS) if splits else 0
        held_out, search = np.sort(order[:n_held]), np.sort(order[n_held : n_held + MOST_SEARCH_ROWS])
        # Of very many rows a sample tells means and scales, which need not be exact: models leave in the user's units.
        told = np.sort(order[:MOST_HELD_OUT_ROWS]) if n > 2 * MOST_HELD_OUT_ROWS and splits else slice(None)
        scaling = (
            Scaling.of(X[told], None if weights is None else weights[told])
            if standardise
            else Scaling.none(X.shape[1])
        )
        if known is not None:
            shapes = known.stated.shapes
            exchanged = [shape.columns for shape in shapes if shape.kind == "symmetric"]
            mirrored = [shape.columns[0] for shape in shapes if shape.kind in ("even", "odd")]
            scaling = scaling.tied(exchanged, mirrored)
        guard = Guard.of(X, np.array(loss.predictor_range(y)), scaling, rng)
        keeper = None if known is None else Keeper(known, scaling, X, y, weights, loss, formed)
        return Problem(X, y, weights, search, held_out, scaling, guard, loss, keeper=keeper)

    @property
    def few_rows(self) -> bool:
        """Too few rows to hold some of them out?"""
        return len(self.y) < FEW_ROWS and len(self.held_out_rows) == 0

    @property
    def finish_rows(self) -> Rows:
        """Rows for searching and held-out rows together, for the end of a search: all of them unless there are very many."""
        held_out, most = self.held_out_rows, 2 * MOST_SEARCH_ROWS - len(self.search_rows)
        if len(held_out) > most:  # from all over the table
            held_out = held_out[evenly(len(held_out), most)]
        return np.sort(np.concatenate([self.search_rows, held_out]))

    def taken(self, rows: Rows) -> Problem:
        """These rows alone, all for searching, with scaling, guard and shapes of the whole: what islands elsewhere need."""
        none, weights = np.array([], dtype=np.intp), self.weights
        keeper = None if self.keeper is None else self.keeper.taken(rows)
        return replace(
            self,
            X=self.X[rows],
            y=self.y[rows],
            weights=None if weights is None else weights[rows],
            search_rows=np.arange(len(rows)),
            held_out_rows=none,
            dimensions=None,
            keeper=keeper,
            form=None,
            guesses=(),
        )

    def standardised(self, X: Floats) -> Floats:
        """Features as the searches see them."""
        return self.scaling.standardised(X)

    def dataset(self, rows: Rows | None = None) -> Dataset:
        """Standardised features and the target of some rows, or of all. Sizes of models are those of their formulas in the user's
        units."""
        return self._dataset(rows, standardised=True)

    def user_dataset(self, rows: Rows | None = None) -> Dataset:
        """The same with the user's features as they are."""
        return self._dataset(rows, standardised=False)

    def _dataset(self, rows: Rows | None, *, standardised: bool) -> Dataset:
        different = self.different(np.arange(len(self.y)) if rows is None else rows)
        X, y, weights = self.X, self.y, self.weights
        if rows is not None:
            X, y, weights = X[rows], y[rows], None if weights is None else weights[rows]
        X = self.standardised(X) if standardised else X
        shifted = self.scaling.shifted if standardised else []
        return Dataset(X, y, weights, None, different, self.loss.engine, shifted)

    def size(self, model: Individual, *, in_user_units: bool = False) -> int:
        """Size of the printed formula of a model of standardised features, or of the user's."""
        return model.printed_size(None if in_user_units else self.scaling.shifted)

    def user_model(self, candidate: Candidate) -> Individual:
        """A model of a front in the user's units."""
        model = candidate.individual
        as_it_is = candidate.in_user_units or not self.scaling.changes
        return model if as_it_is else self.scaling.in_user_units(model)

    def predicted(self, candidate: Candidate, X: Floats) -> Floats:
        """What a model of a front predicts for rows in the user's units."""
        return candidate.individual.predict(X if candidate.in_user_units else self.standardised(X))

    def different(self, rows: Rows) -> int:
        """Number of different rows among these that count at all; equal rows are no new evidence."""
        if self.weights is not None:
            rows = rows[self.weights[rows] > 0.0]
        return len(np.unique(self.X[rows], axis=0)) if len(rows) < MANY_ROWS else len(rows)

    def plain_dataset(self, rows: Rows | None = None) -> Dataset:
        """All rows as they are, or these: what the paper's configurations work on."""
        X, y, weights = self.X, self.y, self.weights
        if rows is not None:
            X, y, weights = X[rows], y[rows], None if weights is None else weights[rows]
        return Dataset(X, y, weights, loss=self.loss.engine)


def best_constant(problem: Problem, rows: Rows) -> float:
    """The mean of the target on these rows, or what another loss has in its place."""
    y, weights = problem.y[rows], None if problem.weights is None else problem.weights[rows]
    return problem.loss.constant(y, np.ones(len(y)) if weights is None else weights)


def unequal(weights: Floats | None) -> Floats | None:
    """The weights, or None where all are equal: those say nothing, and without any there is more that can be done.

    Only their ratios count: very large or small ones, whose sums and squares would not be numbers, are scaled. What is above zero
    stays so: without weight it would not be a training row any more.
    """
    if weights is None or (weights.min() > 0.0 and weights.min() == weights.max()):
        return None
    most = weights.max()
    if most == 0.0 or 1e-100 < most < 1e100:
        return weights
    return np.where(weights > 0.0, np.maximum(weights / most, np.finfo(float).tiny), 0.0)

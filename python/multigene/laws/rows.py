"""The rows as the law search sees them: features and combined variables, scaled; data of a target, and the way back.

`seekers.py` makes them once; the survey and the restarts take a target's data from here and hand back models of them, which
become expressions in the user's variables (`undo.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.data.spread import evenly
from multigene.expression.rewriting import powers_joined
from multigene.expression.tree import Expression, substitute
from multigene.laws.constants import NEAR_EXACT, POLISH
from multigene.laws.targets import Target, powers_of
from multigene.laws.transforms import logarithmic, one_sign
from multigene.laws.undo import as_expression
from multigene.laws.variables.symmetries import Variables
from multigene.settings.settings import Refinement

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
#: Features, target, weights, and columns that every model has for free.
Columns = tuple[Floats, Floats, Floats | None, Floats | None]


@dataclass(frozen=True)
class Rows:
    """Columns and target of a problem, and which rows populations are evaluated on."""

    X: Floats
    """Features, then combined variables."""
    y: Floats
    n_features: int
    used: Indices
    """Rows that populations and suggestions are tuned on; finds are measured on all."""
    scales: Floats
    signs: dict[int, float]
    """Of columns that do not change theirs."""
    meaning: dict[int, Expression]
    """What combined variables stand for, in features."""
    weights: Floats | None = None
    """How much a row counts; None where all count alike."""

    @staticmethod
    def of(
        X: Floats, y: Floats, combined: Variables | None, used: Indices, weights: Floats | None = None
    ) -> Rows:
        """Rows of features, with combined variables after them where there are some."""
        n_features = X.shape[1]
        X = X if combined is None else combined.values
        signs = {j: float(np.sign(X[0, j])) for j in range(X.shape[1]) if one_sign(X[:, j])}
        meaning = {} if combined is None else combined.meaning
        return Rows(X, y, n_features, used, _scales(X, n_features), signs, meaning, weights)

    def spread(self, most: int, of_all: bool) -> Indices:
        """Some rows at equal distances, of all or of those that are used."""
        rows = np.arange(len(self.y)) if of_all else self.used
        return np.asarray(rows[evenly(len(rows), most)])

    def scaled(self, target: Target, rows: Indices | slice = slice(None)) -> Floats:
        """A target's columns, scaled."""
        return np.asarray(self.X[rows][:, target.features] / self.scales[target.features])

    def transformed(self, target: Target) -> Floats:
        """A target's values on all rows: what is peeled divided out, then transformed."""
        with np.errstate(all="ignore"):  # that it is finite was seen to when the target was made
            return target.transform.forward(self.y / powers_of(self.X, target.peeled))

    def dataset(self, target: Target, rows: Indices | slice = slice(None)) -> Dataset:
        """A target's data on some rows, or on all."""
        return Dataset(*self.columns(target, rows))

    def columns(self, target: Target, rows: Indices | slice = slice(None)) -> Columns:
        """What these data are made of: features, target, weights, and the logarithms of the columns, which every model of ln|y|
        has for free."""
        Z, fixed = self.scaled(target, rows), None
        if logarithmic(target.transform):
            columns = [k for k, j in enumerate(target.features) if np.all(self.X[:, j] != 0.0)]
            fixed = np.log(np.abs(Z[:, columns])) if columns else None
        weights = None if self.weights is None else self.weights[rows]
        return Z, self.transformed(target)[rows], weights, fixed

    def expression(self, individual: Individual, target: Target, fitness: float) -> Expression | None:
        """A model of a target, tuned on all rows, as an expression in the user's variables; None if it has no value. `fitness` is
        that on the rows that populations see."""
        close = 1.0 - fitness < NEAR_EXACT
        tuned = individual.refine(self.dataset(target), POLISH if close else Refinement(decay=0.0))
        if not np.isfinite(tuned.fitness):
            return None
        intercept, powers = self._intercept_and_powers(tuned, target)
        powers = {
            j: powers.get(j, 0.0) + target.peeled.get(j, 0.0) for j in powers.keys() | target.peeled.keys()
        }
        try:
            expression = as_expression(tuned, intercept, powers, target, self.scales, self.signs, self.X)
        except (OverflowError, ValueError):  # a constant beyond what floating point holds
            return None
        if not self.meaning:
            return expression
        positive = {j for j, sign in self.signs.items() if sign > 0.0}
        return powers_joined(substitute(expression, self.meaning), positive)

    def _intercept_and_powers(self, tuned: Individual, target: Target) -> tuple[float, dict[int, float]]:
        """The intercept, and exponents of the columns that every model of ln|y| has for free."""
        if not logarithmic(target.transform):
            return tuned.intercept, {}
        genes = tuned.gene_values(np.ascontiguousarray(self.scaled(target)))
        left = self.transformed(target) - genes @ np.array(tuned.coefficients)
        columns = [j for j in target.features if np.all(self.X[:, j] != 0.0)]
        A = np.column_stack([np.ones(len(self.y)), *(np.log(np.abs(self.X[:, j])) for j in columns)])
        root = np.ones(len(left)) if self.weights is None else np.sqrt(self.weights)
        solution = np.linalg.lstsq(root[:, None] * A, root * left, rcond=None)[0]
        powers = {j: float(e) for j, e in zip(columns, solution[1:], strict=True) if abs(e) > 1e-7}
        return float(solution[0]), powers


def _scales(X: Floats, n_features: int) -> Floats:
    """Powers of two near the columns' sizes: scaling by them changes no digit. Combined variables have a scale of their own."""
    size = np.abs(X).max(axis=0)
    usable = np.isfinite(size) & (size > 0.0)
    exponents = np.round(np.log2(np.where(usable, size, 1.0)))
    near = np.where(np.arange(X.shape[1]) < n_features, 5, 8)
    return np.where(np.abs(exponents) <= near, 1.0, 2.0**exponents)

"""What `fit` is given: checked rows with their names, and what the user knows of the formula; and the `Problem` made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from multigene.data.encoding.encoding import Encoding
from multigene.data.encoding.raw import RawColumn
from multigene.data.losses import SQUARED, Loss
from multigene.data.spread import evenly
from multigene.expression.form import Form
from multigene.expression.tree import Expression
from multigene.laws.variables.units import Dimensions
from multigene.rules.kept import Rules
from multigene.search.constants import RULED_ROWS
from multigene.search.problem import Problem
from multigene.settings.settings import Settings
from multigene.shapes.known import Known
from multigene.words import default_names

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Data:
    """Checked rows and their names; `names` is None for an array."""

    X: Floats
    y: Floats
    weights: Floats | None
    names: list[str] | None
    target: str
    encoding: Encoding | None = None
    groups: RawColumn | None = None
    """The groups of the rows; `encoding` ends with their means of the target."""
    group_numbers: tuple[str, ...] = ("auto",)
    """Which numbers groups are to have for themselves."""
    form: Form | None = None
    """The formula as far as the user knows it."""
    guesses: tuple[Expression, ...] = ()
    """Formulas that the user has already."""
    outliers: tuple[int, ...] = ()
    """Rows that were given and are not among these."""

    def without(self, outliers: npt.NDArray[np.intp]) -> Data:
        """The other rows."""
        rows = np.setdiff1d(np.arange(len(self.y)), outliers)
        weights = None if self.weights is None else self.weights[rows]
        X = np.ascontiguousarray(self.X[rows])
        return replace(self, X=X, y=self.y[rows], weights=weights, outliers=tuple(outliers.tolist()))

    @property
    def features(self) -> list[str]:
        """Names of the features, or x0, x1, …"""
        return self.names or default_names(self.X.shape[1])


def problem_of(
    settings: Settings,
    data: Data,
    dimensions: Dimensions | None = None,
    loss: Loss = SQUARED,
    known: Known | None = None,
    rules: Rules | None = None,
) -> Problem:
    """The rows as the search sees them: without those of weight zero, and with zeros in columns that no formula may use."""
    X, y, weights = data.X, data.y, data.weights
    rules = rules or Rules()
    if rules.never:
        X = X.copy()
        X[:, list(rules.never)] = 0.0
    if weights is not None and not np.all(weights > 0.0):
        kept = weights > 0.0
        X, y, weights = X[kept], y[kept], weights[kept]
    options = settings.search
    if options is None:  # a configuration of the paper: the rows as they are
        return Problem.of(X, y, weights, holdout=0.0, standardise=False, loss=loss)
    only_laws = options.looks_for == "laws" or dimensions is not None or data.form is not None
    problem = Problem.of(
        X,
        y,
        weights,
        holdout=options.holdout,
        standardise=options.standardise,
        only_laws=only_laws,
        loss=loss,
        known=known,
        formed=data.form is not None,
    )
    if rules:
        some = X[evenly(len(X), RULED_ROWS)]
        rules = replace(rules, points=np.vstack([some, problem.guard.box_points]))
    return replace(problem, dimensions=dimensions, guesses=data.guesses, form=data.form, rules=rules)

"""A formula as a sum of terms with fitted coefficients: the form in which it is pruned.

`split` takes a simplified expression apart into terms without their coefficients; `Scorer` fits coefficients
to any set of terms by least squares, keeping the columns of terms it has seen; `as_individual` makes an
engine model of them, whose inner numbers the engine can tune. Used by `prune.py` and `rounding.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.scores import explained
from multigene.data.training_rows import TrainingRows
from multigene.explain.constants import DEPENDENT, MOST_COLUMNS
from multigene.expression.build import join_term, sum_of
from multigene.expression.engine_text import combination, engine_text
from multigene.expression.rewriting import simplify
from multigene.expression.rewriting.parts import split_term
from multigene.expression.rewriting.parts import terms_of as summands
from multigene.expression.tree import Expression, Number, Variable, evaluate

Floats = npt.NDArray[np.float64]
Terms = tuple[Expression, ...]


def split(expression: Expression) -> tuple[float, list[tuple[float, Expression]]]:
    """A sum as its constant and pairs of coefficient and term; equal terms are merged."""
    constant, found = 0.0, dict[Expression, float]()
    for part in summands(expression):
        coefficient, rest = split_term(part)
        if rest is None:
            constant += coefficient
        else:
            found[rest] = found.get(rest, 0.0) + coefficient
    return constant, [(coefficient, rest) for rest, coefficient in found.items()]


def terms_of(expression: Expression) -> Terms:
    """The terms of a simplified expression without their coefficients."""
    return tuple(rest for _, rest in split(simplify(expression))[1])


def joined(constant: float, coefficients: Sequence[float], terms: Terms) -> Expression:
    """The sum of terms with coefficients; what has the coefficient 0 is left out."""
    parts = [join_term(c, term) for c, term in zip(coefficients, terms, strict=True) if c != 0.0]
    if constant != 0.0 or not parts:
        parts.append(Number(constant))
    return sum_of(parts)


@dataclass(frozen=True)
class Fitted:
    """Terms with their least-squares coefficients and the R² they reach."""

    terms: Terms
    constant: float
    coefficients: tuple[float, ...]
    r2: float

    @property
    def expression(self) -> Expression:
        """The whole formula."""
        return simplify(joined(self.constant, self.coefficients, self.terms))


class Scorer:
    """Fits coefficients of terms on some rows."""

    def __init__(self, rows: TrainingRows) -> None:
        self.rows = rows
        self.root = np.sqrt(rows.shares / len(rows.y))
        self.centre = float(np.average(rows.y, weights=rows.shares))
        self.target = self.root * (rows.y - self.centre)
        self.total = float(self.target @ self.target) or 1.0
        self._columns: dict[Expression, tuple[Floats, float, float] | None] = {}

    def column(self, term: Expression) -> tuple[Floats, float, float] | None:
        """Values of a term, weighted, centred and of unit length, with their mean and length; None if they
        are of no use.
        """
        if term not in self._columns:
            if len(self._columns) >= MOST_COLUMNS:
                self._columns.clear()
            self._columns[term] = self._computed(term)
        return self._columns[term]

    def _computed(self, term: Expression) -> tuple[Floats, float, float] | None:
        values = evaluate(term, self.rows.X)
        with np.errstate(all="ignore"):
            mean = float(np.average(values, weights=self.rows.shares))
            column = self.root * (values - mean)
            length = float(np.linalg.norm(column))
        if not np.isfinite(length) or length <= 1e-14 * abs(mean) or length == 0.0:
            return None
        return column / length, mean, length

    def fit(self, terms: Sequence[Expression]) -> Fitted | None:
        """Least squares; terms without a finite value make it None, constant ones are left out, dependent ones share."""
        terms = tuple(dict.fromkeys(terms))
        known = [(term, self.column(term)) for term in terms]
        if any(c is None and not np.isfinite(evaluate(term, self.rows.X)).all() for term, c in known):
            return None
        useful = [(term, c) for term, c in known if c is not None]
        if not useful:
            return Fitted((), self.centre, (), 0.0)
        A = np.stack([c[0] for _, c in useful])
        solution = np.linalg.lstsq(A @ A.T, A @ self.target, rcond=DEPENDENT)[0]
        residual = self.target - solution @ A
        coefficients = tuple(float(s) / c[2] for s, (_, c) in zip(solution, useful, strict=True))
        constant = self.centre - sum(k * c[1] for k, (_, c) in zip(coefficients, useful, strict=True))
        if not np.isfinite([constant, *coefficients]).all():
            return None
        return Fitted(
            tuple(term for term, _ in useful),
            constant,
            coefficients,
            explained(float(residual @ residual), self.total),
        )


# --- engine models --------------------------------------------------------------------------------


def as_individual(
    constant: float, coefficients: Sequence[float], terms: Terms, grouped: bool = False
) -> Individual:
    """The engine's model of a sum of terms; `grouped` puts linear terms together into one gene, as people would."""
    pairs = [(c, t) for c, t in zip(coefficients, terms, strict=True) if c != 0.0]
    lines = [(c, t) for c, t in pairs if isinstance(t, Variable)]
    genes: list[str] = []
    outer: list[float] = []
    if grouped and len(lines) > 1:
        genes.append(combination([(t.index, c) for c, t in lines if isinstance(t, Variable)]))
        outer.append(1.0)
        pairs = [(c, t) for c, t in pairs if not isinstance(t, Variable)]
    genes.extend(engine_text(term, leaves=True) for _, term in pairs)
    outer.extend(c for c, _ in pairs)
    return Individual(genes or ["0.0"], constant, outer or [0.0])

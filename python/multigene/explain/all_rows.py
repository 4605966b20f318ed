"""A model found on a sample, fitted to all rows of a table larger than memory: coefficients, scores and ranges in one pass.

Outer coefficients are least squares over genes, so sums of products over chunks of rows are all it takes (`Moments`); inner
weights stay as the sample has them. `fitting/in_pieces.py` comes here after a search on a sample (`data/stream.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.scores import explained
from multigene.evolution.pareto import Member
from multigene.explain.constants import DIGITS, LAW, MOST_OPENED
from multigene.explain.digits import GapText

Floats = npt.NDArray[np.float64]


class Moments:
    """Sums of products of a model's genes and of the target, over rows that come in chunks."""

    def __init__(self, member: Member, X: Floats, y: Floats, as_it_is: bool = False) -> None:
        """Rows of the sample give the scales in which sums stay accurate; a model `as_it_is` keeps its coefficients."""
        self.member, self.as_it_is = member, as_it_is or member.fitness >= LAW
        self.line = None if self.as_it_is else _line_of(member.individual)
        self.individual = member.individual if self.line is None else _opened(member.individual, *self.line)
        self.used = [k for k, c in enumerate(self.individual.coefficients) if c != 0.0]
        genes = self.individual.gene_values(X)[:, self.used]
        self.centre, self.shift = float(np.mean(y)), genes.mean(axis=0)
        spread = genes.std(axis=0)
        self.scale = np.where(spread > 0.0, spread, 1.0)
        size = len(self.used) + 1
        self.gram, self.product = np.zeros((size, size)), np.zeros(size)
        self.squares, self.total, self.rows, self.fit = 0.0, 0.0, 0, True

    def add(self, X: Floats, y: Floats) -> None:
        """Add a chunk; a gene without a finite value on some row makes the model unfit."""
        if not self.fit:
            return
        genes = (self.individual.gene_values(X)[:, self.used] - self.shift) / self.scale
        if not np.isfinite(genes).all():
            self.fit = False
            return
        A, b = np.column_stack([np.ones(len(y)), genes]), y - self.centre
        self.gram += A.T @ A
        self.product += A.T @ b
        self.squares += float(b @ b)
        self.total += float(b.sum())
        self.rows += len(y)

    def fitted(self) -> Member:
        """The model with its coefficients and R² on all rows."""
        variance = self.squares - self.total**2 / max(1, self.rows)
        if not self.fit or self.rows == 0 or variance <= 0.0:
            return self.member
        old = self.individual
        kept = np.array([old.coefficients[k] for k in self.used])
        own = np.append(old.intercept + kept @ self.shift - self.centre, kept * self.scale)
        if self.as_it_is:
            return replace(self.member, fitness=self._r2(own, variance))
        solved = np.linalg.lstsq(self.gram, self.product, rcond=1e-12)[0]
        coefficients = [float(f"{c:.{DIGITS}g}") for c in solved[1:] / self.scale]
        intercept = float(f"{self.centre + solved[0] - np.dot(coefficients, self.shift):.{DIGITS + 2}g}")
        every = [0.0] * len(old.coefficients)
        for k, c in zip(self.used, coefficients, strict=True):
            every[k] = c
        shown = np.append(
            intercept + np.dot(coefficients, self.shift) - self.centre, coefficients * self.scale
        )
        better = self._r2(shown, variance)
        if better < self._r2(own, variance):  # digits cost more than the refit brings
            return replace(self.member, fitness=self._r2(own, variance))
        model = Individual(old.genes, intercept, every)
        closed = model if self.line is None else _closed(model, *self.line)
        return replace(self.member, individual=closed, fitness=better)

    def _r2(self, coefficients: Floats, variance: float) -> float:
        error = self.squares - float(coefficients @ (2.0 * self.product - self.gram @ coefficients))
        return explained(max(0.0, error), variance)


def _line_of(individual: Individual) -> tuple[int, GapText] | None:
    """The gene that is one linear combination of columns, and its number."""
    for number, coefficient in enumerate(individual.coefficients):
        gene, _ = GapText.of(individual.tokens(number))
        if coefficient != 0.0 and gene.line is not None and len(gene.line) <= MOST_OPENED:
            return number, gene
    return None


def _opened(individual: Individual, number: int, gene: GapText) -> Individual:
    """The same model with a gene for every column of its line, so that all rows tell what each counts."""
    assert gene.line is not None
    coefficient = individual.coefficients[number]
    _, (constant, *weights) = GapText.of(individual.tokens(number))
    columns, own = [f"x{column}" for column in gene.line], [coefficient * weight for weight in weights]
    return Individual(
        [*individual.genes[:number], *columns, *individual.genes[number + 1 :]],
        individual.intercept + coefficient * constant,
        [*individual.coefficients[:number], *own, *individual.coefficients[number + 1 :]],
    )


def _closed(individual: Individual, number: int, gene: GapText) -> Individual:
    """The model with its line as one gene again, which carries the coefficients inside."""
    after = number + gene.count - 1
    weights = individual.coefficients[number:after]
    return Individual(
        [*individual.genes[:number], gene.filled([0.0, *weights]), *individual.genes[after:]],
        individual.intercept,
        [*individual.coefficients[:number], 1.0, *individual.coefficients[after:]],
    )


class Ranges:
    """Smallest and largest value of every column."""

    def __init__(self, columns: int) -> None:
        self.low, self.high = np.full(columns, np.inf), np.full(columns, -np.inf)

    def add(self, X: Floats) -> None:
        """Add a chunk."""
        self.low, self.high = np.minimum(self.low, X.min(axis=0)), np.maximum(self.high, X.max(axis=0))


def refitted(
    members: list[Member],
    sample: tuple[Floats, Floats],
    chunks: Iterable[tuple[Floats, Floats]],
    as_they_are: bool = False,
) -> tuple[list[Member], Ranges, int, float]:
    """The models on all rows; ranges of the features and, last, of the target; number of rows; variance of the
    target. With `as_they_are` they keep their coefficients."""
    moments = [Moments(member, *sample, as_they_are) for member in members]
    ranges = Ranges(sample[0].shape[1] + 1)
    rows, total, squares, centre = 0, 0.0, 0.0, float(np.mean(sample[1]))
    for X, y in chunks:
        ranges.add(np.column_stack([X, y]))
        for each in moments:
            each.add(X, y)
        rows, total, squares = (
            rows + len(y),
            total + float(np.sum(y - centre)),
            squares + float(np.sum((y - centre) ** 2)),
        )
    variance = squares / max(1, rows) - (total / max(1, rows)) ** 2
    return [each.fitted() for each in moments], ranges, rows, variance

"""The numbers of a finished model with no more digits than its loss can tell: 0.5770429717715662 becomes 0.577.

This is done once to every model that a search hands over: to the chosen one at once, to the others as soon as somebody looks at
the front. Unlike in `rounding.py`, the last step of `prune`, nothing is refitted and nothing is given up: the mean squared error
grows by a millionth of itself at most, and predictions move by three thousandths of the model's own error. Formulas, exports and
files then have numbers that can be read and copied.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.constants import (
    ATTEMPTS,
    CAREFUL,
    CHECKED_ROWS,
    MOST_NUMBERS,
    MOVED,
    PROBED_ROWS,
    ROUNDING,
    ROUNDING_ERROR,
    STEP,
)
from multigene.explain.written import as_written
from multigene.expression.constants import WHOLE
from multigene.expression.engine_text import GAP, with_gaps
from multigene.expression.numbers import short_numbers
from multigene.laws.constants import EXACT

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """A model as genes with gaps and the numbers that fill them: coefficients first, those inside the genes after them."""

    genes: tuple[GapText, ...]
    values: tuple[float, ...]

    @staticmethod
    def of(individual: Individual) -> Numbers:
        """Taken apart; genes without a coefficient are left out, those that are a line carry it inside."""
        genes: list[GapText] = []
        outer, inner, constant = list[float](), list[float](), individual.intercept
        for number, coefficient in enumerate(individual.coefficients):
            if coefficient == 0.0:
                continue
            gene, found = GapText.of(individual.tokens(number))
            if gene.line is not None:  # its constant is one with the model's
                bias, *weights = (coefficient * value for value in found)
                constant, found, coefficient = constant + bias, [0.0, *weights], 1.0
            genes.append(gene)
            outer.append(coefficient)
            inner.extend(found)
        return Numbers(tuple(genes), (constant, *outer, *inner))

    def individual(self, values: Iterable[float]) -> Individual:
        """The model with these numbers instead."""
        constant, *rest = (float(value) for value in values)
        inner = iter(rest[len(self.genes) :])
        texts = [gene.filled([next(inner) for _ in range(gene.count)]) for gene in self.genes]
        return Individual(texts, constant, rest[: len(self.genes)])

    def parts(self) -> Iterator[tuple[GapText, float, list[float]]]:
        """Each gene with its coefficient and the numbers inside."""
        count = len(self.genes)
        inner = iter(self.values[count + 1 :])
        for gene, coefficient in zip(self.genes, self.values[1 : count + 1], strict=True):
            yield gene, coefficient, [next(inner) for _ in range(gene.count)]


@dataclass(frozen=True)
class GapText:
    """A gene's text between its numbers; the columns of a gene that is one linear combination, a `line`."""

    pieces: tuple[str, ...]
    line: tuple[int, ...] | None

    @staticmethod
    def of(tokens: Sequence[tuple[Any, ...]]) -> tuple[GapText, list[float]]:
        """A gene's tokens as text with gaps, and the numbers that were there."""
        text, values = with_gaps(tokens)
        alone = len(tokens) == 1 and tokens[0][0] == "lcf"
        line = tuple(column for column, _ in tokens[0][2]) if alone else None
        return GapText(tuple(text.split(GAP)), line), values

    @property
    def count(self) -> int:
        """How many numbers it has."""
        return len(self.pieces) - 1

    def filled(self, values: Sequence[float]) -> str:
        """The gene with these numbers."""
        first, *others = self.pieces
        return first + "".join([repr(value) + piece for value, piece in zip(values, others, strict=True)])


def with_few_digits(
    members: Iterable[Member], rows: TrainingRows, *, exponentials: bool = True
) -> list[Member]:
    """The members with as few digits as each one's loss allows; laws, and what cannot be shortened, as they are.

    `exponentials`: as in `as_written`.
    """
    checked = rows.thinned(CHECKED_ROWS)
    return [_with_few_digits_all_over(member, checked, exponentials) for member in members]


def _with_few_digits_all_over(member: Member, rows: TrainingRows, exponentials: bool) -> Member:
    """Once more where rounding leaves a constant within a gene: it is printed as one with the model's."""
    few = _with_few_digits(member, rows, exponentials)
    if (
        few is member
        or as_written(few.individual, rows.X, exponentials=exponentials).genes == few.individual.genes
    ):
        return few
    return _with_few_digits(few, rows, exponentials)


def _with_few_digits(member: Member, given: TrainingRows, exponentials: bool) -> Member:
    rows = _working_rows(member.individual, given)
    before = rows.y - member.individual.predict(rows.X)
    with np.errstate(all="ignore"):
        loss = float(np.average(before**2, weights=rows.shares))
    # The mean has R² 0 exactly, which is to stay.
    if not np.isfinite(loss) or not any(member.individual.coefficients):
        return member
    if not loss > EXACT * rows.variance:
        return _without_rounding_errors(member, rows)
    numbers = Numbers.of(as_written(member.individual, rows.X, exponentials=exponentials))
    if len(numbers.values) > MOST_NUMBERS or not np.isfinite(numbers.values).all():
        return member
    # Plain floats: a number without effect times an effect beyond floating point is no number, and no warning.
    probed = rows.thinned(PROBED_ROWS)
    effects, room = _effects(numbers, probed).tolist(), math.sqrt(ROUNDING * loss)
    for _ in range(ATTEMPTS):
        shorter = [_shortest(v, effect, room) for v, effect in zip(numbers.values, effects, strict=True)]
        model = numbers.individual(shorter)
        after = rows.y - model.predict(rows.X)
        with np.errstate(all="ignore"):
            moved = float(np.average((after - before) ** 2, weights=rows.shares))
            new = float(np.average(after**2, weights=rows.shares))
        if moved <= MOVED * loss and new <= (1.0 + ROUNDING) * loss and _behaves(model, member, rows):
            grown = new / loss if given.loss.squared else _grown(given, member.individual, model)
            return replace(member, individual=model, fitness=1.0 - (1.0 - member.fitness) * grown)
        effects = np.maximum(effects, _effects_of(shorter, numbers, probed)).tolist()
        room *= CAREFUL
    return member


def _grown(rows: TrainingRows, before: Individual, after: Individual) -> float:
    """By what factor the loss grew, where the squared error of working rows only looks like it."""
    old, new = (
        float(np.sum(rows.loss.costs(rows.y, model.predict(rows.X), rows.shares)))
        for model in (before, after)
    )
    return new / old if 0.0 < old < np.inf else 1.0


def _without_rounding_errors(member: Member, rows: TrainingRows) -> Member:
    """An exact model without terms that floating point cannot tell from nothing: `2*x0 - 3.3e-16*x1 - 5.6e-17`."""
    individual = member.individual
    nothing = ROUNDING_ERROR * float(np.abs(rows.y).max())
    with np.errstate(all="ignore"):
        sizes = np.abs(individual.coefficients) * np.abs(individual.gene_values(rows.X)).max(axis=0)
    kept = [c if size > nothing else 0.0 for c, size in zip(individual.coefficients, sizes, strict=True)]
    constant = individual.intercept if abs(individual.intercept) > nothing else 0.0
    columns = np.abs(rows.X).max(axis=0)
    with np.errstate(over="ignore"):  # a weight that no number can be large enough for
        least = [nothing / abs(c or 1.0) / np.where(columns > 0.0, columns, 1.0) for c in kept]
    genes = [
        _line_without(individual, number, least[number]) if c != 0.0 else text
        for number, (text, c) in enumerate(zip(individual.genes, kept, strict=True))
    ]
    if (constant, kept, genes) == (individual.intercept, individual.coefficients, individual.genes):
        return member
    return replace(member, individual=Individual(genes, constant, kept))


def _line_without(individual: Individual, number: int, nothing: Floats) -> str:
    """A gene; one that is a line without weights that are nothing, told by column."""
    gene, values = GapText.of(individual.tokens(number))
    if gene.line is None:
        return individual.genes[number]
    bias, *weights = values
    short = [w if abs(w) > nothing[column] else 0.0 for column, w in zip(gene.line, weights, strict=True)]
    return individual.genes[number] if short == weights else gene.filled([bias, *short])


def _working_rows(individual: Individual, rows: TrainingRows) -> TrainingRows:
    """The rows; for another loss than squared error those of the squared error that looks like it at this model."""
    if rows.loss.squared:
        return rows
    w, z = rows.loss.working(rows.y, individual.predict(rows.X))
    with np.errstate(all="ignore"):
        weights = np.where(np.isfinite(w * z), w * rows.shares, 0.0)
    return TrainingRows(rows.X, np.nan_to_num(z), weights, rows.total) if weights.any() else rows


def _effects(numbers: Numbers, rows: TrainingRows) -> Floats:
    """For each number, how much predictions move (root mean square) per unit that it moves, by small steps."""
    of_genes, of_numbers = list[float](), list[Floats]()
    for gene, coefficient, values in numbers.parts():
        with np.errstate(all="ignore"):
            steps = [value * (1.0 + STEP) for value in values]
            size, inside = (
                _line(gene, values, rows) if gene.line is not None else _any(gene, values, steps, rows)
            )
            of_numbers.append(abs(coefficient) * inside)
        of_genes.append(size)
    return np.concatenate([[1.0], of_genes, *of_numbers])


def _effects_of(moved: Sequence[float], numbers: Numbers, rows: TrainingRows) -> Floats:
    """The same by the steps that were taken, where they are no small ones, of numbers inside functions: where tanh is 1 all over,
    a small step shows nothing, and zero in place of the number everything."""
    of_numbers = list[Floats]()
    inner = iter(moved[len(numbers.genes) + 1 :])
    for gene, coefficient, values in numbers.parts():
        pairs = [(value, next(inner)) for value in values]
        far = [new if abs(new - old) > STEP * abs(old) else old for old, new in pairs]
        effects = np.zeros(len(values))
        if gene.line is None and far != values:
            with np.errstate(all="ignore"):
                effects = abs(coefficient) * _any(gene, values, far, rows)[1]
        of_numbers.append(np.where(np.isnan(effects), np.inf, effects))
    return np.concatenate([np.zeros(len(numbers.genes) + 1), *of_numbers])


def _line(gene: GapText, values: Sequence[float], rows: TrainingRows) -> tuple[float, Floats]:
    """Size of a gene that is a line, and the effect of each of its numbers: 1 for the constant, the size of a column."""
    known = _root_mean_square(rows.X, rows)
    sizes = np.array([1.0, *(known[column] for column in gene.line or ())])
    model = Individual([gene.filled(values)], 0.0, [1.0])
    return float(_root_mean_square(model.predict(rows.X), rows)), sizes


def _any(
    gene: GapText, values: Sequence[float], others: Sequence[float], rows: TrainingRows
) -> tuple[float, Floats]:
    """The same for any gene: it and its variants, each with one number replaced, in one sweep over the rows."""
    variants = ([*values[:k], other, *values[k + 1 :]] for k, other in enumerate(others))
    texts = [gene.filled(each) for each in (values, *variants)]
    genes = Individual(texts, 0.0, [1.0] * len(texts)).gene_values(rows.X)
    steps = np.abs(np.subtract(others, values))
    moved = _root_mean_square(genes[:, 1:] - genes[:, :1], rows)
    return float(_root_mean_square(genes[:, 0], rows)), np.where(steps > 0.0, moved / steps, 0.0)


def _root_mean_square(columns: Floats, rows: TrainingRows) -> Floats:
    return np.asarray(np.sqrt(np.average(columns**2, axis=0, weights=rows.shares)), dtype=np.float64)


def _shortest(value: float, effect: float, room: float) -> float:
    """The shortest number near a value, or zero, that moves predictions by no more than there is room for."""
    near = chain((0.0,), short_numbers(value, WHOLE, named=False))
    return next((number for number in near if abs(number - value) * effect <= room), value)


def _behaves(model: Individual, member: Member, rows: TrainingRows) -> bool:
    """No pole within the range of the rows that was not there before."""
    box = rows.X.min(axis=0).tolist(), rows.X.max(axis=0).tolist()
    return bool(np.isfinite(model.range(*box)).all() or not np.isfinite(member.individual.range(*box)).all())

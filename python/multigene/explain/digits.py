"""The numbers of a finished model with no more digits than its loss can tell: 0.5770429717715662 becomes 0.577.

`estimator.py` asks for it when a search hands over its models. Unlike `rounding.py`, the last step of `prune`, nothing is
refitted and nothing is given up: the mean squared error grows by a millionth of itself at most, and predictions move by
thousandths of the model's own error. Formulas, exports and files then have numbers that can be read and copied.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member

Floats = npt.NDArray[np.float64]

#: Relative change of the mean squared error that counts as rounding.
ROUNDING = 1e-6
#: Share of variance below which nothing is left to be lost: the numbers are those of a law.
EXACT = 1e-12
#: Rows on which the effect of each number is measured, and on which what comes out is checked.
PROBED_ROWS, CHECKED_ROWS = 400, 5000
#: Each attempt is this much more careful than the last. Numbers that are not quite at their optimum gain or lose by chance
#: when they are rounded, so a few attempts do it.
ATTEMPTS, CAREFUL = 16, 0.6
MOST_DIGITS = 12
#: Models of more numbers are left alone: nobody reads them, and the work grows with the square of their length.
MOST_NUMBERS = 400
#: Relative step by which a number's effect is measured.
STEP = 1e-3
#: A number in a gene's text, which the engine writes with a point or an exponent; indices and whole powers have neither.
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+(?:e-?\d+)?|e-?\d+)")
LINE = re.compile(r"\[\d+: [^][]*\]")


@dataclass(frozen=True)
class Numbers:
    """A model as text with gaps and the numbers that fill them: coefficients first, those inside the genes after them."""

    pieces: tuple[tuple[str, ...], ...]
    values: tuple[float, ...]

    @staticmethod
    def of(individual: Individual) -> Numbers:
        """Taken apart; genes without a coefficient are left out, those that are a line carry it inside."""
        pieces: list[tuple[str, ...]] = []
        outer, inner, constant = list[float](), list[float](), individual.intercept
        for gene, coefficient in zip(individual.genes, individual.coefficients, strict=True):
            if coefficient == 0.0:
                continue
            found = [float(number) for number in NUMBER.findall(gene)]
            parts = tuple(NUMBER.split(gene))
            if LINE.fullmatch(gene):
                found, coefficient = [coefficient * value for value in found], 1.0
                if found and not parts[1].startswith("*"):  # its constant is one with the model's
                    constant, found[0] = constant + found[0], 0.0
            pieces.append(parts)
            outer.append(coefficient)
            inner.extend(found)
        return Numbers(tuple(pieces), (constant, *outer, *inner))

    def individual(self, values: Iterable[float]) -> Individual:
        """The model with these numbers instead."""
        constant, *rest = (float(value) for value in values)
        inner = map(repr, rest[len(self.pieces) :])
        genes = [_filled(parts, [next(inner) for _ in parts[1:]]) for parts in self.pieces]
        return Individual(genes, constant, rest[: len(self.pieces)])


def _filled(parts: tuple[str, ...], values: Sequence[str]) -> str:
    return parts[0] + "".join([value + part for value, part in zip(values, parts[1:], strict=True)])


def with_few_digits(
    members: Sequence[Member], rows: TrainingRows, first: Member | None = None, seconds: float | None = None
) -> list[Member]:
    """The members with as few digits as each one's loss allows; laws, and what cannot be shortened, as they are.

    `first` is done at any rate; the others, smallest first, as long as there are `seconds` left.
    """
    checked, start = rows.thinned(CHECKED_ROWS), time.perf_counter()
    done = {id(first): _shortened(first, checked)} if first is not None else {}
    for member in sorted(members, key=lambda m: m.complexity):
        if seconds is not None and time.perf_counter() - start > seconds:
            break
        if member is not first:
            done[id(member)] = _shortened(member, checked)
    return [done.get(id(member), member) for member in members]


def _shortened(member: Member, rows: TrainingRows) -> Member:
    before = rows.y - member.individual.predict(rows.X)
    with np.errstate(all="ignore"):
        loss = float(np.average(before**2, weights=rows.shares))
    # The mean has R² 0 exactly, which is to stay.
    if not np.isfinite(loss) or not loss > EXACT * rows.variance or not any(member.individual.coefficients):
        return member
    numbers = Numbers.of(member.individual)
    if len(numbers.values) > MOST_NUMBERS or not np.isfinite(numbers.values).all():
        return member
    effects = _effects(numbers, rows.thinned(PROBED_ROWS))
    room = np.sqrt(ROUNDING * loss)
    for _ in range(ATTEMPTS):
        model = numbers.individual(
            _shortest(value, effect, room) for value, effect in zip(numbers.values, effects, strict=True)
        )
        after = rows.y - model.predict(rows.X)
        with np.errstate(all="ignore"):
            moved = float(np.average((after - before) ** 2, weights=rows.shares))
            new = float(np.average(after**2, weights=rows.shares))
        if (
            moved <= 10.0 * ROUNDING * loss
            and new <= (1.0 + ROUNDING) * loss
            and _behaves(model, member, rows)
        ):
            fitness = 1.0 - (1.0 - member.fitness) * new / loss
            return replace(member, individual=model, fitness=fitness)
        room *= CAREFUL
    return member


def _effects(numbers: Numbers, rows: TrainingRows) -> Floats:
    """For each number, how much predictions move (root mean square) per unit that it moves."""
    count = len(numbers.pieces)
    outer, inner = numbers.values[1 : count + 1], list(numbers.values[count + 1 :])
    of_genes, of_numbers = list[float](), list[Floats]()
    for parts, coefficient in zip(numbers.pieces, outer, strict=True):
        values, inner = inner[: len(parts) - 1], inner[len(parts) - 1 :]
        with np.errstate(all="ignore"):
            gene, inside = _line(parts, values, rows) or _any_gene(parts, values, rows)
        of_genes.append(gene)
        of_numbers.append(abs(coefficient) * inside)
    return np.concatenate([[1.0], of_genes, *of_numbers])


def _line(parts: tuple[str, ...], values: Sequence[float], rows: TrainingRows) -> tuple[float, Floats] | None:
    """Size of a gene that is a line, and the effect of each of its numbers: the size of a column, or 1 for the constant."""
    text = _filled(parts, [repr(value) for value in values])
    if not LINE.fullmatch(text):
        return None
    columns = [re.match(r"\*x(\d+)", part) for part in parts[1:]]
    known = _root_mean_square(rows.X, rows)
    sizes = np.array([1.0 if column is None else known[int(column[1])] for column in columns])
    return float(_root_mean_square(Individual([text], 0.0, [1.0]).predict(rows.X), rows)), sizes


def _any_gene(parts: tuple[str, ...], values: Sequence[float], rows: TrainingRows) -> tuple[float, Floats]:
    """The same for any gene, by small steps: it and its variants, each with one number moved, in one sweep over the rows."""
    written = [repr(value) for value in values]
    moved_to = [repr(value * (1.0 + STEP)) for value in values]
    variants = ([*written[:k], other, *written[k + 1 :]] for k, other in enumerate(moved_to))
    texts = [_filled(parts, each) for each in (written, *variants)]
    genes = Individual(texts, 0.0, [1.0] * len(texts)).gene_values(rows.X)
    steps = STEP * np.abs(values)
    moved = _root_mean_square(genes[:, 1:] - genes[:, :1], rows)
    return float(_root_mean_square(genes[:, 0], rows)), np.where(steps > 0.0, moved / steps, 0.0)


def _root_mean_square(columns: Floats, rows: TrainingRows) -> Floats:
    return np.asarray(np.sqrt(np.average(columns**2, axis=0, weights=rows.shares)), dtype=np.float64)


def _shortest(value: float, effect: float, room: float) -> float:
    """The simplest number near a value that moves predictions by no more than there is room for."""
    return next((near for near in simpler(value) if abs(near - value) * effect <= room), value)


def simpler(value: float) -> Iterator[float]:
    """0, then numbers of ever more digits near a value; a third or a sixth counts as three digits."""
    yield 0.0
    if value == 0.0:
        return
    for digits in range(1, MOST_DIGITS + 1):
        yield float(f"{value:.{digits - 1}e}")
        if digits == 2 and abs(value) < 4.0 and (sixths := round(6.0 * value)):
            yield sixths / 6.0


def _behaves(model: Individual, member: Member, rows: TrainingRows) -> bool:
    """No pole within the range of the rows that was not there before."""
    box = rows.X.min(axis=0).tolist(), rows.X.max(axis=0).tolist()
    return bool(np.isfinite(model.range(*box)).all() or not np.isfinite(member.individual.range(*box)).all())

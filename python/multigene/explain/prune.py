"""Pruning a fitted formula: drop what costs little, refit what is left, round the numbers.

Greedy, best first: every edit of every term (drop it, drop a weight or a part, put a part's mean or its
argument in its place, drop a number) is scored by the R² that a refit of the outer coefficients reaches; the
edits that cost least per node saved are made together, all numbers are tuned anew by the engine, and the next
round begins. It ends when no edit keeps R² within the allowed loss. This is GPTIPS2's gene knock-out carried
on below the genes. The estimator offers it as `model.prune`; `explain/__init__.py` lists what else makes a formula shorter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.constants import (
    DAMPINGS,
    FOR_DROPPING,
    HOPE,
    SCORED_ROWS,
    TERM,
    TRIES,
    TUNED_ROWS,
    TUNING,
)
from multigene.explain.rounding import rounded
from multigene.explain.terms import Fitted, Scorer, Terms, as_individual, split, terms_of
from multigene.expression.build import product_of, sum_of, weighted
from multigene.expression.genes import model_expression, prediction_expression
from multigene.expression.jacobian import node_values
from multigene.expression.readable import size
from multigene.expression.rewriting import replaced
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, postorder
from multigene.expression.vocabulary import ANYTHING, Vocabulary
from multigene.formula import Formula

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Pruned:
    """What pruning did; R² before and after are measured on the same rows."""

    before: Formula
    after: Formula
    r2_before: float
    r2_after: float
    max_loss: float
    rows: int
    member: Member

    @property
    def loss(self) -> float:
        """R² given up; negative when refitting made the formula better."""
        return self.r2_before - self.r2_after

    def __str__(self) -> str:
        return (
            f"{self.before.size} → {self.after.size} nodes, training R² {self.r2_before:.6f} → "
            f"{self.r2_after:.6f} on {self.rows} rows: "
            f"a loss of {self.loss:.2g}, allowed {self.max_loss:g}\n{self.after.target_name} = {self.after}"
        )


def pruned(
    member: Member,
    names: Sequence[str],
    rows: TrainingRows,
    max_loss: Any,
    target: str = "y",
    vocabulary: Vocabulary = ANYTHING,
    keeps: Callable[[Individual], bool] | None = None,
) -> Pruned:
    """A shorter form of a model whose R² on the rows is at most `max_loss` lower, in functions of the `vocabulary`; `keeps` says
    of one whether it keeps rules."""
    if (
        isinstance(max_loss, bool)
        or not isinstance(max_loss, (int, float, np.floating))
        or not 0.0 <= max_loss < 1.0
    ):
        raise ValueError(
            f"max_loss={max_loss!r} is no loss of R²; give a number from 0 up to 1, for example 0.001."
        )
    before = Formula(prediction_expression(member.individual, rows.loss.link), names, target)
    base = rows.explained(member.individual.predict(rows.X))
    if not math.isfinite(base):
        raise ValueError(
            "The model has no finite value on some of these rows, so a loss cannot be measured; "
            "give other rows."
        )
    best = member.individual, before, base
    work = Pruning(rows.thinned(TUNED_ROWS), float(max_loss), vocabulary)
    for expression in reversed(work.path(before.expression)):
        for candidate in _models(expression, rows, base - float(max_loss)):
            # What is listed is the formula of the engine's model, so that is measured.
            after = Formula(prediction_expression(candidate, rows.loss.link), names, target)
            r2 = rows.explained(candidate.predict(rows.X))
            promised = vocabulary.admits(after.expression) or not vocabulary.admits(before.expression)
            promised = promised and (keeps is None or keeps(candidate))
            if r2 >= base - max_loss and after.size <= best[1].size and promised:
                best = candidate, after, r2
                break
        else:
            continue
        break
    individual, after, r2 = best
    found = Member(individual, r2, individual.complexity, member.validation, "pruned")
    return Pruned(before, after, base, r2, float(max_loss), len(rows.y), found)


def _models(expression: Expression, rows: TrainingRows, floor: float) -> Iterator[Any]:
    """The formula with numbers rounded, then with every digit, as engine models; the best coefficients for all rows."""
    terms = tuple(term for _, term in split(expression)[1])
    few = rounded(terms, Scorer(rows.thinned(TUNED_ROWS)), floor)
    for fitted in (few, Scorer(rows).fit(terms)):
        if fitted is not None:
            try:
                yield as_individual(fitted.constant, fitted.coefficients, fitted.terms, grouped=True)
            except ValueError:  # a form that the engine's notation does not have
                continue


class Pruning:
    """One formula on its way to a shorter one."""

    def __init__(self, rows: TrainingRows, max_loss: float, vocabulary: Vocabulary = ANYTHING) -> None:
        self.rows, self.max_loss, self.vocabulary = rows, max_loss, vocabulary
        self.quick, self.exact = Scorer(rows.thinned(SCORED_ROWS)), Scorer(rows)
        self.sizes: dict[Expression, int] = {}

    def path(self, expression: Expression) -> list[Expression]:
        """The formula and ever shorter ones, the last the shortest."""
        start = self.exact.fit(terms_of(expression))
        if start is None or not start.terms:
            return [expression]
        path, current = [expression, start.expression], start
        floor = start.r2 - FOR_DROPPING * self.max_loss
        while current.terms:
            shorter = self._round(current, floor)
            if shorter is None:
                break
            current = shorter
            path.append(current.expression)
        return path

    def cost(self, terms: Sequence[Expression]) -> int:
        """Nodes of a sum of terms, nearly."""
        for term in terms:
            if term not in self.sizes:
                self.sizes[term] = size(term) + TERM
        return sum(self.sizes[term] for term in terms)

    def _round(self, current: Fitted, floor: float) -> Fitted | None:
        """The best edits that keep R² above the floor, made and tuned; None if there are none."""
        hopeful = self._ranked(current, floor)
        together = self._compatible(current, hopeful, floor)
        while len(together) > 1:
            tuned = self._tuned(self._edited(current.terms, together))
            if tuned is not None and tuned.r2 >= floor and self.cost(tuned.terms) < self.cost(current.terms):
                return tuned
            together = together[: len(together) // 2]
        for edit in hopeful[:TRIES]:
            tuned = self._tuned(self._edited(current.terms, [edit]))
            if tuned is not None and tuned.r2 >= floor and self.cost(tuned.terms) < self.cost(current.terms):
                return tuned
        return None

    def _ranked(self, current: Fitted, floor: float) -> list[tuple[Expression, Terms]]:
        """Edits that save nodes and may keep R² above the floor, those that cost least per node first."""
        here = self.quick.fit(current.terms)
        if here is None:
            return []
        whole, scored, seen = (
            self.cost(current.terms),
            list[tuple[float, int, tuple[Expression, Terms]]](),
            set[Terms](),
        )
        lowest = here.r2 - HOPE * max(self.max_loss, current.r2 - floor, 1e-9)
        for term in current.terms:
            for replacement in edits(term, self.quick.rows, self.vocabulary):
                terms = self._edited(current.terms, [(term, replacement)])
                saved = whole - self.cost(terms)
                fitted = self.quick.fit(terms) if saved > 0 and terms not in seen else None
                seen.add(terms)
                if fitted is not None and fitted.r2 >= lowest:
                    loss = max(here.r2 - fitted.r2, 1e-3 * self.max_loss)
                    scored.append((loss / saved, len(scored), (term, replacement)))
        return [edit for _, _, edit in sorted(scored)]

    def _compatible(
        self, current: Fitted, ranked: list[tuple[Expression, Terms]], floor: float
    ) -> list[tuple[Expression, Terms]]:
        """The best edit of each of several terms, as many as outer coefficients alone can bear with half of
        what may be lost.
        """
        here = self.quick.fit(current.terms)
        allowed = (here.r2 if here else 0.0) - 0.5 * max(0.0, current.r2 - floor)
        taken: list[tuple[Expression, Terms]] = []
        touched: set[Expression] = set()
        for edit in ranked:
            if edit[0] in touched:
                continue
            fitted = self.quick.fit(self._edited(current.terms, [*taken, edit]))
            if fitted is not None and fitted.r2 >= allowed:
                taken.append(edit)
                touched.add(edit[0])
        return taken

    @staticmethod
    def _edited(terms: Terms, edits: Sequence[tuple[Expression, Terms]]) -> Terms:
        replaced = dict(edits)
        return tuple(dict.fromkeys(new for term in terms for new in replaced.get(term, (term,))))

    def _tuned(self, terms: Terms) -> Fitted | None:
        """Terms with all numbers tuned by the engine, or only the outer ones where that is better."""
        plain = self.exact.fit(terms)
        if plain is None or not plain.terms:
            return plain
        try:
            model = self._refined(
                as_individual(plain.constant, plain.coefficients, plain.terms).fit(self.rows.dataset)
            )
            tuned = self.exact.fit(terms_of(model_expression(model)))
        except ValueError:
            return plain
        return (
            tuned
            if tuned is not None and tuned.r2 > plain.r2 and self.cost(tuned.terms) <= self.cost(plain.terms)
            else plain
        )

    def _refined(self, model: Individual) -> Individual:
        """The engine's tuning, with more damping where a saturated or steep part lets it get stuck."""
        for damping in DAMPINGS:
            tuned = model.refine(self.rows.dataset, replace(TUNING, damping=damping))
            if tuned.fitness > model.fitness:
                return tuned
        return model


# --- edits ----------------------------------------------------------------------------------------


def edits(term: Expression, rows: TrainingRows, vocabulary: Vocabulary = ANYTHING) -> list[Terms]:
    """What could take a term's place: nothing, or the term with one part less, in functions of the `vocabulary`."""
    nodes = postorder(term)
    values = node_values(nodes, rows.X)
    found: list[Terms] = [()]
    seen: set[Terms] = {(term,), ()}
    known = vocabulary if vocabulary.admits(term) else ANYTHING
    for place, node in enumerate(nodes):
        for replacement in _replacements(node, values[place], [values[p] for p in _places(nodes, place)]):
            changed = terms_of(replaced(term, place, replacement))
            if changed not in seen:
                seen.add(changed)
                if all(map(known.admits, changed)):
                    found.append(changed)
    return found


def _replacements(node: Expression, value: Floats, below: list[Floats]) -> list[Expression]:
    """Simpler things in place of a node."""
    if isinstance(node, Number):
        return [Number(0.0), Number(1.0)]
    found: list[Expression] = []
    mean = float(np.mean(value))
    if math.isfinite(mean):
        found.append(Number(mean))
    if isinstance(node, Variable):
        return found
    functional = isinstance(node, Power) or (isinstance(node, Operation) and node.name not in ("add", "mul"))
    for child, values in zip(node.children, below, strict=True):
        if functional and not isinstance(child, Number):
            found.append(child)
            line = _line(values, value)
            if line is not None:
                found.append(sum_of([weighted(line[1], child), Number(line[0])]))
    found.extend(_cheaper(node))
    if isinstance(node, Operation) and node.name in ("add", "mul"):
        for i in range(len(node.arguments)):
            rest = node.arguments[:i] + node.arguments[i + 1 :]
            found.append(sum_of(rest) if node.name == "add" else product_of(rest))
    if isinstance(node, Operation) and node.name == "add":
        found.extend(_thinner(node, below))
    return found


def _cheaper(node: Expression) -> list[Expression]:
    """Functions that are shorter in print and the same, or alike near zero; tuning does the rest."""
    if isinstance(node, Power) and isinstance(node.base, Operation) and node.base.name == "exp":
        return [Operation("exp", (weighted(node.exponent, node.base.arguments[0]),))]
    if not isinstance(node, Operation):
        return []
    inside = node.arguments[0]
    if node.name == "logistic":
        bent = Operation("tanh", (weighted(0.5, inside),))
        return [Operation("add", (weighted(-0.5, bent), Number(0.5)))]
    if node.name == "sinc":
        return [
            Operation("cos", (weighted(3**-0.5, inside),)),
            Operation("gauss", (weighted(6**-0.5, inside),)),
        ]
    if node.name == "gauss":
        return [Operation("cos", (weighted(2**0.5, inside),))]
    if node.name == "softplus":
        return [Operation("exp", (inside,)), Operation("max", (inside, Number(0.0)))]
    return []


def _thinner(node: Operation, below: list[Floats]) -> list[Expression]:
    """A long sum with only its larger terms; the others' means go into the constant."""
    spread = [float(np.std(values)) for values in below]
    moving = [i for i, child in enumerate(node.arguments) if not isinstance(child, Number)]
    order = sorted(moving, key=lambda i: -spread[i])
    found: list[Expression] = []
    for kept in {len(order) // 2, len(order) // 4, len(order) - 2}:
        if 1 <= kept < len(order) - 1:
            left_out = order[kept:]
            constant = sum(float(np.mean(below[i])) for i in left_out)
            rest = [child for i, child in enumerate(node.arguments) if i not in left_out]
            if math.isfinite(constant):
                found.append(sum_of([*rest, Number(constant)]))
    return found


def _line(x: Floats, y: Floats) -> tuple[float, float] | None:
    """Intercept and slope of the straight line through points; None where there is none."""
    with np.errstate(all="ignore"):
        dx = x - np.mean(x)
        square = float(dx @ dx)
        slope = float(dx @ y) / square if square > 0.0 else math.nan
        intercept = float(np.mean(y) - slope * np.mean(x))
    return (intercept, slope) if math.isfinite(intercept) and math.isfinite(slope) and slope != 0.0 else None


def _places(nodes: list[Expression], place: int) -> list[int]:
    """Places of a node's children in postorder."""
    found: list[int] = []
    at = place - 1
    for child in reversed(nodes[place].children):
        found.append(at)
        at -= len(postorder(child))
    return found[::-1]

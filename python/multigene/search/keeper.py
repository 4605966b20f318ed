"""The keeper of shapes: which models of a search keep what their user knows, and coefficients that make others keep it.

Fronts ask it beside the guard (`task.py`), the law search before it ends (`seeking.py`), and `enforced` has the last word on
a result: what breaks a shape there is fitted under the shapes' conditions, and what still breaks one is left out. A sum of
columns and their squares that keeps the shapes is always among the models, so that there is a formula even where nothing else
keeps them.
"""

from __future__ import annotations

import re
from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.losses import SQUARED, Loss
from multigene.evolution.pareto import Member, non_dominated
from multigene.expression.genes import model_expression
from multigene.search.constants import (
    ALIKE,
    FEWER_BOXES,
    LARGEST_FALLBACK,
    SHAPED_LEAVES,
    SHAPED_REWEIGHTINGS,
    UNSEEN,
)
from multigene.search.scaling import Scaling
from multigene.shapes.constants import FINAL_POINTS, SEARCH_POINTS
from multigene.shapes.known import Known
from multigene.shapes.points import Conditions
from multigene.shapes.proof import verdicts
from multigene.shapes.repair import constrained

Floats = npt.NDArray[np.float64]

NOTHING_KEEPS = (
    "No formula was found that keeps all of shapes={texts!r}; leave one out, or give the range in which they hold, "
    "such as '0 <= {column} <= 1'."
)


class Keeper:
    """Shapes of one problem, whose rows are X, y and weights; models of a user's form (`formed`) get no other coefficients."""

    def __init__(
        self,
        known: Known,
        scaling: Scaling,
        X: Floats,
        y: Floats,
        weights: Floats | None,
        loss: Loss = SQUARED,
        formed: bool = False,
    ) -> None:
        self.known, self.scaling, self.X, self.y, self.weights = known, scaling, X, y, weights
        self.loss, self.formed = loss, formed
        self.conditions = self._drawn(SEARCH_POINTS)
        self._standardised = scaling.standardised(self.conditions.points)

    def _drawn(self, count: int) -> Conditions:
        known = self.known
        return Conditions.of(known.stated, known.low, known.high, known.unit, np.random.default_rng(0), count)

    @cached_property
    def _final(self) -> Conditions:
        return self._drawn(FINAL_POINTS)

    def keeps(self, individual: Individual, *, in_user_units: bool) -> bool:
        """Does a model keep the shapes on points?"""
        points = self.conditions.points if in_user_units else self._standardised
        return self.conditions.kept(individual.predict(points))

    def mended(
        self, individual: Individual, rows: npt.NDArray[np.intp] | None, *, in_user_units: bool
    ) -> tuple[Individual, float] | None:
        """The model with coefficients of least loss that keep the shapes, and what it explains of some rows; None without any."""
        X, y, weights = self._rows(rows)
        Z = X if in_user_units else self.scaling.standardised(X)
        points = self.conditions.points if in_user_units else self._standardised
        return self._fitted(individual, Z, y, weights, points, self.conditions, reweightings=1)

    def taken(self, rows: npt.NDArray[np.intp]) -> Keeper:
        """The same shapes with some of the rows alone."""
        other = copy(self)
        other.X, other.y, other.weights = self._rows(rows)
        return other

    def _rows(self, rows: npt.NDArray[np.intp] | None) -> tuple[Floats, Floats, Floats | None]:
        if rows is None:
            return self.X, self.y, self.weights
        return self.X[rows], self.y[rows], None if self.weights is None else self.weights[rows]

    def _fitted(
        self,
        individual: Individual,
        X: Floats,
        y: Floats,
        weights: Floats | None,
        points: Floats,
        conditions: Conditions,
        reweightings: int = SHAPED_REWEIGHTINGS,
    ) -> tuple[Individual, float] | None:
        genes = self._with_mirrored(individual)
        model = Individual(genes, 0.0, [1.0] * len(genes))
        columns = model.gene_values(X)
        at_points = model.gene_values(points)
        share = np.ones(len(y)) if weights is None else weights
        if self.loss.squared:
            found = constrained(columns, y, weights, at_points, conditions)
        else:
            values = individual.predict(X)  # near those that keep the shapes, as a rule
            found = self._reweighted(columns, y, share, at_points, conditions, values, reweightings)
        if found is None or not np.isfinite(found).all():
            return None
        # A gene that moves no value by as much as anybody sees is rounding of the conditions' equations.
        moves = np.abs(found[1:]) * np.ptp(np.vstack([columns, at_points]), axis=0)
        for least in (UNSEEN * self.known.unit, 0.0):
            used = np.flatnonzero(moves > least).tolist() or [0]
            kept = Individual([genes[i] for i in used], float(found[0]), found[1:][used].tolist())
            if conditions.kept(kept.predict(points)):
                return kept, self.loss.explained(y, kept.predict(X), share)
        return None

    def _reweighted(
        self,
        columns: Floats,
        y: Floats,
        weights: Floats,
        at_points: Floats,
        conditions: Conditions,
        values: Floats,
        most: int,
    ) -> Floats | None:
        """Coefficients of another loss: those of the squared errors that look like it at these values, one after the other."""
        loss, best, least = self.loss, None, np.inf
        if not np.isfinite(values).all():
            values = np.full(len(y), loss.constant(y, weights))
        for _ in range(most):
            w, z = loss.working(y, values)
            if not (np.isfinite(w).all() and np.isfinite(z).all()):
                break
            found = constrained(
                columns, z, np.maximum(weights * w, 1e-12 * float(w.max())), at_points, conditions
            )
            if found is None or not np.isfinite(found).all():
                break
            values = found[0] + columns @ found[1:]
            after = float(np.average(loss.values(y, values), weights=weights))
            if not after < least * (1.0 - 1e-6):
                break
            best, least = found, after
        return best

    def _with_mirrored(self, individual: Individual) -> list[str]:
        """The genes, and the same with columns exchanged or mirrored where shapes ask for that."""
        genes = list(individual.genes)
        n = len(self.known.low)
        for shape in self.known.stated.shapes:
            others: list[str] = []
            if shape.kind == "symmetric":
                for first, second in zip(shape.columns, shape.columns[1:], strict=False):
                    others += [_exchanged(gene, first, second) for gene in genes]
            elif shape.kind in ("even", "odd"):
                signs = [-1.0 if j == shape.columns[0] else 1.0 for j in range(n)]
                mirrored = Individual(genes, 0.0, [1.0] * len(genes)).in_original_units([0.0] * n, signs)
                others = list(mirrored.genes)
            genes += [gene for gene in dict.fromkeys(others) if gene not in genes]
        return genes

    # --- the last word ----------------------------------------------------------------------------

    def enforced(self, member: Member) -> Member | None:
        """A member of the result, in the user's units, that keeps the shapes: as it is, with other coefficients, or None."""
        if self.accepts(member.individual):
            return member
        return None if self.formed else self._refitted(member)

    def _refitted(self, member: Member) -> Member | None:
        """The best coefficients of a member's genes that keep the shapes; its own do not matter. None where none do."""
        final = self._final
        found = self._fitted(member.individual, self.X, self.y, self.weights, final.points, final)
        if found is None or not self.accepts(found[0]):
            return None
        individual, fitness = found
        size = individual.printed_size()
        # Other coefficients than those that unseen rows were asked about.
        return replace(member, individual=individual, fitness=fitness, complexity=size, validation=np.nan)

    def accepts(self, individual: Individual) -> bool:
        """Does a model in the user's units keep the shapes, as far as many points and interval arithmetic tell?"""
        if not self._final.kept(individual.predict(self._final.points)):
            return False
        known = self.known
        found = verdicts(
            model_expression(individual), known.stated, known.low, known.high, known.unit, most=FEWER_BOXES
        )
        return all(verdict.status != "violated" for verdict in found)

    def fallback(self) -> list[Member]:
        """Sums of columns, and of columns and their squares, that keep the shapes."""
        columns = list(range(min(len(self.known.low), LARGEST_FALLBACK)))
        linear, squares = [f"x{j}" for j in columns], [f"x{j} * x{j}" for j in columns]
        found = []
        for genes in (linear[:1], linear, [*linear, *squares]):
            start = Member(Individual(genes, 0.0, [1.0] * len(genes)), -np.inf, 0)
            kept = self._refitted(start)
            found += [] if kept is None else [kept]
        return found

    def last_word(self, chosen: Member, front: list[Member]) -> tuple[Member, list[Member]]:
        """The front without what breaks a shape, and the chosen model; where that had to be changed, the smallest of its size
        that leaves hardly more unexplained than the best, or of any size where those are far from what was chosen."""
        kept = [(member, self.enforced(member)) for member in front]
        left = [new for _, new in kept if new is not None]
        members = non_dominated([*left, *([] if self.formed else self.fallback())])
        if not members:
            names = self.known.texts
            column = self.known.stated.shapes[0].text.rpartition(" ")[2]
            raise ValueError(NOTHING_KEEPS.format(texts=names, column=column))
        own = next((new for old, new in kept if old is chosen), None)
        if own is not chosen:  # it may be hardly anything of what it was
            every = [*members, *([] if own is None else [own])]
            allowed = [m for m in every if m.complexity <= chosen.complexity]
            if not any(1.0 - m.fitness <= SHAPED_LEAVES * (1.0 - chosen.fitness) for m in allowed):
                allowed = every
            least = min(1.0 - m.fitness for m in allowed)
            alike = [m for m in allowed if 1.0 - m.fitness <= ALIKE * least]
            own = min(alike, key=lambda m: m.complexity)
        better = [m for m in members if m.complexity <= own.complexity and m.fitness > own.fitness]
        own = max(better, key=lambda m: m.fitness) if better else own
        if not any(m is own for m in members):
            members = sorted([*members, own], key=lambda m: m.complexity)
        return own, members


def _exchanged(gene: str, first: int, second: int) -> str:
    """A gene with two columns exchanged."""
    other = {str(first): str(second), str(second): str(first)}
    swapped = re.sub(r"\bx(\d+)\b", lambda found: f"x{other.get(found[1], found[1])}", gene)
    return re.sub(r"([\[{<])(\d+):", lambda found: f"{found[1]}{other.get(found[2], found[2])}:", swapped)

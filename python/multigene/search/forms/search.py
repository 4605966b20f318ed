"""The search for the gaps of a form: it takes the place of the law search (`seeking.py`), and of the islands.

    stand-ins   smooth stand-ins for all functions are tuned together: what the form can do at its best, about
    shapes      one function after the other is tried in every shape of a catalogue, the others still stand-ins; then the best
                shapes of all functions are tried together
    evolution   what came of that varies: the best of every size are kept, functions change one at a time or go over from others

Every filling is one model of the engine (`pool.py`), all its numbers tuned together by Levenberg-Marquardt; a step of it is a
least-squares fit of those in which the form is linear. Work is counted in evaluations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from multigene._engine import Individual
from multigene.expression.build import call
from multigene.expression.form import Form
from multigene.expression.readable import size
from multigene.expression.tree import Expression, Number, evaluate, from_postfix, to_postfix
from multigene.laws.law import Find
from multigene.laws.noise import price
from multigene.laws.settings import vocabulary
from multigene.search.constants import (
    FORM_BATCH,
    FORM_CHILDREN,
    FORM_COMBINED,
    FORM_LONGER,
    FORM_PATIENCE,
    FORM_TWICE,
)
from multigene.search.forms.compiled import Filling
from multigene.search.forms.pool import Pool
from multigene.search.forms.trees import Variation, affine, catalogue, drawn, pairs, polynomial
from multigene.search.seeking import LawSearch
from multigene.search.task import Task
from multigene.settings.defaults import default_settings


class FormSearch(LawSearch):
    """The search for one form; what the rest of the search knows of it is what it knows of the law search."""

    def __init__(self, task: Task, form: Form, rng: np.random.Generator) -> None:
        self.task, self.problem, self.form = task, task.problem, form
        self.seekers, self.given, self._as_candidates = None, None, {}
        self.rng = np.random.default_rng(rng.integers(2**63))
        self.pool = Pool(task, form)
        chosen = task.settings.genes.functions
        own = None if chosen == default_settings().genes.functions else chosen
        self.vocabulary = vocabulary(own, "linear")
        self.variation = Variation(own, self.rng)
        self.scales = [self._scales(i) for i in range(len(form.functions))]
        self.shapes = [catalogue(scales, self.vocabulary) for scales in self.scales]
        self.stage = 0
        self.tops: list[list[Expression]] = []
        self.stand_ins: Filling | None = None

    # --- what the rest of the search asks ---------------------------------------------------------

    @property
    def alone(self) -> bool:
        """Islands have no forms."""
        return True

    @property
    def has_targets(self) -> bool:
        """There is a form."""
        return True

    @property
    def law(self) -> Find | None:
        """The law, once there is one."""
        return self.pool.law

    @property
    def evaluations(self) -> int:
        """Candidates tuned so far."""
        return self.pool.evaluations

    @property
    def finds(self) -> list[Find]:
        """The best of every size."""
        return list(self.pool.by_size.values())

    @property
    def prices(self) -> dict[int, float]:
        """What the finds cost, by identity of their models: the lowest is the most convincing."""
        return {id(find.individual): price(find, len(self.problem.search_rows)) for find in self.finds}

    def keep_law_of(self, other: LawSearch) -> None:
        """Go on with the law that another search has found."""
        self.pool.law = other.law

    def adopt(self, individual: Individual) -> None:
        """Models of others have not the form."""

    def simplify(self) -> None:
        """Sizes compete all along."""

    def islands_begin(self) -> None:
        """There are none."""

    def run(self, evaluations: int, stop: Callable[[], bool]) -> bool:
        """Search for as many evaluations; True if there is a law that holds on the held-out rows."""
        until = self.evaluations + evaluations
        while self.pool.law is None and self.evaluations < until and not stop():
            self._next()
        self.pool.look_closer()
        return self.pool.law is not None

    # --- stages -----------------------------------------------------------------------------------

    def _next(self) -> None:
        """The next batch of work: the stages one after the other, then evolution."""
        stages = self._stages()
        if self.stage < len(stages):
            stages[self.stage]()
        else:
            self._evolve()
        self.stage += 1

    def _stages(self) -> list[Callable[[], object]]:
        """What comes before evolution; a lone function has no others to go with, and is tried in pairs of shapes instead."""
        count = len(self.form.functions)
        if count == 0:
            return [self._begin]
        if count == 1:
            return [self._begin, lambda: self.pool.take(self._in_every_shape(0)), self._try_pairs]
        return [self._begin, *(partial(self._try_shapes, i) for i in range(count)), self._combine]

    def _begin(self) -> None:
        """Numbers alone, or stand-ins for all functions, from several starts."""
        starts = [self._start(number) for number in (1.0, 0.1, 10.0, -1.0)]
        if not self.form.functions:
            drawn = [
                Filling((), tuple(float(v) for v in self.rng.normal(size=len(self.form.numbers)) * factor))
                for factor in (0.3, 1.0, 3.0, 10.0, 100.0)
                for _ in range(20)
            ]
            self.pool.take(starts + drawn, FORM_LONGER)
            return
        tried = self.pool.tuned(starts, FORM_LONGER)
        self.stand_ins = min(tried, key=lambda pair: pair[0])[1] if tried else starts[0]

    def _try_shapes(self, i: int) -> None:
        tuned = self.pool.take(self._in_every_shape(i))
        best = sorted(tuned, key=lambda pair: pair[0])
        most = FORM_COMBINED[min(len(self.form.functions), len(FORM_COMBINED)) - 1]
        self.tops.append([filling.functions[i] for _, filling in best[:most]])

    def _in_every_shape(self, i: int) -> list[Filling]:
        """Function i in every shape of the catalogue, the others stand-ins."""
        return [_with(self._base(), i, affine(shape)) for shape in self.shapes[i]]

    def _try_pairs(self) -> None:
        self.pool.take([_with(self._base(), 0, tree) for tree in pairs(self.scales[0], self.vocabulary)])

    def _combine(self) -> None:
        """The best shapes of all functions together."""
        base = self._base()
        self.pool.take([Filling(trees, base.numbers) for trees in product(*self.tops)], FORM_LONGER)

    def _evolve(self) -> None:
        """Children of what is kept; after a time without progress anything may be kept again."""
        if self.pool.since > FORM_PATIENCE:
            self.pool.forget()
            base = self._base()
            self.pool.take(
                [_with(self._random(base), i, tree) for i, top in enumerate(self.tops) for tree in top]
            )
        parents = [pair for pairs in self.pool.kept.values() for pair in pairs]
        if not parents or not self.form.functions:
            self.pool.take([self._random(self._start()) for _ in range(FORM_BATCH)])
            return
        left = np.array([unexplained for unexplained, _ in parents])
        order = np.argsort(np.argsort(left)) + 1.0
        chance = 1.0 / order / np.sum(1.0 / order)
        picks = self.rng.choice(len(parents), size=(FORM_BATCH, 2), p=chance)
        self.pool.take([self._child(parents[a][1], parents[b][1]) for a, b in picks])

    def _child(self, parent: Filling, other: Filling) -> Filling:
        i = int(self.rng.integers(len(self.form.functions)))
        kind, scales = drawn(FORM_CHILDREN, self.rng), self.scales[i]
        if kind == "other":
            tree = other.functions[i]
        elif kind == "shape":
            tree = affine(self._shape(i))
        elif kind == "added":
            tree = call("add", parent.functions[i], call("mul", Number(0.1), self._shape(i)))
        else:
            tree = self.variation.changed(parent.functions[i], other.functions[i], scales)
            if self.rng.random() < FORM_TWICE:
                tree = self.variation.changed(tree, other.functions[i], scales)
        if size(tree) > self.form.functions[i].most_nodes:
            tree = affine(self.variation.tree(scales))
        return _with(parent, i, tree)

    def _shape(self, i: int) -> Expression:
        """One of the shapes of function i."""
        known = self.shapes[i]
        return known[int(self.rng.integers(len(known)))] if known else self.variation.tree(self.scales[i])

    def _random(self, base: Filling) -> Filling:
        return Filling(tuple(affine(self.variation.tree(scales)) for scales in self.scales), base.numbers)

    def _base(self) -> Filling:
        return self.stand_ins or self._start()

    def _start(self, number: float = 1.0) -> Filling:
        return Filling(tuple(polynomial(s) for s in self.scales), (number,) * len(self.form.numbers))

    # --- rows -------------------------------------------------------------------------------------

    def _scales(self, i: int) -> list[float]:
        """Sizes of a function's arguments; 1 where one is not known."""
        place = next(place for place in self.form.places if place.function == i)
        found = []
        for argument in place.arguments:
            try:
                values = np.abs(evaluate(argument, self.problem.X))
                found.append(float(np.mean(values)) or 1.0)
            except ValueError:  # an unknown number or function within
                found.append(1.0)
        return found

    # --- stop and resume --------------------------------------------------------------------------

    def packed(self) -> dict[str, Any]:
        """As plain values, without loss."""

        def plain(filling: Filling) -> list[Any]:
            return [[to_postfix(t) for t in filling.functions], [v.hex() for v in filling.numbers]]

        return {
            "rng": self.rng.bit_generator.state,
            "stage": self.stage,
            "evaluations": self.evaluations,
            "since": self.pool.since,
            "stand_ins": None if self.stand_ins is None else plain(self.stand_ins),
            "tops": [[to_postfix(tree) for tree in top] for top in self.tops],
            "kept": [[left.hex(), *plain(c)] for pairs in self.pool.kept.values() for left, c in pairs],
        }

    def restore(self, saved: dict[str, Any] | None) -> None:
        """Go on from what `packed` gave."""
        assert saved is not None

        def filling(functions: Any, values: Any) -> Filling:
            return Filling(tuple(from_postfix(t) for t in functions), tuple(float.fromhex(v) for v in values))

        self.rng.bit_generator.state = saved["rng"]
        self.stage, self.pool.evaluations = int(saved["stage"]), int(saved["evaluations"])
        self.stand_ins = None if saved["stand_ins"] is None else filling(*saved["stand_ins"])
        self.tops = [[from_postfix(tree) for tree in top] for top in saved["tops"]]
        for left, functions, values in saved["kept"]:
            self.pool.keep(float.fromhex(left), filling(functions, values))
        self.pool.since = int(saved["since"])
        self.pool.look_closer()


def _with(filling: Filling, i: int, tree: Expression) -> Filling:
    functions = list(filling.functions)
    functions[i] = tree
    return Filling(tuple(functions), filling.numbers)

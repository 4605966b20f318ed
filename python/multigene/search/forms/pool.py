"""The fillings of a form that were tried: their numbers tuned together, the best of every size kept, laws told from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from multigene._engine import Dataset, Individual, polish
from multigene.data.spread import evenly
from multigene.expression.form import Form
from multigene.expression.readable import size
from multigene.expression.rewriting import simplify
from multigene.formula import Formula
from multigene.laws import law as laws
from multigene.laws.constants import POLISH
from multigene.laws.law import Find
from multigene.search.constants import FORM_EXACT, FORM_KEPT, FORM_QUICK, FORM_ROWS, FORM_TUNED
from multigene.search.forms.compiled import CompiledForm, Filling
from multigene.search.forms.described import described
from multigene.search.task import Task
from multigene.settings.settings import Refinement


class Pool:
    """Fillings as models of a problem's rows for searching."""

    def __init__(self, task: Task, form: Form) -> None:
        self.task, self.problem, self.form = task, task.problem, form
        problem, rows = task.problem, task.problem.search_rows
        self.compiled = CompiledForm.of(form)
        Z = self.compiled.columns(problem.X)
        if not np.isfinite(Z).all():
            part = self.compiled.parts[int(np.flatnonzero(~np.isfinite(Z).all(axis=0))[0])]
            raise ValueError(
                f"The part {Formula(part, form.names).text()} of the form {form.text!r} has no finite value on some row; "
                "check its domain."
            )
        few = rows[evenly(len(rows), FORM_ROWS)]
        self.some, self.data = self._dataset(Z, few), self._dataset(Z, rows)
        keeper = problem.keeper
        #: The known parts on the points at which shapes are looked at.
        self.points = None if keeper is None else self.compiled.columns(keeper.conditions.points)
        #: The best fillings of every size, and what each leaves unexplained.
        self.kept: dict[int, list[tuple[float, Filling]]] = {}
        self.by_size: dict[int, Find] = {}
        self.law: Find | None = None
        #: Fillings tuned, and how many of them since the last progress.
        self.evaluations, self.since = 0, 0
        self.best = np.inf

    def _dataset(self, Z: Any, rows: Any) -> Dataset:
        problem = self.problem
        weights = None if problem.weights is None else problem.weights[rows]
        return Dataset(Z[rows], problem.y[rows], weights, None, None, problem.loss.engine)

    def forget(self) -> None:
        """Let anything be kept again; finds stay."""
        self.kept, self.since, self.best = {}, 0, np.inf

    def take(self, fillings: Iterable[Filling], how: Refinement = FORM_QUICK) -> list[tuple[float, Filling]]:
        """Tune fillings and keep the best of every size."""
        tuned = self.tuned(filter(self._keeps_rules, fillings), how)
        before = self.best
        for left, filling in tuned:
            self.keep(left, filling)
        self.since = 0 if self.best < 0.9 * before else self.since + len(tuned)
        if self.best < FORM_EXACT:
            self.look_closer()
        return tuned

    def tuned(self, fillings: Iterable[Filling], how: Refinement) -> list[tuple[float, Filling]]:
        """What every filling leaves unexplained after tuning; those without a value are left out."""
        told: list[tuple[Filling, Individual]] = []
        for filling in fillings:
            small = all(
                size(t) <= max(f.most_nodes, 31)
                for t, f in zip(filling.functions, self.form.functions, strict=True)
            )
            try:
                if small:
                    told.append((filling, self.compiled.individual(filling)))
            except (ValueError, OverflowError):  # no finite number, or too deep for the engine
                continue
        models = polish([model for _, model in told], self.some, how, [], self.task.workers, False)
        self.evaluations += len(models)
        found = []
        for (filling, _), model in zip(told, models, strict=True):
            if np.isfinite(model.fitness) and self._keeps_shapes(model):
                found.append((max(1.0 - model.fitness, 0.0), self.compiled.tuned(filling, model)))
        return found

    def keep(self, left: float, filling: Filling) -> None:
        """Keep a tuned filling if it is among the best of its size."""
        length = sum(size(tree) for tree in filling.functions)
        pairs = self.kept.setdefault(length, [])
        if any(abs(left - known) <= 1e-9 * known for known, _ in pairs):
            return
        pairs.append((left, filling))
        pairs.sort(key=lambda pair: pair[0])
        del pairs[FORM_KEPT:]
        self.best = min(self.best, left)

    def look_closer(self) -> None:
        """The best of every size on all rows for searching: finds, and one of them perhaps the law."""
        least = np.inf
        best: list[Filling] = []
        for length in sorted(self.kept):
            left, filling = self.kept[length][0]
            if left < 0.99 * least:
                least = left
                best.append(filling)
        told = [(c, self.compiled.individual(c)) for c in best[-FORM_TUNED:]]
        models = polish([model for _, model in told], self.data, POLISH, [], self.task.workers, False)
        for (filling, _), model in zip(told, models, strict=True):
            if np.isfinite(model.fitness) and self.law is None and self._keeps_shapes(model):
                self._find(self.compiled.tuned(filling, model), 1.0 - model.fitness)

    def _keeps_rules(self, filling: Filling) -> bool:
        """Is the formula that a filling makes allowed, apart from its numbers?"""
        rules = self.problem.rules
        if not rules:
            return True
        filled = self.form.filled(filling.functions, filling.numbers)
        return rules.broken_structure([filled]) is None

    def _keeps_shapes(self, model: Individual) -> bool:
        """Does a model of the known parts keep what its user knows of the formula's shape, on points?"""
        keeper = self.problem.keeper
        return keeper is None or self.points is None or keeper.conditions.kept(model.predict(self.points))

    def _find(self, filling: Filling, left: float) -> None:
        try:
            expression = simplify(self.form.filled(filling.functions, filling.numbers))
            individual = laws.as_individual(expression)
        except (ValueError, OverflowError):  # a number beyond floating point
            return
        dimensions = self.problem.dimensions
        if individual is None or not (dimensions is None or dimensions.admits(expression)):
            return
        if self.problem.rules.broken(expression) is not None:
            return
        length = individual.printed_size()
        find = Find(individual, expression, max(left, 0.0))
        law = self._law(find) if left < FORM_EXACT else None
        parts = described(self.form, filling.functions, filling.numbers)
        if law is not None:
            self.law = replace(law, parts=parts)
            return
        find = replace(find, parts=parts)
        known = self.by_size.get(length)
        if known is None or find.unexplained < known.unexplained:
            self.by_size[length] = find

    def _law(self, find: Find) -> Find | None:
        """The find as a law of all rows, where it is one."""
        problem, rows = self.problem, self.problem.search_rows
        if not problem.loss.squared or len(rows) < 3 * find.individual.n_parameters + 10:
            return None
        X, y = problem.X[rows], problem.y[rows]
        law = laws.as_law(find, X, y, Dataset(X, y))
        if law is None or (problem.dimensions is not None and not problem.dimensions.admits(law.expression)):
            return None
        held = problem.held_out_rows
        return law if len(held) == 0 or laws.holds(law, problem.X[held], problem.y[held]) else None

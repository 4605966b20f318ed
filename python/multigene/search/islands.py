"""Islands: several populations on the same rows, and the fronts of what they find.

An island (`island.py`) is the paper's loop (`evolution/loop.py`) with settings of its own. Islands share nothing while they
evolve, so that they can do it side by side (`evolution/parallel.py`): each has a front of its own; after every round the fronts
are brought together and the best of each island migrates to the next one. Most evolve on standardised features, one on the user's
as they are (`short.py`): there are two fronts, and sizes on both are those of the formulas that users get to see. The search
(`phases.py`) has one group of islands, and each fold of its cross-validation (`cross_validation.py`) another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from copy import copy
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from multigene._engine import Dataset, Individual, Population, Workers
from multigene.evolution import checkpoint, elsewhere
from multigene.evolution.loop import heeds_refusals
from multigene.evolution.parallel import in_order, own
from multigene.evolution.pareto import ParetoFront, fittest_up_to
from multigene.search.constants import (
    FEWEST_ROWS_TO_SHORTEN,
    FIRST_MODELS,
    LARGEST_SHORT,
    MIDDLE_SIZES,
    MOST_FITTED,
    SHORT_MIGRANTS,
    SHORT_POLISHING_STEPS,
    SHORT_SHARE,
    SHORT_START,
    SHORTENED,
)
from multigene.search.island import Ground, Island
from multigene.search.linear import linear_models
from multigene.search.problem import Rows
from multigene.search.short import as_emigrant, as_immigrants
from multigene.search.shorter import fitted, polished, shorter_relatives
from multigene.search.task import Task
from multigene.settings.functions import are_defined


class Islands:
    """A group of islands on some rows; `number` counts generations of each, `linear` are the linear models they begin with."""

    def __init__(self, task: Task, rows: Rows | None) -> None:
        """Without populations yet. Linear models are known even if there is no time for a single generation."""
        self.task = task
        self._see(rows)
        self.lasted: dict[int, float] = {}
        self.linear = linear_models(task.problem, self.data) if task.options.linear else []
        self.populations: list[Island] = []
        self.number = 0
        #: Share of the run that a generation of all took last; None before the first.
        self.pace: float | None = None
        #: Of models of standardised features.
        self.front = self.ground.front(short=False)
        #: Of models of the user's.
        self.short = self.ground.front(short=True)
        self.offer(self.linear)
        self._offer_guesses()

    def _see(self, rows: Rows | None) -> None:
        """All rows, or some of them, with others held out for later."""
        held_out = self.task.problem.held_out_rows
        exploring = rows is self.task.problem.search_rows and len(held_out) > 0
        self.ground = Ground(self.task, rows, exploring)

    @property
    def data(self) -> Dataset:
        """The rows with standardised features."""
        return self.ground.data

    @property
    def user_data(self) -> Dataset:
        """The rows with the user's features, where there is an island for short formulas."""
        return self.ground.dataset(short=any(self._kinds))

    @property
    def evaluations(self) -> int:
        """Evaluations so far."""
        return sum(island.last.evaluations for island in self.populations if island.last)

    @property
    def large(self) -> list[Island]:
        """Islands on standardised features."""
        return [island for island in self.populations if not island.short]

    @property
    def whole(self) -> ParetoFront:
        """Both fronts as one."""
        whole = ParetoFront()
        whole.follow(self.front)
        whole.merge(self.short)
        return whole

    def settle(
        self, rng: np.random.Generator, large: Sequence[Individual] = (), short: Sequence[Individual] = ()
    ) -> None:
        """Give every island its first population; the first one starts with the linear models.

        Models of the user's features that are known already may enter the fronts, and islands begin with some each: those on
        standardised features with the fittest of the `large` ones, those for short formulas with all `short` ones.
        """
        self.populations = []
        known = {False: self._known(large), True: self._known_short(short)}
        for i, is_short in enumerate(self._kinds):
            own_rng = np.random.default_rng(rng.integers(2**63))
            models = list(self.linear) if i == 0 and not is_short else []
            guesses = [guess.model for guess in self.task.guesses[:FIRST_MODELS]]
            if is_short:
                models += guesses
            elif i == 0:
                models += [as_emigrant(each, self.task.problem) for each in guesses]
            place = self._kinds[:i].count(is_short)
            models += known[is_short][place :: self._kinds.count(is_short)]
            self.populations.append(self.ground.island(is_short, self._workers(), models, rng=own_rng))

    def _known(self, models: Sequence[Individual]) -> list[Individual]:
        """The fittest of some models of the user's features, as models of standardised ones; all are offered to the front."""
        emigrants = [as_emigrant(each, self.task.problem) for each in models]
        again = fitted(emigrants, self.data, self.task.workers)
        self.offer(again)
        fit = [model for model in again if np.isfinite(model.fitness)]
        return sorted(fit, key=lambda model: -model.fitness)[: FIRST_MODELS * self._kinds.count(False)]

    def _known_short(self, models: Sequence[Individual]) -> list[Individual]:
        """The same for islands for short formulas, which have room for all of them."""
        again = fitted(models, self.user_data, self.task.workers)
        self._offer_short(again)
        return [model for model in again if np.isfinite(model.fitness)]

    def round_within(self, share: Callable[[], float], until: float = 1.0, most: int | None = None) -> None:
        """A round of at most this many generations, if a number is given; where a clock ends the run, of as few as seem to fit
        before this share of it is over."""
        length, begun = min(self.task.round_length, most or self.task.round_length), share()
        if self.task.settings.stopping.seconds is not None:
            fitting = 1.0 if self.pace is None else (until - begun) / self.pace
            length = int(min(max(fitting, 1.0), length))
        self.round(length)
        self.pace = max(share() - begun, 1e-9) / length

    def round(self, length: int | None = None) -> None:
        """Every island evolves for as many generations as lie between migrations, or for fewer; then some models move on. The
        island for short formulas rests while it is ahead of its share."""
        length = self.task.round_length if length is None else length
        at_work = [island for island in self.populations if not self._rests(island)]
        for island in at_work:
            island.length = length
        for island in at_work:
            island.front.follow(self.short if island.short else self.front)
        waiting, portable = iter(at_work), not are_defined(self.task.settings.genes.functions)
        beside = self.task.side_by_side or (portable and elsewhere.chosen())
        threads = self.task.workers.n_jobs if beside else 1
        begin = partial(next, waiting, None)
        if not self.lasted:  # the island for short formulas takes longer than others
            self.lasted.update((place, float(island.short)) for place, island in enumerate(at_work))
        try:
            pieces = in_order(begin, len(at_work), threads, portable=portable, lasted=self.lasted)
            with closing(pieces) as done:
                for _ in done:
                    pass
        finally:  # what was found before Ctrl-C counts as well
            for island in at_work:
                (self.short if island.short else self.front).merge(island.front)
        self._migrate()
        self.number += length

    def _rests(self, island: Island) -> bool:
        others = [each.last.evaluations for each in self.populations if each.last and not each.short]
        if not island.short or island.last is None or not others:
            return False
        return island.last.evaluations > SHORT_START + SHORT_SHARE * sum(others)

    def _migrate(self) -> None:
        """The best of each island on standardised features, tuned, move on in a ring; the best short formula joins one of these,
        and the island for short formulas gets what it can use of them. Several such islands get the leaders of their front."""
        large = self.large
        short = [island for island in self.populations if island.short]
        bests = self._emigrants(large)
        for island, model in zip(large, bests[-1:] + bests[:-1], strict=True):
            if model is not None and len(large) > 1:
                island.immigrants.append(model)
        problem, leaders = self.task.problem, list(self.short)
        if large and short:
            if self.short.best is not None:
                turn = large[self.number // max(self.task.round_length, 1) % len(large)]
                turn.immigrants.append(as_emigrant(self.short.best.individual, problem))
            short[0].immigrants.extend(self._for_short_formulas())
        elif len(short) > 1 and leaders:
            places = np.unique(np.linspace(0, len(leaders) - 1, SHORT_MIGRANTS).astype(int))
            for island in short:
                island.immigrants.extend(leaders[i].individual for i in places)

    def _for_short_formulas(self) -> list[Individual]:
        """What the island for short formulas gets of the others: genes of the best and of the best of middle sizes, and models
        that are short themselves and fitter than its own."""
        problem, sizes = self.task.problem, (np.inf, *MIDDLE_SIZES)
        given = [as_immigrants(c.individual, problem) for c in fittest_up_to(self.front, sizes)]
        small = [c for c in self.front if c.complexity <= LARGEST_SHORT]
        ahead = [
            c
            for c in small
            if all(own.fitness < c.fitness for own in self.short if own.complexity <= c.complexity)
        ]
        return [*chain(*given), *(problem.scaling.in_user_units(c.individual) for c in ahead)]

    def _emigrants(self, large: Sequence[Island]) -> list[Individual | None]:
        """The best of each island, all of its genes tuned jointly: offspring are tuned one gene at a time."""
        bests = [island.best for island in large]
        if self.task.workers.watch() == 0.0:  # there is no time left
            return bests
        known = [model for model in bests if model is not None]
        tuned = polished(known, self.data, self.task.refinement, self.task.workers)
        self.offer(tuned)
        again = iter(tuned)
        return [None if model is None else next(again) for model in bests]

    def offer(self, models: Iterable[Individual]) -> None:
        """Put models of standardised features into the front, where they are good enough and the guard allows."""
        for model in models:
            self.front.offer(model, self.task.problem.size(model))

    def _offer_guesses(self) -> None:
        """The user's own formulas may enter the front before anything evolves."""
        guesses = [guess.model for guess in self.task.guesses]
        if any(self._kinds):
            self._offer_short(fitted(guesses, self.user_data, self.task.workers))
        else:
            problem = self.task.problem
            self.offer(fitted([as_emigrant(each, problem) for each in guesses], self.data, self.task.workers))

    def _offer_short(self, models: Iterable[Individual]) -> None:
        for model in models:
            self.short.offer(model, model.printed_size())

    def refit(self, rows: Rows | None, most_nodes: float, polished_models: int) -> None:
        """New fronts: models of at most this size fitted to other rows, this many of the fittest tuned as well."""
        task = self.task
        allowed = [c for c in self.front if c.complexity <= most_nodes]
        best = sorted(allowed, key=lambda c: -c.fitness)[:polished_models]
        shortened = [c.individual for c in self.short]
        for island in self.populations:
            if island.last is not None:
                island.last.population.forget()  # values on the rows before: very many rows need the room
        self._see(rows)
        self.front, self.short = self.ground.front(short=False), self.ground.front(short=True)
        self.offer(fitted([c.individual for c in allowed], self.data, task.workers))
        self.offer(polished([c.individual for c in best], self.data, task.refinement, task.workers))
        if shortened:
            self._offer_short(fitted(shortened, self.user_data, task.workers))
            if task.sees_all_rows or rows is not None:  # very many rows take long, and change little
                self._polish_short(shortened)

    def move(self, rows: Rows | None, most_nodes: float, polished_models: int) -> None:
        """Go on with other rows."""
        self.refit(rows, most_nodes, polished_models)
        self.populations = [self._moved(island) for island in self.populations]
        best = sorted(self.front, key=lambda c: -c.fitness)[:polished_models]
        for island in self.large:  # what was tuned for these rows is ahead of what was not
            island.immigrants.extend(c.individual for c in best)

    def shorten(self, most_nodes: float = np.inf) -> None:
        """Shorter relatives of the fittest models of at most this size enter the front, where the guard allows; short formulas
        are tuned once more."""
        if self.data.count < FEWEST_ROWS_TO_SHORTEN:
            return
        candidates = [c for c in self.front if c.complexity <= most_nodes]
        fittest = sorted(candidates, key=lambda c: -c.fitness)[:SHORTENED]
        fittest += [
            c for c in fittest_up_to(candidates, MIDDLE_SIZES) if not any(c is known for known in fittest)
        ]
        models = [c.individual for c in fittest]
        task = self.task
        self.offer(shorter_relatives(models, self.data, task.refinement, task.options.trim, task.workers))
        self._polish_short([c.individual for c in self.short])

    def _polish_short(self, models: list[Individual]) -> None:
        """All genes of short formulas tuned jointly; both versions stand for election."""
        if models and self.task.workers.watch() != 0.0:
            own = self.ground.settings(short=True).refinement
            assert own is not None
            refinement = replace(own, iterations=SHORT_POLISHING_STEPS)
            self._offer_short(polished(models, self.user_data, refinement, self.task.workers))

    def reached(self, r2: float) -> bool:
        """Is there a model this fit? Not one that passes through very few rows by its number of constants."""
        most = MOST_FITTED * self.data.count if self.task.very_few_rows else np.inf
        return any(
            c.fitness >= r2 and c.individual.n_parameters <= most
            for front in (self.front, self.short)
            if front.best is not None and front.best.fitness >= r2
            for c in front
        )

    def copied(self) -> Islands:
        """The same islands with fronts of their own, to be completed without a trace."""
        other = copy(self)
        other.front, other.short = self.ground.front(short=False), self.ground.front(short=True)
        other.front.follow(self.front)
        other.short.follow(self.short)
        return other

    # --- stop and resume --------------------------------------------------------------------------

    def packed(self) -> dict[str, Any]:
        """As plain values, without loss; islands that were interrupted in their first round begin anew."""
        populations = [
            (checkpoint.packed(island.last), [checkpoint.packed_model(m) for m in island.immigrants])
            for island in self.populations
            if island.last is not None
        ]
        if len(populations) < len(self.populations):
            populations = []
        front, short = checkpoint.packed_front(self.front), checkpoint.packed_front(self.short)
        return {"number": self.number, "front": front, "short": short, "populations": populations}

    @staticmethod
    def unpacked(task: Task, rows: Rows | None, saved: dict[str, Any]) -> Islands:
        """Islands from their plain values."""
        islands = Islands(task, rows)
        islands.number = int(saved["number"])
        islands.front = checkpoint.fill_front(islands.ground.front(short=False), saved["front"])
        islands.short = checkpoint.fill_front(islands.ground.front(short=True), saved["short"])
        for short, (packed, immigrants) in zip(islands._kinds, saved["populations"], strict=False):
            workers, front = islands._workers(), islands.ground.front(short)
            last = checkpoint.generation(
                packed, islands.ground.settings(short), islands.data.n_features, workers, front
            )
            models = [checkpoint.model(m) for m in immigrants]
            islands.populations.append(islands.ground.island(short, workers, models, last=last))
        return islands

    # --- one island -------------------------------------------------------------------------------

    def _moved(self, island: Island) -> Island:
        """The island's population on other rows, or with other settings."""
        assert island.last is not None
        settings, population = self.ground.settings(island.short), island.last.population
        data = self.user_data if island.short else self.data
        if (
            settings.genes != island.settings.genes
        ):  # a population builds genes as it was told when it was made
            population = Population.restore(
                population.dump(), settings.genes, data.n_features, island.workers
            )
        population.forget()
        fitness, complexity = population.evaluate(data, settings.selection)
        front, peaks = self.ground.front(island.short), population.peaks()
        common = self.short if island.short else self.front
        common.update(population, peaks, complexity)
        if heeds_refusals(settings, common):
            fitness = common.without_refused(fitness, complexity, peaks)
        last = replace(
            island.last, fitness=fitness, complexity=complexity, front=front, population=population
        )
        return self.ground.island(island.short, island.workers, [], last=last)

    def _workers(self) -> Workers:
        """For one island."""
        task = self.task
        return own(task.workers, task.options.islands) if task.side_by_side else task.workers

    @property
    def _kinds(self) -> list[bool]:
        """For every island whether it is for short formulas: the last of several is, and all where no other is wanted."""
        number, options = self.task.options.islands, self.task.options
        if options.max_size is not None and options.max_size <= LARGEST_SHORT:
            return [True] * number
        return [options.short and number > 1 and i == number - 1 for i in range(number)]

"""The survey as the first phase of the law search: stage after stage, what is suggested is tuned and looked at on all rows.

`stages.py` says what is tested for in which order; `seekers.py` runs the phase before any restart. A survey that was cut goes on
with the target that would have been next.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.expression.readable import size
from multigene.expression.tree import Expression
from multigene.expression.vocabulary import Vocabulary
from multigene.laws.constants import (
    LONG_LAW,
    LONG_PER_FEATURE,
    MOST_CONVINCING,
    MOST_SEEDS,
    NOTHING_LEFT,
    POLES,
    PROMISING,
    SUGGESTION_TUNING,
    SURVEY_ROWS,
    SURVEY_WORK,
)
from multigene.laws.law import Find, individual_of
from multigene.laws.noise import criterion
from multigene.laws.progress import Pieces, Progress, to_the_end
from multigene.laws.rows import Rows
from multigene.laws.survey.stages import EXACT_ONLY, Stage, Suggestions, stages
from multigene.laws.targets import Target

Floats = npt.NDArray[np.float64]


class Survey:
    """The stages of a problem; how far it has got is part of the progress."""

    def __init__(self, rows: Rows, targets: list[Target], noisy: bool, vocabulary: Vocabulary) -> None:
        self.rows, self.vocabulary = rows, vocabulary
        self.stages = stages(targets, noisy, _has_poles(rows.y))
        self.length = sum(len(stage.targets) for stage in self.stages)
        self.in_combined = sum(len(stage.targets) for stage in self.stages if stage.targets[0].combined)
        #: Kept while the survey is interrupted: what is prepared for a stage of many columns takes a while.
        self.suggestions = Suggestions(vocabulary)

    def run(self, progress: Progress, until: int, stop: Callable[[], bool]) -> bool:
        """What is left of the survey; True if it was finished just now and the search may go on."""
        return to_the_end(self.pieces(progress, until, stop))

    def pieces(self, progress: Progress, until: int, stop: Callable[[], bool]) -> Pieces[bool]:
        """The same, target by target.

        Long finds wait until all stages about the same variables are through: the shortest exact formula is the law.
        """
        done = progress.surveyed
        for stage in self.stages:
            left, done = stage.targets[done:], max(0, done - len(stage.targets))
            if not left:
                continue
            begun = len(left) < len(stage.targets)  # then it is gone through, as if nobody had stopped it
            if stop() or (progress.evaluations >= until and not begun):
                return False
            combined = left[0].combined
            if not combined and progress.surveyed == self.in_combined:
                progress.look_at_waiting()
            # A law may have a shorter form in a later stage, but not once the variables are no longer combined.
            if begun or progress.law is None or self._may_be_shorter(progress.law, combined, progress):
                yield from self._test(Stage(stage.kind, left), progress, stop)
                progress.law_in_combined = None if progress.law is None else combined
            else:
                progress.surveyed += len(left)
        if progress.surveyed == self.length:
            self.suggestions = Suggestions(self.vocabulary)  # the room is needed
            if not stop():
                progress.look_at_waiting()
        return 0 < self.length == progress.surveyed and not progress.settled and not stop()

    def _may_be_shorter(self, law: Find, combined: bool, progress: Progress) -> bool:
        return combined is progress.law_in_combined and self._is_long(law.expression)

    def _is_long(self, expression: Expression) -> bool:
        return size(expression) > max(LONG_LAW, LONG_PER_FEATURE * self.rows.n_features)

    def _test(self, stage: Stage, progress: Progress, stop: Callable[[], bool]) -> Pieces[None]:
        """What probes or catalogue suggest, tuned; what seems exact is looked at on all rows."""
        which = self.rows.spread(SURVEY_ROWS[stage.kind], of_all=stage.kind in EXACT_ONLY)
        transformed = [self.rows.transformed(target)[which] for target in stage.targets]
        root = None if self.rows.weights is None else np.sqrt(self.rows.weights[which])
        scales = self.rows.scales[stage.targets[0].features]
        suggested = self.suggestions.about(
            stage, self.rows.scaled(stage.targets[0], which), transformed, root, scales, stop
        )
        for target in stage.targets:
            if stop():
                return
            sets = next(suggested)
            if stage.kind == "functions" and stop():  # not all was looked at
                return
            data = self.rows.dataset(target, self.rows.used)
            tuned = sorted((m for genes in sets if (m := _tuned(genes, data)) is not None), key=_rank)
            progress.evaluations += SURVEY_WORK + 10 * len(sets)
            best = {len(m.genes): m for m in reversed(tuned)}
            exact = [m for m in tuned if 1.0 - m.fitness < PROMISING][:3]
            # Without an exact one, the best of every number of genes, and what convinces most where noise is in the way.
            convincing = sorted(tuned, key=lambda m: _price(m, data.count))[:MOST_CONVINCING]
            others = dict.fromkeys([*best.values(), *convincing]) if progress.law is None else ()
            for individual in exact or others:
                expression = self.rows.expression(individual, target, individual.fitness)
                if individual in exact and expression is not None and self._is_long(expression):
                    progress.look_later(expression, target)
                else:
                    progress.look_at(expression, target)
            progress.surveyed += 1
            target.seeds = [*target.seeds, *list(dict.fromkeys([*best.values(), *tuned]))[:MOST_SEEDS]]
            yield
            if exact and stage.kind == "functions":  # other transforms would say the same in a longer way
                progress.surveyed += len(stage.targets) - 1 - stage.targets.index(target)
                return


def _has_poles(y: Floats) -> bool:
    low, middle, high = np.quantile(y, (0.25, 0.5, 0.75))
    return bool(np.max(np.abs(y - middle)) > POLES * (high - low) > 0.0)


def _tuned(genes: list[Expression], data: Dataset) -> Individual | None:
    """Suggested genes with their constants tuned a little; None if they have no value."""
    individual = individual_of(genes)
    tuned = None if individual is None else individual.refine(data, SUGGESTION_TUNING)
    return tuned if tuned is not None and np.isfinite(tuned.fitness) else None


def _rank(individual: Individual) -> tuple[float, int]:
    """What leaves nothing but rounding comes first, then what is promising, shorter ones first."""
    left = 1.0 - individual.fitness
    return (0.0 if left < NOTHING_LEFT else max(left, PROMISING)), individual.complexity


def _price(individual: Individual, n: int) -> float:
    """What `noise.price` says, roughly and at once: every number counts as fitted."""
    return criterion(1.0 - individual.fitness, n, individual.n_parameters, individual.complexity)

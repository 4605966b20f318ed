"""The law search from outside: one object that a search gives work to, and asks for finds and for the law.

The second kind of search next to the approximators of `search/phases.py`: the same genes, engine verbs, tuning and loop; what
differs is settings, the target transform and the restart policy. Four phases work on one `Progress`:

    survey      a fast linear-algebra pass tests for short laws, on combined variables where there are some (`survey/`)
    parts       a target that is a sum or product over different features is solved part by part (`parts/`)
    restarts    small populations on transformed targets, under strong size pressure, restarted often (`restarts.py`)
    simplify    the most convincing finds are simplified within the noise (`noise.py`)

A law ends all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Workers
from multigene.expression.build import weighted
from multigene.expression.vocabulary import Vocabulary
from multigene.laws.constants import LAST_REWRITING, MOST_SPLIT, SEEN_ROWS, SIMPLIFIED_AFTER_SURVEY
from multigene.laws.finds import Finds
from multigene.laws.law import Find
from multigene.laws.parts.phase import Parts
from multigene.laws.progress import Pieces, Progress, to_the_end
from multigene.laws.restarts import Restarts
from multigene.laws.rows import Rows
from multigene.laws.settings import vocabulary
from multigene.laws.survey.phase import Survey
from multigene.laws.targets import Target, informative, make_targets, wide_targets
from multigene.laws.variables.relevance import relevant
from multigene.laws.variables.symmetries import Picture, by_units, picture
from multigene.laws.variables.units import Dimensions
from multigene.rules.kept import Rules
from multigene.settings.functions import FunctionEntry
from multigene.settings.settings import Seeking

Floats = npt.NDArray[np.float64]


class Seekers:
    """The law search on a problem."""

    def __init__(
        self,
        X: Floats,
        y: Floats,
        rows: npt.NDArray[np.intp],
        rng: np.random.Generator,
        workers: Workers,
        options: Seeking,
        functions: tuple[FunctionEntry, ...] | None = None,
        dimensions: Dimensions | None = None,
        alone: bool = False,
        weights: Floats | None = None,
        rules: Rules | None = None,
    ) -> None:
        """`rows` are those from which populations get some; `functions` are those a user chose, None for the law search's own;
        `dimensions` are known when units are. `alone`, without approximators beside it, the law search tests for everything even
        in noisy data. `weights`, all positive, say how much a row counts: in noise, for a law holds on every row.
        No find breaks a user's `rules`."""
        self.rows_given, self.y, self.rng, self.options, self.alone = X, y, rng, options, alone
        known, features = vocabulary(functions, options.structure), informative(X, y)
        allows = known.allows
        everything = features

        def over() -> bool:
            left = workers.watch()
            return left is not None and left <= LAST_REWRITING

        if options.relevance and dimensions is None:
            features = relevant(X, y, features, over)
        seen = _picture(X, y, features, dimensions, options, allows)
        self.noisy = seen.noisy and not alone
        used = np.sort(rng.permutation(rows)[:SEEN_ROWS])
        weights = None if weights is None else weights / weights.mean()
        self.rows = Rows.of(X, y, seen.combined, used, weights)
        targets = make_targets(self.rows.X, y, options, allows, features, seen.combined)
        if features != everything:
            targets += wide_targets(self.rows.X, y, options, allows, everything)
        self.progress = Progress(targets, Finds(X, y, dimensions, weights, known, rules, over))
        if dimensions is not None:
            self._take_what_units_say(dimensions)
        self.survey = Survey(self.rows, targets if options.survey else [], self.noisy, known)
        self.parts = (
            self._parts(everything if len(everything) <= MOST_SPLIT else features, known, functions, workers)
            if dimensions is None
            else None
        )
        self.restarts = Restarts(self.rows, options, functions, rng, workers, allows)

    def seek(self, evaluations: int, stop: Callable[[], bool] = lambda: False) -> None:
        """Survey, restarts, simplification, until this much work is done, a law is found, or `stop` says so."""
        to_the_end(self.pieces(evaluations, stop))

    def pieces(self, evaluations: int, stop: Callable[[], bool] = lambda: False) -> Pieces[None]:
        """The same, with a look at what was found after every target of the survey and every restart."""
        progress = self.progress
        if progress.until is None:
            progress.until = self.evaluations + evaluations
        until = progress.until
        if (yield from self.survey.pieces(progress, until, stop)):
            self.simplify(SIMPLIFIED_AFTER_SURVEY)
        progress.settled = progress.surveyed == self.survey.length
        if self.parts is not None and self.evaluations < until and not stop():
            yield from self.parts.pieces(progress, until, stop)
            self.noisy = self.noisy and not self.parts.splits  # what has parts is no noise
        if self.evaluations < until and self.law is None and not stop():
            yield from self.restarts.pieces(progress, until, stop)
        if not stop():
            self.simplify(1)
        progress.until = None

    def _parts(
        self,
        features: list[int],
        known: Vocabulary,
        functions: tuple[FunctionEntry, ...] | None,
        workers: Workers,
    ) -> Parts | None:
        """What the target may be a sum or product of; law searches for parts are like this one, with a chance of their own."""
        if not self.options.parts or not self.targets:
            return None
        chance = int(self.rng.integers(2**62))

        def make(X: Floats, y: Floats, weights: Floats | None, number: int) -> Seekers:
            rng = np.random.default_rng([chance, number])
            return Seekers(
                X, y, np.arange(len(y)), rng, workers, self.options, functions, None, True, weights
            )

        return Parts(self.rows_given, self.y, features, known.allows, make)

    def _take_what_units_say(self, dimensions: Dimensions) -> None:
        """A number times the product that has the target's dimension; where there are no groups, nothing else is a law."""
        found = dimensions.groups(self.rows_given)
        if found is None or not found[0].exponents:
            return
        product = found[0].values(self.rows_given)
        with np.errstate(all="ignore"):
            factor = float(np.median(self.y / product))
        if np.isfinite(factor) and factor != 0.0:
            self.finds.take(weighted(factor, found[0].expression), any_sign=False)

    def simplify(self, most: int) -> None:
        """Simplify the most convincing finds within the noise."""
        self.progress.simplify(most)

    # --- how far it has got -----------------------------------------------------------------------

    @property
    def law(self) -> Find | None:
        """The law, once there is one."""
        return self.progress.law

    @property
    def finds(self) -> Finds:
        """What was found so far, by size."""
        return self.progress.finds

    @property
    def targets(self) -> list[Target]:
        """What it works on; none if nothing can be looked for."""
        return self.progress.targets

    @property
    def evaluations(self) -> int:
        """Work so far, in evaluations of an individual."""
        return self.progress.evaluations

    @property
    def under_way(self) -> bool:
        """Has a run been stopped between two pieces?"""
        return self.progress.until is not None

    @property
    def surveying(self) -> bool:
        """Is there something left to test for before any restart?"""
        return self.progress.surveyed < self.survey.length or (self.parts is not None and not self.parts.seen)

    @property
    def had_a_chance(self) -> bool:
        """Has enough been tried to say that there is no law? In noisy data the survey says it."""
        return not self.surveying and (self.noisy or self.evaluations >= self.options.first)

    # --- stop and resume --------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """All that is needed to go on, as plain values."""
        seen = self.parts is not None and self.parts.seen
        known = {"rng": self.rng.bit_generator.state, "noisy": self.noisy, "seen": seen}
        return known | self.progress.state()

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`."""
        self.rng.bit_generator.state = state["rng"]
        self.progress.restore(state)
        self.noisy = bool(state["noisy"])
        if self.parts is not None and state["seen"]:
            self.parts.look()


def _picture(
    X: Floats,
    y: Floats,
    features: list[int],
    dimensions: Dimensions | None,
    options: Seeking,
    allows: Callable[..., bool],
) -> Picture:
    """Combined variables: what units say, and symmetries that the data show."""
    known = None if dimensions is None else by_units(X, dimensions)
    # Without the target's unit what is seen may contradict the others.
    blind = known is None and dimensions is not None
    if blind or not options.symmetries or not allows("div", "mul", "sub"):
        return Picture(known)
    return picture(X, y, features, known, allows)

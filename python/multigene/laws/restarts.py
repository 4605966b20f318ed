"""Restarts as the second phase of the law search: which target is next, with which settings and for how long.

Many genes let evolution approximate instead of finding the structure, so populations have few, small genes; smooth approximations
creep towards any target without end, so they start afresh by the Luby sequence and not when they stagnate. `restart.py` is one of
them; several run side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import numpy as np

from multigene._engine import Workers
from multigene.evolution.parallel import in_order, own
from multigene.laws.constants import (
    AHEAD,
    DENSE_LIMITS,
    DENSE_UNITS,
    DRAWN_GENES,
    DRAWN_NODES,
    DRAWN_PRICE,
    HARDLY,
    NEAR,
    NEUTRAL,
    POOR,
    RESTART_GENERATIONS,
    ROUND,
    TRIED,
)
from multigene.laws.progress import Begun, Pieces, Progress
from multigene.laws.restart import Restart, luby, worth_a_look
from multigene.laws.rows import Rows
from multigene.laws.settings import DENSE_FUNCTIONS, dense_settings, seeker_settings
from multigene.laws.targets import Target
from multigene.laws.transforms import logarithmic
from multigene.settings.functions import FunctionEntry, are_defined
from multigene.settings.settings import Seeking, Settings


class Restarts:
    """Decides on restarts; work goes to the target that has had the least for its share."""

    def __init__(
        self,
        rows: Rows,
        options: Seeking,
        functions: tuple[FunctionEntry, ...] | None,
        rng: np.random.Generator,
        workers: Workers,
        allows: Callable[..., bool] = lambda *names: True,
    ) -> None:
        """`functions` are those a user chose, None for the law search's own; `allows` says which may be used."""
        self.rows, self.options, self.functions, self.allows = rows, options, functions, allows
        self.rng, self.workers = rng, workers

    def pieces(self, progress: Progress, until: int, stop: Callable[[], bool]) -> Pieces[None]:
        """Restarts side by side until this much work is done, one after the other; what would have come after a law counts for
        nothing."""
        under_way: list[Restart] = []
        stopped = list(progress.begun)  # by the end of a run that is gone on with

        def begin() -> Restart | None:
            if stopped:
                under_way.append(self._again(progress, stopped.pop(0), stop))
                return under_way[-1]
            expected = progress.evaluations + sum(r.expected for r in under_way)
            if not progress.targets or progress.law is not None or expected >= until or stop():
                return None
            under_way.append(self._next(progress, under_way, stop))
            return under_way[-1]

        portable = not are_defined(self.functions or ())
        with closing(in_order(begin, AHEAD, self.workers.n_jobs, portable=portable)) as done:
            for restart, (front, work) in done:
                under_way.remove(restart)
                progress.begun.pop(0)
                target = restart.target
                target.work += work
                progress.evaluations += work
                for member in worth_a_look(front, target.front):
                    said = self.rows.expression(member.individual, target, member.fitness)
                    progress.look_at(said, target)
                    if progress.law is not None:
                        progress.begun.clear()
                        return
                yield

    def _next(self, progress: Progress, under_way: list[Restart], stop: Callable[[], bool]) -> Restart:
        """The target that has had the least for its share is next; what is under way counts as if it had been done."""

        def had(target: Target) -> float:
            work = target.work + sum(r.expected for r in under_way if r.target is target)
            return work / (target.share * self._promise(target, progress.finds.best))

        target = min((t for t in progress.targets if t.share > 0.0), key=had)
        number = progress.targets.index(target)
        progress.begun.append(Begun(number, target.restarts, self.rng.bit_generator.state))
        return self._decided(target, stop)

    def _again(self, progress: Progress, begun: Begun, stop: Callable[[], bool]) -> Restart:
        """A restart that was under way, as it was decided on then."""
        target = progress.targets[begun.target]
        now = target.restarts, self.rng.bit_generator.state
        target.restarts, self.rng.bit_generator.state = begun.restarts, begun.rng
        restart = self._decided(target, stop)
        target.restarts, self.rng.bit_generator.state = now
        return restart

    def _decided(self, target: Target, stop: Callable[[], bool]) -> Restart:
        """The next restart of a target."""
        settings = self._settings(target)
        rng = np.random.default_rng(self.rng.integers(2**63))
        generations = RESTART_GENERATIONS * (DENSE_UNITS if target.dense else luby(target.restarts + 1))
        target.restarts += 1
        first = list(target.seeds) if self.options.survey and target.restarts % 3 == 1 else []
        columns, workers = self.rows.columns(target, self.rows.used), own(self.workers, AHEAD)
        return Restart(target, columns, settings, self.options, rng, workers, generations, first, stop)

    def _promise(self, target: Target, best: float) -> float:
        """Less work for a target that is hardly explained at all after some restarts, where others come near."""
        poor = target.restarts >= TRIED and target.best > POOR and best < NEAR
        return HARDLY if poor else 1.0

    def _settings(self, target: Target) -> Settings:
        """Settings of a target's next restart."""
        return self._dense(target) if target.dense else self._sparse(target)

    def _dense(self, target: Target) -> Settings:
        """Limits in turn; of the functions that a user chose those that dense islands know."""
        max_genes, max_nodes = DENSE_LIMITS[target.restarts % len(DENSE_LIMITS)]
        settings = dense_settings().changed(max_genes=max_genes, max_nodes=max_nodes)
        allowed = tuple(f for f in self.functions or () if f[0] in DENSE_FUNCTIONS)
        return settings.changed(functions=allowed) if allowed else settings

    def _sparse(self, target: Target) -> Settings:
        """Every second restart has product leaves, every second pair draws its own genes, nodes and pressure."""
        products = tuple(k for k, j in enumerate(target.features) if j in self.rows.signs)
        if not self.allows("mul", "div"):
            products = ()
        settings = seeker_settings(products, logarithmic(target.transform))
        if self.functions is not None:
            settings = settings.changed(functions=self.functions)
        kinds = (*settings.variation.more_mutations, ("neutral", NEUTRAL), ("round", ROUND))
        settings = settings.changed(more_mutations=kinds)
        if not self.options.products or target.restarts % 2:
            settings = settings.changed(product_frequency=0.0)
        if target.restarts % 4 >= 2:
            settings = settings.changed(
                max_genes=int(self.rng.integers(*DRAWN_GENES)),
                max_nodes=int(self.rng.integers(*DRAWN_NODES)),
                node_price=float(np.exp(self.rng.uniform(*np.log(DRAWN_PRICE)))),
            )
        return settings

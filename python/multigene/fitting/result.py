"""A `FittedModel` of a finished run: its front, numbers with as few digits as the loss can tell, and how the run went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from multigene.data.arrays import data_summary
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.digits import with_few_digits
from multigene.explain.front import Front
from multigene.explain.misleading import misleads, not_misleading
from multigene.fitted import FittedModel
from multigene.fitting.data import Data
from multigene.search.members import is_finite
from multigene.search.result import Result
from multigene.search.ruled import is_accepted, ruled
from multigene.search.run import Run
from multigene.settings.parameters import Parameters
from multigene.settings.settings import Settings


def fitted_model(run: Run, parameters: Parameters, data: Data, rows: TrainingRows) -> FittedModel:
    """All that a finished run leaves behind."""
    import pandas as pd

    box = run.problem.guard.box if data.weights is None else None
    summary = data_summary(data.names, data.X, data.y, rows.variance, box, data.outliers)
    front = front_of(run, data, rows, summary)
    if run.interrupts.asked:
        run.stop_at_interrupt()
    return FittedModel(
        front=front,
        chosen=front.default,
        settings=run.settings,
        parameters=parameters,
        named=data.names is not None and (data.encoding is None or data.encoding.named),
        encoding=data.encoding,
        known=None if run.problem.keeper is None else run.problem.keeper.known,
        data=summary,
        rows=rows,
        history=pd.DataFrame(run.history),
        n_generations=run.generations(),
        stopped_by=run.stopped_by,
    )


def front_of(run: Run, data: Data, rows: TrainingRows, summary: dict[str, Any]) -> Front:
    """The front of a finished run, its numbers with no more digits than their loss can tell."""
    result, keeper = run.result(), run.problem.keeper
    if keeper is not None:
        result = Result(*keeper.last_word(result.chosen, list(result.front)))
    result = ruled(run.problem, result)
    if run.settings.search is None:
        return Front(result.front, result.chosen, data.features, data.target, summary, rows.loss)

    def shown(members: Sequence[Member]) -> list[Member]:
        few = with_few_digits(members, rows, exponentials=allows_exp(run.settings))
        # Digits that a value, a shape or a rule needs stay.
        return [
            new
            if new is old
            or (is_finite(run.problem, new.individual) and is_accepted(run.problem, new.individual))
            else old
            for new, old in zip(few, members, strict=True)
        ]

    def listed(members: Sequence[Member]) -> list[Member]:
        return [m for m in shown(members) if m.source != "search" or not misleads(m.individual, rows)]

    chosen = done = result.chosen
    try:
        with run.interrupts.breakable():
            if run.stopped_by != "law":
                chosen = done = not_misleading(chosen, result.front, rows)
            [done] = shown([chosen])
    except KeyboardInterrupt:  # digits are for the eye; the model is there
        run.stop_at_interrupt()
    members = others_later(result.front, chosen, done, listed)
    return Front(members, done, data.features, data.target, summary, rows.loss)


def others_later(
    members: Sequence[Member], chosen: Member, done: Member, shown: Callable[[Sequence[Member]], list[Member]]
) -> Callable[[], list[Member]]:
    """All members as they are `shown`, made when somebody looks at them; the chosen one is `done`."""

    def made() -> list[Member]:
        place = next(i for i, m in enumerate(members) if m is chosen)
        return [*shown(members[:place]), done, *shown(members[place + 1 :])]

    return made


def allows_exp(settings: Settings) -> bool:
    """May formulas have exponentials?"""
    return any(name == "exp" for name, *_ in settings.genes.functions)

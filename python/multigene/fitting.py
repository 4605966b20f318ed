"""From checked rows and parameters to a `FittedModel`: prepares the search, runs it and puts its result together.

`MultigeneRegressor.fit` checks what its user gave and comes here; nothing here knows the scikit-learn API.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from multigene._engine import Dataset, Workers
from multigene.data.arrays import data_summary
from multigene.data.encoding.columns import Plain, Scored
from multigene.data.encoding.encoding import Encoding
from multigene.data.encoding.raw import RawColumn
from multigene.data.far_rows import said_of
from multigene.data.losses import SQUARED, Loss
from multigene.data.stream import Stream, only_in_memory
from multigene.data.training_rows import TrainingRows
from multigene.evolution.checkpoint import fingerprint_of
from multigene.evolution.interrupts import Interrupts
from multigene.evolution.pareto import Member
from multigene.explain.all_rows import refitted
from multigene.explain.cancelling import cancels, without_cancelling
from multigene.explain.digits import with_few_digits
from multigene.explain.front import Front
from multigene.expression.form import Form
from multigene.expression.tree import Expression, to_postfix, variables
from multigene.fitted import FittedModel
from multigene.groups.own import GroupRows
from multigene.groups.regroup import Groups, own_values, regrouped
from multigene.laws.variables.units import Dimensions
from multigene.rules.kept import Rules
from multigene.search.constants import RULED_ROWS
from multigene.search.members import is_finite
from multigene.search.problem import Problem, unequal
from multigene.search.result import Result
from multigene.search.ruled import allowed_guesses, is_accepted, refuse_broken_form, ruled
from multigene.search.run import Callback, Run
from multigene.settings.loss import loss_of
from multigene.settings.parameters import Parameters
from multigene.settings.resolve import random_generator, threads
from multigene.settings.settings import CLOCKS, Settings
from multigene.shapes.known import Known

Floats = npt.NDArray[np.float64]

NOTHING_WITH_THESE_UNITS = (
    "No formula was found that agrees with the units, so the model is the mean; check them, give more time, or leave units out. "
    "A constant that has a unit inside a formula, such as g in v**2/2 + g*h, needs a column of its own."
)
NOTHING_OF_THE_FORM = (
    "No formula of the form {form!r} was found{why}, so the model is the mean; check the form, or give more rows or more "
    "time."
)
#: Shares of a time limit for a search on the largest group alone and for the numbers of groups. Round numbers.
ALONE_SHARE, NUMBERS_SHARE = 0.3, 0.2
#: Rows that a group must have for a search of its own.
ALONE_ROWS = 20


@dataclass(frozen=True)
class Data:
    """Checked rows and their names; `names` is None for an array."""

    X: Floats
    y: Floats
    weights: Floats | None
    names: list[str] | None
    target: str
    encoding: Encoding | None = None
    groups: RawColumn | None = None
    """The groups of the rows; `encoding` ends with their means of the target."""
    group_numbers: tuple[str, ...] = ("auto",)
    """Which numbers groups are to have for themselves."""
    form: Form | None = None
    """The formula as far as the user knows it."""
    guesses: tuple[Expression, ...] = ()
    """Formulas that the user has already."""

    @property
    def features(self) -> list[str]:
        """Names of the features, or x0, x1, …"""
        return self.names or [f"x{j}" for j in range(self.X.shape[1])]


class Fitting:
    """One call of `fit`, from its start, which the time limit counts from, to the fitted model."""

    def __init__(
        self, parameters: Parameters, settings: Settings, callback: Callback | None, interrupts: Interrupts
    ) -> None:
        self.parameters, self.settings, self.callback = parameters, settings, callback
        self.interrupts = interrupts
        self.now = CLOCKS[settings.stopping.clock]
        self.started = self.now()
        self.rng = random_generator(parameters.random_state)
        self.workers = Workers(threads(parameters.n_jobs), settings.stopping.clock == "processor")
        if callback is not None and not callable(callback):
            raise ValueError(
                f"callback={callback!r} cannot be called; give a function of a multigene.Progress, or None."
            )

    def run(
        self, data: Data, line: Any, checkpoint: str | Path | None = None, state: bytes | None = None
    ) -> tuple[FittedModel, bytes | None]:
        """Search and put the result together; `line` shows how far the search is, `state` is that of an earlier run to go on
        from. The second value is the state at the end, where the next run may want it."""
        settings, parameters = self._search_settings(data), self.parameters
        Dataset(data.X[:, :1].copy(), data.y, data.weights)  # the engine's own checks of target and weights
        data = replace(data, weights=unequal(data.weights))
        loss = loss_of(parameters.loss).of_rows(data.X, data.y)
        rows = TrainingRows.of(data.X, data.y, data.weights, loss)
        if settings.stopping.seconds is not None:
            self.workers.set_deadline(settings.stopping.seconds - (self.now() - self.started))
        units, warm = parameters.units, parameters.warm_start
        dimensions = None if units is None else Dimensions.of(units, data.features, data.target)
        known = Known.of(parameters.shapes, data.features, data.target, data.X, data.y, loss)
        rules = Rules.of(settings.rules, data.features, settings.genes.functions)
        refuse_broken_form(data.form, rules)
        data = replace(data, guesses=allowed_guesses(data.guesses, rules, data.features))
        with np.errstate(all="ignore"):
            problem = seen(settings, data, dimensions, loss, known, rules)
        run = Run(
            settings,
            problem,
            self.workers,
            self.started,
            self.callback,
            checkpoint,
            self._mark(settings, data, dimensions, loss) if checkpoint or warm else "",
            data.features,
            data.target,
            self.interrupts,
        )
        # BLAS on one thread: more would wait beside the engine's, and sums must not depend on their number.
        # What is not finite is unfit, and no news for the user.
        with threadpool_limits(1, user_api="blas"), np.errstate(all="ignore"):
            run.start(self.rng, state if warm else None)
            with line:
                run.execute(line)
            fitted = fitted_model(run, parameters, data, rows)
            if data.groups is not None:
                alone = self._alone(data, line)
                fitted = replace(fitted, settings=self.settings)
                fitted = grouped_model(fitted, alone, data, self._time_is_up)
        self._warn_of_the_mean(fitted, data)
        fitted_rows = fitted.rows  # with the columns that groups have of their own
        if settings.search is not None and loss.squared and fitted_rows is not None:
            said = said_of(fitted_rows.y, fitted.predict(fitted_rows.X), fitted.explained)
            if said is not None:
                warnings.warn(said, UserWarning, stacklevel=3)
        return fitted, run.state() if warm else None

    def _mark(self, settings: Settings, data: Data, dimensions: Dimensions | None, loss: Loss) -> str:
        """What a run to go on from must have in common with this one."""
        guesses = [to_postfix(each) for each in data.guesses]
        known = (dimensions, loss.written, data.form, guesses, self.parameters.shapes)
        return fingerprint_of(settings, data.X, data.y, data.weights, self.parameters.random_state, known)

    def _warn_of_the_mean(self, fitted: FittedModel, data: Data) -> None:
        """Say why there is nothing but a constant, where what the user knows may be the reason."""
        if variables(fitted.formula.expression) or np.ptp(data.y) == 0.0:
            return
        if data.form is not None:
            limit = self.parameters.max_size
            why = "" if limit is None else f" with at most {limit} nodes"
            form = data.form.text
            warnings.warn(NOTHING_OF_THE_FORM.format(form=form, why=why), UserWarning, stacklevel=4)
        elif self.parameters.units is not None:
            warnings.warn(NOTHING_WITH_THESE_UNITS, UserWarning, stacklevel=4)

    def _search_settings(self, data: Data) -> Settings:
        """Settings of the search. With groups it has a part of the time, and no held-out rows: they decide afterwards."""
        if data.groups is None:
            return self.settings
        limit = self.settings.stopping.seconds
        return self._for_groups(None if limit is None else (1.0 - ALONE_SHARE - NUMBERS_SHARE) * limit)

    def _for_groups(self, seconds: float | None) -> Settings:
        settings = replace(self.settings, stopping=replace(self.settings.stopping, seconds=seconds))
        search = settings.search
        return settings if search is None else replace(settings, search=replace(search, holdout=0.0))

    def _alone(self, data: Data, line: Any) -> Front | None:
        """What a search on the largest group alone finds: forms whose numbers differ from group to group hide in pooled rows."""
        assert data.groups is not None
        column = data.groups
        codes = column.values[~column.gaps].astype(np.intp)
        largest = int(np.argmax(np.bincount(codes, minlength=len(column.levels))))
        members = np.flatnonzero(column.values == largest)
        y = data.y[members]
        limit = self.settings.stopping.seconds
        if self.interrupts.asked or len(members) < ALONE_ROWS or np.ptp(y) == 0.0:
            return None
        left = None if limit is None else limit * (1.0 - NUMBERS_SHARE) - (self.now() - self.started)
        if left is not None:
            if left <= 0.0:
                return None
            self.workers.set_deadline(left)
        settings = self._for_groups(left)
        weights = None if data.weights is None else unequal(data.weights[members])
        part = replace(data, X=np.ascontiguousarray(data.X[members]), y=y, weights=weights)
        loss = loss_of(self.parameters.loss).of_rows(part.X, part.y)
        problem = seen(settings, part, None, loss)
        names, target = data.features, data.target
        run = Run(
            settings,
            problem,
            self.workers,
            self.now(),
            names=names,
            target=target,
            interrupts=self.interrupts,
        )
        run.start(self.rng, None)
        with line:
            run.execute(line)
        result = run.result()
        return Front(list(result.front), result.chosen, data.features, data.target, {}, loss)

    def _time_is_up(self) -> bool:
        limit = self.settings.stopping.seconds
        return self.interrupts.asked or (limit is not None and self.now() - self.started >= limit)


def seen(
    settings: Settings,
    data: Data,
    dimensions: Dimensions | None = None,
    loss: Loss = SQUARED,
    known: Known | None = None,
    rules: Rules | None = None,
) -> Problem:
    """The rows as the search sees them: those of weight zero not at all, and nothing of columns that no formula may have."""
    X, y, weights = data.X, data.y, data.weights
    rules = rules or Rules()
    if rules.never:
        X = X.copy()
        X[:, list(rules.never)] = 0.0
    if weights is not None and not np.all(weights > 0.0):
        kept = weights > 0.0
        X, y, weights = X[kept], y[kept], weights[kept]
    options = settings.search
    if options is None:  # a configuration of the paper: the rows as they are
        return Problem.of(X, y, weights, holdout=0.0, standardise=False, loss=loss)
    only_laws = options.looks_for == "laws" or dimensions is not None or data.form is not None
    problem = Problem.of(
        X,
        y,
        weights,
        holdout=options.holdout,
        standardise=options.standardise,
        only_laws=only_laws,
        loss=loss,
        known=known,
        formed=data.form is not None,
    )
    if rules:
        some = X[np.linspace(0, len(X) - 1, min(len(X), RULED_ROWS)).astype(int)]
        rules = replace(rules, points=np.vstack([some, problem.guard.box_points]))
    return replace(problem, dimensions=dimensions, guesses=data.guesses, form=data.form, rules=rules)


def fitted_model(run: Run, parameters: Parameters, data: Data, rows: TrainingRows) -> FittedModel:
    """All that a finished run leaves behind."""
    import pandas as pd

    box = run.problem.guard.box if data.weights is None else None
    summary = data_summary(data.names, data.X, data.y, rows.variance, box)
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


def grouped_model(
    fitted: FittedModel, alone: Front | None, data: Data, over: Callable[[], bool]
) -> FittedModel:
    """The model with numbers of their own for groups; its last column so far, their means of the target, becomes their number.

    `alone` is the front of a search in one group.
    """
    assert data.groups is not None
    assert data.encoding is not None
    column, mean = data.groups, data.X.shape[1] - 1
    levels = column.levels
    codes = np.where(column.gaps, len(levels), column.values).astype(np.intp)
    counts = np.bincount(codes, minlength=len(levels) + 1)
    groups = Groups(column.name, data.group_numbers, tuple(zip(levels, counts.tolist(), strict=False)))
    every = TrainingRows(data.X, data.y, data.weights, len(data.y), fitted.loss)
    kept = every.shares > 0.0
    rows = GroupRows(data.X, data.y, every.shares, codes, len(levels), fitted.loss).taken(kept)
    fronts = [fitted.front] if alone is None else [alone, fitted.front]
    found = regrouped(fronts, rows, levels, groups, mean, over)
    place = Scored(column.name, "place", tuple((level, j + 1.0) for j, level in enumerate(levels)), 0.0)
    own = [own_values(each, codes) for each in found.columns]
    X = np.column_stack([data.X[:, :mean], np.where(codes < len(levels), codes + 1.0, 0.0), *own])
    encoding = replace(
        data.encoding,
        columns=(*data.encoding.columns[:-1], place, *found.columns),
        notes=(*data.encoding.notes, found.note),
    )
    training = TrainingRows.of(X, data.y, data.weights, fitted.loss)
    summary = data_summary(encoding.names, X, data.y, training.variance)
    shown = partial(with_few_digits, rows=training, exponentials=allows_exp(fitted.settings))
    [default] = shown([found.default])
    members = _others_later(found.members, found.default, default, shown)
    front = Front(members, default, encoding.names, data.target, summary, fitted.loss)
    return replace(
        fitted, front=front, chosen=default, encoding=encoding, data=summary, rows=training, groups=groups
    )


def refuse_in_pieces(parameters: Parameters, settings: Settings, given: Mapping[str, Any]) -> None:
    """Refuse what a table that is read in pieces does not go with: its coefficients are those of least squares on all rows.

    `given` are arguments of the fit.
    """
    loss = None if loss_of(parameters.loss).squared else parameters.loss
    only_in_memory({**given, "loss": loss, "shapes": parameters.shapes, "rules": settings.rules or None})


def on_all_rows(fitted: FittedModel, stream: Stream) -> FittedModel:
    """A model found on a sample, with coefficients, scores and ranges of all rows of the table that it was drawn from.

    A formula of the user's form keeps its coefficients: others would add terms to the form.
    """
    rows = fitted.needed(None)
    front = fitted.front
    members, ranges, total, variance = refitted(
        list(front),
        (rows.X, rows.y),
        _numeric(fitted, stream),
        as_they_are=fitted.parameters.form is not None,
    )
    new = dict(zip(map(id, front), members, strict=True))
    columns = zip(front.names, ranges.low[:-1].tolist(), ranges.high[:-1].tolist(), strict=True)
    summary = {
        "rows": total,
        "target_variance": variance,
        "target_range": [float(ranges.low[-1]), float(ranges.high[-1])],
        "ranges": {name: [low, high] for name, low, high in columns},
    }
    return replace(
        fitted,
        front=Front(members, new[id(front.default)], front.names, front.target, summary),
        chosen=new[id(fitted.chosen)],
        data=summary,
        rows=replace(rows, total=total),
    )


def _numeric(fitted: FittedModel, stream: Stream) -> Iterator[tuple[Floats, Floats]]:
    """Chunks of numeric features and targets; rows with gaps where the sample had none are left out."""
    encoding = fitted.encoding
    plain = fitted.names
    if encoding is not None:
        drop = fitted.settings.table.missing == "drop"
        plain = [c.source for c in encoding.columns if drop or isinstance(c, Plain)]
    for chunk in stream.chunks():
        whole = chunk.dropna(subset=plain)
        if len(whole):
            X = np.ascontiguousarray(fitted.features(whole))
            yield X, whole[stream.target].to_numpy(dtype=np.float64)


def allows_exp(settings: Settings) -> bool:
    """May formulas have exponentials?"""
    return any(name == "exp" for name, *_ in settings.genes.functions)


def _others_later(
    members: Sequence[Member], chosen: Member, done: Member, shown: Callable[[Sequence[Member]], list[Member]]
) -> Callable[[], list[Member]]:
    """All members as they are `shown`, made when somebody looks at them; the chosen one is `done`."""

    def made() -> list[Member]:
        place = next(i for i, m in enumerate(members) if m is chosen)
        return [*shown(members[:place]), done, *shown(members[place + 1 :])]

    return made


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
        return [m for m in shown(members) if m.source != "search" or not cancels(m.individual, rows)]

    chosen = done = result.chosen
    try:
        with run.interrupts.breakable():
            if run.stopped_by != "law":
                chosen = done = without_cancelling(chosen, result.front, rows)
            [done] = shown([chosen])
    except KeyboardInterrupt:  # digits are for the eye; the model is there
        run.stop_at_interrupt()
    members = _others_later(result.front, chosen, done, listed)
    return Front(members, done, data.features, data.target, summary, rows.loss)

"""One call of `fit`: prepares the search, runs it within its limits, and warns of what the user should know about the result."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from multigene._engine import Dataset, Workers
from multigene.data.constants import MOST_OF_ERRORS
from multigene.data.far_rows import said_of
from multigene.data.losses import Loss
from multigene.data.outliers import outliers_of, said_of_outliers
from multigene.data.training_rows import TrainingRows
from multigene.evolution.checkpoint import fingerprint_of
from multigene.evolution.interrupts import Interrupts
from multigene.explain.front import Front
from multigene.expression.tree import Expression, to_postfix, variables
from multigene.fitted import FittedModel
from multigene.fitting.constants import (
    ALONE_ROWS,
    ALONE_SHARE,
    CLEARLY_LARGER,
    NUMBERS_SHARE,
    OUTLIERS_SHARE,
    WITHOUT_OUTLIERS,
)
from multigene.fitting.data import Data, problem_of
from multigene.fitting.in_groups import grouped_model
from multigene.fitting.result import fitted_model
from multigene.laws.variables.units import Dimensions
from multigene.rules.kept import Rules
from multigene.search.problem import unequal
from multigene.search.ruled import allowed_guesses, refuse_broken_form
from multigene.search.run import Callback, Run
from multigene.settings.loss import AUTO, loss_of
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


@dataclass(frozen=True)
class States:
    """States of searches to continue: of the one that every fit has, and of that of all rows where there were outliers, with the
    guesses it began with."""

    own: bytes | None = None
    of_all_rows: bytes | None = None
    guesses: tuple[Expression, ...] = ()


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
        self, data: Data, line: Any, checkpoint: str | Path | None = None, state: States | None = None
    ) -> tuple[FittedModel, States]:
        """Search and put the result together. `line` shows how far the search is, `state` is that of an earlier run to continue.
        The second value is the state at the end, for a warm start."""
        Dataset(data.X[:, :1].copy(), data.y, data.weights)  # the engine's own checks of target and weights
        outliers, state = self._outliers(data), state or States()
        if not len(outliers):
            fitted, own = self._search(data, line, checkpoint, state.own)
            return self._warned(fitted, data), States(own)
        fitted, own = self._search(data.without(outliers), line, checkpoint, state.own, WITHOUT_OUTLIERS)
        told = _told(fitted, data, outliers)
        over = self._time_is_up() or fitted.stopped_by == "callback" or data.form is not None
        state = replace(state, own=own)
        if not over and (told or fitted.stopped_by != "law"):
            # Where the formula tells them they are no outliers, and it is where the search of all rows begins.
            begun = (*data.guesses, *([fitted.formula.expression] if told else []))
            guesses = begun if state.of_all_rows is None else state.guesses
            whole, of_all = self._search(replace(data, guesses=guesses), line, state=state.of_all_rows)
            state = States(own, of_all, guesses)
            if told or not _spoilt(whole, fitted, data, outliers):
                return self._warned(whole, data), state
        warnings.warn(said_of_outliers(data.y, outliers), UserWarning, stacklevel=4)
        return self._warned(fitted, data), state

    def _outliers(self, data: Data) -> npt.NDArray[np.intp]:
        """Rows that look like outliers, where the user leaves it to the program; none where the time or Ctrl-C ends that."""
        if self.parameters.loss != AUTO or self.settings.search is None or data.groups is not None:
            return np.zeros(0, dtype=np.intp)
        limit, asked = self.settings.stopping.seconds, list[float]()

        def over() -> bool:
            asked.append(self.now())  # first when the learners are imported, which may take a second
            return limit is not None and asked[-1] - asked[0] > OUTLIERS_SHARE * limit

        try:
            with self.interrupts.breakable(), threadpool_limits(1, user_api="blas"):
                return outliers_of(data.X, data.y, data.weights, over)
        except KeyboardInterrupt:  # it was noted, and ends the search as soon as that begins
            return np.zeros(0, dtype=np.intp)

    def _warned(self, fitted: FittedModel, data: Data) -> FittedModel:
        """The model, after what the user should know about it was said."""
        self._warn_of_the_mean(fitted, data)
        rows = fitted.rows  # with the columns that groups have of their own
        if self.settings.search is not None and fitted.loss.squared and rows is not None:
            said = said_of(rows.y, fitted.predict(rows.X), fitted.explained, rows.weights)
            if said is not None:
                warnings.warn(said, UserWarning, stacklevel=5)
        return fitted

    def _search(
        self,
        data: Data,
        line: Any,
        checkpoint: str | Path | None = None,
        state: bytes | None = None,
        share: float = 1.0,
    ) -> tuple[FittedModel, bytes | None]:
        """One search of all rows of `data`, until this share of the time limit."""
        settings, parameters = self._search_settings(data, share), self.parameters
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
            problem = problem_of(settings, data, dimensions, loss, known, rules)
        run = Run(
            settings,
            problem,
            self.workers,
            self.started,
            self.callback,
            checkpoint,
            self._fingerprint(settings, data, dimensions, loss) if checkpoint or warm else "",
            data.features,
            data.target,
            self.interrupts,
        )
        # BLAS on one thread: more would compete with the engine's, and sums must not depend on their number.
        # No warnings of NumPy: a model with values that are not finite is unfit, which is nothing to report.
        with threadpool_limits(1, user_api="blas"), np.errstate(all="ignore"):
            run.start(self.rng, state if warm else None)
            with line:
                run.execute(line)
            fitted = replace(fitted_model(run, parameters, data, rows), settings=self.settings)
            if data.groups is not None:
                alone = self._search_in_largest_group(data, line)
                fitted = grouped_model(fitted, alone, data, self._time_is_up)
        return fitted, run.state() if warm else None

    def _fingerprint(self, settings: Settings, data: Data, dimensions: Dimensions | None, loss: Loss) -> str:
        """Identifies the run, so that only a state of the same data, settings and knowledge is continued."""
        guesses = [to_postfix(each) for each in data.guesses]
        known = (dimensions, loss.written, data.form, guesses, self.parameters.shapes)
        return fingerprint_of(settings, data.X, data.y, data.weights, self.parameters.random_state, known)

    def _warn_of_the_mean(self, fitted: FittedModel, data: Data) -> None:
        """Warn where the formula is a constant and the user's form or units may be the reason."""
        if variables(fitted.formula.expression) or np.ptp(data.y) == 0.0:
            return
        if data.form is not None:
            limit = self.parameters.max_size
            why = "" if limit is None else f" with at most {limit} nodes"
            form = data.form.text
            warnings.warn(NOTHING_OF_THE_FORM.format(form=form, why=why), UserWarning, stacklevel=6)
        elif self.parameters.units is not None:
            warnings.warn(NOTHING_WITH_THESE_UNITS, UserWarning, stacklevel=6)

    def _search_settings(self, data: Data, share: float) -> Settings:
        """Settings of the search. With groups it has part of the time, and no held-out rows: those are needed afterwards."""
        limit = self.settings.stopping.seconds
        if data.groups is None:
            seconds = None if limit is None else share * limit
            return replace(self.settings, stopping=replace(self.settings.stopping, seconds=seconds))
        return self._for_groups(None if limit is None else (1.0 - ALONE_SHARE - NUMBERS_SHARE) * limit)

    def _for_groups(self, seconds: float | None) -> Settings:
        settings = replace(self.settings, stopping=replace(self.settings.stopping, seconds=seconds))
        search = settings.search
        return settings if search is None else replace(settings, search=replace(search, holdout=0.0))

    def _search_in_largest_group(self, data: Data, line: Any) -> Front | None:
        """The front of a search on the largest group alone: pooled rows hide forms whose numbers differ from group to group."""
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
        problem = problem_of(settings, part, None, loss)
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


def _told(fitted: FittedModel, data: Data, outliers: npt.NDArray[np.intp]) -> bool:
    """Does the formula of the other rows leave little of what takes the outliers away from most rows?"""
    with np.errstate(all="ignore"):
        away = data.y - np.median(data.y)
        away, left = away[outliers], (data.y - fitted.predict(data.X))[outliers]
        unit = np.abs(away).max()
        return bool(np.sum((left / unit) ** 2) < (1.0 - MOST_OF_ERRORS) * np.sum((away / unit) ** 2))


def _spoilt(whole: FittedModel, without: FittedModel, data: Data, outliers: npt.NDArray[np.intp]) -> bool:
    """Is the typical error of the other rows clearly larger where outliers were among the rows?"""
    rows = np.setdiff1d(np.arange(len(data.y)), outliers)
    X, y = np.ascontiguousarray(data.X[rows]), data.y[rows]
    its, own = (float(np.median(np.abs(y - model.predict(X)))) for model in (whole, without))
    return its > CLEARLY_LARGER * own

"""The front as people see it: one row per model, measures of each, and ways to choose among them.

`complexity` is the number of nodes of the printed formula (`Formula.size`), so what is listed and what is
read agree. A search hands over its own front by the engine's count; here it is cleaned in terms of the
printed size. Nothing here fits anything.

Description length, in bits, of the training targets by a two-part code: the residuals, ½·n·log2(1 − R²) (relative to
coding them by their mean; a Gaussian code at the resolution of the data differs by a constant), plus ½·log2(n) for
every printed number (no number is worth coding finer than the rows determine it), plus log2(operators + columns + 1)
for every node of the printed formula. BIC is n·ln(1 − R²) + k·ln(n) with k printed numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from multigene.data.encoding.columns import ColumnName, Own
from multigene.data.losses import SQUARED, Loss
from multigene.data.scores import metrics
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.constants import LEAST_UNEXPLAINED
from multigene.explain.criteria import CRITERIA, Listed, criterion_named
from multigene.expression.genes import prediction_expression
from multigene.expression.numbers import parameters
from multigene.expression.tree import OPERATORS
from multigene.formula import Formula

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]

#: Held while a front's models are made, so that all who look see the same ones.
_MAKING = RLock()

#: The picks that are shown: what they are called, and by which criterion.
PICKS = ("simple", "balanced", "default", "accuracy")


class Front(Sequence[Member]):
    """Models found by a run, the search's own choice among them, and what was added later (`prune`)."""

    def __init__(
        self,
        members: Sequence[Member] | Callable[[], Sequence[Member]],
        default: Member,
        names: Sequence[str],
        target: str,
        summary: Mapping[str, Any],
        loss: Loss = SQUARED,
    ) -> None:
        """The `members`, or what makes them as soon as somebody looks: whoever has set a time limit does not wait for models
        that were not chosen."""
        self.loss = loss
        self._members, self.default = members, default
        self.names, self.target = list(names), target
        self.rows: int | None = summary.get("rows")
        variance = summary.get("target_variance")
        self.variance: float = math.nan if variance is None else variance

    @property
    def members(self) -> list[Member]:
        """All models, in the order in which they were handed over."""
        with _MAKING:
            if not isinstance(self._members, list):
                self._members = list(self._members() if callable(self._members) else self._members)
            return self._members

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_members": self.members}

    @overload
    def __getitem__(self, index: int) -> Member: ...
    @overload
    def __getitem__(self, index: slice) -> list[Member]: ...
    def __getitem__(self, index: int | slice) -> Member | list[Member]:
        return self.members[index]

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Member]:
        return iter(self.members)

    def with_member(self, member: Member) -> Front:
        """The front with one more model."""
        more = Front([*self.members, member], self.default, self.names, self.target, {}, self.loss)
        more.rows, more.variance = self.rows, self.variance
        return more

    @cached_property
    def listed(self) -> list[Listed]:
        """By printed size: models that no other model of at most their size equals in R²; the default and
        added ones always.

        What beats the default and is no larger is not listed: the search preferred the default by rows that it had not seen, or
        by sizes that printing changed.
        """
        models = sorted(
            (self._listed(m) for m in self.members), key=lambda e: (e.complexity, -e.member.fitness)
        )
        default_size = next((e.complexity for e in models if e.member is self.default), 0)
        kept: list[Listed] = []
        best = -math.inf
        for model in models:
            beats_default = model.complexity <= default_size and model.member.fitness > self.default.fitness
            if model.member.source == "search" and model.member.fitness > best and not beats_default:
                best = model.member.fitness
                kept.append(model)
            elif model.member is self.default or model.member.source != "search":
                kept.append(model)
        # What is printed alike is listed once, as the model that the search chose.
        default = next((e for e in kept if e.member is self.default), None)
        if default is None:
            return kept
        size, text = default.complexity, str(default.formula)
        return [e for e in kept if e is default or e.complexity != size or str(e.formula) != text]

    def _listed(self, member: Member) -> Listed:
        expression = prediction_expression(member.individual, self.loss.link)
        formula = Formula(expression, self.names, self.target)
        size, numbers = formula.size, len(parameters(expression)) + _own_numbers(formula)
        unexplained = max(1.0 - member.fitness, LEAST_UNEXPLAINED)
        rmse = math.sqrt(max(1.0 - member.fitness, 0.0) * self.variance) if self.loss.squared else math.nan
        if self.rows is None or not math.isfinite(unexplained):
            return Listed(member, formula, size, numbers, rmse, math.nan, math.nan)
        n = max(1, self.rows)
        alphabet = len(OPERATORS) + len(self.names) + 1
        mdl = 0.5 * n * math.log2(unexplained) + 0.5 * math.log2(n) * numbers + math.log2(alphabet) * size
        return Listed(
            member, formula, size, numbers, rmse, mdl, n * math.log(unexplained) + math.log(n) * numbers
        )

    def table(self, chosen: Member, rows: TrainingRows | None = None) -> pd.DataFrame:
        """One row per model, smallest first; R² and RMSE of another loss than squared error on `rows`."""
        from multigene.explain.front_text import Equations

        found = [
            {
                "complexity": e.complexity,
                "r2": e.member.fitness,
                "validation_r2": e.member.validation,
                "rmse": e.rmse,
                "mdl": e.mdl,
                "bic": e.bic,
                "parameters": e.n_parameters,
                "genes": e.genes,
                "source": e.member.source,
                "formula": str(e.formula),
                "chosen": e.member is chosen,
                "stability": e.stability,
                "picks": ", ".join(name for name, pick in self.picks.items() if pick is e),
            }
            for e in self.listed
        ]
        table = Equations(found)
        return table if self.loss.squared else self._with_share_explained(table, rows)

    def _with_share_explained(self, table: pd.DataFrame, rows: TrainingRows | None) -> pd.DataFrame:
        """What the search maximised beside R², where that is another thing."""
        table.insert(1, "explained", table["r2"])
        table = table.rename(columns={"validation_r2": "validation_explained"})
        for name in ("r2", "rmse"):
            table[name] = np.nan
        if rows is not None:
            for i, each in enumerate(self.listed):
                prediction = self.loss.prediction(each.member.individual.predict(rows.X))
                measured = metrics(rows.y, prediction, rows.weights)
                table.loc[i, ["r2", "rmse"]] = measured["r2"], measured["rmse"]
        return table

    def at(self, index: Any) -> Member:
        """The model of a row of the table."""
        listed = self.listed
        if (
            isinstance(index, bool)
            or not isinstance(index, (int, np.integer))
            or not -len(listed) <= index < len(listed)
        ):
            raise ValueError(
                f"index={index!r} is no row of equations_; give a whole number from 0 to {len(listed) - 1}."
            )
        return listed[int(index)].member

    def best(self, criterion: Any) -> tuple[Member, str]:
        """The model that a criterion chooses, or the one of a row, and the choice's name."""
        if not isinstance(criterion, str):
            return self.at(criterion), "index"
        name = criterion_named(criterion)
        return self._chosen(name).member, name

    def _chosen(self, criterion: str) -> Listed:
        found = [e for e in self.listed if math.isfinite(e.member.fitness)] or self.listed
        default = next((e for e in self.listed if e.member is self.default), found[-1])
        return CRITERIA[criterion].choose(found, default)

    @cached_property
    def picks(self) -> dict[str, Listed]:
        """The four formulas that are shown first, by name: "simple", "balanced", "default" and "accuracy". One may be several.

        They grow in size and in R² on the training rows, and are what `choose` takes by these names.
        """
        return {name: self._chosen(name) for name in PICKS}


def _own_numbers(formula: Formula) -> int:
    """Numbers that groups have for themselves."""
    columns = [name.column for name in formula.variables if isinstance(name, ColumnName)]
    return sum(len(column.scores) for column in columns if isinstance(column, Own))

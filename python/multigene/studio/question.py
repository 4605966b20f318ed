"""What a user of the studio asks: target, columns, time, functions; as an estimator, and as Python that repeats the run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

import pandas as pd

from multigene.data.columns import choose_columns, numbers
from multigene.data.split import split
from multigene.estimator import MultigeneRegressor
from multigene.expression.operators import OPERATORS
from multigene.expression.reading import read
from multigene.settings.loss import loss_of
from multigene.studio.workspace import Dataset

LONGEST = 86_400.0
#: What the page says of every loss that it offers.
LOSSES = {
    "squared": "the typical error (squared)",
    "absolute": "the absolute error: the median",
    "huber": "squared, but robust against outliers",
    "quantile": "a quantile, such as what 9 of 10 stay below",
    "relative": "the error relative to the target",
    "poisson": "counts (Poisson)",
    "gamma": "positive amounts whose spread grows (gamma)",
    "logistic": "yes or no (logistic)",
}


@dataclass(frozen=True)
class Question:
    """One question to one table."""

    data: int
    target: str
    features: list[str] = field(default_factory=list)
    seconds: float | None = 30.0
    generations: int | None = None
    search: str = "both"
    functions: list[str] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    loss: str = "squared"
    guesses: list[str] = field(default_factory=list)
    holdout: float = 0.2
    seed: int = 0

    @staticmethod
    def of(given: Any) -> Question:
        """Read what the page sent; a `ValueError` names what is wrong."""
        if not isinstance(given, dict) or not isinstance(given.get("target"), str):
            raise ValueError("A question needs a target; choose one.")
        known = {each.name for each in fields(Question)}
        question = Question(**{key: value for key, value in given.items() if key in known})
        limits = (question.seconds, question.generations)
        if all(limit is None for limit in limits):
            raise ValueError("A question needs a limit: seconds or generations.")
        for name, limit, most in (("seconds", limits[0], LONGEST), ("generations", limits[1], 1_000_000)):
            if limit is not None and (
                isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit <= most
            ):
                raise ValueError(f"{name} = {limit!r} is not a number above 0 and up to {most:,.0f}.")
        if (
            isinstance(question.holdout, bool)
            or not isinstance(question.holdout, int | float)
            or not 0 <= question.holdout < 1
        ):
            raise ValueError(f"A held-out share of {question.holdout!r} is not between 0 and 1.")
        if not isinstance(question.seed, int) or question.seed < 0:
            raise ValueError(f"The seed {question.seed!r} is not a whole number from 0 on.")
        lists: list[Any] = [question.features, question.functions, question.guesses]
        if any(not isinstance(each, list) or not all(isinstance(one, str) for one in each) for each in lists):
            raise ValueError("Columns and functions are lists of names, guesses a list of formulas.")
        if any(guess.strip().lower().endswith((".json", ".csv")) for guess in question.guesses):
            raise ValueError(
                "A guess is a formula here, not a file; type the formula."
            )  # no request names a path
        unknown = [each for each in question.functions if each not in OPERATORS]
        if unknown:
            raise ValueError(
                f"There is no function {unknown[0]!r}; the functions are {', '.join(OPERATORS)}."
            )
        if not isinstance(question.loss, str):
            raise ValueError(f"The loss {question.loss!r} is no name.")
        loss_of(question.loss)
        return question

    @property
    def measure(self) -> str:
        """What the share explained by its loss is called."""
        return str(loss_of(self.loss).measure)

    def as_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    def rows(self, dataset: Dataset) -> tuple[pd.DataFrame, pd.DataFrame | None, str | None]:
        """Training rows, test rows, and what was left out of the table, in a sentence."""
        columns = choose_columns(dataset.table, self.target, self.features)
        for guess in self.guesses:
            read(guess, columns.features, "The guess")
        frame, dropped = numbers(dataset.table, [*columns.features, columns.target], drop_missing=True)
        note = f"{dropped:,} rows without a value were left out." if dropped else None
        if not self.holdout:
            return frame, None, note
        train, test = split(frame, self.holdout, self.seed)
        return train, test, note

    def estimator(self, seconds: float | None = None) -> MultigeneRegressor:
        """What searches; `seconds` where less than the whole time is left."""
        return MultigeneRegressor(
            **(self.parameters() | ({} if seconds is None else {"time_limit": seconds}))
        )

    def parameters(self) -> dict[str, Any]:
        """Parameters of the estimator that differ from their defaults."""
        wanted = {
            "functions": self.functions or None,
            "generations": self.generations,
            "time_limit": None if self.generations is not None else self.seconds,
            "search": None if self.search == "both" else self.search,
            "units": self.units or None,
            "guesses": self.guesses or None,
            "loss": None if self.loss == "squared" else self.loss,
            "random_state": self.seed,
        }
        return {name: value for name, value in wanted.items() if value is not None}

    def python(self, dataset: Dataset, actions: list[dict[str, Any]]) -> str:
        """Python that repeats the run on the same file, what was done while it ran included."""
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        columns = choose_columns(dataset.table, self.target, self.features)
        steered = [each for each in actions if each["action"] != "resume"]
        lines = [
            "from multigene import MultigeneRegressor",
            "from multigene.data.columns import numbers",
            "from multigene.data.reading import read_table",
            "from multigene.data.split import split",
            *(["from multigene.search.steering import Script"] if steered else []),
            *(["from multigene.studio.workspace import Dataset"] if dataset.derived else []),
            "",
            f"table = read_table({str(dataset.path)!r})",
        ]
        for name, formula in dataset.derived:
            lines += [
                f"dataset = Dataset(1, {dataset.name!r}, None, table)"
                if name == dataset.derived[0][0]
                else "",
                f"dataset.derive({name!r}, {formula!r})",
            ]
        lines += ["table = dataset.table"] if dataset.derived else []
        lines += [
            f"features, target = {list(columns.features)!r}, {self.target!r}",
            "rows, _ = numbers(table, [*features, target], drop_missing=True)",
            f"rows, test = split(rows, {self.holdout!r}, {self.seed!r})" if self.holdout else "",
            f"model = MultigeneRegressor({arguments})",
        ]
        if steered:
            said = ",\n    ".join(repr((each["step"], each["action"], each["value"])) for each in steered)
            lines += [
                f"script = Script([\n    {said},\n])",
                "model.fit(rows[features], rows[target], callback=script)",
            ]
        else:
            lines.append("model.fit(rows[features], rows[target])")
        if self.generations is None:
            lines.append(
                "# Limited by time: another run does as much as the machine allows. With generations= it is the same."
            )
        return "\n".join(line for line in lines if line != "" or not lines) + "\nprint(model)\n"

"""What a user of the studio asks: target, columns, time, functions; as an estimator, and as Python that repeats the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import pandas as pd

from multigene.data.columns import choose_columns, numbers
from multigene.data.split import split
from multigene.estimator import MultigeneRegressor
from multigene.expression.form import read_form
from multigene.expression.operators import OPERATORS
from multigene.expression.reading import read
from multigene.laws.variables.units import Dimensions
from multigene.settings.loss import loss_of
from multigene.shapes.known import Known
from multigene.studio.workspace import Dataset
from multigene.words import nearest

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


#: From simple to accurate: which model of the front is taken into use, and what the page says of it.
PREFERENCES = {
    "simple": "simple: the best of at most 20 nodes",
    "balanced": "balanced: the smallest that explains nearly as much",
    "default": "recommended: as large as unseen rows support",
    "accuracy": "accurate: the best on the training rows",
}


class Mistake(ValueError):
    """What is wrong with one field of a question, which the page marks."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


@contextmanager
def _of_field(name: str) -> Iterator[None]:
    """What goes wrong in here is a mistake in this field."""
    try:
        yield
    except Mistake:
        raise
    except ValueError as error:
        raise Mistake(name, str(error)) from None


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
    form: str = ""
    shapes: list[str] = field(default_factory=list)
    max_size: int | None = None
    prefer: str = "default"
    holdout: float = 0.2
    seed: int = 0

    @staticmethod
    def of(given: Any) -> Question:
        """Read what the page sent; a `ValueError` names what is wrong."""
        if not isinstance(given, dict) or not isinstance(given.get("target"), str):
            raise ValueError("A question needs a target; choose one.")
        known = {each.name for each in fields(Question)}
        question = Question(**{key: value for key, value in given.items() if key in known})
        question._check_numbers()
        question._check_texts()
        return question

    def _check_numbers(self) -> None:
        if self.seconds is None and self.generations is None:
            raise Mistake("seconds", "A question needs a limit: seconds or generations.")
        for name, limit, least, most in (
            ("seconds", self.seconds, 0, LONGEST),
            ("generations", self.generations, 0, 1_000_000),
            ("max_size", self.max_size, 0, 100_000),
        ):
            if limit is not None and (
                isinstance(limit, bool) or not isinstance(limit, int | float) or not least < limit <= most
            ):
                raise Mistake(name, f"{name} = {limit!r} is not a number above 0 and up to {most:,.0f}.")
        share: Any = self.holdout
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < 1:
            raise Mistake("holdout", f"A held-out share of {share!r} is not between 0 and 1.")
        for name, whole in (("generations", self.generations), ("max_size", self.max_size)):
            if whole is not None and whole != int(whole):
                raise Mistake(name, f"{name} = {whole!r} is not a whole number.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise Mistake("seed", f"The seed {self.seed!r} is not a whole number from 0 on.")

    def _check_texts(self) -> None:
        lists: list[Any] = [self.features, self.functions, self.guesses, self.shapes]
        if any(not isinstance(each, list) or not all(isinstance(one, str) for one in each) for each in lists):
            raise ValueError(
                "Columns and functions are lists of names, guesses a list of formulas, shapes of sentences."
            )
        if any(guess.strip().lower().endswith((".json", ".csv")) for guess in self.guesses):
            # no request names a path
            raise Mistake("guesses", "A guess is a formula here, not a file; type the formula.")
        units: Any = self.units
        if not isinstance(units, dict) or not all(isinstance(each, str) for each in units.values()):
            raise Mistake("units", "Units are a text for every column that has one.")
        unknown = [each for each in self.functions if each not in OPERATORS]
        if unknown:
            way_out = nearest(unknown[0], OPERATORS) or f"; the functions are {', '.join(OPERATORS)}."
            raise Mistake("functions", f"There is no function {unknown[0]!r}{way_out}")
        if not isinstance(self.loss, str) or not isinstance(self.form, str):
            raise ValueError("The loss is a name or an expression, the form an expression.")
        if self.prefer not in PREFERENCES:
            raise Mistake("prefer", f"{self.prefer!r} is no preference; it is {', '.join(PREFERENCES)}.")
        with _of_field("loss"):
            loss_of(self.loss)

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
        frame, dropped = numbers(dataset.table, [*columns.features, columns.target], drop_missing=True)
        note = f"{dropped:,} rows without a value were left out." if dropped else None
        if not self.holdout:
            return frame, None, note
        train, test = split(frame, self.holdout, self.seed)
        return train, test, note

    def check(self, dataset: Dataset) -> None:
        """Look at everything that a search would refuse; a `Mistake` names the field and marks the place."""
        with _of_field("form" if self.form else "loss"):
            self.estimator().resolved_settings()
        rows, _, _ = self.rows(dataset)
        features = [name for name in rows.columns if name != self.target]
        for guess in self.guesses:
            with _of_field("guesses"):
                read(guess, features, "The guess")
        with _of_field("form"):
            read_form(self.form or None, features)
        with _of_field("units"):
            if self.units:
                Dimensions.of(self.units, features, self.target)
        y = rows[self.target].to_numpy()
        with _of_field("loss"):
            loss = loss_of(self.loss).of_rows(rows[features].to_numpy(), y)
        with _of_field("shapes"):
            Known.of(self.shapes or None, features, self.target, rows[features].to_numpy(), y, loss)

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
            "form": self.form or None,
            "shapes": self.shapes or None,
            "max_size": self.max_size,
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
        if self.prefer != "default":
            lines.append(f"model.choose({self.prefer!r})")
        if self.generations is None:
            lines.append(
                "# Limited by time: another run does as much as the machine allows. With generations= it is the same."
            )
        return "\n".join(line for line in lines if line) + "\nprint(model)\n"

"""What a user of the studio asks: target, columns, time, functions; checked, and as an estimator (`recorded.py`: as Python)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from multigene.data.columns import MISSING
from multigene.data.losses import KINDS
from multigene.estimator import MultigeneRegressor
from multigene.expression.form import read_form
from multigene.expression.operators import OPERATORS
from multigene.expression.reading import read
from multigene.groups.regroup import asked_of_groups
from multigene.laws.variables.units import Dimensions
from multigene.rules.kept import Rules
from multigene.search.ruled import refuse_broken_form
from multigene.settings.loss import loss_of
from multigene.shapes.known import Known
from multigene.studio.asked_rows import AskedRows
from multigene.studio.mistake import Mistake, of_field
from multigene.studio.workspace import Dataset
from multigene.words import nearest

LONGEST = 86_400.0
#: What the page says of every loss that it offers.
LOSSES = {name: kind.about for name, kind in KINDS.items()}


#: What may be done about gaps, and what the page says of it.
GAPS = {
    "fill": "filled by the middle value, which the formula names",
    "drop": "their rows are left out",
    "error": "refused",
}
#: From simple to accurate: which model of the front is taken into use, and what the page says of it.
PREFERENCES = {
    "simple": "simple: the best of at most 20 nodes",
    "balanced": "balanced: the smallest that explains nearly as much",
    "default": "recommended: as large as unseen rows support",
    "accuracy": "accurate: the best on the training rows",
}


@dataclass(frozen=True)
class Question:
    """One question to one table."""

    data: int
    target: str
    label: str = ""
    """The class of the target that is told from the others; empty for a target of numbers."""
    features: list[str] = field(default_factory=list)
    groups: str = ""
    missing: str = "fill"
    seconds: float | None = 30.0
    generations: int | None = None
    search: str = "both"
    functions: list[str] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    loss: str = "squared"
    guesses: list[str] = field(default_factory=list)
    form: str = ""
    shapes: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
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
        lists: list[Any] = [self.features, self.functions, self.guesses, self.shapes, self.rules]
        if any(not isinstance(each, list) or not all(isinstance(one, str) for one in each) for each in lists):
            raise ValueError(
                "Columns and functions are lists of names, guesses a list of formulas, shapes and rules of sentences."
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
        if not isinstance(self.groups, str):
            raise Mistake("groups", "Groups are named by one column.")
        if self.missing not in MISSING:
            raise Mistake(
                "missing", f"{self.missing!r} is nothing to do about gaps; it is {', '.join(MISSING)}."
            )
        if not isinstance(self.loss, str) or not isinstance(self.form, str):
            raise ValueError("The loss is a name or an expression, the form an expression.")
        if self.prefer not in PREFERENCES:
            raise Mistake("prefer", f"{self.prefer!r} is no preference; it is {', '.join(PREFERENCES)}.")
        with of_field("loss"):
            loss_of(self.loss)
        self._check_class()

    def _check_class(self) -> None:
        if not isinstance(self.label, str):
            raise Mistake("label", "A class is named by its text.")
        if self.label and self.loss not in ("squared", "logistic"):
            raise Mistake(
                "loss",
                f"Classes are told apart by the logistic loss, not by {self.loss!r}; leave it as it is.",
            )
        if self.label and self.groups:
            raise Mistake("groups", "Groups do not go with classes; leave one of them out.")

    @property
    def minimised(self) -> str:
        """The loss of the search: that of log-odds where a class is told from the others."""
        return "logistic" if self.label else self.loss

    @property
    def measure(self) -> str:
        """What the share explained by its loss is called."""
        return str(loss_of(self.minimised).measure)

    def as_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    def rows(self, dataset: Dataset) -> AskedRows:
        """Training and test rows of a table."""
        return AskedRows.of(self, dataset)

    def check(self, dataset: Dataset) -> AskedRows:
        """Look at everything that a search would refuse; a `Mistake` names the field and marks the place. Returns the rows."""
        with of_field("form" if self.form else "loss"):
            self.estimator().resolved_settings()
        asked = self.rows(dataset)
        with of_field("groups"):
            alone = {"units": self.units, "shapes": self.shapes, "rules": self.rules}
            asked_of_groups(self.groups or None, "auto", {name: each or None for name, each in alone.items()})
        for guess in self.guesses:
            with of_field("guesses"):
                read(guess, asked.names, "The guess")
        with of_field("form"):
            form = read_form(self.form or None, asked.names)
        with of_field("rules"):
            refuse_broken_form(form, Rules.of(self.rules, asked.names))
        with of_field("units"):
            if self.units:
                Dimensions.of(self.units, asked.names, asked.told)
        X, y = asked.arrays(asked.train)
        with of_field("loss"):
            loss = loss_of(self.minimised).of_rows(X, y)
        with of_field("shapes"):
            Known.of(self.shapes or None, asked.names, asked.told, X, y, loss)
        return asked

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
            "settings": {"rules": self.rules} if self.rules else None,
            "loss": self.minimised,
            "random_state": self.seed,
        }
        return {name: value for name, value in wanted.items() if value is not None}

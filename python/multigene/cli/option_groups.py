"""Groups of options that go together, and how a command takes one as a parameter.

`spread` shows Typer the single options. So a command reads `fit(data, rows, search, …)`, and its help still has every option.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

from multigene.cli.options import (
    AsItIs,
    Decimal,
    DropMissing,
    Encoding,
    Exclude,
    Features,
    Generations,
    Holdout,
    Json,
    Missing,
    NoHeader,
    Quiet,
    Seed,
    Separator,
    Sheet,
    Target,
    Test,
    Threads,
    Time,
)
from multigene.data.columns import MISSING
from multigene.data.reading import read_table
from multigene.data.table import Dialect, Table


@dataclass(frozen=True)
class Rows:
    """Which columns and rows of the data are used, and for what."""

    target: Target = None
    features: Features = None
    exclude: Exclude = None
    test: Test = None
    holdout: Holdout = None
    drop_missing: DropMissing = False
    missing: Missing = "fill"

    def gaps(self) -> str:
        """What is done about gaps."""
        if self.missing not in MISSING:
            raise ValueError(f"--missing {self.missing} is not known; take fill, drop or error.")
        if self.drop_missing and self.missing == "error":
            raise ValueError(
                "--drop-missing and --missing error contradict each other; leave one of them out."
            )
        return "drop" if self.drop_missing else self.missing


@dataclass(frozen=True)
class Search:
    """How long to search, from which seed, on how many threads."""

    time: Time = None
    generations: Generations = None
    seed: Seed = 0
    threads: Threads = None


@dataclass(frozen=True)
class Saying:
    """How much is printed, and for whom."""

    json: Json = False
    quiet: Quiet = False


@dataclass(frozen=True)
class Reading:
    """How files are read."""

    separator: Separator = None
    decimal: Decimal = None
    encoding: Encoding = None
    no_header: NoHeader = False
    sheet: Sheet = None
    as_it_is: AsItIs = None

    def table(self, source: str) -> Table:
        """The table of a file or a pipe."""
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"--decimal {self.decimal!r} is neither '.' nor ','.")
        dialect = Dialect(
            self.separator,
            self.decimal,
            self.encoding,
            not self.no_header,
            self.sheet,
            tuple(self.as_it_is or ()),
        )
        return read_table(source, dialect)


def words(*groups: Any) -> list[str]:
    """What was given of some groups, as the words of a command line that gives it again."""
    said: list[str] = []
    for group in groups:
        hints = get_type_hints(type(group), include_extras=True)
        for field in fields(group):
            value, option = getattr(group, field.name), hints[field.name].__metadata__[0]
            # Typer takes the first name of an annotated option for its default, and puts it right later.
            name = next(n for n in (option.default, *option.param_decls) if str(n).startswith("--"))
            if value == field.default:
                continue
            given = value if isinstance(value, list) else [value]
            said += [name] if value is True else [word for each in given for word in (name, str(each))]
    return said


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer wants to see it: every option of its groups as a parameter of its own.

    A group's default in the signature of the command gives its options their defaults.
    """
    hints = get_type_hints(command, include_extras=True)
    shown: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    for parameter in inspect.signature(command).parameters.values():
        kind = hints[parameter.name]
        if not is_dataclass(kind):
            shown.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=kind))
            continue
        groups[parameter.name] = kind  # type: ignore[assignment]
        values = kind() if parameter.default is parameter.empty else parameter.default  # type: ignore[operator]
        for name, option in get_type_hints(kind, include_extras=True).items():
            shown.append(
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=getattr(values, name),
                    annotation=option,
                )
            )

    @wraps(command)
    def gathered(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    gathered.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    gathered.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return gathered

"""The parameters of `MultigeneRegressor` as one plain value: what a fitted model, its file and its report keep of them.

The estimator's signature is where users read them; a test holds the two to the same names and defaults. Whoever needs to know
which parameters there are, their kinds, or which were given, asks here instead of keeping a list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import numpy as np

from multigene.data.by_value import KeepsFunctions
from multigene.settings.guesses import written
from multigene.settings.settings import Kind, Settings, setting_names
from multigene.words import nearest

Made = TypeVar("Made", bound=Callable[..., None])

#: A parameter that changes how a run is made and not what comes out.
SILENT = {"silent": True}


@dataclass(frozen=True, kw_only=True, eq=False)
class Parameters(KeepsFunctions):
    """What a run was asked for; the meaning of each parameter is documented at `MultigeneRegressor`.

    `option` names the option of `multigene fit` where there is one; other parameters are settings and given by --set.
    """

    configuration: str | None = field(default=None, metadata={"option": "--configuration"})
    functions: str | list[Any] | dict[str, Any] | tuple[Any, ...] | None = None
    form: str | None = field(default=None, metadata={"option": "--form"})
    guesses: list[Any] | None = field(default=None, metadata={"option": "--guess"})
    generations: int | None = field(default=None, metadata={"option": "--generations"})
    time_limit: float | None = field(default=None, metadata={"option": "--time"})
    loss: Any = field(default="auto", metadata={"option": "--loss"})
    max_size: int | None = field(default=None, metadata={"option": "--max-size"})
    search: Kind = field(default="both", metadata={"option": "--search"})
    shapes: str | list[Any] | tuple[Any, ...] | None = field(default=None, metadata={"option": "--shape"})
    units: dict[str, str] | None = field(default=None, metadata={"option": "--units"})
    n_jobs: int | None = field(default=-1, metadata=SILENT)
    random_state: Any = field(default=None, metadata={"option": "--seed"})
    verbose: int | bool = field(default=0, metadata=SILENT)
    warm_start: bool = field(default=False, metadata=SILENT)
    settings: Settings | dict[str, Any] | None = None

    @staticmethod
    def of(estimator: Any) -> Parameters:
        """Those of an estimator, as its attributes have them now; NumPy's numbers as Python's."""
        values = {each.name: getattr(estimator, each.name) for each in fields(Parameters)}
        values["form"] = None if values["form"] is None else str(values["form"])
        values["guesses"] = written(values["guesses"])
        return Parameters(**{name: _plain(value) for name, value in values.items()})

    def values(self) -> dict[str, Any]:
        """All of them by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def given(self) -> dict[str, Any]:
        """Those that differ from their defaults, by name; silent ones and seeds that are objects are left out."""
        found = {}
        for each in fields(self):
            value, written = getattr(self, each.name), not each.metadata.get("silent")
            if each.name == "random_state":
                written = isinstance(value, int)
            if written and (type(value) is not type(each.default) or value != each.default):
                found[each.name] = value
        return found

    @staticmethod
    def option(name: str) -> str | None:
        """The option of `multigene fit` for a parameter; None where it is a setting."""
        [found] = [each.metadata.get("option") for each in fields(Parameters) if each.name == name]
        return found


def explain_unknown_parameters(init: Made) -> Made:
    """A constructor that says what to give instead of a parameter that it does not have; its signature stays as it is."""

    @wraps(init)
    def checked(self: Any, *arguments: Any, **given: Any) -> None:
        own = set(signature(init).parameters) - {"self"}
        for name, value in given.items():
            if name not in own and type(self).__init__ is checked:
                raise TypeError(f"There is no parameter {name!r}{_way_out(name, value, own)}")
        init(self, *arguments, **given)

    return checked  # type: ignore[return-value]


def _way_out(name: str, value: Any, own: set[str]) -> str:
    """What to give instead of a parameter that a constructor does not have."""
    if name in setting_names():
        return f"; it is a setting: give settings={{{name!r}: {value!r}}}."
    if name == "loss":
        return "; a classifier minimises the logistic loss. Leave it out."
    if name == "regressor":
        return "; give the parameters of the search themselves, such as time_limit=10."
    return nearest(name, own) or f"; there are {', '.join(sorted(own))}."


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return value.item() if isinstance(value, np.generic) else value

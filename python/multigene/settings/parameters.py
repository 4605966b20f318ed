"""The parameters of `MultigeneRegressor` as one plain value: what a fitted model, its file and its report keep of them.

The estimator's signature is where users read them; a test holds the two to the same names and defaults. Whoever needs to know
which parameters there are, of which kinds, or which were given, asks here instead of keeping a list.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from multigene.settings.settings import Kind, Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class Parameters:
    """What a run was asked for; the meaning of each parameter is documented at `MultigeneRegressor`."""

    configuration: str | None = None
    functions: str | list[Any] | dict[str, Any] | tuple[Any, ...] | None = None
    population_size: int | None = None
    generations: int | None = None
    time_limit: float | None = None
    max_genes: int | None = None
    max_depth: int | None = None
    max_nodes: int | None = None
    search: Kind = "both"
    units: dict[str, str] | None = None
    n_jobs: int | None = -1
    random_state: Any = None
    verbose: int | bool = 0
    warm_start: bool = False
    settings: Settings | dict[str, Any] | None = None

    @staticmethod
    def of(estimator: Any) -> Parameters:
        """Those of an estimator, as its attributes have them now; NumPy's numbers as Python's."""
        values = {field.name: getattr(estimator, field.name) for field in fields(Parameters)}
        return Parameters(**{name: _plain(value) for name, value in values.items()})

    def values(self) -> dict[str, Any]:
        """All of them by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def given(self) -> dict[str, Any]:
        """Those that differ from their defaults, by name."""
        return {
            field.name: value
            for field in fields(self)
            if type(value := getattr(self, field.name)) is not type(field.default) or value != field.default
        }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

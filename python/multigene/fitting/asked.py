"""What an estimator or the command line asks of a fit, as `Fitting` takes it: numbers per group, a form, guesses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multigene.data.arrays import CheckedRows
from multigene.expression.form import read_form
from multigene.fitting.data import Data
from multigene.fitting.fitting import Fitting
from multigene.groups.regroup import asked_of_groups
from multigene.guesses import read_guesses
from multigene.words import default_names


def group_numbers_of(fitting: Fitting, groups: Any, numbers: str | Sequence[str]) -> tuple[str, ...]:
    """The numbers per group, checked before the rows are; a `ValueError` names what does not go with groups."""
    parameters, rules = fitting.parameters, fitting.settings.rules or None
    return asked_of_groups(
        groups, numbers, {"units": parameters.units, "shapes": parameters.shapes, "rules": rules}
    )


def data_of(rows: CheckedRows, target: str, numbers: tuple[str, ...], form: Any, guesses: Any) -> Data:
    """Checked rows, and what the user knows of the formula."""
    features = rows.names or default_names(rows.X.shape[1])
    return Data(
        rows.X, rows.y, rows.weights, rows.names, target, rows.encoding, rows.groups, numbers,
        read_form(form, features, target), read_guesses(guesses, features),
    )  # fmt: skip

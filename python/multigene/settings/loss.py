"""The loss that a user gave: a name, an expression of y and p, or a function."""

from __future__ import annotations

from typing import Any

from multigene.data.losses import SQUARED, Loss, OwnLoss
from multigene.expression.own_loss import WrittenLoss

#: The default: squared error of the rows that are no outliers (`data/outliers.py`); every other loss is of all rows.
AUTO = "auto"


def loss_of(given: Any) -> Loss:
    """The loss, or a `ValueError` that says what is wrong with it."""
    if given is None or given == AUTO:
        return SQUARED
    if isinstance(given, Loss):
        return given
    if isinstance(given, str):
        if any(sign in given for sign in "()+-*/") and not given.split(":")[0].isalpha():
            return OwnLoss(given, function=WrittenLoss(given))
        return Loss.named(given)
    if callable(given):
        return OwnLoss(str(getattr(given, "__name__", type(given).__name__)), function=given)
    raise ValueError(
        f"loss={given!r} is no loss; give a name such as 'huber', an expression such as 'abs(y - p)', or a function of y and p."
    )

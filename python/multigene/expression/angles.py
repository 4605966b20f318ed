"""How far the angles of a formula turn: what turns by more than half a turn from row to row fits any rows, and tells nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene.expression.tree import Expression, Operation, evaluate, postorder

Floats = npt.NDArray[np.float64]

#: Functions that repeat themselves.
TURNING = ("sin", "cos", "sinc")


def can_be_told(expression: Expression, X: Floats, rows: int) -> bool:
    """Does every angle turn less than half a turn per row on the whole? Otherwise a slower one does as well. `X` has the places
    at which angles are looked at, `rows` says how many different rows there are to tell."""
    for node in postorder(expression):
        if isinstance(node, Operation) and node.name in TURNING:
            with np.errstate(all="ignore"):
                angle = evaluate(node.arguments[0], X)
            if not np.ptp(angle) <= np.pi * rows:
                return False
    return True

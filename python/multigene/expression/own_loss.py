"""A loss that the user writes down: an expression of y and p, with its derivative by p from the tree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene.expression.jacobian import node_values, partials, places_of_children
from multigene.expression.reading import Reader
from multigene.expression.tree import Expression, Variable, postorder, variables

Floats = npt.NDArray[np.float64]


class LossReader(Reader):
    """Reads an expression of y and p."""

    noun = "name"


class WrittenLoss:
    """Value and derivative by p of an expression of y and p."""

    def __init__(self, text: str) -> None:
        """Raises a `ValueError` that marks what cannot be read."""
        self.text, self.expression = text, LossReader(text, ("y", "p"), "The loss").expression()
        if 1 not in variables(self.expression):
            raise ValueError(
                f"loss={text!r} does not contain p, the prediction; give for example '(y - p)**2'."
            )

    def __call__(self, y: Floats, p: Floats) -> tuple[Floats, Floats]:
        """What every row costs, and the derivative of it by p."""
        return value_and_slope(self.expression, np.column_stack([y, p]), 1)


def value_and_slope(expression: Expression, X: Floats, column: int) -> tuple[Floats, Floats]:
    """Value on every row, and the derivative by one of the columns."""
    nodes = postorder(expression)
    children, values = places_of_children(nodes), node_values(nodes, X)
    adjoints: list[Floats | float] = [0.0] * len(nodes)
    adjoints[-1] = 1.0
    slope = np.zeros(len(X))
    with np.errstate(all="ignore"):
        for place in reversed(range(len(nodes))):
            node, adjoint = nodes[place], adjoints[place]
            if isinstance(node, Variable) and node.index == column:
                slope += adjoint
            if children[place]:
                arguments = [values[child] for child in children[place]]
                parts = partials(node, arguments, values[place])
                for child, part in zip(children[place], parts, strict=True):
                    adjoints[child] = adjoint * part
    return values[-1], slope

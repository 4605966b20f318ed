"""Functions that a model uses the tail of alone: far below zero log(1 + exp(u)) is exp(u), and far above it u.

A search that needs an exponential finds it in the tail of a softplus or a logistic as well, with an offset of hundreds and a
coefficient of 1e200 that make up for each other. On the rows of the data both are the same number to the last digit; what is
printed, rounded and believed is the exponential. `explain/written.py` does this to finished models.
"""

from __future__ import annotations

from multigene.expression.build import call
from multigene.expression.constants import FAR, FAR_BELOW
from multigene.expression.tree import Array, Expression, Number, Operation, evaluate, fold, rebuild


def tails_as_such(expression: Expression, X: Array) -> Expression:
    """The expression with functions replaced by their tail wherever all rows lie in it."""

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        node = rebuild(node, children)
        if not isinstance(node, Operation) or node.name not in ("softplus", "logistic", "tanh"):
            return node
        inside = node.arguments[0]
        values = evaluate(inside, X)
        low, high = values.min(), values.max()
        if node.name == "softplus" and high < FAR_BELOW:
            return call("exp", inside)
        if node.name == "logistic" and low > -FAR_BELOW:
            return call("exp", call("neg", inside))
        if not (high < -FAR or low > FAR):  # not a number is neither
            return node
        if node.name == "tanh":
            return Number(1.0 if low > 0.0 else -1.0)
        if node.name == "softplus":
            return inside
        return Number(1.0)

    return fold(expression, change)

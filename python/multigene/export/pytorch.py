"""PyTorch: the source of a module whose constants are parameters, to be trained further in a network."""

from __future__ import annotations

import keyword
from collections.abc import Sequence

from multigene.export.source import SourceWriter, source
from multigene.export.writer import Piece
from multigene.expression.tree import Expression, Number, postorder

RESERVED = "X self torch value " + " ".join([*keyword.kwlist, *keyword.softkwlist])


class TorchWriter(SourceWriter):
    """Functions of torch; the constants become `self.c0`, `self.c1`, … in the order they are met."""

    languages = ("pytorch",)
    prefix = "torch."
    reserved = RESERVED
    helper = "\n\ndef {name}({parameters}):\n    return {body}\n"

    def __init__(self, variables: Sequence[str]) -> None:
        super().__init__(variables)
        self.count = 0

    def _piece(self, node: Expression, parts: tuple[Piece, ...]) -> Piece:
        if isinstance(node, Number):
            self.count += 1
            return self.atom(f"self.c{self.count - 1}")
        return super()._piece(node, parts)


def write(
    expression: Expression, names: Sequence[str], target: str = "y", name: str = "FormulaModule"
) -> str:
    """Source of an `nn.Module`; `forward(X)` takes a tensor with the columns of the training data."""
    text = source(TorchWriter, expression, names, target, name)
    numbers = [node.value for node in postorder(expression) if isinstance(node, Number)]
    constants = "".join(
        f"        self.c{position} = torch.nn.Parameter(torch.tensor({value!r}, dtype=torch.float64))\n"
        for position, value in enumerate(numbers)
    )
    return (
        f"import torch\n{text.helpers}\n\n{text.comment}class {text.function}(torch.nn.Module):\n"
        f"    def __init__(self):\n        super().__init__()\n{constants}\n"
        f"    def forward(self, X):\n{text.columns('        {name} = X[:, {place}]')}"
        f"{text.statements('        {name} = {value}')}        value = {text.body}\n"
        f"        return value.expand(X.shape[0])\n"
    )

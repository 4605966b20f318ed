"""PyTorch: the source of a module whose constants are parameters, to be trained further in a network."""

from __future__ import annotations

import keyword
from collections.abc import Sequence

from multigene.export.source import source
from multigene.export.writer import PRODUCT, Piece, Template, Writer, calls
from multigene.expression.tree import Expression, Number, postorder

HELPERS = {
    "sinc": """

def mg_sinc(x):
    nonzero = torch.where(x == 0, torch.ones_like(x), x)
    return torch.where(x == 0, torch.ones_like(x), torch.sin(nonzero) / nonzero)
""",
    "sign": "\n\ndef mg_sign(x):\n    return torch.where(torch.isnan(x), x, torch.sign(x))\n",
    "softplus": """

def mg_softplus(x):
    return torch.clamp(x, min=0) + torch.log1p(torch.exp(-torch.abs(x)))
""",
    "gauss": "\n\ndef mg_gauss(x):\n    return torch.exp(-x * x)\n",
    "bent": "\n\ndef mg_bent(x):\n    return (torch.sqrt(x * x + 1) - 1) / 2 + x\n",
    "aq": "\n\ndef mg_aq(x, y):\n    return x / torch.sqrt(1 + y * y)\n",
}
SAME = ("sin", "cos", "exp", "log", "sqrt", "abs", "tanh", "atan", "erf")
RESERVED = "X self torch value " + " ".join([*keyword.kwlist, *keyword.softkwlist])


class TorchWriter(Writer):
    """Functions of torch; the constants become `self.c0`, `self.c1`, … in the order they are met."""

    templates = (
        calls(**{name: f"torch.{name}" for name in SAME})
        | calls(**{name: f"mg_{name}" for name in HELPERS})
        | calls(min="torch.minimum", max="torch.maximum")
        | {
            "inv": Template("1/{0:factor}", PRODUCT),
            "logistic": Template("torch.sigmoid(-{0:factor})"),
        }
    )

    deepest = 20

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
    text = source(TorchWriter, expression, names, target, name, mark="#", reserved=RESERVED, helpers=HELPERS)
    numbers = [node.value for node in postorder(expression) if isinstance(node, Number)]
    constants = "".join(
        f"        self.c{position} = torch.nn.Parameter(torch.tensor({value!r}, dtype=torch.float64))\n"
        for position, value in enumerate(numbers)
    )
    columns = "".join(f"        {text.legal[i]} = X[:, {i}]\n" for i in text.used)
    return (
        f"import torch\n{text.helpers}\n\n{text.comment}class {text.function}(torch.nn.Module):\n"
        f"    def __init__(self):\n        super().__init__()\n{constants}\n"
        f"    def forward(self, X):\n{columns}"
        f"{text.statements('        {name} = {value}')}        value = {text.body}\n"
        f"        return value.expand(X.shape[0])\n"
    )

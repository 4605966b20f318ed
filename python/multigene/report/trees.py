"""Genes as expression trees, drawn with matplotlib: leaves side by side, every node above the middle of its
children.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multigene.export.writer import readable_number
from multigene.expression.genes import gene_expression
from multigene.expression.numbers import round_numbers
from multigene.expression.readable import plain
from multigene.expression.rewriting import simplify
from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    fold,
    postorder,
)
from multigene.fitted import FittedModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SIGNS = {"add": "+", "sub": "−", "mul": "×", "div": "÷", "neg": "−", "pow": "^"}
#: Trees with more nodes than this cannot be read on a page.
MOST_NODES = 400


def draw_genes(model: FittedModel, ax: Axes) -> Axes:
    """All genes of the chosen formula in one drawing, each with its coefficient above its root."""
    individual = model.individual
    genes = [
        (number, coefficient, plain(round_numbers(simplify(gene_expression(individual, number)), 3)))
        for number, coefficient in enumerate(individual.coefficients)
        if coefficient != 0.0
    ]
    nodes = sum(len(postorder(tree)) for _, _, tree in genes)
    if nodes > MOST_NODES:
        raise ValueError(
            f"The genes have {nodes} nodes together, too many to draw; choose a smaller model of the front."
        )
    ax.axis("off")
    if not genes:
        ax.text(
            0.5, 0.5, readable_number(individual.intercept), ha="center", va="center", transform=ax.transAxes
        )
        return ax
    left, deepest = 0.0, 0
    for number, coefficient, tree in genes:
        root, width, depth = fold(tree, lambda node, parts: _placed(node, parts, model.names))
        _draw(ax, root, left, 0)
        ax.text(
            left + root["x"],
            0.75,
            f"{coefficient:+.4g} · gene {number + 1}",
            ha="center",
            va="bottom",
            fontweight="bold",
            fontsize="small",
        )
        left, deepest = left + width + 0.6, max(deepest, depth)
    ax.set_xlim(-0.8, left)
    ax.set_ylim(-deepest + 0.4, 1.3)
    if ax.figure.axes == [ax]:
        ax.figure.set_size_inches(max(6.0, min(24.0, 0.75 * left)), max(2.5, 0.75 * (deepest + 1)))  # type: ignore[union-attr]
    return ax


def _placed(node: Expression, parts: tuple[Any, ...], names: list[str]) -> tuple[dict[str, Any], float, int]:
    """A node with its label and place from its tree's left edge, the width of the tree and its depth."""
    label = _label(node, names)
    if not parts:
        own = max(1.0, 0.14 * len(label) + 0.35)
        return {"label": label, "x": own / 2, "children": [], "leaf": True}, own, 1
    left, children = 0.0, []
    for child, width, _ in parts:
        children.append((child, left))
        left += width
    middle = (children[0][0]["x"] + children[-1][1] + children[-1][0]["x"]) / 2
    return (
        {"label": label, "x": middle, "children": children, "leaf": False},
        left,
        1 + max(depth for _, _, depth in parts),
    )


def _label(node: Expression, names: list[str]) -> str:
    if isinstance(node, Number):
        return readable_number(abs(node.value)) if node.value >= 0 else "−" + readable_number(-node.value)
    if isinstance(node, Variable):
        return names[node.index]
    if isinstance(node, Power):
        return f"( )^{readable_number(node.exponent)}"
    assert isinstance(node, Operation)
    return SIGNS.get(node.name, node.name)


def _draw(ax: Axes, root: dict[str, Any], left: float, level: int) -> None:
    """Lines first, then the labels over them; a stack instead of recursion, since trees may be deep."""
    stack = [(root, left, level)]
    while stack:
        node, start, depth = stack.pop()
        x, y = start + node["x"], float(-depth)
        for child, offset in node["children"]:
            ax.plot([x, start + offset + child["x"]], [y, y - 1.0], color="#9aa0ab", linewidth=1.0, zorder=1)
            stack.append((child, start + offset, depth + 1))
        box = {
            "boxstyle": "round,pad=0.25" if node["leaf"] else "circle,pad=0.25",
            "facecolor": "white",
            "edgecolor": "#1d2129",
            "linewidth": 0.9,
        }
        ax.text(
            x,
            y,
            node["label"].replace("$", "\\$"),
            ha="center",
            va="center",
            fontsize="small",
            bbox=box,
            zorder=2,
        )

"""Genes as expression trees, drawn with matplotlib: leaves side by side, every node above the middle of its
children.
"""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from multigene.export.writer import readable_number
from multigene.expression.directions import Direction, named
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
from multigene.report.constants import LEAF_NAME, LISTED_NAME, MOST_NODES
from multigene.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SIGNS = {"add": "+", "sub": "−", "mul": "×", "div": "÷", "neg": "−", "pow": "^"}
#: Inches per unit of the drawing, and units of a line of genes, of a line of text and of a character in it.
UNIT, LINE, TEXT_LINE, CHARACTER = 0.75, 15.0, 0.36, 0.1


def draw_genes(model: FittedModel, ax: Axes) -> Axes:
    """All genes of the chosen formula in one drawing, each with its coefficient above its root; linear combinations of a long
    formula are leaves u1, u2, …, listed below."""
    individual = model.individual
    genes, listed = _trees(model)
    nodes = sum(len(postorder(tree)) for _, _, tree, _ in genes)
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
    left, top, deepest, widest = 0.0, 0.0, 0, 0.0
    for number, coefficient, tree, names in genes:
        root, width, depth = fold(tree, lambda node, parts, names=names: _placed(node, parts, names))  # type: ignore[misc]
        title = f"{coefficient:+.4g} · gene {number + 1}"
        width = max(width, 1.2 * CHARACTER * len(title) + 0.4)
        if left and left + width > LINE:
            left, top, deepest = 0.0, top - deepest - 1.3, 0
        start = left + (width - root["width"]) / 2
        _draw(ax, root, start, top)
        ax.text(
            start + root["x"], top + 0.7, title, ha="center", va="bottom", fontweight="bold", fontsize="small"
        )
        left, deepest = left + width + 0.6, max(deepest, depth)
        widest = max(widest, left)
    low = _list(ax, listed, top - deepest + 0.1, max(widest, 6.0 / UNIT))
    ax.set_xlim(-0.4, widest)
    ax.set_ylim(low, 1.3)
    if ax.figure.axes == [ax]:
        ax.figure.set_size_inches(max(6.0, min(24.0, UNIT * (widest + 0.4))), max(2.5, UNIT * (1.3 - low)))  # type: ignore[union-attr]
    return ax


def _trees(model: FittedModel) -> tuple[list[tuple[int, float, Expression, list[str]]], list[str]]:
    """Number, coefficient, tree and names of leaves of every gene; and the linear combinations among the leaves, as text."""
    individual, genes, listed = model.individual, [], list[str]()
    names = [shortened(name, LEAF_NAME) for name in model.names]
    for number, coefficient in enumerate(individual.coefficients):
        if coefficient == 0.0:
            continue
        tree = plain(round_numbers(simplify(gene_expression(individual, number)), 3))
        known = named(tree, len(names), model.formula.size)
        own = [f"u{len(listed) + place + 1}" for place in range(len(known.directions))]
        for sign, direction in zip(own, known.directions, strict=True):
            listed.append(f"{sign} = {_sum(direction, model.names)}")
        genes.append((number, coefficient, plain(known.expression), [*names, *own]))
    return genes, listed


def _sum(direction: Direction, names: list[str]) -> str:
    """A linear combination as text."""
    terms = [(weight, "·" + shortened(names[j], LISTED_NAME)) for j, weight in direction.weights]
    terms = ([(direction.bias, "")] if direction.bias else []) + terms
    text = " ".join(
        f"{'−' if value < 0.0 else '+'} {readable_number(abs(value))}{name}" for value, name in terms
    )
    return text[2:] if text.startswith("+") else "−" + text[2:]


def _list(ax: Axes, listed: list[str], top: float, width: float) -> float:
    """Linear combinations below the trees; the drawing's lower end."""
    for text in listed:
        lines = wrap(
            text, max(30, int(width / CHARACTER)), subsequent_indent="       ", break_long_words=False
        )
        for line in lines:
            ax.text(
                -0.3, top, line.replace("$", "\\$"), ha="left", va="top", fontsize="small", color="#3d4350"
            )
            top -= TEXT_LINE
    return top - 0.2


def _placed(node: Expression, parts: tuple[Any, ...], names: list[str]) -> tuple[dict[str, Any], float, int]:
    """A node with its label and place from its tree's left edge, the width of the tree and its depth."""
    label = _label(node, names)
    own = max(1.0, 0.14 * len(label) + 0.35)
    if not parts:
        return {"label": label, "x": own / 2, "width": own, "children": [], "leaf": True}, own, 1
    below = sum(width for _, width, _ in parts)
    left, children = max(0.0, (own - below) / 2), []
    for child, width, _ in parts:
        children.append((child, left))
        left += width
    middle = (children[0][0]["x"] + children[0][1] + children[-1][1] + children[-1][0]["x"]) / 2
    width = max(below, own)
    return (
        {"label": label, "x": middle, "width": width, "children": children, "leaf": False},
        width,
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


def _draw(ax: Axes, root: dict[str, Any], left: float, top: float) -> None:
    """Lines first, then the labels over them; a stack instead of recursion, since trees may be deep."""
    stack = [(root, left, top)]
    while stack:
        node, start, y = stack.pop()
        x = start + node["x"]
        for child, offset in node["children"]:
            ax.plot([x, start + offset + child["x"]], [y, y - 1.0], color="#9aa0ab", linewidth=1.0, zorder=1)
            stack.append((child, start + offset, y - 1.0))
        box = {
            "boxstyle": "circle,pad=0.25" if len(node["label"]) == 1 else "round,pad=0.25",
            "facecolor": "white" if node["leaf"] else "#eef2f8",
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

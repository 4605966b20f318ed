"""Another function of the same argument in a find: what noise can hardly tell from the law often differs from it in one function.

In a little noise `(x - u*t)*(exp(1.5*(u/c)**2) + 2)/3` is as good as `(x - u*t)/sqrt(1 - (u/c)**2)`, and a search that has found
the one seldom comes to the other. Parts of a formula in which all columns come in one product, here `u/c`, or one difference of
two are functions of a single argument, and there are few short ones: each is compared with the part's own values, and those most
like it are offered. `finds.py` tunes them, and takes what convinces most.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from multigene.expression.build import power_of, product_of, weighted
from multigene.expression.reading import read
from multigene.expression.rewriting import replaced, simplify
from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    evaluate,
    fold,
    postorder,
    rebuild,
    substitute,
)
from multigene.laws.constants import MOST_LIKE_A_PART, PART_FACTORS, PART_SCALES

Floats = npt.NDArray[np.float64]

#: Functions of one argument; its factor is the one that suits best.
SHAPES = tuple(
    read(text, ["z"])
    for text in (
        *(text.format(f"1 {sign} {z}") for z in ("z", "z**2") for sign in "+-"
          for text in ("{}", "1/({})", "({})**2", "1/({})**2", "sqrt({})", "1/sqrt({})")),
        *(f"exp({sign}{z})" for z in ("z", "z**2") for sign in ("", "-")),
        "exp(z) - 1", "1 - exp(-z)", "exp(z) + 1", "1 + exp(-z)",
        "1/(exp(z) - 1)", "1/(exp(z) + 1)", "1/(1 - exp(-z))", "1/(1 + exp(-z))",
        "log(1 + z)", "log(z)", "tanh(z)", "1/tanh(z)", "sin(z)", "cos(z)", "1 - cos(z)", "sin(z)/z", "sin(z)**2", "cos(z)**2",
        "atan(z)", "atan(z/sqrt(1 - z**2))",
        "(sin(z)/z)**2", "z/(exp(z) - 1)", "(exp(z) - 1)/z", "z/(1 - exp(-z))", "(1 - exp(-z))/z", "tanh(z)/z", "1/tanh(z) - 1/z",
        "z", "1/z", "z**2", "1/z**2", "sqrt(z)", "1/sqrt(z)", "z/(1 + z)", "z/(1 - z)", "1/(z - 1)", "sqrt(z - 1)",
    )
)  # fmt: skip

#: Bases of a product with their exponents; whether it is more than that product.
Argument = tuple[dict[Expression, float] | None, bool]


def with_other_functions(expression: Expression, X: Floats) -> Iterator[Expression]:
    """The expression with a part that is a function of one argument written as another function of it, first where factors of
    the same argument are taken together."""
    for form in dict.fromkeys((_grouped(expression), expression)):
        nodes = postorder(form)
        for place, bases in _parts(form):
            first = next(iter(bases.values()))
            argument = product_of([power_of(base, exponent / abs(first)) for base, exponent in bases.items()])
            for shape in _most_alike(evaluate(nodes[place], X), evaluate(argument, X)):
                part = substitute(shape, {0: argument})
                yield simplify(replaced(form, place, part))


def _grouped(expression: Expression) -> Expression:
    """The expression with functions of one argument and powers of it as one factor: a**2*cos(1/a) of d*a**2*cos(1/a)."""

    def of_node(
        node: Expression, parts: tuple[tuple[Expression, Argument], ...]
    ) -> tuple[Expression, Argument]:
        built, about = rebuild(node, tuple(part for part, _ in parts)), [argument for _, argument in parts]
        if isinstance(built, Operation) and built.name == "mul":
            by_direction: dict[frozenset[tuple[Expression, float]], list[int]] = {}
            for number, (bases, _) in enumerate(about):
                if bases:
                    by_direction.setdefault(_direction(bases), []).append(number)
            for group in by_direction.values():
                if 1 < len(group) < len(about) and any(about[number][1] for number in group):
                    rest = [built.arguments[k] for k in range(len(about)) if k not in group]
                    factor = Operation("mul", tuple(built.arguments[k] for k in group))
                    return Operation("mul", (*rest, factor)), (None, True)
        return built, _argument(node, about)

    return fold(expression, of_node)[0]


def _most_alike(part: Floats, argument: Floats) -> list[Expression]:
    """The functions that are most like a part's values, times any number."""
    largest = float(np.abs(argument).max())
    with np.errstate(all="ignore"):
        part = part / np.linalg.norm(part)
    if not np.isfinite(part).all() or not np.isfinite(largest) or largest == 0.0:
        return []
    found: list[tuple[float, Expression]] = []
    factors = (*(scale / largest for scale in PART_SCALES), *PART_FACTORS)
    for shape in SHAPES:
        tried = []
        for factor in factors:
            inside = weighted(factor, Variable(0))
            values = evaluate(substitute(shape, {0: inside}), argument[:, None])
            with np.errstate(all="ignore"):
                left = 1.0 - abs(float(part @ (values / np.linalg.norm(values))))
            if np.isfinite(left):
                tried.append((left, inside))
        if tried:
            left, inside = min(tried, key=lambda pair: pair[0])
            found.append((left, substitute(shape, {0: inside})))
    return [shape for _, shape in sorted(found, key=lambda pair: pair[0])[:MOST_LIKE_A_PART]]


def _parts(expression: Expression) -> list[tuple[int, dict[Expression, float]]]:
    """Places of the largest parts that are functions of one argument, but for products themselves, and their arguments."""
    found: list[Argument] = []
    parents: list[int] = []
    nodes, open_places = postorder(expression), list[int]()
    for place, node in enumerate(nodes):
        children = open_places[len(open_places) - len(node.children) :]
        del open_places[len(open_places) - len(node.children) :]
        found.append(_argument(node, [found[child] for child in children]))
        parents.append(-1)
        for child in children:
            parents[child] = place
        open_places.append(place)
    return [
        (place, bases)
        for place, (bases, more) in enumerate(found)
        if bases and more and not (parents[place] >= 0 and found[parents[place]][0])
    ]


def _argument(node: Expression, children: list[Argument]) -> Argument:
    """What a node is a function of: no bases for a number, None for several arguments."""
    if isinstance(node, Number):
        return {}, False
    if isinstance(node, Variable):
        return {node: 1.0}, False
    if any(bases is None for bases, _ in children):
        return None, True
    if isinstance(node, Power) and not children[0][1]:
        return {base: node.exponent * e for base, e in (children[0][0] or {}).items()}, False
    if (
        isinstance(node, Operation)
        and node.name in ("mul", "div", "neg")
        and not any(more for _, more in children)
    ):
        product: dict[Expression, float] = {}
        for number, (bases, _) in enumerate(children):
            sign = -1.0 if node.name == "div" and number == 1 else 1.0
            for base, exponent in (bases or {}).items():
                product[base] = product.get(base, 0.0) + sign * exponent
        return {base: e for base, e in product.items() if e != 0.0}, False
    if _is_difference(node):
        return {node: 1.0}, False
    directions = {_direction(bases) for bases, _ in children if bases}
    if len(directions) == 1:
        return next(bases for bases, _ in children if bases), True
    return (None, True) if directions else ({}, False)


def _is_difference(node: Expression) -> bool:
    """Is it the sum or difference of two columns?"""
    return (
        isinstance(node, Operation)
        and node.name in ("add", "sub")
        and len(node.arguments) == 2
        and all(
            isinstance(
                each.children[0] if isinstance(each, Operation) and each.name == "neg" else each, Variable
            )
            for each in node.arguments
        )
    )


def _direction(bases: dict[Expression, float]) -> frozenset[tuple[Expression, float]]:
    """The same for all powers of a product."""
    first = next(iter(sorted(bases.items(), key=lambda pair: repr(pair[0]))))[1]
    return frozenset((base, round(exponent / first, 6)) for base, exponent in bases.items())

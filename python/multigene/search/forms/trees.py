"""Small expressions for the gaps of a form: shapes to begin with, random ones, and how they vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product

import numpy as np

from multigene.expression.build import call, power_of
from multigene.expression.operators import OPERATORS, named_power
from multigene.expression.reading import read
from multigene.expression.rewriting import replaced
from multigene.expression.tree import (
    Expression,
    Number,
    Power,
    Variable,
    fold,
    postorder,
    rebuild,
    substitute,
)
from multigene.expression.vocabulary import Vocabulary
from multigene.search.constants import FORM_CHANGES
from multigene.settings.functions import FunctionEntry

#: Functions of one argument that a gap may be, with c for numbers of the size of one over the argument; a factor and a term are
#: added.
SHAPES = (
    "v", "v**2", "v**3", "1/v", "1/v**2", "sqrt(v)", "log(v)", "exp(c*v)", "exp(-c*v)", "sin(c*v + 0.1)", "sin(3*c*v + 0.1)",
    "tanh(c*v)", "v/(1/c + v)", "1/(1/c + v)", "v*exp(-c*v)", "exp(-(c*v)**2)", "1/(1/c**2 + v**2)", "v**2/(1/c**2 + v**2)",
    "log(1/c + v)", "sqrt(1/c + v)", "sqrt(1/c**2 + v**2)", "v + c*v**2", "v**2 + c*v**3", "v*sin(c*v + 0.1)",
    "v*log(v)", "v/exp(c*v)**2",
    "exp(-1/(c*v))", "1/(1 + exp(c*v))", "v*sqrt(v)", "sin(0.3*c*v + 0.1)",
)  # fmt: skip
#: Those that products and sums over several arguments are made of.
FACTORS = (
    "v",
    "v**2",
    "1/v",
    "1/v**2",
    "sqrt(v)",
    "log(v)",
    "exp(-c*v)",
    "exp(c*v)",
    "sin(c*v + 0.1)",
    "1/(1/c + v)",
)
#: Further functions of two arguments.
PAIRS = (
    "u*v/(1/c + v)", "u/(1/c + v)", "v/(1/c + u)", "sqrt(u**2 + c*v**2)", "u**2 + c*v**2", "1/(u + c*v)", "log(u + c*v)",
    "exp(-c*u*v)",
    "sin(c*u*v + 0.1)", "u*v/(u + c*v)", "exp(-u/v)", "exp(-v/u)", "(u - v)**2", "u*v + c*u", "u*v + c*v",
    "sqrt(u*v)", "sqrt(u/v)", "sqrt(v/u)",
    "sin(u + c*v)", "exp(c*u + c*v)",
)  # fmt: skip
#: Functions of random expressions unless the user chose some: name and frequency.
OPERATIONS = {
    "add": 3,
    "sub": 2,
    "mul": 4,
    "div": 3,
    "exp": 1,
    "log": 1,
    "sqrt": 1,
    "sin": 1,
    "cos": 1,
    "pow2": 1,
    "tanh": 0.5,
}
#: Operators of two arguments.
TWO = frozenset(name for name, row in OPERATORS.items() if row.arity == 2)


def affine(tree: Expression) -> Expression:
    """With a factor and a term of its own."""
    return call("add", Number(0.1), call("mul", Number(1.0), tree))


def polynomial(scales: Sequence[float]) -> Expression:
    """A smooth stand-in for an unknown function: of the fourth degree in one argument, of the second in several."""
    n = len(scales)
    terms: list[Expression] = [Number(1.0)]
    degree = 4 if n == 1 else 2
    powers = [p for p in product(range(degree + 1), repeat=n) if 0 < sum(p) <= degree]
    for exponents in powers:
        size = float(np.prod([scale**k for scale, k in zip(scales, exponents, strict=True)]))
        factors = [power_of(Variable(i), k) for i, k in enumerate(exponents) if k]
        terms.append(call("mul", Number(0.1 / size), *factors))
    return call("add", *terms)


def catalogue(scales: Sequence[float], admits: Vocabulary) -> list[Expression]:
    """Expressions to begin with for a function whose arguments are of these sizes; those that the user's functions can tell."""
    n, found = len(scales), list[Expression]()
    for i, scale in enumerate(scales):
        found += [_of(text, ("v",), (i,), (scale,)) for text in SHAPES]
    for i, j in ((i, j) for i in range(n) for j in range(n) if i != j):
        found += [_of(text, ("u", "v"), (i, j), (scales[i], scales[j])) for text in PAIRS]
    for i in range(n):
        for j in range(i + 1, n):
            for a, b in product(FACTORS, repeat=2):
                first, second = _of(a, ("v",), (i,), (scales[i],)), _of(b, ("v",), (j,), (scales[j],))
                found += [call("mul", first, second), call("add", first, call("mul", Number(1.0), second))]
    if n > 2:
        monomials = list(product((-1, 1, 2), repeat=n)) if n == 3 else [(1,) * n]
        found += [call("mul", *(power_of(Variable(i), k) for i, k in enumerate(p))) for p in monomials]
        found.append(call("add", *(call("mul", Number(1.0 / s), Variable(i)) for i, s in enumerate(scales))))
    return [tree for tree in dict.fromkeys(found) if admits.admits(tree)]


def pairs(scales: Sequence[float], admits: Vocabulary) -> list[Expression]:
    """Sums and products of two shapes of the same argument, with factors, and a number."""
    found: list[Expression] = []
    for i, scale in enumerate(scales):
        own = [tree for text in SHAPES if admits.admits(tree := _of(text, ("v",), (i,), (scale,)))]
        for first, second in combinations(own, 2):
            found.append(call("add", affine(first), call("mul", Number(1.0), second)))
            found += [affine(call("mul", first, second)), call("mul", first, second)]
    return found


def _of(text: str, names: tuple[str, ...], places: tuple[int, ...], scales: tuple[float, ...]) -> Expression:
    tree = read(text, (*names, "c"))
    scale = 1.0 / float(np.mean(scales))
    return substitute(tree, {**{i: Variable(p) for i, p in enumerate(places)}, len(names): Number(scale)})


def drawn(chances: Mapping[str, float], rng: np.random.Generator) -> str:
    """One of some kinds, each with its chance; these add up to 1."""
    left = rng.random()
    for kind, chance in chances.items():
        left -= chance
        if left < 0.0:
            return kind
    return kind


class Variation:
    """Random expressions and changes of them, with the functions of a user or the usual ones."""

    def __init__(self, functions: Sequence[FunctionEntry] | None, rng: np.random.Generator) -> None:
        self.rng = rng
        chosen = (
            [(name, None, weight) for name, weight in OPERATIONS.items()]
            if functions is None
            else list(functions)
        )
        self.definitions = {name: read(text, ("x", "y")) for name, text, _ in chosen if text is not None}
        self.names = [name for name, _, _ in chosen]
        weights = np.array([weight for _, _, weight in chosen], dtype=float)
        self.weights = weights / weights.sum()

    def tree(self, scales: Sequence[float], depth: int = 3) -> Expression:
        """A random expression of arguments of these sizes."""
        if depth <= 1 or self.rng.random() < 0.25:
            return self.leaf(scales)
        name = self.names[self.rng.choice(len(self.names), p=self.weights)]
        return self.applied(name, [self.tree(scales, depth - 1) for _ in range(2)])

    def leaf(self, scales: Sequence[float]) -> Expression:
        """An argument, or a number of an argument's size."""
        i = int(self.rng.integers(len(scales)))
        if self.rng.random() < 0.75:
            return Variable(i)
        return Number(float(self.rng.normal()) * (scales[i] if self.rng.random() < 0.5 else 1.0))

    def applied(self, name: str, parts: Sequence[Expression]) -> Expression:
        """A function by name, of the first part, or of both."""
        if name in self.definitions:
            return substitute(self.definitions[name], dict(enumerate(parts)))
        exponent = named_power(name)
        if exponent is not None:
            return Power(parts[0], float(exponent))
        return call(name, *parts[: 2 if name in TWO else 1])

    def changed(self, tree: Expression, other: Expression, scales: Sequence[float]) -> Expression:
        """One change: a part from `other`, a new part, a part less, a function around a part, a number more, other numbers."""
        nodes = postorder(tree)
        place = int(self.rng.integers(len(nodes)))
        node, kind = nodes[place], drawn(FORM_CHANGES, self.rng)
        new: Expression
        if kind == "other":
            parts = postorder(other)
            new = parts[int(self.rng.integers(len(parts)))]
        elif kind == "new":
            new = self.tree(scales, int(self.rng.integers(1, 4)))
        elif kind == "inner":
            inner = [child for each in nodes for child in each.children] or [node]
            return inner[int(self.rng.integers(len(inner)))]
        elif kind == "less":
            return replaced(tree, place, self._child(node))
        elif kind == "around":
            name = self.names[self.rng.choice(len(self.names), p=self.weights)]
            parts = [node, self.leaf(scales)]
            new = self.applied(name, parts if self.rng.random() < 0.7 else parts[::-1])
        elif kind == "number":
            scaled = call("mul", Number(1.0), node)
            new = (
                scaled
                if self.rng.random() < 0.5
                else call("add", node, Number(0.1 * float(self.rng.normal())))
            )
        else:
            return fold(tree, self._other_number)
        return replaced(tree, place, new)

    def _other_number(self, node: Expression, children: tuple[Expression, ...]) -> Expression:
        if not isinstance(node, Number):
            return rebuild(node, children)
        sign = 1.0 if self.rng.random() < 0.9 else -1.0
        return Number(node.value * sign * float(np.exp(self.rng.normal())))

    def _child(self, node: Expression) -> Expression:
        return node.children[int(self.rng.integers(len(node.children)))] if node.children else node

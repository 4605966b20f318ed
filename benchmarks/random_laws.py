"""Random laws: what the search can do beyond the forms of textbooks. Sets `random` and `random-held-out` of `benchmarks laws`.

`random_law(seed)` draws an expression of the usual functions with constants, 1 to 7 variables, and a range for each. Its size
(nodes of the SymPy tree, `printed_size.py`) is in the class `SIZES[seed % 4]`, so consecutive seeds have all classes alike.
Ranges are drawn without regard to the expression: they change sign, pass poles and the edges of roots and logarithms; rows
without a finite value are dropped (`Law.rows`). Refused are laws with hardly a finite row, a nearly constant target, a target of
absurd range or that oscillates faster than rows can show, a variable without influence, and expressions in which variables cancel
or join.

A search may be developed with the seeds of `DEVELOPMENT_SEEDS` only; those of `HELD_OUT_SEEDS` measure what was not looked at.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from benchmarks.law_sets import FUNCTIONS as KNOWN
from benchmarks.law_sets import Floats, Law
from benchmarks.printed_size import nodes, read

DEVELOPMENT_SEEDS, HELD_OUT_SEEDS = range(100_000), range(1_000_000, 1_100_000)

#: Classes of size: smallest and largest number of nodes.
SIZES = ((5, 9), (10, 14), (15, 19), (20, 25))
MOST_VARIABLES = 7

#: Operators and functions with the frequency at which they are drawn.
BINARY = {"+": 3.0, "-": 2.0, "*": 4.0, "/": 3.0}
UNARY = {"**2": 1.5, "**3": 0.3, "sqrt": 1.0, "exp": 0.7, "log": 0.5, "sin": 0.7, "cos": 0.7, "tanh": 0.3}
UNARY_SHARE = 0.3
#: Functions that hold no more than one of the others, and never themselves: sin(exp(sin(x))) is nobody's law.
TRANSCENDENTAL = frozenset(("exp", "log", "sin", "cos", "tanh"))
#: A power of a power is another power.
POWERS = frozenset(("**2", "**3", "sqrt"))
#: Leaves that are constants, and variables with a factor, once every variable has its place.
CONSTANT_SHARE, FACTOR_SHARE = 0.65, 0.15
RANGES = (
    (-1.0, 1.0),
    (-3.0, 3.0),
    (-5.0, 5.0),
    (-1.0, 4.0),
    (0.0, 1.0),
    (0.0, 5.0),
    (0.1, 2.0),
    (1.0, 3.0),
    (1.0, 5.0),
    (2.0, 10.0),
)

#: What a law is checked by, on this many rows: the share of them with a finite value; the spread (interquartile range) of the
#: target, and how large beside it its middle and its outermost value may be; the share of rows that move by a hundredth of the
#: spread when a variable is drawn anew; the share that may move by a tenth of it when all variables move by a thousandth of their
#: ranges. Round numbers; no benchmark set them.
ROWS = 2000
LEAST_FINITE = 0.3
SPREAD = (1e-4, 1e6)
MIDDLE, OUTERMOST = 1e3, 1e4
MOVED, LEAST_MOVED = 0.01, 0.2
STEP, JUMP, MOST_JUMPS = 1e-3, 0.1, 0.2


@dataclass(frozen=True)
class RandomLaw(Law):
    """A law with its nodes by `printed_size`."""

    nodes: int = 0

    @property
    def size_class(self) -> str:
        """The class of size that it belongs to."""
        return next(f"{low}-{high} nodes" for low, high in SIZES if low <= self.nodes <= high)


def random_laws(number: int, held_out: bool = False, first: int = 0) -> list[RandomLaw]:
    """As many laws of a set, from the first one on or a later one."""
    seeds = HELD_OUT_SEEDS if held_out else DEVELOPMENT_SEEDS
    return [random_law(seed) for seed in seeds[first : first + number]]


@cache
def random_law(seed: int) -> RandomLaw:
    """The law of a seed."""
    rng = np.random.default_rng([20, seed])
    low, high = SIZES[seed % len(SIZES)]
    variables = int(rng.integers(1, min(MOST_VARIABLES, high // 3 + 1) + 1))
    while True:
        formula = drawn_formula(variables, int(rng.integers(low // 2, high + 1)), rng)
        ranges = {name: RANGES[rng.integers(len(RANGES))] for name in names(variables)}
        if formula is None or not sound(Law("", formula, ranges), seed):
            continue
        expression = read(formula)
        size = nodes(expression)
        if low <= size <= high and _occurrences(expression) == len(re.findall(r"\bx\d", formula)):
            return RandomLaw(f"random-{seed}", formula, ranges, nodes=size)


def names(variables: int) -> list[str]:
    """Names of the variables."""
    return [f"x{k + 1}" for k in range(variables)]


# --- expressions ----------------------------------------------------------------------------------


def drawn_formula(variables: int, size: int, rng: np.random.Generator) -> str | None:
    """An expression of about this size that uses every variable, in as few brackets as Python needs; or None by bad luck."""
    skeleton = grown(size, (), rng)
    leaves = skeleton.count("@")
    if leaves < variables:
        return None
    rest = [
        drawn_constant(rng) if rng.random() < CONSTANT_SHARE else str(rng.choice(names(variables)))
        for _ in range(leaves - variables)
    ]
    for leaf in rng.permutation(np.array([*names(variables), *rest], dtype=object)):
        factor = f"{drawn_constant(rng)}*" if rng.random() < FACTOR_SHARE and leaf.startswith("x") else ""
        skeleton = skeleton.replace("@", factor + leaf, 1)
    tree = ast.parse(skeleton, mode="eval")
    constant = any(
        _without_variables(node) for node in ast.walk(tree) if isinstance(node, ast.BinOp | ast.Call)
    )
    return None if constant else ast.unparse(tree)


def grown(size: int, above: tuple[str, ...], rng: np.random.Generator) -> str:
    """A random expression with `@` for its leaves; `above` holds the operators around it, the outermost first."""
    functions = allowed(above)
    if size <= 1 or (size == 2 and not functions):
        return "@"
    if size == 2 or (functions and rng.random() < UNARY_SHARE):
        name = drawn(functions, rng)
        inner = grown(size - 1, (*above, name), rng)
        return f"({inner}){name}" if name.startswith("**") else f"{name}({inner})"
    left = int(rng.integers(1, size - 1))
    operator = drawn(BINARY, rng)
    parts = [grown(part, (*above, operator), rng) for part in (left, size - 1 - left)]
    return f"({parts[0]}) {operator} ({parts[1]})"


def allowed(above: tuple[str, ...]) -> dict[str, float]:
    """The functions that may stand within these operators."""
    around = TRANSCENDENTAL & set(above)
    refused = set(TRANSCENDENTAL if len(around) > 1 else around)
    if above and above[-1] in POWERS:
        refused |= POWERS | {"exp"}
    return {name: weight for name, weight in UNARY.items() if name not in refused}


def drawn(weights: dict[str, float], rng: np.random.Generator) -> str:
    """A key by its weight."""
    shares = np.array(list(weights.values()))
    return str(rng.choice(list(weights), p=shares / shares.sum()))


def drawn_constant(rng: np.random.Generator) -> str:
    """A small whole number, or a number of two digits between 0.1 and 10."""
    return str(rng.integers(2, 10)) if rng.random() < 0.4 else f"{10.0 ** rng.uniform(-1.0, 1.0):.2g}"


def _without_variables(node: ast.AST) -> bool:
    return not any(isinstance(n, ast.Name) and n.id not in KNOWN for n in ast.walk(node))


def _occurrences(expression: Any) -> int:
    """How often variables stand in a SymPy expression; fewer than in the text where they cancel or join, as in x*x/x."""
    import sympy

    return sum(node.is_Symbol for node in sympy.preorder_traversal(expression))


# --- which of them are laws -----------------------------------------------------------------------


def sound(law: Law, seed: int) -> bool:
    """Whether the target varies, within reason, and with every variable."""
    rng = np.random.default_rng([21, seed])
    X = np.column_stack([rng.uniform(low, high, ROWS) for low, high in law.ranges.values()])
    y = law.values(X)
    usable = np.isfinite(y)
    if usable.mean() < LEAST_FINITE:
        return False
    X, y = X[usable], y[usable]
    bottom, middle, top = np.percentile(y, (25, 50, 75))
    spread = float(top - bottom)
    if not SPREAD[0] <= spread <= SPREAD[1] or abs(middle) > MIDDLE * spread:
        return False
    if np.max(np.abs(y - middle)) > OUTERMOST * spread:
        return False
    steps = (
        STEP * np.array([high - low for low, high in law.ranges.values()]) * rng.choice((-1.0, 1.0), X.shape)
    )
    if np.mean(np.abs(law.values(X + steps) - y) > JUMP * spread) > MOST_JUMPS:
        return False
    return all(_moves(law, X, y, j, spread, rng) for j in range(X.shape[1]))


def _moves(law: Law, X: Floats, y: Floats, j: int, spread: float, rng: np.random.Generator) -> bool:
    """Whether the target moves when a variable is drawn anew; a value that is lost by it has moved."""
    other = X.copy()
    other[:, j] = rng.permutation(X[:, j])
    return bool(np.mean(~(np.abs(law.values(other) - y) <= MOVED * spread)) >= LEAST_MOVED)

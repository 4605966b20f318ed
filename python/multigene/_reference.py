"""The method once more, slowly: a naive NumPy twin of what the engine does per row and per node.

It is here to be read next to the paper, and to check the engine: `tests/engine/test_reference.py` holds the two
against each other, operator by operator and step by step. Nothing else imports it.

A `Model` is a list of trees (`Node`) over rows of inner weights (`Row`). The paper's three operation modes
(section 3.3) are a matter of who shares rows: unsynchronised, every LCF node has a row of its own;
synchronised, the LCF nodes of an individual with the same index share one; globally synchronised, those of
all individuals do. Evaluation, gradient and update never ask which mode it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.expression.operators import OPERATORS

Array = npt.NDArray[np.float64]

# --- operators: value, and derivative by the argument given argument and value, from the rows of the table ---------

UNARY = {name: (row.value, row.slope) for name, row in OPERATORS.items() if row.arity == 1}
BINARY = {name: (row.value, row.slope) for name, row in OPERATORS.items() if row.arity == 2}


# --- trees ----------------------------------------------------------------------------------------


@dataclass(eq=False)
class Row:
    """Weights that are tuned together, with what iRprop⁻ remembers of each: step size and last derivative."""

    weights: Array
    tuned: bool = True
    gradient: Array = field(init=False)
    steps: Array = field(init=False)
    slopes: Array = field(init=False)

    def __post_init__(self) -> None:
        self.gradient, self.steps, self.slopes = (np.zeros_like(self.weights) for _ in range(3))


@dataclass(eq=False)
class Node:
    """A node of a gene: what it is, its subtrees, and where it has any, its weights.

    Weights are (value) for a constant, (a, b…) for the LCF a + b·x over `features`, (s, w…) for the product
    leaf s·∏|x|^w over `features`, and (a, b) for a weighted inner node a + b·f(…).
    """

    kind: str
    children: list[Node] = field(default_factory=list)
    row: Row | None = None
    features: list[int] = field(default_factory=list)
    number: int = 0
    """Feature of a variable, exponent of a power, or index of an LCF."""


def read_gene(tokens: Iterable[tuple[Any, ...]], indices: Iterable[int] = ()) -> Node:
    """The tree of a gene from the engine's postfix tokens; `indices` are those of its LCFs, from left to right."""
    stack: list[Node] = []
    left = iter(indices)
    for token in tokens:
        kind = token[0]
        if kind == "x":
            stack.append(Node("x", number=token[1]))
        elif kind == "c":
            stack.append(Node("c", row=Row(np.array([token[1]]), tuned=False)))
        elif kind in ("lcf", "product"):
            features, weights = [j for j, _ in token[2]], [token[1], *(w for _, w in token[2])]
            number = next(left, 0) if kind == "lcf" else 0
            stack.append(Node(kind, row=Row(np.array(weights)), features=features, number=number))
        elif kind == "pow":
            stack.append(Node("pow", [stack.pop()], number=token[1]))
        elif kind == "weights":
            stack[-1].row = Row(np.array([token[1], token[2]]))
        else:
            arity = 2 if kind in BINARY else 1
            children = stack[len(stack) - arity :]
            del stack[len(stack) - arity :]
            stack.append(Node(kind, children))
    return stack[0]


def value(node: Node, X: Array) -> Array:
    """Value of a tree for every row of X."""
    return forward(node, X, {})


def forward(node: Node, X: Array, tape: dict[Node, tuple[Array, Array]]) -> Array:
    """The same, and for the way back every node's value before and after its own weights."""
    arguments = [forward(child, X, tape) for child in node.children]
    w = node.row.weights if node.row is not None else np.empty(0)
    if node.kind == "x":
        plain = X[:, node.number].copy()
    elif node.kind == "c":
        plain = np.full(len(X), w[0])
    elif node.kind == "lcf":
        plain = w[0] + X[:, node.features] @ w[1:]
    elif node.kind == "product":
        plain = w[0] * np.prod(np.abs(X[:, node.features]) ** w[1:], axis=1)
    elif node.kind == "pow":
        plain = arguments[0] ** float(node.number)
    else:
        plain = UNARY[node.kind][0](*arguments) if len(arguments) == 1 else BINARY[node.kind][0](*arguments)
    out = w[0] + w[1] * plain if node.children and node.row is not None else plain
    tape[node] = (plain, out)
    return out


def backward(node: Node, X: Array, tape: dict[Node, tuple[Array, Array]], adjoint: Array) -> None:
    """Backpropagation (section 3.2): add the derivatives of Σ adjoint·value to the gradients of all rows below."""
    plain = tape[node][0]
    arguments = [tape[child][1] for child in node.children]
    if node.children and node.row is not None:
        node.row.gradient += [adjoint.sum(), adjoint @ plain]
        adjoint = adjoint * node.row.weights[1]
    if node.kind == "c" and node.row is not None:
        node.row.gradient += adjoint.sum()
    elif node.kind == "lcf" and node.row is not None:
        node.row.gradient += [adjoint.sum(), *(adjoint @ X[:, node.features])]
    elif node.kind == "product" and node.row is not None:
        logs = np.log(np.abs(X[:, node.features]))
        node.row.gradient += [(adjoint * plain).sum() / node.row.weights[0], *((adjoint * plain) @ logs)]
    elif node.kind == "pow":
        slope = node.number * arguments[0] ** float(node.number - 1)
        backward(node.children[0], X, tape, adjoint * slope)
    elif len(arguments) == 1:
        backward(node.children[0], X, tape, adjoint * UNARY[node.kind][1](arguments[0], plain))
    elif len(arguments) == 2:
        for child, slope in zip(
            node.children, BINARY[node.kind][1](arguments[0], arguments[1], plain), strict=True
        ):
            backward(child, X, tape, adjoint * slope)


# --- outer coefficients ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows:
    """Training rows; weights are scaled to a mean of 1."""

    X: Array
    y: Array
    weights: Array

    @classmethod
    def of(cls, X: Array, y: Array, weights: Array | None = None) -> Rows:
        """Rows with or without weights."""
        w = np.ones(len(y)) if weights is None else weights / weights.mean()
        return cls(X, y, w)

    def centred(self, column: Array) -> tuple[Array, float]:
        """A column less its weighted mean, times the root of the row weights; and that mean."""
        mean = float(np.average(column, weights=self.weights))
        return (column - mean) * np.sqrt(self.weights), mean


@dataclass(frozen=True)
class Fit:
    """y ≈ intercept + Σ coefficient·gene, and what it leaves: 1 − R² and the residual in units of the target's length."""

    intercept: float
    coefficients: Array
    unexplained: float
    residual: Array


def least_squares(genes: Array, rows: Rows, dependent_below: float = 1e-10) -> Fit:
    """Outer coefficients by least squares on centred columns. A gene that depends on those before it gets 0."""
    y, y_mean = rows.centred(rows.y)
    scale = float(np.linalg.norm(y))
    columns, means = zip(*(rows.centred(gene) for gene in genes.T), strict=True)
    kept: list[int] = []
    for i, column in enumerate(columns):
        length = float(np.linalg.norm(column))
        if length > 4.0 * np.finfo(float).eps * abs(means[i]) * np.sqrt(len(column)):
            unit = column / length
            earlier = np.array([columns[j] / np.linalg.norm(columns[j]) for j in kept]).T.reshape(
                len(unit), -1
            )
            rest = unit - earlier @ np.linalg.lstsq(earlier, unit, rcond=None)[0]
            if np.linalg.norm(rest) > dependent_below:
                kept.append(i)
    lengths = np.array([np.linalg.norm(columns[j]) for j in kept])
    matrix = np.array([columns[j] for j in kept]).T.reshape(len(y), -1) / lengths
    coefficients = np.zeros(genes.shape[1])
    coefficients[kept] = np.linalg.lstsq(matrix, y, rcond=None)[0] / lengths
    residual = (y - np.array(columns).T @ coefficients) / scale
    intercept = y_mean - float(coefficients @ np.array(means))
    return Fit(intercept, coefficients, float(residual @ residual), residual)


# --- a model and its tuning -----------------------------------------------------------------------


class Model:
    """Genes over rows of weights, fitted to training rows."""

    def __init__(self, genes: Sequence[Node], rows: Rows) -> None:
        self.genes, self.rows = list(genes), rows
        self.fit = self.evaluate()

    @classmethod
    def read(cls, individual: Individual, rows: Rows, shared: dict[int, Row] | None = None) -> Model:
        """The twin of a model of the engine. With `shared`, LCFs of the same index use the same row of it: one dict
        per individual is the synchronised mode, one for all individuals the globally synchronised mode.
        """
        genes = []
        for g, text in enumerate(individual.genes):
            indices = [int(index) for index in re.findall(r"\[(\d+):", text)]
            genes.append(read_gene(individual.tokens(g), indices))
        if shared is not None:
            for node in _nodes(genes):
                if node.kind == "lcf" and node.row is not None:
                    node.row = shared.setdefault(node.number, node.row)
        return cls(genes, rows)

    def evaluate(self) -> Fit | None:
        """Fit the outer coefficients; None when a gene has no finite value somewhere: such a model is unfit."""
        with np.errstate(all="ignore"):
            values = np.array([value(gene, self.rows.X) for gene in self.genes]).T
            self.fit = least_squares(values, self.rows) if np.isfinite(values).all() else None
        return self.fit

    def weight_rows(self) -> list[Row]:
        """Every row of weights once, in the order of the genes' nodes."""
        return list(dict.fromkeys(node.row for node in _nodes(self.genes) if node.row is not None))

    def add_gradient(self) -> None:
        """Add the derivatives of half the squared error to the rows' gradients, outer coefficients held fixed.

        They are at their optimum, where the error does not change with them; so this is the derivative of
        the projected error. The error is in units of the target's length, as the residual is.
        """
        if self.fit is None:
            return
        y, _ = self.rows.centred(self.rows.y)
        seed = -self.fit.residual * np.sqrt(self.rows.weights) / np.linalg.norm(y)
        with np.errstate(all="ignore"):
            for gene, coefficient in zip(self.genes, self.fit.coefficients, strict=True):
                if coefficient != 0.0:
                    tape: dict[Node, tuple[Array, Array]] = {}
                    forward(gene, self.rows.X, tape)
                    backward(gene, self.rows.X, tape, coefficient * seed)

    def n_nodes(self) -> int:
        """Nodes of all genes."""
        return len(_nodes(self.genes))


def _nodes(genes: Iterable[Node]) -> list[Node]:
    """All nodes, children before parents, from left to right: the order of the engine's tokens."""
    return [node for gene in genes for node in (*_nodes(gene.children), gene)]


def step(rows: Sequence[Row], rule: Callable[[Row], None] | None = None) -> bool:
    """One step of all rows; False if no weight moved. Derivatives that are zero up to rounding (1e-13 of the largest) are taken
    as zero."""
    slopes = np.abs(np.concatenate([row.gradient for row in rows]))
    least = 1e-13 * slopes[np.isfinite(slopes)].max(initial=0.0)
    before = [row.weights.copy() for row in rows]
    for row in rows:
        row.gradient[np.abs(row.gradient) <= least] = 0.0
        (rule or irprop_minus)(row)
    return any((old != row.weights).any() for old, row in zip(before, rows, strict=True))


def irprop_minus(row: Row, *, first: float = 0.1, least: float = 1e-6, most: float = 50.0) -> None:
    """One step of iRprop⁻ (Igel and Hüsken): η⁺ = 1.2, η⁻ = 0.5; the gradient is used up.

    A derivative that keeps its sign lets the step grow, one that changes it lets the step shrink, leaves
    the weight where it is and is forgotten. A derivative that is 0 or not finite moves nothing.
    """
    for k, slope in enumerate(row.gradient):
        if slope == 0.0 or not np.isfinite(slope):
            continue
        step = row.steps[k] or first
        agreement = slope * row.slopes[k]
        if agreement < 0.0:
            row.steps[k], row.slopes[k] = max(step * 0.5, least), 0.0
            continue
        row.steps[k] = min(step * 1.2, most) if agreement > 0.0 else step
        row.slopes[k] = slope
        row.weights[k] -= np.sign(slope) * row.steps[k]
    row.gradient[:] = 0.0


def rprop(row: Row, *, first: float = 0.1, least: float = 1e-6, most: float = 50.0) -> None:
    """One step of the authors' program: as iRprop⁻, but where the sign changed the shrunk step is taken, and the derivative is
    always remembered."""
    for k, slope in enumerate(row.gradient):
        if slope == 0.0 or not np.isfinite(slope):
            continue
        factor = {1.0: 1.2, -1.0: 0.5}.get(float(np.sign(slope) * np.sign(row.slopes[k])), 1.0)
        row.steps[k] = min(max((row.steps[k] or first) * factor, least), most)
        row.slopes[k] = slope
        row.weights[k] -= np.sign(slope) * row.steps[k]
    row.gradient[:] = 0.0


def tune(
    model: Model,
    steps: int = 25,
    least: int = 2,
    tolerance: float = 1e-10,
    rule: Callable[[Row], None] | None = None,
) -> Model:
    """Modes U and S: max(steps − nodes, least) steps without roll-back; returns the best iterate.

    It ends early when R² hardly changes though weights moved. The model itself goes on from the last iterate, better or worse.
    """
    best = deepcopy(model)
    rows = [row for row in model.weight_rows() if row.tuned]
    for _ in range(max(steps - model.n_nodes(), least) if rows else 0):
        if model.fit is None:
            break
        before = model.fit.unexplained
        model.add_gradient()
        if not step(rows, rule):  # every sign changed: the steps shrink, and tuning goes on
            continue
        after = model.evaluate()
        if after is not None and best.fit is not None and after.unexplained < best.fit.unexplained:
            best = deepcopy(model)
        if after is None or abs(after.unexplained - before) <= tolerance:
            break
    return best


def resolve(model: Model, rivals: dict[int, Array]) -> str:
    """Mode S after breeding: indices in conflict have a second set of weights. First, second and mean are
    tried, for all these indices at once, and the best is kept; says which."""
    rows = {
        node.number: node.row for node in _nodes(model.genes) if node.kind == "lcf" and node.row is not None
    }
    first = {index: rows[index].weights.copy() for index in rivals}
    sets = {
        "first": first,
        "second": rivals,
        "mean": {index: (first[index] + rivals[index]) / 2.0 for index in rivals},
    }
    errors: dict[str, float] = {}
    for name, chosen in sets.items():
        for index in rivals:
            rows[index].weights = chosen[index].copy()
        fit = model.evaluate()
        errors[name] = np.inf if fit is None else fit.unexplained
    kept = min(errors, key=lambda name: errors[name])
    for index in rivals:
        rows[index].weights = sets[kept][index].copy()
    model.evaluate()
    return kept


def tune_shared(models: Sequence[Model]) -> None:
    """Mode G: one step of the rows that all individuals share, by the sum of their derivatives (section 3.3.3)."""
    rows = list(dict.fromkeys(row for model in models for row in model.weight_rows() if row.tuned))
    total = {row: np.zeros_like(row.weights) for row in rows}
    for model in models:
        model.add_gradient()
        if all(
            np.isfinite(row.gradient).all() for row in rows
        ):  # an individual without a derivative says nothing
            for row in rows:
                total[row] += row.gradient
        for row in rows:
            row.gradient[:] = 0.0
    for row in rows:
        row.gradient[:] = total[row]
    step(rows)
    for model in models:
        model.evaluate()

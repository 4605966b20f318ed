"""Random formulas over all operators, awkward column names, and what it means to equal the reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multigene.expression.tree import (
    OPERATORS,
    Array,
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    evaluate,
    fold,
)

AWKWARD = [
    "temp (°C)",
    'say "hi"',
    "it's",
    "a[0]",
    "α",
    "select",
    "sin",
    "2nd value",
    "end\n*/ //",
    "back\\slash `tick`",
    "a-b",
    "a_b",
    "class",
    "{x} %s $mg$",
    "mg1",
    "v",
]


def random_expression(
    rng: np.random.Generator, columns: int, depth: int = 4, root: str | None = None
) -> Expression:
    """A tree of at most this depth; `root` asks for an operator at its root."""
    if root is None and (depth <= 1 or rng.random() < 0.15):
        return _leaf(rng, columns)
    name = root or str(rng.choice([*OPERATORS, "power"]))
    if name == "power":
        exponent = int(
            rng.choice([2, 3, 4, 5, 6, -1, -2, -3, 8, -32, 32], p=[0.2, 0.2] + [0.06] * 8 + [0.12])
        )
        return Power(random_expression(rng, columns, depth - 1), exponent)
    count = OPERATORS[name].arity + (int(rng.integers(0, 3)) if OPERATORS[name].many else 0)
    return Operation(name, tuple(random_expression(rng, columns, depth - 1) for _ in range(count)))


def _leaf(rng: np.random.Generator, columns: int) -> Expression:
    kind = rng.random()
    x = Variable(int(rng.integers(columns)))
    if kind < 0.4:
        return x
    if kind < 0.55:
        return Number(_constant(rng))
    if kind < 0.7:
        factors = [
            Power(Operation("abs", (Variable(int(rng.integers(columns))),)), float(rng.normal()))
            for _ in "ab"
        ]
        return Operation("mul", (Number(_constant(rng)), *factors))
    terms = [
        Operation("mul", (Number(_constant(rng)), Variable(int(rng.integers(columns)))))
        for _ in range(rng.integers(1, 4))
    ]
    return Operation("add", (Number(_constant(rng)), *terms))


def _constant(rng: np.random.Generator) -> float:
    kind = rng.random()
    if kind < 0.2:
        return float(rng.integers(-4, 5))
    if kind < 0.25:
        return float(rng.choice([1e-300, 1e300, -1e-7, 1e22, 123456789.0]))
    return float(rng.normal(scale=2.0))


def random_models(count: int, columns: int, seed: int = 0) -> list[Expression]:
    """Models as the search makes them, `c0 + c1*gene1 + …`; together they hold every operator many times."""
    rng = np.random.default_rng(seed)
    names = [*OPERATORS, "power"]
    models: list[Expression] = []
    for number in range(count):
        genes = [random_expression(rng, columns, int(rng.integers(2, 5)), names[number % len(names)])]
        genes += [random_expression(rng, columns, int(rng.integers(1, 5))) for _ in range(rng.integers(0, 3))]
        terms = [Operation("mul", (Number(float(rng.normal())), gene)) for gene in genes]
        models.append(Operation("add", (Number(float(rng.normal())), *terms)))
    # Special cases: formulas without a column, without an operator, and nested deeply.
    deep: Expression = Variable(0)
    for level in range(60):
        name = ("bent", "sin", "softplus", "atan", "sinc", "tanh")[level % 6]
        deep = Operation(name, (Operation("add", (deep, Variable(level % columns))),))
    models[-3:] = [Number(-2.5), Variable(columns - 1), deep]
    return models


def random_rows(count: int, columns: int, seed: int = 1) -> Array:
    """Ordinary rows, some with zeros and some far out."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(scale=1.5, size=(count, columns))
    rows[: count // 10] *= 30.0
    rows[count // 10 : count // 5] = np.where(
        rng.random((count // 5 - count // 10, columns)) < 0.3, 0.0, rows[count // 10 : count // 5]
    )
    return rows


@dataclass
class Reference:
    """The value on each row, how far rounding may carry it, and where every step was an ordinary number."""

    value: Array
    spread: Array
    tame: np.ndarray

    def disagreement(self, actual: Array, forgiving: bool = False) -> np.ndarray:
        """The rows on which `actual` is not the reference.

        A forgiving comparison allows NaN on rows that are not tame, for systems without infinities.
        """
        actual = np.asarray(actual, dtype=float)
        with np.errstate(all="ignore"):
            near = np.abs(actual - self.value) <= 1e-9 * np.abs(self.value) + 1e3 * self.spread + 1e-290
            same = near | (actual == self.value) | (np.isnan(actual) & np.isnan(self.value))
        # Where rounding decides the leading digits, or between a number and none, anything goes.
        same |= ~(self.spread <= 1e-4 * np.abs(self.value)) & (self.spread != 0)
        if forgiving:
            same |= np.isnan(actual) & ~self.tame
            same |= ~np.isfinite(self.value)
        return np.flatnonzero(~same)

    @property
    def sharp(self) -> np.ndarray:
        """Rows on which the comparison really is to 1e-9 relative."""
        with np.errstate(all="ignore"):
            return np.isfinite(self.value) & (1e3 * self.spread <= 1e-9 * np.abs(self.value))


def reference(expression: Expression, X: Array) -> Reference:
    """Evaluate, and evaluate again with the last digits of every step disturbed."""
    value = evaluate(expression, X)
    rng = np.random.default_rng(0)
    tame, blurred = np.ones(len(X), dtype=bool), np.zeros(len(X), dtype=bool)

    def disturbed(node: Expression, parts: tuple[Array, ...]) -> Array:
        stand_in = (
            Operation(node.name, tuple(map(Variable, range(len(parts)))))
            if isinstance(node, Operation)
            else node
        )
        if isinstance(node, Power):
            stand_in = Power(Variable(0), node.exponent)
        result = evaluate(stand_in, np.column_stack(parts) if parts else X)
        size = np.abs(result)
        if isinstance(node, Operation) and node.name in ("sin", "cos", "tan"):
            # Rounding decides how far an angle of this many turns is in its last one; three trials may agree by chance.
            blurred[np.abs(parts[0]) > 1e9] = True
        tame[~((size > 1e-100) & (size < 1e100) | (size == 0) & (not parts or _may_be_zero(node)))] = False
        # By more than half a unit in the last place, or some results would stay as they are by chance.
        with np.errstate(all="ignore"):
            return result * (1.0 + rng.choice([-1.0, 1.0], len(X)) * rng.uniform(2.3e-16, 4e-16, len(X)))

    with np.errstate(all="ignore"):
        others = [fold(expression, disturbed) for _ in range(3)]
        spread = np.max([np.abs(other - value) for other in others], axis=0)
        agree = np.all([(other == value) | (np.isnan(other) & np.isnan(value)) for other in others], axis=0)
    return Reference(value, np.where(blurred, np.inf, np.where(agree, 0.0, spread)), tame)


def _may_be_zero(node: Expression) -> bool:
    return isinstance(node, Operation) and node.name in (
        "add",
        "sub",
        "neg",
        "sign",
        "sin",
        "min",
        "max",
        "abs",
    )

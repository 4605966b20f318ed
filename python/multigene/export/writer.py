"""The shared infix writer: one walk over the tree, one table of templates per target.

A target subclasses `Writer` and fills in `templates`: operator name → text with the arguments as `{0}`,
`{1}`. Written `{0}`, an argument stands as it is (inside a call's brackets); written `{0:product}`, it is put
into brackets when it binds less tightly than that level. So each target states its own grammar once, next to
its function names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from multigene.expression.numbers import recognised
from multigene.expression.tree import (
    OPERATORS,
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    fold,
    postorder,
)

# How tightly a text binds, loosest first. NEGATIVE is a text with a leading minus: fine at the start of a
# sum, in brackets anywhere else, since languages disagree on what a minus after an operator or before a power
# means.
SUM, NEGATIVE, PRODUCT, FACTOR, ATOM = range(1, 6)
#: Whole numbers from here on are read more easily with an exponent.
MANY_DIGITS = 1e7
LEVELS = {"sum": SUM, "product": PRODUCT, "factor": FACTOR, "atom": ATOM}


@dataclass(frozen=True, slots=True)
class Piece:
    """Written text with its binding level; `opposite` is the text of minus this, where that is shorter."""

    text: str
    level: int
    opposite: Piece | None = None
    brackets: tuple[str, str] = ("(", ")")

    def __format__(self, specification: str) -> str:
        if not specification or self.level >= LEVELS[specification]:
            return self.text
        return self.brackets[0] + self.text + self.brackets[1]


@dataclass(frozen=True, slots=True)
class Template:
    """How an operator is written and how tightly the result binds."""

    text: str
    level: int = ATOM


class Writer:
    """Writes an expression as infix text; subclasses give the templates of their language."""

    templates: ClassVar[Mapping[str, Template]] = {}
    times: ClassVar[str] = "*"
    over: ClassVar[str] = "/"
    plus: ClassVar[str] = " + "
    minus: ClassVar[str] = " - "
    sign: ClassVar[str] = "-"
    brackets: ClassVar[tuple[str, str]] = ("(", ")")
    integer_power: ClassVar[Template] = Template("{0:atom}**{1}", FACTOR)
    real_power: ClassVar[Template | None] = None
    """How `base ** exponent` is written where an exponent that is not whole needs another form."""

    named: ClassVar[tuple[str, str, str] | None] = None
    """π, the sign before it and a fraction, for targets that write numbers such as 2π/3 by name."""

    deepest: ClassVar[int | None] = None
    """Brackets within brackets before a part becomes a step of its own; parsers have their limits."""

    def __init__(self, variables: Sequence[str]) -> None:
        """`variables` are the texts that stand for the columns."""
        self.variables = variables
        self.steps: list[str] = []

    def write(self, expression: Expression) -> str:
        """The text of the expression."""
        return fold(expression, self._shallow).text

    @classmethod
    def covers(cls, name: str) -> bool:
        """Whether the target can write this operator."""
        return name in cls.templates or name in ("add", "sub", "mul", "div", "neg")

    # What a target may change beyond its table.

    def number(self, value: float) -> str:
        """A constant that is not negative."""
        return repr(value)

    def constant(self, value: float) -> Piece:
        """A constant that is not negative, as it stands in a formula; 2π/3 by name where `named` says how."""
        parts = None if self.named is None else recognised(value)
        if parts is None or self.named is None:
            return self.atom(self.number(value))
        numerator, denominator, angle = parts
        pi, times, fraction = self.named
        above = self.number(float(numerator)) + (times + pi if angle else "")
        above = pi if angle and numerator == 1 else above
        if denominator == 1:
            return self._piece_of(above, ATOM if above == pi else PRODUCT)
        return self._piece_of(fraction.format(above, self.number(float(denominator))), PRODUCT)

    def exponent(self, value: float) -> str:
        """The exponent of a power."""
        text = str(int(abs(value))) if value.is_integer() else self.number(abs(value))
        return f"({self.sign}{text})" if value < 0 else text

    def variable(self, index: int) -> Piece:
        """The text of a column."""
        return self.atom(self.variables[index])

    def power(self, base: Piece, exponent: float) -> Piece:
        """A power; `integer_power` and `real_power` say how."""
        template = self.integer_power if exponent.is_integer() or self.real_power is None else self.real_power
        return self._piece_of(template.text.format(base, self.exponent(exponent)), template.level)

    def step(self, piece: Piece) -> Piece:
        """Compute this part beforehand and refer to it by name; `steps` holds what to compute, in order."""
        self.steps.append(piece.text)
        return self.atom(self.step_name(len(self.steps)))

    def step_name(self, number: int) -> str:
        """The local variable of a step, counted from 1."""
        return f"mg_s{number}"

    # The walk.

    def atom(self, text: str) -> Piece:
        """A text that never needs brackets."""
        return self._piece_of(text, ATOM)

    def _piece_of(self, text: str, level: int, opposite: Piece | None = None) -> Piece:
        return Piece(text, level, opposite, self.brackets)

    def _shallow(self, node: Expression, parts: tuple[Piece, ...]) -> Piece:
        piece = self._piece(node, parts)
        too_deep = self.deepest is not None and _nesting(piece.text) > self.deepest
        return self.step(piece) if too_deep else piece

    def _piece(self, node: Expression, parts: tuple[Piece, ...]) -> Piece:
        if isinstance(node, Number):
            written = self.constant(abs(node.value))
            return self._negative(written) if node.value < 0 else written
        if isinstance(node, Variable):
            return self.variable(node.index)
        if isinstance(node, Power):
            return self.power(parts[0], node.exponent)
        assert isinstance(node, Operation)
        if node.name in self.templates:
            template = self.templates[node.name]
            if node.name == "div" and parts[0].opposite is not None:
                positive = template.text.format(parts[0].opposite, parts[1])
                return self._negative(self._piece_of(positive, template.level))
            text = template.text.format(parts[0], *parts[1:])
            for part in parts[2:]:
                text = template.text.format(self._piece_of(text, template.level), part)
            return self._piece_of(text, template.level)
        if node.name == "neg":
            return parts[0].opposite or self._negative(parts[0])
        if node.name in ("add", "sub"):
            return self._sum(parts, subtract=node.name == "sub")
        return self._product(parts, self.times if node.name == "mul" else self.over)

    def _negative(self, piece: Piece) -> Piece:
        return self._piece_of(f"{self.sign}{piece:product}", NEGATIVE, piece)

    def _sum(self, parts: tuple[Piece, ...], subtract: bool) -> Piece:
        text = f"{parts[0]:sum}"
        for part in parts[1:]:
            shown, negative = (part.opposite, True) if part.opposite is not None else (part, False)
            text += (self.minus if negative != subtract else self.plus) + f"{shown:product}"
        return self._piece_of(text, SUM)

    def _product(self, parts: tuple[Piece, ...], operator: str) -> Piece:
        tail = operator.join(["", *(f"{part:factor}" for part in parts[1:])])
        first = parts[0]
        if first.opposite is not None and first.opposite.level >= PRODUCT:
            positive = self._piece_of(f"{first.opposite:product}{tail}", PRODUCT)
            return self._piece_of(f"{self.sign}{positive.text}", NEGATIVE, positive)
        return self._piece_of(f"{first:product}{tail}", PRODUCT)


def calls(**names: str) -> dict[str, Template]:
    """Templates of plain function calls: `calls(sin="Math.sin")` writes `Math.sin(x)`."""
    templates = {}
    for operator, name in names.items():
        arguments = ", ".join(f"{{{i}}}" for i in range(OPERATORS[operator].arity))
        templates[operator] = Template(f"{name}({arguments})")
    return templates


def operators_used(expression: Expression) -> set[str]:
    """The operators of an expression; "integer power" and "real power" for its powers."""
    used = set()
    for node in postorder(expression):
        if isinstance(node, Operation):
            used.add(node.name)
        elif isinstance(node, Power):
            used.add("integer power" if node.is_integer else "real power")
    return used


def _nesting(text: str) -> int:
    deepest = depth = 0
    for character in text:
        if character == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif character == ")":
            depth -= 1
    return deepest


def plain_number(value: float) -> str:
    """The shortest text that reads back as the same number, whole numbers without a fraction."""
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def readable_number(value: float) -> str:
    """As `plain_number`, with the exponent as people write it: 1.5e14 instead of fifteen digits."""
    text = plain_number(value)
    if abs(value) >= MANY_DIGITS and text.isdigit() and text.endswith("00"):
        digits = text.rstrip("0")
        text = f"{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{len(text) - 1}"
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa

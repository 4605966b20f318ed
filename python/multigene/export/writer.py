"""The shared infix writer: one walk over the tree, the spellings of `expression/operators.py`, a class per target.

A target subclasses `Writer` and says what its language is like: how functions are called, signs, numbers, powers. How an
operator is written there stands in the operator's row; where the row has no spelling for the language, its definition is
written instead, in terms of operators that have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from multigene.expression.constants import SHORT_FORMULA
from multigene.expression.definitions import DEFINITIONS, REPEATED
from multigene.expression.directions import is_direction
from multigene.expression.notation import ATOM, FACTOR, NEGATIVE, PRODUCT, SUM, Helper, Spelling, Template
from multigene.expression.numbers import recognised
from multigene.expression.operators import OPERATORS
from multigene.expression.readable import raised, size
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, fold, postorder

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


class Writer:
    """Writes an expression as infix text; subclasses describe their language."""

    languages: ClassVar[tuple[str, ...]] = ()
    """Names under which rows of the table have this language's spellings, the first known one taken."""
    prefix: ClassVar[str] = ""
    """What stands before the name of a function that is called by the operator's own name."""
    times: ClassVar[str] = "*"
    over: ClassVar[str] = "/"
    plus: ClassVar[str] = " + "
    minus: ClassVar[str] = " - "
    sign: ClassVar[str] = "-"
    brackets: ClassVar[tuple[str, str]] = ("(", ")")
    integer_power: ClassVar[Template] = Template("{0:atom}**{1}", FACTOR)
    real_power: ClassVar[Template | None] = None
    """How `base ** exponent` is written where an exponent that is not whole needs another form."""

    raised: ClassVar[str | None] = None
    """Where `exp(z*log(a))` is written `a**z`, for people: the level below which the exponent needs brackets, or none."""

    named: ClassVar[tuple[str, str, str] | None] = None
    """π, the sign before it and a fraction, for targets that write numbers such as 2π/3 by name."""

    deepest: ClassVar[int | None] = None
    """Brackets within brackets before a part becomes a step of its own; parsers have their limits. None: there are no steps."""

    def __init__(self, variables: Sequence[str]) -> None:
        """`variables` are the texts that stand for the columns."""
        self.variables = variables
        self.steps: list[str] = []
        self.short = set(variables)
        """Texts that may as well be repeated: columns, and the names of steps."""
        self.names_directions = False
        self.whole: Expression | None = None
        self.used: set[str] = set()
        """Operators that were written; "integer power" and "real power" for powers."""

    def write(self, expression: Expression) -> str:
        """The text of the expression; linear combinations of a long one are steps of their own."""
        self.whole = expression
        self.names_directions = self.deepest is not None and size(expression) > SHORT_FORMULA
        return fold(expression, self._shallow).text

    # How the language writes an operator.

    @classmethod
    def spelling(cls, name: str) -> Spelling | None:
        """What the operator's row says about this language; None where it has a sign or only its definition."""
        row = OPERATORS[name]
        for language in cls.languages:
            if language in row.written:
                return row.written[language]
            if language in row.by_name:
                return cls.own_name(name)
        return None

    @classmethod
    @cache
    def template(cls, name: str) -> Template | None:
        """The spelling as a template."""
        spelling = cls.spelling(name)
        if isinstance(spelling, Helper):
            return cls.call(f"mg_{name}", OPERATORS[name].arity)
        if isinstance(spelling, str):
            return cls.call(spelling, OPERATORS[name].arity)
        return spelling if isinstance(spelling, Template) else None

    @classmethod
    def covers(cls, name: str) -> bool:
        """Whether the target can write this operator: by a spelling, a sign, or what it is defined by."""
        if cls.spelling(name) is not None or OPERATORS[name].sign:
            return True
        return name in DEFINITIONS and all(
            cls.covers(node.name) for node in postorder(DEFINITIONS[name]) if isinstance(node, Operation)
        )

    @classmethod
    def own_name(cls, name: str) -> str:
        """The function that has the operator's own name in this language."""
        return cls.prefix + name

    @classmethod
    def call(cls, function: str, count: int) -> Template:
        """A function called with `count` arguments."""
        return Template(f"{function}({', '.join(f'{{{i}}}' for i in range(count))})")

    # What a target may change beyond that.

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
        """The exponent of a power; 4/3 by name where `named` says how."""
        if self.named is not None and recognised(abs(value)) is not None:
            return f"({self.sign if value < 0 else ''}{self.constant(abs(value)).text})"
        text = str(int(abs(value))) if value.is_integer() else self.number(abs(value))
        return f"({self.sign}{text})" if value < 0 else text

    def variable(self, index: int) -> Piece:
        """The text of a column."""
        return self.atom(self.variables[index])

    def power(self, base: Piece, exponent: float) -> Piece:
        """A power; `integer_power` and `real_power` say how."""
        self.used.add("integer power" if exponent.is_integer() else "real power")
        template = self.integer_power if exponent.is_integer() or self.real_power is None else self.real_power
        return self._piece_of(template.text.format(base, self.exponent(exponent)), template.level)

    def step(self, piece: Piece) -> Piece:
        """Compute this part beforehand and refer to it by name; `steps` holds what to compute, in order, each once."""
        if piece.text not in self.steps:
            self.steps.append(piece.text)
        name = self.step_name(1 + self.steps.index(piece.text))
        self.short.add(name)
        return self.atom(name)

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
        if self.names_directions and is_direction(node) and node is not self.whole:
            return self.step(piece)
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
        power = None if self.raised is None else raised(node)
        if power is not None:
            base, exponent = (fold(part, self._piece) for part in power)
            text = self.integer_power.text.format(base, format(exponent, self.raised or ""))
            return self._piece_of(text, self.integer_power.level)
        self.used.add(node.name)
        template = self.template(node.name)
        if template is not None:
            return self._templated(node.name, template, parts)
        if node.name == "neg":
            return parts[0].opposite or self._negative(parts[0])
        if node.name in ("add", "sub"):
            return self._sum(parts, subtract=node.name == "sub")
        if node.name in ("mul", "div"):
            return self._product(parts, self.times if node.name == "mul" else self.over)
        return self._defined(node.name, parts)

    def _templated(self, name: str, template: Template, parts: tuple[Piece, ...]) -> Piece:
        if name == "div" and parts[0].opposite is not None:
            positive = template.text.format(parts[0].opposite, parts[1])
            return self._negative(self._piece_of(positive, template.level))
        again = [template.text.count(f"{{{argument}") > 1 for argument in range(len(parts))]
        text = template.text.format(*self._once(parts, again))
        for part in parts[2:]:
            text = template.text.format(self._piece_of(text, template.level), part)
        return self._piece_of(text, template.level)

    def _defined(self, name: str, parts: tuple[Piece, ...]) -> Piece:
        """What the operator is defined by, since the language has no spelling for it."""
        assert name in DEFINITIONS, f"{name} has neither a spelling for {self.languages} nor a definition"
        arguments = self._once(parts, REPEATED[name])

        def piece(node: Expression, below: tuple[Piece, ...]) -> Piece:
            if isinstance(node, Variable):
                return arguments[node.index]
            if isinstance(node, Number):
                return self.constant(
                    node.value
                )  # not one of the formula's own, which PyTorch makes parameters of
            return self._shallow(node, below)

        return fold(DEFINITIONS[name], piece)

    def _once(self, parts: Sequence[Piece], again: Sequence[bool]) -> list[Piece]:
        """The arguments; those that are written more than once as steps, where the language has any."""
        return [
            self.step(part) if twice and self.deepest is not None and part.text not in self.short else part
            for part, twice in zip(parts, again, strict=True)
        ]

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

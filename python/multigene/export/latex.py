"""LaTeX for papers: `\\frac{0.5 x_{1}}{\\sqrt{x_{2}}}`, to be set in math mode."""

from __future__ import annotations

import re
from collections.abc import Sequence

from multigene.data.encoding.columns import ColumnName
from multigene.export.names import distinct, identifier, visible
from multigene.export.writer import Piece, Writer, readable_number
from multigene.expression.notation import ATOM, FACTOR, PRODUCT, Template
from multigene.expression.readable import raised, readable
from multigene.expression.tree import Expression, Operation

GREEK = {letter: identifier(letter, letter) for letter in "αβγδεζηθικλμµνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"}
ESCAPES = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    **{character: f"\\{character}" for character in "{}$&#%_"},
}
#: Functions for which LaTeX has a command.
COMMANDS = ("sin", "cos", "tan", "log", "sinh", "cosh", "tanh", "min", "max")
#: Letters that stand for numbers here: a column of that name is set upright.
NUMBERS = ("e", "pi")
#: Characters of an exponent that can be read when they are set small; longer ones are written as exp(…).
LONG_EXPONENT = 24
SYMBOL = re.compile(r"([A-Za-z]|" + "|".join(sorted(set(GREEK.values()))) + r")(?:_?(\d+))?")


class LatexWriter(Writer):
    """Fractions, roots and the standard function names."""

    languages = ("latex",)
    times = r" \cdot "
    named = (r"\pi", " ", r"\frac{{{0}}}{{{1}}}")
    brackets = (r"\left(", r"\right)")
    integer_power = Template("{0:atom}^{{{1}}}", FACTOR)
    raised = ""

    @classmethod
    def own_name(cls, name: str) -> str:
        return f"\\{name}" if name in COMMANDS else rf"\operatorname{{{name}}}"

    @classmethod
    def call(cls, function: str, count: int) -> Template:
        arguments = ", ".join(f"{{{i}}}" for i in range(count))
        return Template(function.replace("{", "{{").replace("}", "}}") + rf"\left({arguments}\right)")

    def number(self, value: float) -> str:
        mantissa, _, exponent = readable_number(value).partition("e")
        if not exponent:
            return mantissa
        return (rf"{mantissa} \cdot " if mantissa != "1" else "") + f"10^{{{exponent}}}"

    def exponent(self, value: float) -> str:
        return super().exponent(value).strip("()")

    def _piece(self, node: Expression, parts: tuple[Piece, ...]) -> Piece:
        exponential = isinstance(node, Operation) and node.name == "exp" and raised(node) is None
        if exponential and len(parts[0].text) > LONG_EXPONENT:
            return self._piece_of(self.call(r"\exp", 1).text.format(parts[0]), ATOM)
        piece = super()._piece(node, parts)
        # 2·10^3 is a product where it meets a power.
        if piece.level == ATOM and not parts and "10^" in piece.text:
            return self._piece_of(piece.text, PRODUCT)
        return piece


def symbol(name: str) -> str:
    """A column's name in math mode: a letter with its index, Greek by command, words upright."""
    if isinstance(name, ColumnName) and name.column.condition:
        return rf"\left[{upright(name)}\right]"  # 1 where it holds, else 0
    spelt = GREEK.get(name[:1], name[:1]) + name[1:]
    match = SYMBOL.fullmatch(spelt)
    if match is None or spelt in NUMBERS:
        return upright(name)
    letter = match[1] if len(match[1]) == 1 else f"\\{match[1]}"
    return f"{letter}_{{{match[2]}}}" if match[2] else letter


def upright(name: str) -> str:
    """A column's name in full, as text within math mode."""
    escaped = "".join(ESCAPES.get(c, f"$\\{GREEK[c]}$" if c in GREEK else c) for c in visible(name))
    return rf"\text{{{escaped}}}"


def write(expression: Expression, names: Sequence[str], target: str = "y") -> str:
    """The right-hand side of the formula for LaTeX's math mode (`\\text` needs amsmath)."""
    return LatexWriter(distinct(names, symbol, upright)).write(readable(expression))

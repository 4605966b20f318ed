"""Presentation MathML for web pages: the `<math>` element of `y = …`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from multigene.data.encoding.columns import ColumnName
from multigene.export.names import distinct, visible
from multigene.export.writer import Piece, Writer, readable_number
from multigene.expression.notation import ATOM, FACTOR, PRODUCT, Template
from multigene.expression.readable import raised, readable
from multigene.expression.tree import Expression, Operation

APPLY = "<mo>&#x2061;</mo>"  # function application, invisible
#: Characters of an exponent that can be read when they are set small; longer ones are written exp(…).
LONG_EXPONENT = 16
#: Letters that stand for numbers here: a column of that name is set upright.
NUMBERS = ("e", "π")
INDEXED = re.compile(r"([^\W\d_])_?(\d+)")


class MathmlWriter(Writer):
    """Fractions, roots and powers as elements."""

    languages = ("mathml",)
    times = "<mo>&#x22C5;</mo>"
    plus = "<mo>+</mo>"
    minus = "<mo>&#x2212;</mo>"
    sign = "<mo>&#x2212;</mo>"
    named = ("<mi>&#x3C0;</mi>", "", "<mfrac><mrow>{0}</mrow><mrow>{1}</mrow></mfrac>")
    brackets = ("<mrow><mo>(</mo>", "<mo>)</mo></mrow>")
    integer_power = Template("<msup><mrow>{0:atom}</mrow><mrow>{1}</mrow></msup>", FACTOR)
    raised = ""

    @classmethod
    def call(cls, function: str, count: int) -> Template:
        arguments = "<mo>,</mo>".join(f"{{{i}}}" for i in range(count))
        return Template(f"<mi>{function}</mi>{APPLY}<mrow><mo>(</mo>{arguments}<mo>)</mo></mrow>")

    def number(self, value: float) -> str:
        mantissa, _, exponent = readable_number(value).partition("e")
        if not exponent:
            return f"<mn>{mantissa}</mn>"
        shown = f"<mo>&#x2212;</mo><mn>{exponent[1:]}</mn>" if exponent[0] == "-" else f"<mn>{exponent}</mn>"
        power = f"<msup><mn>10</mn><mrow>{shown}</mrow></msup>"
        return power if mantissa == "1" else f"<mn>{mantissa}</mn>{self.times}{power}"

    def exponent(self, value: float) -> str:
        text = self.constant(abs(value)).text
        return f"{self.sign}{text}" if value < 0 else text

    def _piece(self, node: Expression, parts: tuple[Piece, ...]) -> Piece:
        if isinstance(node, Operation) and node.name == "exp" and raised(node) is None:
            shown = re.sub(r"<[^>]*>|&#?\w+;", "", parts[0].text)
            if len(shown) > LONG_EXPONENT:
                return self._piece_of(self.call("exp", 1).text.format(parts[0]), ATOM)
        piece = super()._piece(node, parts)
        if parts or "<msup><mn>10" not in piece.text:
            return piece
        # 2·10^3 is a product where it meets a power.
        if piece.opposite is not None:
            return self._piece_of(piece.text, piece.level, self._piece_of(piece.opposite.text, PRODUCT))
        return self._piece_of(piece.text, PRODUCT)


def symbol(name: str) -> str:
    """A column's name: a single letter is set in italics by the browser, its number as an index; words upright."""
    if isinstance(name, ColumnName) and name.column.condition:
        return f'<mrow><mo stretchy="false">[</mo>{upright(name)}<mo stretchy="false">]</mo></mrow>'  # 1 where it holds, else 0
    indexed = INDEXED.fullmatch(name)
    if indexed:
        return f"<msub><mi>{indexed[1]}</mi><mn>{indexed[2]}</mn></msub>"
    return f"<mi>{escape(visible(name))}</mi>" if len(name) == 1 and name not in NUMBERS else upright(name)


def upright(name: str) -> str:
    """A column's name in full."""
    return f'<mi mathvariant="normal">{escape(visible(name))}</mi>'


def write(expression: Expression, names: Sequence[str], target: str = "y") -> str:
    """The whole equation as one `<math>` element."""
    body = MathmlWriter(distinct(names, symbol, upright)).write(readable(expression))
    return (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
        f"<mrow>{symbol(target)}<mo>=</mo>{body}</mrow></math>"
    )

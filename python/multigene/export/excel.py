"""Excel, LibreOffice Calc, Google Sheets: one formula for a cell.

Linear combinations of a long formula, and what would be written several times, have names: `=LET(mg_s1,…,…)`. Excel knows LET
since 2021, LibreOffice since 24.8; `let=False` writes all of it out, for older ones.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from multigene.data.encoding.columns import ColumnName, Own, Scored
from multigene.export.derived import FEW_LEVELS, Derived, doubled, nested, spelled
from multigene.export.writer import Piece, Writer, plain_number
from multigene.expression.constants import SHORT_FORMULA
from multigene.expression.notation import SUM, Template
from multigene.expression.readable import size
from multigene.expression.tree import Expression, Operation, Variable, postorder, variables

LONGEST = 8192  # characters of a formula
LONG_COLUMN = 60  # characters from which the text of a column that is used again has a name
DEEPEST = 50  # brackets within brackets; Excel takes 64


def _summed(raw: str, levels: Sequence[tuple[str, float]], otherwise: float) -> str:
    """The number of many levels as a sum over a table of them: no more brackets than for few, and each level once."""
    names = ";".join(level for level, _ in levels)
    numbers = ";".join(plain_number(float(f"{score - otherwise:.15g}")).upper() for _, score in levels)
    return f"({plain_number(otherwise).upper()}+SUMPRODUCT(EXACT({raw},{{{names}}})*{{{numbers}}}))"


DERIVED = Derived(
    equal="EXACT({0},{1})",
    gap={"number": "NOT(ISNUMBER({0}))", "date": "NOT(ISNUMBER({0}))", "text": '{0}=""'},
    choices=nested("IF", ","),
    days="({0}-25569)",
    either=lambda conditions: conditions[0] if len(conditions) == 1 else f"OR({','.join(conditions)})",
    quote=doubled('"'),
    wave="{0}({1})",
    literal=lambda value: plain_number(value).upper(),
    table=_summed,
)


class ExcelWriter(Writer):
    """Worksheet functions. Powers are calls, because `-2^2` is 4 in a spreadsheet."""

    languages = ("excel",)
    plus = "+"
    minus = "-"
    integer_power = Template("POWER({0},{1})")
    deepest: ClassVar[int | None] = DEEPEST
    names: Sequence[str] = ()
    """The columns that the formula uses."""

    @classmethod
    def own_name(cls, name: str) -> str:
        return name.upper()

    @classmethod
    def call(cls, function: str, count: int) -> Template:
        return Template(f"{function}({','.join(f'{{{i}}}' for i in range(count))})")

    def number(self, value: float) -> str:
        return plain_number(value).upper()

    def exponent(self, value: float) -> str:
        return plain_number(value).upper()

    def _piece(self, node: Expression, parts: tuple[Piece, ...]) -> Piece:
        if isinstance(node, Operation) and node.name in ("min", "max"):
            # MIN and MAX pass over cells that hold text; the sum makes them report it.
            parts = tuple(
                self._piece_of(part.text + "+0", SUM) if part.text in self.variables else part
                for part in parts
            )
        piece = super()._piece(node, parts)
        # Checked on the way: without LET sinc, softplus and bent repeat their argument, and nested ones grow without end.
        if len(piece.text) >= LONGEST:
            raise too_long(self.names)
        return piece


class OldExcelWriter(ExcelWriter):
    """Without LET."""

    deepest = None


def too_long(names: Sequence[str] = ()) -> ValueError:
    """What to say of a formula over these columns that no cell takes."""
    made = [name.column for name in names if isinstance(name, ColumnName)]
    largest = max((c for c in made if isinstance(c, Scored | Own)), key=lambda c: len(c.scores), default=None)
    remedy = "choose a shorter formula, or round its constants with digits=6."
    if largest is not None and len(largest.scores) > FEW_LEVELS:
        levels = f"the {len(largest.scores)} levels of {largest.source!r}"
        remedy = f"choose a formula without {levels}, or another format."
    return ValueError(f"The formula is longer than the {LONGEST} characters that Excel takes: {remedy}")


def cell(index: int, row: int) -> str:
    """The cell of a column counted from 0: A2, B2, …, AA2."""
    letters = ""
    index += 1
    while index:
        index, digit = divmod(index - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return f"{letters}{row}"


def structured(name: str) -> str:
    """A column of the table that the formula stands in: `[@[temp (C)]]`."""
    unknown = next((c for c in name if unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n\r"), None)
    if unknown is not None:
        raise ValueError(
            f"A spreadsheet cannot name the column {name!r}: no cell can hold the character {unknown!r}; "
            "rename the column, or say where it stands with cells."
        )
    return "[@[" + "".join(f"'{c}" if c in "[]#'@" else c for c in name) + "]]"


def _named_columns(expression: Expression, places: Sequence[str]) -> dict[str, str]:
    """Names for the texts of columns that are long and stand in the formula more than once."""
    counts = Counter(node.index for node in postorder(expression) if isinstance(node, Variable))
    long = [
        places[index] for index in sorted(counts) if counts[index] > 1 and len(places[index]) > LONG_COLUMN
    ]
    return {place: f"mg_c{number}" for number, place in enumerate(long, start=1)}


def write(
    expression: Expression,
    names: Sequence[str],
    target: str = "y",
    cells: Mapping[str, str] | None = None,
    row: int = 2,
    table: bool = False,
    let: bool = True,
) -> str:
    """A formula for one row over columns A, B, …, or the places in `cells`, or an Excel table's columns; with `let`, parts of a
    long one have names."""
    given = dict(cells or {})
    used = variables(expression)
    unknown = sorted(
        set(given) - {name.column.source if isinstance(name, ColumnName) else name for name in names}
    )
    if unknown:
        raise ValueError(f"cells names the column {unknown[0]!r}, which the formula does not have.")
    places = []
    for index, name in enumerate(names):
        source = name.column.source if isinstance(name, ColumnName) else name
        if source in given:
            place = given[source]
        elif table and index in used:
            place = structured(source)
        else:
            place = cell(name.place if isinstance(name, ColumnName) else index, row)
        places.append(spelled(name, place, DERIVED) if isinstance(name, ColumnName) else place)
    columns = _named_columns(expression, places) if let else {}
    shown = [columns.get(place, place) for place in places]
    writer = (ExcelWriter if let and size(expression) > SHORT_FORMULA else OldExcelWriter)(shown)
    writer.names = [names[index] for index in used]
    body = writer.write(expression)
    named = "".join(f"{name},{place}," for place, name in columns.items())
    named += "".join(f"{writer.step_name(k)},{step}," for k, step in enumerate(writer.steps, start=1))
    text = f"=LET({named}{body})" if named else f"={body}"
    if len(text) > LONGEST:
        raise too_long([names[index] for index in used])
    return text

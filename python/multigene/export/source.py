"""What the programming languages share: a function's name and parameters, helpers where used, a comment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from multigene.data.encoding.columns import ColumnName, Plain
from multigene.export.derived import Derived, is_raw, spelled
from multigene.export.names import identifiers, mapping_comment, raw_comment
from multigene.export.writer import Writer
from multigene.expression.notation import Helper
from multigene.expression.operators import OPERATORS
from multigene.expression.tree import Expression, variables


class SourceWriter(Writer):
    """A programming language: formulas with steps, and functions of its own for operators that it lacks."""

    mark: ClassVar[str] = "#"
    """What begins a comment."""
    reserved: ClassVar[str] = ""
    """Words that no column may have as its name."""
    helper: ClassVar[str] = ""
    """The source of a function `{name}` of `{parameters}` whose value is `{body}`, on one line."""
    parameter: ClassVar[str] = "{}"
    """How a parameter is declared."""
    power_helper: ClassVar[str] = ""
    """The function that `real_power` calls, if it calls one."""

    derived: ClassVar[Derived | None] = None
    """How columns made of raw ones are spelt; None where the function takes the numeric columns themselves."""

    deepest = 20

    def helpers(self) -> str:
        """The functions that what was written needs."""
        sources = [self.power_helper] if "real power" in self.used else []
        for name in (name for name in OPERATORS if name in self.used):
            spelling = self.spelling(name)
            if isinstance(spelling, Helper):
                sources.append(self._helper(name, spelling.body))
        return "".join(sources)

    def _helper(self, name: str, body: str) -> str:
        if "\n" in body:
            return body
        parameters = ", ".join(map(self.parameter.format, "xy"[: OPERATORS[name].arity]))
        return self.helper.format(name=f"mg_{name}", parameters=parameters, body=body)


@dataclass(frozen=True, slots=True)
class Input:
    """A column that the function takes: its identifier, its name, its place, what it holds."""

    legal: str
    name: str
    place: int
    kind: str = "number"


@dataclass(frozen=True, slots=True)
class Source:
    """The parts of a function's source text."""

    function: str
    inputs: Sequence[Input]
    definitions: Sequence[tuple[str, str]]
    body: str
    steps: Sequence[str]
    helpers: str
    comment: str
    parameter: str
    derived: Derived | None = None
    """The spellings of raw columns, where there are any."""

    def statements(self, pattern: str) -> str:
        """What to compute before the body, columns made of raw ones first, each as a line `pattern` of `{name}` and `{value}`."""
        steps = [(f"mg_s{number}", step) for number, step in enumerate(self.steps, start=1)]
        return "".join(
            pattern.format(name=name, value=value) + "\n" for name, value in [*self.definitions, *steps]
        )

    def columns(self, pattern: str) -> str:
        """A line `pattern` for every column used: its `{name}` and its `{place}` among all columns, counted from 0.

        Raw columns are read as the language's `Derived.read` says, those without an entry not at all.
        """
        if self.derived is None:
            return "".join(pattern.format(name=each.legal, place=each.place) + "\n" for each in self.inputs)
        return "".join(
            self.derived.read[each.kind].format(name=each.legal, key=self.derived.quote(each.name)) + "\n"
            for each in self.inputs
            if each.kind in self.derived.read
        )

    def parameters(self, empty: str = "") -> str:
        """The columns used, as a parameter list."""
        declared = self.derived.parameter if self.derived else {"number": self.parameter}
        return ", ".join(declared[each.kind].format(each.legal) for each in self.inputs) or empty


def source(
    writer: type[SourceWriter], expression: Expression, names: Sequence[str], target: str, name: str
) -> Source:
    """Write the expression and what stands around it."""
    words = set(writer.reserved.split())
    function = identifiers([name], words)[0]
    used = variables(expression)
    derived = writer.derived if is_raw([names[index] for index in used]) else None
    if derived is None:
        legal = identifiers(names, {*words, function})
        inputs = [Input(legal[index], names[index], index) for index in used]
        definitions: list[tuple[str, str]] = []
        comment = mapping_comment(writer.mark, names, legal, used, target)
    else:
        inputs, legal, definitions = _raw_inputs(names, used, {*words, function}, derived)
        comment = raw_comment(writer.mark, [(i.legal, i.place, i.name, i.kind) for i in inputs], target)
    written = writer(legal)
    body = written.write(expression)
    return Source(
        function=function,
        inputs=inputs,
        definitions=definitions,
        body=body,
        steps=written.steps,
        helpers=("" if derived is None else derived.helpers) + written.helpers(),
        comment=comment,
        parameter=writer.parameter,
        derived=derived,
    )


def _raw_inputs(
    names: Sequence[str], used: Sequence[int], words: set[str], derived: Derived
) -> tuple[list[Input], list[str], list[tuple[str, str]]]:
    """The raw columns that the function takes, an identifier for every numeric one, and how those are made."""
    made = {index: name for index in used if isinstance(name := names[index], ColumnName)}
    raw = dict(sorted({name.place: name.column for name in made.values()}.items()))
    legal_raw = dict(zip(raw, identifiers([c.source for c in raw.values()], words), strict=True))
    inputs = [Input(legal_raw[place], c.source, place, c.raw) for place, c in raw.items()]
    legal = identifiers(names, {*words, *legal_raw.values()})
    definitions = []
    for index, name in made.items():
        if isinstance(name.column, Plain):
            legal[index] = legal_raw[name.place]
        else:
            definitions.append((legal[index], spelled(name, legal_raw[name.place], derived)))
    return inputs, legal, definitions

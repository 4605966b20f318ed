"""What the programming languages share: a function's name and parameters, helpers where used, a comment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from multigene.export.names import identifiers, mapping_comment
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
class Source:
    """The parts of a function's source text."""

    function: str
    legal: Sequence[str]
    used: Sequence[int]
    body: str
    steps: Sequence[str]
    helpers: str
    comment: str
    parameter: str

    def statements(self, pattern: str) -> str:
        """The steps to compute before the body, each as a line `pattern` of `{name}` and `{value}`."""
        return "".join(
            pattern.format(name=f"mg_s{number}", value=step) + "\n"
            for number, step in enumerate(self.steps, start=1)
        )

    def columns(self, pattern: str) -> str:
        """A line `pattern` for every column used: its `{name}` and its `{place}` among all columns, counted from 0."""
        return "".join(pattern.format(name=self.legal[place], place=place) + "\n" for place in self.used)

    def parameters(self, empty: str = "") -> str:
        """The columns used, as a parameter list."""
        return ", ".join(self.parameter.format(self.legal[index]) for index in self.used) or empty


def source(
    writer: type[SourceWriter], expression: Expression, names: Sequence[str], target: str, name: str
) -> Source:
    """Write the expression and what stands around it."""
    words = set(writer.reserved.split())
    function = identifiers([name], words)[0]
    legal = identifiers(names, {*words, function})
    written = writer(legal)
    body = written.write(expression)
    used = variables(expression)
    return Source(
        function=function,
        legal=legal,
        used=used,
        body=body,
        steps=written.steps,
        helpers=written.helpers(),
        comment=mapping_comment(writer.mark, names, legal, used, target),
        parameter=writer.parameter,
    )

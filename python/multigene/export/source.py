"""What the programming languages share: a function's name and parameters, helpers where used, a comment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from multigene.export.names import identifiers, mapping_comment
from multigene.export.writer import Writer, operators_used
from multigene.expression.tree import Expression, variables


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

    def statements(self, pattern: str) -> str:
        """The steps to compute before the body, each as a line `pattern` of `{name}` and `{value}`."""
        return "".join(
            pattern.format(name=f"mg_s{number}", value=step) + "\n"
            for number, step in enumerate(self.steps, start=1)
        )

    def parameters(self, pattern: str = "{}", empty: str = "") -> str:
        """The columns used, as a parameter list; `pattern` adds a type."""
        return ", ".join(pattern.format(self.legal[index]) for index in self.used) or empty


def source(
    writer: type[Writer],
    expression: Expression,
    names: Sequence[str],
    target: str,
    name: str,
    *,
    mark: str,
    reserved: str,
    helpers: Mapping[str, str],
) -> Source:
    """Write the expression and what stands around it; `helpers` holds a helper's source by operator."""
    words = set(reserved.split())
    function = identifiers([name], words)[0]
    legal = identifiers(names, {*words, function})
    used, operators = variables(expression), operators_used(expression)
    written = writer(legal)
    body = written.write(expression)
    return Source(
        function=function,
        legal=legal,
        used=used,
        body=body,
        steps=written.steps,
        helpers="".join(text for operator, text in helpers.items() if operator in operators),
        comment=mapping_comment(mark, names, legal, used, target),
    )

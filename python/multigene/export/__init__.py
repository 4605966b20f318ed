"""Writers of a formula in other languages: one small module per target, and the registry that finds them by name.

What comes in is an expression with column names; what goes out is text, or a model for ONNX. A writer is
`write(expression, names, target, **options)`; the registry is in this file. Modules are imported
when first used, so that a target with a heavy dependency costs nothing until it is used.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from multigene.expression.constants import FEW
from multigene.expression.numbers import as_shown, round_numbers
from multigene.expression.readable import plain
from multigene.expression.tree import Expression
from multigene.words import nearest


@dataclass(frozen=True, slots=True)
class Exporter:
    """One target: name, what it is, suffix of its files, other names, digits shown unless told."""

    name: str
    title: str
    suffix: str
    aliases: tuple[str, ...] = ()
    digits: int | None = None
    extra: str | None = None

    def write(self, expression: Expression, names: Sequence[str], target: str = "y", **options: Any) -> Any:
        """Write the expression; text for every target except ONNX, which gives a model object."""
        module = importlib.import_module(f"multigene.export.{self.name}")
        known = list(inspect.signature(module.write).parameters)[3:]
        unknown = sorted(set(options) - set(known))
        if unknown:
            choice = f"its options are {', '.join(known)}" if known else "it has none"
            raise ValueError(f"The format {self.name!r} has no option {unknown[0]!r}; {choice}.")
        return module.write(expression, list(names), target, **options)


_ALL = (
    Exporter("text", "plain text for people", ".txt", ("txt", "plain"), digits=FEW),
    Exporter("latex", "LaTeX, for math mode", ".tex", ("tex",), digits=FEW),
    Exporter("mathml", "presentation MathML for web pages", ".mml", ("html",), digits=FEW),
    Exporter("sympy", "text that sympy.sympify reads", ".txt", extra="export"),
    Exporter("python", "Python function over NumPy arrays", ".py", ("py", "numpy")),
    Exporter("c", "C99 function", ".c", ("c99",)),
    Exporter("javascript", "JavaScript function", ".js", ("js",)),
    Exporter("rust", "Rust function", ".rs", ("rs",)),
    Exporter("julia", "Julia function", ".jl", ("jl",)),
    Exporter("r", "R function", ".R"),
    Exporter("matlab", "MATLAB and Octave function file", ".m", ("octave", "m")),
    Exporter("postgresql", "PostgreSQL expression or function", ".sql", ("postgres", "sql", "pg")),
    Exporter("sqlite", "SQLite expression", ".sql"),
    Exporter("excel", "spreadsheet formula", ".txt", ("xlsx", "spreadsheet", "calc")),
    Exporter("onnx", "ONNX model in double precision", ".onnx", extra="export"),
    Exporter("pytorch", "PyTorch module", ".py", ("torch",)),
)
EXPORTERS = {exporter.name: exporter for exporter in _ALL}
_BY_ANY_NAME = {name: exporter for exporter in _ALL for name in (exporter.name, *exporter.aliases)}


def formats() -> tuple[str, ...]:
    """The names of all targets."""
    return tuple(EXPORTERS)


def exporter(format: str) -> Exporter:
    """The target of this name, alias or file suffix."""
    wanted = format.lower()
    found = _BY_ANY_NAME.get(wanted)
    if found is None and wanted.startswith("."):
        found = next((each for each in _ALL if each.suffix.lower() == wanted), None)
    if found is None:
        way_out = nearest(wanted, _BY_ANY_NAME) or f"; the formats are {', '.join(formats())}."
        raise ValueError(f"There is no export format {format!r}{way_out}")
    return found


def export(
    expression: Expression,
    names: Sequence[str],
    format: str,
    target: str = "y",
    digits: int | None = None,
    **options: Any,
) -> Any:
    """Write an expression in a format, constants rounded to `digits`; without, as the format has it.

    Formats for people write 1/3 and π by name. Unless told they show a number of at most `WHOLE` digits as it is, since a
    fitted model has as few as it needs (`explain/digits.py`), and others with four.
    """
    found = exporter(format)
    named = found.digits is not None
    if digits is not None:
        expression = round_numbers(expression, digits, named)
    elif named:
        expression = as_shown(expression)
    return found.write(plain(expression), names, target, **options)

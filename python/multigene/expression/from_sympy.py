"""SymPy's expressions as text that `reading.py` reads: symbols become columns, functions keep their names."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any


def is_sympy(given: Any) -> bool:
    """Is it an expression of SymPy's? Asked without importing it."""
    return type(given).__module__.partition(".")[0] == "sympy" or hasattr(given, "free_symbols")


def sympy_text(expression: Any, columns: Collection[str] | None = None) -> str:
    """The text of an expression; every number keeps all its digits. With `columns`, other symbols are words of a form."""
    if expression.is_Symbol:
        known = columns is None or expression.name in columns or not expression.name.isidentifier()
        return f"`{expression.name}`" if known else str(expression.name)
    if expression.is_Number or expression.is_NumberSymbol:
        value = float(expression)
        return repr(value) if value >= 0.0 else f"({value!r})"
    name = type(expression).__name__
    if expression.args and not expression.is_Function and name not in ("Add", "Mul", "Pow", "Max", "Min"):
        way_out = (
            "its right-hand side" if name == "Equality" else "a formula of columns, numbers and functions"
        )
        raise ValueError(
            f"{expression} of the SymPy expression is of the kind {name}, which is no formula; give {way_out}."
        )
    parts = [sympy_text(part, columns) for part in expression.args]
    if name == "Add":
        return f"({' + '.join(parts)})"
    if name == "Mul":
        return f"({'*'.join(parts)})"
    if name == "Pow":
        _base, exponent = expression.args
        return f"(1/{parts[0]})" if exponent == -1 else f"({parts[0]}**{parts[1]})"
    if not parts:
        raise ValueError(
            f"{expression} of the SymPy expression has no value; give a formula of columns and numbers."
        )
    own = str(getattr(expression, "func", name))
    while len(parts) > 2 and name in ("Max", "Min"):
        parts = [f"{name}({parts[0]}, {parts[1]})", *parts[2:]]
    return f"{own}({', '.join(parts)})"

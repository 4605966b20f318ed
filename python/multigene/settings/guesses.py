"""The guesses that a user gave, as text: what files and reports keep of them. `multigene/guesses.py` reads them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from multigene.expression.from_sympy import is_sympy
from multigene.formula import Formula


def as_list(given: Any) -> list[Any]:
    """One guess, or several, as a list; a table is one."""
    alone = (
        isinstance(given, str | Path)
        or hasattr(given, "columns")
        or hasattr(given, "fitted_")
        or is_sympy(given)
    )
    return list(given) if isinstance(given, Iterable) and not alone else [given]


def written(given: Any) -> list[str] | None:
    """Guesses as text; None where there are none."""
    return None if given is None else [_text(each) for each in as_list(given)]


def _text(item: Any) -> str:
    if isinstance(item, str | Path) or is_sympy(item):
        return str(item)
    formula = getattr(getattr(item, "fitted_", item), "formula", item)
    return formula.text(None) if isinstance(formula, Formula) else type(item).__name__

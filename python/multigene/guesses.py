"""Formulas that a user has already, from any way they are written in to expressions of the columns of a table.

A guess is text, a SymPy expression, a `Formula`, a fitted estimator, the path of a model file, or another program's front: a
table, or the path of a CSV file, with a column of equations. `search/guesses.py` tunes what comes out of here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from multigene.data.encoding.columns import spoken_places
from multigene.expression.from_sympy import is_sympy, sympy_text
from multigene.expression.reading import read
from multigene.expression.tree import Expression, Variable, substitute, variables
from multigene.fitted import FittedModel
from multigene.formula import Formula
from multigene.settings.guesses import as_list
from multigene.words import nearest

#: Columns of other programs' fronts that hold formulas, in the order in which they are looked for.
EQUATIONS = ("equation", "formula", "function", "expression", "solution", "model")
#: Guesses that are tuned before the search begins; more would be a search of their own.
MOST = 200
HINT = " A formula with an unknown number or function in it is a form: give form= instead of guesses."
FORMS = "text such as '2*a*exp(-b)', a SymPy expression, a Formula, a fitted model, a model file or a front (.csv, a table)"


def read_guesses(given: Any, names: Sequence[str]) -> tuple[Expression, ...]:
    """The expressions of all guesses; a `ValueError` says what is wrong with one."""
    if given is None:
        return ()
    found = [expression for item in as_list(given) for expression in _read(item, names)]
    if len(found) > MOST:
        raise ValueError(f"guesses has {len(found)} formulas; give at most {MOST}, the best of them.")
    return tuple(dict.fromkeys(found))


def _read(item: Any, names: Sequence[str]) -> list[Expression]:
    if isinstance(item, Path) or (isinstance(item, str) and item.strip().lower().endswith((".json", ".csv"))):
        return _of_file(Path(item), names)
    if isinstance(item, str):
        return [read(item, names, "The guess", HINT)]
    fitted = getattr(item, "fitted_", item)
    if isinstance(fitted, FittedModel):
        return [_of_formula(fitted.formula, names, "the model")]
    if isinstance(item, Formula):
        return [_of_formula(item, names, "the formula")]
    if is_sympy(item):
        return [read(sympy_text(item), names, "The guess")]
    if _is_table(item):
        return _of_table(item, "the table", names)
    raise ValueError(f"guesses contains {item!r}, which is no formula; give {FORMS}.")


def _of_file(path: Path, names: Sequence[str]) -> list[Expression]:
    if not path.is_file():
        raise ValueError(
            f"guesses: there is no file {str(path)!r}; check the path, or give the formula itself."
        )
    if path.suffix.lower() == ".csv":
        import pandas as pd

        try:
            table = pd.read_csv(path)
        except (ValueError, UnicodeDecodeError) as error:
            raise ValueError(f"guesses: {path} cannot be read as a CSV file ({error}).") from None
        return _of_table(table, str(path), names)
    from multigene.model_file import load

    return [_of_formula(load(path).formula, names, str(path))]


def _is_table(item: Any) -> bool:
    return hasattr(item, "columns") and hasattr(item, "iloc")


def _of_table(table: Any, source: str, names: Sequence[str]) -> list[Expression]:
    """The formulas of a front."""
    columns = {str(column).strip().lower(): column for column in table.columns}
    column = next((columns[name] for name in EQUATIONS if name in columns), None)
    if column is None:
        raise ValueError(
            f"guesses: {source} has no column of formulas; name one {', '.join(EQUATIONS[:-1])} or {EQUATIONS[-1]}."
        )
    found = []
    for row, text in enumerate(table[column].astype(str), start=1):
        found.append(read(text, names, f"Row {row} of {source}:"))
    return found


def _of_formula(formula: Formula, names: Sequence[str], source: str) -> Expression:
    """Its expression over the present columns, by name."""
    places = spoken_places(names)
    moved = {}
    for index in variables(formula.expression):
        name = str(formula.feature_names[index])
        if name not in places:
            way_out = nearest(name, places) or f"; the columns are {', '.join(list(places)[:8])}."
            raise ValueError(
                f"guesses: {source} uses the column {name!r}, which is not among the features{way_out}"
            )
        moved[index] = Variable(places[name])
    return substitute(formula.expression, moved)

"""Formulas that people type, in terms of column names: read into engine models."""

from __future__ import annotations

import re
from collections.abc import Sequence

from multigene._engine import Individual
from multigene.expression.operators import OPERATORS
from multigene.words import nearest

#: Names in backticks, words, and numbers with an exponent, which are no words.
TOKEN = re.compile(r"`([^`]*)`|(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([^\W\d]\w*)")
LONGEST = 5_000


def read_formula(text: str, names: Sequence[str]) -> Individual:
    """A model of one gene; columns by name, in backticks where a name is no word."""
    if not text.strip() or len(text) > LONGEST:
        raise ValueError(
            f"A formula has from 1 to {LONGEST:,} characters; this one has {len(text.strip()):,}."
        )
    places = {name: place for place, name in enumerate(names)}

    def column(found: re.Match[str]) -> str:
        quoted, number, word = found.groups()
        if number is not None:
            return number
        name = quoted if quoted is not None else word
        if name in places:
            return f"x{places[name]}"
        if quoted is None and name in OPERATORS:
            return str(name)
        way_out = nearest(name, [*names, *OPERATORS]) or f"; the columns are {', '.join(names[:8])}."
        raise ValueError(f"{name!r} is neither a column nor a function{way_out}")

    body = TOKEN.sub(column, text.rpartition("=")[2].replace("^", "**").replace("·", "*").replace("−", "-"))
    try:
        return Individual([body], 0.0, [1.0])
    except ValueError as error:
        raise ValueError(
            f"{text.strip()[:200]} cannot be read: {str(error).rpartition('cannot be read: ')[2]}"
        ) from None

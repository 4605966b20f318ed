"""Formulas that people type, in terms of column names: read into engine models."""

from __future__ import annotations

from collections.abc import Sequence

from multigene._engine import Individual
from multigene.expression.engine_text import engine_text
from multigene.expression.reading import read


def read_formula(text: str, names: Sequence[str]) -> Individual:
    """A model of one gene; columns by name, in backticks where a name is no word."""
    return Individual([engine_text(read(text, names))], 0.0, [1.0])

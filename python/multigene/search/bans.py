"""Columns and functions that a user has banned while a search runs (`steering.py`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from multigene._engine import Individual
from multigene.expression.operators import OPERATORS


@dataclass
class Bans:
    """Columns by place and functions by name that no model may use."""

    columns: set[int] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)

    def allow(self, individual: Individual) -> bool:
        """Whether a model uses none of them."""
        if not self.columns and not self.functions:
            return True
        for gene, coefficient in enumerate(individual.coefficients):
            for token in individual.tokens(gene) if coefficient != 0.0 else ():
                if token[0] == "x" and token[1] in self.columns:
                    return False
                if token[0] in ("lcf", "product") and any(j in self.columns for j, w in token[2] if w != 0.0):
                    return False
                if self.functions and self._writes_banned(token[0]):
                    return False
        return True

    def _writes_banned(self, function: str) -> bool:
        """Whether a function is banned, or written with one that is: sin(x)/x with sin."""
        row = OPERATORS.get(function)
        definition = row.definition if row is not None else ""
        return function in self.functions or any(f"{banned}(" in definition for banned in self.functions)

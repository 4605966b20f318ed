"""Columns and functions that a user has banned while a search runs (`steering.py`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from multigene._engine import Individual


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
                if token[0] in self.functions:
                    return False
        return True

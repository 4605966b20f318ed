"""Formulas as expression trees.

`tree.py` is the tree and its evaluation, `genes.py` makes one of the engine's genes, `readable.py` what people read of it and its
size, `numbers.py` its constants, `jacobian.py` its derivatives; `rewriting/` holds every rule that rewrites one. What comes in
are models of the engine; what goes out are trees that exports write.
"""

from __future__ import annotations

from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    evaluate,
)

__all__ = ["Expression", "Number", "Operation", "Power", "Variable", "evaluate"]

"""Formulas as expression trees.

`operators.py` is the table of operators, one row each (with `notation.py` and `long_spellings.py`; `definitions.py` reads its
definitions). `tree.py` is the tree and its evaluation, `build.py` its constructors; `genes.py` makes one of the engine's genes
and `engine_text.py` the engine's text of one; `readable.py` is what people read of it and its size, `numbers.py` all about its
constants, `jacobian.py` its derivatives; `rewriting/` holds every rule that rewrites one. What comes in are models of the
engine; what goes out are trees that exports write.
"""

from __future__ import annotations

from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    evaluate,
    fold,
)

__all__ = ["Expression", "Number", "Operation", "Power", "Variable", "evaluate", "fold"]

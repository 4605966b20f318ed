"""The one measure of size for comparisons with other programs: nodes of the SymPy tree of the printed formula.

`printed_size(text)` reads the text that a program prints, multigene's or pyoperon's, and counts every node of the tree that SymPy
makes of it, as SRBench does. SymPy folds numbers and joins sums and products of several terms, so the way in which a program
writes a formula does not matter:

    3*x + 1         5    a sum, 1, a product, 3, x: a linear combination of k columns has 3k + 1 nodes, with a constant 3k + 2
    x - y           5    a difference is a sum with a product by -1
    x/y             5    a quotient is a product with a power of -1
    sqrt(x), x**2   3    roots and powers have an exponent
    2/3, pi         1    a fraction and a named constant are one number; 2*pi/3 is a product of two, 3

It differs from `Formula.size`, which counts signs and quotients as one node, as a reader does.
"""

from __future__ import annotations

import re
from typing import Any

#: Words of a printed formula that are not columns, by their names in SymPy; every other word is a column, or one node where it is
#: called (SymPy's own sinc asks about its argument for minutes).
FUNCTIONS = {
    "abs": "Abs",
    "min": "Min",
    "max": "Max",
    "arcsin": "asin",
    "arctan": "atan",
    **{name: name for name in ("sin", "cos", "exp", "log", "sqrt", "tanh", "atan", "erf", "sign")},
}
#: A word, but not the exponent's letter of a number such as 1e-5.
WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")


def read(text: str) -> Any:
    """The SymPy expression of a printed formula; powers are written `**` or `^`."""
    import sympy

    if "`" in text:
        raise ValueError(
            f"{text!r} holds a column's name between backticks; fit an array, or rename the column."
        )
    words = set(WORD.findall(text)) - {"pi"}
    known = {word: getattr(sympy, FUNCTIONS[word]) for word in words & FUNCTIONS.keys()}
    called = set(re.findall(r"(?<![\w.])([^\W\d]\w*)\(", text)) - known.keys()
    # A function without a common name, such as `bent`, is one node and its arguments.
    known |= {
        word: sympy.Function(word) if word in called else sympy.Symbol(word) for word in words - known.keys()
    }
    return sympy.parse_expr(text.replace("^", "**"), local_dict=known)


def nodes(expression: Any) -> int:
    """The nodes of a SymPy expression."""
    import sympy

    return sum(1 for _ in sympy.preorder_traversal(expression))


def printed_size(text: str) -> int:
    """The nodes of the SymPy tree of a printed formula."""
    return nodes(read(text))

"""SymPy: an expression object, and the text that `sympy.sympify` reads back."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import keyword
import operator
import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from pathlib import Path
from typing import Any, cast

from multigene.export.writer import Piece, Writer, plain_number
from multigene.expression.definitions import DEFINITIONS
from multigene.expression.numbers import recognised
from multigene.expression.operators import OPERATORS
from multigene.expression.readable import as_read, readable
from multigene.expression.tree import Expression, Number, Operation, Power, Variable, fold


class SympyWriter(Writer):
    """Python-like infix with SymPy's function names."""

    languages = ("sympy",)
    named = ("pi", "*", "{0}/{1}")

    def number(self, value: float) -> str:
        return plain_number(value)

    def _defined(self, name: str, parts: tuple[Piece, ...]) -> Piece:
        """Left by `readable` around large arguments only, which would double at every level: the argument stands once."""
        symbols = [f"Symbol('{letter}')" for letter in "uv"[: len(parts)]]
        body = SympyWriter(symbols).write(DEFINITIONS[name])
        return self.atom(f"Lambda({', '.join(symbols)}, {body})({', '.join(part.text for part in parts)})")


def import_sympy() -> Any:
    """The module, or a sentence that says how to get it."""
    try:
        import sympy
    except ImportError as error:
        raise ImportError(
            "A SymPy expression needs the package sympy: pip install 'multigene[export]'."
        ) from error
    return sympy


def write(expression: Expression, names: Sequence[str], target: str = "y") -> str:
    """Text for `sympy.sympify`; names that SymPy or Python use otherwise are written `Symbol('…')`."""
    taken = _taken()

    def symbol(name: str) -> str:
        plain = re.fullmatch(r"[^\W\d]\w*", name) and name.isidentifier()
        if plain and not keyword.iskeyword(name) and name not in taken and not hasattr(builtins, name):
            return name
        return f"Symbol({name!r})"

    return SympyWriter([symbol(name) for name in names]).write(readable(expression))


@lru_cache(maxsize=1)
def _taken() -> frozenset[str]:
    """Names that `sympy.sympify` reads as SymPy's own: those of `from sympy import *`.

    Read off the source of the package, since importing SymPy takes longer than writing a whole report.
    """
    place = None if "sympy" in sys.modules else importlib.util.find_spec("sympy")
    if place is not None and place.origin and place.origin.endswith(".py"):
        for statement in ast.parse(Path(place.origin).read_text("utf-8")).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
                return frozenset(ast.literal_eval(statement.value))
    return frozenset(import_sympy().__all__)


def build(expression: Expression, names: Sequence[str]) -> Any:
    """The `sympy.Expr` with one symbol per column, named as the column is."""
    sympy = import_sympy()
    from sympy.utilities.lambdify import implemented_function

    symbols = [sympy.Symbol(name) for name in names]

    def function(name: str) -> Callable[..., Any]:
        spelling = SympyWriter.spelling(name)
        # An operator that SymPy lacks is left by `readable` around large arguments only, which would double at every
        # level if spelt out: a function of that name, which `lambdify` knows how to compute.
        if isinstance(spelling, str):
            return cast(Callable[..., Any], getattr(sympy, spelling))
        return cast(Callable[..., Any], implemented_function(name, OPERATORS[name].value))

    functions: dict[str, Callable[..., Any]] = {
        "add": sympy.Add,
        "mul": lambda *factors: reduce(operator.mul, factors),
        "sub": operator.sub,
        "div": operator.truediv,
        "neg": operator.neg,
        **{name: function(name) for name, row in OPERATORS.items() if not row.sign},
    }

    def number(value: float) -> Any:
        parts = recognised(value)
        if parts is not None:
            return sympy.Rational(parts[0], parts[1]) * (sympy.pi if parts[2] else 1)
        return sympy.Integer(int(value)) if value.is_integer() and abs(value) < 1e15 else sympy.Float(value)

    def convert(node: Expression, parts: tuple[Any, ...]) -> Any:
        if isinstance(node, Number):
            return number(node.value)
        if isinstance(node, Variable):
            return symbols[node.index]
        if isinstance(node, Power):
            return parts[0] ** number(node.exponent)
        assert isinstance(node, Operation)
        return functions[node.name](*parts)

    return fold(as_read(readable(expression)), convert)

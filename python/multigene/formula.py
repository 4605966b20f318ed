"""Formula: an expression with column names, to be printed, called and taken elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from multigene.data.encoding.columns import ColumnName
from multigene.data.encoding.raw import raw_columns
from multigene.export import export
from multigene.expression import tree
from multigene.expression.directions import named
from multigene.expression.numbers import round_numbers
from multigene.expression.printed_size import printed_size
from multigene.expression.readable import plain
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Array, Expression, evaluate
from multigene.words import default_names

#: A number of significant digits, all of them (None), or as few as the numbers have.
Digits = int | Literal["few"] | None


class Formula:
    """A formula `target = expression` over named columns.

    Immutable; equal when expression and names are. `str(formula)` shows numbers of up to seven digits as they are, which
    is what fitted models have, and longer ones with four; exports that are meant to be run keep every digit.
    """

    __slots__ = ("expression", "feature_names", "target_name")

    expression: Expression
    feature_names: tuple[str, ...]
    target_name: str

    def __init__(self, expression: Expression, feature_names: Sequence[str], target_name: str = "y") -> None:
        # A ColumnName is a text that also knows how it is made of a raw column.
        names = tuple(name if isinstance(name, str) else str(name) for name in feature_names)
        needed = 1 + max(tree.variables(expression), default=-1)
        if len(names) < needed:
            raise ValueError(
                f"The expression uses column number {needed}, but only {len(names)} name(s) are given."
            )
        object.__setattr__(self, "expression", expression)
        object.__setattr__(self, "feature_names", names)
        object.__setattr__(self, "target_name", str(target_name))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Formula cannot be changed; make a new one instead of setting {name!r}.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A Formula cannot be changed; {name!r} stays.")

    # What it looks like.

    def text(self, digits: Digits = "few") -> str:
        """The right-hand side as infix text.

        `digits` is the number of significant digits, None for all of them, or "few": as many as a number has if these are
        at most seven, otherwise four.
        """
        return self._for_people("text", digits)

    def where(self, digits: Digits = "few") -> str:
        """The right-hand side of a long formula with its linear combinations named: `3*tanh(u1) + u2*u1` and, on further lines,
        `where u1 = …`; the same as `text` where nothing is gained by it. `digits` as in `text`.
        """
        made = named(plain(self.expression), len(self.feature_names), self.size)
        prefix = "u"
        while any(name.startswith(prefix) for name in self.feature_names):
            prefix += "_"
        names = [f"{prefix}{k + 1}" for k in range(len(made.directions))]
        both = [*self.feature_names, *names]
        lines = [Formula(made.expression, both, self.target_name).text(digits)]
        for name, direction in zip(names, made.directions, strict=True):
            combined = Formula(direction.expression, self.feature_names).text(digits)
            lines.append(f"  {'where' if name == names[0] else '     '} {name} = {combined}")
        return "\n".join(lines)

    def latex(self, digits: Digits = "few") -> str:
        """The right-hand side for LaTeX's math mode; `digits` as in `text`."""
        return self._for_people("latex", digits)

    def mathml(self, digits: Digits = "few") -> str:
        """The equation as a MathML element; `digits` as in `text`."""
        return self._for_people("mathml", digits)

    def _for_people(self, format: str, digits: Digits) -> str:
        if digits == "few":
            return str(self.to(format))
        return str(self.to(format, digits=17 if digits is None else digits))

    def sympy(self, digits: int | None = None) -> Any:
        """The `sympy` expression; its symbols are named as the columns are. Needs `multigene[export]`."""
        from multigene.export.sympy import build

        shown = self.expression if digits is None else round_numbers(self.expression, digits)
        return build(plain(shown), self.feature_names)

    def python(self, name: str = "predict") -> str:
        """Source of a NumPy function that stands alone."""
        return str(self.to("python", name=name))

    def to(self, format: str, **options: Any) -> Any:
        """Write the formula in any format of `multigene.export.formats()`; `digits=` rounds its constants."""
        return export(self.expression, self.feature_names, format, self.target_name, **options)

    # What it computes.

    def numpy(self) -> Callable[[npt.ArrayLike], Array]:
        """A function of an array (rows by columns) that can be pickled and sent to other processes."""
        return partial(evaluate, self.expression)

    def __call__(self, X: Any) -> Array:
        """The value on each row; a table with named columns is read by name, an array by position, and so is a table where the
        formula has no names of columns but x0, x1, …"""
        columns = getattr(X, "columns", None)
        if columns is not None and any(isinstance(name, ColumnName) for name in self.variables):
            return evaluate(self.expression, self._encoded(X))
        unnamed = list(self.feature_names) == default_names(len(self.feature_names))
        if columns is not None and unnamed and len(columns) == len(self.feature_names):
            columns = columns if set(self.feature_names) & set(columns) else None
        if columns is not None:
            used = self.variables
            missing = [name for name in used if name not in set(columns)]
            if missing:
                raise ValueError(f"The table has no column {missing[0]!r}, which the formula uses.")
            data = np.zeros((len(X), len(self.feature_names)))
            for index in tree.variables(self.expression):
                data[:, index] = np.asarray(X[self.feature_names[index]], dtype=np.float64)
            return evaluate(self.expression, data)
        return evaluate(self.expression, np.asarray(X))

    def _encoded(self, X: Any) -> Array:
        """The numeric columns of a raw table, zeros where the formula does not use one."""
        used = {index: self.feature_names[index] for index in tree.variables(self.expression)}
        made = {index: name.column for index, name in used.items() if isinstance(name, ColumnName)}
        raw = {column.name: column for column in raw_columns(X, {c.source: c.raw for c in made.values()})}
        data = np.zeros((len(X), len(self.feature_names)))
        for index, column in made.items():
            data[:, index] = column.values(raw[column.source])
        return data

    # What it is made of.

    @property
    def size(self) -> int:
        """The number of nodes of the printed formula, as SymPy counts them: `3*x + 1` has five, `x/y` five."""
        return printed_size(self.expression, self.feature_names)

    @property
    def depth(self) -> int:
        """The number of nodes on the longest way from the root to a leaf."""
        return tree.depth(self.expression)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns used, in column order."""
        return tuple(self.feature_names[index] for index in tree.variables(self.expression))

    def simplified(self) -> Formula:
        """The same formula, shortened without changing its value."""
        return Formula(simplify(self.expression), self.feature_names, self.target_name)

    def rounded(self, digits: int) -> Formula:
        """The formula with its constants rounded to `digits` significant digits."""
        return Formula(round_numbers(self.expression, digits), self.feature_names, self.target_name)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Formula({self.target_name} = {self.text()})"

    def _repr_latex_(self) -> str:
        from multigene.export.latex import symbol

        return f"$\\displaystyle {symbol(self.target_name)} = {self.latex()}$"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Formula):
            return NotImplemented
        return (self.expression, self.feature_names, self.target_name) == (
            other.expression,
            other.feature_names,
            other.target_name,
        )

    def __hash__(self) -> int:
        return hash((self.expression, self.feature_names, self.target_name))

    def __reduce__(self) -> tuple[Any, ...]:
        return Formula, (self.expression, self.feature_names, self.target_name)

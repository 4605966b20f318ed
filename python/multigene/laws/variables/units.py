"""Units: which formulas make sense dimensionally, and what dimensional analysis says about a law before any search.

`Dimensions.of` reads the units that a user gives, by Pint. The law search then works on dimensionless groups (Buckingham's
theorem) as well, and no formula that contradicts the units is reported.

The rule. Terms of a sum agree; arguments of functions such as sin, exp and log have no dimension; numbers have none, with one
exception: a factor in front of the whole formula that is no simple number (a gravitational constant that the data have swallowed)
may carry what is missing to the target's dimension. So may a simple one, 3.7 N/m or 1 kg/s, where the formula is exact: nothing
else would be. Zero agrees with everything.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene.data.encoding.columns import ColumnName, Elapsed, Filled, Plain
from multigene.expression.build import call, product_of, sum_of, weighted
from multigene.expression.rewriting import simplify, split_term
from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    Power,
    Variable,
    fold,
    rebuild,
    variables,
)
from multigene.laws.constants import LARGEST_DENOMINATOR
from multigene.words import nearest

Floats = npt.NDArray[np.float64]
Dimension = tuple[Fraction, ...]
#: Part of a formula with its dimension (None for zero, which has any); None where it contradicts itself.
_Part = tuple[Expression, Dimension | None] | None

#: Names under which the target's unit is looked for besides its own.
TARGET_NAMES = ("y", "target")
#: Operators whose result has the dimension of their arguments, which agree.
AGREEING = frozenset({"add", "sub", "min", "max", "neg", "abs"})


class _ViolationError(Exception):
    """Dimensions do not fit."""


@dataclass(frozen=True)
class Group:
    """A product of powers of features: exponent by feature."""

    exponents: dict[int, float]

    @property
    def expression(self) -> Expression:
        """The product."""
        factors: list[Expression] = [
            Variable(j) if e == 1.0 else Power(Variable(j), e) for j, e in self.exponents.items()
        ]
        return factors[0] if len(factors) == 1 else Operation("mul", tuple(factors))

    def values(self, X: Floats) -> Floats:
        """Its value on every row."""
        product = np.ones(len(X))
        for j, e in self.exponents.items():
            product = product * X[:, j] ** e
        return product


@dataclass(frozen=True)
class Dimensions:
    """Dimensions of features and target as exponents of base dimensions."""

    features: tuple[Dimension, ...]
    target: Dimension | None
    """None if its unit was not given."""

    @staticmethod
    def of(units: Mapping[str, str], names: Sequence[str], target_name: str = "y") -> Dimensions:
        """Read units by Pint; every feature needs one, the target's is optional."""
        units = _of_features(units, names)
        known = {**dict.fromkeys(names), target_name: None}
        for name in units:
            if name not in known and name not in TARGET_NAMES:
                raise ValueError(
                    f"units has an entry for {name!r}, which is neither a feature nor the target"
                    f"{nearest(str(name), known) or f'; the target is called {target_name!r}.'}"
                )
        missing = [name for name in names if name not in units]
        if missing:
            raise ValueError(
                f"units has no entry for the feature {missing[0]!r}; give 'dimensionless' if it has no unit."
            )
        parsed = [_dimensionality(name, units[name]) for name in names]
        alias = next(
            (name for name in (target_name, *TARGET_NAMES) if name in units and name not in names), None
        )
        wanted = None if alias is None else _dimensionality(alias, units[alias])
        bases = sorted({base for d in [*parsed, *([wanted] if wanted is not None else [])] for base in d})
        return Dimensions(
            tuple(tuple(d.get(b, Fraction(0)) for b in bases) for d in parsed),
            None if wanted is None else tuple(wanted.get(b, Fraction(0)) for b in bases),
        )

    # --- formulas ---------------------------------------------------------------------------------

    def admits(self, expression: Expression, *, exact: bool = False) -> bool:
        """Does a formula for the target make sense, which is `exact` on all rows or not?"""
        factor, rest = split_term(expression)
        if rest is None:
            return True  # a number alone may be in the target's unit
        try:
            found = self.dimension(rest)
        except _ViolationError:
            return False
        agrees = found is None or self.target is None or found == self.target
        return agrees or exact or not has_no_unit(factor)

    def dimension(self, expression: Expression) -> Dimension | None:
        """The dimension of an expression; None for zero, which has any."""
        return fold(expression, self._node)

    def _node(self, node: Expression, parts: tuple[Dimension | None, ...]) -> Dimension | None:
        nothing = (Fraction(0),) * len(self.features[0]) if self.features else ()
        if isinstance(node, Number):
            return None if node.value == 0.0 else nothing
        if isinstance(node, Variable):
            return self.features[node.index]
        if isinstance(node, Power):
            return (
                None
                if parts[0] is None
                else _times(parts[0], Fraction(node.exponent).limit_denominator(1000))
            )
        assert isinstance(node, Operation)
        if node.name in AGREEING:
            return _agreed(parts)
        if any(part is None for part in parts):
            return None if node.name in ("mul", "sqrt") else nothing
        given = [part for part in parts if part is not None]
        if node.name == "mul":
            return tuple(sum(column, Fraction(0)) for column in zip(*given, strict=True))
        if node.name == "div":
            return tuple(a - b for a, b in zip(*given, strict=True))
        if node.name == "inv":
            return _times(given[0], Fraction(-1))
        if node.name == "sqrt":
            return _times(given[0], Fraction(1, 2))
        if node.name == "sign":
            return nothing
        checked = given[1:] if node.name == "aq" else given
        if any(any(part) for part in checked):
            raise _ViolationError
        return given[0] if node.name == "aq" else nothing

    def repaired(self, expression: Expression) -> Expression | None:
        """A formula without the terms and factors that contradict the units, as noise brings them; None if nothing is left.

        Its numbers are to be tuned again; whether the units admit it is not said.
        """
        factor, rest = split_term(expression)
        kept = None if rest is None else fold(rest, lambda node, parts: self._kept(node, parts, node is rest))
        if kept is None or not variables(kept[0]):
            return None
        return simplify(weighted(factor, kept[0]))

    def _kept(self, node: Expression, parts: tuple[_Part, ...], whole: bool) -> _Part:
        """What is left of a node, with its dimension."""
        sound = [part for part in parts if part is not None]
        if isinstance(node, Operation) and node.name in ("add", "sub"):
            if node.name == "sub" and parts[1] is not None:
                sound[-1] = (call("neg", parts[1][0]), parts[1][1])
            given = [dimension for _, dimension in sound if dimension is not None]
            wanted = (
                self.target if whole and self.target in given else max(given, key=given.count, default=None)
            )
            terms = [part for part, dimension in sound if dimension in (wanted, None)]
            return (sum_of(terms), wanted) if terms else None
        if isinstance(node, Operation) and node.name == "mul" and any(variables(part) for part, _ in sound):
            node = product_of([part for part, _ in sound])
            if len(sound) == 1:
                return sound[0]
        elif len(sound) < len(parts):
            return None
        else:
            node = rebuild(node, tuple(part for part, _ in sound))
        try:
            return node, self._node(node, tuple(dimension for _, dimension in sound))
        except _ViolationError:
            return None

    # --- dimensional analysis ---------------------------------------------------------------------

    def groups(self, X: Floats) -> tuple[Group, list[Group]] | None:
        """A product of the target's dimension, and the dimensionless groups of the features (Buckingham).

        The repeating features are those that give the simplest exponents; all of them keep one sign. None when the target's
        unit is unknown, or no product of powers has it.
        """
        if self.target is None or not self.features:
            return None
        A = np.array([[float(e) for e in d] for d in self.features]).reshape(len(self.features), -1)
        wanted = np.array([float(e) for e in self.target])
        rank = int(np.linalg.matrix_rank(A)) if A.size else 0
        usable = [j for j in range(len(A)) if np.all(X[:, j] > 0.0)]
        best: tuple[float, Group, list[Group]] | None = None
        for repeating in itertools.combinations([j for j in usable if A[j].any()], rank):
            basis = A[list(repeating)].T
            if rank and np.linalg.matrix_rank(basis) < rank:
                continue
            prefactor = _solved(basis, wanted, repeating)
            if prefactor is None:
                return None  # another choice spans the same space
            groups = []
            for j in range(len(A)):
                if j not in repeating:
                    powers = _solved(basis, -A[j], repeating)
                    groups.append(None if powers is None else Group({j: 1.0, **powers}))
            if any(g is None for g in groups):
                continue
            kept = [g for g in groups if g is not None]
            cost = _cost(prefactor) + sum(_cost(g.exponents) for g in kept)
            if best is None or cost < best[0]:
                best = (cost, Group(prefactor), kept)
        return None if best is None else (best[1], best[2])


def has_no_unit(value: float) -> bool:
    """Is a factor a number by itself, without a unit: whole, a simple fraction, or such a multiple of π or a small root?"""
    units = (1.0, np.pi, np.sqrt(2.0), np.sqrt(3.0), np.sqrt(np.pi), np.pi**2)
    return any(
        abs(float(Fraction(value / unit).limit_denominator(16)) * unit - value) <= 1e-9 * abs(value)
        for unit in (*units, *(1.0 / u for u in units))
    )


def _of_features(units: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """Units by feature: that of a raw column is that of the numeric column that stands for it. Indicators, waves and means of
    levels have none, times since the first have their own."""
    made = [name for name in names if isinstance(name, ColumnName) and name not in units]
    found = {**units}
    for name in made:
        column = name.column
        if name.stands_for and column.source in units:
            found[str(name)] = units[column.source]
        elif not isinstance(column, Plain | Filled):
            found[str(name)] = column.unit if isinstance(column, Elapsed) else "dimensionless"
    raw = {name.column.source for name in made} - set(names)
    return {name: unit for name, unit in found.items() if name not in raw}


def _cost(exponents: dict[int, float]) -> float:
    return sum(abs(e) + (0.0 if float(e).is_integer() else 1.0) for e in exponents.values())


def _solved(basis: Floats, wanted: Floats, repeating: tuple[int, ...]) -> dict[int, float] | None:
    """Exponents of the repeating features that give a dimension, as simple fractions; None if there are none."""
    if not repeating:
        return {} if not wanted.any() else None
    solution = np.linalg.lstsq(basis, wanted, rcond=None)[0]
    exact = [Fraction(float(e)).limit_denominator(LARGEST_DENOMINATOR) for e in solution]
    values = np.array([float(e) for e in exact])
    if np.max(np.abs(basis @ values - wanted), initial=0.0) > 1e-9:
        return None
    return {j: float(e) for j, e in zip(repeating, values, strict=True) if e != 0.0}


def _times(dimension: Dimension, factor: Fraction) -> Dimension:
    return tuple(e * factor for e in dimension)


def _agreed(parts: Sequence[Dimension | None]) -> Dimension | None:
    given = {part for part in parts if part is not None}
    if len(given) > 1:
        raise _ViolationError
    return next(iter(given), None)


_REGISTRY: list[Any] = []


def _registry() -> Any:
    """Pint's registry: it takes half a second to build, so there is one."""
    if not _REGISTRY:
        try:
            import pint
        except ImportError:
            raise ImportError("units needs Pint; install it with: pip install 'multigene[units]'") from None
        _REGISTRY.append(pint.UnitRegistry())
    return _REGISTRY[0]


def _dimensionality(name: str, unit: Any) -> dict[str, Fraction]:
    """Exponents of base dimensions of a unit."""
    if not isinstance(unit, str):
        raise ValueError(f"The unit of {name!r} is {unit!r}; give text such as 'm/s' or 'dimensionless'.")
    text = unit.strip()
    if text in ("", "1", "-"):
        return {}
    registry = _registry()
    try:
        found = registry.parse_expression(text)
        dimensionality = getattr(found, "dimensionality", {})
    except Exception:  # Pint has many ways to refuse; a user needs one sentence
        raise ValueError(
            f"The unit {unit!r} of {name!r} is not known; give one that Pint reads, such as 'kg*m/s^2' or 'N'."
        ) from None
    return {
        str(base): Fraction(float(e)).limit_denominator(1000) for base, e in dict(dimensionality).items() if e
    }

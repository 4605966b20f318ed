"""Functions that a user chose, as a promise about formulas: which trees may be told with these functions alone.

Linear structure is always there, since models are sums of terms with coefficients: sums, differences, parts times a number. All
else has to be among the functions, or be made of them: a square by `mul` or `pow2`, a quotient by `div` or by `inv` and `mul`, a
root by `sqrt`, other powers by `exp` and `log`. The law search (`laws/`) turns away what is not admitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from multigene.expression.definitions import DEFINITIONS, spelt_out
from multigene.expression.operators import named_power
from multigene.expression.tree import Expression, Operation, Power, Variable, fold

#: What sums of terms with coefficients are made of.
LINEAR = frozenset({"add", "sub", "neg"})
#: What a definition of a new function uses by sign.
SIGNS = {"*": "mul", "/": "div", "**": "mul", "^": "mul"}


class Vocabulary:
    """Chosen functions; None admits everything."""

    def __init__(self, functions: Iterable[str] | None = None, definitions: Iterable[str] = ()) -> None:
        """`definitions` are those of new functions, which formulas spell out: what they use may be used."""
        self.chosen = None if functions is None else LINEAR.union(functions)
        if self.chosen is not None:
            for text in definitions:
                used = re.findall(r"[^\W\d]\w*(?=\s*\()|\*\*|[*/^]", text)
                self.chosen |= {SIGNS.get(word, word) for word in used}
            self._exponents = frozenset(
                exponent for name in self.chosen if (exponent := named_power(name)) is not None
            )

    def allows(self, *names: str) -> bool:
        """Are all of these among the functions, or linear structure?"""
        return self.chosen is None or self.chosen.issuperset(names)

    def admits(self, expression: Expression) -> bool:
        """Can a formula be told with these functions and linear structure alone?"""
        return self.chosen is None or fold(expression, self._node) is not None

    def _node(self, node: Expression, parts: tuple[bool | None, ...]) -> bool | None:
        """Whether a part varies; None if it is not admitted."""
        if None in parts:
            return None
        varies = isinstance(node, Variable) or any(parts)
        admitted = True
        if varies and isinstance(node, Power):
            admitted = self._raises(Fraction(node.exponent).limit_denominator(1000), node.exponent)
        elif varies and isinstance(node, Operation):
            admitted = self._applies(node, [bool(part) for part in parts])
        return varies if admitted else None

    def _applies(self, node: Operation, vary: list[bool]) -> bool:
        assert self.chosen is not None
        if node.name == "mul":
            return self._multiplies(
                [child for child, varies in zip(node.children, vary, strict=True) if varies]
            )
        if node.name == "div":
            numerator, denominator = vary
            return not denominator or self._divides(alone=not numerator)
        if node.name in self.chosen:
            return True
        exponent = named_power(node.name)
        if exponent is not None:
            return self._raises(Fraction(exponent), float(exponent))
        return node.name in DEFINITIONS and self.admits(spelt_out(node.name, node.children))

    def _multiplies(self, factors: list[Expression]) -> bool:
        """A product of what varies; a*b is a/(1/b)."""
        return len(factors) <= 1 or self.allows("mul") or self.allows("div")

    def _divides(self, alone: bool) -> bool:
        return self.allows("div") or (
            (self.allows("inv") or -1 in self._exponents) and (alone or self.allows("mul"))
        )

    def _raises(self, exponent: Fraction, exactly: float) -> bool:
        """A power of what varies."""
        size = abs(exponent)
        if exponent < 0 and int(exponent) not in self._exponents and not self._divides(alone=True):
            return False
        if exponent.denominator == 2 and self.allows("sqrt"):
            size *= 2
        elif exponent.denominator != 1 or float(exponent) != exactly:
            return self.allows("exp", "log")
        if size <= 1 or self.allows("mul") or self.allows("div"):
            return True
        return exponent in self._exponents or self._composed(int(size))

    def _composed(self, size: int) -> bool:
        """Is a power one of powers that are there, such as the fourth of squares?"""
        return size == 1 or any(
            e > 1 and size % e == 0 and self._composed(size // e) for e in self._exponents
        )


#: Where nobody has chosen functions.
ANYTHING = Vocabulary()

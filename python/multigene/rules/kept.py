"""Which formulas keep the rules: `Rules` is what a search, a fitted model and its pruning ask.

A formula is checked as it is read: operators that have no common name count as what they are spelt out to, so that a logistic
function has an exp, and a power of 1/2 is a sqrt. Rules about what formulas are made of hold for every candidate of a search;
those about numbers for what it hands over, since numbers change until the end (`numbers.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene.expression.constants import ROUNDING
from multigene.expression.definitions import DEFINITIONS
from multigene.expression.readable import readable
from multigene.expression.tree import Expression, Operation, Power, Variable, evaluate, postorder
from multigene.rules.numbers import constants, exponents
from multigene.rules.own import OwnFunctions, own_functions
from multigene.rules.stated import FUNCTIONS, Rule, read

Floats = npt.NDArray[np.float64]
#: A node, the functions that it is, and those that it stands within.
Seen = tuple[Expression, frozenset[str], frozenset[str]]

#: Rules about numbers, which change until a search ends.
OF_NUMBERS = ("constants", "exponents")


@dataclass(frozen=True)
class Rules:
    """All rules of a problem."""

    stated: tuple[Rule, ...] = ()
    points: Floats | None = None
    """Rows on which arguments of functions are looked at; None where there are none to look at."""
    own: OwnFunctions | None = None
    """Functions that the user defines and a rule names."""

    @staticmethod
    def of(
        texts: Any, names: Sequence[str], functions: Sequence[Any] = (), points: Floats | None = None
    ) -> Rules:
        """Of texts about columns of these names and a set of functions; a `ValueError` says what is wrong."""
        if not texts:
            return Rules()
        defined = own_functions(functions)
        rules = read(texts, names, tuple(defined))
        named = {name for rule in rules for name in (*rule.functions, *rule.inner)}
        own = OwnFunctions({name: text for name, text in defined.items() if name in named})
        return Rules(rules, points, own if own.names else None)

    def seen_by(self, standardised: Callable[[Floats], Floats]) -> Rules:
        """The same for formulas of standardised columns."""
        return self if self.points is None else replace(self, points=standardised(self.points))

    def __bool__(self) -> bool:
        return bool(self.stated)

    @cached_property
    def never(self) -> tuple[int, ...]:
        """Columns that no formula may have."""
        return tuple(j for rule in self.stated if rule.kind == "never" for j in rule.columns)

    @cached_property
    def needed(self) -> tuple[int, ...]:
        """Columns that every formula must have."""
        return tuple(
            dict.fromkeys(j for rule in self.stated if rule.kind == "must use" for j in rule.columns)
        )

    @cached_property
    def within(self) -> dict[int, tuple[str, ...]]:
        """Columns that may stand within some functions alone, and those."""
        return {j: rule.functions for rule in self.stated if rule.kind == "only in" for j in rule.columns}

    @cached_property
    def of_numbers(self) -> tuple[Rule, ...]:
        """Those about numbers."""
        return tuple(rule for rule in self.stated if rule.kind in OF_NUMBERS)

    @cached_property
    def _of_structure(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.stated if rule.kind not in OF_NUMBERS)

    @cached_property
    def _by_name(self) -> bool:
        """Does a rule name a function that formulas spell out?"""
        return self.own is not None or any(
            name in DEFINITIONS for rule in self.stated for name in (*rule.functions, *rule.inner)
        )

    def broken(self, expression: Expression) -> Rule | None:
        """The first rule that a formula breaks."""
        return self.broken_structure([expression]) or self._broken_numbers(expression)

    def broken_structure(self, parts: Sequence[Expression]) -> Rule | None:
        """The first rule that the formula made of these parts breaks, apart from its numbers."""
        if not self._of_structure:
            return None
        trees = [readable(part) for part in parts]
        found = [each for tree in trees for each in self._walk(tree)]
        spelt = next((rule for rule in self._of_structure if self._breaks(rule, found)), None)
        if spelt is not None or not self._by_name:
            return spelt
        named = [each for part in parts for each in self._walk(part)]
        return next((rule for rule in self._of_structure if self._breaks(rule, named)), None)

    def _walk(self, expression: Expression) -> Iterator[Seen]:
        """Every node with the functions that it is, and those that it stands within."""
        waiting: list[tuple[Expression, frozenset[str]]] = [(expression, frozenset())]
        while waiting:
            node, inside = waiting.pop()
            names = names_of(node)
            if self.own is not None:
                names |= self.own.found(node).keys()
            yield node, names, inside
            within = inside | names
            waiting.extend((child, within) for child in node.children)

    def _breaks(self, rule: Rule, found: list[Seen]) -> bool:
        """Is a rule about structure broken by nodes that stand within these functions?"""
        subject, columns = frozenset(rule.functions), frozenset(rule.columns)
        if rule.kind == "must use":
            return not columns <= {node.index for node, *_ in found if isinstance(node, Variable)}
        if rule.kind == "at most":
            return any(sum(name in names for _, names, _ in found) > rule.most for name in subject)
        if rule.kind == "values":
            return any(names & subject and not self._within_range(node, rule) for node, names, _ in found)
        for node, names, inside in found:
            is_named = isinstance(node, Variable) and node.index in columns
            if rule.kind == "never" and (is_named or names & subject):
                return True
            if rule.kind == "only in" and is_named and not inside & subject:
                return True
            if not inside & subject:
                continue
            if rule.kind == "never of" and (is_named or names & frozenset(rule.inner)):
                return True
            if rule.kind == "only of":
                if columns and isinstance(node, Variable) and not is_named:
                    return True
                if rule.inner and names - frozenset(rule.inner):
                    return True
        return False

    def _within_range(self, node: Expression, rule: Rule) -> bool:
        """Do the arguments of a function keep a range on all points?"""
        if self.points is None:
            return True
        with np.errstate(all="ignore"):
            own = {} if self.own is None else self.own.found(node)
            arguments = next((own[name] for name in rule.functions if name in own), node.children)
            values = [np.asarray(evaluate(argument, self.points)) for argument in arguments]
        return all(bool(np.all((v >= rule.low) & (v <= rule.high))) for v in values)

    def _broken_numbers(self, expression: Expression) -> Rule | None:
        for rule in self.of_numbers:
            found = constants(expression) if rule.kind == "constants" else exponents(expression)
            if not all(_allowed(value, rule) for value in found):
                return rule
        return None


def _allowed(value: float, rule: Rule) -> bool:
    room = ROUNDING * max(1.0, abs(value))
    if rule.whole and abs(value - round(value)) > room:
        return False
    return rule.low - room <= value <= rule.high + room


def names_of(node: Expression) -> frozenset[str]:
    """Functions that a node is: by its own name, and by what its definition has."""
    if isinstance(node, Power):
        return frozenset({"sqrt"}) if abs(node.exponent) == 0.5 else frozenset()
    if not isinstance(node, Operation) or node.name not in FUNCTIONS:
        return frozenset()
    return _named(node.name)


@cache
def _named(name: str) -> frozenset[str]:
    spelt = DEFINITIONS.get(name)
    inner = postorder(spelt) if spelt is not None else ()
    calls = (node.name for node in inner if isinstance(node, Operation) and node.name in FUNCTIONS)
    return frozenset({name}).union(*map(_named, calls))

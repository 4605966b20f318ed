"""Rules of building: what formulas may look like, apart from what they predict.

Nobody believes tanh(tanh(tanh(x))), exp(cos(exp(cos(x)))) or x**18. Models that break a rule do not become members of a front
(`task.py`), and finds of the law search that do are not shown unless they are laws. The setting `nesting` says how strict that
is; rules that a user states (`rules/`) hold for laws as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from multigene._engine import Individual
from multigene.expression.constants import LARGEST_EXPONENT
from multigene.expression.genes import gene_expression
from multigene.expression.numbers import largest_exponent
from multigene.expression.operators import OPERATORS, named_power
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Expression
from multigene.rules.kept import Rules
from multigene.search.constants import GENES_KNOWN
from multigene.settings.settings import Settings

#: A function's name with its bracket, or a bracket.
BRACKET = re.compile(r"([a-z][a-z0-9_]*)?\(|\)")


@dataclass(frozen=True)
class Building:
    """The rules of a search."""

    nesting: int
    """Functions of one kind that may stand inside each other; one more where kinds differ."""
    exponent: float
    """The largest exponent, of either sign."""
    rules: Rules = field(default_factory=Rules)
    """What the user says."""

    @staticmethod
    def of(settings: Settings, rules: Rules | None = None) -> Building:
        """Of a search; powers that the user names are allowed, and exponents within a range that the user gives."""
        assert settings.search is not None
        named = [named_power(entry[0]) for entry in settings.genes.functions]
        told = [abs(float(exponent)) for exponent in named if exponent is not None]
        rules = rules or Rules()
        ranges = [(rule.low, rule.high) for rule in rules.of_numbers if rule.kind == "exponents"]
        largest = [
            max(abs(low), abs(high)) for low, high in ranges if math.isfinite(low) and math.isfinite(high)
        ] or [LARGEST_EXPONENT]
        return Building(settings.search.nesting, max(*largest, *told, 1.0), rules)

    def allow(self, individual: Individual) -> bool:
        """Whether a model keeps the rules, in all of its genes that count."""
        return self._keeps_rules(individual) and all(
            coefficient == 0.0 or gene_keeps(text, self.nesting, self.exponent)
            for text, coefficient in zip(individual.genes, individual.coefficients, strict=True)
        )

    def allow_find(self, individual: Individual, expression: Expression) -> bool:
        """The same of a find, whose powers may be written with logarithms."""
        nested = any(nests(text, self.nesting) for text in individual.genes)
        return not nested and largest_exponent(expression) <= self.exponent

    def _keeps_rules(self, individual: Individual) -> bool:
        """Does a model keep the user's rules, apart from those about numbers?"""
        if not self.rules:
            return True
        used = [gene for gene, coefficient in enumerate(individual.coefficients) if coefficient != 0.0]
        return self.rules.broken_structure([gene_expression(individual, gene) for gene in used]) is None


@lru_cache(maxsize=GENES_KNOWN)
def gene_keeps(gene: str, nesting: int, exponent: float) -> bool:
    """Whether a gene nests functions no deeper and has no larger exponent. Models of a front share genes, so most are known."""
    return not nests(gene, nesting) and not has_a_high_power(gene, exponent)


def has_a_high_power(gene: str, most: float) -> bool:
    """Does a gene, simplified, have an exponent beyond ±`most`?"""
    individual = Individual([gene], 0.0, [1.0])
    if no_larger_exponent(individual.tokens(0)) <= most:  # simplifying takes a thousand times as long
        return False
    return largest_exponent(simplify(gene_expression(individual, 0))) > most


def no_larger_exponent(tokens: Iterable[tuple[Any, ...]]) -> float:
    """A bound of the exponents in a gene, however it is simplified: that of a product is the sum of its factors' exponents."""
    stack: list[tuple[float, float]] = []  # of every part its exponent as a factor, and the largest inside
    for token in tokens:
        kind, count = token[0], arity(token[0])
        parts = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        own, inside = max((p[0] for p in parts), default=1.0), max((p[1] for p in parts), default=1.0)
        if kind == "c":
            own = 0.0
        elif kind == "product":
            own = max((abs(exponent) for _, exponent in token[2]), default=0.0)
        elif kind in ("mul", "div"):
            own = sum(p[0] for p in parts)
        elif kind == "pow":
            own *= abs(token[1])
        elif kind == "sqrt":
            own *= 0.5
        elif kind == "gauss":
            own, inside = 1.0, max(inside, 2.0 * own)
        elif kind not in ("neg", "inv", "abs"):
            own = max(own, 1.0) if kind in ("add", "sub", "weights") else 1.0
        stack.append((own, max(inside, own)))
    return stack[0][1]


def arity(kind: str) -> int:
    """Arguments of a token of a gene."""
    if kind in ("c", "x", "lcf", "product"):
        return 0
    return 1 if kind in ("pow", "weights") else OPERATORS[kind].arity


def nests(gene: str, most: int) -> bool:
    """Does a gene hold more than this many functions of one kind inside each other, or more than one more of any kind?"""
    names: list[str] = []
    for found in BRACKET.finditer(gene):
        if found[0] == ")":
            names.pop()
        else:
            names.append(found[1] or "")
            if names[-1] and (names.count(names[-1]) > most or sum(map(hides, names)) > most + 1):
                return True
    return False


def hides(name: str) -> bool:
    """Does a function hide its argument from a reader? Signs and powers do not."""
    return name not in ("", "neg", "inv", "abs", "sqrt") and named_power(name) is None

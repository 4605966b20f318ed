"""Rules of building: what formulas may look like, apart from what they predict.

Nobody believes tanh(tanh(tanh(x))) or x**18. Models that break a rule do not become members of a front (`task.py`), and finds of
the law search that do are not shown unless they are laws. The setting `nesting` says how strict that is; rules that a user states
(`rules/`) hold for laws as well.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from multigene._engine import Individual
from multigene.expression.genes import gene_expression
from multigene.expression.numbers import largest_exponent
from multigene.expression.operators import named_power
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Expression
from multigene.rules.kept import Rules
from multigene.search.constants import LARGEST_EXPONENT
from multigene.settings.settings import Settings

#: A function's name with its bracket, or a bracket.
BRACKET = re.compile(r"([a-z][a-z0-9_]*)?\(|\)")


@dataclass(frozen=True)
class Building:
    """The rules of a search."""

    nesting: int
    """Functions of one kind that may stand inside each other."""
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
            coefficient == 0.0
            or not (nests(text, self.nesting) or self._has_a_high_power(individual, number))
            for number, (text, coefficient) in enumerate(
                zip(individual.genes, individual.coefficients, strict=True)
            )
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

    def _has_a_high_power(self, individual: Individual, gene: int) -> bool:
        most, products = 1.0, 1
        for token in individual.tokens(gene):
            products += token[0] == "mul"
            most *= 2.0 if token[0] == "gauss" else max(1.0, abs(token[1])) if token[0] == "pow" else 1.0
        if most * products <= self.exponent:  # however they are combined
            return False
        return largest_exponent(simplify(gene_expression(individual, gene))) > self.exponent


def nests(gene: str, most: int) -> bool:
    """Does a gene hold more than this many functions of one kind inside each other?"""
    names: list[str] = []
    for found in BRACKET.finditer(gene):
        if found[0] == ")":
            names.pop()
        else:
            names.append(found[1] or "")
            if names[-1] and names.count(names[-1]) > most:
                return True
    return False

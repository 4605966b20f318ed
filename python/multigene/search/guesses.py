"""Formulas that a user has already: tuned on the rows of a search before it begins, and what becomes of them in it.

A guess has the right structure more often than the right numbers. Its numbers are tuned by Levenberg-Marquardt from several
starts, first with coefficients of its terms and an intercept by least squares, then as it is written. Islands breed from both,
the front lists them, and one that is exact is the law at once (`seeking.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import mul

import numpy as np

from multigene._engine import Dataset, Individual, Workers, polish
from multigene.data.spread import evenly
from multigene.evolution.pareto import Member
from multigene.expression.build import call
from multigene.expression.engine_text import engine_form
from multigene.expression.genes import model_expression
from multigene.expression.numbers import map_numbers, parameters
from multigene.expression.rewriting import simplify
from multigene.expression.rewriting.parts import split_term
from multigene.expression.tree import Expression, Number, Operation, Power, evaluate, fold, rebuild
from multigene.laws.constants import POLISH
from multigene.laws.find import individual_of
from multigene.search.constants import GUESS_FACTORS, GUESS_KEPT, GUESS_ROWS, GUESS_STARTS, GUESS_TUNING
from multigene.search.problem import Problem

#: Operators whose arguments need no factor of their own: it comes out again as a factor, or as a term.
PLAIN = ("neg", "inv", "sqrt", "abs", "sign", "log")


@dataclass(frozen=True)
class Guess:
    """A guess as a model of the user's features."""

    model: Individual
    as_written: bool
    """Has it the terms of the guess and no others?"""
    bare: bool
    """Are all of its numbers within its one gene, without an intercept?"""


def tuned(problem: Problem, workers: Workers) -> list[Guess]:
    """Every guess of a problem as models of the user's features: as it is written, and with coefficients of its own.

    Guesses that have no value on some row, and numbers that lead nowhere, are left out.
    """
    rows = problem.search_rows
    few = rows[evenly(len(rows), GUESS_ROWS)]
    some, all_of_them = problem.user_dataset(few), problem.user_dataset(rows)
    found: list[Guess] = []
    for guess in problem.guesses:
        found += _tuned(_before_link(guess, problem.loss.link), problem, some, all_of_them, workers)
    return found


def listed(problem: Problem, guesses: Sequence[Guess], workers: Workers) -> list[Member]:
    """Guesses as members of the front, each as it is written, tuned on all rows."""
    data, members = problem.plain_dataset(), []
    for bare in (True, False):
        models = [guess.model for guess in guesses if guess.as_written and guess.bare is bare]
        again = polish(models, data, GUESS_TUNING, [], workers, not bare)
        members += [
            Member(m, m.fitness, m.printed_size(), source="guess") for m in again if np.isfinite(m.fitness)
        ]
    return members


def _tuned(
    guess: Expression, problem: Problem, some: Dataset, data: Dataset, workers: Workers
) -> list[Guess]:
    """The guess as it is written, with an intercept, and with numbers where it has none but might."""
    freed = _with_free_exponents(guess, problem)
    shapes = dict.fromkeys([guess, freed, _with_free_arguments(freed)])
    found: list[Guess] = []
    for shape in shapes:
        best = _best(shape, some, data, workers)
        # A factor of the target is an intercept within a link.
        constant = _has_constant(guess) or problem.loss.link != "identity"
        if not constant:
            bare = [m for each in best if (m := _without_intercept(each)) is not None]
            bare = [m for m in polish(bare, data, POLISH, [], workers, False) if np.isfinite(m.fitness)]
            found += [Guess(m, as_written=shape is guess, bare=True) for m in bare]
        found += [Guess(m, as_written=shape is guess and constant, bare=False) for m in best]
    return found


def _best(shape: Expression, some: Dataset, data: Dataset, workers: Workers) -> list[Individual]:
    """The best of all starts with coefficients of its terms and an intercept, if one leads anywhere."""
    rng = np.random.default_rng(0)
    models = [m for each in _starts(shape, rng) if (m := individual_of(_terms(each))) is not None]
    fitted = [m for m in polish(models, some, GUESS_TUNING, [], workers) if np.isfinite(m.fitness)]
    best = sorted(fitted, key=lambda m: -m.fitness)[:GUESS_KEPT]
    best = [m for m in polish(best, data, POLISH, [], workers) if np.isfinite(m.fitness)]
    return sorted(best, key=lambda m: -m.fitness)[:1]


def _before_link(guess: Expression, link: str) -> Expression:
    """What a guess of the target says of what is within the inverse of the link."""
    if link == "log":
        return simplify(call("log", guess))
    if link == "logit":
        return simplify(call("log", call("div", guess, call("sub", Number(1.0), guess))))
    return guess


def _starts(guess: Expression, rng: np.random.Generator) -> list[Expression]:
    """The guess with its own numbers and with others: of other sizes and signs."""
    form = engine_form(guess)
    found = [form]
    found += [map_numbers(form, partial(mul, factor)) for factor in GUESS_FACTORS]

    def drawn(value: float) -> float:
        sign = 1.0 if rng.random() < 0.8 else -1.0
        return value * sign * float(np.exp(rng.normal()))

    found += [map_numbers(form, drawn) for _ in range(GUESS_STARTS)]
    return list(dict.fromkeys(found)) if parameters(form) else found[:1]


def _terms(expression: Expression) -> list[Expression]:
    """The terms of a sum without their coefficients and without its constant: genes of a model."""
    if isinstance(expression, Operation) and expression.name in ("add", "sub"):
        return [term for part in expression.arguments for term in _terms(part)]
    _, rest = split_term(expression)
    return [] if rest is None else [rest] if rest is expression else _terms(rest)


def _has_constant(expression: Expression) -> bool:
    if isinstance(expression, Operation) and expression.name in ("add", "sub"):
        return any(_has_constant(part) for part in expression.arguments)
    return split_term(expression)[1] is None


def _without_intercept(model: Individual) -> Individual | None:
    """The same terms as one gene whose numbers are all its own."""
    return individual_of([model_expression(Individual(model.genes, 0.0, model.coefficients))])


def _with_free_exponents(guess: Expression, problem: Problem) -> Expression:
    """Powers of what is positive on every row as exp(w·log(…)), so that their exponents are tuned as well."""
    rows = problem.X[problem.search_rows]

    def freed(node: Expression, parts: tuple[Expression, ...]) -> Expression:
        new = rebuild(node, parts)
        if isinstance(node, Operation) and node.name == "sqrt":
            node = Power(node.arguments[0], 0.5)
        if not isinstance(node, Power) or not np.all(evaluate(node.base, rows) > 0.0):
            return new
        return call("exp", call("mul", Number(node.exponent), call("log", new.children[0])))

    return fold(guess, freed)


def _with_free_arguments(guess: Expression) -> Expression:
    """A factor before the argument of every function that has none, and a phase in every sine and cosine."""

    def freed(node: Expression, parts: tuple[Expression, ...]) -> Expression:
        new = rebuild(node, parts)
        if not isinstance(new, Operation) or new.name in PLAIN or len(new.arguments) != 1:
            return new
        coefficient, rest = split_term(new.arguments[0])
        if rest is None:
            return new
        inside: Expression = call("mul", Number(coefficient), rest)
        if new.name in ("sin", "cos"):
            inside = call("add", inside, Number(0.0))
        return call(new.name, inside)

    return fold(guess, freed)

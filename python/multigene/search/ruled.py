"""The last word on the rules of building: no model of a result breaks one.

Candidates that break a rule about what formulas are made of do not enter a front (`building.py`); numbers change until the end,
so rules about them are met here: inner numbers are put to the nearest that are allowed, coefficients are fitted anew within their
range, and what still breaks a rule is left out. A line of the columns that may stand alone, and the least formula that has what
must be used, are always among the models.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import scipy

from multigene._engine import Individual
from multigene.evolution.pareto import Member, non_dominated, with_member
from multigene.expression.build import call, join_term, sum_of
from multigene.expression.form import Form
from multigene.expression.genes import model_expression
from multigene.expression.operators import OPERATORS
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Expression, Number, Variable, evaluate
from multigene.formula import Formula
from multigene.laws.law import as_individual
from multigene.rules.kept import Rules
from multigene.rules.numbers import projected, signed_terms
from multigene.search.constants import RULED_REWEIGHTINGS, WHOLE_ROUNDS
from multigene.search.linear import Ridge
from multigene.search.problem import Problem
from multigene.search.result import Result, mean_of
from multigene.search.validation import best_of

Floats = npt.NDArray[np.float64]

NOTHING_KEEPS = "No formula was found that keeps all of rules={texts!r}; leave one out, or give more time."


def ruled(problem: Problem, result: Result) -> Result:
    """The result without what breaks a rule; numbers that do are changed first where that helps."""
    if not problem.rules:
        return result
    pairs = [(old, kept(problem, old)) for old in result.front]
    own = next((new for old, new in pairs if old is result.chosen), None)
    left = [new for _, new in pairs if new is not None]
    searched = [m for m in left if m.source == "search"]
    if problem.form is None:
        searched += [m for each in fallback(problem) if (m := kept(problem, each)) is not None]
    members = non_dominated(searched)
    others = [m for m in left if m.source != "search"]
    if not members:
        raise ValueError(NOTHING_KEEPS.format(texts=[rule.text for rule in problem.rules.stated]))
    chosen = own if own is result.chosen and own is not None else best_of(problem, members)
    return Result(chosen, [*with_member(members, chosen), *others])


def refuse_broken_form(form: Form | None, rules: Rules) -> None:
    """A `ValueError` where what a user knows of the formula breaks a rule with anything in its gaps."""
    if form is None:
        return
    known = form.filled([Number(1.0)] * len(form.functions), [1.0] * len(form.numbers))
    always = [rule for rule in rules.stated if rule.kind in ("never", "only of", "never of", "at most")]
    rule = Rules(tuple(always), own=rules.own).broken(known)
    if rule is not None:
        raise ValueError(f"The form {form.text!r} breaks the rule {rule.text!r}; leave one of them out.")


def allowed_guesses(
    guesses: tuple[Expression, ...], rules: Rules, names: list[str]
) -> tuple[Expression, ...]:
    """The user's own formulas without those that break a rule by what they are made of, which is said; a `ValueError` where none
    is left."""
    broken = [(guess, rule) for guess in guesses if (rule := rules.broken_structure([guess])) is not None]
    if not broken:
        return guesses
    (first, rule), others = broken[0], len(broken) - 1
    told = f"The guess {str(Formula(first, names))!r} breaks the rule {rule.text!r}"
    if len(broken) == len(guesses):
        raise ValueError(f"{told}; leave one of them out.")
    more = f", as do {others} others" if others else ""
    warnings.warn(f"{told} and is left out{more}.", UserWarning, stacklevel=5)
    left_out = {id(guess) for guess, _ in broken}
    return tuple(guess for guess in guesses if id(guess) not in left_out)


def is_accepted(problem: Problem, individual: Individual) -> bool:
    """Does a model in the user's units keep the shapes and the rules?"""
    shaped = problem.keeper is None or problem.keeper.accepts(individual)
    return shaped and (not problem.rules or problem.rules.broken(model_expression(individual)) is None)


def kept(problem: Problem, member: Member) -> Member | None:
    """A model that keeps the rules: as it is, with other numbers, or None."""
    rules, expression = problem.rules, model_expression(member.individual)
    if rules.broken(expression) is None:
        return member
    if not rules.of_numbers or problem.form is not None or rules.broken_structure([expression]) is not None:
        return None
    changed = _with_other_numbers(problem, expression)
    individual = None if changed is None else as_individual(changed)
    if individual is None or rules.broken(model_expression(individual)) is not None:
        return None
    with np.errstate(all="ignore"):
        values = individual.predict(problem.X)
    fitness = (
        problem.loss.explained(problem.y, values, problem.weights) if np.isfinite(values).all() else -np.inf
    )
    if not np.isfinite(fitness) or (problem.keeper is not None and not problem.keeper.accepts(individual)):
        return None
    size = individual.printed_size()
    return replace(member, individual=individual, fitness=fitness, complexity=size, validation=np.nan)


def fallback(problem: Problem) -> list[Member]:
    """The mean, a line of all columns that may stand outside functions, and the least formula that has what must be used."""
    rules, found = problem.rules, [mean_of(problem).chosen]
    banned = {*rules.never, *rules.within}
    free = [j for j in range(problem.X.shape[1]) if j not in banned]
    if free:
        found.append(_line(problem, free))
    terms = [_least_use(rules, j) for j in rules.needed]
    genes = [str(gene) for term in terms if (one := as_individual(term)) for gene in one.genes]
    if genes:
        fitted = Individual(genes, 0.0, [1.0] * len(genes)).fit(problem.plain_dataset())
        if np.isfinite(fitted.fitness):
            found.append(Member(fitted, fitted.fitness, fitted.printed_size()))
    return found


def _line(problem: Problem, columns: list[int]) -> Member:
    """A line of some columns, shrunk as unseen rows like it best."""
    Z = problem.standardised(problem.X)
    Z[:, [j for j in range(Z.shape[1]) if j not in columns]] = 0.0
    weights = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    ridge = Ridge.of_loss(Z, problem.y, weights, problem.loss)
    shrunk = problem.scaling.in_user_units(ridge.individual())
    return Member(shrunk, ridge.explained(Z, problem.y, weights, problem.loss), shrunk.printed_size())


def _least_use(rules: Rules, column: int) -> Expression:
    """A column by itself, or within the first function that it may stand in."""
    for name in rules.within.get(column, ()):
        if OPERATORS[name].arity == 1:
            return call(name, Variable(column))
    return Variable(column)


# --- numbers --------------------------------------------------------------------------------------


def _with_other_numbers(problem: Problem, expression: Expression) -> Expression | None:
    """The formula with inner numbers that are allowed, and the best coefficients of its terms that are."""
    rules = problem.rules

    def nearest(kind: str, value: float) -> float:
        low, high, whole = _range(rules, kind)
        near = min(max(value, low), high)
        return float(min(max(round(near), np.ceil(low)), np.floor(high))) if whole else near

    terms: list[Expression] = []
    for _, rest in signed_terms(expression):
        if rest is not None:
            inner = simplify(
                projected(rest, lambda v: nearest("constants", v), lambda v: nearest("exponents", v))
            )
            terms += [each for _, each in signed_terms(inner) if each is not None]
    terms = list(dict.fromkeys(terms))
    with np.errstate(all="ignore"):
        columns = np.column_stack([np.ones(len(problem.y)), *(evaluate(t, problem.X) for t in terms)])
    if not np.isfinite(columns).all():
        return None
    found = _coefficients(problem, columns, *_range(rules, "constants"))
    pairs = zip(found.tolist(), [None, *terms], strict=True)
    return simplify(sum_of([join_term(c, term) for c, term in pairs if c != 0.0] or [Number(0.0)]))


def _range(rules: Rules, kind: str) -> tuple[float, float, bool]:
    """What is allowed of constants or exponents: least, largest, and whether they must be whole."""
    mine = [rule for rule in rules.of_numbers if rule.kind == kind]
    low, high = max((r.low for r in mine), default=-np.inf), min((r.high for r in mine), default=np.inf)
    return low, high, any(rule.whole for rule in mine)


def _coefficients(problem: Problem, columns: Floats, low: float, high: float, whole: bool) -> Floats:
    """Coefficients within a range, whole ones where asked for, of least loss as far as squared errors like it tell.

    A coefficient may be 0 even where the range has no 0: its term is left out.
    """
    weights = np.ones(len(problem.y)) if problem.weights is None else problem.weights
    loss, y = problem.loss, problem.y
    if loss.squared:
        return _bounded(columns, y, weights, low, high, whole)
    found = np.zeros(columns.shape[1])
    found[0] = min(max(loss.constant(y, weights), low), high)
    for _ in range(RULED_REWEIGHTINGS):
        w, z = loss.working(y, columns @ found)
        if not (np.isfinite(w).all() and np.isfinite(z).all()):
            break
        found = _bounded(columns, z, weights * w, low, high, whole)
    return found


def _bounded(A: Floats, y: Floats, weights: Floats, low: float, high: float, whole: bool) -> Floats:
    """Least squares within bounds; whole numbers one after the other, those that matter most first, then each once more."""
    root = np.sqrt(np.maximum(weights, 0.0) / weights.mean())
    A, y = root[:, None] * A, root * y
    sizes = np.linalg.norm(A, axis=0)
    scale = np.where(sizes > 0.0, sizes, 1.0)
    free, fixed = list(range(A.shape[1])), dict[int, float]()
    if not low <= 0.0 <= high:  # a term that wants less than is allowed is left out
        most = (min(low, 0.0) * scale, max(high, 0.0) * scale)
        relaxed = scipy.optimize.lsq_linear(A / scale, y, bounds=most).x / scale
        least = low if low > 0.0 else high
        fixed = {j: 0.0 for j in free if abs(relaxed[j]) < 0.5 * abs(least)}
        free = [j for j in free if j not in fixed]
    while free:
        rest = y - sum((A[:, j] * value for j, value in fixed.items()), np.zeros(len(y)))
        bounds = (low * scale[free], np.maximum(high * scale[free], low * scale[free] + 1e-300))
        solved = scipy.optimize.lsq_linear(A[:, free] / scale[free], rest, bounds=bounds).x / scale[free]
        if not whole:
            fixed |= dict(zip(free, np.clip(solved, low, high).tolist(), strict=True))
            break
        place = int(np.argmax(np.abs(solved) * sizes[free]))
        fixed[free[place]] = float(np.clip(round(solved[place]), np.ceil(low), np.floor(high)))
        del free[place]
    found = np.array([fixed[j] for j in range(A.shape[1])])
    return _better_whole(A, y, found, low, high) if whole else found


def _better_whole(A: Floats, y: Floats, found: Floats, low: float, high: float) -> Floats:
    """Every whole number at its best while the others stay."""
    for _ in range(WHOLE_ROUNDS):
        before = found.copy()
        for j in range(A.shape[1]):
            own = float(A[:, j] @ A[:, j])
            if own > 0.0 and (found[j] != 0.0 or low <= 0.0 <= high):
                best = float(A[:, j] @ (y - A @ found)) / own + found[j]
                found[j] = float(np.clip(round(best), np.ceil(low), np.floor(high)))
        if np.array_equal(before, found):
            break
    return found

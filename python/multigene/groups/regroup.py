"""From the front of a search to one whose formulas have numbers per group: `p[site]*exp(-0.4*t)`.

The search saw one column for the groups, their means of the target. Here it becomes a number again, and `choice.py` decides which
numbers of each form the groups have for themselves. These become columns of their own (`data/encoding/columns.py:Own`): tables of
group and number, so that all that knows raw columns (printing, exports, files) knows them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.encoding.columns import Own
from multigene.data.scores import explained
from multigene.evolution.pareto import Member
from multigene.explain.front import Front
from multigene.explain.terms import as_individual, split
from multigene.expression.build import call, sum_of
from multigene.expression.genes import model_expression
from multigene.expression.numbers import parameters, to_digits, with_parameters
from multigene.expression.printed_size import printed_size
from multigene.expression.rewriting import simplify
from multigene.expression.rewriting.parts import terms_of
from multigene.expression.rewriting.sums import multiplied_out
from multigene.expression.tree import (
    Expression,
    Number,
    Operation,
    evaluate,
    fold,
    rebuild,
    substitute,
    variables,
)
from multigene.formula import Formula
from multigene.groups.choice import TOLD, Chooser, Chosen, as_told
from multigene.groups.constants import (
    FEW_STEPS,
    FREE,
    LARGEST_FACTORED,
    MOST_FORMS,
    MOST_NUMBERS,
    OWN_DIGITS,
    TINY,
    TRIED,
)
from multigene.groups.own import Fit, Floats, GroupForm, GroupRows, fitted
from multigene.groups.powers import with_own_exponent
from multigene.words import nearest

#: Letters of the numbers per group, in the order in which the formula has them.
LETTERS = "pqrstuvwabcdefghijkmn"


@dataclass(frozen=True)
class Groups:
    """The groups of a model: the column that names them, what was asked, and how many rows each had."""

    column: str
    numbers: tuple[str, ...] = ("auto",)
    """Which numbers groups have for themselves: "auto", or of "offset", "factor", "all"."""
    counts: tuple[tuple[str, int], ...] = ()


def told_numbers(value: str | Sequence[str]) -> tuple[str, ...]:
    """What a user says about the numbers per group, checked."""
    given = tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else tuple(value)
    for each in given:
        if each not in TOLD:
            hint = nearest(str(each), TOLD) or f"; take {', '.join(map(repr, TOLD))}."
            raise ValueError(f"group_numbers={value!r} is not known{hint}")
    if not given or (len(given) > 1 and ({"auto", "all"} & set(given))):
        raise ValueError(
            f"group_numbers={value!r} contradicts itself; give 'auto', 'all', or 'offset' and 'factor' in a list."
        )
    return given


def asked_of_groups(
    groups: object, numbers: str | Sequence[str], others: Mapping[str, object]
) -> tuple[str, ...]:
    """The numbers per group that a fit is asked for, checked; `others` are parameters that do not go with groups."""
    for name, value in others.items():
        if groups is not None and value is not None:
            raise ValueError(f"{name} and groups do not go together; leave one of them out.")
    return told_numbers(numbers)


@dataclass(frozen=True)
class Regrouped:
    """Models with numbers per group, the chosen one, and the columns that these numbers became, after those that there were."""

    members: list[Member]
    default: Member
    columns: list[Own]
    note: str


@dataclass(frozen=True)
class _Model:
    """A form with its numbers, and what it was worth on held-out rows."""

    chosen: Chosen
    fit: Fit
    size: int


def regrouped(
    fronts: Sequence[Front],
    rows: GroupRows,
    levels: Sequence[str],
    groups: Groups,
    mean: int,
    over: Callable[[], bool],
    powers: bool = True,
) -> Regrouped:
    """The forms of some fronts with numbers per group; `mean` is the column of the groups' means of the target, `over` says that
    time is up, `powers` that exponents may be the groups' own."""
    chooser, models = Chooser(rows, powers), list[_Model]()
    found = [_forms(front, rows, mean) for front in fronts]
    in_turn = most_promising(found, chooser.rows, powers, over)
    for number, expression in enumerate([*in_turn, Number(rows.loss.constant(rows.y, rows.shares))]):
        # Each search's simple form, which comes first, is looked at even if time is up.
        late = number >= len(fronts) and over()
        if late and models:
            break
        chosen = chooser.chosen(expression, groups.numbers, over if number >= len(fronts) else _never)
        fit = None if chosen is None else fitted(chosen.fit.form, rows, chosen.worth, chosen.fit)
        if chosen is not None and fit is not None:
            models.append(_Model(chosen, fit, printed_size(fit.form.expression)))
    best = _smallest_as_good(models)
    models = [best, *(model for model in models if model is not best)]
    columns, members = list[Own](), list[Member]()
    some = chooser.rows
    total = some.error(np.full(len(some.y), some.loss.constant(some.y, some.shares)))
    for number, model in enumerate(models):
        made, individual = _as_columns(model, rows, levels, groups.column, number, len(columns))
        columns += made
        X = _with_own(rows, made, len(columns) - len(made))
        members.append(
            Member(
                individual,
                rows.loss.explained(rows.y, individual.predict(X), rows.shares),
                individual.printed_size(),
                validation=explained(model.chosen.loss, total),
            )
        )
    return Regrouped(members, members[0], columns, _note(models[0], groups, columns))


def most_promising(
    found: Sequence[Sequence[Expression]],
    rows: GroupRows,
    powers: bool = True,
    over: Callable[[], bool] | None = None,
) -> list[Expression]:
    """Forms that differ in more than their numbers: the first of every search, then those that say most of the rows for their
    size if every group has all of their numbers for itself. Which they should have takes long to find out, and time may be up
    before the last form, or to compare them: then the rest come as they were found."""
    different: dict[Expression, Expression] = {}
    for form in [form for forms in zip_longest(*found) for form in forms if form is not None]:
        different.setdefault(with_parameters(form, np.full(len(parameters(form)), 1.5)), form)
    first = [form for form in different.values() if any(forms[:1] == [form] for forms in found)]

    def price(form: Expression) -> float:
        if over is not None and over():
            return np.inf
        opened = with_own_exponent(GroupForm(form, ()), rows.X)[:TRIED] if powers else []
        forms = [form, *(each.expression for each in opened)]
        return min(_price(each, rows) for each in forms)

    return first + sorted((form for form in different.values() if form not in first), key=price)


def _price(form: Expression, rows: GroupRows) -> float:
    """What a form with all of its numbers per group leaves of the rows, and what these numbers cost, by Bayes's criterion."""
    fit = fitted(as_told(form, ("all",)), rows, FREE, steps=FEW_STEPS)
    if fit is None or not np.isfinite(fit.error):
        return np.inf
    numbers = len(parameters(form)) * rows.count
    return len(rows.y) * math.log(max(fit.error, TINY)) + numbers * math.log(len(rows.y))


def _never() -> bool:
    return False


def _forms(front: Front, rows: GroupRows, mean: int) -> list[Expression]:
    """Different forms of a front without the groups' means: the pick "simple", then from small to large."""
    simple = front.picks["simple"]
    listed = sorted(front.listed, key=lambda e: (e is not simple, e.complexity))
    centre = Number(float(np.average(rows.X[:, mean], weights=rows.shares)))
    found: dict[Expression, None] = {}
    for each in listed:
        form = factored(simplify(substitute(model_expression(each.member.individual), {mean: centre})))
        form = multiplied_out(form) or form  # x*(x + 0.2) has no exponent that could be a group's own
        if len(parameters(form)) <= MOST_NUMBERS and np.isfinite(evaluate(form, rows.X)).all():
            found.setdefault(form)
    forms = [form for form in found if variables(form)]
    return [forms[i] for i in _spread(0, len(forms), MOST_FORMS)]


def factored(expression: Expression) -> Expression:
    """The expression with factors in front of exponentials, which read better per group: `exp(1 + x)` as `2.718*exp(x)`."""

    def change(node: Expression, children: tuple[Expression, ...]) -> Expression:
        made = rebuild(node, children)
        if not (isinstance(made, Operation) and made.name == "exp"):
            return made
        terms = terms_of(made.arguments[0])
        constant = sum(term.value for term in terms if isinstance(term, Number))
        rest = [term for term in terms if not isinstance(term, Number)]
        if constant == 0.0 or not rest or abs(constant) > LARGEST_FACTORED:
            return made
        return call("mul", Number(math.exp(constant)), call("exp", sum_of(rest)))

    return simplify(fold(expression, change))


def _spread(first: int, end: int, most: int) -> list[int]:
    """At most this many whole numbers from `first` up to `end`, evenly."""
    return sorted(
        {round(i) for i in np.linspace(first, end - 1, min(most, end - first))} if end > first else ()
    )


def _smallest_as_good(models: list[_Model]) -> _Model:
    """The smallest model whose loss on held-out rows is within one standard error of the least."""
    best = min(models, key=lambda model: model.chosen.loss)
    losses = best.chosen.losses
    bound = best.chosen.loss + float(np.sqrt(len(losses)) * losses.std())
    good = [model for model in models if model.chosen.loss <= bound]
    return min(good, key=lambda model: (model.size + len(model.fit.form.places), model.chosen.loss))


def _as_columns(
    model: _Model, rows: GroupRows, levels: Sequence[str], source: str, number: int, before: int
) -> tuple[list[Own], Individual]:
    """The numbers per group as columns, and the engine's model over them."""
    fit, width = model.fit, rows.X.shape[1] + before
    expression = simplify(fit.form.own(width))
    letter = {k: LETTERS[i] for i, k in enumerate(_as_printed(expression, width, len(fit.form.places)))}
    spreads = np.sqrt(np.mean(fit.deviations**2, axis=0)) if len(levels) else np.zeros(0)
    made = []
    for k in range(len(fit.form.places)):
        values = [_short(value, float(spreads[k])) for value in fit.numbers[:, k].tolist()]
        suffix = "" if number == 0 else str(number + 1)
        made.append(
            Own(
                source,
                f"{letter[k]}{suffix}",
                tuple(zip(levels, values, strict=True)),
                _short(float(fit.pooled[k]), float(spreads[k])),
                float(fit.precision[k]),
                float(spreads[k]),
            )
        )
    constant, pairs = split(expression)
    return made, as_individual(constant, [c for c, _ in pairs], tuple(t for _, t in pairs), grouped=True)


def _as_printed(expression: Expression, width: int, own: int) -> list[int]:
    """The numbers per group in the order in which the formula has them when it is printed."""
    names = [f"x{index}" for index in range(width)] + [f"own{k}_" for k in range(own)]
    text = Formula(expression, names).text()
    return sorted(range(own), key=lambda k: text.find(f"own{k}_"))


def _short(value: float, spread: float) -> float:
    """A number with as many digits as tell the groups apart, and some."""
    if not spread > 0.0 or value == 0.0:
        return float(value)
    digits = int(np.ceil(np.log10(max(abs(value) / spread, 1.0)))) + OWN_DIGITS
    return to_digits(value, min(digits, 16))


def _with_own(rows: GroupRows, made: list[Own], before: int) -> Floats:
    """The rows with the columns of some numbers per group after `before` others, which are not looked at."""
    X = np.zeros((len(rows.y), rows.X.shape[1] + before + len(made)))
    X[:, : rows.X.shape[1]] = rows.X
    for k, column in enumerate(made):
        X[:, rows.X.shape[1] + before + k] = own_values(column, rows.codes)
    return X


def own_values(column: Own, codes: npt.NDArray[np.intp]) -> Floats:
    """A number per group on rows whose groups are counted in the column's order."""
    return np.array([*(score for _, score in column.scores), column.otherwise])[codes]


def _note(model: _Model, groups: Groups, columns: list[Own]) -> str:
    own = [column.text for column in columns[: len(model.fit.form.places)]]
    if not own:
        return f"held-out rows want no number of its own for any {groups.column!r}: one set of numbers serves all"
    listed = " and ".join([", ".join(own[:-1]), own[-1]]) if len(own) > 1 else own[0]
    how = "held-out rows decided" if groups.numbers == ("auto",) else "as told"
    return f"every {groups.column!r} has {listed} of its own ({how}); new ones get the pooled value"

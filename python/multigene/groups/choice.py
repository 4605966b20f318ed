"""Which numbers of a form every group has for itself: those that lower the loss on rows that were held out, one after the other.

Held-out rows are parts of every group, so a number of its own must tell something about other rows of the same group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from multigene.expression.build import ONE, ZERO, call, sum_of
from multigene.expression.jacobian import jacobian
from multigene.expression.numbers import parameters
from multigene.expression.rewriting.parts import terms_of
from multigene.expression.tree import Expression, Number, Operation
from multigene.groups.constants import (
    CLEAR,
    FEW_STEPS,
    FIRST_WORTHS,
    FOLDS,
    MOST_OWN,
    MOST_ROWS,
    SAVED,
    TRIED,
    WORTHS,
)
from multigene.groups.own import Fit, Floats, GroupForm, GroupRows, fitted, may_be_own
from multigene.groups.powers import has_steep_power, with_own_exponent
from multigene.groups.redundant import multiplied_apart, without_redundant

#: What may be told instead: numbers added to the form, factors of the form, or all constants of it.
TOLD = ("auto", "offset", "factor", "all")


@dataclass(frozen=True)
class Chosen:
    """A form with the numbers that groups have for themselves, and its loss on held-out rows."""

    fit: Fit
    """On all rows that the choice was made on."""
    worth: float
    losses: Floats
    """Of every row, when it was held out; their sum decides."""

    @property
    def loss(self) -> float:
        """The loss on all held-out rows."""
        return float(self.losses.sum())


class Chooser:
    """Decides on some rows which numbers of forms are the groups' own."""

    def __init__(self, rows: GroupRows, powers: bool = True) -> None:
        """`powers`: may exponents be the groups' own?"""
        n = len(rows.y)
        self.powers = powers
        if n > MOST_ROWS:
            kept = np.sort(np.random.default_rng(n).permutation(n)[:MOST_ROWS])
            rows = rows.taken(kept)
        self.rows = rows
        order = np.random.default_rng(len(rows.y)).permutation(len(rows.y))
        ranks = np.empty(len(order), dtype=np.intp)
        # Within each group the folds take turns, so that every group has rows in all of them.
        ranks[order[np.argsort(rows.codes[order], kind="stable")]] = np.arange(len(order))
        self.folds = ranks % FOLDS

    def chosen(self, expression: Expression, told: Sequence[str], over: Callable[[], bool]) -> Chosen | None:
        """The form with the groups' own numbers; None where it has no finite value on some row. `over` ends the choice early."""
        if tuple(told) != ("auto",):
            return self._settled(as_told(expression, told), over)
        current = fitted(GroupForm(expression, ()), self.rows, 1.0)
        common = None if current is None else self.held_out(current, 1.0)
        if common is None:
            return None
        best = self._with_fewer(self._grown(common, over), over)
        return self._settled(best.fit.form, over, best)

    def _with_fewer(self, best: Chosen, over: Callable[[], bool]) -> Chosen:
        """`p*(q*x**r + z)` may be `x**r + p*z`: the terms of a product with a number of their own each, as far as needed."""
        apart = None if over() else multiplied_apart(best.fit.form)
        tried = None if apart is None else self._tried(apart, best.worth)
        if tried is None or tried.loss > (1.0 + SAVED) * best.loss:
            return best
        fewer = self._without_needless(tried, over)
        return fewer if len(fewer.fit.form.places) < len(best.fit.form.places) else best

    def _grown(self, best: Chosen, over: Callable[[], bool]) -> Chosen:
        """The form with numbers per group, one after the other, as long as held-out rows find each of use."""
        while len(best.fit.form.places) < MOST_OWN and not over():
            worths = (best.worth,) if best.fit.form.places else FIRST_WORTHS
            tried = [self._tried(f, w) for f in self._candidates(best.fit) for w in worths if not over()]
            by_loss = sorted((each for each in tried if each is not None), key=lambda each: each.loss)
            better = next((each for each in by_loss if self._tells_groups_apart(each, best)), None)
            if better is None:
                break
            tidy = without_redundant(better.fit, self.rows, better.worth)
            if tidy is not better.fit:
                better = self.held_out(tidy, better.worth) or better
            best = self._without_needless(better, over)
        return best

    def _tells_groups_apart(self, new: Chosen, old: Chosen) -> bool:
        """Whether a form with one more number per group is clearly better; where the form did not have this number, also than
        with one that is common to all groups: such a one may be of use for itself."""
        if not _clearly_less(new, old):
            return False
        form = new.fit.form
        if len(parameters(form.expression)) == len(parameters(old.fit.form.expression)):
            return True
        common = self._tried(GroupForm(form.expression, form.places[:-1]), new.worth)
        return common is None or _clearly_less(new, common)

    def _tried(self, form: GroupForm, worth: float, start: Fit | None = None) -> Chosen | None:
        """A form fitted to all rows, and its loss on held-out ones."""
        fit = fitted(form, self.rows, worth, start)
        return None if fit is None or has_steep_power(fit) else self.held_out(fit, worth)

    def _without_needless(self, best: Chosen, over: Callable[[], bool]) -> Chosen:
        """The form without what held-out rows do not miss: numbers per group that others have made needless, a constant term."""
        form = best.fit.form
        fewer = [
            GroupForm(form.expression, tuple(k for k in form.places if k != needless))
            for needless in form.places[:-1]
        ]
        constant = without_constant(form)
        for less in [*fewer, *([] if constant is None else [constant]), *without_a_term(form)]:
            if over():
                break
            tried = self._tried(less, best.worth)
            if tried is not None and tried.loss <= (1.0 + SAVED) * best.loss:
                return self._without_needless(tried, over)
        return best

    def _settled(
        self, form: GroupForm, over: Callable[[], bool], known: Chosen | None = None
    ) -> Chosen | None:
        """The form with the worth of the pooled numbers that held-out rows prefer."""
        best = known
        for worth in WORTHS if form.places else (1.0,):
            if known is not None and worth == known.worth:
                continue
            if best is not None and over():
                break
            tried = self._tried(form, worth, None if known is None else known.fit)
            if tried is not None and (best is None or tried.loss < best.loss):
                best = tried
        return best

    def held_out(self, fit: Fit, worth: float) -> Chosen | None:
        """Loss of a form on rows that its numbers were not fitted to."""
        rows, losses = self.rows, np.empty(len(self.rows.y))
        for fold in range(FOLDS):
            held = self.folds == fold
            if not held.any() or held.all():
                losses[held] = 0.0
                continue
            part = fitted(fit.form, rows.taken(~held), worth, fit, FEW_STEPS)
            if part is None:
                return None
            seen = rows.taken(held)
            values = part.values(seen.X, seen.codes)
            if not np.isfinite(values).all():
                return None
            losses[held] = seen.losses(values)
        return Chosen(fit, worth, losses)

    def _candidates(self, fit: Fit) -> list[GroupForm]:
        """Forms with one more number per group, those first that explain most of the residuals at first glance."""
        found: list[tuple[float, GroupForm]] = []
        exponents = with_own_exponent(fit.form, self.rows.X) if self.powers else []
        for form in [*_with_one_more(fit.form), *exponents]:
            gain = self._gain(form, fit)
            if np.isfinite(gain) and gain > 0.0:
                found.append((gain, form))
        return [form for _, form in sorted(found, key=lambda pair: -pair[0])[:TRIED]]

    def _gain(self, form: GroupForm, fit: Fit) -> float:
        """What a linear step of one more number per group would save."""
        values = fit.values(self.rows.X, self.rows.codes)
        weights, residual = self.rows.working(values)
        own = jacobian(form.expression, self.rows.X)[:, [form.places[-1]]]
        if not np.isfinite(own).all():
            return -np.inf
        slope = self.rows.sums(own * (weights * residual)[:, None])[:, 0]
        size = self.rows.sums(own * own * weights[:, None])[:, 0]
        held = FIRST_WORTHS[0] * float(np.mean(weights * own[:, 0] ** 2))
        return float(np.sum(slope**2 / (size + held))) if held > 0.0 else 0.0


def _clearly_less(new: Chosen, old: Chosen) -> bool:
    """Whether held-out rows find a form better by more than chance, and by enough to be worth a number per group."""
    gain = old.losses - new.losses
    chance = CLEAR * float(np.sqrt(len(gain)) * gain.std())
    return float(gain.sum()) > max(SAVED * old.loss, chance)


def without_constant(form: GroupForm) -> GroupForm | None:
    """The form without its constant term; None where it has none, or groups have it for themselves, or nothing else is left."""
    place, terms = constant_place(form.expression), terms_of(form.expression)
    if place is None or place in form.places or len(terms) < 2:
        return None
    left = sum_of([term for term in terms if not isinstance(term, Number)])
    return GroupForm(left, tuple(k - (k > place) for k in form.places))


def without_a_term(form: GroupForm) -> list[GroupForm]:
    """The form without one of the terms of its sum, those per group included; not without the last that is no constant."""
    terms, found, first = terms_of(form.expression), list[GroupForm](), 0
    for place, term in enumerate(terms):
        end = first + len(parameters(term))
        left = [other for number, other in enumerate(terms) if number != place]
        if not isinstance(term, Number) and any(not isinstance(other, Number) for other in left):
            kept = [k for k in form.places if not first <= k < end]
            places = tuple(k - (end - first) * (k >= end) for k in kept)
            found.append(GroupForm(sum_of(left), places))
        first = end
    return found


def _with_one_more(form: GroupForm) -> list[GroupForm]:
    """The form with another of its numbers per group: one that is printed, a constant term or a factor in front."""
    expression, places = form.expression, form.places
    forms = [GroupForm(expression, (*places, k)) for k in may_be_own(expression) if k not in places]
    if constant_place(expression) is None:
        more = sum_of([*terms_of(expression), ZERO])
        forms.append(GroupForm(more, (*places, len(parameters(more)) - 1)))
    elif not places and len(terms_of(expression)) > 1:
        forms.append(_scaled(expression))
    return forms


def _scaled(expression: Expression) -> GroupForm:
    """The expression with a factor of 1 in front of all but its constant."""
    terms = terms_of(expression)
    constants = [term for term in terms if isinstance(term, Number)]
    rest = sum_of([term for term in terms if not isinstance(term, Number)])
    scaled = call("mul", ONE, rest)
    return GroupForm(sum_of([scaled, *constants]), (0,))


def constant_place(expression: Expression) -> int | None:
    """Which parameter is the constant term of a sum; None where there is none."""
    count = 0
    for term in terms_of(expression):
        if isinstance(term, Number):
            return count
        count += len(parameters(term))
    return None


def as_told(expression: Expression, told: Sequence[str]) -> GroupForm:
    """The form with the numbers per group that the user asked for."""
    if "all" in told:
        return GroupForm(expression, tuple(may_be_own(expression)))
    places: tuple[int, ...] = ()
    if "factor" in told and not isinstance(expression, Number):
        terms = terms_of(expression)
        first = terms[0]
        lone = len([t for t in terms if not isinstance(t, Number)]) == 1
        numbered = (
            isinstance(first, Operation) and first.name == "mul" and isinstance(first.arguments[0], Number)
        )
        if lone and numbered:
            places = (0,)
        else:
            form = _scaled(expression)
            expression, places = form.expression, form.places
    if "offset" in told:
        place = constant_place(expression)
        if place is None:
            expression = sum_of([*terms_of(expression), ZERO])
            place = len(parameters(expression)) - 1
        places = (*places, place)
    return GroupForm(expression, tuple(sorted(set(places))))

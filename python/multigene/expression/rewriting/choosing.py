"""The natural form of a law, as people write it: the rules applied in passes, the shortest outcome taken.

Used by `laws/law.py` and `laws/noise.py`, which measure what comes out, since not all rules hold everywhere.
"""

from __future__ import annotations

from multigene.expression.constants import LONG, MOST_REARRANGEMENTS
from multigene.expression.readable import size
from multigene.expression.rewriting.always import simplified
from multigene.expression.rewriting.scales import scaled, spread
from multigene.expression.rewriting.sums import grouped, multiplied_out, rearranged
from multigene.expression.rewriting.ties import tidied
from multigene.expression.rewriting.where_seen import by_kind, one_fraction, roots, squares, turned
from multigene.expression.tree import Expression, fold


def natural(expression: Expression) -> Expression:
    """The shortest of the forms that the rules give, and the expression itself; of the same size, the more usual one."""
    best = _shortest_form(expression)
    opened = multiplied_out(best)
    if opened is not None:
        best = min(best, _shortest_form(opened), key=size)
    for _ in range(MOST_REARRANGEMENTS if size(best) <= LONG else 0):
        others = (_shortest_form(other) for other in rearranged(best))
        shorter = min(others, key=size, default=best)
        if size(shorter) >= size(best):
            break
        best = shorter
    return tidied(best)


def _shortest_form(expression: Expression) -> Expression:
    forms = _forms(expression)
    shared = simplified(fold(forms[-1], one_fraction))
    others = _forms(shared) if shared != forms[-1] else []
    every = [*reversed(forms), *reversed(others), expression]
    every += [fold(form, spread) for form in every]
    return min([*every, *(grouped(form) for form in every)], key=size)


def _forms(expression: Expression) -> list[Expression]:
    """What the rules make of an expression, step by step."""
    forms = [simplified(expression)]
    for _ in range(4):
        last = forms[-1]
        form = simplified(fold(last, by_kind))
        form = simplified(scaled(form))
        form = simplified(fold(form, squares))
        form = simplified(fold(form, roots))
        form = fold(form, turned)
        if form == last:
            break
        forms.append(form)
    return forms

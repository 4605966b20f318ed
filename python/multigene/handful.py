"""A handful of rows, or rehearsals that were cut short: what may be believed without rows to judge by.

`search.Searcher` asks for a law in so few rows that seekers, who count every number of a formula as fitted, call nothing one.
"""

from __future__ import annotations

from collections.abc import Callable

from multigene import laws
from multigene.laws import EXACT, Find
from multigene.parameters import numbers, simple_numbers
from multigene.seekers import Seekers

#: Longer finds are not looked at: in so few rows they are exact by their number of constants.
MOST_NODES = laws.STAIRS[0][0]


#: With more rows the seekers' own count of a formula's numbers is no obstacle to a short law.
MOST_ROWS = 40
#: Evaluations after which seekers pause, for what they found so far may do.
PIECE = 2000


def seek_in_few(seekers: Seekers, evaluations: int, stop: Callable[[], bool], seen: set[float]) -> None:
    """Let seekers work; in a handful of rows with a pause, for a find may be a law by `law_of_few`."""
    if len(seekers.y) >= MOST_ROWS:
        seekers.seek(evaluations, stop)
        return
    until = seekers.evaluations + evaluations
    for piece in (PIECE, evaluations):
        if seekers.law is None and seekers.evaluations < until and not stop():
            seekers.seek(min(piece, until - seekers.evaluations), stop)
        if seekers.law is None:
            seekers.law = law_of_few(seekers, seen)


def law_of_few(seekers: Seekers, seen: set[float]) -> Find | None:
    """The shortest exact find whose numbers are simple but for as many as the rows can vouch for, if there is one.

    `seen` holds what finds leave that were looked at before.
    """
    X, y = seekers.rows_given, seekers.y
    exact = [f for f in seekers.finds.values() if f.unexplained < EXACT and f.unexplained not in seen]
    for find in sorted(exact, key=lambda f: f.individual.complexity):
        seen.add(find.unexplained)
        if find.individual.complexity > MOST_NODES:
            continue
        clean = laws.cleaned(laws.reduced(find, X, y, seekers.plain), X, y)
        fitted = sum(value not in simple_numbers(value) for value in numbers(clean.expression))
        admitted = seekers.dimensions is None or seekers.dimensions.admits(clean.expression)
        vouched = len(y) >= 3 * fitted + 10 and laws.is_law(clean)
        if vouched and admitted and not laws.cancels(clean.expression, X):
            return clean
    return None

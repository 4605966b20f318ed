"""What the law search has found: the best find of every size in the user's terms, and the law once there is one.

The survey and the restarts hand over expressions that they found for some target (`progress.py`); here they are tuned on all
rows, turned away where units forbid them, and simplified within the noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual
from multigene.expression.genes import model_expression
from multigene.expression.numbers import exponent_places, map_numbers, retuned
from multigene.expression.readable import size
from multigene.expression.tree import Expression, Operation, from_postfix, to_postfix
from multigene.expression.vocabulary import ANYTHING, Vocabulary
from multigene.laws import exact
from multigene.laws import law as laws
from multigene.laws.claims import leaves_noise
from multigene.laws.constants import (
    DROP_TUNING,
    EXACT,
    HOPELESS,
    LARGEST_LAW,
    MAY_BE_ROUNDED,
    MOST_PRUNED_IN_NOISE,
    NOISY,
    OTHERS_SIMPLIFIED,
    POLISH,
    ROUNDING,
)
from multigene.laws.law import Find
from multigene.laws.noise import price, simplified
from multigene.laws.other_functions import with_other_functions
from multigene.laws.small_noise import law_in_small_noise
from multigene.laws.undo import with_simple_exponents
from multigene.laws.variables.units import Dimensions
from multigene.rules.kept import Rules
from multigene.settings.settings import Refinement

Floats = npt.NDArray[np.float64]


class Finds:
    """Finds on some rows; `dimensions` are known when units are, `weights` say how much a row counts, and `vocabulary` is what
    finds may be told with, under the user's `rules`."""

    def __init__(
        self,
        X: Floats,
        y: Floats,
        dimensions: Dimensions | None,
        weights: Floats | None = None,
        vocabulary: Vocabulary = ANYTHING,
        rules: Rules | None = None,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        """When time is `over`, nothing is simplified any more."""
        self.vocabulary, self.rules, self.over = vocabulary, rules or Rules(), over
        self.X, self.y, self.dimensions, self.weights = X, y, dimensions, weights
        #: A law holds on every row, also on those of small weight.
        self.data = Dataset(X, y)
        self.weighted = self.data if weights is None else Dataset(X, y, weights)
        self.floor = exact.digits_share(X, y)
        self.by_size: dict[int, Find] = {}
        self.law: Find | None = None
        self.simplified: set[float] = set()

    @property
    def best(self) -> float:
        """What the best find leaves unexplained."""
        return min((find.unexplained for find in self.by_size.values()), default=np.inf)

    def prices(self) -> dict[int, float]:
        """What the finds cost (`noise.price`), by identity of their models: the lowest is the most convincing."""
        return {id(find.individual): self._price(find) for find in self.by_size.values()}

    def take(self, expression: Expression, any_sign: bool) -> float:
        """Look at an expression, of `any_sign` where that is lost: it is kept if it is the best of its size, and as the law if it
        is one. What it leaves unexplained."""
        find = self._measured(expression, any_sign)
        if find is None:
            return np.inf
        smaller = [f for c, f in self.by_size.items() if c <= find.individual.complexity]
        if all(find.unexplained < 2.0 * known.unexplained for known in smaller):
            tuned = self.fitted(find.expression)
            find = tuned if tuned is not None and tuned.unexplained <= find.unexplained else find
        if self._vouched(find) and find.unexplained < self._bar(find):
            law = self._law(find)
            if law is not None:
                self.law = law if self.law is None else laws.shortest([law, self.law])
            find = law or find
        self.keep(find)
        return find.unexplained

    def note(self, expression: Expression, any_sign: bool) -> None:
        """Keep an expression if it is the best of its size, as it is; whether it is a law is not asked."""
        find = self._measured(expression, any_sign)
        if find is not None:
            self.keep(find)

    def _measured(self, expression: Expression, any_sign: bool) -> Find | None:
        """What an expression is worth, or what the units allow of it."""
        find = laws.measure(expression, self.X, self.y, self.weights)
        if find is not None and any_sign and float(find.individual.predict(self.X) @ self.y) < 0.0:
            expression = Operation("neg", (expression,))
            find = laws.measure(expression, self.X, self.y, self.weights)
        if find is not None and not self.admits(expression, exact=self._exact(find)):
            find = self._admitted(expression)
        return find

    def adopt(self, individual: Individual) -> None:
        """Look at a model in the user's units that somebody else found; cleaned up it may be the law."""
        find = laws.polished(
            model_expression(individual), self.X, self.y, self.weighted, weights=self.weights
        )
        # A long model that only comes close is none, and cleaning it up takes a second, which a run may no longer have.
        if find is not None and self._vouched(find) and find.unexplained < self._bar(find):
            self.law = self._law(find) or self.law

    def fitted(self, expression: Expression, how: Refinement = POLISH) -> Find | None:
        """All constants tuned on all rows; but no intercept and no exponents where they contradict the units."""
        tuned = laws.polished(expression, self.X, self.y, self.weighted, how, self.weights)
        if tuned is None or self.admits(tuned.expression, exact=self._exact(tuned)):
            return tuned
        changed = retuned(expression, exponent_places(expression), self.X, self.y, weights=self.weights)
        tuned = laws.measure(changed, self.X, self.y, self.weights)
        return tuned if tuned is not None and self.admits(tuned.expression) else None

    def simplify(self, most: int) -> int:
        """Simplify the most convincing finds within the noise, each once; how many there were to be simplified."""
        if self.law is not None:
            return 0
        convincing = sorted(self.by_size.values(), key=self._price)[:most]
        long = [
            f for f in convincing if f.unexplained not in self.simplified and NOISY < f.unexplained < HOPELESS
        ]
        for find in long:
            short = self._simplified(find)
            self.keep(short)
            if self.over():
                return len(long)
            self.simplified |= {find.unexplained, short.unexplained}
        if long and long[0] is convincing[0]:
            self._keep_with_other_functions(short=min(self.by_size.values(), key=self._price))
        return len(long)

    def _keep_with_other_functions(self, short: Find) -> None:
        """Keep what convinces most of a find with another function in it, simplified: where noise may hide which it is."""
        if not leaves_noise(short.expression, self.X, self.y, self.weights):
            return
        others: dict[Expression, Expression] = {}
        for other in takewhile(lambda _: not self.over(), with_other_functions(short.expression, self.X)):
            others.setdefault(_structure(other), other)
        others.pop(_structure(short.expression), None)
        looked_at = takewhile(lambda _: not self.over(), others.values())
        tuned = [find for other in looked_at if (find := self.fitted(other, DROP_TUNING)) is not None]
        saved = math.log(len(self.y)) * MAY_BE_ROUNDED
        for find in sorted(tuned, key=self._price)[:OTHERS_SIMPLIFIED]:
            if self._price(find) < self._price(short) + saved:
                simple = self._simplified(find)
                self.keep(simple)
                self.simplified.add(simple.unexplained)
                short = min((short, simple), key=self._price)

    def simplify_others(self, models: Iterable[Individual], most: int) -> None:
        """Simplify models in the user's units that somebody else found, the most convincing ones: what costs less than every find
        and leaves nothing but noise is kept."""
        if self.law is not None or self.over():
            return
        others = (laws.measure(model_expression(m), self.X, self.y, self.weights) for m in models)
        known = min(self.prices().values(), default=math.inf)
        worth = [
            f
            for f in others
            if f is not None
            and NOISY < f.unexplained < HOPELESS
            and size(f.expression) <= MOST_PRUNED_IN_NOISE
            and self._price(f) < known + 2 * MAY_BE_ROUNDED * math.log(len(self.y))
        ]
        for find in sorted(worth, key=self._price)[:most]:
            if self.over() or not leaves_noise(find.expression, self.X, self.y, self.weights):
                continue
            short = self._simplified(find)
            cheaper = all(self._price(short) < price for price in self.prices().values())
            if cheaper and leaves_noise(short.expression, self.X, self.y, self.weights):
                self.keep(short)

    def _simplified(self, find: Find) -> Find:
        return simplified(
            find, self.X, self.y, lambda e: self.fitted(e, DROP_TUNING), self.admits, self.weights, self.over
        )

    def keep(self, find: Find) -> None:
        """Keep a find if it is the best of its size; in noise, where several do as well, the one that convinces most."""
        known = self.by_size.get(find.individual.complexity)
        if not self.admits(find.expression, exact=self._exact(find)):
            return
        if known is not None and min(known.unexplained, find.unexplained) > NOISY:
            better = self._price(find) < self._price(known)
        else:
            better = known is None or find.unexplained < known.unexplained
        if better:
            self.by_size[find.individual.complexity] = find

    def admits(self, expression: Expression, *, exact: bool = False) -> bool:
        """Do the functions that a user chose, the rules and the units allow it?"""
        return (
            self.vocabulary.admits(expression)
            and (not self.rules or self.rules.broken_structure([expression]) is None)
            and (self.dimensions is None or self.dimensions.admits(expression, exact=exact))
        )

    def _exact(self, find: Find) -> bool:
        """Is it a law, or as near as one?"""
        return find is self.law or find.unexplained < self._bar(find)

    def _admitted(self, expression: Expression) -> Find | None:
        """What is allowed of an expression that is not: exponents made simple, then only terms and factors whose units agree."""
        simple = with_simple_exponents(expression)
        repaired = None if self.dimensions is None else self.dimensions.repaired(simple)
        for candidate in (simple, repaired):
            if candidate is not None and self.admits(candidate):
                return laws.measure(candidate, self.X, self.y, self.weights)
        return None

    def _price(self, find: Find) -> float:
        return price(find, len(self.y))

    def _vouched(self, find: Find) -> bool:
        """Are there enough rows for its numbers?"""
        return len(self.y) >= 3 * find.individual.n_parameters + 10

    def _bar(self, find: Find) -> float:
        """What a find must leave at most to be looked at as a law."""
        return max(EXACT, self.floor) if find.individual.complexity <= LARGEST_LAW else ROUNDING

    def _law(self, find: Find) -> Find | None:
        law = laws.as_law(find, self.X, self.y, self.data)
        law = law or law_in_small_noise(find, self.X, self.y, self.data)
        return law if law is not None and self.admits(law.expression, exact=True) else None

    def state(self) -> dict[str, Any]:
        """All that is needed to go on, as plain values."""
        finds = {**self.by_size, **({-1: self.law} if self.law else {})}
        return {
            "simplified": sorted(left.hex() for left in self.simplified),
            "finds": [(c, to_postfix(f.expression), f.unexplained.hex(), f.grade) for c, f in finds.items()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`."""
        self.simplified = {float.fromhex(left) for left in state["simplified"]}
        for complexity, postfix, unexplained, grade in state["finds"]:
            expression = from_postfix(postfix)
            individual = laws.as_individual(expression)
            assert individual is not None  # it was one before it was saved
            find = Find(individual, expression, float.fromhex(unexplained), grade)
            if complexity == -1:
                self.law = find
            else:
                self.by_size[int(complexity)] = find


def _structure(expression: Expression) -> Expression:
    """The expression, its numbers left out."""
    return map_numbers(expression, lambda _: 1.0, exponents=True)

"""Parts as a phase of the law search: of a split the part with fewer features first, then the rest with that part undone.

Both are law searches of their own over fewer features (`seekers.py` hands over how to make one). What the first part is, is known
from a polynomial only, so it is looked for as in noise; its constants are then tuned with the rest left to a polynomial. With it
known, the rest is a target without noise, or nearly so, and may be split again. Joined and tuned on all rows the two are a find
like any other. A split that was cut is begun anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from multigene.data.spread import evenly
from multigene.expression.build import power_of, product_of, sum_of
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Expression, Variable, evaluate, substitute
from multigene.laws.constants import (
    FIRST_PART_WORK,
    FIRST_PARTS,
    FIRST_PARTS_OF,
    PART_CONSTANT,
    REST_WORK,
    SPLIT_WORK,
    SURROGATE_ROWS,
)
from multigene.laws.finds import Finds
from multigene.laws.parts.candidates import candidates, most_convincing
from multigene.laws.parts.splits import Bases, Split, first_part, splits, squared
from multigene.laws.progress import Pieces, Progress
from multigene.laws.transforms import logarithmic, one_sign

Floats = npt.NDArray[np.float64]


class PartSearch(Protocol):
    """What is needed of a law search."""

    @property
    def finds(self) -> Finds: ...
    @property
    def evaluations(self) -> int: ...
    def seek(self, evaluations: int, stop: Callable[[], bool]) -> None: ...


#: A law search on columns and a target, with weights of rows where these do not count alike; the number chooses its chance.
Make = Callable[[Floats, Floats, Floats | None, int], PartSearch]


class Parts:
    """The splits of a problem, the best first; how many of them are done is part of the progress."""

    def __init__(
        self, X: Floats, y: Floats, features: list[int], allows: Callable[..., bool], make: Make
    ) -> None:
        self.X, self.y, self.features, self.allows, self.make = X, y, features, allows, make
        self.sign = (1.0 if y[0] > 0.0 else -1.0) if one_sign(y) else 1.0

    @cached_property
    def splits(self) -> list[Split]:
        """Seen when they are first asked for: most laws are found before."""
        with np.errstate(all="ignore"):
            return splits(self.X, self.y, self.features, self.allows)

    @property
    def seen(self) -> bool:
        """Have the splits been asked for?"""
        return "splits" in self.__dict__

    def look(self) -> None:
        """Ask for the splits."""
        self.splits  # noqa: B018 - kept when it is asked for

    def pieces(self, progress: Progress, until: int, stop: Callable[[], bool]) -> Pieces[None]:
        """The splits that are left, one after the other, until this much work is done or there is a law."""
        for split in self.splits[progress.split :]:
            if progress.law is not None or progress.evaluations >= until or stop():
                return
            for joined in self._joined(split, progress, stop):
                progress.finds.take(joined, any_sign=False)
                if progress.law is not None:
                    return
            if not stop():
                progress.split += 1
            yield

    def _joined(self, split: Split, progress: Progress, stop: Callable[[], bool]) -> Iterator[Expression]:
        """Expressions of the target that a split leads to."""
        t = self.y if logarithmic(split.transform) else split.transform.forward(self.y)
        for number, first in enumerate(self._first_parts(split, progress, stop)):
            with np.errstate(all="ignore"):
                known = np.broadcast_to(evaluate(first, self.X), len(t))
                target = t / known if split.product else t - known
            if stop() or not np.isfinite(target).all():
                return
            if np.ptp(target) <= PART_CONSTANT * np.abs(target).max():
                yield self._whole(split, first, None)
                continue
            weights = squared(known) if split.product else None
            columns = self.X[:, list(split.rest)]
            search = self.make(columns, target, weights, FIRST_PARTS_OF * progress.split + number + 1)
            search.seek(REST_WORK, stop)
            progress.evaluations += search.evaluations
            for rest in most_convincing(search.finds)[:FIRST_PARTS]:
                yield self._whole(split, first, _of_features(rest, split.rest))

    def _first_parts(
        self, split: Split, progress: Progress, stop: Callable[[], bool]
    ) -> Iterator[Expression]:
        """What the first part may be, the most convincing first."""
        if split.exponent is not None:
            yield power_of(Variable(split.first[0]), split.exponent)
            return
        rows = evenly(len(self.y), SURROGATE_ROWS)
        X, y = self.X[rows], self.y[rows]
        bases = Bases(X, split.logarithms)
        t = split.transform.forward(y)
        with np.errstate(all="ignore"):
            part, weights = first_part(split, bases, t)
        if np.ptp(part) == 0.0 or not np.isfinite(part).all():
            return
        search = self.make(X[:, list(split.first)], part, weights, FIRST_PARTS_OF * progress.split)
        search.seek(FIRST_PART_WORK, stop)
        progress.evaluations += SPLIT_WORK + search.evaluations
        t = y if logarithmic(split.transform) else t
        found = most_convincing(search.finds)[:FIRST_PARTS_OF]
        for expression in candidates(found, split, bases, X[:, list(split.first)], t)[:FIRST_PARTS]:
            yield _of_features(expression, split.first)

    def _whole(self, split: Split, first: Expression, rest: Expression | None) -> Expression:
        """Both parts joined, and the transform undone."""
        parts = [first] if rest is None else [first, rest]
        joined = product_of(parts) if split.product else sum_of(parts)
        if logarithmic(split.transform):
            return simplify(joined)
        return simplify(split.transform.inverse(joined, self.sign))


def _of_features(expression: Expression, features: tuple[int, ...]) -> Expression:
    """An expression over some columns as one over the features that these are."""
    return substitute(expression, {k: Variable(j) for k, j in enumerate(features)})

"""The survey before evolution: what linear algebra says about every transformed target, in stages that the seekers work through.

Probes (`probes.py`) find polynomial and rational laws; the catalogue (`catalogue.py`) finds short sums of functions of monomials.
Stages come in a fixed order and use no chance; the seekers tune and verify what is suggested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.expression.tree import Expression
from multigene.laws.survey.catalogue import Catalogue
from multigene.laws.survey.monomials import Monomials
from multigene.laws.survey.probes import rational
from multigene.laws.targets import Target
from multigene.laws.transforms import Transform, logarithmic

Floats = npt.NDArray[np.float64]

#: Rows that probes and catalogue use, and how many evaluations a target counts for.
ROWS = {"probe": 400, "factors": 192, "sums": 192}
WORK = 1000


#: What is asked, and about which transforms.
KINDS: dict[str, Callable[[Transform], bool]] = {
    "probe": lambda transform: transform.name in ("y", "y²", "sin y", "exp y"),
    "factors": logarithmic,
    "sums": lambda transform: not logarithmic(transform),
}


#: Transforms that are asked about even if the data are rough.
ASKED_OF_ROUGH = ("y", "ln|y|")


@dataclass(frozen=True)
class Stage:
    """Targets over the same features, and what is asked about them."""

    kind: str
    targets: list[Target]


def stages(targets: list[Target], rough: bool = False) -> list[Stage]:
    """Cheap questions first; better variables are asked everything before features are. Of rough data little is asked."""
    asked = [t for t in targets if not t.dense and (not rough or t.transform.name in ASKED_OF_ROUGH)]
    return [
        stage
        for some in ([t for t in asked if t.better], [t for t in asked if not t.better])
        for kind in KINDS
        if kind != "probe" or not rough  # they find what is exact only
        for stage in _of_a_kind(kind, some)
    ]


def _of_a_kind(kind: str, targets: list[Target]) -> list[Stage]:
    groups: dict[tuple[int, ...], list[Target]] = {}
    for target in targets:
        if KINDS[kind](target.transform):
            groups.setdefault(tuple(target.features), []).append(target)
    return [Stage(kind, group) for group in groups.values()]


class Suggestions:
    """What is suggested about the targets of a stage; `allows` says which functions may be used."""

    def __init__(self, allows: Callable[..., bool]) -> None:
        self.allows = allows
        #: Of the stage before: mostly the next one is about the same features.
        self.monomials: Monomials | None = None
        self.better = False

    def about(self, stage: Stage, Z: Floats, transformed: list[Floats]) -> Iterator[list[list[Expression]]]:
        """For every target of the stage, one after the other: lists of genes."""
        if stage.kind == "probe":
            laws = (rational(Z, target, self.allows("div")) for target in transformed)
            return ([] if law is None else [[law]] for law in laws)
        better = stage.targets[0].better
        if self.monomials is None or self.better != better or not np.array_equal(self.monomials.Z, Z):
            self.monomials, self.better = Monomials(Z, self.allows, better), better
        return Catalogue(self.monomials, self.allows, stage.kind == "factors").sets(transformed)

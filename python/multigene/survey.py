"""The survey before evolution: what linear algebra says about every transformed target, in stages that the seekers work through.

Probes (`probes.py`) find polynomial and rational laws; the catalogue (`catalogue.py`) finds short sums of functions of monomials.
Stages come in a fixed order and use no chance; the seekers tune and verify what is suggested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.catalogue import Catalogue
from multigene.expression import Expression
from multigene.probes import rational
from multigene.targets import Target
from multigene.transforms import logarithmic

Floats = npt.NDArray[np.float64]

#: Rows that the survey uses, and how many evaluations a target counts for.
ROWS = 192
WORK = 1000


@dataclass(frozen=True)
class Stage:
    """Targets over the same features, and what is asked about them."""

    kind: str
    targets: list[Target]


def stages(targets: list[Target]) -> list[Stage]:
    """Cheap questions first."""
    groups: dict[tuple[int, ...], list[Target]] = {}
    for target in (t for t in targets if not t.dense):
        groups.setdefault(tuple(target.features), []).append(target)
    found = [
        Stage("probe", [t for t in group if t.transform.name in ("y", "y²", "sin y", "exp y")])
        for group in groups.values()
    ]
    found += [Stage("factors", [t for t in group if logarithmic(t.transform)]) for group in groups.values()]
    found += [Stage("sums", [t for t in group if not logarithmic(t.transform)]) for group in groups.values()]
    return [stage for stage in found if stage.targets]


def suggestions(
    stage: Stage, Z: Floats, transformed: list[Floats], allows: Callable[..., bool]
) -> Iterator[list[list[Expression]]]:
    """For every target of the stage, one after the other: lists of genes."""
    if stage.kind == "probe":
        laws = (rational(Z, target, allows("div")) for target in transformed)
        return ([] if law is None else [[law]] for law in laws)
    return Catalogue(Z, allows, stage.kind == "factors").sets(transformed)

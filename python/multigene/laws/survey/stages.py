"""The order of the survey: what is tested for, about which transformed targets, in stages.

Probes (`probes.py`) find polynomial and rational laws, also of functions of the columns (`with_functions.py`); the catalogue
(`catalogue.py`) finds short sums of functions of monomials.
Stages come in a fixed order and use no chance; `phase.py` works through them and tunes what is suggested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.expression.tree import Expression
from multigene.expression.vocabulary import Vocabulary
from multigene.laws.survey.catalogue import Catalogue
from multigene.laws.survey.monomials import Monomials
from multigene.laws.survey.probes import rational
from multigene.laws.survey.with_functions import WithFunctions
from multigene.laws.targets import Target
from multigene.laws.transforms import Transform, logarithmic

Floats = npt.NDArray[np.float64]

#: What is tested for, and with which transforms.
KINDS: dict[str, Callable[[Transform], bool]] = {
    "probe": lambda transform: transform.name in ("y", "y²", "sin y", "exp y"),
    "factors": logarithmic,
    "functions": lambda transform: transform.name in ("y", "y²", "ln|y|") or transform.share == 0.0,
    "sums": lambda transform: not logarithmic(transform) and transform.share > 0.0,
}
#: Kinds that find what is exact only.
EXACT_ONLY = ("probe", "functions")
#: Transforms that are tested even if the data are noisy.
IN_NOISE = ("y", "ln|y|")


@dataclass(frozen=True)
class Stage:
    """Targets over the same features, and what is tested for in them."""

    kind: str
    targets: list[Target]


def stages(targets: list[Target], noisy: bool = False, poles: bool = False) -> list[Stage]:
    """Cheap tests first, combined variables before features, those that seem to matter before all; in noisy data few tests, and
    none for what is exact unless poles make a target seem noisy."""
    tested = [t for t in targets if not t.dense and (not noisy or t.transform.name in IN_NOISE)]
    return [
        stage
        for some in (
            [t for t in tested if t.combined],
            [t for t in tested if not t.combined and not t.wide],
            [t for t in tested if t.wide],
        )
        # Of many columns probes with functions take more time than the catalogue, and say less.
        for kind in (KINDS if some and some[0].combined else sorted(KINDS, key="functions".__eq__))
        if kind not in EXACT_ONLY or not noisy or poles
        for stage in _of_a_kind(kind, some)
    ]


def _of_a_kind(kind: str, targets: list[Target]) -> list[Stage]:
    groups: dict[tuple[int, ...], list[Target]] = {}
    for target in targets:
        if KINDS[kind](target.transform):
            groups.setdefault(tuple(target.features), []).append(target)
    return [Stage(kind, group) for group in groups.values()]


class Suggestions:
    """What is suggested for the targets of a stage; `vocabulary` is what it may be told with."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary, self.allows = vocabulary, vocabulary.allows
        #: Of the stage before: mostly the next one is about the same features.
        self.monomials: Monomials | None = None
        self.combined = False

    def about(
        self,
        stage: Stage,
        Z: Floats,
        transformed: list[Floats],
        root: Floats | None = None,
        scales: Floats | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[list[list[Expression]]]:
        """For every target of the stage, one after the other: lists of genes. `root` are the roots of the rows' weights, `scales`
        what the columns were divided by; `stop` says when to look for nothing more."""
        if stage.kind == "functions":
            scales = np.ones(Z.shape[1]) if scales is None else scales
            functions = WithFunctions(Z, scales, self.allows, stop)
            laws = (
                functions.law(
                    values,
                    roots=target.transform.name == "y" and self.allows("sqrt"),
                    beside=target.transform.share == 0.0,
                )
                for target, values in zip(stage.targets, transformed, strict=True)
            )
            return ([] if law is None else [[law]] for law in laws)
        if stage.kind == "probe":
            laws = (rational(Z, values, self.allows("div")) for values in transformed)
            return ([] if law is None else [[law]] for law in laws)
        combined = stage.targets[0].combined
        if self.monomials is None or self.combined != combined or not np.array_equal(self.monomials.Z, Z):
            self.monomials, self.combined = (
                Monomials(Z, self.allows, combined, self.vocabulary.admits),
                combined,
            )
        return Catalogue(self.monomials, self.allows, stage.kind == "factors", root).sets(transformed)

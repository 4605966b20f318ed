"""Ways to choose a model of the front: one row of `CRITERIA` each, with the sentence that explains it.

Every way but "accuracy" and "validation" respects what rows said that the search had not seen: it takes no model larger than the
search's own choice, whose size those rows decided, and none that they found clearly worse than a smaller one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from multigene.evolution.pareto import Member
from multigene.explain.constants import BALANCED, KNEE, NEARLY, SIMPLE
from multigene.formula import Formula
from multigene.search.constants import CONTRADICTED
from multigene.words import nearest


@dataclass(frozen=True)
class Listed:
    """A model of the front with its formula and measures."""

    member: Member
    formula: Formula
    complexity: int
    n_parameters: int
    rmse: float
    mdl: float
    bic: float

    @property
    def genes(self) -> int:
        """Genes that take part."""
        return sum(c != 0.0 for c in self.member.individual.coefficients)

    @property
    def stability(self) -> float:
        """Share of other searches whose formula of like size uses a column of this one, mean over its columns; NaN if unknown."""
        shares = [share for _, share in self.member.support]
        return sum(shares) / len(shares) if shares else math.nan


#: Chooses among models, smallest first; one of them is the search's own choice.
Choice = Callable[[Sequence[Listed], Listed], Listed]


@dataclass(frozen=True)
class Criterion:
    """A way to choose, and what it says to people."""

    choose: Choice
    says: str


def supported(models: Sequence[Listed], default: Listed) -> list[Listed]:
    """Models that unseen rows speak for: none larger than the default, none that they found clearly worse than a smaller one, and
    none that is smaller than the default and fits the training rows better, which the search would have chosen but for them.
    """
    kept: list[Listed] = []
    best = -math.inf
    for model in models:
        score = model.member.validation
        below = model.complexity <= default.complexity and model.member.fitness <= default.member.fitness
        if model is default or (below and not score < best - CONTRADICTED):  # NaN is no objection
            kept.append(model)
        best = max(best, score) if math.isfinite(score) else best
    return kept


def _explaining(models: Sequence[Listed], left: float) -> Listed:
    """The smallest model that explains all but this share of what the fittest one does."""
    best = max(e.member.fitness for e in models)
    enough = best - left * abs(best)
    return next(e for e in models if e.member.fitness >= enough)


def _simple(models: Sequence[Listed], default: Listed) -> Listed:
    allowed = supported(models, default)
    small = [e for e in allowed if e.complexity <= SIMPLE] or allowed[:1]
    return _explaining(small, NEARLY)


def _balanced(models: Sequence[Listed], default: Listed) -> Listed:
    """Not below the simple one, which may explain more with few nodes than a balanced choice asks for."""
    enough = _explaining(supported(models, default), BALANCED)
    return max(enough, _simple(models, default), key=lambda e: e.complexity)


def _knee(models: Sequence[Listed], default: Listed) -> Listed:
    return _explaining(supported(models, default), KNEE)


def _accuracy(models: Sequence[Listed], default: Listed) -> Listed:
    """Not below the default: a formula that is smaller and fits better was refused by rows that the search had not seen."""
    large = [e for e in models if e is default or e.complexity >= default.complexity]
    return max(large, key=lambda e: (e.member.fitness, -e.complexity))


def _validation(models: Sequence[Listed], default: Listed) -> Listed:
    scored = [e for e in models if not math.isnan(e.member.validation)]
    if not scored:
        raise ValueError(
            "This run scored no formula on rows that it had not seen (a configuration of the paper, holdout=0, a law, "
            "fewer than 20 different rows, or too short a run), so 'validation' cannot choose; take 'mdl' or 'bic', or "
            "score the front on other rows with rescore(X, y) and choose a row."
        )
    return max(scored, key=lambda e: (e.member.validation, -e.complexity))


def _least(measure: Callable[[Listed], float], name: str) -> Choice:
    def choose(models: Sequence[Listed], default: Listed) -> Listed:
        known = [e for e in supported(models, default) if not math.isnan(measure(e))]
        if not known:
            raise ValueError(
                f"The model file does not tell the number of training rows, which {name!r} needs; "
                "choose by 'knee' or a row."
            )
        return min(known, key=lambda e: (measure(e), e.complexity))

    return choose


CRITERIA: Mapping[str, Criterion] = {
    "simple": Criterion(_simple, f"the best formula of at most {SIMPLE} nodes"),
    "balanced": Criterion(
        _balanced,
        f"the smallest formula that explains {1 - BALANCED:.0%} of what the default does, and no less than the simple one",
    ),
    "default": Criterion(
        lambda models, default: default,
        "the smallest formula that rows not seen by the search cannot tell from the best",
    ),
    "accuracy": Criterion(
        _accuracy, "the highest R² on the training rows of formulas that are no smaller than the default"
    ),
    "knee": Criterion(_knee, f"the smallest formula that explains {1 - KNEE:.1%} of what the default does"),
    "validation": Criterion(_validation, "the highest R² on rows not seen by the search"),
    "mdl": Criterion(_least(lambda e: e.mdl, "mdl"), "the shortest description of formula and residuals"),
    "bic": Criterion(_least(lambda e: e.bic, "bic"), "the least Bayesian information criterion"),
}
#: What picks are called in lines and in the report; `choose` knows these names too.
SHOWN = {"accuracy": "accurate"}


def criterion_named(name: str) -> str:
    """The criterion of a name, which may be what it is called in lines; a `ValueError` says which there are."""
    found = next((each for each, shown in SHOWN.items() if shown == name), name)
    if found not in CRITERIA:
        names = ", ".join(map(repr, CRITERIA))
        remedy = nearest(name, CRITERIA) or f"; give {names}, or a row of equations_."
        raise ValueError(f"criterion={name!r} is unknown{remedy}")
    return found

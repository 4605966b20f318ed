"""The authors' clock: how many generations their own program had made of a configuration after this many seconds.

`data/authors_rates.csv` holds generations per processor second of the program behind the paper, for every configuration on five
of its problems, measured on one machine of today. Its seven minutes bought tuned configurations far fewer generations than the
baseline, so neither equal generations nor equal seconds of a faster engine repeat the paper's experiment; these numbers do.
"""

from __future__ import annotations

import csv
import math
from functools import lru_cache
from importlib import resources

from multigene.study.errors import StudyError

#: Seconds of a run in the paper (section 4.3).
PAPER_SECONDS = 420.0


@lru_cache(maxsize=1)
def rates() -> dict[tuple[str, str], float]:
    """Generations per processor second by problem and configuration."""
    text = (resources.files("multigene.study") / "data" / "authors_rates.csv").read_text("utf-8")
    return {
        (row["problem"], row["configuration"]): float(row["generations_per_second"])
        for row in csv.DictReader(text.splitlines())
    }


def rate(problem: str, configuration: str) -> float:
    """The rate on a problem; where it was not measured, the geometric mean over those on which it was."""
    configuration = configuration.removesuffix(
        "-random"
    )  # how weights are born does not change the cost of a generation
    known = rates()
    if (problem, configuration) in known:
        return known[problem, configuration]
    measured = [value for (_, name), value in known.items() if name == configuration]
    if not measured:
        raise StudyError(
            f"the authors' program has no configuration {configuration!r}; their clock is known for "
            f"{', '.join(dict.fromkeys(name for _, name in known))}"
        )
    return math.exp(sum(map(math.log, measured)) / len(measured))


def generations(problem: str, configuration: str, seconds: float, machine: float = 1.0) -> int:
    """Generations that this many seconds bought, on a machine this many times as fast as the one of the rates."""
    return max(1, round(machine * seconds * rate(problem, configuration)))

"""How law seekers and approximators share a run (`searcher.py`): by counted work and never by the clock.

Seekers begin. A law ends the run; without one, approximators take over, and seekers get more or less beside them according to how
near a law seems: much on clean data, nothing on data that clearly follow no short law.
"""

from __future__ import annotations

import math

#: Share of the run that seekers may take before the approximators begin.
FIRST_SHARE = 0.15
#: The same while their survey is not finished.
SURVEY_SHARE = 0.3
#: Evaluations of seekers for one of the approximators, by what is left unexplained,
SHARES = ((1e-4, 2.0), (1e-3, 1.0), (0.02, 0.25))
#: and at least so many until seekers have had a fair chance.
FAIR_CHANCE = 0.1
#: What approximators leave unexplained counts so many times: they are long.
LONG_MODELS = 10.0
#: Evaluations that are saved up for seekers after that before they go on: enough for some restarts side by side.
SAVED = 30_000


def due(left: float, approximators_left: float, done: int, had: int, fair: bool) -> int:
    """Evaluations that seekers are due, who have `had` some since approximators began, and these have `done` theirs.

    `left` is what the best find leaves unexplained; approximators that leave little say that there is little noise. `fair` says
    that seekers have had a fair chance.
    """
    # A find that leaves more than approximators do says nothing about a law: these say how clean the data are.
    near = min(left if left < approximators_left else math.inf, LONG_MODELS * approximators_left)
    share = next((share for most, share in SHARES if near < most), 0.0)
    if not fair:
        return max(0, int(max(share, FAIR_CHANCE) * done) - had)
    evaluations = int(share * done) - had
    return evaluations if evaluations >= SAVED else 0

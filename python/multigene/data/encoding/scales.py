"""Levels of text that people put in an order: low, medium, high; S, M, L; 18-24, 25-34, 55+.

The type of a column may say an order; text does not. Where every level of a column stands on one scale, ranks are tried as for
ordered categories, and held-out rows decide between them and levels (`learn.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from multigene.data.constants import MOST_LEVELS

#: Words of a scale from its lower end to its upper one; several for one place by a bar.
_SCALES = tuple(
    tuple(tuple(place.split("|")) for place in scale.split(", "))
    for scale in (
        "none, lowest, very low, low, medium|moderate|middle|mid|normal|average, high, very high, highest",
        "tiny, very small, small, medium|middle|mid|normal, large|big, very large|very big, huge",
        "xxs, xs, s, m, l, xl, xxl|2xl, xxxl|3xl",
        "never, very rarely, rarely|seldom, sometimes|occasionally, often|frequently, usually|very often, always",
        "strongly disagree, disagree, somewhat disagree, neutral|undecided, somewhat agree, agree, strongly agree",
        "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
        "very poor|very bad|terrible, poor|bad, fair|average|ok, good, very good, excellent",
        "none, slight|minimal, mild|minor, moderate, severe|major, very severe|critical",
        "cold, cool, mild, warm, hot",
        "sehr niedrig, niedrig|gering, mittel, hoch, sehr hoch",
        "nie, selten, manchmal, oft, immer",
        "very slow, slow, medium|normal|moderate, fast, very fast",
    )
)
#: A number, or a limit, at the beginning of a level: 18-24, 55+, <18, 1 - never.
_NUMBERED = re.compile(
    r"(?P<below><|≤|under |below |up to |less than |unter |bis )?(?:>|≥|over |above |more than |über |ab )?=? ?\$?"
    r"(?P<number>[1-9]\d{0,2}(?:[.,]\d{3})+|\d+(?:[.,]\d+)?)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:\+|(?:-|–|—|to|bis)\s*\$?\d|-\s|–\s|[:=)]\s|and |or |und |plus)", re.IGNORECASE)


def natural_order(levels: Sequence[str]) -> tuple[str, ...] | None:
    """The levels in the order of the one scale that all of them stand on; None if there is none, or they are fewer than three."""
    if not 3 <= len(levels) <= MOST_LEVELS:
        return None
    for places in (_of_words(levels), _of_numbers(levels)):
        if places is not None and len(set(places)) == len(levels):
            return tuple(level for _, level in sorted(zip(places, levels, strict=True)))
    return None


def _of_words(levels: Sequence[str]) -> list[float] | None:
    words = [" ".join(re.split(r"[\s_-]+", level.strip().casefold())) for level in levels]
    for scale in _SCALES:
        known = {word: float(place) for place, same in enumerate(scale) for word in same}
        if all(word in known for word in words):
            return [known[word] for word in words]
    return None


def _of_numbers(levels: Sequence[str]) -> list[float] | None:
    """The numbers that levels begin with, where one of them is a range, a limit or a number with its meaning."""
    parts = [part for level in levels if (part := _NUMBERED.match(level.strip()))]
    ranges = [bool(part["below"] or _RANGE.match(part["rest"])) for part in parts]
    bare = [not part["rest"] or part.start("number") > 0 for part in parts]
    if len(parts) < len(levels) or not any(ranges) or not all(map(max, ranges, bare)):
        return None
    return [_number(part["number"]) - (0.5 if part["below"] else 0.0) for part in parts]


def _number(text: str) -> float:
    """A number whose points or commas stand between thousands, or a decimal one."""
    whole = re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", text)
    return float(re.sub("[.,]", "", text) if whole else text.replace(",", "."))

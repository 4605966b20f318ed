"""Numbers that are spelled in ways of their own: `1.20 ± 0.03`, `52°31'N`, `1:23.45`, `2 1/2`.

`cells.py` asks for each column of text. A column is read in such a way only if all of its texts are written so; what was taken
for what is said in a note, and `--as-it-is` leaves the column alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from multigene.data.constants import DENOMINATORS

_UNCERTAINTY = re.compile(r" ?(?:±|\+/-|\+-|\\pm) ?[\d.,]+(?:[eE][-+]?\d+)?(?: ?%)?")
#: As physicists write 1.20 ± 0.03: the last digits are uncertain by 3.
_LAST_DIGITS = re.compile(r"(?<=\d)\(\d{1,3}\)(?=[eE]| |\Z)")
_IN_BRACKETS = re.compile(r"\A\(([^()]*)\)")
_SIDE = r"[NSEWO]"
_ANGLE = re.compile(
    rf"(?P<first>{_SIDE} ?)?(?P<sign>[-+]?)(?P<degrees>\d{{1,3}}(?:\.\d+)?) ?[°º] ?"
    r"(?:(?P<minutes>\d{1,2}(?:\.\d+)?) ?['’′] ?)?"
    r"(?:(?P<seconds>\d{1,2}(?:\.\d+)?) ?(?:''|’’|[\"”″]) ?)?"
    rf"(?P<last>{_SIDE})?\Z",
    re.IGNORECASE,
)
_STOPWATCH = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):([0-5]\d(?:[.,]\d+)?)\Z")
_FRACTION = re.compile(r"([-+]?)(?:(\d+)(?: | ?(?=[½⅓⅔¼¾⅛⅜⅝⅞]))?)??(?:(\d+) ?[/⁄] ?(\d+)|([½⅓⅔¼¾⅛⅜⅝⅞]))?\Z")
_VULGAR = dict(zip("½⅓⅔¼¾⅛⅜⅝⅞", (1 / 2, 1 / 3, 2 / 3, 1 / 4, 3 / 4, 1 / 8, 3 / 8, 5 / 8, 7 / 8), strict=True))


def without_uncertainties(texts: Sequence[str]) -> list[str] | None:
    """Texts such as `1.20 ± 0.03 kg` as `1.20 kg`; None if there is no uncertainty in any of them."""
    bare = [_LAST_DIGITS.sub("", _UNCERTAINTY.sub("", text)) for text in texts]
    if all(left == text for left, text in zip(bare, texts, strict=True)):
        return None
    return [
        _IN_BRACKETS.sub(r"\1", text).strip() if "±" in whole else text
        for text, whole in zip(bare, texts, strict=True)
    ]


def spelled_numbers(texts: Sequence[str]) -> tuple[list[float], str, str] | None:
    """Texts that are all angles, times of a stopwatch or fractions: their numbers, what was done, and the unit; or None."""
    for read in (_degrees, stopwatch_seconds, _fractions):
        values = read(texts)
        if values is not None:
            return values, *_SPOKEN[read.__name__]
    return None


_SPOKEN = {
    "_degrees": ("angles as degrees", "°"),
    "stopwatch_seconds": ("minutes and seconds such as 1:23.45 as seconds", "s"),
    "_fractions": ("fractions as numbers", ""),
}


def _degrees(texts: Sequence[str]) -> list[float] | None:
    """52°31'12\"N as 52.52; south and west are negative. Degrees alone are numbers with a unit, unless a side is named."""
    parts = [_ANGLE.match(text) for text in texts]
    if not parts or not all(parts):
        return None
    found = []
    for part in parts:
        assert part is not None
        side = ((part["first"] or "").strip() + (part["last"] or "")).upper()
        if len(side) > 1 or (side and part["sign"] == "-"):
            return None
        size = (
            float(part["degrees"])
            + float(part["minutes"] or 0.0) / 60.0
            + float(part["seconds"] or 0.0) / 3600.0
        )
        found.append(-size if side in ("S", "W") or part["sign"] == "-" else size)
    return found


def stopwatch_seconds(texts: Sequence[str]) -> list[float] | None:
    """1:23.45 as 83.45; None if no text has parts of a second behind two numbers alone: others are times of a clock."""
    parts = [_STOPWATCH.match(text.strip()) for text in texts]
    if (
        not parts
        or not all(parts)
        or not any(part and not part[1] and not part[3].isdigit() for part in parts)
    ):
        return None
    return [3600.0 * int(p[1] or 0) + 60.0 * int(p[2]) + float(p[3].replace(",", ".")) for p in parts if p]


def _fractions(texts: Sequence[str]) -> list[float] | None:
    """1/2, 2 1/2, 3½ beside whole numbers; None where a fraction is none that people measure in, but a date or a pair of numbers
    such as 120/80."""
    parts = [_FRACTION.match(text) for text in texts]
    if not parts or not all(part and part[0].strip("+-") for part in parts):
        return None
    found, any_fraction = [], False
    for part in parts:
        assert part is not None
        value = float(part[2] or 0.0)
        if part[4]:
            above, below = int(part[3]), int(part[4])
            if below not in DENOMINATORS or above >= below:
                return None
            value += above / below
        value += _VULGAR.get(part[5] or "", 0.0)
        any_fraction = any_fraction or bool(part[4] or part[5])
        found.append(-value if part[1] == "-" else value)
    return found if any_fraction else None

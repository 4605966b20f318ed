"""Numbers that are spelled in ways of their own: `1.20 ± 0.03`, `52°31'N`, `1:23.45`, `2 1/2`.

`cells.py` asks for each column of text. A column is read in such a way only if all of its texts are written so; what was taken
for what is said in a note, and `--as-it-is` leaves the column alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from multigene.data.constants import DENOMINATORS, FEWEST_UNMARKED

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
#: An account's side behind a number, in books of debits and credits.
_SIDE_OF_ACCOUNT = re.compile(r"(.*\d) ?(dr|cr)\.?\Z", re.IGNORECASE)
_LIMIT = re.compile(r"\A(?:<=?|>=?|≤|≥|~|≈|ca\.?|approx\.?) ?(?=[-+\d.,])")
#: Letters are those of statistical offices: provisional, estimated, revised, break in series and so on.
_FOOTNOTE = re.compile(r"(?<=[\d%€$])(?: ?[*†‡§]+| ?\[\w{1,2}\]| [bcdefnprsuz]{1,2})\Z")
_DURATION = re.compile(
    r"(?:(\d+) ?(?:d|days?))?,? ?(?:(\d+(?:\.\d+)?) ?(?:h|hrs?|hours?|std\.?))?,? ?"
    r"(?:(\d+(?:\.\d+)?) ?(?:m|min\.?|mins|minutes?|(?<=\dh\d\d)))?,? ?(?:(\d+(?:\.\d+)?) ?(?:s|secs?|seconds?))?\Z",
    re.IGNORECASE,
)
_ISO_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?\Z")
_FEET = re.compile(r"(\d{1,2}) ?['’′](?: ?-? ?(\d{1,2}(?:\.\d+)?) ?(?:\"|”|″|''|’’))?\Z")
#: A letter stands at its number, since `300 K` is a temperature; one is enough, or rows to predict would be read in another way.
_MAGNITUDE = re.compile(
    r"(?P<sign>[-+]?)(?P<before>[$€£¥]?)(?P<number>\d[\d,]*(?:\.\d+)?)"
    r"(?P<letter> ?[kKMGT](?=B)| ?(?:[Mm]io|[Mm]rd|[Mm]n|[Bb]n)(?=\Z| ?€)|[kKMB](?=\Z| ?€))?(?P<unit>B| ?€)?\Z"
)
_SIZES = {
    "": 1.0,
    "k": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "mio": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "mrd": 1e9,
    "g": 1e9,
    "t": 1e12,
}
_VULGAR = dict(zip("½⅓⅔¼¾⅛⅜⅝⅞", (1 / 2, 1 / 3, 2 / 3, 1 / 4, 3 / 4, 1 / 8, 3 / 8, 5 / 8, 7 / 8), strict=True))


def without_uncertainties(texts: Sequence[str]) -> tuple[list[str], str] | None:
    """Texts such as `1.20 ± 0.03 kg` as `1.20 kg`, and what was done; None if there is no uncertainty in any of them."""
    bare = [_LAST_DIGITS.sub("", _UNCERTAINTY.sub("", text)) for text in texts]
    if all(left == text for left, text in zip(bare, texts, strict=True)):
        return None
    without = [
        _IN_BRACKETS.sub(r"\1", text).strip() if "±" in whole else text
        for text, whole in zip(bare, texts, strict=True)
    ]
    return without, "the uncertainties behind ± left out"


def signed_sides(texts: Sequence[str]) -> tuple[list[str], str] | None:
    """`1,200.00 Dr` and `300.00 Cr` as 1,200.00 and -300.00, and what was done; None if not all have a side."""
    parts = [_SIDE_OF_ACCOUNT.match(text) for text in texts]
    if not parts or not all(parts):
        return None
    signed = [("-" if part[2].lower() == "cr" else "") + part[1] for part in parts if part]
    return signed, "credits (Cr) as negative numbers"


def without_marks(texts: Sequence[str]) -> tuple[list[str], str] | None:
    """Numbers without limits (`<0.1`, `>100`, `~60`) and footnotes (`12*`, `13.1 p`, `4[1]`) beside them, and what was done; None
    if there are none, or more than half of the texts have one: those are levels."""
    bare = [_FOOTNOTE.sub("", _LIMIT.sub("", text)) for text in texts]
    marked = [(text, left) for text, left in zip(texts, bare, strict=True) if text != left]
    if not marked or 2 * len(marked) > len(texts) or len(texts) - len(marked) < FEWEST_UNMARKED:
        return None
    limits = [f"{text!r} as {left}" for text, left in marked if _LIMIT.match(text)]
    notes = [repr(text) for text, _ in marked if not _LIMIT.match(text)]
    said = [f"{', '.join(limits[:3])}, the limit itself"] if limits else []
    return bare, "; ".join(said + ([f"the mark of {', '.join(notes[:3])} left out"] if notes else []))


def spelled_numbers(texts: Sequence[str]) -> tuple[list[float], str, str] | None:
    """Texts that are all angles, durations, feet and inches, large numbers in short (1.2M) or fractions: their numbers, what was
    done, and the unit; or None."""
    for read in (_degrees, stopwatch_seconds, _durations, _feet, _magnitudes, _fractions):
        values = read(texts)
        if values is not None:
            return values, *_SPOKEN[read.__name__]
    return None


_SPOKEN = {
    "_degrees": ("angles as degrees", "°"),
    "stopwatch_seconds": ("minutes and seconds such as 1:23.45 as seconds", "s"),
    "_durations": ("durations as hours", "h"),
    "_feet": ("feet and inches as inches", "in"),
    "_magnitudes": ("K, M and so on as thousands, millions and so on", ""),
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


def _durations(texts: Sequence[str]) -> list[float] | None:
    """1h 30m, 0h 45min, 14h30 or PT45M as hours; None if a text has neither days nor hours, or none has two parts: `45 min` and
    `5 h` are numbers with a unit."""
    iso = [_ISO_DURATION.match(text) for text in texts]
    parts = iso if all(iso) else [_DURATION.match(text) for text in texts]
    if not parts or not all(part and any(part.groups()) for part in parts):
        return None
    long = all(part and (part[1] or part[2]) for part in parts)
    if parts is not iso and not (long and any(part and (part[3] or part[4]) for part in parts)):
        return None
    shares = (24.0, 1.0, 1.0 / 60.0, 1.0 / 3600.0)
    return [
        sum(share * float(number or 0.0) for share, number in zip(shares, part.groups(), strict=True))
        for part in parts
        if part
    ]


def _feet(texts: Sequence[str]) -> list[float] | None:
    """5'11\" as 71; None if no text has inches: 5' alone may be minutes of an angle."""
    parts = [_FEET.match(text) for text in texts]
    if not parts or not all(parts) or not any(part and part[2] for part in parts):
        return None
    return [12.0 * int(part[1]) + float(part[2] or 0.0) for part in parts if part]


def _magnitudes(texts: Sequence[str]) -> list[float] | None:
    """1.2M, 350K, 10 MB as numbers; None if no text has such a letter, or where some have another unit."""
    parts = [_MAGNITUDE.match(text) for text in texts]
    if not parts or not all(parts) or len({(part["before"], part["unit"]) for part in parts if part}) > 1:
        return None
    if not any(part and part["letter"] for part in parts):
        return None
    return [
        (-1.0 if part["sign"] == "-" else 1.0)
        * float(part["number"].replace(",", ""))
        * _SIZES[(part["letter"] or "").strip().lower()]
        for part in parts
        if part
    ]


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

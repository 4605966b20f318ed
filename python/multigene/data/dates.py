"""Dates and times as people and programs write them: text to days since 1970, clock times to hours, 20240131 and 1706659200000 to
a date.

A column of text is dates if all of its texts are. Whether 03/04/2024 is in March or in April is told by other rows
of the column, or by its marks; what was decided when a model was trained (`Form`) holds for the rows that it predicts, even if
these could be read in the other way.
"""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from multigene.data.constants import (
    CLOCK_NAMES,
    FEWEST_DATES,
    FIRST_COUNTED_YEAR,
    FIRST_YEAR,
    LAST_YEAR,
    SPREADSHEET_1970,
)

Floats = npt.NDArray[np.float64]
#: How dates of a column are written, where that is not told by each of them.
Form = Literal["", "day first", "month first"]
FORMS: tuple[Form, ...] = ("", "day first", "month first")

_TIME = r"([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?)?"
_ISO = re.compile(rf"\d{{4}}-\d{{2}}-\d{{2}}{_TIME}(Z|[+-]\d\d:?\d\d)?\Z")
_YEAR_FIRST = re.compile(rf"\d{{4}}/\d{{1,2}}/\d{{1,2}}{_TIME}\Z")
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([./-])(\d{{1,2}})\2\d{{4}}{_TIME}\Z")
#: Years of two digits only where no hyphen stands between the parts, which codes have as well.
_SHORT_YEAR = re.compile(rf"(\d{{1,2}})([./])(\d{{1,2}})\2\d{{2}}{_TIME}\Z")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_NAMED = re.compile(
    rf"(?:(?:\d{{1,2}}[ -]{_MONTH}|{_MONTH} \d{{1,2}})[ ,-]+\d{{4}}|\d{{1,2}}-{_MONTH}-\d{{2}}){_TIME}\Z",
    re.IGNORECASE,
)
_YEAR_MONTH = re.compile(r"\d{4}[-/](0[1-9]|1[0-2])\Z")
#: Jan 2024; years of two digits behind a hyphen, as spreadsheets write them, or an apostrophe: Jan 24 is a day.
_MONTH_YEAR = re.compile(rf"({_MONTH})(?:[ -](\d{{4}})|-(\d{{2}})|[ -]?['’](\d{{2}}))\Z", re.IGNORECASE)
#: Names of months in German, French, Spanish, Italian, Portuguese and Dutch that are not English ones as well.
_MONTHS = {
    "jan": "januar janv janvier enero ene gennaio gen janeiro januari",
    "feb": "februar fév févr février febrero febbraio fevereiro fev",
    "mar": "mär märz mrz mars marzo março maart mrt", "apr": "avr avril abril abr aprile", "may": "mai mayo maggio mag maio mei",
    "jun": "juni juin junio giugno giu junho", "jul": "juli juil juillet julio luglio lug julho",
    "aug": "août agosto ago augustus",
    "sep": "sept septembre septiembre settembre set setembro", "oct": "okt oktober octobre octubre ottobre ott outubro out",
    "nov": "novembre noviembre novembro", "dec": "dez dezember déc décembre diciembre dic dicembre dezembro",
}  # fmt: skip
_ENGLISH = {name: month for month, names in _MONTHS.items() for name in names.split()}
_OTHER_MONTH = re.compile(rf"\b({'|'.join(sorted(_ENGLISH, key=len, reverse=True))})\b\.?", re.IGNORECASE)
_OF = re.compile(r" (?:de|del|di) ", re.IGNORECASE)
_WEEKDAY = re.compile(
    r"\A(?:mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim)"
    r"(?:[a-z]*day|tag|[a-z]*woch|[a-z]*tag|di|credi|dredi|edi|anche)?\.?,? (?=\d)",
    re.IGNORECASE,
)
_QUARTER = re.compile(r"(?:(\d{4})[-/ ]?Q([1-4])|Q([1-4])[-/ ]?(\d{4}))\Z", re.IGNORECASE)
_WEEK = re.compile(r"(\d{4})-?W(\d{2})(?:-([1-7]))?\Z")
#: What stands behind a time of day in all texts of a column, such as CET: the place's own time, which is read as it is.
_ZONE = re.compile(r"(?<=:\d\d) [A-Z]{3,4}\Z")
_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?(?: ?([AaPp])\.?[Mm]\.?)?\Z")


def days_since_1970(values: npt.NDArray[Any]) -> Floats:
    """Days since 1970-01-01 (UTC), NaN for gaps."""
    if values.dtype.kind not in "mM":
        values = pd.to_datetime(pd.Series(values), utc=True).dt.tz_localize(None).to_numpy()
    return np.asarray((values - np.datetime64(0, "s")) / np.timedelta64(1, "D"), dtype=np.float64)


def parsed_dates(texts: Sequence[str], form: Form = "") -> tuple[Floats, Form] | None:
    """Texts that are all dates, as days, and the form; None if they are not. A `form` that is known is kept.

    Years, months and names of months may stand in different ways in a column, as long as each text tells which it is.
    """
    levels = pd.Series([_english(text) for text in texts], dtype=object)
    if levels.empty:
        return None
    levels = _with_days(levels)
    iso = levels.map(lambda level: _ISO.match(level) is not None).to_numpy(dtype=bool)
    told = levels.map(lambda level: (_YEAR_FIRST.match(level) or _NAMED.match(level)) is not None).to_numpy(
        dtype=bool
    )
    days, numeric = np.empty(len(levels)), ~(iso | told)
    if numeric.any():
        order = _order(levels[numeric].tolist(), form)
        if order is None:
            return None
        form = order
    ways: list[tuple[npt.NDArray[np.bool_], dict[str, Any]]] = [
        (iso, {"format": "ISO8601"}),
        (told, {"format": "mixed"}),
        (numeric, {"format": "mixed", "dayfirst": form == "day first"}),
    ]
    try:
        for rows, options in ways:
            if rows.any():
                read = pd.to_datetime(levels[rows], utc=True, **options).dt.tz_localize(None)
                days[rows] = days_since_1970(read.to_numpy())
    except (ValueError, OverflowError):
        return None
    return days, form


def _with_days(levels: pd.Series) -> pd.Series:
    """Quarters, months and weeks, where all texts are such, as their first days; times without the zone that all have."""
    if all(map(_QUARTER.match, levels)):
        parts = [_QUARTER.match(level) for level in levels]
        pairs = [(p[1] or p[4], int(p[2] or p[3])) for p in parts if p]
        return pd.Series([f"{year}-{3 * quarter - 2:02}-01" for year, quarter in pairs], dtype=object)
    if all(map(_YEAR_MONTH.match, levels)):
        return levels.map(lambda level: f"{level[:4]}-{level[-2:]}-01")
    if all(map(_MONTH_YEAR.match, levels)):
        months = [_MONTH_YEAR.match(level) for level in levels]
        return pd.Series(
            [f"1 {p[1]} {p[2] or _with_century(p[3] or p[4])}" for p in months if p], dtype=object
        )
    if all(map(_WEEK.match, levels)):
        weeks = [_WEEK.match(level) for level in levels]
        numbers = [(int(p[1]), int(p[2]), int(p[3] or 1)) for p in weeks if p]
        with contextlib.suppress(ValueError):  # no week 54
            days = [datetime.date.fromisocalendar(*number).isoformat() for number in numbers]
            return pd.Series(days, dtype=object)
    zones = {found[0] if (found := _ZONE.search(level)) else "" for level in levels}
    return levels.str.removesuffix(zones.pop()) if len(zones) == 1 else levels


def _with_century(year: str) -> str:
    """A year of two digits with four, as clocks and other programs have it: 68 is 2068, and 69 is 1969."""
    return ("20" if int(year) < 69 else "19") + year


def _english(text: str) -> str:
    """A date with the name of its month in English, without the day of the week and the point behind the day."""
    if not any(map(str.isalpha, text)):
        return text
    text = _OF.sub(" ", text)
    named = _OTHER_MONTH.sub(lambda found: _ENGLISH[found[1].lower()], _WEEKDAY.sub("", text))
    return re.sub(r"\A(\d{1,2})\. (?=[A-Za-z])", r"\1 ", named)


def _order(levels: list[str], form: Form) -> Form | None:
    """Whether the day or the month stands first in dates such as 03/04/2024; None if they are none, or not as `form` says."""
    pattern = _YEAR_LAST if _YEAR_LAST.match(levels[0]) else _SHORT_YEAR
    parts = [pattern.match(level) for level in levels]
    if not all(parts):
        return None
    firsts, seconds = ([int(part[group]) for part in parts if part] for group in (1, 3))
    marks = {part[2] for part in parts if part}
    if len(marks) > 1 or (max(firsts) > 12 and max(seconds) > 12):
        return None
    if form:
        return form if max(seconds if form == "day first" else firsts) <= 12 else None
    # 03/04/2024 is read as in the United States unless a day says otherwise; with points the day stands first.
    return "day first" if max(firsts) > 12 or (max(seconds) <= 12 and marks != {"/"}) else "month first"


def clock_hours(texts: Sequence[str]) -> list[float] | None:
    """Texts such as 14:35, 9:05:30 or 2:10 pm, which are all times of a clock, or durations, as hours; None if they are not."""
    parts = [_CLOCK.match(text.strip()) for text in texts]
    if not parts or not all(parts):
        return None
    hours = []
    for part in parts:
        assert part is not None
        hour, half = int(part[1]), (part[4] or "").lower()
        if half and not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0) if half else hour
        hours.append(hour + int(part[2]) / 60.0 + float(part[3] or 0.0) / 3600.0)
    return hours


def numbered_dates(numbers: Floats, fewest: int = FEWEST_DATES) -> Floats | None:
    """Whole numbers such as 20240131 as days; None if not all are dates, or where fewer than `fewest` are different."""
    gaps = np.isnan(numbers)
    present = numbers[~gaps] if gaps.any() else numbers
    if not len(present) or present.min() < 1e4 * FIRST_YEAR or present.max() > 1e4 * LAST_YEAR:
        return None
    different = np.unique(present)
    if len(different) < fewest or np.any(different != np.floor(different)):
        return None
    texts = pd.Series([str(int(number)) for number in different])
    read = pd.to_datetime(texts, format="%Y%m%d", errors="coerce")
    if read.isna().any():
        return None
    days = np.full(len(numbers), np.nan)
    days[~gaps] = days_since_1970(read.to_numpy())[np.searchsorted(different, numbers[~gaps])]
    return days


def spreadsheet_dates(name: str, numbers: Floats, fewest: int = FEWEST_DATES) -> Floats | None:
    """Days as spreadsheets count them (45292 is the first of 2024) as days since 1970; None if the column is not called `date`,
    or a number means no day of this time. `fewest` as in `numbered_dates`."""
    present = numbers[~np.isnan(numbers)]
    if not words_of(name) & {"date", "datum"} or len(np.unique(present)) < fewest:
        return None
    first, last = ((year - 1970) * 365.2425 + SPREADSHEET_1970 for year in (FIRST_COUNTED_YEAR, LAST_YEAR))
    return numbers - SPREADSHEET_1970 if first <= present.min() and present.max() <= last else None


def words_of(name: str) -> set[str]:
    """The words in the name of a column."""
    return set(re.split(r"[\W_\d]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))


def counted_dates(name: str, numbers: Floats, fewest: int = FEWEST_DATES) -> Floats | None:
    """Seconds since 1970, or thousandths, millionths and so on of them, as days; None if the column is not called so, or a number
    means no moment of this time. `fewest` as in `numbered_dates`."""
    present = numbers[~np.isnan(numbers)]
    if not words_of(name) & set(CLOCK_NAMES) or len(np.unique(present)) < fewest:
        return None
    first, last = ((year - 1970) * 365.2425 * 86400.0 for year in (FIRST_COUNTED_YEAR, LAST_YEAR))
    for parts in (1.0, 1e3, 1e6, 1e9):
        if first * parts <= present.min() and present.max() <= last * parts:
            return numbers / (86400.0 * parts)
    return None

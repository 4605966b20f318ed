"""Cells that mean numbers: `1.234,50 €`, `12 %`, `(1,500)`, `−3`, `3.5 kg`; and units in the names of columns.

A column of text becomes numbers only if every cell that is not a gap can be read in one and the same way; otherwise it stays
text. What was done is said once per kind, and `Table.units` keeps what stood behind the numbers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd

from multigene.data.codes import are_codes, may_be_clock, tell_something
from multigene.data.constants import GAPS
from multigene.data.dates import clock_hours, counted_dates, numbered_dates, spreadsheet_dates
from multigene.data.spelled import signed_sides, spelled_numbers, without_marks, without_uncertainties
from multigene.data.table import Table
from multigene.words import nearest

CURRENCIES = [
    "€", "$", "£", "¥", "₹", "₽", "₩", "₺", "₪", "₫", "฿", "₴", "R$", "US$", "A$", "C$", "NZ$", "HK$", "USD", "EUR", "GBP", "CHF",
    "JPY", "CNY", "INR", "CZK", "PLN", "HUF", "SEK", "NOK", "DKK", "RUB", "BRL", "AUD", "CAD", "kr", "Kč", "zł", "Ft", "руб",
]  # fmt: skip
_UNITS = (
    "m mm cm km µm um nm in ft yd mi m2 m² m^2 m3 m³ m^3 mm2 mm² cm2 cm² cm3 cm³ km2 km² l L ml mL "
    "g kg mg µg ug t lb lbs oz s ms min h d a yr K C °C degC F °F degF N kN Pa kPa MPa GPa hPa bar mbar psi "
    "J kJ MJ W kW MW kWh MWh V mV kV A mA Hz kHz MHz GHz rad deg ° mol mmol ppm ppb % m/s km/h mph m/s2 m/s² m/s^2 "
    "kg/m3 kg/m³ kg/m^3 g/cm3 g/cm³ g/l mg/l W/m2 W/m² rpm lx dB ohm Ω T Wb F H cd lm"
)
UNITS = frozenset((*_UNITS.split(), *CURRENCIES))
#: What is said of digits with zeros before them.
CODES = "the zeros before its digits, as codes (--as-it-is takes the numbers)"
_SPACES = re.compile(r"[\s\u00a0\u2007\u2009\u202f]+")
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_PLAIN = re.compile(rf"[-+]?{_NUMBER}\Z")
_GROUPS = {
    ",": re.compile(r"[-+]?(\d{1,3}|\d{1,2}(,\d{2})+)(,\d{3})+(\.\d+)?\Z"),  # 1,23,456 as in India
    ".": re.compile(r"[-+]?\d{1,3}(\.\d{3})+(,\d+)?\Z"),
    " ": re.compile(r"[-+]?\d{1,3}( \d{3})+([.,]\d+)?\Z"),
    "'": re.compile(r"[-+]?\d{1,3}(['’]\d{3})+([.,]\d+)?\Z"),
}
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+([eE][-+]?\d+)?\Z")
#: Exponents as Fortran (1.2D+03) and people write them (1.2×10^3, 1.2·10⁻³).
_FORTRAN = re.compile(r"([-+]?\d*\.\d*)[dD]([-+]\d+)\Z")
_POWER = re.compile(r"(?<=[\d.]) ?[×x*·] ?10(?:\^([-+]?\d+)|([⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹]+))\Z")
_RAISED = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
_HEADER_UNIT = re.compile(r"(?P<name>.*\S)\s*(?:\[(?P<square>[^\[\]]+)\]|\((?P<round>[^()]+)\))\Z")


def is_unit(text: str) -> bool:
    """Whether a text is a unit that is seen in tables."""
    return text in UNITS


def split_unit(name: str) -> tuple[str, str]:
    """`length [mm]` as ("length", "mm"); a name without a unit that is known as it is, with an empty unit.

    In square brackets anything that looks like a unit is taken for one; round ones hold remarks as often.
    """
    match = _HEADER_UNIT.match(name.strip())
    if match is None:
        return name, ""
    unit = (match["square"] or match["round"]).strip()
    unit = unit.removeprefix("in ").strip() if unit.startswith("in ") else unit
    looks = is_unit(unit) or (match["square"] and re.fullmatch(r"[A-Za-zµ°Ω%][\w/*^·²³⁻¹°µ.\- ]{0,15}", unit))
    return (match["name"], unit) if looks else (name, "")


def read_cells(table: Table, decimal: str | None = None, as_it_is: tuple[str, ...] = ()) -> Table:
    """The table with columns of numbers in disguise as numbers, and the units of its header taken out of the names; columns
    `as_it_is` are left alone."""
    _refuse_unknown(table, as_it_is)
    said: dict[str, list[str]] = defaultdict(list)
    units, columns = dict(table.units), {}
    for name in map(str, table.frame.columns):
        column = table.frame[name]
        if name in as_it_is:
            columns[name] = column
            continue
        if not (pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column)):
            columns[name], kind = _dates_of(name, column)
            if kind:
                said[kind].append(name)
            continue
        values, how, unit = numbers_of(column, decimal, name)
        columns[name] = column if values is None else values
        for kind in how:
            said[kind].append(name)
        if unit and name not in units:
            units[name] = unit
    frame = pd.DataFrame(columns, index=table.frame.index)
    renamed, taken = {}, set(frame.columns)
    for name in frame.columns:
        short, unit = split_unit(name)
        if unit and short not in taken and name not in as_it_is:
            renamed[name] = short
            taken.add(short)
            units[short] = unit
            units.pop(name, None)
            said["a unit in its name"].append(name)
    headers = {short: name for name, short in renamed.items()}
    notes = list(table.notes) + [_spoken(kind, names) for kind, names in said.items()]
    return replace(table, frame=frame.rename(columns=renamed), notes=notes, units=units, headers=headers)


def _refuse_unknown(table: Table, as_it_is: tuple[str, ...]) -> None:
    names = list(map(str, table.frame.columns))
    unknown = next((name for name in as_it_is if name not in names), None)
    if unknown is not None:
        way_out = nearest(unknown, names) or f"; its columns are {', '.join(names[:8])}."
        raise ValueError(f"{table.source} has no column {unknown!r} to be left as it is{way_out}")


def _dates_of(name: str, column: pd.Series) -> tuple[pd.Series, str]:
    """Numbers that are all dates, such as 20240131 or 1706659200000, as dates, and what was done; other columns as they are."""
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return column, ""
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    days, kind = numbered_dates(numbers), "its numbers such as 20240131 as dates"
    if days is None:
        days, kind = counted_dates(name, numbers), "its numbers as time since 1970 (--as-it-is leaves them)"
    if days is None:
        days, kind = (
            spreadsheet_dates(name, numbers),
            "its numbers as a spreadsheet's days (--as-it-is leaves them)",
        )
    if days is None:
        return column, ""
    return pd.Series(pd.to_datetime(days, unit="D").round("us"), index=column.index), kind


def _spoken(kind: str, names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{shown} read with {kind}"


def numbers_of(
    column: pd.Series, decimal: str | None = None, name: str = ""
) -> tuple[pd.Series | None, list[str], str]:
    """A column of text as numbers, what was done to read it, and the unit behind the numbers; None if it is none."""
    cells = column.dropna()
    if cells.empty or not all(isinstance(cell, str) for cell in cells.iloc[:50]):
        return None, [], ""
    cells = cells.astype(str).map(_tidy)
    distinct = pd.Series(cells.unique())
    if not distinct.str.contains(r"\d", regex=True).any():
        return None, [], ""
    gaps = distinct[distinct.str.lower().isin(GAPS) | (distinct == "")]
    texts = distinct[~distinct.isin(gaps)]
    if len(texts) and are_codes(list(texts), name) and not may_be_clock(name, list(texts)):
        # As text, for a model that knows them; what a new model makes of too many is said by it (`data/columns.py`).
        return None, [CODES] if tell_something(len(texts), len(cells)) else [], ""
    hours = clock_hours(list(texts))
    if hours is not None:
        how = ["clock times as hours"] + ([f"{', '.join(map(repr, gaps[:3]))} as gaps"] if len(gaps) else [])
        found = cells.map(dict(zip(texts, hours, strict=True))).astype(np.float64)
        return found.reindex(column.index), how, "h"
    spelled, values = spelled_numbers(list(texts)), None
    if spelled is not None:
        values, how, unit = spelled[0], [f"{spelled[1]} (--as-it-is leaves them)"], spelled[2]
    else:
        values, how, unit = _with_units(texts, decimal)
    if values is None:
        return None, how, ""
    if len(set(values)) < 2 and gaps.str.lower().isin(["x", "*"]).any():  # a box that is ticked, or 1
        return None, [], ""
    if len(gaps):
        how.append(f"{', '.join(map(repr, gaps[:3]))} as gaps")
    known = dict(zip(texts, values, strict=True))
    found = cells.map(known).astype(np.float64).reindex(column.index)
    return found, how, unit


def _with_units(texts: pd.Series, decimal: str | None) -> tuple[list[float] | None, list[str], str]:
    """Texts of one unit as numbers, with or without uncertainties, limits, footnotes and sides of an account."""
    said = []
    for undo in (without_uncertainties, signed_sides, without_marks):
        found = undo(list(texts))
        if found is not None:
            texts = pd.Series(found[0], dtype=object)
            said.append(f"{found[1]} (--as-it-is leaves them)")
    bare, unit = _without_unit(texts)
    if bare is None:
        return None, _several_units(texts), ""
    values, how = _numbers(bare, decimal)
    some = unit and not texts.str.contains(unit, regex=False).all()
    lost = [f"{unit!r} left out, which not all of its numbers have" if some else f"{unit!r} left out"]
    return values, said + how + (lost if unit else []), unit


def _several_units(texts: pd.Series) -> list[str]:
    """What is said of numbers with different units, which stay text."""
    found = texts.str.extract(r"\A[-+]?[\d.,]+ ?(?P<unit>[^\d\s.,]\S*)\Z")["unit"]
    units = list(found.unique()) if found.notna().all() and found.isin(UNITS).all() else []
    return (
        [f"several units ({', '.join(units[:3])}), as text; give it in one of them"] if len(units) > 1 else []
    )


def _tidy(cell: str) -> str:
    text = _SPACES.sub(" ", cell).strip().replace("−", "-").replace("\u2010", "-")
    if re.match(
        r"'[-+.\d]", text
    ):  # as spreadsheets mark numbers that are text, or quotes as some programs write them
        text = text[1:].removesuffix("'")
    text = _POWER.sub(lambda found: "e" + (found[1] or found[2]).translate(_RAISED), text)
    text = _FORTRAN.sub(r"\1e\2", text)
    if text.endswith(")") and re.match(r"[$€£]? ?\([\d$€£]", text):
        return "-" + text[:-1].replace("(", "")  # as accountants write losses
    return "-" + text[:-1] if re.fullmatch(r"[\d.,]+-", text) else text


def _without_unit(texts: pd.Series) -> tuple[pd.Series | None, str]:
    """The texts without the one unit that stands before or behind all of them; None where several do."""
    parts = texts.str.extract(
        r"^(?P<sign>[-+]?)(?P<before>[^\d.,+\-\s]*) ?(?P<number>[-+]?[\d.,][\d.,' ’eE+\-]*?)"
        r" ?(?P<behind>(?![eE][-+]?\d|[-+])[^\d.,' ’]+[23²³]?)?$"
    )
    if parts["number"].isna().any():
        return None, ""
    before, behind = parts["before"].fillna(""), parts["behind"].fillna("").str.strip()
    found = {unit for unit in (*before.unique(), *behind.unique()) if unit}
    # Before a number stands money; other letters there make a code of it, such as C00017.
    known = set(before.unique()) <= {"", *CURRENCIES} and (
        found <= UNITS or (len(found) == 1 and behind.ne("").all() and before.eq("").all())
    )
    if len(found) > 1 or not known:
        return None, ""
    return parts["sign"].fillna("") + parts["number"].str.strip(), next(iter(found), "")


def _numbers(texts: pd.Series, decimal: str | None) -> tuple[list[float] | None, list[str]]:
    """Bare texts as numbers, all read in the same way; None if there is no such way."""
    if all(map(_PLAIN.match, texts)) and decimal != ",":
        return [float(text) for text in texts], []
    if all(_PLAIN.match(text) or _DECIMAL_COMMA.match(text) for text in texts):
        points = any("." in text for text in texts)
        ambiguous = all(_GROUPS[","].match(text) for text in texts if "," in text)
        if not points and (decimal == "," or (decimal is None and not ambiguous)):
            return [float(text.replace(",", ".")) for text in texts], ["decimal commas"]
    for mark, grouped in _GROUPS.items():
        if decimal == mark:
            continue
        with_comma = any("," in text for text in texts) and not any("." in text for text in texts)
        comma = "," if decimal == "," or (decimal is None and mark != "," and with_comma) else "."
        if mark == ".":
            comma = ","
        other = _DECIMAL_COMMA if comma == "," else _PLAIN
        if all(grouped.match(text) or other.match(text) or text.lstrip("+-").isdigit() for text in texts):
            if not any(grouped.match(text) for text in texts):
                continue
            stripped = (re.sub("['’]" if mark == "'" else re.escape(mark), "", text) for text in texts)
            spoken = {" ": "spaces", "'": "apostrophes", ",": "commas", ".": "points"}[mark]
            return [float(text.replace(comma, ".")) for text in stripped], [f"{spoken} between thousands"]
    return None, []

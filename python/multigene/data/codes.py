"""Digits that are codes and not numbers: 01234 and 90210 name places, and lose a digit as numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import pandas as pd

from multigene.data.constants import (
    CLOCK_NAMES,
    CODE_NAMES,
    FEWEST_CODE_DIGITS,
    FEWEST_PADDED,
    NAMED_CODE_DIGITS,
    NAMES,
)

#: A zero before other digits that are a cell by themselves, roughly.
_ZEROS = re.compile(r"(?:\A|[\s,;|^~\"'])0\d{2,}(?![\w.:/-])")

_CLOCK = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d\Z")


def are_codes(texts: Sequence[str], name: str) -> bool:
    """Are the different texts of a column of this name codes: digits alone, as many in each, with a zero before some of them?
    Numbers that are padded to one width have zeros before most of them; of few texts nobody can tell."""
    fewest = NAMED_CODE_DIGITS if _words(name) & set(CODE_NAMES) else FEWEST_CODE_DIGITS
    if len({len(text) for text in texts}) != 1 or len(texts[0]) < fewest:
        return False
    padded = sum(text.startswith("0") for text in texts)
    mostly = len(texts) >= FEWEST_PADDED and 2 * padded > len(texts)
    return padded > 0 and not mostly and all(text.isascii() and text.isdigit() for text in texts)


def may_be_clock(name: str, texts: Sequence[str]) -> bool:
    """Are these times such as 0930, by the name of their column? As numbers they have an order, and without a zero in front, as
    in rows to predict that are all of the afternoon, nobody could tell them from numbers."""
    return bool(_words(name) & set(CLOCK_NAMES)) and all(map(_CLOCK.match, texts))


def tell_something(different: int, rows: int) -> bool:
    """May this number of different codes be categories? What differs in most rows would be left out, and numbers may tell
    something."""
    return different < FEWEST_PADDED or different <= NAMES * rows


def _words(name: str) -> set[str]:
    return set(re.split(r"[\W\d_]+", name.lower()))


def with_codes(
    frame: pd.DataFrame, text: str, separator: str, header: bool, as_numbers: Sequence[str] = ()
) -> pd.DataFrame:
    """A table that was read from a text with its columns of codes as text, which pandas has made numbers of; but for those that
    the user wants as numbers."""
    whole = [j for j in range(frame.shape[1]) if _whole_numbers(frame.iloc[:, j])]
    if not whole or _ZEROS.search(text) is None:
        return frame
    given = pd.read_csv(
        io.StringIO(text),
        sep=separator,
        dtype=str,
        usecols=whole,
        skipinitialspace=True,
        index_col=False,
        header=0 if header else None,
    )
    for name in given.columns:
        cells = given[name].str.strip()
        texts = list(cells.dropna().unique())
        wanted = str(name) not in as_numbers and not may_be_clock(str(name), texts)
        if texts and wanted and are_codes(texts, str(name)):
            frame[name] = cells.astype(object)
    return frame


def _whole_numbers(column: pd.Series) -> bool:
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return False
    return not (column.dropna() % 1).any()

"""How an operator can be written in a language: by a call, by a template, by a function of its own. For `operators.py`.

The writers of `export/` read these; nothing here knows a language.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# How tightly a text binds, loosest first. NEGATIVE is a text with a leading minus: fine at the start of a
# sum, in brackets anywhere else, since languages disagree on what a minus after an operator or before a power
# means.
SUM, NEGATIVE, PRODUCT, FACTOR, ATOM = range(1, 6)


@dataclass(frozen=True, slots=True)
class Template:
    """Text with the arguments as `{0}`, `{1}`, and how tightly it binds.

    Written `{0}`, an argument stands as it is (inside a call's brackets); written `{0:product}`, it is put into brackets when
    it binds less tightly than that level.
    """

    text: str
    level: int = ATOM


@dataclass(frozen=True, slots=True)
class Helper:
    """A function `mg_<operator>` of x (and y) that is put before the formula: its body, or its whole source of several lines."""

    body: str


#: A plain text is the name of a function that is called; a function builds the part of a graph, for targets that are no text.
Spelling = str | Template | Helper | Callable[..., str]

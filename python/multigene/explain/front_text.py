"""The front as text for terminals: four picks in five lines, and a table whose formulas can be read."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import pandas as pd

from multigene.explain.constants import FAR_BELOW, LEAST_STABLE, WIDTH
from multigene.explain.criteria import SHOWN, Listed


def cut_between_terms(text: str, width: int) -> str:
    """A formula cut after one of its terms, with an ellipsis, where it does not fit.

    A first term that is too long itself is cut at one of its signs or brackets: never inside a name or a number.
    """
    if len(text) <= width:
        return text
    depth = after_term = after_sign = 0
    for i, sign in enumerate(text[: max(width - 2, 0)]):
        depth += (sign == "(") - (sign == ")")
        if text[i : i + 3] in (" + ", " - "):
            after_sign = i
            after_term = i if depth == 0 else after_term
        elif sign in "*/(" and text[i + 1] != "*":
            after_sign = i + 1
    end = after_term or after_sign
    return f"{text[:end]} …" if end else "…"


def broken_between_terms(text: str, width: int | None = None) -> str:
    """Formulas in lines of this width, by default the terminal's: broken before a sign, never inside a name or a number."""
    width = width or shutil.get_terminal_size((WIDTH, 24)).columns
    kept = "\0"  # stands for a space at which no line ends
    text = re.sub(r'`[^`]*`|"[^"]*"', lambda quoted: quoted[0].replace(" ", kept), text)
    text = re.sub(r" ([+-]) ", rf" \1{kept}", text)
    lines = [
        part
        for line in text.split("\n")
        for part in wrap(
            line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )
    ]
    return "\n".join(lines).replace(kept, " ")


def pick_lines(picks: Mapping[str, Listed], width: int | None = None, measure: str = "R²") -> list[str]:
    """A heading and the four picks: what each costs, and as much of its formula as fits."""
    width = width or shutil.get_terminal_size((WIDTH, 24)).columns
    unseen = any(math.isfinite(pick.member.validation) for pick in picks.values())
    lines = [f"{'':9} {'nodes':>5} {measure[:8]:>8} {'unseen' if unseen else '':>8}".rstrip()]
    for name, pick in picks.items():
        score = pick.member.validation
        seen = f" {_unseen(score):>8}" if math.isfinite(score) else " " * 9 if unseen else ""
        start = f"{SHOWN.get(name, name):9} {pick.complexity:5} {pick.member.fitness:8.4f}{seen}  "
        lines.append(start + cut_between_terms(str(pick.formula), max(width - len(start), 20)))
    return lines


def stability_text(support: Sequence[tuple[int, float]], names: Sequence[str]) -> str:
    """Which columns of a formula other searches use as well, the least stable ones by name; empty if nothing is known."""
    if not support:
        return ""
    rest = sorted((share, column) for column, share in support if share < 1.0)
    alike = (
        f"{len(support) - len(rest)} of {len(support)} columns are in the formulas of all other searches, too"
    )
    named = [f"{names[column]} in {share:.0%} of them" for share, column in rest[:LEAST_STABLE]]
    return "; ".join([alike, *named, *(["…"] if len(rest) > LEAST_STABLE else [])])


def _unseen(score: float) -> str:
    """A score on rows not seen; what is far below the mean's is not told digit by digit."""
    return f"< -{FAR_BELOW}" if score < -FAR_BELOW else f"{score:.4f}"


class Equations(pd.DataFrame):
    """A table of formulas that prints them to the width of the terminal."""

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    def __repr__(self) -> str:
        wanted = ("complexity", "r2", "validation_r2", "picks", "formula")
        if self.empty or not set(wanted) <= set(self.columns):
            return str(pd.DataFrame(self))
        width = shutil.get_terminal_size((WIDTH, 24)).columns
        numbers = pd.DataFrame(self)[list(wanted[:-1])].to_string(
            formatters={"r2": "{:.4f}".format, "validation_r2": _unseen}
        )
        heading, *rows = numbers.splitlines()
        room = max(width - len(heading) - 2, 30)
        formulas = [cut_between_terms(str(text), room) for text in self["formula"]]
        return "\n".join(
            [f"{heading}  formula", *(f"{row}  {text}" for row, text in zip(rows, formulas, strict=True))]
        )

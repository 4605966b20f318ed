"""Words of messages: numbers with their nouns ("1 gene", "2 genes"), nearest names ("did you mean …?"), and names of columns that
have none.

Imports nothing of the package, so that everything may use it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

#: Of a run that ended before its first generation.
CUT_SHORT = "cut short: the best of what was tried until then"


def counted(number: int, noun: str) -> str:
    """A number and its noun, which takes an s unless there is exactly one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def anatomy(nodes: int, genes: int, separator: str = ", ") -> str:
    """How large a model is: "5 nodes, 1 gene"."""
    return counted(nodes, "node") + separator + counted(genes, "gene")


def among(models: int) -> str:
    """Where a model stands: "one of 12 models of the front"."""
    return "the only model of the front" if models == 1 else f"one of {models} models of the front"


def rows_but(outliers: int) -> str:
    """Which rows scores are of: "the training rows without 2 outliers"."""
    return "the training rows" + (f" without {counted(outliers, 'outlier')}" if outliers else "")


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'a' or 'b'?` for names that are close, or an empty string."""
    known = [str(k) for k in known]
    same = [k for k in known if k.lower() == str(name).lower()]  # difflib thinks nothing of 'T' and 't'
    close = same or difflib.get_close_matches(str(name), known, n=3, cutoff=0.6)
    if not close:
        return ""
    return "; did you mean " + " or ".join(repr(c) for c in close) + "?"


def default_names(count: int) -> list[str]:
    """x0, x1, …: names of columns that have none."""
    return [f"x{j}" for j in range(count)]


def shortened(name: str, most: int) -> str:
    """A name of at most this many characters, with the middle left out where it is longer."""
    return (
        name
        if len(name) <= most
        else f"{name[: (most - 1) - (most - 1) // 2]}…{name[len(name) - (most - 1) // 2 :]}"
    )

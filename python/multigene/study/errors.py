"""What goes wrong in a study, said in one sentence.

Everything a user can cause (an unknown name, an unreadable file, a store of another design) is a
`StudyError`: the command line prints its sentence and ends with exit code 2; in Python it is a `ValueError`
like any other.
"""

from __future__ import annotations

from collections.abc import Iterable

from multigene import words


class StudyError(ValueError):
    """A study cannot go on; the message names the value and the remedy, on one line."""

    def __init__(self, message: str) -> None:
        super().__init__(
            " ".join(message.split())
        )  # other libraries' messages, quoted inside, may hold line ends


def nearest(name: str, known: Iterable[str]) -> str:
    """The names of `known` closest to `name`, or all of them, as the end of a sentence: "; did you mean 'RS5D' or 'S5D'?"."""
    known = list(known)
    listed = "; known are " + ", ".join(sorted(known)) if known else ""
    return words.nearest(name, known) or listed


def unknown(kind: str, name: str, known: Iterable[str]) -> StudyError:
    """The error for a name that is not in a registry, with the nearest names."""
    return StudyError(f"there is no {kind} {name!r}{nearest(name, known)}")

"""Rules as their users state them: "sin only of t", "exp at most 2", "must use dose", "constants between -10 and 10", …

`read` makes values of the texts and refuses what names no column or function, and rules that contradict each other; a mistake is
a `ValueError` whose sentence shows the text with the place «marked». `kept.py` says whether a formula keeps them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from multigene.data.encoding.columns import made_of, spoken_places
from multigene.expression.operators import OPERATORS
from multigene.words import nearest

Kind = Literal[
    "never", "must use", "only of", "never of", "only in", "at most", "values", "constants", "exponents"
]

EXAMPLES = (
    "'sin only of t', 'exp never of sin', 't only in exp', 'exp at most 2', 'must use dose', 'never humidity', "
    "'log only of values above 1', 'whole exponents', 'constants between -10 and 10'"
)
#: Functions that formulas call by name; sums, products and quotients are no functions here.
FUNCTIONS = tuple(name for name, row in OPERATORS.items() if not row.sign and name not in ("neg", "inv"))
#: How often, in words.
TIMES = {"once": 1, "twice": 2}
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


@dataclass(frozen=True)
class Rule:
    """One rule; what belongs to another kind is empty."""

    text: str
    kind: Kind
    functions: tuple[str, ...] = ()
    """Functions that it is about."""
    columns: tuple[int, ...] = ()
    """Columns that it names."""
    inner: tuple[str, ...] = ()
    """Functions that it allows or forbids within those it is about."""
    most: int = 0
    whole: bool = False
    low: float = -math.inf
    high: float = math.inf


def read(texts: Any, names: Sequence[str], own: Sequence[str] = ()) -> tuple[Rule, ...]:
    """The rules about columns of these names and functions, users' `own` among them; a `ValueError` names the one that is wrong,
    or the two that contradict each other."""
    texts = [texts] if isinstance(texts, str) else list(texts or ())
    rules = []
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"rules has {text!r}, which is no rule; write for example {EXAMPLES}.")
        rules.append(_Reader(text.strip(), list(names), (*own, *FUNCTIONS)).rule())
    _refuse_contradictions(rules, [str(name) for name in names])
    return tuple(rules)


class _Reader:
    """Reads one rule."""

    def __init__(self, text: str, names: list[str], functions: tuple[str, ...]) -> None:
        self.text, self.names, self.places = text, names, spoken_places(names)
        self.functions = functions

    def rule(self) -> Rule:
        """The rule that the text says."""
        numbers = re.fullmatch(r"(whole)?\s*(constants|exponents)(?:\s+(.*))?", self.text)
        if numbers and (numbers[1] or numbers[3]):
            return self._of_numbers(numbers[2], bool(numbers[1]), (numbers[3] or "").strip())
        for kind, start in (("never", "never "), ("must use", "must use ")):
            if self.text.startswith(start):
                return self._alone(kind, self.text[len(start) :])
        for words in ("only of values", "only of", "never of", "only in", "at most"):
            subject, found, rest = self.text.partition(f" {words} ")
            if found:
                return self._of_subject(words, subject.strip(), rest.strip())
        first = self.text.split()[0]
        start = nearest(first, ("never", "must", "whole", "constants", "exponents"))
        return self._wrong(first, start or f"; write for example {EXAMPLES}.", "is not understood")

    def _alone(self, kind: Any, listed: str) -> Rule:
        """`never humidity, tanh`, `must use dose`."""
        columns, functions = self._listed(listed, functions=kind == "never")
        return Rule(self.text, kind, functions=functions, columns=columns)

    def _of_subject(self, words: str, subject: str, rest: str) -> Rule:
        """`sin, cos only of t`, `t only in sin`, `exp at most 2`, `log only of values above 1`."""
        if words == "only in":
            columns, _ = self._listed(subject, functions=False)
            return Rule(self.text, "only in", columns=columns, functions=self._functions(rest))
        functions = self._functions(subject)
        if words == "at most":
            return Rule(self.text, "at most", functions=functions, most=self._times(rest))
        if words == "only of values":
            low, high = self._range(rest)
            return Rule(self.text, "values", functions=functions, low=low, high=high)
        columns, inner = self._listed(rest, functions=True)
        return Rule(self.text, words, functions=functions, columns=columns, inner=inner)  # type: ignore[arg-type]

    def _of_numbers(self, kind: Any, whole: bool, rest: str) -> Rule:
        """`whole constants`, `exponents between -2 and 2`, `whole constants above 0`."""
        low, high = self._range(rest) if rest else (-math.inf, math.inf)
        if whole and not _has_whole(low, high):
            self._wrong(rest, "; widen it or leave out 'whole'.", "has no whole number")
        return Rule(self.text, kind, whole=whole, low=low, high=high)

    def _range(self, said: str) -> tuple[float, float]:
        """`between a and b`, `above a`, `below b`."""
        between = re.fullmatch(rf"between\s+({_NUMBER})\s+and\s+({_NUMBER})", said)
        one = re.fullmatch(rf"(above|below)\s+({_NUMBER})", said)
        if between:
            low, high = float(between[1]), float(between[2])
        elif one:
            low, high = (float(one[2]), math.inf) if one[1] == "above" else (-math.inf, float(one[2]))
        else:
            self._wrong(said, "; write 'between -10 and 10', 'above 0' or 'below 5'.", "is no range")
        if low > high:
            self._wrong(said, "; exchange the bounds.", "holds for no number")
        return low, high

    def _times(self, said: str) -> int:
        number = re.fullmatch(r"(\d{1,6})(?:\s+times?)?", said)
        if said in TIMES:
            return TIMES[said]
        if not number:
            self._wrong(said, "; write a whole number, once or twice.", "is no number of times")
        if int(number[1]) == 0:
            self._wrong(said, f"; write 'never {self.text.split()[0]}'.", "leaves none")
        return int(number[1])

    def _functions(self, listed: str) -> tuple[str, ...]:
        """Functions that formulas call by name."""
        found = []
        for name in self._parts(listed):
            if name not in self.functions:
                column = f"; {name!r} is a column: write '{name} only in …'." if name in self.places else ""
                way_out = (
                    column or nearest(name, self.functions) or f"; there are {', '.join(self.functions)}."
                )
                self._wrong(name, way_out, "is no function")
            found.append(name)
        return tuple(found)

    def _listed(self, listed: str, *, functions: bool) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Columns by their names, or by that of the raw column they were made of, and functions where those are meant as well."""
        columns: list[int] = []
        inner: list[str] = []
        for name in self._parts(listed):
            made = made_of(self.names, name)
            if name in self.places:
                columns.append(self.places[name])
            elif made:
                columns += [self.places[each] for each in made]
            elif functions and name in self.functions:
                inner.append(name)
            else:
                known = [*self.places, *(self.functions if functions else ())]
                way_out = nearest(name, known) or f"; the columns are {', '.join(list(self.places)[:20])}."
                self._wrong(name, way_out, "is no column" + (" and no function" if functions else ""))
        return tuple(dict.fromkeys(columns)), tuple(dict.fromkeys(inner))

    def _parts(self, listed: str) -> list[str]:
        """Names between commas; a column may have a comma in its name."""
        if listed.strip() in self.places:
            return [listed.strip()]
        parts = [part.strip().strip("`") for part in listed.split(",")]
        if not all(parts):
            raise ValueError(f"rules: {self.text!r} lacks a name; write for example {EXAMPLES}.")
        return parts

    def _wrong(self, part: str, way_out: str, why: str) -> NoReturn:
        place = self.text.rfind(part)
        marked = f"{self.text[:place]}«{part}»{self.text[place + len(part) :]}" if part else self.text
        raise ValueError(f"rules: {marked}: {part!r} {why}{way_out}")


def _refuse_contradictions(rules: Sequence[Rule], names: list[str]) -> None:
    for rule in rules:
        if rule.kind == "never" and len(set(rule.columns)) == len(names):
            raise ValueError(f"The rule {rule.text!r} leaves no column to build formulas of; leave it out.")
    for i, first in enumerate(rules):
        for second in rules[i + 1 :]:
            why = _contradiction(first, second, names) or _contradiction(second, first, names)
            if why:
                raise ValueError(
                    f"The rules {first.text!r} and {second.text!r} contradict each other: {why}; leave one out."
                )


def _contradiction(a: Rule, b: Rule, names: list[str]) -> str:
    """Why two rules leave no formula, or make one of them idle; nothing where they go together."""
    shared = [names[j] for j in a.columns if j in b.columns]
    common = [f for f in a.functions if f in b.functions]
    if a.kind == "never" and b.kind == "must use" and shared:
        return f"{shared[0]!r} cannot be in a formula and not in it"
    if a.kind == "never" and b.kind == "only in" and (shared or set(b.functions) <= set(a.functions)):
        return f"{shared[0]!r} is never used" if shared else f"{', '.join(b.functions)} is never used"
    if a.kind == "never" and b.kind in ("only of", "at most", "values", "never of") and common:
        return f"{common[0]} is never used"
    if (
        a.kind == "only of"
        and b.kind == "never of"
        and common
        and a.columns
        and set(a.columns) <= set(b.columns)
    ):
        return f"nothing is left for {common[0]}"
    if a.kind == b.kind == "only of" and common and a.columns and b.columns and not shared:
        return f"nothing is left for {common[0]}"
    low, high = max(a.low, b.low), min(a.high, b.high)
    if a.kind == b.kind and a.kind in ("constants", "exponents"):
        if low > high:
            return "no number is within both ranges"
        if (a.whole or b.whole) and not _has_whole(low, high):
            return f"no whole number is between {low:g} and {high:g}"
    if a.kind == b.kind == "values" and common and low >= high:
        return "no value is within both ranges"
    return ""


def _has_whole(low: float, high: float) -> bool:
    """Is a whole number within the range?"""
    return math.isinf(low) or math.isinf(high) or math.ceil(low) <= math.floor(high)

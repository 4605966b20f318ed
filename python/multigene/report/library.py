"""The chart library (Plotly, from its Python package), cut down to the charts that pages draw.

The whole library is 4.8 MB, most of it maps, surfaces and charts that no page of ours has, and a browser needs a second to start
it. It is one script of a few thousand statements: parts, each a function that runs when another part first asks for it, and what
these parts share. `cut_down` registers the charts that are drawn alone, and leaves out every statement that nothing names any
more. It reads names only, so it keeps too much rather than too little. Only versions whose charts were drawn by the tests in a
browser are cut down; any other, and a script that is built in another way, stays whole: pages then are larger and slower, and
as right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

#: Kinds of chart that pages draw, beside points and lines, which are the core of the library.
DRAWN = ("bar", "contour")

#: Versions that are cut down, as the library's first lines tell them: those that tests in a browser have drawn charts with.
TRIED = re.compile(r"\* plotly\.js v4\.1\.\d+\n")

#: Texts, comments and regular expressions: brackets in them mean nothing.
LITERAL = re.compile(
    r"""/\*[\s\S]*?\*/|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'|"""
    r"""`(?:[^`\\$]+|\\.|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}`]*\}|`[^`]*`)*\})*`|"""
    r"""(?:(?<=[(,=:\[!&|?{};+\-*%~^<>\n])|(?<=return)|(?<=typeof)|(?<=case ))"""
    r"""/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*"""
)
BODY = "var Plotly=(()=>{"
#: What makes a part of a function, what lists the names that a part exports, and a name with what is made of it.
MAKES_PART = re.compile(r"(?:var |,)([\w$]+)=\([\w$,]*\)=>\(\)=>[{(]")
LISTS_EXPORTS = re.compile(
    r"(?:var |,)([\w$]+)=\([\w$,]*\)=>\{for\(var [\w$]+ in [\w$]+\)[\w$]+\([\w$,]+,\{get:"
)
DECLARED = re.compile(r"([\w$]+)(?:=([\w$]*)(.{0,3}))?", re.DOTALL)
BLOCK = re.compile(r"(?:(?:async )?function\*?|class)\b\s*([\w$]+)")
#: Names that are not those of fields, and whether they are called without arguments, as parts are.
NAMED = re.compile(r"(?:(?<![\w$.])|(?<=\.\.\.))([\w$]+)(\(\))?")
REGISTERS = re.compile(r"\.register\(\[((?:[\w$]+\(\),?){10,})\]\)")


class UnfamiliarError(Exception):
    """The script is not built as expected."""


@dataclass(frozen=True)
class Statement:
    """A statement of the script: the names it declares, the part it makes, and the name whose exports it lists."""

    text: str
    names: Sequence[str] = ()
    part: str | None = None
    exports_of: str | None = None
    needed: bool = False
    """Is it kept whoever names it? What does more than declare is."""

    @property
    def left_out(self) -> str:
        """What stays of it: names that its part would have given a value to."""
        others = [name for name in self.names if name != self.part]
        return f"var {','.join(others)};" if self.part and others else ""


@cache
def chart_library() -> str:
    """The chart library, as far as it is needed."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise ImportError("A report needs Jinja2 and Plotly: pip install 'multigene[report]'.") from None
    source = str(get_plotlyjs())
    return cut_down(source) if TRIED.search(source, 0, 100) else source


def cut_down(source: str, drawn: Sequence[str] = DRAWN) -> str:
    """The library without what none of these charts needs; the whole of it where it is not built as expected."""
    try:
        begin, end, statements = _statements(source)
        statements = _registering(statements, drawn)
        kept = _kept(statements)
    except UnfamiliarError:
        return source
    texts = (each.text if number in kept else each.left_out for number, each in enumerate(statements))
    return source[:begin] + "".join(texts) + source[end:]


def _statements(source: str) -> tuple[int, int, list[Statement]]:
    """Where the statements of the script begin and end, and what they are."""
    plain = LITERAL.sub(lambda found: '"' * len(found[0]), source).encode("ascii", "replace")
    letters = np.frombuffer(plain, dtype=np.uint8)
    steps = np.zeros(256, dtype=np.int32)
    steps[list(b"({[")], steps[list(b")}]")] = 1, -1
    depth = np.cumsum(steps[letters])
    begin = source.find(BODY) + len(BODY)
    if begin < len(BODY) or depth[-1] != 0 or depth.min() < 0:
        raise UnfamiliarError
    level = int(depth[begin - 1])
    end = begin + int(np.argmax(depth[begin:] < level))
    letters, depth = letters[begin:end], depth[begin:end] - level
    cuts = {mark: np.flatnonzero((letters == ord(mark)) & (depth == 0)) for mark in ";},"}
    texts = _pieces(source[begin:end], cuts)
    first = [next(texts, (0, "")) for _ in range(20)]
    prelude = "".join(text for _, text in first)
    makes, lists = set(MAKES_PART.findall(prelude)), set(LISTS_EXPORTS.findall(prelude))
    if not makes or not lists:
        raise UnfamiliarError
    return begin, end, [_read(text, at, cuts[","], makes, lists) for at, text in chain(first, texts)]


def _pieces(body: str, cuts: dict[str, npt.NDArray[Any]]) -> Iterator[tuple[int, str]]:
    """Statements with where they begin: functions and classes end with a bracket, others with a semicolon."""
    at = 0
    while at < len(body):
        ends = cuts["}" if BLOCK.match(body, at) else ";"]
        place = int(np.searchsorted(ends, at))
        end = int(ends[place]) + 1 if place < len(ends) else len(body)
        yield at, body[at:end]
        at = end


def _read(text: str, at: int, commas: npt.NDArray[Any], makes: set[str], lists: set[str]) -> Statement:
    """What a statement declares; `commas` are those outside brackets, counted as `at` is."""
    block = BLOCK.match(text)
    if block:
        return Statement(text, [block[1]])
    if not text.startswith("var "):
        called = re.match(r"([\w$]+)\(([\w$]+),", text)
        if called and called[1] in lists:
            return Statement(text, exports_of=called[2])
        return Statement(text, needed=True)
    inside = commas[np.searchsorted(commas, at) : np.searchsorted(commas, at + len(text))] - at + 1
    declared = [DECLARED.match(text, int(place)) for place in (4, *inside)]
    if any(each is None for each in declared):
        raise UnfamiliarError
    found = [each for each in declared if each is not None]
    parts = [each[1] for each in found if each[2] in makes and each[3].startswith("(")]
    plain = all(each[2] is None or each[1] in parts or each[3].startswith("{}") for each in found)
    if len(parts) > 1 or not plain:
        return Statement(text, [each[1] for each in found], needed=True)
    return Statement(text, [each[1] for each in found], parts[0] if parts else None)


def _registering(statements: list[Statement], drawn: Sequence[str]) -> list[Statement]:
    """The same statements, registering these kinds of chart alone."""
    places = [number for number, each in enumerate(statements) if REGISTERS.search(each.text)]
    parts = {each.part: each.text for each in statements if each.part}
    if len(places) != 1:
        raise UnfamiliarError
    whole = statements[places[0]]
    listed = REGISTERS.findall(whole.text)[0].replace("()", "").split(",")
    kinds = {}
    for name in listed:
        inner = re.search(r"exports=([\w$]+)\(\)", parts.get(name, ""))
        kind = re.search(r'moduleType:"trace",name:"(\w+)"', parts.get(inner[1], "") if inner else "")
        if kind:
            kinds[kind[1]] = name
    if not set(drawn) <= set(kinds):
        raise UnfamiliarError
    text = REGISTERS.sub(f".register([{','.join(kinds[kind] + '()' for kind in drawn)}])", whole.text)
    changed = Statement(text, whole.names, whole.part, needed=True)
    return [*statements[: places[0]], changed, *statements[places[0] + 1 :]]


def _kept(statements: list[Statement]) -> set[int]:
    """Numbers of the statements that are needed, or named by one that is; a part by being asked for."""
    home = {name: number for number, each in enumerate(statements) for name in each.names}
    exports: dict[int, list[int]] = {}
    for number, each in enumerate(statements):
        if each.exports_of is not None:
            if each.exports_of not in home:
                raise UnfamiliarError
            exports.setdefault(home[each.exports_of], []).append(number)
    waiting = [number for number, each in enumerate(statements) if each.needed]
    kept: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number in kept:
            continue
        kept.add(number)
        waiting += exports.get(number, [])
        for name, called in NAMED.findall(statements[number].text):
            other = home.get(name)
            if other is None or other in kept:
                continue
            part = statements[other].part
            if part is None or (name == part and called):
                waiting.append(other)
    return kept

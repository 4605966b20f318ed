"""A form: a formula with unknown functions and unknown numbers in it, `f(a, b)*exp(-g(c)/T) + p`.

Words that are neither columns nor functions are unknown numbers where they stand alone and unknown functions where arguments
follow. Inside, a form is an expression with placeholders: variables beyond every column stand for its numbers and for the places
of its functions. `search/forms/` looks for expressions to put there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from multigene.data.encoding.columns import made_of
from multigene.expression.constants import MOST_NODES, SHORTEST_MISTAKE
from multigene.expression.from_sympy import is_sympy, sympy_text
from multigene.expression.operators import OPERATORS
from multigene.expression.reading import FURTHER, Reader, Token, known
from multigene.expression.tree import Expression, Number, Variable, postorder, substitute
from multigene.words import nearest

#: Indices of placeholders: far beyond any column.
NUMBERS, PLACES = 1_000_000_000, 2_000_000_000
LIMIT = re.compile(r"\s*([^\W\d]\w*)\s*<=\s*(\d+)\s*(?:nodes)?\s*")


@dataclass(frozen=True)
class UnknownFunction:
    """A function to be found."""

    name: str
    arity: int
    most_nodes: int = MOST_NODES


@dataclass(frozen=True)
class Place:
    """Where a function stands: its number among the functions, and its arguments, placeholders included."""

    function: int
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Form:
    """A formula with gaps."""

    text: str
    template: Expression
    functions: tuple[UnknownFunction, ...]
    numbers: tuple[str, ...]
    places: tuple[Place, ...]
    names: tuple[str, ...] = ()
    """The columns."""

    def filled(self, functions: Sequence[Expression], numbers: Sequence[float]) -> Expression:
        """The formula with these functions of their arguments, and these numbers, in the gaps."""
        known_so_far: dict[int, Expression] = {NUMBERS + i: Number(value) for i, value in enumerate(numbers)}
        for i, place in enumerate(self.places):  # a place comes after those that its arguments need
            arguments = {k: substitute(argument, known_so_far) for k, argument in enumerate(place.arguments)}
            known_so_far[PLACES + i] = substitute(functions[place.function], arguments)
        return substitute(self.template, known_so_far)


def is_unknown(expression: Expression) -> bool:
    """Is there a gap in it?"""
    return any(isinstance(node, Variable) and node.index >= NUMBERS for node in postorder(expression))


def read_form(given: Any, names: Sequence[str], target: str = "y") -> Form | None:
    """The form that a user gave as text or SymPy expression; a `ValueError` marks what is wrong with it."""
    if given is None:
        return None
    if isinstance(given, str):
        return _read(given, given, names, target)
    if is_sympy(given):
        return _read(str(given), sympy_text(given, {str(name) for name in names}), names, target)
    raise ValueError(
        f"form={given!r} is no form; give text such as 'f(a, b)*exp(-g(c)) + p', or a SymPy expression."
    )


def _read(shown: str, text: str, names: Sequence[str], target: str) -> Form:
    body, *limits = text.split(";")
    reader = FormReader(body, names, "The form", target)
    template = reader.expression()
    if not reader.functions and not reader.numbers:
        raise ValueError(
            f"The form {shown!r} has no unknown function and no unknown number; write for example f(a) where one is to be found, "
            "or give the formula as a guess."
        )
    sizes = dict(_limit(each, reader.functions) for each in limits if each.strip())
    functions = tuple(
        UnknownFunction(name, arity, sizes.get(name, MOST_NODES)) for name, arity in reader.functions.items()
    )
    return Form(
        shown, template, functions, tuple(reader.numbers), tuple(reader.places), tuple(map(str, names))
    )


def _limit(text: str, functions: dict[str, int]) -> tuple[str, int]:
    found = LIMIT.fullmatch(text)
    if found is None or found[1] not in functions or int(found[2]) < 1:
        raise ValueError(
            f"The form's limit {text.strip()!r} cannot be read; write for example 'f <= 9' for at most nine nodes; the "
            f"functions are {', '.join(functions) or 'none'}."
        )
    return found[1], int(found[2])


class FormReader(Reader):
    """Reads a form; what is not known is unknown and gets a placeholder."""

    def __init__(self, text: str, names: Sequence[str], what: str, target: str) -> None:
        super().__init__(text, names, what)
        self.target = target
        self.functions: dict[str, int] = {}
        self.numbers: dict[str, Token] = {}
        self.places: list[Place] = []

    def name(self, token: Token) -> Expression:
        """A column, or an unknown number."""
        word = token.text.strip("`")
        ordinary = word in self.columns or token.kind == "name" or word in ("pi", "E") or known(word)
        if ordinary:
            return super().name(token)
        if word in self.functions:
            self.refuse(f"{word!r} is a function at another place; give its arguments.", token)
        if made_of(self.names, word):
            self.refuse(f"{word!r} {self._no_column(word)}", token)
        if word == self.target:
            self.refuse(f"{word!r} is the target; a form says what it equals, so leave it out.", token)
        alike = [name for name in self.columns if name.lower() == word.lower()]
        near = nearest(word, self.columns) if alike or len(word) >= SHORTEST_MISTAKE else ""
        if near:
            self.refuse(
                f"{word!r} is no column{near} An unknown number needs a name that is less like one.", token
            )
        self.numbers.setdefault(word, token)
        return Variable(NUMBERS + list(self.numbers).index(word))

    def called(self, token: Token, arguments: list[Expression]) -> Expression:
        """A function, or a place of an unknown one."""
        word = token.text
        if known(word):
            return super().called(token, arguments)
        if word in self.columns:
            self.refuse(f"{word!r} is a column and cannot be called; put a sign between.", token)
        if word in self.numbers:
            self.refuse(f"{word!r} is a number at another place; give one of the two another name.", token)
        near = nearest(word, [*OPERATORS, *FURTHER]) if len(word) >= SHORTEST_MISTAKE else ""
        if near:
            self.refuse(
                f"{word!r} is no function{near} An unknown function needs a name that is less like one.",
                token,
            )
        for argument in arguments:
            if isinstance(argument, Variable) and NUMBERS <= argument.index < PLACES:
                name = list(self.numbers)[argument.index - NUMBERS]
                self.refuse(f"{name!r} {self._no_column(name)}", self.numbers[name])
            if not any(
                isinstance(n, Variable) and not NUMBERS <= n.index < PLACES for n in postorder(argument)
            ):
                self.refuse(
                    f"an argument of {word!r} has no column in it; a function needs one to depend on.", token
                )
        count = self.functions.setdefault(word, len(arguments))
        self._check_count(token, arguments, count)
        place = Place(list(self.functions).index(word), tuple(arguments))
        if place not in self.places:
            self.places.append(place)
        return Variable(PLACES + self.places.index(place))

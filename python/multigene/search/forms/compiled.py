"""A form on some rows: what is known of it as columns, what is not as the engine's text with numbered constants.

Everything known in a form, numbers included, is computed once, so that the engine tunes nothing but what is unknown. Constants
have numbers (`shared(3, 1.5)`), by which values come back from tuning, and by which a function at two places has the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.expression.engine_text import engine_node
from multigene.expression.form import NUMBERS, PLACES, Form, is_unknown
from multigene.expression.numbers import map_numbers, numbers
from multigene.expression.tree import Expression, Number, Power, Variable, evaluate, fold

Floats = npt.NDArray[np.float64]
SHARED = re.compile(r"shared\((\d+), ([^)]+)\)")


@dataclass(frozen=True)
class Filling:
    """Functions for the gaps of a form, over their arguments, and its numbers."""

    functions: tuple[Expression, ...]
    numbers: tuple[float, ...]


@dataclass(frozen=True)
class CompiledForm:
    """A form whose known parts are columns of a matrix."""

    form: Form
    parts: list[Expression] = field(default_factory=list)
    """The known parts, over the user's columns."""

    @staticmethod
    def of(form: Form) -> CompiledForm:
        """With the known parts collected."""
        compiled = CompiledForm(form)
        compiled._text([Number(0.0)] * len(form.functions), [0.0] * len(form.numbers))
        return compiled

    def columns(self, X: Floats) -> Floats:
        """Values of the known parts on some rows."""
        if not self.parts:
            return np.zeros((len(X), 1))
        return np.column_stack([evaluate(part, X) for part in self.parts])

    def individual(self, filling: Filling) -> Individual:
        """The filling as a model of the known parts; a `ValueError` where the engine cannot say it."""
        return Individual([self._text(filling.functions, filling.numbers)], 0.0, [1.0])

    def tuned(self, filling: Filling, model: Individual) -> Filling:
        """The filling with the constants of its model after tuning."""
        values = {int(index): float(value) for index, value in SHARED.findall(model.genes[0])}
        count = len(filling.numbers)
        own = tuple(values.get(i, value) for i, value in enumerate(filling.numbers))
        functions = []
        for tree in filling.functions:
            constants = _constants(tree)
            tuned = iter([values.get(count + k, value) for k, value in enumerate(constants)])
            count += len(constants)
            functions.append(map_numbers(tree, partial(_next_of, tuned)))
        return Filling(tuple(functions), own)

    def _text(self, functions: Sequence[Expression], values: Sequence[float]) -> str:
        first, firsts = len(values), []
        for tree in functions:
            firsts.append(first)
            first += len(_constants(tree))
        places: list[str] = []

        def text(node: Expression) -> str:
            if not is_unknown(node):
                return self._column(node)
            if isinstance(node, Variable):
                if node.index >= PLACES:
                    return places[node.index - PLACES]
                return f"shared({node.index - NUMBERS}, {values[node.index - NUMBERS]!r})"
            if isinstance(node, Power) and not (2.0 * node.exponent).is_integer():
                # As a column, for what is known is not tuned.
                return f"exp({self._column(Number(node.exponent))}*log({text(node.base)}))"
            return engine_node(node, tuple(text(child) for child in node.children))

        for place in self.form.places:
            arguments = [text(argument) for argument in place.arguments]
            places.append(_function_text(functions[place.function], firsts[place.function], arguments))
        return text(self.form.template)

    def _column(self, part: Expression) -> str:
        if part not in self.parts:
            self.parts.append(part)
        return f"x{self.parts.index(part)}"


def _next_of(values: Iterator[float], _: float) -> float:
    return next(values)


def _constants(tree: Expression) -> list[float]:
    """Numbers that are tuned: functions in the search have no other exponents than whole ones."""
    return numbers(tree, whole_exponents=False)


def _function_text(tree: Expression, first: int, arguments: Sequence[str]) -> str:
    places = iter(range(first, first + len(_constants(tree))))

    def node_text(node: Expression, below: tuple[str, ...]) -> str:
        if isinstance(node, Number):
            return f"shared({next(places)}, {node.value!r})"
        if isinstance(node, Variable):
            return arguments[node.index]
        return engine_node(node, below)

    return fold(tree, node_text)

"""Reads the formula that a page shows and computes it: an independent evaluator of presentation MathML, for tests.

It knows the elements that formulas are typeset with and nothing of the package, so what it computes is what a person with a
calculator would get from the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np
from scipy import special

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log, "tanh": np.tanh, "arctan": np.arctan, "erf": special.erf,
    "sign": np.sign, "min": np.minimum, "max": np.maximum, "σ": special.expit, "softplus": lambda t: np.logaddexp(0.0, t),
    "sinc": lambda t: np.where(t == 0, 1.0, np.sin(t) / np.where(t == 0, 1.0, t)),
    "bent": lambda t: (np.sqrt(t * t + 1.0) - 1.0) / 2.0 + t,
}  # fmt: skip
APPLY, TIMES, MINUS = "\u2061", "\u22c5", "\u2212"


def value(mathml: str, columns: Mapping[str, Any]) -> Any:
    """What the right-hand side of an equation, or a term, is worth; columns by the text that stands for them."""
    tree = ElementTree.fromstring(mathml.replace("&#x2061;", APPLY))
    row = next(e for e in tree if tag(e) == "mrow")
    children = list(row)
    equals = [i for i, e in enumerate(children) if tag(e) == "mo" and e.text == "="]
    with np.errstate(all="ignore"):
        return Reader(children[equals[0] + 1 :] if equals else children, columns).whole()


def tag(element: Any) -> str:
    return element.tag.rpartition("}")[2]


def text(element: Any) -> str:
    return "".join(element.itertext())


class Reader:
    """Precedence climbing over the children of a row."""

    def __init__(self, children: list[Any], columns: Mapping[str, Any]) -> None:
        self.rest, self.columns = list(children), columns

    def whole(self) -> Any:
        found = self.sum()
        assert not self.rest, f"not read: {[text(e) for e in self.rest]}"
        return found

    def sign(self, *wanted: str) -> str | None:
        if self.rest and tag(self.rest[0]) == "mo" and self.rest[0].text in wanted:
            return str(self.rest.pop(0).text)
        return None

    def sum(self) -> Any:
        total = -self.product() if self.sign(MINUS) else self.product()
        while (found := self.sign("+", MINUS)) is not None:
            total = total + self.product() if found == "+" else total - self.product()
        return total

    def product(self) -> Any:
        total = self.factor()
        while self.sign(TIMES):
            total = total * self.factor()
        if self.rest and tag(self.rest[0]) == "mi":  # 2π
            total = total * self.factor()
        return total

    def factor(self) -> Any:
        element = self.rest.pop(0)
        kind = tag(element)
        if kind == "mn":
            return float(element.text)
        if kind in ("mi", "msub"):
            return self.named(text(element))
        return self.inside(element)

    def named(self, name: str) -> Any:
        if self.sign(APPLY):
            inner = list(self.rest.pop(0))
            arguments: list[list[Any]] = [[]]
            for child in inner[1:-1]:
                arguments.append([]) if tag(child) == "mo" and child.text == "," else arguments[-1].append(
                    child
                )
            return FUNCTIONS[name](*(Reader(each, self.columns).whole() for each in arguments))
        return math.pi if name == "π" and name not in self.columns else self.columns[name]

    def inside(self, element: Any) -> Any:
        kind, children = tag(element), list(element)
        if kind == "mrow":
            if children and tag(children[0]) == "mo" and children[0].text in ("(", "|"):
                inner = Reader(children[1:-1], self.columns).whole()
                return np.abs(inner) if children[0].text == "|" else inner
            return Reader(children, self.columns).whole()
        parts = [Reader([each], self.columns) for each in children]
        if kind == "mfrac":
            return parts[0].whole() / parts[1].whole()
        if kind == "msqrt":
            return np.sqrt(parts[0].whole())
        assert kind == "msup", kind
        exponent = parts[1].whole()
        if tag(children[0]) == "mi" and children[0].text == "e":
            return np.exp(exponent)
        return np.power(parts[0].whole(), exponent)

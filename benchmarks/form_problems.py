"""Twenty-four planted problems with a form: one to three unknown functions, shared functions, inner numbers.

Each is a law of named columns, the form that its user knows, and the range of every column.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from multigene.expression.reading import read
from multigene.expression.tree import evaluate


@dataclass(frozen=True)
class Planted:
    """A law, and what is known of it."""

    law: str
    form: str
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)

    def table(self, rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
        """Rows, and the target without noise."""
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({name: rng.uniform(*ends, rows) for name, ends in self.ranges.items()})
        return frame, evaluate(read(self.law, list(self.ranges)), frame.to_numpy())


AB = {"a": (0.5, 3.0), "b": (0.5, 3.0)}
ABC = AB | {"c": (0.5, 3.0)}
ABCD = ABC | {"d": (0.5, 3.0)}
XY = {"x1": (0.5, 4.0), "x2": (0.5, 4.0)}

PROBLEMS = {
    # one function
    "arrhenius": Planted("exp(-(1.2*c**2 + 0.7)/T)", "exp(-f(c)/T)", {"c": (0.5, 2.0), "T": (1.0, 4.0)}),
    "decay": Planted("3.1*a/(1.4 + a)*exp(-0.6*b)", "f(a)*exp(-k*b)", AB),
    "root": Planted("sqrt(2.2*a*b + 1.3*a)", "sqrt(f(a, b))", AB),
    "logarithm": Planted("log(1.5 + 2.0*a**2) - b", "log(f(a)) - b", AB),
    "trend": Planted("0.8*b + 2.4*sin(1.9*a + 0.4)", "k*b + f(a)", AB),
    "known part": Planted("9.81*b**2/2 + 1.7*log(a)", "9.81*b**2/2 + f(a)", AB),
    "weighted": Planted("c*(1.3*a*b + 0.4) - 2*d", "c*f(a, b) - 2*d", ABCD),
    "saturation": Planted("2.5*a**2/(1.7 + a**2)/(1 + 0.8*b)", "f(a)/(1 + k*b)", AB),
    # two functions
    "product": Planted("(1.0 + 0.5*a**2)*exp(-0.9*b)", "f(a)*g(b)", AB),
    "sum": Planted("1.6*sqrt(a) + 2.2*cos(1.4*b)", "f(a) + g(b)", AB),
    "activation": Planted(
        "(0.6*a*b + 1.1)*exp(-(0.9*c + 0.5)/T) + 0.7", "f(a, b)*exp(-g(c)/T) + p", ABC | {"T": (0.8, 3.0)}
    ),
    "quotient": Planted("(2.1*a + 0.3*a**2)/(1.2 + 0.7*b**2)", "f(a)/g(b)", AB),
    "ratio": Planted("1.9*log(a)/(0.5 + c) + b", "f(a)*g(c) + b", ABC),
    "composed": Planted("exp(-0.7*(a + 0.4*a**2)) + 1.8/b", "exp(-f(a)) + g(b)", AB),
    "power": Planted("(1.1 + 0.4*a)**2*tanh(0.8*b)", "f(a)**2*g(b)", AB),
    "growth": Planted("c*exp(0.5*a) + d*1.3/b", "c*f(a) + d*g(b)", ABCD),
    # a function at two places
    "difference": Planted(
        "(2.0*x1**2 + 1.2*exp(0.4*x1)) - (2.0*x2**2 + 1.2*exp(0.4*x2))", "f(x1) - f(x2)", XY
    ),
    "potential": Planted("2.3/x1 - 2.3/x2 + 0.4*x1 - 0.4*x2", "f(x1) - f(x2)", XY),
    "twice": Planted("1.7*log(1 + x1)*1.7*log(1 + x2)", "f(x1)*f(x2)", XY),
    "share": Planted(
        "x1**2*exp(-0.5*x1)/(x1**2*exp(-0.5*x1) + x2**2*exp(-0.5*x2))", "f(x1)/(f(x1) + f(x2))", XY
    ),
    # three functions
    "three": Planted("1.5*a**2 + 2.0*sin(1.3*b) + 0.8/c", "f(a) + g(b) + h(c)", ABC),
    "three factors": Planted("(1 + 0.6*a)*sqrt(b)*exp(-0.5*c)", "f(a)*g(b)*h(c)", ABC),
    "mixed": Planted("(0.4 + a**2)*log(1 + b) + 1.6*c/(0.7 + c)", "f(a)*g(b) + h(c)", ABC),
    "rates": Planted("1.8*a/(0.9 + a)*exp(-0.4*b) - 0.5*c**2", "f(a)*g(b) - h(c)", ABC),
}

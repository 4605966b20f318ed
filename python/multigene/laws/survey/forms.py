"""Functions that the catalogue of the survey knows: one row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from multigene.expression.build import call
from multigene.expression.tree import Expression, Number, Power

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Function:
    """A function of a scaled monomial u."""

    needs: tuple[str, ...]
    value: Callable[[Floats], Floats]
    expression: Callable[[Expression], Expression]
    scales: tuple[float, ...]
    cost: float


def one_plus(u: Expression) -> Expression:
    """1 + u."""
    return call("add", Number(1.0), u)


def less_one(u: Expression) -> Expression:
    """u - 1."""
    return call("add", u, Number(-1.0))


def log_abs(u: Expression) -> Expression:
    """ln|u|."""
    return call("log", call("abs", u))


def _folded(u: Floats) -> Floats:
    """|u| of columns that change their sign; others are no news."""
    changes = np.any(u > 0.0, axis=-1, keepdims=True) & np.any(u < 0.0, axis=-1, keepdims=True)
    return np.where(changes, np.abs(u), np.nan)


#: For targets other than ln|y|.
FORMS = (
    Function(("abs",), _folded, lambda u: call("abs", u), (1.0,), 1.2),
    Function(("sin",), np.sin, lambda u: call("sin", u), (1.0, 0.5, 2.0, 3.0, np.pi, 2.0 * np.pi), 1.0),
    Function(("cos",), np.cos, lambda u: call("cos", u), (1.0, 0.5, 2.0, 3.0, np.pi, 2.0 * np.pi), 1.0),
    Function(("sin", "mul"), lambda u: np.sin(u) ** 2, lambda u: Power(call("sin", u), 2), (1.0, 0.5, np.pi, 2.0 * np.pi), 1.6),
    Function(("sin", "cos", "div"), np.tan, lambda u: call("div", call("sin", u), call("cos", u)), (1.0, 0.5), 1.6),
    Function(("exp",), np.exp, lambda u: call("exp", u), (-1.0, 1.0, -0.5, -2.0), 1.0),
    Function(("log",), np.log, lambda u: call("log", u), (1.0,), 1.0),
    Function(("tanh",), np.tanh, lambda u: call("tanh", u), (1.0, 0.5), 1.2),
    Function(("div",), lambda u: 1.0 / (1.0 + u), lambda u: call("inv", one_plus(u)), (1.0, -1.0), 1.5),
    Function(("sqrt",), lambda u: np.sqrt(1.0 + u), lambda u: call("sqrt", one_plus(u)), (1.0, -1.0), 1.5),
    Function(
        ("sqrt", "div"),
        lambda u: 1.0 / np.sqrt(1.0 + u),
        lambda u: call("inv", call("sqrt", one_plus(u))),
        (1.0, -1.0),
        1.8,
    ),
    Function(("log",), lambda u: np.log(1.0 + u), lambda u: call("log", one_plus(u)), (1.0, -1.0), 1.6),
    Function(("exp", "div"), lambda u: 1.0 / np.expm1(u), lambda u: call("inv", less_one(call("exp", u))), (1.0,), 2.0),
    Function(("exp", "div"), lambda u: 1.0 / (1.0 + np.exp(u)), lambda u: call("inv", one_plus(call("exp", u))), (1.0,), 2.0),
)  # fmt: skip

#: For ln|y|: what is added there is a factor of y.
LOGARITHMIC_FORMS = (
    Function(("log",), lambda u: np.log(np.abs(1.0 + u)), lambda u: log_abs(one_plus(u)), (1.0, -1.0), 1.0),
    Function(("sin",), lambda u: np.log(np.abs(np.sin(u))), lambda u: log_abs(call("sin", u)), (1.0, 0.5, 2.0, 3.0), 1.0),
    Function(("cos",), lambda u: np.log(np.abs(np.cos(u))), lambda u: log_abs(call("cos", u)), (1.0, 0.5, 2.0, 3.0), 1.0),
    Function(("tanh",), lambda u: np.log(np.abs(np.tanh(u))), lambda u: log_abs(call("tanh", u)), (1.0, 0.5), 1.2),
    Function(("log",), lambda u: np.log(np.abs(np.log(u))), lambda u: log_abs(call("log", u)), (1.0,), 1.3),
    Function(("exp",), lambda u: np.log(np.abs(np.expm1(u))), lambda u: log_abs(less_one(call("exp", u))), (1.0, -1.0, 2.0), 1.5),
    Function(("exp",), lambda u: np.log1p(np.exp(u)), lambda u: call("log", one_plus(call("exp", u))), (1.0, 2.0), 1.5),
    Function(("exp",), np.exp, lambda u: call("exp", u), (-1.0, 1.0), 1.2),
    Function(("sin",), np.sin, lambda u: call("sin", u), (1.0,), 1.5),
    Function(("cos",), np.cos, lambda u: call("cos", u), (1.0,), 1.5),
)  # fmt: skip


#: For ln|y| as well: functions g in factors 1 ± u·g(v) of y, u and v the simplest monomials.
INNER_FORMS = tuple(form for form in FORMS if form.needs in (("sin",), ("cos",), ("exp",)))

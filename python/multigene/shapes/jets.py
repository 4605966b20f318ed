"""Interval arithmetic over expression trees, with first and second derivatives by one column: a value, a slope and a bend for
every box, each as a pair of arrays (least, largest) that hold everywhere inside the box.

Derivatives follow the rules of calculus on the tree (forward mode), so they are those of the formula as it is written. What
has no bound (a pole, a logarithm of nothing) is from −∞ to ∞, and nothing is concluded from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from multigene.expression.tree import Expression, Number, Operation, Power, Variable, fold

Floats = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """Least and largest value, one of each per box."""

    low: Floats
    high: Floats


class Jet(NamedTuple):
    """Value, and derivatives by one column."""

    value: Interval
    slope: Interval
    bend: Interval


def jet(expression: Expression, low: Floats, high: Floats, column: int | None = None) -> Jet:
    """Of boxes (boxes × columns); derivatives by `column`, 0 where None is given."""
    n = len(low)
    with np.errstate(all="ignore"):
        return fold(expression, lambda node, parts: _node(node, parts, low, high, column, n))


def value(expression: Expression, low: Floats, high: Floats) -> Interval:
    """Range of values in boxes."""
    return jet(expression, low, high).value


# --- intervals ------------------------------------------------------------------------------------


def constant(number: float, n: int) -> Interval:
    """A number in every box."""
    return Interval(np.full(n, number), np.full(n, number))


def add(a: Interval, b: Interval) -> Interval:
    """a + b."""
    return _known(a.low + b.low, a.high + b.high)


def negative(a: Interval) -> Interval:
    """−a."""
    return Interval(-a.high, -a.low)


def mul(a: Interval, b: Interval) -> Interval:
    """a·b; nothing times infinity is nothing."""
    ends = np.stack([_times(x, y) for x in a for y in b])
    return _known(ends.min(axis=0), ends.max(axis=0))


def inverse(a: Interval) -> Interval:
    """1/a; next to zero it has one end."""
    through = ((a.low < 0.0) & (a.high > 0.0)) | ((a.low == 0.0) & (a.high == 0.0))
    low = np.where(through | (a.high == 0.0), -np.inf, 1.0 / a.high)
    high = np.where(through | (a.low == 0.0), np.inf, 1.0 / a.low)
    return _known(low, high)


def square(a: Interval) -> Interval:
    """a²."""
    ends = np.stack([a.low * a.low, a.high * a.high])
    inside = (a.low <= 0.0) & (a.high >= 0.0)
    return _known(np.where(inside, 0.0, ends.min(axis=0)), ends.max(axis=0))


def scaled(a: Interval, factor: float) -> Interval:
    """A number times a."""
    return (
        Interval(factor * a.low, factor * a.high)
        if factor >= 0.0
        else Interval(factor * a.high, factor * a.low)
    )


def power(a: Interval, exponent: float) -> Interval:
    """a to a fixed power; negative numbers have whole powers alone."""
    n = len(a.low)
    if exponent == 0.0:
        return constant(1.0, n)
    if exponent == 1.0:
        return a
    if exponent < 0.0:
        return inverse(power(a, -exponent))
    low, high = a.low**exponent, a.high**exponent
    if float(exponent).is_integer():
        if exponent % 2:
            return _known(low, high)
        inside = (a.low <= 0.0) & (a.high >= 0.0)
        return _known(np.where(inside, 0.0, np.minimum(low, high)), np.maximum(low, high))
    return _known(np.where(a.low < 0.0, np.nan, low), high)


def hull(a: Interval, b: Interval) -> Interval:
    """What holds both."""
    return _known(np.minimum(a.low, b.low), np.maximum(a.high, b.high))


def _times(x: Floats, y: Floats) -> Floats:
    return np.where((x == 0.0) | (y == 0.0), 0.0, x * y)


def _known(low: Floats, high: Floats) -> Interval:
    """Where an end is not a number, nothing is known."""
    nothing = np.isnan(low) | np.isnan(high)
    return Interval(np.where(nothing, -np.inf, low), np.where(nothing, np.inf, high))


def _rising(function: Callable[[Floats], Floats], a: Interval) -> Interval:
    return _known(function(a.low), function(a.high))


def _bell(function: Callable[[Floats], Floats], a: Interval) -> Interval:
    """Of a function that rises up to 0 and falls alike beyond."""
    near = np.where((a.low <= 0.0) & (a.high >= 0.0), 0.0, np.minimum(np.abs(a.low), np.abs(a.high)))
    return _known(function(np.maximum(np.abs(a.low), np.abs(a.high))), function(near))


def _wave(a: Interval, shift: float) -> Interval:
    """sin(a + shift)."""
    low, high = a.low + shift, a.high + shift
    ends = np.stack([np.sin(low), np.sin(high)])
    top = np.floor((high - np.pi / 2) / (2 * np.pi)) >= np.ceil((low - np.pi / 2) / (2 * np.pi))
    bottom = np.floor((high + np.pi / 2) / (2 * np.pi)) >= np.ceil((low + np.pi / 2) / (2 * np.pi))
    wide = ~np.isfinite(high - low)
    return Interval(
        np.where(bottom | wide, -1.0, ends.min(axis=0)), np.where(top | wide, 1.0, ends.max(axis=0))
    )


# --- functions of one argument: value, slope, bend ------------------------------------------------

Rule = Callable[[Interval], tuple[Interval, Interval, Interval]]


def _exp(a: Interval) -> tuple[Interval, Interval, Interval]:
    e = _rising(np.exp, a)
    return e, e, e


def _log(a: Interval) -> tuple[Interval, Interval, Interval]:
    inside = Interval(np.where(a.low < 0.0, np.nan, a.low), a.high)
    inv = inverse(a)
    return _rising(np.log, inside), inv, negative(square(inv))


def _sqrt(a: Interval) -> tuple[Interval, Interval, Interval]:
    root = power(a, 0.5)
    return root, scaled(inverse(root), 0.5), scaled(power(a, -1.5), -0.25)


def _abs(a: Interval) -> tuple[Interval, Interval, Interval]:
    ends = np.stack([np.abs(a.low), np.abs(a.high)])
    inside = (a.low <= 0.0) & (a.high >= 0.0)
    size = Interval(np.where(inside, 0.0, ends.min(axis=0)), ends.max(axis=0))
    slope = Interval(np.where(a.low >= 0.0, 1.0, -1.0), np.where(a.high <= 0.0, -1.0, 1.0))
    kink = (a.low < 0.0) & (a.high > 0.0)
    return size, slope, Interval(np.zeros(len(a.low)), np.where(kink, np.inf, 0.0))


def _tanh(a: Interval) -> tuple[Interval, Interval, Interval]:
    v, slope = _rising(np.tanh, a), _bell(lambda x: 1.0 - np.tanh(x) ** 2, a)
    return v, slope, scaled(mul(v, slope), -2.0)


def _atan(a: Interval) -> tuple[Interval, Interval, Interval]:
    slope = _bell(lambda x: 1.0 / (1.0 + x * x), a)
    return _rising(np.arctan, a), slope, scaled(mul(a, square(slope)), -2.0)


def _gauss(a: Interval) -> tuple[Interval, Interval, Interval]:
    v = _bell(lambda x: np.exp(-x * x), a)
    four = scaled(square(a), 4.0)
    return v, scaled(mul(a, v), -2.0), mul(Interval(four.low - 2.0, four.high - 2.0), v)


def _erf(a: Interval) -> tuple[Interval, Interval, Interval]:
    slope = scaled(_bell(lambda x: np.exp(-x * x), a), 2.0 / np.sqrt(np.pi))
    return _rising(scipy.special.erf, a), slope, scaled(mul(a, slope), -2.0)


def _logistic(a: Interval) -> tuple[Interval, Interval, Interval]:
    """1/(1 + e^x), as the engine has it."""
    v = negative(_rising(lambda x: -scipy.special.expit(-x), a))
    slope = negative(_bell(lambda x: scipy.special.expit(x) * scipy.special.expit(-x), a))
    return v, slope, mul(negative(slope), Interval(1.0 - 2.0 * v.high, 1.0 - 2.0 * v.low))


def _softplus(a: Interval) -> tuple[Interval, Interval, Interval]:
    return (
        _rising(lambda x: np.logaddexp(0.0, x), a),
        _rising(scipy.special.expit, a),
        _bell(lambda x: scipy.special.expit(x) * scipy.special.expit(-x), a),
    )


def _sin(a: Interval) -> tuple[Interval, Interval, Interval]:
    v = _wave(a, 0.0)
    return v, _wave(a, np.pi / 2), negative(v)


def _cos(a: Interval) -> tuple[Interval, Interval, Interval]:
    v = _wave(a, np.pi / 2)
    return v, negative(_wave(a, 0.0)), negative(v)


def _sinc(a: Interval) -> tuple[Interval, Interval, Interval]:
    n = len(a.low)
    ones = np.ones(n)
    return (
        Interval(-0.2173 * ones, ones),
        Interval(-0.4363 * ones, 0.4363 * ones),
        Interval(-ones / 3, ones / 3),
    )


def _sign(a: Interval) -> tuple[Interval, Interval, Interval]:
    jump = (a.low <= 0.0) & (a.high >= 0.0)
    nothing = np.zeros(len(a.low))
    unknown = Interval(np.where(jump, -np.inf, 0.0), np.where(jump, np.inf, 0.0))
    return _rising(np.sign, a), Interval(nothing, np.where(jump, np.inf, 0.0)), unknown


def _inv(a: Interval) -> tuple[Interval, Interval, Interval]:
    return _by_power(-1.0)(a)


def _bent(a: Interval) -> tuple[Interval, Interval, Interval]:
    """(sqrt(x² + 1) − 1)/2 + x, whose slope lies between 1/2 and 3/2."""
    function = lambda x: (np.sqrt(x * x + 1.0) - 1.0) / 2.0 + x  # noqa: E731
    slope = _rising(lambda x: x / (2.0 * np.sqrt(x * x + 1.0)) + 1.0, a)
    return _rising(function, a), slope, _bell(lambda x: 0.5 * (x * x + 1.0) ** -1.5, a)


def _by_power(exponent: float) -> Rule:
    def rule(a: Interval) -> tuple[Interval, Interval, Interval]:
        slope = scaled(power(a, exponent - 1.0), exponent)
        return power(a, exponent), slope, scaled(power(a, exponent - 2.0), exponent * (exponent - 1.0))

    return rule


RULES: dict[str, Rule] = {
    "exp": _exp, "log": _log, "sqrt": _sqrt, "abs": _abs, "tanh": _tanh, "atan": _atan, "erf": _erf, "sign": _sign, "inv": _inv,
    "logistic": _logistic, "softplus": _softplus, "gauss": _gauss, "sinc": _sinc, "sin": _sin, "cos": _cos, "bent": _bent,
}  # fmt: skip


# --- trees ----------------------------------------------------------------------------------------


def _node(
    node: Expression, parts: tuple[Jet, ...], low: Floats, high: Floats, column: int | None, n: int
) -> Jet:
    zero = constant(0.0, n)
    if isinstance(node, Number):
        return Jet(constant(node.value, n), zero, zero)
    if isinstance(node, Variable):
        own = constant(1.0 if node.index == column else 0.0, n)
        return Jet(Interval(low[:, node.index], high[:, node.index]), own, zero)
    if isinstance(node, Power):
        return _of(_by_power(node.exponent), parts[0])
    assert isinstance(node, Operation)
    if node.name in RULES:
        return _of(RULES[node.name], parts[0])
    result = _negative(parts[0]) if node.name == "neg" else parts[0]
    for other in parts[1:]:
        result = _BOTH[node.name](result, other)
    return result


def _of(rule: Rule, a: Jet) -> Jet:
    v, slope, bend = rule(a.value)
    return Jet(v, mul(slope, a.slope), add(mul(bend, square(a.slope)), mul(slope, a.bend)))


def _negative(a: Jet) -> Jet:
    return Jet(*map(negative, a))


def _add(a: Jet, b: Jet) -> Jet:
    return Jet(*(add(x, y) for x, y in zip(a, b, strict=True)))


def _mul(a: Jet, b: Jet) -> Jet:
    if a is b:
        return _of(_by_power(2.0), a)
    bend = add(mul(a.bend, b.value), mul(a.value, b.bend))
    return Jet(
        mul(a.value, b.value),
        add(mul(a.slope, b.value), mul(a.value, b.slope)),
        add(bend, scaled(mul(a.slope, b.slope), 2.0)),
    )


def _div(a: Jet, b: Jet) -> Jet:
    return _mul(a, _of(_inv, b))


def _aq(a: Jet, b: Jet) -> Jet:
    n = len(a.value.low)
    inside = _add(Jet(constant(1.0, n), constant(0.0, n), constant(0.0, n)), _of(_by_power(2.0), b))
    return _mul(a, _of(_by_power(-0.5), inside))


def _max(a: Jet, b: Jet) -> Jet:
    larger, smaller = a.value.low >= b.value.high, b.value.low >= a.value.high
    v = Interval(np.maximum(a.value.low, b.value.low), np.maximum(a.value.high, b.value.high))
    kink = hull(a.bend, b.bend)
    undecided = Interval(kink.low, np.full(len(v.low), np.inf))
    return Jet(
        v,
        _chosen(larger, smaller, a.slope, b.slope, hull(a.slope, b.slope)),
        _chosen(larger, smaller, a.bend, b.bend, undecided),
    )


def _chosen(
    first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_], a: Interval, b: Interval, both: Interval
) -> Interval:
    return Interval(
        np.where(first, a.low, np.where(second, b.low, both.low)),
        np.where(first, a.high, np.where(second, b.high, both.high)),
    )


_BOTH: dict[str, Callable[[Jet, Jet], Jet]] = {
    "add": _add,
    "sub": lambda a, b: _add(a, _negative(b)),
    "mul": _mul,
    "div": _div,
    "aq": _aq,
    "max": _max,
    "min": lambda a, b: _negative(_max(_negative(a), _negative(b))),
}

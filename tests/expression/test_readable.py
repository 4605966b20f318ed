"""What people read of an expression, and its size: the nodes of what is printed."""

from __future__ import annotations

import re

import pytest
from random_expressions import random_models

from multigene.expression.build import call as op
from multigene.expression.build import linear
from multigene.expression.constants import SPELT_OUT
from multigene.expression.readable import plain, readable, size
from multigene.expression.reading import read
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Number, Power, Variable
from multigene.formula import Formula

x, y, z = Variable(0), Variable(1), Variable(2)
one, two = Number(1.0), Number(2.0)


def test_size_counts_what_is_printed() -> None:
    sizes = {
        "3*x + 1": (op("add", op("mul", Number(3.0), x), one), 5),
        "x**2": (Power(x, 2), 3),
        "x - y": (op("add", x, op("neg", y)), 3),
        "-x": (op("neg", x), 2),
        "1/x": (op("inv", x), 3),
        "1/(1 + exp(x))": (op("logistic", x), 6),
        "exp(-x**2)": (op("gauss", x), 5),
        "log(1 + exp(x))": (op("softplus", x), 5),
        # sin(x)/x has no value at 0, and has its argument twice.
        "sinc(x)": (op("sinc", x), 2),
        "sinc(2*x + 0.5*y + 1)": (op("sinc", linear(1.0, [(0, 2.0), (1, 0.5)])), 10),
        "x/sqrt(1 + y**2)": (op("aq", x, y), 8),
        "(sqrt(x**2 + 1) - 1)/2 + x": (op("bent", x), 12),
        "2*x/(1 + exp(y))": (op("mul", two, x, op("logistic", y)), 8),
        "1/(x*y)": (op("mul", op("inv", x), op("inv", y)), 5),
        "2*sinc(x)*z/y": (op("mul", two, op("sinc", x), op("div", z, y)), 8),
        "x + y + z": (op("add", x, y, z), 5),
        "0.5 + 2*x - 3*y": (op("add", Number(0.5), op("mul", two, x), op("mul", Number(-3.0), y)), 9),
    }
    for text, (expression, count) in sizes.items():
        assert Formula(expression, ["x", "y", "z"]).text() == text
        # Tokens of the text, brackets aside and `-3` as one number, are the nodes.
        assert size(expression) == count, text
        assert size(readable(expression)) == count


def test_size_is_the_number_of_tokens_of_the_text() -> None:
    """Numbers with their sign, names, functions and operators; brackets and commas are not nodes."""
    token = re.compile(r"(?:^-|(?<=\()-|(?<=, )-)?\d[\d.]*(?:e-?\d+)?|[a-z]\w*|\*\*|[-+*/]")
    for model in random_models(150, 3, seed=11):
        short = simplify(model)
        text = Formula(short, ["x", "y", "z"]).text()
        assert size(short) == len(token.findall(text)), (text, token.findall(text))


def test_long_arguments_are_not_repeated() -> None:
    short = sum_of_sines(SPELT_OUT // 6)
    long = sum_of_sines(SPELT_OUT)
    assert readable(op("bent", op("add", short, y, two))) != op("bent", op("add", short, y, two))
    assert readable(op("bent", long)) == op("bent", long)
    assert readable(op("logistic", long)) == op("div", one, op("add", one, op("exp", long)))


def sum_of_sines(count: int):  # type: ignore[no-untyped-def]
    return op("add", *(op("sin", op("mul", Number(k + 1.5), x)) for k in range(count)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1*x", "x"),
        ("-1*(x*y)", "-(x*y)"),
        ("x/1", "x"),
        ("x/(-1)", "-x"),
        ("1*1", "1"),
        ("2*x", "2*x"),
        ("x*y", "x*y"),
    ],
)
def test_plain_leaves_ones_out(before: str, after: str) -> None:
    assert plain(read(before, "xy")) == read(after, "xy")
    assert plain(Power(x, 1.0)) == x

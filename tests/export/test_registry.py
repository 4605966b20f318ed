"""The registry: formats by name, alias and suffix, their options and digits."""

from __future__ import annotations

import pytest

from multigene.export import EXPORTERS, export, exporter, formats
from multigene.expression.operators import OPERATORS
from multigene.expression.readable import readable
from multigene.expression.tree import Number, Operation, Power, Variable

CODE = ("python", "c", "javascript", "rust", "julia", "r", "matlab", "pytorch")


@pytest.mark.parametrize("format", formats())
def test_every_power_is_written(format: str) -> None:
    written = [export(Power(Variable(0), exponent), ["a"], format) for exponent in (2, -3, 0.5)]
    assert len({each if isinstance(each, str) else each.SerializeToString() for each in written}) == 3


def test_readable_leaves_only_common_operators() -> None:
    defined = [name for name, row in OPERATORS.items() if row.definition]
    assert {"aq", "inv", "logistic", "sinc"} <= set(defined)
    for name in defined:
        arguments = (Variable(0), Variable(1))[: OPERATORS[name].arity]
        spelt = readable(Operation(name, arguments))
        assert isinstance(spelt, Operation)
        assert (spelt.name == name) == (name == "sinc")  # sin(x)/x has no value at 0


def test_formats_aliases_suffixes_and_mistakes() -> None:
    assert exporter("TeX").name == "latex"
    assert exporter("octave").name == "matlab"
    assert exporter("sql").name == "postgresql"
    assert exporter(".rs").name == "rust"
    assert exporter(".R").name == "r"
    aliases = [name for each in EXPORTERS.values() for name in (each.name, *each.aliases)]
    assert len(aliases) == len(set(aliases))
    with pytest.raises(ValueError, match=r"'latx'; did you mean 'latex'"):
        exporter("latx")
    with pytest.raises(ValueError, match="'c' has no option 'table'; its options are name"):
        export(Number(1.0), [], "c", table="t")
    with pytest.raises(ValueError, match="'text' has no option 'name'; it has none"):
        export(Number(1.0), [], "text", name="f")


def test_digits() -> None:
    nearly = Operation("mul", (Number(0.33333333333333), Variable(0)))
    assert export(nearly, ["x"], "text") == "0.3333*x"
    needed = Operation("mul", (Number(1.1193703), Variable(0)))
    assert export(needed, ["x"], "text") == "1.1193703*x"
    assert export(nearly, ["x"], "text", digits=2) == "0.33*x"
    third = Operation("mul", (Number(1 / 3), Variable(0)))
    assert export(third, ["x"], "text") == "1/3*x"
    assert "0.3333333333333333*x" in export(third, ["x"], "c")
    assert "0.33*x" in export(third, ["x"], "c", digits=2)

"""SymPy's expressions as text, and what of SymPy is no formula."""

import pytest

from multigene.expression.from_sympy import sympy_text

sympy = pytest.importorskip("sympy")
a, b = sympy.symbols("a b")
f = sympy.Function("f")


def test_formulas_become_text() -> None:
    assert sympy_text(sympy.exp(-f(a)) + sympy.Max(a, b, 2)) in (
        "(Max(Max(2.0, `a`), `b`) + exp(((-1.0)*f(`a`))))",
        "(exp(((-1.0)*f(`a`))) + Max(Max(2.0, `a`), `b`))",
    )


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (sympy.Eq(b, f(a)), "Equality, which is no formula; give its right-hand side"),
        (sympy.Derivative(f(a), a), "Derivative, which is no formula"),
        (sympy.Piecewise((f(a), a > 1), (0, True)), "which is no formula"),
        (sympy.I * a, "I of the SymPy expression has no value"),
    ],
)
def test_what_is_no_formula_gets_a_sentence(expression: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        sympy_text(expression)

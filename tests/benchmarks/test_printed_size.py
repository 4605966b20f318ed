"""The measure of size that compares programs: the same formula has the same size however it is written."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sympy")
from benchmarks.printed_size import nodes, printed_size, read


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("x0", 1),
        ("3*x0 + 1", 5),
        ("x0 - x1", 5),
        ("x0/x1", 5),
        ("sqrt(x0)", 3),
        ("x0**2", 3),
        ("pi*x0", 3),
        ("2*pi/3*x0", 4),
        ("2/3*x0", 3),
        ("1/(1 + exp(-x0))", 8),
        ("1.5*x0 + 2.5*x1 + 3.5*x2", 10),
        ("1e-05*x0", 3),
        ("E*I + S", 5),
        ("abs(x0) + min(x0, x1)", 6),
        ("bent(x0 + x1)", 4),
    ],
)
def test_sizes_by_hand(text, size):
    assert printed_size(text) == size


@pytest.mark.parametrize(
    ("pyoperon", "multigene"),
    [
        ("(13.262605 + (0.657001 * (0.120668 * X1)))", "13.26 + 0.07928*x0"),
        ("((0.5 * X1) - ((-0.25) * X2))", "0.5*x0 + 0.25*x1"),
        ("(2.0 * ((1.5 * X3) ^ 2))", "4.5*x2**2"),
        ("(1.05 * (log(abs(((-2.5) * X8))) + 3.0))", "1.05*log(2.5*abs(x7)) + 3.15"),
    ],
)
def test_both_programs_are_counted_alike(pyoperon, multigene):
    assert printed_size(pyoperon) == printed_size(multigene)


def test_a_fitted_model_has_the_size_of_its_sympy_expression():
    from multigene import MultigeneRegressor

    X = np.random.default_rng(0).uniform(1.0, 2.0, (80, 3))
    y = X[:, 0] * np.sin(X[:, 1]) + 0.1 * np.random.default_rng(1).standard_normal(80)
    model = MultigeneRegressor(generations=3, random_state=0, n_jobs=1, settings={"clock": "processor"}).fit(
        X, y
    )
    for index, text in enumerate(model.equations_["formula"]):
        assert printed_size(text) == nodes(model.choose(index).sympy())


def test_the_text_computes_what_pyoperon_predicts():
    pytest.importorskip("pyoperon")
    import sympy
    from benchmarks import rivals

    X = np.random.default_rng(0).uniform(-2.0, 2.0, (60, 3))
    y = X[:, 0] * X[:, 1] - np.exp(X[:, 2])
    model = rivals.pyoperon(10, 1, 0, objectives=["r2", "length"])
    model.set_params(generations=5, population_size=100).fit(X, y)
    symbols = sympy.symbols("X1:4")
    for member in model.pareto_front_:
        computed = sympy.lambdify(symbols, read(model.get_model_string(member["tree"], 12)), "numpy")(*X.T)
        np.testing.assert_allclose(computed, model.evaluate_model(member["tree"], X), rtol=1e-3, atol=1e-4)


def test_a_name_between_backticks_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match="rename the column"):
        printed_size("2*`my column`")

"""Forms are filled: exact where the rows are, everything downstream works on the result, bad input is told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from multigene import MultigeneRegressor, load

rng = np.random.default_rng(0)
TABLE = pd.DataFrame({name: rng.uniform(0.5, 3.0, 300) for name in "abcT"})
A, B, C, T = TABLE.to_numpy().T
QUICK = {"generations": 20, "random_state": 0}
FORMS = {
    "two functions and a number": (
        "f(a, b)*exp(-g(c)/T) + p",
        (0.6 * A * B + 1.1) * np.exp(-(0.9 * C + 0.5) / T) + 0.7,
    ),
    "at two places": ("f(a) - f(b)", 2.3 / A + 0.4 * A**2 - 2.3 / B - 0.4 * B**2),
    "numbers alone": ("k*a/(m + a)", 3.7 * A / (1.3 + A)),
    "known numbers stay": ("9.81*b**2/2 + f(a)", 9.81 * B**2 / 2 + 1.7 * np.log(A)),
    "known exponents stay": ("f(a)**0.7", (1.0 + 0.5 * A**2) ** 0.7),
}


@pytest.fixture(scope="module", params=FORMS, ids=str)
def fitted(request):
    form, y = FORMS[request.param]
    return MultigeneRegressor(form=form, **QUICK).fit(TABLE, y), y


def test_gaps_are_filled_exactly(fitted):
    model, y = fitted
    assert model.stopped_by_ == "law"
    np.testing.assert_allclose(model.predict(TABLE), y, rtol=1e-9, atol=1e-9)


def test_exports_and_files_say_the_same(fitted, tmp_path):
    model, _ = fitted
    expected = model.predict(TABLE)
    namespace: dict = {}
    exec(model.formula_.python(), namespace)
    np.testing.assert_allclose(namespace["predict"](TABLE.to_numpy()), expected, rtol=1e-9)
    used = [TABLE[name].to_numpy() for name in model.formula_.variables]
    sympy = pytest.importorskip("sympy")
    symbols = sympy.symbols(model.formula_.variables)
    np.testing.assert_allclose(sympy.lambdify(symbols, model.sympy(), "numpy")(*used), expected, rtol=1e-9)
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.form == model.form
    np.testing.assert_allclose(again.predict(TABLE), expected, rtol=1e-12)


def test_in_noise_every_formula_of_the_front_has_the_form():
    y = FORMS["at two places"][1] + 0.1 * np.random.default_rng(1).normal(size=300)
    model = MultigeneRegressor(form="f(a) - f(b)", generations=10, random_state=0).fit(TABLE, y)
    swapped = TABLE.assign(a=TABLE.b, b=TABLE.a)
    for index in model.equations_.index:
        there, back = model.predict(TABLE, index=index), model.predict(swapped, index=index)
        np.testing.assert_allclose(there, -back, rtol=1e-4, atol=1e-4)
    assert model.r2_ > 0.95


def test_the_same_model_at_any_number_of_threads_and_from_a_checkpoint(tmp_path):
    form, y = FORMS["at two places"]
    y = y + 0.05 * np.random.default_rng(2).normal(size=300)
    options = {"form": form, "random_state": 3}
    one = MultigeneRegressor(generations=20, n_jobs=1, **options).fit(TABLE, y)
    two = MultigeneRegressor(generations=20, n_jobs=2, **options).fit(TABLE, y)
    assert str(one.formula_) == str(two.formula_)
    MultigeneRegressor(generations=10, **options).fit(TABLE, y, checkpoint=tmp_path / "state")
    resumed = MultigeneRegressor(generations=20, **options).fit(TABLE, y, checkpoint=tmp_path / "state")
    assert resumed.r2_ == pytest.approx(one.r2_, abs=0.01)


def test_functions_that_a_user_chose_are_a_promise():
    model = MultigeneRegressor(form="f(a)*b", functions=["add", "mul"], **QUICK).fit(TABLE, B * np.sin(A))
    assert "sin" not in str(model.formula_)
    assert "/" not in str(model.formula_).replace("/b", "")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"form": "a + b"}, "no unknown function"),
        ({"form": "f(a)", "configuration": "UB"}, "form belongs to the default search"),
        ({"form": "f(a)", "guesses": "a"}, "form and guesses contradict"),
        ({"form": "f(a)", "loss": "poisson"}, "form goes with losses of the target itself"),
        ({"form": "f(a) + log(b - 9)"}, "no finite value on some row"),
    ],
    ids=["known", "paper", "guesses", "link", "domain"],
)
def test_bad_input_is_told(options, said):
    with pytest.raises(ValueError, match=said):
        MultigeneRegressor(**options, **QUICK).fit(TABLE, A)

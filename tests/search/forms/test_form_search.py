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
QUICKER = {"generations": 2, "random_state": 0}
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
        ({"form": "f(a) + log(b - 9)"}, "no finite value on some row"),
    ],
    ids=["known", "paper", "guesses", "domain"],
)
def test_bad_input_is_told(options, said):
    with pytest.raises(ValueError, match=said):
        MultigeneRegressor(**options, **QUICK).fit(TABLE, A)


def test_with_another_loss_scores_are_those_of_the_loss():
    y = A**2 * B + 0.1 * np.random.default_rng(1).normal(size=300)
    model = MultigeneRegressor(form="f(a)*b + p", loss="absolute", **QUICKER).fit(TABLE, y)
    errors, spread = np.abs(y - model.predict(TABLE)), np.abs(y - np.median(y))
    assert model.explained_ == pytest.approx(1.0 - errors.sum() / spread.sum(), abs=0.01)


def test_within_a_link_the_form_is_that_of_the_logarithm():
    counts = np.random.default_rng(1).poisson(np.exp(0.5 * A**2 + 0.3 * B))
    model = MultigeneRegressor(form="f(a) + p*b", loss="poisson", **QUICKER).fit(TABLE, counts)
    assert str(model.formula_).startswith("exp(")
    assert model.explained_ > 0.7


def test_shapes_are_kept_within_a_form():
    y = (0.5 * A**2 + 1.0) * B + 0.1 * np.random.default_rng(1).normal(size=300)
    shapes = ["increasing in a", "y >= 0"]
    model = MultigeneRegressor(form="f(a)*b", shapes=shapes, **QUICKER).fit(TABLE, y)
    assert all(verdict.status != "violated" for verdict in model.certificate_)
    for index in range(len(model.equations_)):
        assert np.all(np.diff(model.predict(_along_a(), index=index)) >= -1e-9)
    with pytest.warns(UserWarning, match="the model is the mean"):  # which falls nowhere
        MultigeneRegressor(form="b + f(a)", shapes=["decreasing in b"], **QUICKER).fit(TABLE, y)


def _along_a():
    line = TABLE.iloc[[0] * 50].copy()
    line["a"] = np.linspace(A.min(), A.max(), 50)
    return line


def test_what_stands_in_the_gaps_is_shown_and_kept_in_files(tmp_path):
    model = MultigeneRegressor(form="f(a)*b + p", **QUICKER).fit(TABLE, A**2 * B + 3.0)
    assert dict(model.fitted_.chosen.parts) == {"f(a)": "a**2", "p": "3"}
    assert "with f(a) = a**2" in str(model)
    model.save(tmp_path / "model.json")
    assert str(load(tmp_path / "model.json")) == str(model)
    model.report(tmp_path / "report.html")
    assert "f(a) = a**2" in (tmp_path / "report.html").read_text()


def test_a_function_of_expressions_gets_letters():
    model = MultigeneRegressor(form="f(a - b) + f(b)", **QUICKER).fit(TABLE, (A - B) ** 2 + B**2)
    assert next(iter(model.fitted_.chosen.parts))[0] == "f(u)"


def test_nothing_of_the_form_is_said():
    with pytest.warns(UserWarning, match="with at most 3 nodes, so the model is the mean"):
        MultigeneRegressor(form="f(a)*exp(b) + p", max_size=3, **QUICKER).fit(TABLE, A * B)


def test_raw_columns_are_called_by_their_names():
    gaps = TABLE.assign(
        a=TABLE["a"].where(TABLE["a"] > TABLE["a"].quantile(0.1)), kind=np.where(B > 2, "u", "v")
    )
    y = A**2 * B
    model = MultigeneRegressor(form="f(a)*b", **QUICKER).fit(gaps, y)
    assert "filled(a" in str(model.formula_)
    with pytest.raises(ValueError, match="'kind' is no column of numbers; write for example `kind =="):
        MultigeneRegressor(form="f(a)*kind", **QUICKER).fit(gaps, y)

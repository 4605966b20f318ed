"""Formulas that a user has already: read from anything, tuned, listed, bred from; one that is exact ends the search."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from multigene import MultigeneRegressor, load
from multigene.expression.reading import read
from multigene.formula import Formula
from multigene.guesses import read_guesses

rng = np.random.default_rng(0)
TABLE = pd.DataFrame({"dose": rng.uniform(0.5, 4, 300), "t": rng.uniform(0, 3, 300)})
LAW = 3.7 * TABLE.dose / (1.3 + TABLE.dose) * np.exp(-0.42 * TABLE.t)
NOISY = LAW + 0.05 * rng.normal(size=300)
RIGHT = "dose/(5 + dose)*exp(-2*t)"
QUICK = {"generations": 10, "random_state": 0}


def test_a_guess_that_is_right_but_for_its_numbers_is_reported_at_once():
    model = MultigeneRegressor(guesses=RIGHT, **QUICK).fit(TABLE, LAW)
    assert model.stopped_by_ == "law"
    assert model.n_generations_ <= 1
    np.testing.assert_allclose(model.predict(TABLE), LAW, rtol=1e-10)


def test_in_noise_it_is_listed_without_terms_that_it_does_not_have():
    model = MultigeneRegressor(guesses=["t**2", RIGHT], **QUICK).fit(TABLE, NOISY)
    rows = model.equations_[model.equations_["source"] == "guess"]
    assert len(rows) == 2
    right = rows.loc[rows["r2"].idxmax()]
    assert right["r2"] > 0.99
    fitted = model.predict(TABLE, index=int(right.name))
    assert np.sqrt(np.mean((fitted - LAW) ** 2)) < 0.02
    assert model.r2_ >= right["r2"] - 0.01


def test_with_search_for_laws_alone_and_with_another_loss():
    laws = MultigeneRegressor(guesses=RIGHT, search="laws", **QUICK).fit(TABLE, LAW)
    assert laws.stopped_by_ == "law"
    counts = np.random.default_rng(1).poisson(np.exp(1 + 0.5 * TABLE.dose))
    model = MultigeneRegressor(guesses="exp(0.1*dose)", loss="poisson", **QUICK).fit(TABLE, counts)
    [row] = model.equations_[model.equations_["source"] == "guess"].index
    ratio = model.predict(TABLE, index=row) / np.exp(1 + 0.5 * TABLE.dose)
    assert np.abs(np.log(ratio)).max() < 0.25


def test_guesses_in_every_guise(tmp_path):
    names = ["dose", "t"]
    expected = read(RIGHT, names)
    formula = Formula(read("t/(5 + t)*exp(-2*x)", ["x", "t"]), ["t", "dose"])
    assert read_guesses(formula, names) == (expected,)
    front = tmp_path / "hall_of_fame.csv"
    front.write_text('Complexity,Loss,Equation\n1,2.0,"t"\n9,0.1,"square(dose) - cos(t * 2.0)"\n')
    assert read_guesses(front, names) == read_guesses(["t", "dose**2 - cos(t*2)"], names)
    assert read_guesses(pd.read_csv(front), names) == read_guesses(str(front), names)
    model = MultigeneRegressor(guesses=RIGHT, **QUICK).fit(TABLE, LAW)
    model.save(tmp_path / "model.json")
    assert read_guesses([model, tmp_path / "model.json"], names) == (model.formula_.expression,)
    sympy = pytest.importorskip("sympy")
    dose, t = sympy.symbols("dose t")
    assert read_guesses(dose**2 + sympy.sin(t), names) == (read("dose**2 + sin(t)", names),)


def test_guesses_go_with_the_model_file_and_the_report_s_command(tmp_path):
    model = MultigeneRegressor(guesses=[RIGHT], **QUICK).fit(TABLE, LAW)
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.guesses == [RIGHT]
    assert again.fit(TABLE, LAW).stopped_by_ == "law"
    from multigene.report.reproduce import constructor, shell_command

    assert f"guesses=[{RIGHT!r}]" in constructor(model.fitted_)
    assert f"--guess '{RIGHT}'" in shell_command(model.fitted_)


@pytest.mark.parametrize(
    ("guess", "said"),
    [
        ("dosis*2", r"The guess «dosis»\*2 cannot be read: 'dosis' is no column; did you mean 'dose'"),
        ("sine(t)", r"'sine' is no function; did you mean 'sin'"),
        (3.0, "guesses contains 3.0, which is no formula"),
        ("front.csv", "there is no file 'front.csv'"),
        (pd.DataFrame({"a": [1]}), "no column of formulas"),
        (pd.DataFrame({"formula": ["t", "t +"]}), "Row 2 of the table: t .«» cannot be read"),
        (Formula(read("z", ["z"]), ["z"]), "uses the column 'z', which is not among the features"),
        (["t"] * 3 + [f"t + {i}" for i in range(300)], "give at most 200"),
    ],
    ids=["column", "function", "number", "file", "table", "row", "formula", "many"],
)
def test_mistakes_are_told(guess, said):
    with pytest.raises(ValueError, match=said):
        MultigeneRegressor(guesses=guess, **QUICK).fit(TABLE, LAW)


def test_not_with_a_configuration_of_the_paper():
    with pytest.raises(ValueError, match="guesses belong to the default search"):
        MultigeneRegressor("UB", guesses="t", **QUICK).fit(TABLE, LAW)


@pytest.mark.parametrize("guess", ["p*dose", "f(dose)*t"])
def test_a_guess_with_a_gap_is_a_form(guess):
    with pytest.raises(ValueError, match="is a form: give form= instead of guesses"):
        read_guesses(guess, list(TABLE.columns))


def test_another_case_is_near():
    with pytest.raises(ValueError, match="'T' is no column; did you mean 't'"):
        read_guesses("2*T", list(TABLE.columns))

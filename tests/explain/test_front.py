"""The front as listed, and choosing from it."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pandas as pd
import pytest

from multigene import MultigeneRegressor, load
from multigene._engine import Individual
from multigene.evolution.pareto import Member
from multigene.explain.criteria import CRITERIA
from multigene.explain.front import Front
from multigene.explain.front_text import broken_between_terms, cut_between_terms
from multigene.search.members import scored


def noisy(n=200, d=3, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, d))
    clean = np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, -1]
    return X, clean + noise * clean.std() * rng.normal(size=n)


@pytest.fixture(scope="module")
def fitted():
    X, y = noisy()
    return X, y, MultigeneRegressor(generations=15, random_state=0).fit(X, y)


@pytest.fixture
def model(fitted):
    return pickle.loads(pickle.dumps(fitted[2]))


def test_the_table(fitted, model):
    X, y, _ = fitted
    table = model.equations_
    assert list(table.columns) == [
        "complexity", "r2", "validation_r2", "rmse", "mdl", "bic", "parameters", "genes", "source", "formula",
        "chosen", "stability", "picks",
    ]  # fmt: skip
    assert table["chosen"].sum() == 1
    assert table["validation_r2"].notna().sum() > 1
    for row, listed in zip(table.itertuples(), model.fitted_.front.listed, strict=True):
        assert row.complexity == listed.formula.size
        error = y - model.predict(X, index=row.Index)
        assert row.rmse == pytest.approx(math.sqrt(np.mean(error**2)), rel=1e-6, abs=1e-9)
        assert row.r2 == pytest.approx(1.0 - np.mean(error**2) / y.var(), abs=1e-9)


def test_the_table_is_clean_in_printed_size(model):
    table = model.equations_[~model.equations_["chosen"]]
    assert table["complexity"].is_monotonic_increasing
    assert table["r2"].is_monotonic_increasing
    assert table["complexity"].is_unique


def test_description_length_and_bic(fitted, model):
    from multigene.expression.tree import OPERATORS

    n = len(fitted[1])
    for row in model.equations_.itertuples():
        unexplained = max(1.0 - row.r2, 2.0**-52)
        bits = (
            n / 2 * math.log2(unexplained)
            + row.parameters / 2 * math.log2(n)
            + row.complexity * math.log2(len(OPERATORS) + 3 + 1)
        )
        assert row.mdl == pytest.approx(bits, rel=1e-12)
        assert row.bic == pytest.approx(n * math.log(unexplained) + row.parameters * math.log(n), rel=1e-12)


def test_choosing_changes_everything_that_speaks_of_the_formula(fitted, model):
    X, _, _ = fitted
    assert model.choice_ == "default"
    first = model.formula_
    assert model.choose(1) is model
    assert model.choice_ == "index"
    assert model.formula_ != first
    assert model.equations_["chosen"].tolist().index(True) == 1
    np.testing.assert_array_equal(model.predict(X), model.predict(X, index=1))
    np.testing.assert_allclose(model.formula_(X), model.predict(X), rtol=1e-9, atol=1e-12)
    assert model.r2_ == model.equations_["r2"][1]
    assert model.n_genes_ == model.equations_["genes"][1]
    assert model.choose("default").formula_ == first


def test_criteria(model):
    table, default = model.equations_, model.formula_.size
    assert model.choose("accuracy").r2_ == table["r2"].max()
    for name, column, best in (
        ("mdl", "mdl", "min"),
        ("bic", "bic", "min"),
        ("validation", "validation_r2", "max"),
    ):
        model.choose(name)
        chosen = model.equations_[model.equations_["chosen"]].iloc[0]
        no_larger = table if name == "validation" else table[table["complexity"] <= default]
        assert chosen[column] == getattr(no_larger[column], best)()
        assert model.choice_ == name
    model.choose("knee")
    assert table["complexity"].min() < model.formula_.size <= default


def member(genes, fitness, validation=math.nan):
    individual = Individual(genes, 0.0, [2.0] * len(genes))
    return Member(individual, fitness, individual.printed_size(), validation)


def front_of(*members, rows=100, default=0):
    return Front(members, members[default], ["a", "b"], "y", {"rows": rows, "target_variance": 4.0})


def test_knee_of_a_front_drawn_by_hand():
    small, bend = member(["x0"], 0.1), member(["sin(x0)", "x1"], 0.94)
    large = member(["sin(x0)", "x1", "cos(x1 + 0.5)", "exp(x0 + 1.5)"], 0.95)
    assert front_of(small, bend, large, default=2).best("knee") == (bend, "knee")
    coarse = member(["sin(x0)", "x1"], 0.9)  # gives away 5 % of what can be explained
    assert front_of(small, coarse, large, default=2).best("knee") == (large, "knee")


def test_choices_respect_the_default_and_unseen_rows():
    """Larger formulas than the default were refused by unseen rows; so are those worse than smaller ones."""
    small = member(["x0"], 0.80, 0.79)
    fooled = member(["x0", "sin(x1)"], 0.90, 0.10)
    default = member(["x0", "sin(x1)", "exp(x1)"], 0.95, 0.94)
    lucky = member(["x0", "sin(x1)", "exp(x1)", "cos(x0)"], 0.9999, -3.0)
    front = front_of(small, fooled, default, lucky, default=2)
    assert front.best("accuracy")[0] is lucky
    for criterion in ("simple", "balanced", "knee", "mdl", "bic"):
        assert front.best(criterion)[0] in (small, default), criterion
    assert front.best("simple")[0] is default  # 14 nodes
    assert {name: pick.member for name, pick in front.picks.items()} == {
        "simple": default,
        "balanced": default,
        "default": default,
        "accuracy": lucky,
    }
    assert all(row.says for row in CRITERIA.values())


def test_the_balanced_formula_is_no_smaller_than_the_simple_one():
    """A line may explain 95 %, and a formula of few nodes clearly more."""
    line, curve = member(["x0"], 0.973, 0.969), member(["x0*x0"], 0.9932, 0.9937)
    default = member(["x0*x0*exp(x1)", "sin(x0)"], 0.9991, 0.9982)
    sizes = {name: pick.complexity for name, pick in front_of(line, curve, default, default=2).picks.items()}
    assert sizes["simple"] <= sizes["balanced"] <= sizes["default"]


def test_picks_grow_in_size_and_accuracy_where_the_default_is_long_and_fits_worse():
    """With very few generations a long line may be what rows not seen decide for."""
    small, fooled = member(["x0"], 0.80, 0.79), member(["x0", "sin(x1)"], 0.96, 0.10)
    default = member(["x0", "x1", "sin(x1)", "exp(x1)"], 0.95, 0.94)
    unscored = member(["x0", "cos(x1)"], 0.951)
    front = front_of(small, fooled, unscored, default, default=3)
    picks = [front.picks[name] for name in ("simple", "balanced", "default", "accuracy")]
    assert [pick.complexity for pick in picks] == sorted(pick.complexity for pick in picks)
    assert [pick.member.fitness for pick in picks] == sorted(pick.member.fitness for pick in picks)
    assert {id(pick.member) for pick in picks} <= {id(small), id(default)}
    for name, pick in front.picks.items():
        assert front.best(name)[0] is pick.member, name


def test_equations_print_with_readable_formulas(model, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    shown = repr(model.equations_)
    assert all(len(line) <= 120 for line in shown.splitlines())
    assert str(model.fitted_.front.listed[1].formula) in shown
    assert "default" in shown
    assert "simple" in str(model)


def test_long_formulas_are_broken_before_signs_and_never_inside_names():
    text = 'y = 1.5*(a + `two - words`) + 2*temperature - 0.3 if kind == "old + new" else 0\n  where u1 = a + 2*b'
    assert broken_between_terms(text, 200) == text
    assert broken_between_terms(text, 30).split("\n") == [
        "y = 1.5*(a + `two - words`)",
        "    + 2*temperature - 0.3 if",
        '    kind == "old + new" else 0',
        "  where u1 = a + 2*b",
    ]
    assert (
        broken_between_terms("y = averyveryverylongname*another", 10)
        == "y =\n    averyveryverylongname*another"
    )


def test_formulas_are_cut_between_terms():
    text = "1.5*(a + b) + 2*temperature - 3*exp(a - b) + 1"
    assert cut_between_terms(text, 100) == text
    assert cut_between_terms(text, 30) == "1.5*(a + b) + 2*temperature …"
    assert cut_between_terms(text, 20) == "1.5*(a + b) …"
    assert cut_between_terms("temperature", 5) == "…"


def test_a_first_term_that_is_too_long_is_cut_at_a_sign():
    text = "39.02*tanh(6.2873e-05*(frequency - 51767)*length**2) + 1"
    assert cut_between_terms(text, 30) == "39.02*tanh(6.2873e-05*( …"
    assert cut_between_terms(text, 40) == "39.02*tanh(6.2873e-05*(frequency …"
    assert cut_between_terms(text, 50) == "39.02*tanh(6.2873e-05*(frequency - 51767)* …"
    assert cut_between_terms(text, 54) == "39.02*tanh(6.2873e-05*(frequency - 51767)*length** …"


def test_dominated_models_are_not_listed_and_the_default_is_none():
    """A logistic fit had a default of 41 nodes, and one of 37 that was better beside it: printing had changed their sizes."""
    a, worse, b = member(["x0"], 0.5), member(["sin(x0)"], 0.4), member(["sin(cos(x0))"], 0.8)
    assert [e.member for e in front_of(a, worse, b).listed] == [a, b]
    assert [e.member for e in front_of(worse, a, b).listed] == [worse, b]


def test_held_out_scores_belong_to_sizes():
    members = scored([member(["x0"], 0.5), member(["sin(x0 + 1.5)"], 0.8)], {4: 0.3})
    first, second = (m.complexity for m in members)
    assert first < 4 < second
    assert math.isnan(members[0].validation)
    assert members[1].validation == 0.3


@pytest.mark.parametrize("criterion", ["best", "", 1000, -1000, 1.5, None, True])
def test_unknown_choices(model, criterion):
    with pytest.raises(ValueError, match="equations_"):
        model.choose(criterion)
    with pytest.raises(ValueError, match="row of equations_"):
        model.predict(np.zeros((1, 3)), index="best" if criterion is None else criterion)


def test_validation_needs_rows_held_out():
    X, y = noisy(n=30)
    model = MultigeneRegressor("UB", settings={"population_size": 20}, generations=3, random_state=0).fit(
        X, y
    )
    assert model.equations_["validation_r2"].isna().all()
    with pytest.raises(ValueError, match="scored no formula on rows that it had not seen"):
        model.choose("validation")
    for criterion in set(CRITERIA) - {"validation"}:
        assert np.isfinite(model.choose(criterion).predict(X)).all()


def test_rescore(fitted, model):
    X, y = noisy(n=100, noise=0.0, seed=9)
    scores = model.rescore(X, y)
    assert len(scores) == len(model.equations_)
    for i in range(len(scores)):
        prediction = model.predict(X, index=i)
        assert scores["rmse"][i] == pytest.approx(math.sqrt(np.mean((y - prediction) ** 2)))
        assert scores["max"][i] == pytest.approx(np.abs(y - prediction).max())
    chosen = scores[scores["chosen"]].iloc[0]
    assert chosen["r2"] == pytest.approx(model.score(X, y))


@pytest.mark.parametrize(
    ("n", "noise", "gap"),
    [(200, 0.1, 0.01), (300, 0.5, 0.05), (40, 0.1, 0.05)],
    ids=["noisy", "noisier", "small"],
)
def test_the_default_is_near_the_best_of_its_front_on_new_rows(n, noise, gap):
    X, y = noisy(n=n, noise=noise, seed=4)
    model = MultigeneRegressor(generations=40, random_state=1).fit(X, y)
    new, clean = noisy(n=2000, noise=0.0, seed=5)
    scores = model.rescore(new, clean)
    assert scores["r2"].max() - scores[scores["chosen"]].iloc[0]["r2"] < gap


def test_the_choice_survives_a_file(model, tmp_path):
    model.choose("mdl").save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert loaded.choice_ == "mdl"
    pd.testing.assert_frame_equal(loaded.equations_, model.equations_)
    assert loaded.choose("default").formula_ == model.choose("default").formula_

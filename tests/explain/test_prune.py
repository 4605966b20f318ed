"""Pruning keeps its promise: shorter, refitted, rounded, and R² within the allowed loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from multigene import MultigeneRegressor, load
from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.prune import edits
from multigene.explain.prune import pruned as prune
from multigene.expression.genes import model_expression
from multigene.expression.numbers import parameters
from multigene.expression.rewriting import simplify
from multigene.expression.vocabulary import Vocabulary
from multigene.formula import Formula


def data(function, n=300, d=3, noise=0.0):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n, d))
    y = function(X)
    return TrainingRows.of(X, y + noise * y.std() * rng.normal(size=n))


def pruned(genes, rows, max_loss=0.001):
    individual = Individual(genes, 0.0, [1.0] * len(genes)).fit(rows.dataset)
    found = prune(
        Member(individual, individual.fitness, individual.complexity), ["a", "b", "c"], rows, max_loss
    )
    assert found.loss <= max_loss
    assert found.after.size <= found.before.size
    assert rows.explained(found.member.individual.predict(rows.X)) == pytest.approx(found.r2_after, abs=1e-12)
    np.testing.assert_allclose(
        found.after(rows.X), found.member.individual.predict(rows.X), rtol=1e-9, atol=1e-9
    )
    return found


def test_genes_that_do_nothing_go():
    rows = data(lambda X: 2.0 * X[:, 0] + np.sin(X[:, 1]), noise=0.02)
    found = pruned(["x0", "sin(x1)", "cos(x2)", "exp(x0*x2)", "tanh([2: 0.3*x0 + 0.5*x2])"], rows)
    assert str(found.after) == "2*a + sin(b)"


def test_equal_genes_are_merged():
    rows = data(lambda X: np.sin(1.3 * X[:, 0] + 0.2), noise=0.01)
    found = pruned(["sin([0: 0.2 + 1.3*x0])", "sin([0: 0.2 + 1.3001*x0])", "sin([0: 0.19 + 1.3*x0])"], rows)
    assert found.after.size <= 8
    assert str(found.after).count("sin") == 1


def test_weights_of_no_use_go():
    rows = data(lambda X: np.tanh(X[:, 0] - 2.0 * X[:, 1]), noise=0.01)
    found = pruned(["tanh([0: 0.001 + 1.0*x0 + -2.0*x1 + 0.002*x2])"], rows)
    assert str(found.after) == "tanh(a - 2*b)"


def test_functions_that_do_nothing_go():
    rows = data(lambda X: X[:, 0] + 0.5 * X[:, 1])
    found = pruned(["sin([0: 0.001*x0 + 0.0005*x1])"], rows)
    assert str(found.after) == "a + 0.5*b"


def test_nested_functions_collapse():
    rows = data(lambda X: np.tanh(0.7 * X[:, 0]), noise=0.01)
    found = pruned(["tanh(tanh(sin([0: 0.9*x0])))"], rows)
    assert found.after.size < found.before.size


def test_the_rest_is_refitted():
    """Dropping one of two correlated genes is affordable only because the other takes over."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[:, 1] = X[:, 0] + 0.01 * rng.normal(size=300)
    rows = TrainingRows.of(X, X[:, 0] + X[:, 1])
    found = pruned(["x0", "x1"], rows)
    assert str(found.after) in ("2*a", "2*b")


def test_no_loss_allowed():
    rows = data(lambda X: np.sin(1.2345678 * X[:, 0]))
    found = pruned(["sin([0: 1.2345678*x0])", "0.5*x1 - 0.5*x1"], rows, 0.0)
    assert found.r2_after >= found.r2_before


def test_pi_is_recognised():
    rows = data(lambda X: np.sin(np.pi * X[:, 0]) + X[:, 1] / 3.0)
    found = pruned(["sin([0: 3.14159264*x0])", "x1"], rows, 1e-6)
    assert str(found.after) in ("sin(pi*a) + 1/3*b", "1/3*b + sin(pi*a)")
    assert parameters(found.after.expression).count(math.pi) == 1


def test_more_loss_gives_shorter_formulas():
    rows = data(lambda X: np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * X[:, 2] ** 2)
    genes = ["sin(x0)", "x1", "x2**2"]
    sizes = [pruned(genes, rows, loss).after.size for loss in (0.0, 0.05, 0.3)]
    assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.parametrize("loss", [-0.1, 1.0, "small", True, math.nan])
def test_losses_that_make_no_sense(loss):
    rows = data(lambda X: X[:, 0])
    individual = Individual(["x0"], 0.0, [1.0]).fit(rows.dataset)
    with pytest.raises(ValueError, match="max_loss"):
        prune(Member(individual, 1.0, 1), ["a", "b", "c"], rows, loss)


# --- parts ----------------------------------------------------------------------------------------


def test_edits_never_return_the_term_itself():
    term = simplify(model_expression(Individual(["tanh([0: 0.5 + 1.5*x0 + 2.5*x1])*sin(x2)"], 0.0, [1.0])))
    rows = data(lambda X: X[:, 0])
    found = edits(term, rows)
    assert () in found
    assert (term,) not in found
    assert len(found) == len(set(found)) > 10


# --- on a fitted model ----------------------------------------------------------------------------


def test_of_a_fitted_model(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (200, 3))
    y = np.exp(-(X[:, 0] ** 2)) + X[:, 0] * np.tanh(X[:, 1] + 0.5 * X[:, 2]) + 0.1 * rng.normal(size=200)
    model = MultigeneRegressor(generations=20, random_state=0).fit(X, y)
    model.choose("accuracy")
    model.save(tmp_path / "m.json")
    before, r2, listed = model.formula_, model.r2_, len(model.equations_)
    report = model.prune(0.001)
    assert model.choice_ == "pruned"
    assert model.formula_ == report.after
    assert model.formula_.size < before.size
    assert model.score(X, y) >= r2 - 0.001
    assert "loss" in str(report)
    table = model.equations_
    assert len(table) == listed + 1
    assert (table["source"] == "pruned").sum() == 1
    assert table[table["chosen"]].iloc[0]["source"] == "pruned"
    assert np.isfinite(model.predict(X, interval=0.95)).all()
    model.save(tmp_path / "short.json")
    again = load(tmp_path / "short.json")
    assert (again.choice_, again.formula_) == ("pruned", model.formula_)
    assert model.choose("accuracy").formula_ == before
    loaded = load(tmp_path / "m.json")
    with pytest.raises(ValueError, match="give rows as X and y"):
        loaded.prune()
    assert loaded.prune(0.001, X, y).after == report.after


def test_edits_stay_within_the_functions_of_the_user():
    """Shorter relatives of sinc and softplus are cos, gauss, exp and max: none was among the functions."""
    rows = data(lambda X: X[:, 0])
    individual = Individual(["softplus(sinc(x0))"], 0.0, [1.0])
    term = model_expression(individual)
    free = {str(Formula(t, ["a", "b", "c"])) for terms in edits(term, rows) for t in terms}
    assert any("cos" in text or "exp" in text for text in free)
    known = Vocabulary(["sinc", "softplus"])
    kept = [t for terms in edits(term, rows, known) for t in terms]
    assert kept
    assert all(known.admits(t) for t in kept)


def test_a_pruned_model_keeps_the_promise_of_functions():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (300, 3))
    y = np.cos(0.8 * X[:, 0]) + np.exp(0.5 * X[:, 1]) + 0.05 * rng.normal(size=300)
    functions = ["sinc", "softplus", "logistic"]
    options = {"generations": 4, "random_state": 0, "n_jobs": 1, "functions": functions, "search": "accuracy"}
    model = MultigeneRegressor(**options).fit(X, y)
    model.choose("accuracy")
    model.prune(0.05)
    assert Vocabulary(functions).admits(model_expression(model.fitted_.individual)), model.formula_

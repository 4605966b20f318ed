"""What a model is made of: contributions, importance, knock-out, frequencies, metrics, error curves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from multigene import MultigeneRegressor, load
from multigene._engine import Individual
from multigene.data.training_rows import TrainingRows
from multigene.explain.measures import error_curves, gene_table, importance, knock_out


def rows(n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return TrainingRows.of(X, 3.0 * X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=n))


def model_of(data):
    return Individual(["x0", "x1**2", "x3"], 0.0, [1.0] * 3).fit(data.dataset)


def test_shares_add_up_and_follow_the_variance():
    data = rows()
    table = gene_table(model_of(data), list("abcd"), data)
    assert table["share"].sum() == pytest.approx(1.0)
    assert table["share"][0] == pytest.approx(9 / 11, abs=0.06)
    assert table["formula"].tolist() == ["a", "b**2", "d"]
    assert table["spread"][0] == pytest.approx(3.0, abs=0.3)


def test_knock_out_refits_the_rest():
    data = rows()
    X = np.column_stack([data.X[:, 0], data.X[:, 1] ** 2, data.X[:, 3]])
    losses = knock_out(model_of(data), data)
    whole = LinearRegression().fit(X, data.y).score(X, data.y)
    for gene in range(3):
        others = np.delete(X, gene, axis=1)
        assert losses[gene] == pytest.approx(
            whole - LinearRegression().fit(others, data.y).score(others, data.y), abs=1e-9
        )


def test_a_copy_of_a_gene_costs_nothing():
    data = rows()
    # x0 and 2 x0 + x3: either can be had from the other and x3.
    losses = knock_out(Individual(["x0", "2.0*x0 + x3", "x3", "x1**2"], 0.0, [1.0, 1.0, 1.0, 1.0]), data)
    assert losses[0] == pytest.approx(0.0, abs=1e-9)
    assert losses[3] > 0.1


def test_importance_finds_the_variables_that_matter():
    data = rows()
    table = importance(model_of(data), list("abcd"), data).set_index("variable")
    assert table.index[:2].tolist() == ["a", "b"]
    assert table.loc["c", "permutation"] == 0.0
    # Shuffling a column of a sum costs twice its variance.
    assert table.loc["a", "permutation"] == pytest.approx(2 * 9 / data.variance, rel=0.15)
    assert table["share"].sum() == pytest.approx(1.0)


def test_weights_enter():
    data = rows()
    weights = np.where(np.arange(400) < 200, 0.0, 1.0)
    half = TrainingRows.of(data.X[200:], data.y[200:])
    weighted = TrainingRows.of(data.X, data.y, weights)
    model = model_of(half)
    assert gene_table(model, list("abcd"), weighted)["share"].tolist() == pytest.approx(
        gene_table(model, list("abcd"), half)["share"].tolist()
    )


def test_error_curves():
    X = np.linspace(-1.0, 1.0, 200)[:, None]
    y = X[:, 0] + 0.1 * np.sin(40 * X[:, 0])
    good, poor = LinearRegression().fit(X, y), LinearRegression().fit(X, y[::-1])
    table = error_curves({"good": good, "poor": poor}, X, y)
    for name, part in table.groupby("model"):
        assert part["share"].is_monotonic_increasing
        error = np.abs((good if name == "good" else poor).predict(X) - y)
        assert part["area"].iloc[0] == pytest.approx(error.mean())
        middle = part.iloc[100]
        assert middle["share"] == pytest.approx(np.mean(error <= middle["tolerance"]))
    ends = table.groupby("model")["share"].max()
    assert ends["poor"] == ends["good"] == 1.0
    with pytest.raises(ValueError, match="at least one model"):
        error_curves({}, X, y)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (150, 4))
    y = np.sin(X[:, 0]) + X[:, 2] + 0.05 * rng.normal(size=150)
    return X, y, MultigeneRegressor(generations=10, random_state=0).fit(X, y)


def test_of_a_fitted_model(fitted, tmp_path):
    X, y, model = fitted
    assert len(model.genes()) == model.n_genes_
    assert set(model.importance()["variable"][:2]) == {"x0", "x2"}
    frequencies = model.variable_frequencies().set_index("variable")
    assert frequencies.loc["x0", "models"] == frequencies.loc["x2", "models"] == 1.0
    assert model.metrics(X, y)["r2"] == pytest.approx(model.score(X, y))
    model.save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    for ask in (loaded.genes, loaded.importance):
        with pytest.raises(ValueError, match="give rows as X and y"):
            ask()
        assert len(ask(X, y)) > 0
        with pytest.raises(ValueError, match="belong together"):
            ask(X)

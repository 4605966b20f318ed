"""What reports and figures compute, against NumPy and scikit-learn, with weights and without."""

from __future__ import annotations

import numpy as np
import pytest
from report_cases import rows
from sklearn.inspection import partial_dependence as sklearn_dependence
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, r2_score

from multigene import MultigeneRegressor
from multigene._engine import Dataset, Individual
from multigene.expression.genes import model_expression
from multigene.report import collect
from multigene.report.shown_rows import given_rows
from multigene.report.statistics import (
    SHARES,
    Intervals,
    Rows,
    error_curve,
    importance,
    partial_dependence,
    term_roles,
    used_features,
)


def roles_of(individual: Individual, data: Rows) -> dict[int, tuple[float, float, float]]:
    """Spread, share and cost of every gene that counts."""
    coefficients = np.asarray(individual.coefficients)
    live = np.flatnonzero(coefficients)
    roles = term_roles(individual.gene_values(data.X)[:, live] * coefficients[live], data)
    return dict(zip(live.tolist(), roles, strict=True))


def test_errors_are_those_of_scikit_learn(model, content):
    _, X_test, _, y_test = rows()
    said = content.models[content.chosen]["errors"]["test"]
    assert said["r2"] == pytest.approx(r2_score(y_test, model.predict(X_test)), rel=1e-5)
    assert said["mae"] == pytest.approx(mean_absolute_error(y_test, model.predict(X_test)), rel=1e-5)
    assert said["max"] == pytest.approx(np.abs(y_test - model.predict(X_test)).max(), rel=1e-5)
    assert said["rows"] == len(y_test)


def test_genes_and_importance_are_those_of_the_model(model):
    X, _, y, _ = rows()
    individual, data = model.fitted_.individual, given_rows(model.fitted_, X, y, "train")
    theirs = model.genes(X, y).set_index("gene")
    for number, (spread, share, cost) in roles_of(individual, data).items():
        assert share == pytest.approx(theirs["share"][number], abs=1e-8)
        assert spread == pytest.approx(theirs["spread"][number])
        assert cost == pytest.approx(theirs["loss"][number], abs=1e-7)
    widths = Intervals(model.formula_.expression, data).half_widths(data.X)
    _, low, high = model.predict(X, interval=0.95)
    np.testing.assert_allclose(2 * widths, high - low, rtol=1e-6)
    table = model.importance(X, y).set_index("variable")["permutation"]
    for j, loss in importance(individual, data).items():
        assert loss == pytest.approx(table[model.fitted_.names[j]])


def test_gene_shares_add_up_and_costs_are_those_of_refits():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = 3.0 * X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=300)
    individual = Individual(["x0", "x1 * x1", "sin(x2)"], 0.0, [3.0, 1.0, 0.1])
    roles = roles_of(individual, Rows("train", X, y))
    assert sum(share for _, share, _ in roles.values()) == pytest.approx(1.0)
    columns = individual.gene_values(X)

    def r2(kept):
        design = np.column_stack([np.ones(300), columns[:, kept]])
        residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        return 1.0 - residual.var() / y.var()

    for i, (_, _, cost) in roles.items():
        assert cost == pytest.approx(r2([0, 1, 2]) - r2([j for j in range(3) if j != i]), abs=1e-9)


def test_a_gene_twice_costs_nothing_to_remove_once():
    X = np.random.default_rng(0).normal(size=(50, 1))
    y = X[:, 0]
    roles = roles_of(Individual(["x0", "x0"], 0.0, [0.5, 0.5]), Rows("train", X, y))
    assert [cost for _, _, cost in roles.values()] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_importance_finds_the_columns_that_matter():
    X = np.random.default_rng(0).normal(size=(400, 4))
    y = 5.0 * X[:, 0] + X[:, 2]
    individual = Individual(["[0: 0.0 + 5.0*x0 + 1.0*x2]"], 0.0, [1.0])
    losses = importance(individual, Rows("train", X, y))
    assert set(losses) == {0, 2} == set(used_features(individual))
    # Shuffling a column adds twice the variance of its term.
    assert losses[0] == pytest.approx(2 * 25 / 26, rel=0.1)
    assert losses[2] == pytest.approx(2 * 1 / 26, rel=0.2)


def test_partial_dependence_is_that_of_scikit_learn(model):
    X, _, y, _ = rows()
    data = given_rows(model.fitted_, X.iloc[:150], y.iloc[:150], "train")
    j = used_features(model.fitted_.individual)[0]
    ours = partial_dependence(model.fitted_.individual, data, j)
    theirs = sklearn_dependence(
        model, X.iloc[:150], [j], grid_resolution=len(ours.grid), percentiles=(0, 1), method="brute"
    )
    np.testing.assert_allclose(ours.mean, theirs["average"][0], rtol=1e-9)
    assert np.all(ours.low <= ours.mean + 1e-9)


def test_intervals_cover_what_they_say():
    """On average over data sets, since with 60 rows the noise of each is known to a tenth only."""
    rng, covered = np.random.default_rng(3), []
    for _ in range(60):
        X = rng.uniform(-2, 2, (560, 2))
        y = 1.0 + 2.0 * X[:, 0] + 3.0 * X[:, 1] ** 2 + rng.normal(size=560)
        train = Rows("train", X[:60], y[:60])
        individual = Individual(["x0", "x1 * x1"], 0.0, [1.0, 1.0]).fit(Dataset(train.X, train.y))
        widths = Intervals(model_expression(individual), train).half_widths(X[60:])
        covered.append(np.mean(np.abs(y[60:] - individual.predict(X[60:])) <= widths))
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)
    few = Intervals(model_expression(individual), Rows("train", X[:3], y[:3]))
    assert few.half_widths(X) is None


def test_error_curves_are_exact_and_references_those_of_scikit_learn(model, content):
    X, X_test, y, y_test = rows()
    errors = np.sort(np.abs(y_test - model.predict(X_test)).to_numpy())
    curve = content.models[content.chosen]["curves"][-1]
    for share, tolerance in zip(SHARES[1:], curve[1:], strict=True):
        assert np.mean(errors <= tolerance * (1 + 1e-3)) >= share
        assert np.mean(errors < tolerance * (1 - 1e-3)) < share
    by_name = {each["name"]: each["errors"] for each in content.references}
    linear = LinearRegression().fit(X, y)
    assert by_name["linear"]["test"]["r2"] == pytest.approx(linear.score(X_test, y_test), abs=1e-5)
    assert by_name["mean"]["test"]["mae"] == pytest.approx(np.abs(y_test - y.mean()).mean(), rel=1e-5)


def test_summaries_of_columns_are_those_of_numpy(model, content):
    X, _, _, _ = rows()
    for column in content.columns[1:]:
        values = X[column["name"]].to_numpy()
        quartiles = [column["quarter"], column["median"], column["three_quarters"]]
        np.testing.assert_allclose(quartiles, np.quantile(values, [0.25, 0.5, 0.75]), rtol=1e-12)
        assert column["distinct"] == len(np.unique(values))
        np.testing.assert_array_equal(column["counts"], np.histogram(values, bins=24)[0])


# --- weights --------------------------------------------------------------------------------------


def weighted():
    rng = np.random.default_rng(4)
    X = rng.uniform(-2.0, 2.0, (150, 2))
    weights = rng.uniform(0.0, 1.0, 150) ** 4 * 10.0
    y = np.sin(X[:, 0]) + X[:, 1] + rng.normal(size=150) / (0.1 + weights)
    model = MultigeneRegressor(
        "baseline", generations=8, settings={"population_size": 40}, random_state=0, n_jobs=1
    )
    return model.fit(X, y, sample_weight=weights), X, y, weights


def test_rows_weigh_what_they_weighed_in_the_fit():
    model, X, y, weights = weighted()
    for content in (
        collect(model.fitted_),
        collect(model.fitted_, X, y),
        collect(model.fitted_, X, y, sample_weight=weights),
    ):
        chosen = content.models[content.chosen]
        said = chosen["errors"]["train"]
        assert said["r2"] == pytest.approx(model.r2_, abs=1e-5)
        assert said["r2"] == pytest.approx(model.score(X, y, weights), abs=1e-5)
        assert said["r2"] != pytest.approx(model.score(X, y), abs=1e-2)
        error = np.abs(y - model.predict(X))
        assert said["mae"] == pytest.approx(np.average(error, weights=weights), rel=1e-5)
        half = chosen["curves"][0][25]
        assert weights[error <= half * (1 + 1e-3)].sum() >= 0.5 * weights.sum()
        assert weights[error < half * (1 - 1e-3)].sum() < 0.5 * weights.sum()
        by_name = {each["name"]: each["errors"]["train"] for each in content.references}
        linear = LinearRegression().fit(X, y, weights)
        assert by_name["linear"]["r2"] == pytest.approx(linear.score(X, y, weights), abs=1e-5)
        assert by_name["mean"]["r2"] == pytest.approx(0.0, abs=1e-5)


def test_weighted_genes_importance_and_intervals_are_those_of_the_model():
    model, X, y, weights = weighted()
    individual, data = model.fitted_.individual, given_rows(model.fitted_, X, y, "train", weights)
    theirs = model.genes().set_index("gene")
    for number, (spread, share, cost) in roles_of(individual, data).items():
        assert share == pytest.approx(theirs["share"][number], abs=1e-8)
        assert spread == pytest.approx(theirs["spread"][number])
        assert cost == pytest.approx(theirs["loss"][number], abs=1e-7)
    table = model.importance().set_index("variable")["permutation"]
    for j, loss in importance(individual, data).items():
        assert loss == pytest.approx(table[f"x{j}"])
    widths = Intervals(model.formula_.expression, data).half_widths(X)
    _, low, high = model.predict(X, interval=0.95)
    np.testing.assert_allclose(2 * widths, high - low, rtol=1e-6)


def test_repeated_rows_are_weights():
    model, X, y, _ = weighted()
    X, y = X[:60], y[:60]
    times = np.random.default_rng(0).integers(1, 4, len(y))
    one = given_rows(model.fitted_, X, y, "train", times)
    many = given_rows(model.fitted_, np.repeat(X, times, axis=0), np.repeat(y, times), "train")
    individual = model.fitted_.individual
    ours, theirs = (partial_dependence(individual, each, 0, np.linspace(-1, 1, 5)) for each in (one, many))
    np.testing.assert_allclose(ours.mean, theirs.mean, rtol=1e-9)
    errors = np.abs(y - model.predict(X))
    np.testing.assert_allclose(error_curve(errors, times), error_curve(np.repeat(errors, times)))


def test_rows_without_the_weights_of_the_fit_are_told(tmp_path):
    model, X, y, weights = weighted()
    assert not any("sample_weight" in note for note in collect(model.fitted_, X, y).notes)
    assert any("pass sample_weight" in note for note in collect(model.fitted_, X[:50], y[:50]).notes)
    with pytest.raises(ValueError, match="sample_weight has 3 values for 150 rows"):
        model.report(tmp_path / "r.html", X, y, sample_weight=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="must be finite and not negative"):
        model.report(tmp_path / "r.html", X, y, sample_weight=-weights)
    with pytest.raises(ValueError, match="sample_weight belongs to X and y"):
        model.report(tmp_path / "r.html", sample_weight=weights)

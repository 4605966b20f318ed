"""Figures: what they draw is what the model says."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from report_cases import awkward, fitted, rows

from multigene import MultigeneRegressor

METHODS = (
    "front",
    "fit",
    "residuals",
    "errors",
    "convergence",
    "importance",
    "partial_dependence",
    "directions",
    "genes",
)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    return fitted()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("make", [fitted, awkward], ids=["plain", "awkward names"])
def test_every_figure_can_be_drawn_and_saved(name, make, tmp_path):
    model = make()
    if name == "directions" and len(model.transformations_) == 0:
        with pytest.raises(ValueError, match="no linear combinations"):
            model.plot.directions()
        return
    axes = getattr(model.plot, name)()
    figure = np.ravel(np.array(axes, dtype=object))[0].figure
    figure.savefig(tmp_path / f"{name}.png", dpi=40)
    assert (tmp_path / f"{name}.png").stat().st_size > 1000


@pytest.mark.parametrize("name", METHODS)
def test_figures_are_drawn_into_given_axes(name, model):
    if name == "directions" and len(model.transformations_) == 0:
        pytest.skip("the model has no linear combinations")
    _, ax = plt.subplots()
    if name == "partial_dependence":
        assert model.plot.partial_dependence(model.formula_.variables[0], ax=ax) is ax
    else:
        assert getattr(model.plot, name)(ax=ax) is ax


def test_fit_shows_every_set_of_rows_with_its_own_marker():
    rng = np.random.default_rng(0)
    X, X_test = rng.normal(size=(600, 2)), rng.normal(size=(100, 2))  # enough rows for some to be kept apart
    y, y_test = X[:, 0] + 0.1 * rng.normal(size=600), X_test[:, 0]
    model = MultigeneRegressor(generations=2, random_state=0, n_jobs=1).fit(X, y)
    ax = model.plot.fit(X, y, X_test, y_test)
    points = [line for line in ax.get_lines() if line.get_linestyle() == "None"]
    assert [line.get_marker() for line in points] == ["o", "x"]
    assert [len(line.get_xdata()) for line in points] == [600, 100]
    np.testing.assert_allclose(points[-1].get_ydata(), model.predict(X_test))
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    unseen = model.equations_.query("chosen")["validation_r2"].item()
    assert labels == [
        f"training, R² {model.r2_:.3f} (held-out {unseen:.3f})",
        f"test, R² {model.score(X_test, y_test):.3f}",
    ]


def test_figures_weigh_rows_as_the_fit_did():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(100, 2)), rng.uniform(0.0, 1.0, 100) ** 4
    y = X[:, 0] + rng.normal(size=100) / (0.1 + weights)
    model = MultigeneRegressor(
        "baseline", generations=3, settings={"population_size": 20}, random_state=0, n_jobs=1
    )
    model.fit(X, y, weights)
    for ax in (model.plot.fit(), model.plot.fit(X, y), model.plot.fit(X, y, sample_weight=weights)):
        assert ax.get_legend().get_texts()[0].get_text() == f"training, R² {model.r2_:.3f}"
    mae = np.average(np.abs(y - model.predict(X)), weights=weights)
    labels = [text.get_text() for text in model.plot.errors().get_legend().get_texts()]
    assert f"{model.formula_.size} nodes: MAE {mae:.3g}" in labels
    losses = model.importance().set_index("variable")["permutation"]
    for bar, label in zip(
        *(lambda a: (a.patches, a.get_yticklabels()))(model.plot.importance()), strict=True
    ):
        assert bar.get_width() == pytest.approx(losses[label.get_text()])


def test_residuals_are_actual_less_predicted(model):
    X, X_test, y, y_test = rows()
    ax = model.plot.residuals(X, y, X_test, y_test)
    points = [line for line in ax.get_lines() if line.get_marker() == "x"]
    np.testing.assert_allclose(points[0].get_ydata(), y_test - model.predict(X_test))


def test_error_curves_compare_with_linear_mean_and_others(model):
    from sklearn.linear_model import LinearRegression
    from sklearn.tree import DecisionTreeRegressor

    X, X_test, y, y_test = rows()
    ax = model.plot.errors(X_test, y_test, models={"tree": DecisionTreeRegressor(random_state=0).fit(X, y)})
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {label.split(":")[0] for label in labels} == {
        f"{model.formula_.size} nodes", "tree", "linear", "mean"
    }  # fmt: skip
    mae = np.abs(LinearRegression().fit(X, y).predict(X_test) - y_test).mean()
    assert f"linear: MAE {mae:.3g}" in labels
    assert len({line.get_linestyle() for line in ax.get_lines()}) == 4


def test_front_marks_the_chosen_model(model):
    ax = model.plot.front()
    chosen = next(line for line in ax.get_lines() if line.get_label() == "chosen")
    assert (chosen.get_xdata()[0], chosen.get_ydata()[0]) == (model.formula_.size, model.r2_)


def test_importance_has_a_bar_for_every_column_used(model):
    ax = model.plot.importance()
    assert {label.get_text() for label in ax.get_yticklabels()} == set(model.formula_.variables)


def test_dependence_of_named_columns(model):
    axes = model.plot.partial_dependence(list(model.formula_.variables[:2]))
    assert [ax.get_xlabel() for ax in axes] == list(model.formula_.variables[:2])
    with pytest.raises(ValueError, match="no column 'nonsense'"):
        model.plot.partial_dependence("nonsense")
    with pytest.raises(ValueError, match="no column number 99"):
        model.plot.partial_dependence(99)
    with pytest.raises(ValueError, match="2 columns need 2 axes"):
        model.plot.partial_dependence([0, 1], ax=plt.subplots()[1])


def test_trees_have_every_leaf_of_the_genes():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (60, 2))
    model = MultigeneRegressor(
        "baseline",
        generations=3,
        settings={"population_size": 30, "max_genes": 2, "max_depth": 3},
        random_state=0,
    ).fit(X, np.sin(X[:, 0]) + X[:, 1])
    labels = [text.get_text() for text in model.plot.genes().texts]
    assert set(model.formula_.variables) <= set(labels)
    assert sum("gene" in label for label in labels) == model.n_genes_


def test_a_loaded_model_asks_for_rows(tmp_path, model):
    from multigene import load

    model.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    with pytest.raises(ValueError, match=r"pass some, as in model\.plot\.fit"):
        loaded.plot.fit()
    with pytest.raises(ValueError, match="keeps no history"):
        loaded.plot.convergence()
    X, _, y, _ = rows()
    assert loaded.plot.fit(X, y) is not None

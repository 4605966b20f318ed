"""Figures: what they draw is what the model says."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
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


def test_the_front_is_finer_where_scores_are_close_to_1():
    """On an axis from 0 to 1 scores of 0.993 and 0.9995 are one line."""
    from multigene.report import plots

    for best, finer in ((0.9995, True), (0.9, False)):
        ax = plots._axes(None)
        ax.plot([1, 5, 80], [0.0, 0.5, best])
        plots._front_scales(ax, [1, 5, 80], [0.0, 0.5, best])
        ax.figure.canvas.draw()
        low, middle, high = (ax.transData.transform((1, score))[1] for score in (0.9, 0.99, 0.999))
        assert bool(high - middle > 0.9 * (middle - low)) is finer
        top = ax.transAxes.inverted().transform(ax.transData.transform((1, best)))[1]
        assert 0.9 < top < 1.0  # no empty space above
        assert ("0.999" in [label.get_text() for label in ax.get_yticklabels()]) is finer
        assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "5", "10", "20", "50"]


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


@pytest.fixture(scope="module")
def long_names():
    """A long formula with linear combinations of columns whose names are long."""
    rng = np.random.default_rng(0)
    names = [
        f"mean_temperature_of_the_{place}_wall_in_celsius"
        for place in ("left", "right", "upper", "lower", "inner")
    ]
    X = pd.DataFrame(rng.uniform(-2, 2, (200, 5)), columns=names)
    y = np.tanh(X.to_numpy() @ [1, -2, 1, 3, 1]) + np.sin(X.to_numpy() @ [1, 0, 2, -1, 1]) + X.iloc[:, 0] ** 2
    y = pd.Series(y, name="heat_flux_through_the_outer_shell_watts_per_square_metre")
    model = MultigeneRegressor("UB", generations=25, settings={"population_size": 80}, random_state=0).fit(
        X, y
    )
    assert model.formula_.size > 60
    return model


def overlaps(texts):
    """Pairs of texts that cover each other."""
    figure = texts[0].figure
    figure.canvas.draw()
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    return [
        (a, b)
        for place, (a, one) in enumerate(boxes)
        for b, other in boxes[place + 1 :]
        if min(one.x1, other.x1) - max(one.x0, other.x0) > 1
        and min(one.y1, other.y1) - max(one.y0, other.y0) > 1
    ]


def test_figures_of_long_formulas_with_long_names_can_be_read(long_names):
    genes = long_names.plot.genes()
    assert overlaps(genes.texts) == []
    listed = [text.get_text() for text in genes.texts if text.get_text().startswith("u")]
    assert any(text.startswith("u1 = ") for text in listed)
    dependence = long_names.plot.partial_dependence()
    for ax in (*dependence, long_names.plot.directions()):
        figure = ax.figure
        figure.canvas.draw()
        for label in (each for each in (ax.xaxis.label, ax.yaxis.label) if each.get_text()):
            box = label.get_window_extent()
            assert box.x0 >= 0
            assert box.y0 >= 0
            assert box.x1 <= figure.bbox.width
            assert box.y1 <= figure.bbox.height
    assert overlaps([ax.xaxis.label for ax in dependence]) == []
    ticks = long_names.plot.directions().get_xticklabels()
    figure = ticks[0].figure
    figure.canvas.draw()
    assert all(tick.get_window_extent().x0 >= 0 for tick in ticks)


def test_a_heat_map_of_many_columns_has_those_that_weigh_most():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 60))
    y = np.tanh(X @ np.linspace(0.0, 1.0, 60))
    model = MultigeneRegressor("UB", generations=2, settings={"population_size": 20}, random_state=0).fit(
        X, y
    )
    ax = model.plot.directions()
    assert len(ax.get_xticklabels()) == 30
    assert "30 of 60 columns" in ax.get_xlabel()


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

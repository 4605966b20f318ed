"""The report's content against NumPy, and the page as text."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html import unescape

import numpy as np
import pytest
from report_cases import awkward, fitted, rows
from sklearn.base import clone
from sklearn.inspection import partial_dependence as sklearn_dependence
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, r2_score

from multigene import MultigeneClassifier, MultigeneRegressor, MultigeneTransformer, load
from multigene._engine import Dataset, Individual
from multigene.expression.genes import model_expression
from multigene.report import collect, page
from multigene.report.content import MOST_MODELS, exports, shown_members
from multigene.report.shown_rows import given_rows
from multigene.report.statistics import (
    SHARES,
    Intervals,
    Rows,
    error_curve,
    gene_roles,
    importance,
    partial_dependence,
    used_features,
)


@pytest.fixture(scope="module")
def model():
    return fitted()


@pytest.fixture(scope="module")
def content(model):
    X, X_test, y, y_test = rows()
    return collect(model.fitted_, X, y, X_test, y_test)


def unpacked(text: str, name: str) -> str:
    packed = re.search(rf'id="{name}">([^<]*)<', text)
    assert packed is not None
    return gzip.decompress(base64.b64decode(packed[1])).decode()


# --- statistics -----------------------------------------------------------------------------------


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
    for role in gene_roles(individual, data):
        assert role.share == pytest.approx(theirs["share"][role.number], abs=1e-8)
        assert role.spread == pytest.approx(theirs["spread"][role.number])
        assert role.cost == pytest.approx(theirs["loss"][role.number], abs=1e-7)
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
    roles = gene_roles(individual, Rows("train", X, y))
    assert sum(role.share for role in roles) == pytest.approx(1.0)
    columns = individual.gene_values(X)

    def r2(kept):
        design = np.column_stack([np.ones(300), columns[:, kept]])
        residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        return 1.0 - residual.var() / y.var()

    for i, role in enumerate(roles):
        assert role.cost == pytest.approx(r2([0, 1, 2]) - r2([j for j in range(3) if j != i]), abs=1e-9)


def test_a_gene_twice_costs_nothing_to_remove_once():
    X = np.random.default_rng(0).normal(size=(50, 1))
    y = X[:, 0]
    roles = gene_roles(Individual(["x0", "x0"], 0.0, [0.5, 0.5]), Rows("train", X, y))
    assert [role.cost for role in roles] == pytest.approx([0.0, 0.0], abs=1e-9)


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


def test_very_large_and_very_small_numbers_have_a_report(tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 2))
    for scale in (1e200, 1e-120):
        y = scale * (X[:, 0] + 0.1 * X[:, 1] ** 2)
        model = MultigeneRegressor("baseline", generations=2, population_size=20, random_state=0)
        model.fit(X * scale, y).report(tmp_path / "report.html")


def test_classifier_and_transformer_say_where_reports_are():
    for estimator, place in ((MultigeneClassifier(), "regressors_"), (MultigeneTransformer(), "regressor_")):
        assert not hasattr(estimator, "report")
        with pytest.raises(AttributeError, match=place):
            estimator.report("report.html")
        with pytest.raises(AttributeError, match="one formula"):
            estimator.plot.front()


# --- content --------------------------------------------------------------------------------------


def test_every_model_of_the_page_is_described(model, content):
    assert len(content.models) <= MOST_MODELS + 1
    chosen = content.models[content.chosen]
    assert chosen["text"] == str(model.formula_)
    sizes, r2 = [m["size"] for m in content.models], [m["r2"] for m in content.models]
    assert sizes == sorted(sizes)
    others = [v for i, v in enumerate(r2) if i != content.chosen]
    assert others == sorted(others)
    assert {s["name"] for s in content.sets} == {"train", "test"}  # few rows: none were kept apart
    assert sum(s["rows"] for s in content.sets) == 442


def test_statistics_are_exact_although_points_are_thinned():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25_000, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=25_000)
    model = MultigeneRegressor("baseline", generations=2, population_size=20, random_state=0).fit(X, y)
    content = collect(model.fitted_, X, y)
    assert content.sets[0]["shown"] < content.sets[0]["rows"] == 25_000
    said = content.models[content.chosen]["errors"]["train"]
    assert said["r2"] == pytest.approx(model.score(X, y), abs=1e-5)
    assert content.columns[1]["max"] == X[:, 0].max()
    sampled = collect(model.fitted_)
    assert "sample of 20,000 of 25,000" in sampled.notes[0]


def test_what_is_called_held_out_was_not_seen():
    """The rows held out during the search are training rows in the end, and nothing on them is called validation."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = np.exp(X[:, 0]) * X[:, 1] + rng.normal(size=600)
    larger = MultigeneRegressor(generations=3, random_state=0, n_jobs=1).fit(X, y)
    content = collect(larger.fitted_, X, y)
    assert {s["name"]: s["rows"] for s in content.sets} == {"train": 600}
    assert content.validated_by == "held-out"
    chosen, table = content.models[content.chosen], larger.equations_
    assert chosen["errors"].keys() == {"train"}
    assert chosen["validation"] == pytest.approx(table["validation_r2"][table["chosen"]].item(), abs=1e-5)
    assert chosen["validation"] != pytest.approx(chosen["errors"]["train"]["r2"], abs=1e-3)
    text = page(content)
    assert "<h3>Held-out</h3>" in text
    assert ">Validation<" not in text


def test_few_rows_are_cross_validated(model, content):
    assert content.validated_by == "cross-validated"
    assert any(note.startswith("Cross-validated R² is") for note in content.notes)
    assert "<h3>Cross-validated</h3>" in page(content)


# --- weights --------------------------------------------------------------------------------------


def weighted():
    rng = np.random.default_rng(4)
    X = rng.uniform(-2.0, 2.0, (150, 2))
    weights = rng.uniform(0.0, 1.0, 150) ** 4 * 10.0
    y = np.sin(X[:, 0]) + X[:, 1] + rng.normal(size=150) / (0.1 + weights)
    model = MultigeneRegressor("baseline", generations=8, population_size=40, random_state=0, n_jobs=1)
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
    for role in gene_roles(individual, data):
        assert role.share == pytest.approx(theirs["share"][role.number], abs=1e-8)
        assert role.spread == pytest.approx(theirs["spread"][role.number])
        assert role.cost == pytest.approx(theirs["loss"][role.number], abs=1e-7)
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


def test_rows_that_do_not_fit_are_refused_by_name(model):
    X, _, y, _ = rows()
    with pytest.raises(ValueError, match="'bmi'"):
        collect(model.fitted_, X.drop(columns="bmi"), y)
    with pytest.raises(ValueError, match="y is missing"):
        collect(model.fitted_, X)
    with pytest.raises(ValueError, match="X_test and y_test"):
        collect(model.fitted_, X, y, X)
    with pytest.raises(ValueError, match="309 rows and y has 5"):
        collect(model.fitted_, X, y[:5])
    with pytest.raises(ValueError, match="missing or infinite"):
        collect(model.fitted_, X.mask(X > 0.1), y)


def test_shuffled_columns_are_read_by_name(model, content):
    X, X_test, y, y_test = rows()
    again = collect(model.fitted_, X[X.columns[::-1]], y, X_test, y_test)
    assert again.models[again.chosen]["errors"] == content.models[content.chosen]["errors"]


def test_exports_are_those_of_the_formula(model, content):
    chosen = content.models[content.chosen]
    assert chosen["exports"]["python"] == model.formula_.python()
    assert {"text", "latex", "c", "excel", "sqlite", "pytorch"} <= set(exports(model.formula_))


def test_front_keeps_the_chosen_model(model):
    other = clone(model)
    other.__dict__.update(model.__dict__)
    other.choose(0)
    members, _ = shown_members(other.fitted_)
    assert any(each.member is other.fitted_.chosen for each in members)


# --- the page -------------------------------------------------------------------------------------


def test_the_page_holds_everything_and_asks_for_nothing(model, content):
    text = page(content)
    assert len(text.encode()) < 6_000_000
    assert not re.search(r'(?:src|href)="(?:https?:)?//', text)
    assert "default-src 'none'" in unescape(text)
    assert "Plotly" in unpacked(text, "library")[:3_000_000]
    data = json.loads(unpacked(text, "content"))
    assert data["models"][data["chosen"]]["text"] == str(model.formula_)
    assert page(content) == text  # the same model gives the same page


def test_names_cannot_break_the_page(tmp_path):
    target = tmp_path / "report.html"
    awkward().report(target)
    text = target.read_text()
    assert "<b>a</b>" not in text
    assert "<i>" not in text
    # The page's own three scripts, and no more.
    assert text.count("</script>") == 3


def test_a_loaded_model_has_a_report_without_rows_and_with(tmp_path, model):
    X, _, y, _ = rows()
    model.save(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    loaded.report(tmp_path / "bare.html")
    assert "without its training rows" in (tmp_path / "bare.html").read_text()
    loaded.report(tmp_path / "full.html", X, y)
    assert "Predicted against actual" in (tmp_path / "full.html").read_text()


def test_a_constant_model_has_a_report(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.full(30, 3.0)
    model = MultigeneRegressor("baseline", generations=1, population_size=10, random_state=0).fit(X, y)
    model.report(tmp_path / "constant.html")
    assert "3" in (tmp_path / "constant.html").read_text()


def test_paths_that_cannot_be_written_are_refused(tmp_path, model):
    with pytest.raises(ValueError, match="is a directory"):
        model.report(tmp_path)
    with pytest.raises(ValueError, match="There is no directory"):
        model.report(tmp_path / "none" / "report.html")


def test_an_unfitted_model_says_so(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        MultigeneRegressor().report(tmp_path / "report.html")
    with pytest.raises(NotFittedError):
        MultigeneRegressor().plot.front()


# --- notebooks ------------------------------------------------------------------------------------


def test_a_fitted_model_shows_its_formula_in_a_notebook(model):
    bundle = model._repr_mimebundle_()
    assert model.formula_.mathml() in bundle["text/html"]
    assert "R²" in bundle["text/html"]
    assert model._repr_html_() == bundle["text/html"] or "<math" in model._repr_html_()
    assert model._repr_latex_().startswith("$")
    assert MultigeneRegressor()._repr_latex_() is None
    assert "<math" not in MultigeneRegressor()._repr_html_()


def test_the_live_curve_ends_at_the_latest_point():
    from multigene.report.notebook import HEIGHT, WIDTH, curve_svg

    drawing = curve_svg([(float(t), 1 - 0.9**t) for t in range(1, 500)], "now & here")
    last = re.search(r'points="[^"]* ([0-9.]+),([0-9.]+)"', drawing)
    assert last is not None
    assert float(last[1]) == WIDTH
    assert float(last[2]) == pytest.approx(4, abs=0.5)
    assert HEIGHT > 4
    assert "now &amp; here" in drawing


def test_progress_draws_a_curve_in_a_notebook(monkeypatch):
    pytest.importorskip("IPython")
    from multigene.report import notebook, progress

    shown = []

    class Handle:
        def update(self, drawing):
            shown.append(drawing.data)

    monkeypatch.setattr("IPython.display.display", lambda *_, **__: Handle())
    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    monkeypatch.setattr(notebook, "REDRAW", 0.0)
    X, _, y, _ = rows()
    MultigeneRegressor("UB", generations=3, population_size=20, verbose=1, random_state=0).fit(X, y)
    assert len(shown) >= 3
    assert "generation 3" in shown[-1]

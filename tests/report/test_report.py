"""The report's content against NumPy, and the page as text."""

from __future__ import annotations

import json
import re
from html import unescape

import numpy as np
import pytest
from report_cases import awkward, fitted, rows, unpacked
from sklearn.base import clone

from multigene import MultigeneRegressor, MultigeneTransformer, load
from multigene.report import collect, page
from multigene.report.constants import MOST_MODELS
from multigene.report.content import shown_members
from multigene.report.described import exports


def test_very_large_and_very_small_numbers_have_a_report(tmp_path):
    X = np.random.default_rng(0).normal(size=(80, 2))
    for scale in (1e200, 1e-120):
        y = scale * (X[:, 0] + 0.1 * X[:, 1] ** 2)
        model = MultigeneRegressor(
            "baseline", generations=2, settings={"population_size": 20}, random_state=0
        )
        model.fit(X * scale, y).report(tmp_path / "report.html")


def test_transformers_say_where_reports_are():
    estimator = MultigeneTransformer()
    assert not hasattr(estimator, "report")
    with pytest.raises(AttributeError, match="regressor_"):
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
    model = MultigeneRegressor(
        "baseline", generations=2, settings={"population_size": 20}, random_state=0
    ).fit(X, y)
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
    assert "<h3>Unseen rows, held-out</h3>" in text
    assert ">Validation<" not in text


def test_few_rows_are_cross_validated():
    X, _, y, _ = rows()
    content = collect(MultigeneRegressor(generations=10, random_state=0).fit(X[:150], y[:150]).fitted_)
    assert content.validated_by == "cross-validated"
    assert any(note.startswith("Cross-validated R² is") for note in content.meanings)
    assert "<h3>Unseen rows, cross-validated</h3>" in page(content)


def test_rows_that_do_not_fit_are_refused_by_name(model):
    X, _, y, _ = rows()
    with pytest.raises(ValueError, match="'bmi'"):
        collect(model.fitted_, X.drop(columns="bmi"), y)
    with pytest.raises(ValueError, match="y is missing"):
        collect(model.fitted_, X)
    with pytest.raises(ValueError, match="X_test and y_test"):
        collect(model.fitted_, X, y, X)
    with pytest.raises(ValueError, match="406 rows and y has 5"):
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
    assert {"text", "latex", "c", "excel", "sqlite", "pytorch"} <= set(exports(model.formula_, 4))


def test_front_keeps_the_chosen_model(model):
    other = clone(model)
    other.__dict__.update(model.__dict__)
    other.choose(0)
    members, _ = shown_members(other.fitted_)
    assert any(each.member is other.fitted_.chosen for each in members)


# --- the page -------------------------------------------------------------------------------------


def test_the_page_holds_everything_and_asks_for_nothing(model, content):
    text = page(content)
    assert len(text.encode()) < 3_000_000
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
    model = MultigeneRegressor(
        "baseline", generations=1, settings={"population_size": 10}, random_state=0
    ).fit(X, y)
    model.report(tmp_path / "constant.html")
    assert "3" in (tmp_path / "constant.html").read_text()


def test_paths_that_cannot_be_written_are_refused(tmp_path, model):
    with pytest.raises(ValueError, match="is a directory"):
        model.report(tmp_path)
    with pytest.raises(ValueError, match="There is no directory"):
        model.report(tmp_path / "none" / "report.html")


def test_a_name_that_says_something_else_is_told(tmp_path):
    with pytest.warns(UserWarning, match=r"r\.pdf holds an HTML page, not \.pdf; name it .*r\.html"):
        awkward().report(tmp_path / "r.pdf")
    assert (tmp_path / "r.pdf").read_text().startswith("<!")


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


def test_a_thinned_front_keeps_what_is_picked():
    model = fitted().fitted_
    said = collect(model, most=2)
    assert said.left_out > 0
    assert {pick["name"] for pick in said.picks} == {"simple", "balanced", "recommended", "accurate"}
    for pick in said.picks:
        wanted = {"recommended": model.chosen}.get(pick["name"])
        shown = model.front.listed[said.models[pick["model"]]["row"]].member
        name = "accuracy" if pick["name"] == "accurate" else pick["name"]
        assert shown is (wanted or model.front.picks[name].member)


def test_the_live_front_is_drawn_where_the_models_are():
    from multigene.report.notebook import HEIGHT, WIDTH, front_svg

    drawing = front_svg([(1, 0.0), (10, 0.5), (100, 1.0)], "now & here")
    dots = [(float(x), float(y)) for x, y in re.findall(r'cx="([0-9.]+)" cy="([0-9.]+)"', drawing)]
    assert dots == [(6.0, HEIGHT - 18.0), (WIDTH / 2, HEIGHT / 2 - 5.0), (WIDTH - 6.0, 8.0)]
    assert "now &amp; here" in drawing
    assert "100 nodes" in drawing
    crowded = front_svg([(1, 0.0), (180, 0.9)], "")
    assert ">10<" in crowded
    assert ">100<" not in crowded  # it would lie on "180 nodes"


def test_progress_draws_the_front_in_a_notebook(monkeypatch):
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
    MultigeneRegressor("UB", generations=3, settings={"population_size": 20}, verbose=1, random_state=0).fit(
        X, y
    )
    assert len(shown) >= 3
    assert "generation 3" in shown[-1]
    assert "<circle" in shown[-1]


def test_the_progress_line_says_what_comes_before_generations_and_goes_on_meanwhile(monkeypatch):
    from multigene._engine import Individual
    from multigene.evolution.pareto import Candidate, ParetoFront
    from multigene.report import progress
    from multigene.search.progress import Step
    from multigene.settings.settings import Stopping

    monkeypatch.setattr(progress, "in_notebook", lambda: False)
    line = progress.ProgressLine(Stopping(seconds=60.0), True, "deviance explained")
    with line:
        [task] = line._progress.tasks
        found = [Candidate(Individual(["x0"], 0.0, [1.0]), 0.5, 7)]
        line.show(Step(0, ParetoFront(), 10, "seek", found, preparing=True), 1.0)
        assert (task.description, task.fields["said"]) == (
            "looking for a law",
            "best deviance explained 0.500000   7 nodes",
        )
        line.show(Step(19, ParetoFront(), 10, "cross-validate", part=(2, 5), preparing=True), 6.0)
        assert (task.description, task.completed) == ("cross-validating, part 2 of 5", 0.1)
        line.show(Step(19, ParetoFront(), 10, "explore", found), 30.0)
        assert task.fields["said"].startswith("generation 20   best")
        line._began -= 45.0  # nothing was heard for a while
        assert line._share_of_time() == pytest.approx(0.75, abs=0.1)
        assert line._clock().endswith(" of 60 s")
        assert int(line._clock().split()[0]) >= 45

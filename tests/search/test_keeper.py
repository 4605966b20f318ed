"""Shapes in fits: no model of the front breaks one, the certificate says how well each is known, files keep it."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest

from multigene import MultigeneClassifier, MultigeneRegressor, load
from multigene._engine import Individual
from multigene.evolution.pareto import Member
from multigene.model_file import dumps
from multigene.search.keeper import Keeper
from multigene.search.scaling import Scaling
from multigene.shapes.points import Conditions

QUICK = {"generations": 5, "n_jobs": 1, "random_state": 0, "search": "accuracy"}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 4.0, (150, 2))
    y = 5.0 * X[:, 0] / (1.0 + X[:, 0]) + 0.3 * X[:, 1]
    return X, y + 0.2 * rng.normal(size=150)


SHAPES = ["increasing in x0", "concave in x0", "increasing in x1", "y(0) = 0", "0 <= y <= 10", "0 <= x0 <= 8"]


@pytest.fixture(scope="module")
def model(rows):
    return MultigeneRegressor(shapes=SHAPES, **QUICK).fit(*rows)


def broken(model, index=None):
    known = model.fitted_.known
    rng = np.random.default_rng(99)
    conditions = Conditions.of(known.stated, known.low, known.high, known.unit, rng, 20_000)
    return int(np.sum(conditions.missing(model.predict(conditions.points, index=index)) > 1e-8))


def test_no_model_of_the_front_breaks_a_shape(model):
    assert len(model.equations_) >= 2
    assert [broken(model, i) for i in range(len(model.equations_))] == [0] * len(model.equations_)


def test_the_certificate_names_every_shape(model):
    assert [v.shape for v in model.certificate_] == SHAPES[:5]
    assert {v.status for v in model.certificate_} <= {"proven", "checked"}
    assert "increasing in x0: " in str(model)
    assert model.fitted_.known.high[0] == 8.0


def test_the_same_model_at_any_number_of_threads(rows, model):
    other = MultigeneRegressor(shapes=SHAPES, **{**QUICK, "n_jobs": 2}).fit(*rows)
    assert str(other.formula_) == str(model.formula_)


def test_files_keep_the_certificate(model, tmp_path):
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.certificate_ == model.certificate_
    assert again.shapes == SHAPES
    document = json.loads((tmp_path / "model.json").read_text())
    assert [each["shape"] for each in document["shapes"]["certificate"]] == SHAPES[:5]
    for change in (
        {"stated": []},
        {"stated": ["increasing in nothing"]},
        {"low": [0.0]},
        {"low": [9.0, 9.0], "high": [0.0, 0.0]},
        {"unit": 0.0},
        {"unit": None},
    ):
        damaged = {**document, "shapes": {**document["shapes"], **change}}
        with pytest.raises(ValueError, match="not a model that can be loaded"):
            load(io.BytesIO(json.dumps(damaged).encode()))


def test_shapes_that_the_data_deny_are_kept_all_the_same(rows):
    X, y = rows
    model = MultigeneRegressor(shapes=["decreasing in x0", "y(x0=0) = 3"], **QUICK).fit(X, y)
    assert broken(model) == 0
    assert model.predict([[0.0, 1.0]])[0] == pytest.approx(3.0)


def test_a_law_that_breaks_a_shape_is_none(rows):
    X, _ = rows
    quick = {**QUICK, "search": "both"}
    free = MultigeneRegressor(**quick).fit(X, X[:, 0] * X[:, 1])
    assert free.stopped_by_ == "law"
    kept = MultigeneRegressor(shapes=["decreasing in x0"], **quick).fit(X, X[:, 0] * X[:, 1])
    assert kept.stopped_by_ != "law"
    assert broken(kept) == 0


def test_symmetric_and_even_formulas():
    rng = np.random.default_rng(1)
    X = rng.uniform(0.5, 3.0, (120, 2))
    y = X[:, 0] * X[:, 1] / (X[:, 0] + X[:, 1]) + 0.05 * rng.normal(size=120)
    model = MultigeneRegressor(shapes=["symmetric in x0, x1"], **QUICK).fit(X, y)
    assert model.r2_ > 0.9
    np.testing.assert_allclose(model.predict(X), model.predict(X[:, ::-1]), atol=1e-7)
    X = rng.uniform(-2.0, 2.0, (120, 1))
    model = MultigeneRegressor(shapes=["even in x0"], **QUICK).fit(
        X, X[:, 0] ** 2 + 0.2 * rng.normal(size=120)
    )
    assert model.r2_ > 0.9
    np.testing.assert_allclose(model.predict(X), model.predict(-X), atol=1e-7)


def test_shorter_formulas_that_break_a_shape_are_refused(model):
    fitted = model.fitted_
    worst = fitted.front.with_member(fitted.chosen).default
    upside_down = replace(
        worst,
        individual=Individual(
            worst.individual.genes, worst.individual.intercept, [-c for c in worst.individual.coefficients]
        ),
    )
    with pytest.raises(ValueError, match="breaks the shape"):
        fitted._refuse_broken(upside_down)


def test_other_losses(rows):
    X, y = rows
    counts = np.random.default_rng(0).poisson(np.exp(0.3 * X[:, 0]))
    model = MultigeneRegressor(loss="poisson", shapes=["increasing in x0"], **QUICK).fit(X, counts)
    assert broken(model) == 0
    with pytest.raises(ValueError, match="'convex in x0' is about the prediction itself"):
        MultigeneRegressor(loss="poisson", shapes=["convex in x0"], **QUICK).fit(X, counts)
    classes = MultigeneClassifier(shapes=["increasing in x0"], **QUICK).fit(X, y > 3.0)
    p = classes.predict_proba(np.column_stack([np.linspace(0, 4, 50), np.ones(50)]))[:, 1]
    assert np.all(np.diff(p) >= -1e-9)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (["increasing in x7"], "'x7', which is no column"),
        (["0 <= x0 <= 4"], "no shape; state one"),
        (["increasing in x0", "decreasing in x0"], "contradict each other"),
    ],
)
def test_mistakes_are_named(rows, shapes, message):
    with pytest.raises(ValueError, match=message):
        MultigeneRegressor(shapes=shapes, **QUICK).fit(*rows)


def test_not_with_a_configuration_of_the_paper(rows):
    with pytest.raises(ValueError, match="belongs to the default search"):
        MultigeneRegressor("UB", shapes=["increasing in x0"], **QUICK).fit(*rows)


def test_without_shapes_files_are_as_before(rows):
    assert "shapes" not in json.loads(dumps(MultigeneRegressor(**QUICK).fit(*rows).fitted_))


def test_scores_follow_the_loss(rows):
    X, y = rows
    model = MultigeneRegressor(shapes=["increasing in x0"], loss="absolute", **QUICK).fit(X, y)
    errors, spread = np.abs(y - model.predict(X)), np.abs(y - np.median(y))
    assert model.explained_ == pytest.approx(1.0 - errors.sum() / spread.sum(), abs=0.01)


def test_bounds_that_most_rows_break_are_told(rows):
    X, y = rows
    with pytest.warns(UserWarning, match=r"'y <= -5' does not hold for the target of 150 of 150 rows"):
        MultigeneRegressor(shapes=["y <= -5"], **QUICK).fit(X, y)


def test_other_coefficients_have_no_score_on_unseen_rows(rows):
    X, y = rows
    with pytest.warns(UserWarning, match="does not hold"):
        model = MultigeneRegressor(shapes=["y <= -5"], **QUICK).fit(X, y)
    assert model.equations_["validation_r2"].isna().all()


def test_a_chosen_model_that_must_change_gives_way_to_one_that_fits(rows):
    """Coefficients under a known value may be nothing of what they were without it; then the front has something better."""
    X, y = rows
    fitted = MultigeneRegressor(shapes=["y(x0=0) = 0"], **QUICK).fit(X, y)
    keeper = Keeper(fitted.fitted_.known, Scaling.of(X, None), X, y, None)
    # Nothing is left of what does not know x0.
    waves = Individual(["cos(x1)", "sin(x1)"], 3.0, [1.0, 1.0])
    lines = Individual(["x0"], 0.0, [1.3])
    front = [Member(lines, 0.85, lines.printed_size()), Member(waves, 0.86, waves.printed_size())]
    chosen, members = keeper.last_word(front[1], front)
    assert chosen.fitness >= 0.85
    assert chosen.complexity <= front[1].complexity
    assert any(each is chosen for each in members)


def test_genes_that_nobody_sees_are_left_out(rows):
    X, y = rows
    fitted = MultigeneRegressor(shapes=["y(x0=0) = 0"], **QUICK).fit(X, y)
    keeper = Keeper(fitted.fitted_.known, Scaling.of(X, None), X, y, None)
    model = Individual(["x0", "x1", "x0 * x1", "exp(x1)", "x1 * x1"], 0.0, [1.0] * 5)
    [kept, _] = keeper.mended(model, None, in_user_units=True)
    assert kept.genes == ["x0", "x0 * x1"]


def test_a_size_that_no_shape_allows_is_no_limit(rows):
    """A short law that breaks a shape sets no size for those that keep it."""
    X, y = rows
    fitted = MultigeneRegressor(shapes=["y(x0=0) = 0"], **QUICK).fit(X, y)
    keeper = Keeper(fitted.fitted_.known, Scaling.of(X, None), X, y, None)
    short, long = Individual(["sin(x1)"], 0.0, [1.0]), Individual(["tanh(x0)", "x0 * x1"], 0.0, [3.0, 0.2])
    front = [Member(short, 0.97, short.printed_size()), Member(long, 0.98, long.printed_size())]
    chosen, _ = keeper.last_word(front[0], front)
    assert chosen.individual is long

"""MultigeneClassifier: scikit-learn's own checks, formulas that are the model, weights of classes, files."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from multigene import MultigeneClassifier, MultigeneRegressor, load
from multigene.classes.fitted import smoothed

TINY = {
    "configuration": "UB",
    "generations": 3,
    "settings": {"population_size": 12},
    "random_state": 0,
    "n_jobs": 1,
}


@parametrize_with_checks([MultigeneClassifier(**{**TINY, "configuration": "baseline"})])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def ring():
    X = pd.DataFrame(np.random.default_rng(1).normal(size=(400, 2)), columns=["a", "b"])
    y = pd.Series(np.where(X["a"] ** 2 + X["b"] ** 2 > 1.5, "outside", "inside"), name="place")
    return X, y


@pytest.fixture(scope="module")
def ring_model(ring):
    X, y = ring
    return MultigeneClassifier(generations=20, max_size=30, random_state=0, n_jobs=1).fit(X[:300], y[:300])


@pytest.fixture(scope="module")
def three():
    X = pd.DataFrame(np.random.default_rng(2).uniform(-3, 3, (300, 2)), columns=["p", "q"])
    y = np.digitize(X["p"] * X["q"], [-2.0, 2.0])
    return X, y, MultigeneClassifier(**TINY).fit(X, y)


def test_two_classes_have_one_formula_of_the_log_odds(ring, ring_model):
    X, y = ring
    assert ring_model.score(X[300:], y[300:]) > 0.9
    assert list(ring_model.classes_) == ["inside", "outside"]
    [(label, formula)] = ring_model.formulas_.items()
    assert label == "outside"
    log_odds = ring_model.decision_function(X)
    np.testing.assert_allclose(formula(X), log_odds, rtol=1e-9, atol=1e-9)
    probabilities = ring_model.predict_proba(X)
    np.testing.assert_allclose(probabilities[:, 1], 1.0 / (1.0 + np.exp(-log_odds)), rtol=1e-12)
    np.testing.assert_allclose(ring_model.regressors_[0].predict(X), probabilities[:, 1], rtol=1e-9)
    assert "log-odds of place = outside" in str(ring_model)


def test_separable_classes_have_finite_log_odds(ring, ring_model):
    # 300 rows support odds of about 300 to 1 within them, not the infinite ones of maximum likelihood.
    assert np.median(np.abs(ring_model.decision_function(ring[0]))) < 20.0


def test_scores_are_those_of_the_labels(ring, ring_model):
    X, y = ring
    p = ring_model.predict_proba(X[:300])[:, 1]
    label = (y[:300] == "outside").to_numpy()
    deviance = -2 * np.mean(np.log(np.where(label, p, 1 - p)))
    share = label.mean()
    null = -2 * (share * np.log(share) + (1 - share) * np.log(1 - share))
    assert ring_model.regressors_[0].explained_ == pytest.approx(1 - deviance / null, abs=1e-9)


def test_three_classes_have_a_formula_each(three):
    X, y, model = three
    assert list(model.formulas_) == [0, 1, 2]
    assert model.decision_function(X).shape == (300, 3)
    assert model.score(X, y) > 0.8
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])


def test_a_time_limit_is_for_all_classes_together(three):
    X, y, _ = three
    model = MultigeneClassifier(time_limit=3, random_state=0, n_jobs=1).fit(X, y)
    assert [each.time_limit for each in model.regressors_] == [1.0] * 3


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_files_hold_the_classifier(three, tmp_path, class_weight):
    X, y, _ = three
    names = np.array(["low", "middle", "high"])[y]
    model = MultigeneClassifier(**TINY, class_weight=class_weight).fit(X, names)
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert isinstance(again, MultigeneClassifier)
    assert again.class_weight == class_weight
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert str(again) == str(model)


def test_numbers_and_truth_values_stay_classes_in_files(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2))
    for labels in (X[:, 0] > 0, (X[:, 0] > 0) * 2 + 1, np.where(X[:, 0] > 0, 0.0, 2.0)):
        model = MultigeneClassifier(**TINY, class_weight={labels[0].item(): 2.0}).fit(X, labels)
        model.save(tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        assert again.classes_.dtype == labels.dtype
        assert again.class_weight == model.class_weight
        np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_damaged_files_are_refused(three, tmp_path):
    import json

    three[2].save(tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    for change in (
        {"classes": [0, 1]},
        {"classes": [0, 0, 1]},
        {"classes": None},
        {"models": [1, 2, 3]},
        {"models": document["models"][:2]},
        {"class_weight": [[0]]},
        {"class_weight": "heavy"},
    ):
        with pytest.raises(ValueError, match="not a model that can be loaded"):
            load(io.BytesIO(json.dumps({**document, **change}).encode()))


def test_class_weights_move_probabilities():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    y = (rng.uniform(size=600) < 1 / (1 + np.exp(3.0 - X[:, 0]))).astype(int)
    plain = MultigeneClassifier(**TINY).fit(X, y)
    balanced = MultigeneClassifier(**TINY, class_weight="balanced").fit(X, y)
    by_hand = MultigeneClassifier(**TINY, class_weight={0: 1 / (y == 0).sum(), 1: 1 / (y == 1).sum()}).fit(
        X, y
    )
    assert plain.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)
    assert balanced.predict_proba(X)[:, 1].mean() > 0.3
    np.testing.assert_allclose(
        balanced.decision_function(X), by_hand.decision_function(X), rtol=1e-4, atol=1e-4
    )


def test_rows_of_weight_zero_are_not_seen(ring):
    X, y = ring
    weights = np.r_[np.ones(300), np.zeros(100)]
    part = MultigeneClassifier(**TINY).fit(X[:300], y[:300])
    weighted = MultigeneClassifier(**TINY).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(weighted.decision_function(X), part.decision_function(X), rtol=1e-6, atol=1e-6)


def test_a_line_is_about_that_of_logistic_regression():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2000, 3))
    y = rng.uniform(size=2000) < 1 / (1 + np.exp(-(1.5 * X[:, 0] - X[:, 1] + 0.5)))
    model = MultigeneClassifier(generations=10, max_size=25, random_state=0, n_jobs=1)
    model.fit(X[:1000], y[:1000])
    line = LogisticRegression(C=1e6).fit(X[:1000], y[:1000])
    ours = roc_auc_score(y[1000:], model.decision_function(X[1000:]))
    assert ours > roc_auc_score(y[1000:], line.decision_function(X[1000:])) - 0.005


def test_choosing_and_reports_by_class(three, tmp_path):
    X, y, model = three
    model = clone(model).fit(X, y)
    assert model.choose("accuracy") is model
    with pytest.raises(ValueError, match="label=0"):
        model.report(tmp_path / "page.html")
    with pytest.raises(ValueError, match="There is a formula for each of 0, 1, 2"):
        model.report(tmp_path / "page.html", label=7)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"class_weight": "heavy"}, "class_weight='heavy' is not known"),
        ({"class_weight": {"c": 2.0}}, "no class of the target"),
        ({"time_limit": "ten"}, "time_limit"),
    ],
)
def test_mistakes_are_named(change, message):
    X = np.arange(20.0)[:, None]
    with pytest.raises(ValueError, match=message):
        MultigeneClassifier(**TINY, **change).fit(X, np.where(X[:, 0] > 9, "a", "b"))


def test_one_class_is_too_few():
    with pytest.raises(ValueError, match="at least 2 classes"):
        MultigeneClassifier(**TINY).fit([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(ValueError, match="leave at least 2 classes"):
        MultigeneClassifier(**TINY).fit([[0.0], [1.0]], ["a", "b"], sample_weight=[1.0, 0.0])


def test_smoothed_targets_are_what_the_rows_can_tell():
    assert smoothed(np.array([True, True, False])).tolist() == [0.75, 0.75, 1 / 3]


def test_real_classes():
    X, y = load_iris(return_X_y=True)
    assert MultigeneClassifier(**TINY).fit(X, y).score(X, y) > 0.9
    X, y = load_breast_cancer(return_X_y=True)
    assert MultigeneClassifier(**TINY).fit(X, y).score(X, y) > 0.9


def test_rows_without_a_class_are_left_out(ring):
    X, y = ring
    labels = y.to_numpy(dtype=object).copy()
    labels[:5] = None
    with pytest.warns(UserWarning, match=f"Left out 5 rows of {len(y)} without a class"):
        model = MultigeneClassifier(generations=1, random_state=0).fit(X, labels)
    assert list(model.classes_) == ["inside", "outside"]


def test_classes_of_different_kinds_are_refused(ring):
    X, y = ring
    mixed = np.array([label if label == "inside" else 3 for label in y], dtype=object)
    with pytest.raises(ValueError, match="classes of different kinds, such as 'inside' and 3"):
        MultigeneClassifier().fit(X, mixed)


def test_the_parameters_are_those_of_the_regressor():
    ours, regressor = MultigeneClassifier().get_params(), MultigeneRegressor().get_params()
    assert ours.pop("class_weight") is None
    assert regressor.pop("loss") == "auto"
    assert regressor.pop("warm_start") is False
    assert ours == regressor
    assert list(ours) == list(regressor)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"loss": "poisson"}, "minimises the logistic loss"),
        ({"max_genes": 3}, r"give settings=\{'max_genes': 3\}"),
        ({"regressor": MultigeneRegressor()}, "such as time_limit=10"),
        ({"time_limits": 3}, "time_limit"),
    ],
)
def test_parameters_that_there_are_not_are_told_with_a_way_out(given, message):
    with pytest.raises(TypeError, match=message):
        MultigeneClassifier(**given)


def test_a_regressor_lends_its_parameters():
    regressor = MultigeneRegressor(time_limit=3, functions=["add", "mul"], random_state=1)
    model = MultigeneClassifier.like(regressor, class_weight="balanced")
    assert (model.time_limit, model.functions, model.random_state, model.class_weight) == (
        3,
        ["add", "mul"],
        1,
        "balanced",
    )
    with pytest.raises(ValueError, match="loss='poisson'"):
        MultigeneClassifier.like(MultigeneRegressor(loss="poisson"))

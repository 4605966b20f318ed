"""Losses: names, targets they know, agreement with other programs, and what follows them in a fitted model."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest
from sklearn.linear_model import GammaRegressor, LogisticRegression, PoissonRegressor

import multigene
from multigene import MultigeneRegressor
from multigene._engine import Dataset, Individual
from multigene.data.losses import KINDS, Loss
from multigene.expression.own_loss import WrittenLoss
from multigene.settings.loss import loss_of


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.5, 1.5, (n, 2))
    return X, 0.4 + 0.8 * X[:, 0] - 0.5 * X[:, 1], rng


def targets(loss: str, n=300):
    """Rows that a loss knows, and the values that their predictor has in truth."""
    X, f, rng = rows(n)
    word = loss.partition(":")[0]
    if word == "poisson":
        return X, rng.poisson(np.exp(f)).astype(float)
    if word == "gamma":
        return X, rng.gamma(3.0, np.exp(f) / 3.0)
    if word == "logistic":
        return X, (rng.uniform(size=n) < 1.0 / (1.0 + np.exp(-2.0 * f))).astype(float)
    if word == "relative":
        return X, np.exp(f + 0.2 * rng.normal(size=n))
    return X, f + 0.3 * rng.normal(size=n)


NAMES = ["absolute", "huber", "huber:0.4", "quantile:0.9", "relative", "poisson", "gamma", "logistic"]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("loss", "other"),
    [
        ("poisson", PoissonRegressor(alpha=0.0, tol=1e-12, max_iter=10_000)),
        ("gamma", GammaRegressor(alpha=0.0, tol=1e-12, max_iter=10_000)),
        ("logistic", LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000)),
    ],
)
def test_linear_models_agree_with_scikit_learn(loss, other, weighted):
    X, y = targets(loss)
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(y)) if weighted else None
    other.fit(X, y, sample_weight=weights)
    data = Dataset(X, y, weights, loss=loss_of(loss).of_rows(X, y).engine)
    ours = Individual(["x0", "x1"], 0.0, [1.0, 1.0]).fit(data)
    theirs = [float(np.ravel(other.intercept_)[0]), *np.ravel(other.coef_).tolist()]
    assert [ours.intercept, *ours.coefficients] == pytest.approx(theirs, abs=1e-6)


def test_the_quantile_lies_above_as_many_rows_as_it_says():
    X, y = targets("quantile:0.9", 2000)
    data = Dataset(X, y, loss=loss_of("quantile:0.9").of_rows(X, y).engine)
    model = Individual(["x0", "x1"], 0.0, [1.0, 1.0]).fit(data)
    assert np.mean(y <= model.predict(X)) == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize("loss", ["absolute", "huber"])
def test_outliers_do_not_move_a_robust_fit(loss):
    X, f, rng = rows()
    y = f + 0.1 * rng.normal(size=len(f))
    y[::10] += 50.0
    errors = {}
    for each in (loss, "squared"):
        data = Dataset(X, y, loss=loss_of(each).of_rows(X, y).engine)
        fitted = Individual(["x0", "x1"], 0.0, [1.0, 1.0]).fit(data)
        errors[each] = float(np.abs(fitted.predict(X) - f).mean())
    assert errors[loss] < 0.05 < 1.0 < errors["squared"]


# --- own losses -----------------------------------------------------------------------------------


def test_a_written_loss_is_differentiated():
    loss, (y, p) = (
        WrittenLoss("abs(y - p)*exp(0.1*p) + (y - p)**2/(1 + y**2)"),
        np.random.default_rng(0).normal(size=(2, 40)),
    )
    _, slope = loss(y, p)
    differences = (loss(y, p + 1e-6)[0] - loss(y, p - 1e-6)[0]) / 2e-6
    assert slope == pytest.approx(differences, abs=1e-6)


@pytest.mark.parametrize(
    "own",
    ["(y - p)**2", lambda y, p: (y - p) ** 2, lambda y, p: ((y - p) ** 2, 2.0 * (p - y))],
    ids=["text", "value", "slope"],
)
def test_squared_error_as_an_own_loss(own):
    X, y = targets("squared")
    data = Dataset(X, y, loss=loss_of(own).of_rows(X, y).engine)
    ours = Individual(["x0", "x1"], 0.0, [1.0, 1.0]).fit(data)
    theirs = Individual(["x0", "x1"], 0.0, [1.0, 1.0]).fit(Dataset(X, y))
    assert [ours.intercept, *ours.coefficients] == pytest.approx(
        [theirs.intercept, *theirs.coefficients], abs=1e-5
    )
    assert ours.fitness == pytest.approx(theirs.fitness, abs=1e-6)


@pytest.mark.parametrize(
    ("loss", "sentence"),
    [
        ("hubre", "did you mean 'huber'"),
        ("nothing", "take one of auto, squared"),
        ("quantile", "needs its level"),
        ("quantile:2", "no level between 0 and 1"),
        ("huber:-1", "no positive distance"),
        ("poisson:3", "does not take"),
        ("(y - q)**2", "«q».* cannot be read: 'q' is no name"),
        ("y**2 + 1", "does not contain p"),
        ("log(p - 1e9)", "finite near the target"),
        ("p - y", "is negative"),
        ("0*p", "the same for every prediction"),
        (lambda y, p: 0.0 * p + 1.0, "the same for every prediction"),
        (lambda y, p: 0.0, "one for every row"),
        (lambda y, p: ((y - p) ** 2)[:, None], "values of the shape"),
        (lambda y, p: 1 / 0, "cannot be computed"),
        (lambda y, p: ((y - p) ** 2, np.ones(3)), "gives 3 derivatives for 30 rows"),
        (5, "is no loss"),
    ],
    ids=lambda value: "function" if callable(value) else str(value),
)
def test_what_is_no_loss_gets_a_sentence(loss, sentence):
    X, y = targets("squared", 30)
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        MultigeneRegressor(loss=loss, generations=1).fit(X, y)


@pytest.mark.parametrize(
    ("loss", "value"), [("poisson", -1.0), ("gamma", 0.0), ("relative", -2.0), ("logistic", 2.0)]
)
def test_targets_that_a_loss_does_not_know(loss, value):
    X, y = targets(loss, 30)
    y[3] = value
    with pytest.raises(ValueError, match=f"loss='{loss}' needs a target of .* it has the value {value:g}"):
        MultigeneRegressor(loss=loss, generations=1).fit(X, y)
    with pytest.raises(ValueError, match="all rows have 0"):
        Loss("poisson").check(np.zeros(4))


def test_laws_are_found_by_squared_error():
    with pytest.raises(ValueError, match="contradict each other"):
        MultigeneRegressor(loss="huber", search="laws").resolved_settings()


# --- fitted models --------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [*NAMES, "abs(y - p)"])
def test_everything_follows_the_loss(loss, tmp_path):
    X, y = targets(loss, 90 if "(" in loss else 120)
    quick = {"population_size": 8, "islands": 1, "migration": 2, "holdout": 0.0}
    model = MultigeneRegressor(loss=loss, generations=2, random_state=0, n_jobs=1, settings=quick).fit(X, y)
    # Large terms may cancel in a model of two generations.
    assert model.formula_(X) == pytest.approx(model.predict(X), rel=1e-5)
    assert model.score(X, y) == pytest.approx(model.explained_, abs=1e-6)
    table = model.equations_
    assert {"explained", "r2", "validation_explained"} <= set(table.columns)
    assert table["explained"].is_monotonic_increasing
    assert f"({loss})" in str(model)
    prediction, low, high = model.predict(X, interval=0.9)
    assert np.all(low <= prediction + 1e-12)
    assert np.all(prediction <= high + 1e-12)
    model.save(tmp_path / "model.json")
    loaded = multigene.load(tmp_path / "model.json")
    assert loaded.predict(X) == pytest.approx(model.predict(X), rel=1e-12)
    assert loaded.get_params()["loss"] == loss
    assert str(loaded) == str(model)
    assert np.isfinite(model.importance()["permutation"]).all()
    assert len(model.parameters_) >= 1


@pytest.mark.parametrize("loss", ["squared", "absolute", "huber", "quantile:0.9", "relative", "poisson"])
def test_targets_near_the_end_of_floating_point_give_no_warnings(loss):
    """The spread of the target was computed for every loss, and its squares overflowed."""
    if loss == "poisson":
        with pytest.raises(ValueError, match=r"at most 1e\+30; it has the value 1e\+300"):
            Loss.named(loss).of_rows(np.ones((2, 1)), np.array([1.0, 1e300]))
        return
    y = np.array([1e300, 1.0, 1e300, 1.0, 1.0, 1.0, 1.0, 1e200, 1.0, 1.0, 1.0, 1.0])
    X = np.random.default_rng(0).normal(size=(len(y), 2)) * 1e200
    assert np.isfinite(Loss.named(loss).of_rows(X, y).numbers).all()


def test_every_kind_is_tested():
    assert {name.partition(":")[0] for name in NAMES} | {"squared"} == set(KINDS)


def test_errors_of_the_target_are_weights():
    X, y = targets("squared", 60)
    deviations = np.where(np.arange(60) % 2, 1.0, 5.0)
    quick = {"generations": 3, "random_state": 0, "n_jobs": 1, "configuration": "UB"}
    told = MultigeneRegressor(**quick).fit(X, y, y_error=deviations)
    weighted = MultigeneRegressor(**quick).fit(X, y, sample_weight=deviations**-2.0)
    assert told.predict(X) == pytest.approx(weighted.predict(X), rel=1e-6)
    for wrong, sentence in (
        (deviations[:3], "3 values for 60 rows"),
        (0.5, "1 value for 60 rows"),
        (0.0 * deviations, "row 0 is 0"),
        (np.nan * deviations, "row 0 is nan"),
        ("sigma", "y_error='sigma' is no array of numbers"),
    ):
        with pytest.raises(ValueError, match=sentence):
            MultigeneRegressor(**quick).fit(X, y, y_error=wrong)


def test_a_function_may_return_lists():
    X, y = targets("squared", 40)
    fitted = []
    for loss in (lambda y, p: [(a - b) ** 2 for a, b in zip(y, p, strict=True)], lambda y, p: (y - p) ** 2):
        data = Dataset(X, y, loss=loss_of(loss).of_rows(X, y).engine)
        fitted.append(Individual(["x0", "x1"], 0.0, [1.0, 1.0]).fit(data).predict(X))
    np.testing.assert_allclose(*fitted)


def test_models_with_any_function_as_loss_can_be_pickled():
    """`pickle` finds no lambda by its name, so it goes by value; what cannot be sent is refused with what to give instead."""
    X, y = targets("squared", 40)
    model = MultigeneRegressor("UB", loss=lambda y, p: (y - p) ** 4, generations=2, random_state=0).fit(X, y)
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    assert twin.score(X, y) == model.score(X, y)
    assert twin.loss(np.ones(1), np.zeros(1)) == 1.0
    fitted = pickle.loads(pickle.dumps(model.fitted_))
    assert fitted.loss.values(np.ones(1), np.zeros(1)) == 1.0
    held = threading.Lock()
    model.loss = lambda y, p: (y - p) ** 2 + held.locked()
    with pytest.raises(ValueError, match=r"'<lambda>' cannot be pickled: .*or for a loss its text"):
        pickle.dumps(model)

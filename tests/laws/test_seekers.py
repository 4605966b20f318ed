"""Law seekers: restarts, peeling, laws found the same at any number of threads, stop and resume, what the user may say."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene._engine import Workers
from multigene.evolution.pareto import Member
from multigene.expression.tree import Operation, Power, postorder
from multigene.formula import Formula
from multigene.laws.restart import luby, worth_a_look
from multigene.laws.restarts import Restarts
from multigene.laws.seekers import Seekers
from multigene.laws.survey.stages import stages
from multigene.settings.functions import function_entries
from multigene.settings.settings import Seeking

NAMES = list("abcdefghi")


def rows(n=300, d=3, low=1.0, high=5.0, seed=0):
    return np.random.default_rng(seed).uniform(low, high, (n, d))


def seekers(X, y, threads=1, seed=0, functions=None, **options):
    rng = np.random.default_rng(seed)
    return Seekers(X, y, np.arange(len(y)), rng, Workers(threads), Seeking(**options), functions)


def test_luby():
    assert [luby(i) for i in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_combined_variables_make_a_law_of_many_features_one_of_few():
    X = rows(400, 5, 1.0, 3.0)
    n, m, b, k, t = X.T
    y = n / (np.exp(m * b / (k * t)) + np.exp(-m * b / (k * t)))
    found = {}
    for threads in (1, 2):
        search = seekers(X, y, threads)
        assert next(t.features for t in search.targets if t.combined) == [5]
        assert search.targets[0].peeled == {0: 1.0}
        search.seek(50_000)
        assert search.law is not None
        found[threads] = (str(Formula(search.law.expression, NAMES)), search.evaluations)
    assert found[1] == found[2]
    assert not any(t.combined for t in seekers(X, y, symmetries=False).targets)


def test_a_survey_that_was_cut_goes_on_where_it_was():
    X = rows(300, 2)
    y = np.tanh(X[:, 0] - 2.0) * X[:, 1] + np.sin(3.0 * X[:, 0] * X[:, 1])
    whole, cut = seekers(X, y), seekers(X, y)
    number = sum(len(stage.targets) for stage in stages(whole.targets, whole.noisy))
    assert whole.survey.run(whole.progress, 10**9, lambda: False)
    assert whole.progress.surveyed == number
    for _ in range(2 * number):  # one target at a time
        done = cut.progress.surveyed
        cut.survey.run(cut.progress, 10**9, lambda done=done: cut.progress.surveyed > done)
    assert cut.progress.surveyed == number
    assert [len(t.seeds) for t in cut.targets] == [len(t.seeds) for t in whole.targets]


def test_dense_islands_find_laws_of_rotated_features():
    X = rows(300, 5) - 3.0
    weights = np.array([0.31, -0.72, 0.44, 0.15, -0.42])
    y = 3.0 * np.tanh(X @ weights + 0.3) + 1.0
    search = seekers(X, y, survey=False, transforms=False, peeling=False)
    assert [t.dense for t in search.targets] == [False, True]
    search.seek(300_000)
    assert search.law is not None
    assert search.law.unexplained < 1e-20


# --- laws -----------------------------------------------------------------------------------------

LAWS = {
    "6.674*a*b/c**2": lambda a, b, c: 6.674 * a * b / c**2,
    "a*exp(-b*c)": lambda a, b, c: a * np.exp(-b * c),
    "c*sin(a*b)": lambda a, b, c: c * np.sin(a * b),
    "a + b*sin(c)": lambda a, b, c: a + b * np.sin(c),
    "sqrt((a - b)**2 + c**2)": lambda a, b, c: np.sqrt((a - b) ** 2 + c**2),
    "a*b/(a + c)": lambda a, b, c: a * b / (a + c),
}


@pytest.mark.parametrize("text", LAWS)
@pytest.mark.parametrize("threads", [1, 2])
def test_easy_laws(text, threads):
    X = rows()
    y = LAWS[text](*X.T)
    search = seekers(X, y, threads)
    search.seek(200_000)
    assert search.law is not None
    new = rows(100, seed=1)
    np.testing.assert_allclose(search.law.individual.predict(new), LAWS[text](*new.T), rtol=1e-9, atol=1e-9)
    assert Formula(search.law.expression, NAMES).size <= 14


def test_the_survey_knows_products_of_two_functions():
    X = rows(300, 2, -1.0, 1.0)
    y = 2.0 * np.sin(X[:, 0] ** 2) * np.cos(X[:, 1]) - 1.0
    search = seekers(X, y)
    search.seek(200_000)
    assert search.law is not None
    assert sum(t.restarts for t in search.targets) == 0


@pytest.mark.parametrize("threads", [2, 3])
def test_the_number_of_threads_changes_nothing(threads):
    X = rows(200, 2, -1.0, 1.0)
    y = np.sin(X[:, 0] ** 2) * np.cos(X[:, 1]) - X[:, 1] * np.abs(X[:, 0])
    one, other = seekers(X, y, 1), seekers(X, y, threads)
    for search in (one, other):
        search.seek(30_000)
    assert one.evaluations == other.evaluations
    assert {c: f.individual.genes for c, f in one.finds.by_size.items()} == {
        c: f.individual.genes for c, f in other.finds.by_size.items()
    }


@pytest.mark.parametrize("survey", [True, False])
def test_evolution_finds_laws_without_the_survey(survey):
    X = rows(300, 2, 1.0, 3.0)
    y = X[:, 0] * np.exp(-X[:, 1])
    search = seekers(X, y, survey=survey)
    search.seek(300_000)
    assert search.law is not None
    assert (sum(t.restarts for t in search.targets) == 0) is survey


def test_no_law_in_noise():
    X = rows(200, 2)
    search = seekers(X, np.random.default_rng(1).normal(size=200))
    search.seek(20_000)
    assert search.law is None
    assert search.finds.best > 0.5


def test_few_rows_prove_nothing():
    X = rows(12, 3)
    search = seekers(X, np.random.default_rng(1).normal(size=12))
    search.seek(20_000)
    assert search.law is None


@pytest.mark.parametrize("first", [1, 1500, 8000])
def test_it_goes_on_where_it_stopped(first):
    X = rows(200, 2, -1.0, 1.0)
    y = np.tanh(3.0 * X[:, 0]) * np.abs(X[:, 1]) + 0.2 * X[:, 0]
    whole, parts = seekers(X, y), seekers(X, y)
    whole.seek(first)
    parts.seek(first)
    resumed = seekers(X, y)  # rows are drawn from the run's seed
    resumed.rng.random(7)
    resumed.restore(json.loads(json.dumps(parts.state())))
    for search in (whole, resumed):
        search.seek(20_000)
    assert whole.evaluations == resumed.evaluations
    assert {c: (f.expression, f.unexplained) for c, f in whole.finds.by_size.items()} == {
        c: (f.expression, f.unexplained) for c, f in resumed.finds.by_size.items()
    }


def test_stop_only_cuts():
    X = rows(200, 2)
    y = np.abs(X[:, 0] - 2.0) * X[:, 1]
    counter = itertools.count()
    search = seekers(X, y)
    search.seek(10**9, lambda: next(counter) > 30)
    assert 0 < search.evaluations < 10**6


def test_only_functions_that_the_user_chose():
    X = rows(300, 2)
    y = X[:, 0] * np.exp(-X[:, 1])
    functions = function_entries(["add", "sub", "mul"])
    search = seekers(X, y, functions=functions)
    search.seek(20_000)
    assert {t.transform.name for t in search.targets} == {"y"}
    for find in search.finds.by_size.values():
        nodes = postorder(find.expression)
        assert {n.name for n in nodes if isinstance(n, Operation)} <= {"add", "sub", "mul", "neg"}
        assert all(n.exponent > 1 and n.is_integer for n in nodes if isinstance(n, Power))


def test_sums_need_not_be_named_for_combined_variables():
    X = rows(300, 4)
    y = np.exp(-X[:, 2] / X[:, 3]) / (X[:, 0] ** 2 * X[:, 1])
    for names in (["mul", "div", "exp"], ["mul", "div", "exp", "add", "sub"]):
        search = seekers(X, y, functions=function_entries(names))
        assert any(t.combined for t in search.targets), names


def test_what_is_worth_a_look():
    members = [
        Member(object(), r2, c) for c, r2 in ((3, 0.5), (9, 0.9), (20, 1.0 - 1e-10), (30, 1.0 - 1e-12))
    ]
    known: dict[int, float] = {}
    looked = worth_a_look(members, known)
    assert looked == [members[2], members[3], members[1]]
    assert worth_a_look(members[:2], known) == []


# --- the front door -------------------------------------------------------------------------------


def test_search_for_laws_alone():
    X = rows(300, 2)
    y = X[:, 0] / (1.0 + X[:, 1])
    model = MultigeneRegressor(search="laws", random_state=0, n_jobs=1).fit(X, y)
    assert model.stopped_by_ == "law"
    rng = np.random.default_rng(0)
    noisy = y + 0.05 * y.std() * rng.normal(size=300)
    found = MultigeneRegressor(search="laws", generations=40, random_state=0, n_jobs=1).fit(X, noisy)
    assert found.score(X, y) > 0.99
    assert found.formula_.size < 20


def test_search_for_accuracy_alone():
    X = rows(200, 2)
    model = MultigeneRegressor(search="accuracy", generations=20, random_state=0, n_jobs=1).fit(
        X, X[:, 0] / X[:, 1]
    )
    assert model.stopped_by_ != "law"
    assert model.score(X, X[:, 0] / X[:, 1]) > 0.99


@pytest.mark.parametrize("search", ["law", "", None, 3])
def test_other_searches_are_refused(search):
    with pytest.raises(ValueError, match="search"):
        MultigeneRegressor(search=search).fit(rows(), rows()[:, 0])


def test_a_configuration_of_the_paper_has_no_seekers():
    with pytest.raises(ValueError, match="belongs to the default search"):
        MultigeneRegressor("UB", search="laws").fit(rows(), rows()[:, 0])


# --- side by side ---------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 4])
def test_restarts_side_by_side_are_the_same(threads):
    X = rows(200, 3, -1.0, 1.0)
    y = np.tanh(3.0 * X[:, 0]) * np.abs(X[:, 1]) + 0.2 * X[:, 2]
    one, other = seekers(X, y, 1, survey=False), seekers(X, y, threads, survey=False)
    for evaluations in (1, 60_000, 100_000):  # restarts under way at the end of a call are finished in it
        for search in (one, other):
            search.seek(evaluations)
        assert one.state() == other.state()
    assert sum(t.restarts for t in one.targets) > 4


@pytest.mark.parametrize("threads", [2, 4])
def test_a_law_found_beside_other_restarts_is_the_same(threads):
    X = rows(300, 2, 1.0, 3.0)
    y = X[:, 0] * np.exp(-X[:, 1]) + np.sin(X[:, 1])
    one, other = seekers(X, y, 1, survey=False), seekers(X, y, threads, survey=False)
    for search in (one, other):
        search.seek(1_000_000)
        assert search.law is not None
    assert one.law.individual.genes == other.law.individual.genes
    assert one.state() == other.state()
    # Some were begun that count for nothing: the law came first.
    assert sum(t.restarts for t in one.targets) > len([t for t in one.targets if t.work])


@pytest.mark.parametrize("weights", [np.ones(100), np.full(100, 7.0)])
def test_equal_weights_are_none(weights):
    X = rows(100, 2)
    y = X[:, 0] / (1.0 + X[:, 1])
    for search in ("both", "laws"):
        plain, weighted = (
            MultigeneRegressor(search=search, random_state=0, n_jobs=1).fit(X, y, sample_weight=given)
            for given in (None, weights)
        )
        assert weighted.stopped_by_ == "law"
        assert str(weighted.formula_) == str(plain.formula_)


def test_rows_without_weight_are_left_out_and_the_others_may_be_a_law():
    X, weights = rows(100, 2), np.repeat([2.0, 0.0], [60, 40])
    y = np.where(weights > 0.0, X[:, 0] / X[:, 1], 0.0)
    model = MultigeneRegressor(search="laws", random_state=0, n_jobs=1).fit(X, y, sample_weight=weights)
    assert model.stopped_by_ == "law"


@pytest.mark.parametrize("search", ["laws", "both"])
def test_a_law_is_found_with_different_weights(search):
    X, weights = rows(100, 2), np.random.default_rng(1).uniform(0.1, 50.0, 100)
    y = X[:, 0] ** 2 / X[:, 1]
    model = MultigeneRegressor(search=search, random_state=0, n_jobs=1).fit(X, y, sample_weight=weights)
    assert model.stopped_by_ == "law"
    assert str(model.formula_) == "x0**2/x1"


def test_error_bars_say_which_rows_a_law_in_noise_is_found_by():
    """Half of the rows have a hundred times the error of the others, which without weights hides the second term."""
    X, rng = rows(200, 2), np.random.default_rng(1)
    error = np.where(np.arange(200) % 2, 3.0, 0.03)
    y = X[:, 0] * X[:, 1] + 0.1 * X[:, 0] ** 2 + error * rng.standard_normal(200)
    left = {}
    for weights in (None, 1.0 / error**2):
        rng, options = np.random.default_rng(0), Seeking()
        search = Seekers(X, y, np.arange(200), rng, Workers(1), options, alone=True, weights=weights)
        search.seek(20_000)
        best = min(search.finds.by_size.values(), key=lambda f: search.finds.prices()[id(f.individual)])
        wrong = best.individual.predict(X) - X[:, 0] * X[:, 1] - 0.1 * X[:, 0] ** 2
        left[weights is None] = np.sqrt(np.mean(wrong**2))
    assert left[False] < 0.02
    assert left[False] < 0.2 * left[True]


# --- few rows -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "d", "law"), [(39, 3, "a*b/c**2"), (20, 3, "a*b/c**2"), (15, 1, "a**2"), (13, 1, "a**2")]
)
def test_laws_in_few_rows(n, d, law):
    X = rows(n, d)
    y = eval(law, dict(zip("abc", X.T, strict=False)))
    model = MultigeneRegressor(random_state=0, n_jobs=1).fit(X, y)
    new = rows(100, d, seed=1)
    truth = eval(law, dict(zip("abc", new.T, strict=False)))
    assert model.stopped_by_ == "law"
    np.testing.assert_allclose(model.predict(new), truth, rtol=1e-9)


@pytest.mark.parametrize("n", [13, 16, 20, 39])
def test_no_law_in_a_few_rows_of_noise(n):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        model = MultigeneRegressor(generations=10, random_state=0, n_jobs=1, settings={"first": 5000})
        model.fit(rng.normal(size=(n, 5)), rng.normal(size=n))
        assert model.stopped_by_ != "law"


@pytest.mark.parametrize("times", [1, 4])
def test_laws_alone_need_a_few_different_rows(times):
    X = np.repeat(rows(12, 2), times, axis=0)
    with pytest.raises(ValueError, match=r"12 different rows are too few.*at least 13.*search='both'"):
        MultigeneRegressor(search="laws", generations=10).fit(X, X[:, 0] * X[:, 1])


# --- noisy data -----------------------------------------------------------------------------------


def noisy_data():
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 5.0, (500, 3))
    return X, X[:, 0] + 2.0 * rng.standard_normal(500)


def test_the_law_search_alone_tests_for_everything_in_noisy_data():
    X, y = noisy_data()
    beside = Seekers(X, y, np.arange(500), np.random.default_rng(0), Workers(1), Seeking())
    alone = Seekers(X, y, np.arange(500), np.random.default_rng(0), Workers(1), Seeking(), alone=True)
    assert beside.noisy
    assert not alone.noisy
    assert beside.survey.length < alone.survey.length


def test_beside_approximators_noisy_data_are_surveyed_only(monkeypatch):
    X, y = noisy_data()
    begun = []

    def pieces(self, progress, *rest):
        begun.append(progress.evaluations)
        return iter(())

    monkeypatch.setattr(Restarts, "pieces", pieces)
    MultigeneRegressor(generations=20, random_state=0, n_jobs=1).fit(X, y)
    assert begun == []
    MultigeneRegressor(generations=400, random_state=0, n_jobs=1, search="laws").fit(X, y)
    assert begun

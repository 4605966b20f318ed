"""Few rows: the whole search is cross-validated, and what it is worth on unseen rows decides."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from multigene import MultigeneRegressor
from multigene._engine import Individual, Workers
from multigene.evolution.pareto import Member
from multigene.search import searcher
from multigene.search.cross_validation import FoldResult
from multigene.search.few_rows import (
    decide_by_leaving_one_out,
    for_its_price,
    most_convincing,
    uncontradicted,
)
from multigene.search.folds import folds_of, ridge_of, unseen_ridge, without
from multigene.search.linear import Ridge, linear_models
from multigene.search.problem import Problem
from multigene.search.searcher import Searcher
from multigene.search.validation import RIDGE, decide_by_cross_validation
from multigene.settings.defaults import default_settings

QUICK = {"generations": 40, "n_jobs": 1, "random_state": 0}


def problem(n=100, d=3, noise=1.0, weights=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return Problem.of(X, X[:, 0] ** 2 + noise * rng.normal(size=n), weights)


def fold_results(of, *predicted):
    """Folds whose models of size 1, 11, 21, … predict what is given for all rows."""
    sizes = [1 + 10 * i for i in range(len(predicted))]
    return [FoldResult(f, sizes, np.array([each[f] for each in predicted]), 0.0, 10) for f in folds_of(of)]


# --- folds ----------------------------------------------------------------------------------------


def test_every_row_is_left_out_once():
    left_out = folds_of(problem())
    assert len(left_out) == 5
    assert sorted(np.concatenate(left_out)) == list(range(100))
    assert {len(part) for part in left_out} == {20}


def test_equal_rows_are_left_out_together_and_rows_without_weight_never():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(40, 2)), 3, axis=0)
    weights = np.ones(120)
    weights[:3] = 0.0
    left_out = folds_of(Problem.of(X, rng.normal(size=120), weights))
    assert sorted(np.concatenate(left_out)) == list(range(3, 120))
    for part in left_out:
        assert set(part // 3) == {row for row in part // 3 if (part // 3 == row).sum() == 3}


def test_very_few_rows_and_a_constant_target_decide_nothing():
    assert folds_of(problem(19)) == []
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert folds_of(Problem.of(X, np.full(50, 3.0), None)) == []


def test_a_fold_knows_nothing_of_the_rows_left_out():
    of = problem()
    part = folds_of(of)[0]
    X, y = of.X.copy(), of.y.copy()
    X[part], y[part] = 1e6, -1e6
    first, second = without(of, part), without(Problem.of(X, y, None), part)
    for seen in (
        lambda p: p.X,
        lambda p: p.y,
        lambda p: p.scaling.means,
        lambda p: p.scaling.scales,
        lambda p: p.guard.box,
        lambda p: p.guard.box_points,
        lambda p: p.guard.between_points,
    ):
        assert np.array_equal(seen(first), seen(second))


def test_ridge_predicts_rows_that_it_has_not_seen():
    of = problem()
    predicted = unseen_ridge(of)
    for part in folds_of(of, 10):
        rest = np.setdiff1d(np.arange(100), part)
        Z = without(of, part).standardised(of.X)
        line = Ridge.fitted(Z[rest], of.y[rest], np.ones(len(rest)))
        np.testing.assert_allclose(predicted[part], line.predict(Z[part]))


def test_packed_and_unpacked():
    of = problem()
    for fold in fold_results(of, np.zeros(100), of.y / 3.0):
        again = FoldResult.unpacked(fold.packed())
        assert again.packed() == fold.packed()
        assert np.array_equal(again.up_to(20), fold.predictions[1])
        assert np.array_equal(again.up_to(0), np.zeros(len(again.rows)))


# --- decisions -------------------------------------------------------------------------------------


def test_a_search_that_beats_ridge_sets_the_size():
    of = problem()
    truth = of.X[:, 0] ** 2
    decision = decide_by_cross_validation(
        of, fold_results(of, np.full(100, of.y.mean()), truth, truth + 0.01)
    )
    assert (decision.most_nodes, decision.of_this_size) == (11, True)


def test_a_clear_signal_is_searched_on():
    of = problem(noise=0.01)
    decision = decide_by_cross_validation(of, fold_results(of, np.full(100, of.y.mean()), of.X[:, 0] ** 2))
    assert not decision.final
    assert decision.most_nodes >= 11


def test_a_search_that_is_lucky_on_a_few_rows_is_not_believed():
    of = problem()
    X = of.X
    line = Problem.of(X, X[:, 1] + 0.5 * np.random.default_rng(1).normal(size=100), None)
    guess = unseen_ridge(line)
    far = np.argsort(-np.abs(line.y - guess))[:3]
    guess = line.y + 1.01 * (guess - line.y)  # a little worse on all rows,
    guess[far] = line.y[far]  # but three, and they make its mean of squares the least
    assert decide_by_cross_validation(line, fold_results(line, guess)).linear == RIDGE


def test_a_formula_no_larger_than_the_line_need_not_be_far_better():
    """Nobody asks more of it than of a line of as many nodes; a larger one must be better by more."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    of = Problem.of(X, np.exp(0.5 * X[:, 0]) + 0.6 * rng.normal(size=100), None)
    mean, guess = np.full(100, of.y.mean()), np.exp(0.5 * X[:, 0])
    line = unseen_ridge(of)
    gain = (of.y - line) ** 2 - (of.y - guess) ** 2
    assert 1.5 < gain.mean() / (gain.std(ddof=1) / 10.0) < 2.5
    small = decide_by_cross_validation(of, fold_results(of, mean, guess))
    assert (small.most_nodes, small.of_this_size, small.linear) == (11, True, None)
    assert decide_by_cross_validation(of, fold_results(of, mean, mean, guess)).linear == RIDGE


@pytest.mark.parametrize(("seed", "line"), [(1, None), (14, None), (22, None), (7, RIDGE)])
def test_few_noisy_rows_need_more_than_two_standard_errors(seed, line):
    """The best of many formulas is better than the mean by that in noise alone."""
    rng = np.random.default_rng(seed)
    of = Problem.of(rng.normal(size=(40, 3)), rng.normal(size=40), None)
    guess = np.where(rng.uniform(size=40) < 0.7, 0.5, -0.2) * of.y
    gain = of.y**2 - (of.y - guess) ** 2
    assert 2.0 < gain.mean() / (gain.std(ddof=1) / np.sqrt(40)) < 2.5
    decision = decide_by_cross_validation(of, fold_results(of, np.zeros(40), guess))
    assert (decision.constant, decision.linear) == (line is None, line)


def test_without_a_signal_the_mean_is_left():
    rng = np.random.default_rng(3)
    of = Problem.of(rng.normal(size=(100, 3)), rng.normal(size=100), None)
    assert decide_by_cross_validation(of, fold_results(of, np.zeros(100), rng.normal(size=100))).constant


def test_before_the_first_fold_is_done_ridge_regression_and_mean_are_left():
    of = problem()
    line = Problem.of(of.X, of.X[:, 1] + 0.5 * np.random.default_rng(1).normal(size=100), None)
    assert decide_by_cross_validation(line, []).linear == RIDGE
    noise = Problem.of(of.X, np.random.default_rng(3).normal(size=100), None)
    assert decide_by_cross_validation(noise, []).constant


def test_what_is_left_of_few_noisy_rows_is_about_as_good_as_ridge_regression():
    """Neither the mean where a shrunk line tells something, nor a line that is hardly shrunk where it tells nothing, nor the line
    of one column of several."""
    rng, far_below = np.random.default_rng(83), 0
    for _ in range(150):
        n, kind, noise = int(rng.integers(10, 120)), int(rng.integers(4)), rng.uniform(0.1, 1.5)
        rows = rng.uniform(-1.0, 1.0, (n + 1_000, int(rng.integers(1, 7))))
        first, last = rows[:, 0], rows[:, -1]
        truth = (first + last, np.sin(2.0 * first), first * last + first, np.zeros(len(rows)))[kind]
        X, new, y = rows[:n], rows[n:], truth[:n] + noise * rng.standard_normal(n)
        of = Problem.of(X, y, None)
        lines = linear_models(of, of.dataset())
        decision = decide_by_cross_validation(of, []) if n >= 20 else decide_by_leaving_one_out(of, lines)
        left = np.full(len(new), y.mean())
        if decision.linear == 0:
            left = lines[0].predict(of.standardised(new))
        elif decision.linear is not None:
            left = ridge_of(of).predict(of.standardised(new))
        ridge = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13))).fit(X, y)
        fresh = truth[n:] + noise * rng.standard_normal(len(new))
        far_below += bool(r2_score(fresh, ridge.predict(new)) - r2_score(fresh, left) > 0.1)
    assert far_below == 0


# --- as a user meets it ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_forty_noisy_rows_are_not_fitted_too_well(seed):
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(40, 3)), rng.normal(size=(2000, 3))
    truth = lambda rows: rows[:, 0] + 0.5 * rows[:, 1] ** 2  # noqa: E731
    y = truth(X) + 0.8 * rng.normal(size=40)
    model = MultigeneRegressor(**QUICK).fit(X, y)
    ridge = RidgeCV(np.logspace(-3, 3, 13)).fit(X, y)
    assert model.score(new, truth(new)) > ridge.score(new, truth(new)) - 0.05


def test_a_clear_signal_in_few_rows_is_found():
    rng = np.random.default_rng(0)
    X, new = rng.uniform(-3.0, 3.0, (60, 2)), rng.uniform(-2.8, 2.8, (500, 2))
    truth = lambda rows: 6.0 * np.sin(rows[:, 0]) * np.cos(rows[:, 1])  # noqa: E731
    model = MultigeneRegressor(generations=100, n_jobs=1, random_state=0, search="accuracy").fit(X, truth(X))
    assert r2_score(truth(new), model.predict(new)) > 0.9


def test_resumes_in_the_middle_of_a_fold(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] ** 2 + 0.5 * rng.normal(size=80)
    assert len(y) < 400
    whole = MultigeneRegressor(**QUICK).fit(X, y)
    file, seen = tmp_path / "state", []

    def stop_early(progress):
        seen.append((progress.phase, progress.part))
        return [phase for phase, _ in seen].count("cross-validate") == 3

    MultigeneRegressor(**QUICK).fit(X, y, checkpoint=file, callback=stop_early)
    assert all(phase == "seek" for phase, _ in seen[:-3])  # the law search comes first
    assert [phase for phase, _ in seen[-3:]] == ["cross-validate"] * 3
    assert seen[-1][1] == (seen[-1][1][0], 5)
    resumed = MultigeneRegressor(**QUICK).fit(X, y, checkpoint=file)
    assert whole.predict(X).tobytes() == resumed.predict(X).tobytes()
    assert list(whole.history_["generation"]) == list(resumed.history_["generation"])


def test_a_run_stopped_in_its_cross_validation_still_has_a_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=80)
    model = MultigeneRegressor(**QUICK).fit(X, y, callback=lambda progress: True)
    assert model.stopped_by_ == "callback"
    assert model.score(X, y) > 0.9


# --- very few rows: nothing can be cross-validated ------------------------------------------------


@pytest.mark.parametrize("n", [8, 10, 15])
def test_very_few_rows_of_noise_are_not_interpolated(n):
    errors = []
    for seed in range(6):
        rng = np.random.default_rng(1000 * n + seed)
        X, y, new = rng.normal(size=(n, 5)), rng.normal(size=n), rng.normal(size=(500, 5))
        model = MultigeneRegressor(**QUICK, settings={"first": 3000}).fit(X, y)
        assert model.stopped_by_ not in ("law", "target")
        assert str(model.formula_).count("*") <= 5  # a line at most
        errors.append(np.mean(model.predict(new) ** 2) + 1.0)
    assert np.median(errors) < 1.5
    assert max(errors) < 2.5


@pytest.mark.parametrize("n", [8, 10, 15])
@pytest.mark.parametrize("law", [lambda a, b: a**2, lambda a, b: 2 * a - b + 1, lambda a, b: a * b])
def test_very_few_exact_rows_are_explained(n, law):
    rng = np.random.default_rng(n)
    X, new = rng.uniform(1.0, 5.0, (n, 2)), rng.uniform(1.0, 5.0, (200, 2))
    model = MultigeneRegressor(**QUICK).fit(X, law(*X.T))
    assert model.score(new, law(*new.T)) > 0.9999


def test_among_very_few_equal_rows_count_once():
    rng = np.random.default_rng(0)
    X, times = rng.normal(size=(12, 3)), rng.integers(1, 4, 12)
    y = X[:, 0] + 0.3 * rng.normal(size=12)
    weighted = MultigeneRegressor(**QUICK).fit(X, y, sample_weight=times)
    repeated = MultigeneRegressor(**QUICK).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.predict(X) == pytest.approx(repeated.predict(X), rel=1e-6)
    assert weighted.score(X, y) > 0.8


def test_formulas_must_pay_for_their_nodes_and_numbers():
    mean, short, long = (
        Member(Individual(genes, 0.5, [1.5] * len(genes)), fitness, nodes)
        for genes, fitness, nodes in (
            (["0.0"], 0.0, 1),
            (["x0"], 0.99, 1),
            (["x0", "x1", "sin(x1)"], 0.999, 40),
        )
    )
    assert most_convincing([(mean, 1), (short, 2), (long, 4)], mean, 10) is short
    assert most_convincing([(long, 4)], mean, 10) is mean  # too long for ten rows,
    assert most_convincing([(long, 4)], mean, 100) is long  # but not for a hundred
    assert most_convincing([(long, 51)], mean, 100) is mean  # with few fitted numbers


def test_a_find_that_agrees_with_few_rows_must_be_worth_its_nodes():
    """Numbers within sines are fitted to rows left out, too, and agree with any thirty of them."""
    line, law, sines = (
        Member(Individual(["x0"], 0.5, [1.5]), 0.4, 3),
        Member(Individual(["x0*x1"], 0.5, [1.5]), 0.995, 5),
        Member(Individual(["sin(2.0*x0*x1)", "sin(1.0*x0*x1*x1)"], 0.5, [1.5, 1.5]), 0.995, 45),
    )
    few, many = problem(30), problem(500)
    assert for_its_price(few, law, line) is law
    assert for_its_price(few, sines, line) is line
    assert for_its_price(many, sines, line) is sines


# --- a cross-validation that was cut short --------------------------------------------------------


def interrupted(X, y, after, phase="cross-validate"):
    """A run that Ctrl-C ends in its cross-validation, after this many rounds."""
    seen = []

    def press(progress):
        seen.append(progress.phase)
        if seen.count(phase) == after:
            raise KeyboardInterrupt

    model = MultigeneRegressor(generations=200, n_jobs=1, random_state=0).fit(X, y, callback=press)
    assert model.stopped_by_ == "interrupt"
    assert set(seen) <= {"seek", phase}
    assert seen.count(phase) == after
    return model


@pytest.mark.parametrize("after", [1, 4])
def test_what_the_law_search_found_counts_when_cross_validation_is_cut_short(after):
    rng = np.random.default_rng(3)
    X = rng.uniform(1.0, 5.0, (300, 3))
    truth = X[:, 0] * np.sin(3.0 * X[:, 1])
    model = interrupted(X, truth + 0.3 * rng.normal(size=300), after)
    assert model.score(X, truth) > 0.99


@pytest.mark.parametrize(
    ("n", "phase"), [(30, "cross-validate"), (100, "cross-validate"), (300, "cross-validate"), (100, "seek")]
)
def test_noise_stays_noise_when_a_search_is_cut_short(n, phase):
    rng = np.random.default_rng(n)
    model = interrupted(rng.normal(size=(n, 5)), rng.normal(size=n), 2, phase)
    assert str(model.formula_).count("*") <= 5
    assert model.r2_ < 0.2


def test_a_line_stays_a_line_when_cross_validation_is_cut_short():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(100, 3)), rng.normal(size=(500, 3))
    model = interrupted(X, X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=100), 2)
    assert model.score(new, new[:, 0] - new[:, 1]) > 0.97


@pytest.mark.parametrize("folds", [1, 3])
def test_what_the_searches_without_a_fold_found_counts_when_they_are_cut_short(folds):
    """They held a formula of R² 0.97, and a line of 0.54 was handed over."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.tanh(X[:, 0]) * np.abs(X[:, 1]) + 0.1 * rng.normal(size=300)

    def stop(progress):
        return progress.part is not None and progress.part[0] >= folds and progress.front[-1].r2 > 0.97

    model = MultigeneRegressor(**QUICK | {"generations": 400}, search="accuracy").fit(X, y, callback=stop)
    assert model.stopped_by_ == "callback"
    assert model.r2_ > 0.95
    assert model.score(X, y) == pytest.approx(model.r2_, abs=1e-6)
    assert model.fitted_.cut_short
    assert "cut short" in model.fitted_.ending


def test_a_law_search_that_is_cut_short_hands_over_a_line():
    """Its front showed lines, and the mean was handed over."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + 0.3 * np.sin(9.0 * X[:, 1] * X[:, 2]) + 0.1 * rng.normal(size=300)
    model = MultigeneRegressor(**QUICK | {"search": "laws"}).fit(X, y, callback=lambda progress: True)
    assert model.stopped_by_ == "callback"
    assert model.r2_ > 0.8


def _stepped(seconds):
    """A searcher of few rows with a time limit by a clock that a test sets."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.tanh(X[:, 0]) * np.abs(X[:, 1]) + 0.05 * rng.normal(size=120)
    settings = default_settings().changed(
        population_size=60, seconds=seconds, generations=None, looks_for="accuracy"
    )
    return Searcher(Problem.of(X, y, None), settings, rng, Workers(1), None)


def test_rounds_are_short_where_a_clock_would_end_the_run_within_one():
    """With a round of ten generations, however long, one fold took the time of all."""
    searcher = _stepped(1.0)
    islands = searcher.state.islands
    islands.settle(np.random.default_rng(0))
    clock = iter([0.0, 0.1, 0.1, 0.5, 0.5, 0.6])
    islands.round_within(lambda: next(clock))
    assert islands.number == 1
    islands.round_within(lambda: next(clock))
    assert islands.number == 1 + 9
    islands.round_within(lambda: next(clock), until=0.51)
    assert islands.number == 1 + 9 + 1
    unlimited = _stepped(None).state.islands
    unlimited.settle(np.random.default_rng(0))
    unlimited.round_within(lambda: 0.0)
    assert unlimited.number == unlimited.task.round_length


def test_a_clock_that_runs_out_between_folds_leaves_what_they_found():
    """The time was over after the last look at it: the phase went on to islands that never evolved, and a line was left."""
    searcher, now = _stepped(1.0), [0.0]
    for step in searcher.steps(lambda: now[0]):
        now[0] += 0.02
        if step.part == (3, 5):
            now[0] = 1.0  # the run did not see it: the search goes on by itself
    assert searcher.state.phase == "cross-validate"
    assert searcher.state.islands.number == 0
    assert searcher.result(None).chosen.fitness > 0.9


def test_one_row_that_nothing_predicts_does_not_hide_a_formula_that_predicts_all_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    truth = 3.0 * X[:, 0] + X[:, 1] + 0.5 * X[:, 0] ** 2
    y = truth + 0.01 * rng.normal(size=40)
    y[7] += 30.0
    of = Problem.of(X, y, None)
    poor = 3.0 * X[:, 0] + X[:, 1] + 2.0 * rng.normal(size=40)
    decision = decide_by_cross_validation(of, fold_results(of, np.zeros(40), poor, truth))
    assert decision.of_this_size
    assert decision.most_nodes == 21
    assert decide_by_cross_validation(of, fold_results(of, np.zeros(40), poor)).linear == RIDGE


# --- what is shown --------------------------------------------------------------------------------


def test_noisy_rows_show_nothing_much_larger_than_what_cross_validation_finds_best():
    of = problem(noise=1.0)
    mean, good = np.full(100, of.y.mean()), of.X[:, 0] ** 2
    worse = good + np.random.default_rng(1).normal(size=100)
    assert uncontradicted(of, fold_results(of, mean, good, worse, worse)) == 14  # 11 with room
    assert uncontradicted(of, []) == np.inf


def test_clear_rows_show_what_cross_validation_does_not_find_worse():
    of = problem(noise=0.1)
    mean, good = np.full(100, of.y.mean()), of.X[:, 0] ** 2
    same = good + 0.001 * np.random.default_rng(1).normal(size=100)
    worse = good + np.random.default_rng(2).normal(size=100)
    assert uncontradicted(of, fold_results(of, mean, good, same)) == np.inf
    assert uncontradicted(of, fold_results(of, mean, good, same, worse)) == 21


def test_the_front_of_noisy_rows_ends_where_cross_validation_does(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] ** 2 + rng.normal(size=80)
    sizes = []
    monkeypatch.setattr(searcher, "uncontradicted", lambda *a: sizes.append(uncontradicted(*a)) or sizes[-1])
    model = MultigeneRegressor(**QUICK).fit(X, y)
    assert np.isfinite(sizes[-1])
    others = [m for m in model.fitted_.front if m is not model.fitted_.front.default]
    assert all(m.complexity <= sizes[-1] for m in others)

"""What a search hands over, made of a plain value that says all it knows."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene._engine import Individual, Workers
from multigene.evolution.pareto import Candidate, Member
from multigene.expression.genes import model_expression
from multigene.fitting import result as fitting_result
from multigene.laws import law as laws
from multigene.search import approximation as module
from multigene.search.approximation import allowed_best
from multigene.search.constants import LONGEST_WITH_POLES
from multigene.search.few_rows import supported_by_folds, within_noise
from multigene.search.folds import folds_of
from multigene.search.found import Found
from multigene.search.linear import linear_models
from multigene.search.members import is_finite
from multigene.search.problem import Problem
from multigene.search.result import (
    Result,
    finite_part,
    mean_of,
    provisional,
    result_of,
)
from multigene.search.unseen import HeldOut
from multigene.search.validation import ANY_SIZE, RIDGE, SizeDecision
from multigene.settings.settings import Refinement

WORKERS = Workers(1)


def found(n=500, noise=0.05, **changes):
    """What a search could have found about a parabola: candidates of standardised features on the rows for searching."""
    rng = np.random.default_rng(0)
    X = rng.uniform(2.0, 4.0, (n, 2))
    problem = Problem.of(X, X[:, 0] ** 2 + noise * rng.normal(size=n), None)
    data = problem.dataset(problem.search_rows)
    genes = (["x0"], ["tanh([0: 0.1 + 0.3*x0])"], ["x0 * x0", "x0", "sin(x1) * cos(x0)"])
    models = [Individual(g, 0.0, [1.0] * len(g)).fit(data) for g in genes]
    front = sorted((Candidate(m, m.fitness, problem.size(m)) for m in models), key=lambda c: c.complexity)
    known = Found(
        problem=problem,
        guarded=True,
        refinement=Refinement(),
        front=front,
        data=data,
        user_data=problem.user_dataset(problem.search_rows),
        on_all_rows=False,
        linear=linear_models(problem, data),
        decision=SizeDecision(ANY_SIZE),
        law=None,
        finds=[],
        unseen={},
        prices={},
        laws_alone=False,
        max_size=None,
        very_few_rows=False,
        validated=True,
        of_folds=False,
    )
    return replace(known, **changes)


def find(known, gene="x0 * x0"):
    """A find of the law search, in the user's units."""
    model = Individual([gene], 0.0, [1.0])
    return laws.measure(model_expression(model), known.problem.X, known.problem.y)


def r2(member, problem):
    """R² of a member on all rows of the user."""
    residual = problem.y - member.individual.predict(problem.X)
    return 1.0 - np.sum(residual**2) / np.sum((problem.y - problem.y.mean()) ** 2)


# --- the result -----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [provisional, lambda known: result_of(known, WORKERS, None)])
@pytest.mark.parametrize("n", [500, 200])
def test_members_are_in_the_users_units_and_their_fitness_is_true(make, n):
    known = found(n)
    result = make(known)
    assert any(member is result.chosen for member in result.front)
    sizes = [member.complexity for member in result.front]
    assert sizes == sorted(sizes)
    exact = make is not provisional  # which says what was measured on the rows for searching
    for member in result.front:
        assert member.fitness == pytest.approx(r2(member, known.problem), abs=1e-9 if exact else 0.02)


def test_the_fittest_of_the_allowed_size_is_chosen():
    known = found()
    largest = known.front[-1]
    assert result_of(known, WORKERS, None).chosen.complexity == largest.complexity
    decision = SizeDecision(largest.complexity - 1)
    assert result_of(replace(known, decision=decision), WORKERS, None).chosen.complexity < largest.complexity


def test_a_constant_and_a_line_by_decision():
    known = found()
    constant = result_of(replace(known, decision=SizeDecision(1, constant=True)), WORKERS, None).chosen
    assert constant.individual.predict(known.problem.X) == pytest.approx(known.problem.y.mean())
    for number in (RIDGE, 0):
        line = result_of(replace(known, decision=SizeDecision(1, linear=number)), WORKERS, None).chosen
        assert 0.95 < line.fitness < 0.9999
        assert line.fitness == pytest.approx(r2(line, known.problem), abs=1e-6)


def test_a_law_is_chosen_as_it_is():
    known = found(noise=0.0)
    law = find(known)
    for result in (
        result_of(replace(known, law=law), WORKERS, None),
        provisional(replace(known, law=law)),
    ):
        assert result.chosen.individual is law.individual
        assert result.chosen.fitness > 1.0 - 1e-12


def test_a_law_search_alone_gives_its_best_find_or_what_else_there_is():
    """With nothing found the mean was handed over, though lines of the front were better."""
    known = found(laws_alone=True)
    for make in (provisional, lambda value: result_of(value, WORKERS, None)):
        assert make(known).chosen.fitness > 0.5
        assert make(replace(known, front=[], linear=[])).chosen.complexity == 1
        finds = [find(known), find(known, "x0")]
        prices = {id(finds[0].individual): 1.0, id(finds[1].individual): 50.0}
        best = make(replace(known, finds=finds, prices=prices)).chosen
        assert best.individual is finds[0].individual


def test_a_shorter_find_that_is_as_good_is_preferred():
    known = found()
    largest = known.front[-1]
    rows = known.problem.held_out_rows
    errors = np.full(len(rows), 1.0)  # of the model that set the size: poor
    decision = SizeDecision(largest.complexity, errors=errors)
    law = find(known)
    chosen = result_of(replace(known, decision=decision, finds=[law]), WORKERS, None).chosen
    assert chosen.individual is law.individual


def test_the_find_that_leaves_noise_alone_is_chosen_though_another_is_better_by_luck():
    known = found(noise=0.3)
    problem, rows = known.problem, known.problem.held_out_rows
    errors = HeldOut(problem, rows).errors(known.front[-1].individual)
    lucky = SizeDecision(ANY_SIZE, errors=0.8 * errors)  # the best of many; the others are gone
    right, line = find(known), find(known, "[0: -9.0 + 6.0*x0]")
    prices = {id(right.individual): -100.0, id(line.individual): -100.0}
    for each, taken in ((right, True), (line, False)):  # a line leaves more than noise
        chosen = result_of(replace(known, finds=[each], prices=prices, decision=lucky), WORKERS, None).chosen
        assert (chosen.individual.genes == each.individual.genes) is taken


def test_what_no_unseen_row_has_confirmed_must_convince_by_itself():
    known = found(200, noise=1.0, validated=False, decision=SizeDecision(1, constant=True))
    chosen = result_of(known, WORKERS, None).chosen
    assert chosen.complexity == 1  # approximations count for very few rows only
    law = find(known)
    assert result_of(replace(known, finds=[law]), WORKERS, None).chosen.individual is law.individual


# --- parts of it ----------------------------------------------------------------------------------


def test_the_smallest_that_leaves_hardly_more_is_enough():
    model = Individual(["x0"], 0.0, [1.0])
    front = [Candidate(model, fitness, size) for fitness, size in ((0.5, 3), (0.899, 9), (0.9, 30))]
    assert allowed_best(front, SizeDecision(ANY_SIZE)) == 1
    assert allowed_best(front, SizeDecision(29)) == 1
    assert allowed_best(front, SizeDecision(ANY_SIZE, of_this_size=True)) == 2
    assert allowed_best(front, SizeDecision(5)) == 0
    assert allowed_best(front, SizeDecision(2)) is None
    assert allowed_best([], SizeDecision(ANY_SIZE)) is None


def test_the_chosen_model_is_tuned_once_more_where_the_guard_allows(monkeypatch):
    known = found()
    known = replace(known, front=[c for c in known.front if "tanh" in c.individual.genes[0]])
    tuned = result_of(known, WORKERS, None).chosen
    monkeypatch.setattr(module, "polished", lambda models, *_: models)
    assert result_of(known, WORKERS, None).chosen.fitness < tuned.fitness
    explodes = Individual(["exp(exp(x0*9.0))"], 0.0, [1.0])
    monkeypatch.setattr(module, "polished", lambda models, data, *_: [explodes.fit(data)])
    assert np.isfinite(result_of(known, WORKERS, None).chosen.individual.predict(known.problem.X)).all()


def test_a_find_has_its_own_score_on_rows_it_was_not_fitted_to():
    known = found()
    law, held_out = find(known), known.problem.held_out_rows
    scores = {c.complexity: 0.5 for c in known.front}  # what islands' formulas of these sizes were worth
    known = replace(known, finds=[law], decision=SizeDecision(ANY_SIZE, validation_r2=scores))
    [shown] = [m for m in result_of(known, WORKERS, None).front if m.individual is law.individual]
    X, y = known.problem.X[held_out], known.problem.y[held_out]
    left = np.sum((y - X[:, 0] ** 2) ** 2) / np.sum((y - y.mean()) ** 2)
    assert shown.validation == pytest.approx(1.0 - left, abs=1e-12)
    assert shown.validation > 0.99
    at_once = [m for m in provisional(known).front if m.individual is law.individual]
    assert all(np.isnan(m.validation) for m in at_once)


def test_a_find_of_few_rows_is_scored_on_folds_and_of_very_few_not_at_all():
    few, very_few = found(100), found(12, very_few_rows=True, validated=False)
    for known, is_scored in ((few, True), (very_few, False)):
        law = find(known)
        decision = SizeDecision(1, constant=True)
        front = result_of(replace(known, finds=[law], decision=decision), WORKERS, None).front
        shown = next(m for m in front if m.individual is law.individual)
        assert np.isfinite(shown.validation) == is_scored
        assert not is_scored or 0.99 < shown.validation < 1.0


def test_a_line_that_was_decided_on_has_its_own_score():
    known = found()
    held_out = HeldOut(known.problem, known.problem.held_out_rows)
    errors = held_out.errors(known.linear[0])
    decision = SizeDecision(1, linear=0, validation_r2={1: 0.1, 50: 0.2}, errors=errors)
    chosen = result_of(replace(known, decision=decision), WORKERS, None).chosen
    assert chosen.validation == pytest.approx(held_out.r2(errors))


def test_the_mean_is_left_when_nothing_else_is():
    known = found()
    result = mean_of(known.problem)
    assert result.front == [result.chosen]
    assert result.chosen.individual.predict(known.problem.X) == pytest.approx(known.problem.y.mean())
    nothing = replace(known, front=[], linear=[])
    assert provisional(nothing).chosen.complexity == 1
    assert result_of(nothing, WORKERS, None).chosen.complexity == 1


def test_a_provisional_result_takes_the_line_that_was_decided_on():
    known = found(decision=SizeDecision(1, linear=RIDGE))
    assert provisional(known).chosen.fitness > 0.95
    assert provisional(replace(known, linear=[])).chosen.complexity == 1


def test_a_provisional_result_of_very_few_rows_is_not_the_longest():
    rng = np.random.default_rng(0)
    X = 5.0 + rng.normal(size=(15, 2))
    problem = Problem.of(X, rng.normal(size=15), None)
    data = problem.dataset()
    genes = ["x0", "x1", "sin(x0)", "x0 * x1", "cos(3.0 * x1)", "tanh(x0 - x1)", "exp(x0)", "x1 * x1"]
    long = Individual(genes, 0.0, [1.0] * len(genes)).fit(data)
    known = found(15, very_few_rows=True, validated=False)
    known = replace(
        known, problem=problem, data=data, front=[Candidate(long, long.fitness, problem.size(long))]
    )
    assert long.fitness > 0.5
    assert provisional(known).chosen.complexity == 1


def test_a_find_with_poles_is_taken_where_it_is_better_on_nearly_every_row():
    """A few huge values say nothing about means of squares, and the guard refuses poles; the data have them."""
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 5.0, (400, 3))
    y = X[:, 2] + 1.0 / (X[:, 0] - X[:, 1])
    y += 0.01 * rng.standard_normal(400)
    model = MultigeneRegressor(random_state=0, n_jobs=1, generations=10).fit(X, y)
    assert np.median(np.abs(model.predict(X) - y)) < 0.02


def test_a_long_find_with_poles_is_not_taken_whatever_rows_say_that_it_has_seen():
    known = found()
    terms = " + ".join(f"{k / 7} * sin({k + 0.5} * x1)" for k in range(1, 12))
    short, long = (find(known, gene) for gene in ("1.0 / (x0 - 3.0)", f"1.0 / (x0 - 3.0) + {terms}"))
    assert short.individual.printed_size() < LONGEST_WITH_POLES < long.individual.printed_size()
    for pole, taken in ((short, True), (long, False)):
        models = module.Models.of(replace(known, finds=[pole]), WORKERS, None)
        assert not models.finds  # the guard refuses poles
        assert (models.superior is not None) is taken


# --- finite on every training row -----------------------------------------------------------------


def member(gene: str, fitness: float, **more: str) -> Member:
    model = Individual([gene], 0.0, [1.0])
    return Member(model, fitness, model.printed_size(), **more)


def test_what_has_no_value_for_a_training_row_is_never_handed_over():
    """Two rows lie at the pole and beyond the range of exp; all other rows, and the guard's points, do not."""
    X = np.random.default_rng(0).uniform(1.0, 2.0, (3_000, 1))
    X[7], X[8] = 0.0, 800.0
    problem = Problem.of(X, X[:, 0], None)
    fine, pole, large = member("x0", 0.5), member("(1.0 / x0)", 0.9), member("exp(x0)", 0.8)
    assert [is_finite(problem, m.individual) for m in (fine, pole, large)] == [True, False, False]
    # A range without bounds alone speaks against nothing: here it is finite on every row.
    assert is_finite(problem, Individual(["(1.0 / (x0 - 3.0))"], 0.0, [1.0]))

    kept = finite_part(problem, Result(pole, [fine, large, pole]))
    assert kept.chosen is fine
    assert kept.front == [fine]
    kept = finite_part(problem, Result(fine, [fine, pole]))
    assert (kept.chosen, kept.front) == (fine, [fine])
    whole = Result(fine, [fine])
    assert finite_part(problem, whole) is whole

    pinned = member("x0 * x0", 0.1, source="pinned")
    kept = finite_part(problem, Result(pole, [pole, pinned]))
    assert not any(kept.chosen.individual.coefficients)  # the mean: what was pinned is not what was found
    assert kept.front == [kept.chosen, pinned]


def test_fewer_digits_that_lose_a_value_are_not_taken(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 2.0, (500, 2))
    X[:, 0] = np.where(np.arange(500) == 3, 0.0, X[:, 0])

    def careless(members, *_, **__):
        return [replace(m, individual=Individual(["(1.0 / x0)"], 0.0, [1.0])) for m in members]

    monkeypatch.setattr(fitting_result, "with_few_digits", careless)
    y = X[:, 1] + 0.1 * rng.normal(size=500)
    model = MultigeneRegressor(generations=2, random_state=0, n_jobs=1).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert all(np.isfinite(m.individual.predict(X)).all() for m in model.fitted_.front)


# --- very many rows and no time left --------------------------------------------------------------


@pytest.mark.parametrize("decision", [SizeDecision(ANY_SIZE), SizeDecision(1, linear=RIDGE)])
def test_without_time_models_of_very_many_rows_are_fitted_to_a_sample(decision, monkeypatch):
    known = found(n=30_000, decision=decision)
    asked = []
    dataset = Problem._dataset

    def recorded(self, rows, *, standardised):
        asked.append(len(self.y) if rows is None else len(rows))
        return dataset(self, rows, standardised=standardised)

    monkeypatch.setattr(Problem, "_dataset", recorded)
    hurried = result_of(known, WORKERS, 0.0)
    assert max(asked) == len(known.problem.finish_rows) < 30_000
    patient = result_of(known, WORKERS, None)
    assert max(asked) == 30_000
    assert hurried.chosen.fitness == pytest.approx(patient.chosen.fitness, abs=0.02)
    assert known.problem.guard.behaves_in_user_units(hurried.chosen.individual)


def test_formulas_of_sizes_that_exploded_on_unseen_rows_have_no_evidence() -> None:
    short, long = (Member(Individual(["x0"], 0.0, [1.0]), 0.5, size) for size in (6, 25))
    scores = {1: 0.0, 5: 0.6, 20: -100.0}
    found = SimpleNamespace(
        problem=None, decision=SimpleNamespace(validation_r2=scores, r2=lambda problem: 0.5)
    )
    assert module._uncontradicted(cast(Any, found), [(short, 1), (long, 2)]) == [(short, 1)]
    cut_short = SimpleNamespace(validation_r2=scores, r2=lambda problem: np.nan)
    found = SimpleNamespace(problem=None, decision=cut_short)
    assert module._uncontradicted(cast(Any, found), [(short, 1), (long, 2)]) == [(short, 1), (long, 2)]


def test_models_of_few_rows_are_compared_with_finds_in_the_same_way() -> None:
    """A find is fitted again without each fold, its structure known; so is the model that it would replace."""
    few = found(n=120)
    assert len(few.problem.held_out_rows) == 0
    folds = np.concatenate(folds_of(few.problem))
    far_off = np.full(len(folds), 1e6)
    model = Individual(["x0 * x0"], 0.0, [1.0]).fit(few.problem.user_dataset())
    chosen = Member(model, model.fitness, 5)
    assert module._errors_beside_finds(few, chosen, far_off).sum() < 1.0
    assert module._errors_beside_finds(few, chosen, far_off[:-1]) is not far_off  # cut short: as they are
    assert len(module._errors_beside_finds(few, chosen, far_off[:-1])) == len(folds) - 1
    many = found()
    assert module._errors_beside_finds(many, chosen, far_off) is far_off


def test_of_few_rows_the_smallest_model_within_noise_is_chosen() -> None:
    """The fittest of the allowed sizes has terms that the noise has put there."""
    few = found(n=80, noise=0.3)
    problem = few.problem
    assert len(problem.held_out_rows) == 0
    data = problem.user_dataset()
    genes = (["x1"], ["x0"], ["x0 * x0"], ["x0 * x0", "sin([0: 9.0*x0])", "sin([1: 17.0*x1])", "x1 * x1"])
    models = [Individual(g, 0.0, [1.0] * len(g)).fit(data) for g in genes]
    members = [Member(m, m.fitness, m.printed_size()) for m in models]
    assert members[3].fitness == max(m.fitness for m in members)
    assert within_noise(problem, members) is members[2]
    front = [Candidate(m, m.fitness, m.printed_size(), True) for m in models]
    rows = np.concatenate(folds_of(problem))
    decision = SizeDecision(3, of_this_size=True, errors=np.ones(len(rows)), supported=60)
    assert module._of_few_rows(replace(few, decision=decision), front, 0) == 2
    short = replace(decision, supported=None)
    assert module._of_few_rows(replace(few, decision=short), front, 0) < 2
    assert module._of_few_rows(replace(found(), decision=decision), front, 1) == 1  # many rows have decided
    larger = [replace(c, complexity=10 * c.complexity) for c in front]
    for times, within in ((0.85, True), (0.75, False)):  # there is some room
        near = replace(decision, supported=int(times * larger[2].complexity))
        assert (module._of_few_rows(replace(few, decision=near), larger, 0) == 2) is within
    # Searches without a fold came to something far worse at this size: it is not asked, however well it fits again.
    size = front[2].complexity
    exploded = {1: 0.0, size: -1e15, size + 1: 0.0}
    spoken = replace(decision, errors=problem.y[rows] ** 2, validation_r2=exploded)
    assert module._of_few_rows(replace(few, decision=spoken), front, 0) != 2


def promising(r2: float) -> Found:
    """Few noisy rows whose cross-validated search explained this share of unseen rows, and models of all rows for them."""
    few = found(n=80, noise=0.3, of_folds=True)
    problem = few.problem
    models = [Individual(g, 0.0, [1.0] * len(g)).fit(problem.user_dataset()) for g in (["x1"], ["x0 * x0"])]
    rows = np.concatenate(folds_of(problem))
    errors = (1.0 - r2) * HeldOut(problem, rows).constant
    decision = SizeDecision(60, of_this_size=True, errors=errors, supported=60)
    front = [Candidate(m, m.fitness, m.printed_size(), True) for m in models]
    return replace(few, front=front, user_data=problem.user_dataset(), on_all_rows=True, decision=decision)


def test_what_fits_worse_than_searches_predicted_unseen_rows_is_not_chosen() -> None:
    known = promising(0.9)
    assert known.front[0].fitness < 0.2
    assert module._of_few_rows(known, known.front, 0) == 1
    missed = replace(known, front=known.front[:1])
    chosen = result_of(missed, WORKERS, None).chosen
    assert chosen.fitness > 0.9  # the line: it fits better than all that was found
    assert set(chosen.individual.tokens(0)[0][2]) != set()
    nothing = replace(missed, decision=SizeDecision(60, of_this_size=True, supported=60))
    assert nothing.decision.promised(nothing.problem) == -np.inf


def test_of_few_rows_what_is_larger_than_the_supported_size_and_fits_no_better_is_not_chosen() -> None:
    """A line of ten columns was chosen beside a formula of ten nodes that fitted better."""
    small, line, large = (
        Member(Individual([gene], 0.0, [1.0]), fitness, size)
        for gene, fitness, size in (("x0", 0.6, 8), ("x1", 0.5, 30), ("x0 * x1", 0.9, 13))
    )
    rule = module.a_smaller_one_of_the_supported_size_that_fits_better

    def chosen(decision: SizeDecision, member: Member = line, validated: bool = True) -> Member:
        seen = SimpleNamespace(decision=decision, validated=validated)
        return rule(
            cast("module.Models", SimpleNamespace(found=seen, evolved=[(small, 2), (large, 3)])), member
        )

    assert chosen(SizeDecision(8, of_this_size=True)) is small
    assert chosen(SizeDecision(5, of_this_size=True, supported=7)) is small  # there is some room
    assert chosen(SizeDecision(5, of_this_size=True)) is line
    assert chosen(SizeDecision(8)) is line
    assert chosen(SizeDecision(8, of_this_size=True), validated=False) is line
    assert chosen(SizeDecision(20, of_this_size=True), member=large) is large


def test_a_cross_validation_that_was_cut_short_does_not_choose_by_fit_alone() -> None:
    """The fittest of the folds' formulas may be wrong without bound; fitted again without each fold it says so."""
    known = promising(0.9)
    problem = known.problem
    genes = ["x0 * x0", "sin([0: 9.0*x0])", "sin([1: 17.0*x1])", "x1 * x1"]
    long = Individual(genes, 0.0, [1.0] * 4).fit(problem.user_dataset())
    front = [*known.front, Candidate(long, long.fitness, long.printed_size(), True)]
    assert long.fitness == max(c.fitness for c in front)
    errors = known.decision.errors
    assert errors is not None
    cut_short = replace(known, validated=False, decision=replace(known.decision, errors=errors[:-9]))
    assert module._of_few_rows(cut_short, front, 2) == 1


def test_nothing_shown_is_better_than_the_chosen_model_and_no_larger():
    """The fittest of those that are is chosen instead; where unseen rows decided, they are not shown."""
    chosen, better, larger = (
        Member(Individual([gene], 0.0, [1.0]), fitness, size)
        for gene, fitness, size in (("x0 * x1", 0.5, 3), ("x0", 0.6, 1), ("x0 * x1 * x2", 0.9, 5))
    )
    seen = cast("Found", SimpleNamespace(decision=SimpleNamespace(simple=False), validated=True))
    members = [better, chosen, larger]
    taken, shown = module._undominated(seen, chosen, members, keep=False)
    assert taken is better
    assert better in shown
    taken, shown = module._undominated(seen, chosen, members, keep=True)
    assert taken is chosen
    assert shown == [chosen, larger]


def test_of_few_rows_what_only_fits_better_is_not_listed() -> None:
    """Each model of the front predicts rows left out better than those before it by a standard error; the chosen one stays."""
    few = found(n=60, noise=0.5)
    problem, data = few.problem, few.problem.user_dataset()
    noise = [f"sin([{i}: {7.0 + 3.0 * i}*x1 + 1.0*x0])" for i in range(8)]
    texts = (["0.0"], ["x1"], ["x0 * x0"], ["x0 * x0", *noise])
    models = [Individual(genes, 0.0, [1.0] * len(genes)).fit(data) for genes in texts]
    members = [Member(m, m.fitness, m.printed_size()) for m in models]
    mean, _, law, overfitted = members
    assert overfitted.fitness > law.fitness
    shown = supported_by_folds(problem, members, law, {}, {})
    assert [each is known for each, known in zip(shown, (mean, law), strict=True)] == [True, True]
    assert supported_by_folds(problem, members, overfitted, {}, {})[-1] is overfitted


def test_of_few_rows_what_is_larger_than_the_chosen_model_needs_the_word_of_the_searches_without_a_fold() -> (
    None
):
    """A structure that has seen all rows agrees with rows that its numbers have not seen."""
    few = found(n=60, noise=0.1)
    problem, data = few.problem, few.problem.user_dataset()
    models = [
        Individual(genes, 0.0, [1.0] * len(genes)).fit(data) for genes in (["0.0"], ["x1"], ["x0 * x0"])
    ]
    members = [Member(m, m.fitness, size) for m, size in zip(models, (1, 5, 9), strict=True)]
    mean, line, law = members

    def shown(chosen: Member, scores: dict[int, float]) -> list[bool]:
        listed = supported_by_folds(problem, members, chosen, {}, scores)
        return [any(each is member for each in listed) for member in (mean, line, law)]

    assert shown(mean, {})[-1]
    assert shown(mean, {1: 0.0, 5: 0.1, 9: 0.9})[-1]
    assert not shown(mean, {1: 0.0, 5: 0.1, 9: 0.1})[-1]
    assert shown(law, {1: 0.0, 5: 0.1, 9: 0.1})[-1]  # what was chosen stays
    worse = "of a size at which searches found nothing that they could use on other rows"
    assert not shown(mean, {1: 0.0, 9: -3.0})[-1], worse


def test_a_small_formula_is_given_up_where_large_ones_have_become_far_better() -> None:
    """Sizes are compared halfway; what was as good then is not held to it at the end."""
    known = found(noise=0.3)
    problem, data = known.problem, known.problem.dataset()
    genes = (["x0"], ["x0 * x0", "x0"], ["x0 * x0", "x0", "sin(x1)", "x1 * x0"])
    models = [Individual(g, 0.0, [1.0] * len(g)).fit(data) for g in genes]
    front = [Candidate(m, m.fitness, problem.size(m)) for m in models]
    line, parabola, longer = front
    known = replace(known, front=front, on_all_rows=True, data=data, user_data=problem.user_dataset())
    for first, expected in (
        (line, line),
        (parabola, parabola),
    ):  # x0**2 is nearly a line here, and sin(x1) says nothing
        decision = SizeDecision(first.complexity)
        assert (
            result_of(replace(known, decision=decision), WORKERS, None).chosen.complexity
            == expected.complexity
        )
    bent = replace(problem, y=(problem.X[:, 0] - 3.0) ** 2)
    data = bent.dataset()
    front = [Candidate(m, m.fitness, c.complexity) for c in front for m in [c.individual.fit(data)]]
    found_bent = replace(known, problem=bent, front=front, data=data, user_data=bent.user_dataset())
    halfway = SizeDecision(line.complexity, supported=longer.complexity)
    chosen = result_of(replace(found_bent, decision=halfway), WORKERS, None).chosen
    assert chosen.complexity == parabola.complexity
    assert chosen.fitness > 0.999

"""Shared LCFs against the twin: synchronised modes, and the update rules."""

from __future__ import annotations

import re
from typing import get_args

import numpy as np
import pytest
from reference_cases import (
    gene_values,
    grown,
    made_data,
    well_conditioned,
)

from multigene import _reference as twin
from multigene._engine import Individual
from multigene.settings.functions import PAPER_FUNCTIONS, function_entries
from multigene.settings.settings import Tuning, UpdateRule, Variation

# --- synchronised modes ---------------------------------------------------------------------------


def lcf_sets(model: Individual) -> dict[int, np.ndarray]:
    """Weights by index; fails when two LCFs of an index differ."""
    found: dict[int, np.ndarray] = {}
    for g, text in enumerate(model.genes):
        indices = [int(index) for index in re.findall(r"\[(\d+):", text)]
        leaves = [token for token in model.tokens(g) if token[0] == "lcf"]
        for index, (_, bias, terms) in zip(indices, leaves, strict=True):
            weights = np.array([bias, *(w for _, w in terms)])
            assert np.array_equal(found.setdefault(index, weights), weights)
    return found


def skeleton(gene: str) -> str:
    return re.sub(r"\[(\d+):[^\]]*\]", r"[\1]", gene)


def split_between_parents(child, first, second) -> int | None:
    """How many genes of the child are the first parent's, when there is only one way to tell."""

    def is_subsequence(part, whole):
        rest = iter(whole)
        return all(any(gene == other for other in rest) for gene in part)

    genes, ours, theirs = ([skeleton(g) for g in m.genes] for m in (child, first, second))
    ways = [
        k
        for k in range(1, len(genes) + 1)
        if is_subsequence(genes[:k], ours) and is_subsequence(genes[k:], theirs)
    ]
    return ways[0] if len(ways) == 1 else None


def test_conflicts_of_weight_sets(workers):
    """Mode S: first set, second set and mean, jointly over all indices in conflict; the best is kept."""
    rows, data = made_data(13)
    population, _ = grown(workers, number=300, seed=14, lcf="synchronised", max_depth=4)
    population.tune(data, Tuning(steps=0, min_steps=3, tolerance=0.0))
    population.evaluate(data)
    size = len(population)
    parents = np.column_stack([np.arange(size), np.roll(np.arange(size), 7)]).astype(np.uint64)
    variation = Variation(crossover=1.0, mutation=0.0, high_level_crossover=1.0)
    # A parent breeds from where tuning left it, not from its best iterate; a copy shows where that was.
    copies = population.breed(parents, [], Variation(crossover=0.0, mutation=0.0), list(range(size)))
    children = population.breed(parents, [], variation, list(range(size)))
    before = [children.model(i) for i in range(size)]
    fitness, _ = children.evaluate(data)
    kept = []
    for i, (a, b) in enumerate(parents.astype(int).tolist()):
        first, second, child = copies.model(a), copies.model(b), before[i]
        own = split_between_parents(child, first, second)
        if own is None:
            continue
        received = {int(k) for gene in child.genes[own:] for k in re.findall(r"\[(\d+):", gene)}
        mine = {int(k) for gene in child.genes[:own] for k in re.findall(r"\[(\d+):", gene)}
        theirs, ours = lcf_sets(second), lcf_sets(first)
        rivals = {k: theirs[k] for k in sorted(mine & received) if not np.array_equal(theirs[k], ours[k])}
        shared: dict[int, twin.Row] = {}
        reference = twin.Model.read(child, rows, shared)
        assert all(np.array_equal(shared[k].weights, (ours if k in mine else theirs)[k]) for k in shared)
        if not rivals or reference.fit is None:
            continue
        choice = twin.resolve(reference, rivals)
        assert fitness[i] == pytest.approx(1.0 - reference.fit.unexplained, abs=1e-6)
        after = lcf_sets(children.model(i))
        if all(np.array_equal(after[k], shared[k].weights) for k in rivals):
            kept.append(choice)
    assert len(kept) > 15
    assert set(kept) == {"first", "second", "mean"}


@pytest.mark.parametrize("crossover", [0.0, 0.5, 1.0])
def test_individuals_stay_synchronised(crossover, workers):
    """After any breeding an index has one set of weights per individual after evaluation."""
    _, data = made_data(15)
    population, _ = grown(workers, seed=16, lcf="synchronised")
    rng = np.random.default_rng(0)
    variation = Variation(crossover=crossover, mutation=1.0 - crossover, weights_mutation=0.3)
    for generation in range(4):
        population.tune(data, Tuning())
        fitness, _ = population.evaluate(data)
        for i in range(len(population)):
            model = population.model(i)
            lcf_sets(model)
            if np.isfinite(fitness[i]) and generation:
                assert model.fit(data).fitness == pytest.approx(population.peaks()[i], abs=1e-6)
        parents = rng.integers(len(population), size=(len(population), 2)).astype(np.uint64)
        population = population.breed(parents, [], variation, rng.integers(2**62, size=len(parents)).tolist())
    assert len(population) == 60


def test_global_steps(workers):
    """Mode G: derivatives summed over the population by index, one step of the one set, several times."""
    rows, data = made_data(17)
    population, _ = grown(workers, seed=18, lcf="global", max_depth=3)
    fitness, _ = population.evaluate(data)
    shared: dict[int, twin.Row] = {}
    models = [twin.Model.read(population.model(i), rows, shared) for i in range(len(population))]
    assert set(shared) == {0, 1, 2}
    everyone = list(range(len(population)))
    for _ in range(4):
        population.tune_shared(data, Tuning())
        twin.tune_shared(models)
        fitness, _ = population.evaluate(data)
        present = population.breed(
            np.empty((0, 2), dtype=np.uint64), everyone, Variation(), []
        )  # elites have no memory of better weights
        for i, model in enumerate(models):
            for index, weights in lcf_sets(present.model(i)).items():
                assert np.allclose(weights, shared[index].weights, rtol=1e-12, atol=1e-12)
            if model.fit is not None and well_conditioned(gene_values(model, rows), rows):
                assert fitness[i] == pytest.approx(1.0 - model.fit.unexplained, abs=1e-7)
    assert any(np.abs(row.weights).sum() != 1.0 for row in shared.values())


def test_global_steps_keep_the_best_that_was_seen(workers):
    """Mode G: an individual's model is its best one before, between and after the steps of the shared weights."""
    rows, data = made_data(17)
    population, _ = grown(workers, seed=18, lcf="global", max_depth=3)
    population.evaluate(data)
    shared: dict[int, twin.Row] = {}
    models = [twin.Model.read(population.model(i), rows, shared) for i in range(len(population))]
    seen: list[list[float]] = [[] for _ in models]
    weights: list[dict[int, np.ndarray]] = []
    for number in range(5):
        if number:
            population.tune_shared(data, Tuning(initial_step=1.0))
            set_initial_step(shared, 1.0)
            twin.tune_shared(models)
        weights.append({index: row.weights.copy() for index, row in shared.items()})
        for model, values in zip(models, seen, strict=True):
            values.append(-np.inf if model.fit is None else 1.0 - model.fit.unexplained)
    peaks, _ = population.peaks(), population.evaluate(data)
    earlier = 0
    for i, (model, values) in enumerate(zip(models, seen, strict=True)):
        if model.fit is None or not well_conditioned(gene_values(model, rows), rows):
            continue
        assert peaks[i] == pytest.approx(max(values), abs=1e-7)
        best = int(np.argmax(values))
        if values[best] > values[-1] + 1e-6 and lcf_sets(population.model(i)):
            earlier += 1
            for index, found in lcf_sets(population.model(i)).items():
                assert np.allclose(found, weights[best][index], rtol=1e-12, atol=1e-12)
    assert earlier > 10


def set_initial_step(shared: dict[int, twin.Row], step: float) -> None:
    for row in shared.values():
        row.steps[row.steps == 0.0] = step


def test_global_mutation_moves_all_combinations_in_all_individuals_alike(workers):
    population, _ = grown(workers, seed=20, lcf="global")
    seen = list[float]()
    for seed in range(20):
        before = [lcf_sets(population.model(i)) for i in range(len(population))]
        population.perturb_shared(3.0, [seed])
        moves: dict[int, np.ndarray] = {}
        for i in range(len(population)):
            for index, weights in lcf_sets(population.model(i)).items():
                move = weights - before[i][index]
                assert np.allclose(moves.setdefault(index, move), move, rtol=0.0, atol=1e-12)
        assert len(moves) > 1
        assert all(move.all() for move in moves.values())
        seen += [value for move in moves.values() for value in move]
    assert 2.5 < np.std(seen) < 3.5


def test_no_seed_moves_nothing(workers):
    population, _ = grown(workers, seed=20, lcf="global")
    before = population.model(0).genes
    population.perturb_shared(3.0, [])
    assert population.model(0).genes == before


# --- update rules ---------------------------------------------------------------------------------


def test_irprop_minus_by_hand():
    row = twin.Row(np.zeros(3))
    for gradient in ([1.0, -2.0, 0.0], [3.0, -1.0, np.nan], [-1.0, -1.0, np.inf], [-1.0, -1.0, 5.0]):
        row.gradient[:] = gradient
        twin.irprop_minus(row)
    # same sign twice (0.1, 0.12); a change: the step halves, nothing moves; then 0.06 the other way
    assert row.weights[0] == pytest.approx(-0.1 - 0.12 + 0.06)
    assert row.weights[1] == pytest.approx(0.1 + 0.12 + 0.144 + 0.1728)
    assert row.weights[2] == pytest.approx(-0.1)


@pytest.mark.parametrize("rule", get_args(UpdateRule))
def test_every_rule_improves_and_stays_finite(rule, workers):
    _, data = made_data(21)
    population, _ = grown(workers, seed=22, lcf="unsynchronised", functions=function_entries(PAPER_FUNCTIONS))
    start, _ = population.evaluate(data)
    population.tune(data, Tuning(rule=rule, steps=0, min_steps=30))
    peaks = population.peaks()
    usable = np.isfinite(start)
    assert (peaks[usable] >= start[usable] - 1e-12).all()
    assert np.mean(peaks[usable] > start[usable] + 1e-6) > 0.5
    for i in range(len(population)):
        numbers = [
            v
            for g in range(len(population.model(i).genes))
            for t in population.model(i).tokens(g)
            for v in t[1:]
        ]
        assert all(np.isfinite(v) for v in numbers if isinstance(v, float))

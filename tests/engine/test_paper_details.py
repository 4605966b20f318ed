"""Details of the paper's method against independent NumPy versions: update rules, early stop, outer fit, growth, mutation."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest

from multigene import _reference as twin
from multigene._engine import Dataset, Individual, Population, Workers
from multigene.evolution.loop import evolve
from multigene.settings.paper import configuration
from multigene.settings.settings import Genes, Tuning, Variation
from multigene.study import problem_named

needs_copies = pytest.mark.skipif(
    not os.environ.get("MULTIGENE_DATA"), reason="MULTIGENE_DATA names no directory of local copies"
)


def wave(frequency: float = 1.9, n: int = 80) -> tuple[twin.Rows, Dataset]:
    """One feature; the target is a wave of another frequency than the LCF begins with."""
    x = np.linspace(-2.0, 2.0, n)[:, None]
    y = np.sin(frequency * x[:, 0] + 0.4)
    return twin.Rows.of(x, y), Dataset(x, y)


WAVE = ["sin([0: 0.0 + 1.0*x0])"]


@pytest.mark.parametrize("steps", [1, 3, 6, 9, 14, 25])
@pytest.mark.parametrize("rule", ["irprop-", "rprop"])
def test_update_rules_follow_the_twin(rule, steps, workers):
    """The weights after some steps, also where signs of derivatives have changed on the way."""
    rows, data = wave()
    individual = Individual(WAVE, 0.0, [0.0])
    population = Population.of([individual], Genes(lcf="unsynchronised"), 1, workers)
    population.tune(data, Tuning(rule=rule, steps=0, min_steps=steps, tolerance=0.0))
    model = twin.Model.read(individual, rows)
    rules = {"irprop-": twin.irprop_minus, "rprop": twin.rprop}
    best = twin.tune(model, steps=0, least=steps, tolerance=0.0, rule=rules[rule])
    fitness, _ = population.evaluate(data)
    assert fitness[0] == pytest.approx(1.0 - model.fit.unexplained, abs=1e-10)
    assert population.peaks()[0] == pytest.approx(1.0 - best.fit.unexplained, abs=1e-10)


def test_rprop_remembers_the_derivative_where_its_sign_changed():
    row = twin.Row(np.zeros(1))
    for gradient in (1.0, 1.0, -1.0, -1.0):
        row.gradient[:] = gradient
        twin.rprop(row)
    # 0.1, 0.12; the sign changes: 0.06 at once; the same sign again: the step grows
    assert row.weights[0] == pytest.approx(-0.1 - 0.12 + 0.06 + 0.072)


def test_tuning_goes_on_when_all_signs_change_at_once(workers):
    """iRprop- then moves nothing while steps shrink, so R² stays as it is: no sign of having arrived. Plain NumPy, one weight."""
    x = np.linspace(-2.0, 2.0, 80)
    y = np.sin(1.9 * x)
    centred = y - y.mean()

    def unexplained(w: float) -> tuple[float, float]:
        """What sin(w·x) with fitted coefficients leaves, and the derivative of half of it."""
        gene = np.sin(w * x)
        part = gene - gene.mean()
        c = (part @ centred) / (part @ part)
        residual = centred - c * part
        slope = x * np.cos(w * x)
        return (residual @ residual) / (centred @ centred), -c * (residual @ slope) / (centred @ centred)

    w, step, before, waits = 1.0, 0.1, 0.0, []
    for number in range(23):
        slope = unexplained(w)[1]
        if slope * before < 0.0:
            step, before = max(step * 0.5, 1e-6), 0.0
            waits.append(number)
            continue
        step = min(step * 1.2, 50.0) if slope * before > 0.0 else step
        w, before = w - np.sign(slope) * step, slope
    assert 0 < len(waits) < 10
    assert waits[0] < 20
    # The engine's only other weight, the additive one, has no derivative here: the wave is odd, and the rows are symmetric.
    population = Population.of([Individual(WAVE, 0.0, [0.0])], Genes(lcf="unsynchronised"), 1, workers)
    population.tune(Dataset(x[:, None], y), Tuning(steps=0, min_steps=23))
    fitness, _ = population.evaluate(Dataset(x[:, None], y))
    assert fitness[0] == pytest.approx(1.0 - unexplained(w)[0], abs=1e-9)


# --- outer coefficients ---------------------------------------------------------------------------


def unit_columns(genes: np.ndarray) -> np.ndarray:
    """Centred columns of unit length, without those that are constant up to rounding."""
    largest = np.abs(genes).max(axis=0)
    genes = genes / np.where(largest > 0.0, largest, 1.0)  # lengths of huge columns overflow
    columns = genes - genes.mean(axis=0)
    lengths = np.linalg.norm(columns, axis=0)
    constant = lengths <= 4.0 * np.finfo(float).eps * np.abs(genes.mean(axis=0)) * np.sqrt(len(genes))
    columns = columns[:, ~constant] / lengths[~constant]
    return columns - columns.mean(axis=0)


def svd_r2(genes: np.ndarray, y: np.ndarray, cut: float = 1e-10) -> float:
    """R² of least squares with an intercept by a singular value decomposition of centred columns of unit length."""
    target = y - y.mean()
    target /= np.linalg.norm(target)
    left, sizes, _ = np.linalg.svd(unit_columns(genes), full_matrices=False)
    left = left[:, sizes > cut * sizes.max(initial=0.0)]
    rest = target - left @ (left.T @ target)
    rest -= left @ (left.T @ rest)
    return float(1.0 - rest @ rest)


def last_bits(genes: np.ndarray, y: np.ndarray) -> float:
    """By how much R² changes when the last bits of the genes' values do: nobody can tell more exactly than that."""
    rng = np.random.default_rng(0)
    noise = [genes * (1.0 + np.finfo(float).eps * rng.choice([-0.5, 0.5], genes.shape)) for _ in range(4)]
    return max(abs(svd_r2(other, y) - svd_r2(genes, y)) for other in noise)


@pytest.mark.parametrize("problem", ["MM", "K11C", pytest.param("CCS", marks=needs_copies)])
@pytest.mark.parametrize("code", ["baseline", "UB"])
def test_outer_fit_is_that_of_a_scaled_svd(problem, code, workers):
    """On whole populations, where genes that depend on others, exactly or nearly, are common."""
    split = problem_named(problem).sample(1)
    X, y = split.X_train, split.y_train
    compared, undecided, strictly = 0, 0, 0
    for generation in evolve(Dataset(X, y), configuration(code), np.random.default_rng(1), workers):
        if generation.number in (3, 25):
            for i in range(len(generation.population)):
                model = generation.population.model(i)
                if not np.isfinite(model.fitness):
                    continue
                genes = model.gene_values(X)
                sizes = np.linalg.svd(unit_columns(genes), compute_uv=False)
                compared += 1
                if (
                    (sizes > 3e-12) & (sizes < 3e-10)
                ).any():  # where to cut decides, not how the fit is computed
                    undecided += 1
                    continue
                difference = abs(model.fitness - svd_r2(genes, y))
                strictly += difference <= 1e-9
                assert difference <= 1e-9 + 10.0 * last_bits(genes, y)
        if generation.number == 25:
            break
    assert compared > 80
    assert undecided < 0.02 * compared
    assert strictly > 0.85 * compared


@pytest.mark.parametrize("distance", [1e-2, 1e-5, 1e-7, 1e-8, 1e-9])
def test_what_lies_just_outside_the_other_genes_is_fitted(distance, workers):
    """x1 nearly repeats x0, and what it adds is the target: coefficients are as large as they must be."""
    rng = np.random.default_rng(0)
    x, extra = rng.normal(size=(2, 300))
    X = np.column_stack([x, x + distance * extra, rng.normal(size=300)])
    y = extra + 0.1 * rng.normal(size=300)
    fits = _fitted(["x0", "x1", "x2"], X, y, workers)
    assert fits.fitness == pytest.approx(svd_r2(X, y), abs=1e-9 + 10.0 * last_bits(X, y))
    assert fits.fitness > 0.95
    rest = y - fits.predict(X)
    shown = 1.0 - (rest @ rest) / ((y - y.mean()) @ (y - y.mean()))
    assert shown == pytest.approx(fits.fitness, abs=1e-9 + 10.0 * last_bits(X, y))


def test_dependent_genes_get_coefficient_zero_whatever_their_rounding(workers):
    """Exact dependences, told by rounding alone: of large means, of very different lengths, of several genes."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 200))
    X = np.column_stack([a, b, 3.0 * a, a - 1e-4 * b, 1e6 + a, 0.1 * a + 0.7 * b + 50.0])
    y = np.sin(a) + b
    fits = _fitted([f"x{k}" for k in range(6)], X, y, workers)
    assert np.count_nonzero(fits.coefficients) == 2
    assert np.abs(fits.coefficients).max() < 10.0
    assert fits.fitness == pytest.approx(svd_r2(X[:, :2], y), abs=1e-9)


def _fitted(genes: list[str], X: np.ndarray, y: np.ndarray, workers: Workers) -> Individual:
    individual = Individual(genes, 0.0, [0.0] * len(genes))
    population = Population.of([individual], Genes(), X.shape[1], workers)
    population.evaluate(Dataset(X, y))
    return population.model(0)


# --- first population and mutation ------------------------------------------------------------------


@pytest.mark.parametrize("size", [50, 100])
def test_half_of_the_first_population_is_full(size, workers):
    """Genes of every second slot are full: all leaves on the last level. Of the others some leaf ends earlier somewhere."""
    seeds = np.random.default_rng(2).integers(0, 2**62, size).tolist()
    population = Population.grow(Genes(max_depth=11, max_genes=10), 2, seeds, workers)
    full = []
    for slot in range(size):
        depth = 1 + slot % 11
        model = population.model(slot)
        full.append(all(shape(text) == {depth} for text in model.genes))
    meant = np.array([(slot // 11 + slot % 11) % 2 == 1 for slot in range(size)])
    assert meant.sum() == size // 2
    assert np.array(full)[meant].all()
    deep = np.array([slot % 11 > 4 for slot in range(size)])
    assert np.array(full)[deep & ~meant].mean() < 0.2


def shape(text: str) -> set[int]:
    """Depths of the leaves of a gene, read off its twin."""
    model = Individual([text], 0.0, [0.0])

    def depths(node: twin.Node, level: int = 1) -> set[int]:
        return (
            set().union(*(depths(child, level + 1) for child in node.children)) if node.children else {level}
        )

    return depths(twin.read_gene(model.tokens(0), []))


def test_weights_mutation_draws_a_node(workers):
    """Synchronised mode: an index with three nodes is moved three times as often as one with a single node."""
    seeds = np.random.default_rng(3).integers(0, 2**62, 400).tolist()
    population = Population.grow(Genes(lcf="synchronised", max_genes=3, max_depth=5), 3, seeds, workers)
    nodes = [_lcf_indices(population.model(i)) for i in range(len(population))]
    parent = max(range(len(nodes)), key=lambda i: _spread(nodes[i]))
    counts = np.bincount(nodes[parent], minlength=3)
    assert counts.max() >= 2 * counts[counts > 0].min()
    draws = 1500
    variation = Variation(crossover=0.0, mutation=1.0, constant_mutation=0.0, weights_mutation=1.0)
    drawn = np.random.default_rng(4).integers(0, 2**62, draws).tolist()
    parents = np.full((draws, 2), parent, dtype=np.uint64)
    children = population.breed(parents, [], variation, drawn)
    before, moved = _lcf_weights(population.model(parent)), np.zeros(3)
    for i in range(draws):
        after = _lcf_weights(children.model(i))
        changed = [index for index in before if not np.array_equal(before[index], after[index])]
        assert len(changed) == 1
        moved[changed[0]] += 1
    expected = draws * counts / counts.sum()
    used = counts > 0
    assert (((moved - expected)[used] ** 2) / expected[used]).sum() < 20.0  # chi-squared of at most 2 degrees


def _spread(indices: list[int]) -> float:
    counts = np.bincount(indices, minlength=3) if indices else np.zeros(3)
    used = counts[counts > 0]
    return float(used.max() / used.min()) if len(used) > 1 else 0.0


def _lcf_indices(model: Individual) -> list[int]:
    return [int(index) for text in model.genes for index in re.findall(r"\[(\d+):", text)]


def _lcf_weights(model: Individual) -> dict[int, np.ndarray]:
    shared: dict[int, twin.Row] = {}
    rows = twin.Rows.of(np.ones((2, 3)), np.arange(2.0))
    twin.Model.read(model, rows, shared)
    return {index: row.weights for index, row in shared.items()}

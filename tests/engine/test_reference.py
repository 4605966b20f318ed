"""The engine against its naive twin (`multigene/_reference.py`): same values, gradients, coefficients and steps."""

from __future__ import annotations

import re
from copy import deepcopy

import numpy as np
import pytest

from multigene import _reference as twin
from multigene._engine import Dataset, Individual, Population, Workers, apply, operators
from multigene.settings.functions import PAPER_FUNCTIONS, function_entries
from multigene.settings.settings import Genes, Tuning, Variation

ALL_FUNCTIONS = [name for name, _, _ in operators()] + [f"pow{n}" for n in (2, 3, 4, 5, 6, 7, -1, -2)]
#: Functions whose derivative jumps somewhere: finite differences across the jump say nothing.
JUMPS = {"abs", "sign", "min", "max"}


@pytest.fixture(scope="module")
def workers() -> Workers:
    return Workers(1)


def made_data(seed: int, n: int = 60, d: int = 3, weighted: bool = False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.sin(X[:, 0] + 0.5 * X[:, 1]) + X[:, 2] ** 2 + 0.1 * rng.normal(size=n)
    weights = rng.uniform(0.0, 3.0, size=n) if weighted else None
    return twin.Rows.of(X, y, weights), Dataset(X, y, weights)


def grown(workers, number=60, d=3, seed=0, **genes):
    rng = np.random.default_rng(seed)
    settings = Genes(**{"max_genes": 4, "max_depth": 5, **genes})
    return Population.grow(settings, d, [int(s) for s in rng.integers(0, 2**62, number)], workers), settings


def read_again(model: Individual) -> Individual:
    """The model from its own text: then inner weights stand in the order of the text."""
    return Individual(model.genes, model.intercept, model.coefficients)


def close(a, b, tolerance=1e-9):
    """Equal up to rounding, relative to the largest entry."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return np.allclose(a, b, rtol=tolerance, atol=tolerance * (1e-300 + np.max(np.abs(b), initial=0.0)))


# --- operators ------------------------------------------------------------------------------------


def test_the_twin_knows_every_operator():
    unary = {name for name, arity, _ in operators() if arity == 1}
    binary = {name for name, arity, _ in operators() if arity == 2}
    assert set(twin.UNARY) == unary
    assert set(twin.BINARY) == binary


@pytest.mark.parametrize("name", ALL_FUNCTIONS)
def test_values_and_slopes_of_every_operator(name):
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.normal(size=200) * 3.0, rng.uniform(1e-6, 20.0, 100), [1.0, -1.0, 1e-9, 5e2]])
    x, y = (np.abs(x), x[::-1].copy()) if name in ("log", "sqrt") else (x, x[::-1].copy())
    if name in twin.BINARY:
        tokens = [("x", 0), ("x", 1), (name,)]
    elif name.startswith("pow"):
        tokens = [("x", 0), ("pow", int(name[3:]))]
    else:
        tokens = [("x", 0), (name,)]
    X = np.column_stack([x, y])
    with np.errstate(all="ignore"):
        ours = twin.value(twin.read_gene(tokens), X)
    theirs = apply(name, x, y if name in twin.BINARY else None)
    finite = np.isfinite(ours)
    assert np.allclose(theirs[finite], ours[finite], rtol=2e-13, atol=1e-300)
    assert (np.isfinite(theirs) == finite).all()


@pytest.mark.parametrize("name", ALL_FUNCTIONS)
@pytest.mark.parametrize("weighted_node", [False, True])
def test_gradient_of_every_operator(name, weighted_node):
    """Engine = twin = finite differences, through an LCF, a constant and (or not) a weighted node."""
    rng = np.random.default_rng(2)
    X = rng.uniform(0.3, 1.5, size=(80, 2))
    y = rng.normal(size=80)
    inside = "[0: 0.4 + 0.9*x0 + 0.7*x1]"
    if name in twin.BINARY:
        sign = next(symbol for op, _, symbol in operators() if op == name)
        call = f"{inside} {sign} (x1 + 0.7)" if sign else f"{name}({inside}, x1 + 0.7)"
    else:
        call = f"({inside})**{name[3:]}" if name.startswith("pow") else f"{name}({inside})"
    gene = f"weighted(0.3, 1.7, {call})" if weighted_node else f"{call}"
    genes = [f"tanh({gene})", "x0*[1: 0.1 + 0.2*x0 + 0.3*x1]"]
    rows, data = twin.Rows.of(X, y), Dataset(X, y)
    model = Individual(genes, 0.0, [0.0] * len(genes))
    reference = twin.Model.read(model, rows)
    reference.add_gradient()
    expected = np.concatenate([row.gradient for row in reference.weight_rows()])
    found = model.gradient(data)
    assert close(found, expected)
    if name != "sign":
        assert np.abs(expected).max() > 0.0
    if name not in JUMPS:
        assert np.allclose(found, finite_differences(model, rows), rtol=1e-5, atol=1e-8)


def finite_differences(model: Individual, rows: twin.Rows, step: float = 1e-6):
    """Derivatives of half the projected error by every weight, from the twin's values alone."""
    reference = twin.Model.read(model, rows)
    slopes = []
    for row in reference.weight_rows():
        for k, middle in enumerate(row.weights.copy()):
            errors = []
            for moved in (middle + step, middle - step):
                row.weights[k] = moved
                fit = reference.evaluate()
                assert fit is not None
                errors.append(fit.unexplained)
            row.weights[k] = middle
            slopes.append((errors[0] - errors[1]) / (4.0 * step))
    return np.array(slopes)


@pytest.mark.parametrize("exponents", ["x0^1.5 x1^-0.5", "x0^-2.0", "x0^0.5 x1^1.0"])
def test_gradient_of_product_leaves(exponents):
    rng = np.random.default_rng(3)
    X = rng.uniform(0.2, 2.0, size=(50, 2)) * rng.choice([-1.0, 1.0], size=(50, 2))
    y = rng.normal(size=50)
    model = Individual([f"sin({{0.8: {exponents}}})", "x1"], 0.0, [0.0, 0.0])
    rows, data = twin.Rows.of(X, y), Dataset(X, y)
    reference = twin.Model.read(model, rows)
    reference.add_gradient()
    expected = np.concatenate([row.gradient for row in reference.weight_rows()])
    assert close(model.gradient(data), expected)
    assert np.allclose(expected, finite_differences(model, rows), rtol=1e-5, atol=1e-8)
    assert close(model.gene_values(X)[:, 0], twin.value(reference.genes[0], X))


# --- whole individuals ----------------------------------------------------------------------------

MODELS = {
    "baseline": {},
    "U": {"lcf": "unsynchronised"},
    "U-random": {"lcf": "unsynchronised", "lcf_birth": "random"},
    "U-sparse": {"lcf": "unsynchronised", "lcf_birth": "sparse"},
    "S": {"lcf": "synchronised", "lcf_birth": "random"},
    "G": {"lcf": "global", "lcf_birth": "random"},
    "weighted-nodes": {"lcf": "unsynchronised", "weighted_nodes": 0.5},
    "products": {"lcf": "unsynchronised", "product_frequency": 5.0},
    "all-functions": {"lcf": "unsynchronised", "functions": function_entries(ALL_FUNCTIONS)},
    "own-functions": {
        "functions": function_entries(["add", {"hill": "x**2/(1+x**2)", "gap": "abs(x-y)*0.5"}])
    },
}


def nudged(rows: twin.Rows) -> twin.Rows:
    """The same rows with every feature moved by a few roundings."""
    noise = np.random.default_rng(0).choice([-1e-13, 1e-13], size=rows.X.shape)
    return twin.Rows(rows.X * (1.0 + noise), rows.y, rows.weights)


def gene_values(model: twin.Model, rows: twin.Rows):
    with np.errstate(all="ignore"):
        return np.array([twin.value(gene, rows.X) for gene in model.genes]).T


def gradient_of(model: twin.Model, rows: twin.Rows):
    """All derivatives in order; the model's own state is left alone."""
    copy = twin.Model(deepcopy(model.genes), rows)
    for row in copy.weight_rows():
        row.gradient[:] = 0.0
    copy.add_gradient()
    gradients = [row.gradient for row in copy.weight_rows()]
    return np.concatenate(gradients) if gradients else np.empty(0)


def agrees(found, expected, expected_nudged) -> bool:
    """As equal as roundings of the inputs allow: sin(x**45) of the third digit is not decided by anyone."""
    allowed = (
        1e-9 * np.abs(expected)
        + 30.0 * np.abs(expected_nudged - expected)
        + 1e-11 * np.max(np.abs(expected), initial=0.01)
    )
    return bool((np.abs(np.asarray(found) - expected) <= allowed).all())


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_evaluation_fit_and_gradient_of_grown_individuals(kind, weighted, workers):
    rows, data = made_data(4, weighted=weighted)
    other = nudged(rows)
    population, _ = grown(workers, seed=5, **MODELS[kind])
    fitness, _ = population.evaluate(data)
    compared = 0
    for i in range(len(population)):
        model = read_again(population.model(i))
        reference = twin.Model.read(model, rows)
        if reference.fit is None:
            assert fitness[i] == -np.inf
            continue
        values, values_nudged = gene_values(reference, rows), gene_values(reference, other)
        assert agrees(model.gene_values(rows.X), values, values_nudged)
        if not well_conditioned(values, rows) or not well_conditioned(values_nudged, other):
            continue
        compared += 1
        moved = twin.Model(reference.genes, other).fit
        assert agrees(fitness[i], 1.0 - reference.fit.unexplained, 1.0 - moved.unexplained)
        assert model.fit(data).fitness == pytest.approx(fitness[i], abs=1e-12)
        if agrees(
            values, values_nudged, values
        ):  # coefficients of chaotic genes are no better than their values
            assert close(
                model.predict(rows.X), reference.fit.intercept + values @ reference.fit.coefficients, 1e-6
            )
        expected, expected_nudged = gradient_of(reference, rows), gradient_of(reference, other)
        if np.isfinite(expected).all() and np.isfinite(expected_nudged).all():
            assert agrees(model.gradient(data), expected, expected_nudged)
    assert compared >= len(population) // 3


def well_conditioned(values, rows) -> bool:
    """Genes that are neither nearly dependent nor of scales that rounding alone decides about."""
    with np.errstate(all="ignore"):
        columns = np.array([rows.centred(gene)[0] for gene in values.T])
        lengths = np.linalg.norm(columns, axis=1)
        means = np.abs(values.mean(axis=0))
    if not np.isfinite(lengths).all() or (lengths <= 1e-2 * means).any():
        return False
    return bool(np.linalg.svd(columns.T / lengths, compute_uv=False)[-1] > 1e-3)


def test_dependent_genes_get_coefficient_zero_in_both():
    rows, data = made_data(6)
    model = Individual(["x0", "x1", "x0 + x1", "3.0", "x2"], 0.0, [0.0] * 5).fit(data)
    reference = twin.Model.read(model, rows)
    assert model.coefficients[2] == 0.0
    assert model.coefficients[3] == 0.0
    assert close(model.coefficients, reference.fit.coefficients)
    assert model.intercept == pytest.approx(reference.fit.intercept)


def test_row_weights_count_as_repeated_rows():
    rows, _ = made_data(7, n=40)
    times = np.random.default_rng(0).integers(0, 4, size=40)
    X, y = np.repeat(rows.X, times, axis=0), np.repeat(rows.y, times)
    genes = ["sin(x0)", "x1*x2", "[0: 1.0 + 0.5*x0 + 2.0*x2]**2"]
    model = Individual(genes, 0.0, [0.0] * 3)
    weighted = model.fit(Dataset(rows.X, rows.y, times.astype(float)))
    repeated = model.fit(Dataset(X, y))
    assert close(weighted.coefficients, repeated.coefficients, 1e-10)
    assert close(weighted.coefficients, twin.Model.read(model, twin.Rows.of(X, y)).fit.coefficients)
    gradients = model.gradient(Dataset(rows.X, rows.y, times.astype(float))), model.gradient(Dataset(X, y))
    assert close(*gradients, 1e-10)


# --- tuning, step by step -------------------------------------------------------------------------


def doubtful(model: twin.Model) -> bool:
    """Would rounding decide about the sign of a derivative, or about the least squares?"""
    other = nudged(model.rows)
    if model.fit is None or model.fit.unexplained < 1e-9:
        return True
    if not well_conditioned(gene_values(model, model.rows), model.rows):
        return True
    gradient, moved = gradient_of(model, model.rows), gradient_of(model, other)
    if not (np.isfinite(gradient).all() and np.isfinite(moved).all()):
        return True
    constant = np.concatenate([np.full(len(row.weights), not row.tuned) for row in model.weight_rows()])
    largest = np.abs(gradient[~constant]).max(initial=0.0)
    unsure = np.abs(gradient) <= 100.0 * np.abs(gradient - moved) + 1e-10 * largest
    zero = np.maximum(np.abs(gradient), np.abs(moved)) < 1e-14 * largest
    return largest < 1e-12 or bool((unsure & ~zero & ~constant).any())


@pytest.mark.parametrize("mode", ["unsynchronised", "synchronised"])
@pytest.mark.parametrize("weighted_nodes", [0.0, 0.4])
def test_tuning_takes_the_same_steps(mode, weighted_nodes, workers):
    """One step at a time over several calls, step memory kept in between, modes U and S."""
    rows, data = made_data(8)
    population, _ = grown(workers, seed=9, lcf=mode, weighted_nodes=weighted_nodes, max_depth=4)
    population.evaluate(data)
    one_step = Tuning(steps=0, min_steps=1, tolerance=0.0)
    shared = (lambda: {}) if mode == "synchronised" else (lambda: None)
    models = {i: twin.Model.read(population.model(i), rows, shared()) for i in range(len(population))}
    followed = {i: m for i, m in models.items() if any(row.tuned for row in m.weight_rows())}
    assert len(followed) > 20
    taken = 0
    for _ in range(5):
        followed = {i: model for i, model in followed.items() if not doubtful(model)}
        population.tune(data, one_step)
        fitness, _ = population.evaluate(data)
        peaks = population.peaks()
        for i, model in followed.items():
            best = twin.tune(model, steps=0, least=1, tolerance=0.0)
            after = -np.inf if model.fit is None else 1.0 - model.fit.unexplained
            assert fitness[i] == pytest.approx(after, abs=1e-7)
            assert peaks[i] == pytest.approx(1.0 - best.fit.unexplained, abs=1e-7)
            assert same_weights(population.model(i), best)
            taken += 1
    assert taken > 60


def same_weights(model: Individual, reference: twin.Model) -> bool:
    """Are all inner weights of the engine's model those of the twin? Step sizes are products of the same few numbers."""
    found = twin.Model.read(model, reference.rows)
    pairs = zip(twin._nodes(found.genes), twin._nodes(reference.genes), strict=True)
    return all(
        a.row is None or np.allclose(a.row.weights, b.row.weights, rtol=1e-12, atol=1e-12) for a, b in pairs
    )


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 12])
def test_tuning_of_given_individuals(steps, workers):
    """`Population.of` and several steps in one call: number of steps, early stop and best iterate as METHOD says."""
    rows, data = made_data(10, weighted=True)
    genes = [
        ["sin([0: 0.0 + 1.0*x0 + 0.0*x1 + 0.0*x2])", "x0 * [2: 0.0 + 0.0*x0 + 0.0*x1 + 1.0*x2]"],
        [
            "[1: 0.3 + 0.5*x0 + -1.0*x1 + 0.2*x2]**2 + x0",
            "tanh(x2 * [0: 0.1 + 1.0*x0 + 0.5*x1 + 0.0*x2])",
            "exp(x1)",
        ],
    ]
    individuals = [Individual(g, 0.0, [0.0] * len(g)) for g in genes]
    population = Population.of(individuals, Genes(lcf="unsynchronised"), 3, workers)
    population.tune(data, Tuning(steps=steps + 10, min_steps=1))
    fitness, _ = population.evaluate(data)
    for i, individual in enumerate(individuals):
        reference = twin.Model.read(individual, rows)
        assert reference.n_nodes() in (5, 10)
        best = twin.tune(reference, steps=steps + 10, least=1)
        assert fitness[i] == pytest.approx(1.0 - reference.fit.unexplained, abs=1e-9)
        assert population.peaks()[i] == pytest.approx(1.0 - best.fit.unexplained, abs=1e-9)
        assert population.model(i).fitness == pytest.approx(population.peaks()[i], abs=1e-12)
        assert same_weights(population.model(i), best)


def test_a_model_of_the_population_is_the_best_iterate(workers):
    """No roll-back: the population goes on from the last iterate, the model handed out is the best one."""
    _, data = made_data(11)
    population, _ = grown(workers, seed=12, lcf="unsynchronised")
    population.tune(data, Tuning(steps=0, min_steps=20, tolerance=0.0))
    fitness, _ = population.evaluate(data)
    peaks = population.peaks()
    assert (peaks >= fitness).all()
    assert (peaks > fitness).any()
    for i in np.flatnonzero(peaks > fitness):
        refitted = population.model(int(i)).fit(data)
        assert refitted.fitness == pytest.approx(peaks[i], abs=1e-7)


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


def test_global_mutation_moves_all_individuals_alike(workers):
    population, _ = grown(workers, seed=20, lcf="global")
    before = [lcf_sets(population.model(i)) for i in range(len(population))]
    population.perturb_shared(3.0, 5)
    after: dict[int, np.ndarray] = {}
    for i in range(len(population)):
        for index, weights in lcf_sets(population.model(i)).items():
            assert np.array_equal(after.setdefault(index, weights), weights)
            assert not np.array_equal(weights, before[i][index])
    moves = np.concatenate([after[k] - np.eye(4)[k + 1] for k in after])
    assert 1.0 < np.std(moves) < 6.0


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


@pytest.mark.parametrize("rule", ["irprop-", "irprop+", "rprop", "adam"])
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

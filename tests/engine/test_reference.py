"""The engine against its naive twin (`multigene/_reference.py`): same values, gradients, coefficients and steps."""

from __future__ import annotations

import numpy as np
import pytest
from reference_cases import (
    ALL_FUNCTIONS,
    JUMPS,
    close,
    doubtful,
    gene_values,
    gradient_of,
    grown,
    made_data,
    nudged,
    read_again,
    same_weights,
    well_conditioned,
)

from multigene import _reference as twin
from multigene._engine import Dataset, Individual, Population, apply, operators
from multigene.settings.functions import function_entries
from multigene.settings.settings import Genes, Tuning

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


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 12])
def test_tuning_of_given_individuals(steps, workers):
    """`Population.of` and several steps in one call: number of steps, early stop and best iterate as in the paper."""
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

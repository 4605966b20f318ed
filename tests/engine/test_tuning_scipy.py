"""Variable projection of the engine against SciPy's least squares, which knows nothing of outer and inner weights."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from multigene._engine import Dataset, Individual, Workers, polish
from multigene.settings.settings import Refinement

THOROUGH = Refinement(iterations=300, tries=12, gain=0.0, max_parameters=200, decay=0.0, prune=0.0)
#: Genes with places for their weights: `{}` is a number.
FORMS = {
    "one sigmoid": ["tanh([0: {} + {}*x0 + {}*x1])"],
    "two bells": ["gauss([0: {} + {}*x0])", "gauss([1: {} + {}*x1 + {}*x2])"],
    "product": ["[0: {} + {}*x0 + {}*x1] * sin([2: {} + {}*x2])"],
    "nested": ["exp(sin([0: {} + {}*x0 + {}*x2]))", "logistic([1: {} + {}*x1])", "x2"],
}


def model_of(genes, weights):
    values = iter(weights)
    filled = [gene.format(*(repr(float(next(values))) for _ in range(gene.count("{}")))) for gene in genes]
    return Individual(filled, 0.0, [1.0] * len(genes))


def columns_of(genes, weights, X):
    model = model_of(genes, weights)
    alone = [np.eye(len(genes))[i].tolist() for i in range(len(genes))]
    texts = [str(g) for g in model.genes]
    return np.column_stack([Individual(texts, 0.0, c).predict(X) for c in alone] + [np.ones(len(X))])


def weights_of(model):
    """Inner weights in the order of the genes' text."""
    found = []
    for gene in range(len(model.coefficients)):
        for token in model.tokens(gene):
            if token[0] == "lcf":
                found += [token[1], *(w for _, w in token[2])]
    return found


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("seed", range(5))
def test_scipy_cannot_improve_what_was_tuned(name, seed):
    genes, rng = FORMS[name], np.random.default_rng(seed)
    X = rng.normal(size=(150, 3))
    number = sum(gene.count("{}") for gene in genes)
    y = columns_of(genes, rng.normal(size=number), X) @ rng.normal(size=len(genes) + 1) + 0.1 * rng.normal(
        size=150
    )
    start = model_of(genes, rng.normal(size=number))
    [tuned] = polish([start], Dataset(X, y), THOROUGH, [], Workers(1))
    assert tuned.fitness >= start.fit(Dataset(X, y)).fitness

    def residual(parameters):
        inner, outer = parameters[:number], parameters[number:]
        with np.errstate(all="ignore"):
            return np.nan_to_num(columns_of(genes, inner, X) @ outer - y, nan=1e6, posinf=1e6, neginf=-1e6)

    inner = weights_of(tuned)
    assert len(inner) == number
    here = np.array([*inner, *tuned.coefficients, tuned.intercept])
    ours = float(np.sum(residual(here) ** 2))
    assert ours == pytest.approx((1.0 - tuned.fitness) * np.sum((y - y.mean()) ** 2), rel=1e-6)
    theirs = least_squares(residual, here, method="trf", x_scale="jac", max_nfev=200)
    assert 2.0 * theirs.cost > ours * (1.0 - 1e-3)

"""What a report and the plots say about one model on given rows: errors, genes, importance, dependence, intervals.

All numbers of the report that are not read off the model come from here, each a small function of an `Individual` and
rows, so that the page, the matplotlib figures and tests share them. Statistics are exact on the rows given; permutation
importance and partial dependence, which are averages, may be computed on a fixed sample of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from multigene._engine import Individual
from multigene.data import spread_rows

Floats = npt.NDArray[np.float64]

#: Rows for averages over rows: permutation importance and partial dependence.
IMPORTANCE_ROWS = 2000
DEPENDENCE_ROWS = 200
GRID = 41


@dataclass(frozen=True)
class Rows:
    """Rows to show a model on: `name` is train, validation or test."""

    name: str
    X: Floats
    y: Floats


def errors(y: Floats, prediction: Floats) -> dict[str, float]:
    """R², root mean square, mean absolute and largest error; NaN where a prediction is not finite."""
    residual = y - prediction
    total = float(np.sum((y - y.mean()) ** 2))
    squares = float(residual @ residual)
    return {
        "rows": float(len(y)),
        "r2": 1.0 - squares / total if total > 0.0 else float("nan"),
        "rmse": float(np.sqrt(squares / len(y))),
        "mae": float(np.mean(np.abs(residual))),
        "largest": float(np.max(np.abs(residual))),
    }


@dataclass(frozen=True)
class GeneRole:
    """What a gene does in a model: share of the prediction's variance, and loss of R² without it."""

    number: int
    coefficient: float
    spread: float
    share: float
    cost: float


def gene_roles(individual: Individual, rows: Rows) -> list[GeneRole]:
    """Contribution and cost of removal of every gene that counts.

    `spread` is the standard deviation of coefficient·gene, `share` the covariance of that term with the prediction over
    the prediction's variance (shares add up to 1), `cost` how much R² on the rows falls when the gene is left out and
    the other coefficients are fitted anew.
    """
    coefficients = np.asarray(individual.coefficients)
    live = np.flatnonzero(coefficients)
    if len(live) == 0:
        return []
    terms = individual.gene_values(rows.X)[:, live] * coefficients[live]
    terms = terms - terms.mean(axis=0)
    prediction = terms.sum(axis=1)
    variance = float(prediction @ prediction)
    y = rows.y - rows.y.mean()
    total = float(y @ y)
    gram, moment = terms.T @ terms, terms.T @ y
    whole = _explained(gram, moment)
    roles = []
    for i, number in enumerate(live):
        rest = np.arange(len(live)) != i
        lost = whole - _explained(gram[np.ix_(rest, rest)], moment[rest])
        roles.append(
            GeneRole(
                number=int(number),
                coefficient=float(coefficients[number]),
                spread=float(np.sqrt(gram[i, i] / len(y))),
                share=float(terms[:, i] @ prediction) / variance if variance > 0.0 else 0.0,
                cost=max(0.0, lost / total) if total > 0.0 else 0.0,
            )
        )
    return roles


def _explained(gram: Floats, moment: Floats) -> float:
    """Sum of squares that least squares on these centred columns explains; dependent columns are no harm."""
    if len(moment) == 0:
        return 0.0
    scale = np.sqrt(np.clip(np.diag(gram), 1e-300, None))
    solution = np.linalg.lstsq(gram / np.outer(scale, scale), moment / scale, rcond=1e-12)[0]
    return float(solution @ (moment / scale))


def used_features(individual: Individual) -> list[int]:
    """Columns that a model reads, in their order."""
    used: set[int] = set()
    for gene, coefficient in enumerate(individual.coefficients):
        for token in individual.tokens(gene) if coefficient != 0.0 else ():
            if token[0] == "x":
                used.add(int(token[1]))
            elif token[0] in ("lcf", "product"):
                used.update(int(j) for j, weight in token[2] if weight != 0.0)
    return sorted(used)


def importance(individual: Individual, rows: Rows, repeats: int = 3) -> dict[int, float]:
    """Loss of R² when a column is shuffled (permutation importance), by column; always the same shuffles."""
    rng = np.random.default_rng(0)
    X, y = thinned(rows, IMPORTANCE_ROWS)
    total = float(np.sum((y - y.mean()) ** 2)) or 1.0
    base = float(np.sum((y - individual.predict(X)) ** 2))
    losses: dict[int, float] = {}
    for j in used_features(individual):
        shuffled, loss = X.copy(), 0.0
        for _ in range(repeats):
            shuffled[:, j] = X[rng.permutation(len(y)), j]
            loss += float(np.sum((y - individual.predict(shuffled)) ** 2)) - base
        losses[j] = loss / repeats / total if np.isfinite(loss) else float("inf")
    return losses


@dataclass(frozen=True)
class Dependence:
    """Prediction against one column: mean over the rows, and the band that holds four fifths of them."""

    feature: int
    grid: Floats
    mean: Floats
    low: Floats
    high: Floats


def partial_dependence(
    individual: Individual, rows: Rows, feature: int, grid: Floats | None = None
) -> Dependence:
    """Predictions with one column set to each value of a grid over its range, averaged over a sample of the rows."""
    X, _ = thinned(rows, DEPENDENCE_ROWS)
    if grid is None:
        grid = feature_grid(rows.X[:, feature])
    stacked = np.repeat(X[None, :, :], len(grid), axis=0)
    stacked[:, :, feature] = grid[:, None]
    values = individual.predict(stacked.reshape(-1, X.shape[1])).reshape(len(grid), len(X))
    low, high = np.quantile(values, [0.1, 0.9], axis=1)
    return Dependence(feature, grid, values.mean(axis=1), low, high)


def feature_grid(column: Floats) -> Floats:
    """Values at which dependence is shown: the column's own where they are few, else evenly over its range."""
    distinct = np.unique(column)
    return distinct if len(distinct) <= GRID else np.linspace(column.min(), column.max(), GRID)


def half_widths(individual: Individual, rows: Rows, X: Floats, level: float = 0.95) -> Floats | None:
    """Half widths of prediction intervals at the rows of `X`; None where the rows are too few.

    Student's t with the noise estimated on `rows`, and the uncertainty of intercept and outer coefficients (the inner
    weights are taken as known).
    """
    coefficients = np.asarray(individual.coefficients)
    live = np.flatnonzero(coefficients)
    freedom = len(rows.y) - len(live) - 1
    if freedom < 1:
        return None
    design, shown = _design(individual, rows.X, live), _design(individual, X, live)
    residual = rows.y - individual.predict(rows.X)
    if not np.isfinite(residual).all():
        return None
    noise = float(residual @ residual) / freedom
    scale = np.sqrt(np.clip(np.einsum("ij,ij->j", design, design), 1e-300, None))
    inverse = np.linalg.pinv((design / scale).T @ (design / scale), rcond=1e-12, hermitian=True)
    leverage = np.einsum("ij,jk,ik->i", shown / scale, inverse, shown / scale)
    quantile = float(stats.t.ppf(0.5 + level / 2.0, freedom))
    return np.asarray(quantile * np.sqrt(noise * (1.0 + np.clip(leverage, 0.0, None))))


def _design(individual: Individual, X: Floats, live: npt.NDArray[np.intp]) -> Floats:
    return np.column_stack([np.ones(len(X)), individual.gene_values(X)[:, live]])


def thinned(rows: Rows, most: int) -> tuple[Floats, Floats]:
    """At most so many rows, evenly spaced by their order of the target so that its extremes stay."""
    kept = spread_rows(rows.y, most)
    return rows.X[kept], rows.y[kept]

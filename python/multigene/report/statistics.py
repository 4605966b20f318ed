"""What a report and the plots say about one model on given rows: errors, genes, importance, dependence,
intervals.

All numbers of the report that are not read off the model come from here, each a small function of an
`Individual` and rows, so that the page, the matplotlib figures and tests share them. Statistics are exact on
the rows given; permutation importance and partial dependence, which are averages, may be computed on a fixed
sample of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.losses import SQUARED, Loss
from multigene.data.scores import scale_of
from multigene.data.spread import spread_rows
from multigene.data.training_rows import TrainingRows
from multigene.explain import measures as understand
from multigene.explain.intervals import Uncertainty
from multigene.expression.tree import Expression
from multigene.groups.certainty import certainty_of
from multigene.report.constants import DEPENDENCE_ROWS, GRID, STATISTICS_ROWS

Floats = npt.NDArray[np.float64]

#: Shares of rows at which error curves are kept.
SHARES = np.linspace(0.0, 1.0, 51)


@dataclass(frozen=True)
class Rows:
    """Rows to show a model on: `name` is train or test; `weights` are those of the fit, None where all rows count alike."""

    name: str
    X: Floats
    y: Floats
    weights: Floats | None = None
    samples: dict[int, TrainingRows] = field(default_factory=dict, compare=False, repr=False)
    """Samples drawn so far, by size."""


def term_roles(terms: Floats, rows: Rows) -> list[tuple[float, float, float]]:
    """Spread, share and cost of every column of `terms`, which add up to a prediction but for a number.

    Spread is the standard deviation of a term, share its covariance with the prediction over the prediction's variance (shares
    add up to 1), cost how much R² on the rows falls when the term is left out and the others are weighted anew: all removals from
    one pass over the rows, since a report has them for every model of the front. Nothing where a term is not finite on some row.
    """
    weights = rows.weights
    if terms.shape[1] == 0:
        return []
    unit = scale_of(rows.y)  # squares of very large or small numbers are finite then
    with np.errstate(all="ignore"):
        terms = terms / unit
        terms -= np.average(terms, axis=0, weights=weights)
    if not np.isfinite(terms).all():
        return []
    y = rows.y / unit
    y -= np.average(y, weights=weights)
    if weights is not None:
        root = np.sqrt(weights / weights.mean())
        terms, y = terms * root[:, None], y * root
    total = float(y @ y)
    gram, moment = terms.T @ terms, terms.T @ y
    variance = float(gram.sum())
    whole = _explained(gram, moment)
    roles = []
    for i in range(len(gram)):
        rest = np.arange(len(gram)) != i
        lost = whole - _explained(gram[np.ix_(rest, rest)], moment[rest])
        spread = float(np.sqrt(gram[i, i] / len(y))) * unit
        share = float(gram[i].sum()) / variance if variance > 0.0 else 0.0
        roles.append((spread, share, max(0.0, lost / total) if total > 0.0 else 0.0))
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


def importance(individual: Individual, rows: Rows, loss: Loss = SQUARED) -> dict[int, float]:
    """Loss of R² when a column is shuffled, for the columns that the model reads, the most important first.

    The numbers of `model.importance(X, y)`, on a sample where there are very many rows.
    """
    sample = thinned(rows, STATISTICS_ROWS)
    falls = understand.permutation(individual, replace(sample, loss=loss), used_features(individual))
    means = {j: float(fall.mean()) for j, fall in falls.items()}
    return dict(sorted(means.items(), key=lambda each: -each[1]))


def error_curve(errors: Floats, weights: Floats | None = None) -> Floats:
    """The absolute error that each of `SHARES` of the rows, by weight, stays within: a regression error characteristic
    curve (Bi and Bennett 2003) with its axes exchanged, exact on the rows given.
    """
    if weights is None:
        curve = np.sort(errors)[np.maximum(np.ceil(SHARES * len(errors)).astype(np.intp) - 1, 0)]
    else:
        order = np.argsort(errors, kind="stable")
        below = np.cumsum(weights[order])
        places = np.searchsorted(below, SHARES * below[-1] * (1.0 - 1e-12))
        curve = errors[order][np.minimum(places, len(errors) - 1)]
    curve[0] = 0.0
    return np.asarray(curve, dtype=np.float64)


def references(rows: Rows) -> dict[str, Callable[[Floats], Floats]]:
    """Predictions that any formula should beat, fitted to these rows: their mean, and a linear model of all
    columns by least squares.
    """
    weights = rows.weights
    with np.errstate(all="ignore"):
        centre, scale = np.average(rows.X, axis=0, weights=weights), rows.X.std(axis=0)
        mean = float(np.average(rows.y, weights=weights))
        scale = np.where(scale > 0.0, scale, 1.0)
        design, y = (rows.X - centre) / scale, rows.y - mean
        weighted = design if weights is None else design * (weights / weights.mean())[:, None]
        gram, moment = weighted.T @ design, weighted.T @ y
    predictions: dict[str, Callable[[Floats], Floats]] = {"mean": lambda X: np.full(len(X), mean)}
    if np.isfinite(gram).all() and np.isfinite(moment).all():
        # Normal equations of standardised columns: exact enough to draw, and one pass over the rows.
        weights = np.linalg.lstsq(gram, moment, rcond=1e-12)[0] / scale
        predictions["linear"] = lambda X: np.asarray(mean + (X - centre) @ weights)
    return predictions


def unseen_error_of_line(rows: Rows, folds: int = 10) -> float:
    """Root mean square error of a linear model of all columns on rows that it was not fitted to: cross-validation."""
    place = np.random.default_rng(0).permutation(len(rows.y)) % min(folds, len(rows.y))
    squares = np.zeros(len(rows.y))
    for fold in range(int(place.max()) + 1):
        seen, left = place != fold, place == fold
        if not seen.any():
            return float("nan")
        weights = None if rows.weights is None else rows.weights[seen]
        line = references(Rows(rows.name, rows.X[seen], rows.y[seen], weights)).get("linear")
        if line is None:
            return float("nan")
        with np.errstate(all="ignore"):
            squares[left] = (rows.y[left] - line(rows.X[left])) ** 2
    return float(np.sqrt(np.average(squares, weights=rows.weights)))


@dataclass(frozen=True)
class Segment:
    """Rows where one column lies in a range: how many, and the errors of a model there."""

    feature: int
    low: float
    high: float
    rows: int
    rmse: float
    bias: float
    """Mean of actual less predicted."""
    said: str = ""
    """What the rows have in common where it is no range of numbers."""


def segments(
    rows: Rows, residuals: Floats, without: Collection[int] = (), parts: int = 4, least: int = 10
) -> list[Segment]:
    """Errors by ranges of every column (quarters of the rows, or its values where it has few) but some, the worst first."""
    found = []
    with np.errstate(all="ignore"):
        for j, column in enumerate(rows.X.T):
            if j in without:
                continue
            values = np.unique(column)
            edges = (
                values
                if len(values) <= parts
                else np.unique(np.quantile(column, np.linspace(0, 1, parts + 1))[:-1])
            )
            place = np.searchsorted(edges, column, side="right") - 1
            for part in range(len(edges)) if len(edges) > 1 else ():
                here = place == part
                if here.sum() >= least:
                    low, high = float(column[here].min()), float(column[here].max())
                    found.append(segment(rows, residuals, here, j, (low, high)))
    return sorted(found, key=lambda each: -each.rmse)


def segment(
    rows: Rows,
    residuals: Floats,
    here: npt.NDArray[np.bool_],
    feature: int,
    between: tuple[float, float],
    said: str = "",
) -> Segment:
    """Errors of the rows that lie here."""
    inside, weights = residuals[here], None if rows.weights is None else rows.weights[here]
    rmse = float(np.sqrt(np.average(inside**2, weights=weights)))
    bias = float(np.average(inside, weights=weights))
    return Segment(feature, *between, int(here.sum()), rmse, bias, said)


@dataclass(frozen=True)
class Dependence:
    """Prediction against one column: mean over the rows, and the band that holds four fifths of them."""

    feature: int
    grid: Floats
    mean: Floats
    low: Floats
    high: Floats


def partial_dependence(
    individual: Individual, rows: Rows, feature: int, grid: Floats | None = None, loss: Loss = SQUARED
) -> Dependence:
    """Predictions with one column set to each value of a grid over its range, averaged over a sample of the
    rows.
    """
    sample = thinned(rows, DEPENDENCE_ROWS)
    X = sample.X
    if grid is None:
        grid = feature_grid(rows.X[:, feature])
    stacked = np.repeat(X[None, :, :], len(grid), axis=0)
    stacked[:, :, feature] = grid[:, None]
    predictor = individual.predict(stacked.reshape(-1, X.shape[1]))
    values = loss.prediction(predictor).reshape(len(grid), len(X))
    low, high = _quantiles(values, [0.1, 0.9], sample.weights)
    return Dependence(feature, grid, np.average(values, axis=1, weights=sample.weights), low, high)


def _quantiles(values: Floats, shares: list[float], weights: Floats | None) -> Floats:
    """Quantiles of every row of a table, its columns weighted."""
    if weights is None:
        return np.asarray(np.quantile(values, shares, axis=1), dtype=np.float64)
    order = np.argsort(values, axis=1)
    below = np.cumsum(weights[order], axis=1) / weights.sum()
    places = [np.argmax(below >= share, axis=1)[:, None] for share in shares]
    ordered = np.take_along_axis(values, order, axis=1)
    return np.array([np.take_along_axis(ordered, place, axis=1)[:, 0] for place in places])


def feature_grid(column: Floats) -> Floats:
    """Values at which dependence is shown: its own where they are few, else evenly over its range."""
    return grid_of(np.sort(column))


def grid_of(ordered: Floats) -> Floats:
    """As `feature_grid`, of a column in ascending order."""
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    return ordered[first] if first.sum() <= GRID else np.linspace(ordered[0], ordered[-1], GRID)


class Intervals:
    """Prediction intervals of one model, as `predict(X, interval=level)` has them."""

    def __init__(self, expression: Expression, rows: Rows, names: Sequence[str] = ()) -> None:
        """Estimate noise and uncertainty on the rows that the model was fitted to."""
        self.expression = expression
        self.uncertainty: Uncertainty | None = None
        sample = thinned(rows, STATISTICS_ROWS)
        # Derivatives may overflow in formulas that only just have finite values.
        with np.errstate(all="ignore"):
            try:
                self.uncertainty = certainty_of(expression, list(names), sample)
            except (ValueError, np.linalg.LinAlgError):
                return

    def half_widths(self, X: Floats, level: float = 0.95) -> Floats | None:
        """Half widths at the rows of `X`; None where the training rows are too few to tell."""
        if self.uncertainty is None:
            return None
        with np.errstate(all="ignore"):
            return self.uncertainty.half_width(self.expression, X, level)


def thinned(rows: Rows, most: int) -> TrainingRows:
    """At most `most` rows, evenly spaced by their order of the target so that its extremes stay."""
    if most not in rows.samples:
        kept = spread_rows(rows.y, most)
        weights = None if rows.weights is None else rows.weights[kept]
        rows.samples[most] = TrainingRows(rows.X[kept], rows.y[kept], weights, len(rows.y))
    return rows.samples[most]

"""What is minimised: squared error, or another loss by name, or one's own. Scores, intervals and formulas follow it.

A loss is a function of the target and of a predictor, which is what models compute. Where the predictor is a logarithm (`poisson`
or `gamma`) or log odds (`logistic`), the prediction is the inverse link of it, and that is what formulas show. The engine has the
losses by name (`crates/multigene-core/src/evaluate/losses.rs`); here is what users call them, which targets they know, and the
numbers that they take from the rows. An own loss is a function of arrays (`OwnLoss`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from multigene._engine import loss_constant, loss_rows
from multigene.data.by_value import KeepsFunctions
from multigene.data.constants import (
    HUBER,
    LARGEST_COUNT,
    LARGEST_LOG_ODDS,
    LEAST_CURVATURE,
    NEAR,
    NOISE_ROWS,
    NORMAL_SPREAD,
    STEP,
)
from multigene.data.scores import explained, r2, scale_of
from multigene.data.spread import evenly
from multigene.words import nearest

Floats = npt.NDArray[np.float64]
Link = Literal["identity", "log", "logit"]


@dataclass(frozen=True)
class Kind:
    """What users can name."""

    engine: str
    link: Link
    about: str
    """What it minimises, for people who choose one."""
    needs: str = ""
    """What the target must be, for a sentence; empty where any number will do."""
    measure: str = "loss explained"
    """What the share of the best constant's loss that a model explains is called."""
    allows: Callable[[Floats], npt.NDArray[np.bool_]] = lambda y: np.ones(len(y), dtype=bool)
    """Which targets are what it needs."""
    tells: Callable[[Floats], bool] = lambda y: True
    """Do the targets together tell anything?"""


KINDS: dict[str, Kind] = {
    "squared": Kind("squared", "identity", "the typical error (squared)", measure="R²"),
    "absolute": Kind("quantile", "identity", "the absolute error: the median"),
    "huber": Kind("huber", "identity", "squared, but robust against outliers"),
    "quantile": Kind("quantile", "identity", "a quantile, such as what 9 of 10 stay below"),
    "relative": Kind("relative", "identity", "the error relative to the target", "positive numbers", allows=lambda y: y > 0.0),
    "poisson": Kind(
        "poisson", "log", "counts (Poisson)", "counts: 0 or more, and not all 0", "deviance explained",
        allows=lambda y: y >= 0.0, tells=lambda y: bool(y.max() > 0.0),
    ),
    "gamma": Kind(
        "gamma", "log", "positive amounts whose spread grows (gamma)", "positive numbers", "deviance explained",
        allows=lambda y: y > 0.0,
    ),
    "logistic": Kind(
        "logistic", "logit", "yes or no (logistic)", "0 or 1 (or shares between), and not all alike", "deviance explained",
        allows=lambda y: (y >= 0.0) & (y <= 1.0), tells=lambda y: bool(y.min() < y.max()),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Loss:
    """A loss by name, as the user gave it; `of_rows` gives it the numbers that it takes from the rows."""

    name: str = "squared"
    numbers: tuple[float, ...] = ()

    @staticmethod
    def named(text: str) -> Loss:
        """The loss that a name says: "huber", "huber:0.5", "quantile:0.9" …"""
        word, _, number = str(text).strip().partition(":")
        if word not in KINDS:
            way_out = (
                nearest(word, ["auto", *KINDS])
                or f"; take one of auto, {', '.join(KINDS)}, or an expression of y and p."
            )
            raise ValueError(f"There is no loss {text!r}{way_out}")
        if word == "quantile" and not number:
            raise ValueError("loss='quantile' needs its level; give for example loss='quantile:0.9'.")
        if number and word not in ("quantile", "huber"):
            raise ValueError(f"loss={text!r} has a number, which {word!r} does not take; give loss={word!r}.")
        if not number:
            return Loss(word)
        try:
            value = float(number)
        except ValueError:
            value = np.nan
        if word == "quantile" and not 0.0 < value < 1.0:
            raise ValueError(
                f"loss={text!r}: {number} is no level between 0 and 1; give for example 'quantile:0.9'."
            )
        if word == "huber" and not 0.0 < value < np.inf:
            raise ValueError(
                f"loss={text!r}: {number} is no positive distance; give for example 'huber:0.5'."
            )
        return Loss(f"{word}:{number}", (value,))

    @property
    def kind(self) -> Kind:
        """Its row of the table."""
        return KINDS[self.name.partition(":")[0]]

    @property
    def link(self) -> Link:
        """How predictor and prediction hang together."""
        return self.kind.link

    @property
    def measure(self) -> str:
        """What its share explained is called."""
        return self.kind.measure

    @property
    def squared(self) -> bool:
        """Is it squared error?"""
        return self.name == "squared"

    @property
    def written(self) -> str:
        """Its name for files."""
        return self.name

    def of_rows(self, X: Floats, y: Floats) -> Loss:
        """The loss with all its numbers; a `ValueError` where it does not know the target."""
        self.check(y)
        word = self.kind.engine
        if word == "quantile":
            level = self.numbers[0] if self.numbers else 0.5
            return replace(self, numbers=(level, NEAR * _spread(y)))
        if word == "huber" and not self.numbers:
            return replace(self, numbers=(HUBER * max(_noise(X, y), NEAR * _spread(y)),))
        return self

    def check(self, y: Floats) -> None:
        """Refuse a target that the loss does not know."""
        kind = self.kind
        good = kind.allows(y)
        if not good.all():
            value = float(y[np.flatnonzero(~good)[0]])
            raise ValueError(
                f"loss={self.name!r} needs a target of {kind.needs}; it has the value {value:g}. "
                "Take another loss, or leave such rows out."
            )
        if kind.engine == "poisson" and y.max() > LARGEST_COUNT:
            raise ValueError(
                f"loss={self.name!r} needs a target of at most {LARGEST_COUNT:g}; it has the value {y.max():g}. "
                "Give it in a larger unit, or take loss='gamma'."
            )
        if not kind.tells(y):
            raise ValueError(
                f"loss={self.name!r} needs a target of {kind.needs}; all rows have {y[0]:g}. Give other rows."
            )

    @property
    def engine(self) -> Any:
        """As the engine's `Dataset` takes it; None for squared error."""
        return None if self.squared else (self.kind.engine, list(self.numbers))

    # --- on rows ----------------------------------------------------------------------------------

    def values(self, y: Floats, predictor: Floats) -> Floats:
        """What every row costs; infinite where there is no value."""
        return _finite(loss_rows((self.kind.engine, list(self.numbers)), _vector(y), _vector(predictor))[0])

    def working(self, y: Floats, predictor: Floats) -> tuple[Floats, Floats]:
        """Weight and response of the squared error that looks like the loss at each row."""
        _, w, z = loss_rows((self.kind.engine, list(self.numbers)), _vector(y), _vector(predictor))
        return w, z

    def costs(self, y: Floats, predictor: Floats, weights: Floats) -> Floats:
        """What every row adds to the loss, to be compared with other costs of the same rows: squares are in a unit in which those
        of very large targets are finite. Infinite where there is no value."""
        if not self.squared:
            return _finite(weights * self.values(y, predictor))
        with np.errstate(all="ignore"):
            return _finite(weights * ((y - predictor) / scale_of(y)) ** 2)

    def constant(self, y: Floats, weights: Floats) -> float:
        """The predictor of least loss that is the same for all rows: the mean for squared error."""
        if self.squared:
            unit = scale_of(y)
            return float(unit * np.average(y / unit, weights=weights))
        return loss_constant((self.kind.engine, list(self.numbers)), _vector(y), _vector(weights))

    def explained(self, y: Floats, predictor: Floats, weights: Floats | None = None) -> float:
        """Share of the best constant's loss that a predictor explains: R² for squared error, D² for a deviance."""
        if self.squared:
            return r2(y, predictor, weights)
        weights = np.ones(len(y)) if weights is None else weights
        best = np.full(len(y), self.constant(y, weights))
        left, total = (float(np.average(self.values(y, p), weights=weights)) for p in (predictor, best))
        return explained(left, total)

    # --- predictor and prediction -----------------------------------------------------------------

    def prediction(self, predictor: Floats) -> Floats:
        """The prediction, in units of the target, of a predictor."""
        if self.link == "identity":
            return predictor
        with np.errstate(over="ignore"):
            if self.link == "log":
                return np.asarray(np.exp(predictor))
            return np.asarray(1.0 / (1.0 + np.exp(-predictor)))

    def predictor_range(self, y: Floats) -> tuple[float, float]:
        """Between which predictors the target lies."""
        if self.link == "logit":
            return -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS
        if self.link == "log":
            least = float(y[y > 0.0].min())
            return float(np.log(min(least, 0.5 * float(y.mean())))), float(np.log(y.max()))
        return float(y.min()), float(y.max())


SQUARED = Loss()


@dataclass(frozen=True, eq=False)
class OwnLoss(KeepsFunctions, Loss):
    """A loss of the user's: a function of targets and predictions, both arrays, that returns what every row costs, or that and
    its derivative by the prediction. The engine calls it through `ForEngine`."""

    function: Callable[[Floats, Floats], Any] = lambda y, p: (y - p) ** 2
    spread: float = 1.0
    bounds: tuple[float, float] = (0.0, 1.0)

    @property
    def kind(self) -> Kind:
        """It is no row of the table."""
        return Kind("own", "identity", "a loss of your own")

    @property
    def squared(self) -> bool:
        """It is not, as far as anybody knows."""
        return False

    def of_rows(self, X: Floats, y: Floats) -> Loss:
        """The loss with the scale of its steps; a `ValueError` where it has no finite value on these rows."""
        spread = _spread(y)
        ready = replace(self, spread=spread, bounds=(float(y.min()), float(y.max())))
        try:
            values, slopes = ready._called(y, np.full(len(y), float(np.median(y))))
        except Exception as error:
            raise ValueError(
                f"loss={self.name!r} cannot be computed: {error}. It is called with two arrays, y and p."
            ) from error
        for what, found in (("values", values), ("derivatives", slopes)):
            if found is not None and found.shape != y.shape:
                given = f"{found.size} {what}" if found.ndim == 1 else f"{what} of the shape {found.shape}"
                raise ValueError(
                    f"loss={self.name!r} gives {given} for {len(y)} rows; give one for every row, as an array."
                )
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise ValueError(
                f"loss={self.name!r} is {values[row]} for y = {y[row]:g} and p = {np.median(y):g}; "
                "give an expression that is finite near the target."
            )
        if values.min() < 0.0:
            raise ValueError(
                f"loss={self.name!r} is negative ({values.min():g}); a loss is 0 at best, so add a constant."
            )
        others = (ready._called(y, np.full(len(y), float(np.median(y)) + by))[0] for by in (-spread, spread))
        if all(np.array_equal(values, other) for other in others):
            raise ValueError(
                f"loss={self.name!r} is the same for every prediction; give an expression that grows with the error, "
                "for example '(y - p)**2'."
            )
        return ready

    @property
    def engine(self) -> Any:
        """The engine calls an object."""
        return ForEngine(self)

    def values(self, y: Floats, predictor: Floats) -> Floats:
        """What every row costs; infinite where there is no value."""
        return _finite(self._called(y, predictor)[0])

    def working(self, y: Floats, predictor: Floats) -> tuple[Floats, Floats]:
        """Weight and response of the squared error that looks like the loss at each row."""
        h = STEP * self.spread
        with np.errstate(all="ignore"):
            here, curvature = self._derivatives(y, predictor, h)
            # Slope over distance is what makes robust losses' squares curved enough (Weiszfeld), the curvature steep ones'.
            secant = np.abs(here) / np.maximum(np.abs(predictor - y), h)
            w = 0.5 * np.maximum(np.maximum(curvature, secant), LEAST_CURVATURE * np.nanmean(secant))
        return w, predictor - 0.5 * here / w

    def total(self, y: Floats, weights: Floats, p: Floats) -> float:
        """Weighted sum over rows."""
        with np.errstate(all="ignore"):
            values, _ = self._called(y, p)
        return float(np.sum(np.where(weights > 0.0, weights * values, 0.0)))

    def constant(self, y: Floats, weights: Floats) -> float:
        """The best constant between the least and the largest target."""
        from scipy.optimize import minimize_scalar

        low, high = self.bounds
        if low == high:
            return low
        grid = np.linspace(low, high, 33)
        best = grid[int(np.nanargmin([self.total(y, weights, np.full(len(y), p)) for p in grid]))]
        step = grid[1] - grid[0]
        found = minimize_scalar(
            lambda p: self.total(y, weights, np.full(len(y), p)),
            bounds=(max(low, best - step), min(high, best + step)), method="bounded", options={"xatol": 1e-10 * step},
        )  # fmt: skip
        return float(found.x)

    def _called(self, y: Floats, p: Floats) -> tuple[Floats, Floats | None]:
        """What every row costs, and its derivative by the prediction where the function tells it."""
        with np.errstate(all="ignore"):
            given = self.function(y, p)
        values, slopes = given if isinstance(given, tuple) else (given, None)
        return np.asarray(values, dtype=np.float64), slopes if slopes is None else np.asarray(slopes, float)

    def _derivatives(self, y: Floats, p: Floats, h: float) -> tuple[Floats, Floats]:
        """First and second derivative by the prediction, by differences where the function does not tell."""
        (below, less), (here, slope), (above, more) = (self._called(y, p + step) for step in (-h, 0.0, h))
        if slope is not None and less is not None and more is not None:
            return slope, (more - less) / (2.0 * h)
        return (above - below) / (2.0 * h), (above - 2.0 * here + below) / (h * h)


@dataclass(frozen=True, eq=False)
class ForEngine:
    """An own loss as the engine calls it: with weights of rows, where 0 leaves a row out."""

    loss: OwnLoss

    def total(self, y: Floats, weights: Floats, p: Floats) -> float:
        """Weighted sum over rows."""
        return self.loss.total(y, weights, p)

    def working(self, y: Floats, weights: Floats, p: Floats) -> tuple[Floats, Floats]:
        """Weight and response of the squared error that looks like the weighted loss at each row."""
        w, z = self.loss.working(y, p)
        return np.where(weights > 0.0, weights * w, 0.0), np.where(weights > 0.0, z, p)

    def constant(self, y: Floats, weights: Floats) -> float:
        """The best constant."""
        return self.loss.constant(y, weights)


def _vector(values: Floats) -> Floats:
    return np.ascontiguousarray(values, dtype=np.float64)


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.inf)


def _unit(values: Floats) -> tuple[Floats, Floats]:
    """Columns divided by their largest absolute value, so that no square is beyond floating point; and that value."""
    largest = np.abs(values).max(axis=0)
    largest = np.where(largest > 0.0, largest, 1.0)
    return values / largest, largest


def _spread(y: Floats) -> float:
    """Half the distance between the quartiles; the standard deviation where that is 0, and 1 for a constant."""
    z, unit = _unit(y)
    half = 0.5 * float(np.subtract(*np.quantile(z, [0.75, 0.25])))
    return (half or float(z.std())) * float(unit) or 1.0


def _noise(X: Floats, y: Floats) -> float:
    """A robust estimate of the standard deviation of the noise: half the squared difference of nearest rows has its variance."""
    from sklearn.neighbors import NearestNeighbors

    if len(y) < 3:
        return _spread(y)
    rows = evenly(len(y), NOISE_ROWS)
    (X, _), (z, unit) = _unit(X), _unit(y)
    scale = X.std(axis=0)
    Z = (X[rows] - X[rows].mean(axis=0)) / np.where(scale > 0.0, scale, 1.0)
    near = NearestNeighbors(n_neighbors=2).fit(Z).kneighbors(Z, return_distance=False)[:, 1]
    return float(NORMAL_SPREAD * np.median(np.abs(z[rows] - z[rows][near])) / np.sqrt(2.0) * unit)

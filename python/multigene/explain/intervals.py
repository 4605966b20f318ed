"""How sure a model is: intervals of its predictions and of its numbers, by the delta method.

With J the derivatives of the prediction by every printed number on the training rows (`expression/jacobian.py`: outer
coefficients and inner weights alike), the numbers have the covariance s²(JᵀJ)⁺ and a new observation at x the
variance s²(1 + j(x)(JᵀJ)⁺j(x)ᵀ); s² is the residual variance with n − rank degrees of freedom and quantiles
are Student's. This holds when the form of the model is right and the errors are independent and alike. It
knows nothing of the search for the form: for a formula that was chosen because it fits these rows, and
outside the range of the rows, intervals are too narrow. `docs` says so too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy  # its parts are imported when they are first used: `stats` alone takes a third of a second

from multigene.data.losses import Loss
from multigene.data.training_rows import TrainingRows
from multigene.explain.constants import CHUNK, DETERMINED
from multigene.expression.jacobian import jacobian, owners
from multigene.expression.numbers import parameters
from multigene.expression.tree import Expression, Operation, evaluate
from multigene.formula import Formula

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Uncertainty:
    """What the training rows say about the numbers of one formula."""

    variance: float
    """Residual variance s²."""
    freedom: int
    """Degrees of freedom: rows less the rank of the Jacobian."""
    factor: Floats
    """F with s²·FFᵀ the covariance of the parameters: parameters × rank."""
    determined: npt.NDArray[np.bool_]
    """Which parameters the rows determine; the others only in combinations."""
    spread: tuple[float, ...] = ()
    """Losses other than squared error: quantiles of residuals, and the dispersion (`residual_spread`)."""

    @staticmethod
    def of(expression: Expression, rows: TrainingRows) -> Uncertainty:
        """From the training rows; raises a `ValueError` where there are no more rows than parameters.

        Of another loss than squared error the covariance is the sandwich of its curvature and its slopes (Huber 1967).
        """
        root, values = np.sqrt(rows.shares), evaluate(expression, rows.X)
        residual, slopes = root * (rows.y - values), None
        if not rows.loss.squared:
            w, z = rows.loss.working(rows.y, values)
            root, slopes = np.sqrt(rows.shares * w), np.sqrt(w) * (z - values)
            residual = root * (z - values)
        if not np.all(np.isfinite(residual)):
            raise ValueError(
                "The model has no finite value on some of the rows, so its residual variance is unknown; "
                "give other rows."
            )
        J = root[:, None] * jacobian(expression, rows.X)
        usable = np.isfinite(J).all(axis=0)
        with np.errstate(over="ignore"):  # a derivative may be finite and its square not
            lengths = np.linalg.norm(np.where(usable, J, 0.0), axis=0)
        usable &= (lengths > 0.0) & np.isfinite(lengths)
        scale = np.where(usable, lengths, 1.0)
        inverse, space = _inverse_factor(J[:, usable] / scale[usable])
        rank = inverse.shape[1]
        freedom = rows.total - rank
        if freedom <= 0 or len(rows.y) <= rank:
            raise ValueError(
                f"Intervals need more rows than parameters; there are {len(rows.y)} rows and "
                f"{rank} independent parameters. "
                "Give more rows or choose a smaller formula."
            )
        factor = np.zeros((J.shape[1], rank))
        # Thinned rows: all of them together determine the parameters that much better.
        factor[usable] = inverse / scale[usable, None] * np.sqrt(len(rows.y) / rows.total)
        determined = np.zeros(J.shape[1], dtype=bool)
        determined[usable] = space >= DETERMINED
        if slopes is not None:
            scores = np.asarray(
                np.linalg.qr(slopes[:, None] * np.where(np.isfinite(J), J, 0.0) @ factor, mode="r")
            )
            factor = factor @ scores.T * np.sqrt(len(rows.y) / (len(rows.y) - rank))
            spread = residual_spread(rows, values)
            return Uncertainty(1.0, freedom, factor, determined, spread)
        with np.errstate(over="ignore"):  # of residuals of 1e160 no variance can be said
            squares = float(residual @ residual)
        return Uncertainty(squares / (len(rows.y) - rank), freedom, factor, determined)

    @property
    def covariance(self) -> Floats:
        """Covariance of the parameters."""
        return np.asarray(self.variance * self.factor @ self.factor.T, dtype=np.float64)

    @property
    def standard_errors(self) -> Floats:
        """Standard error of every parameter; NaN where the rows determine it only together with others."""
        errors = np.sqrt(self.variance) * np.linalg.norm(self.factor, axis=1)
        return np.where(self.determined, errors, np.nan)

    def quantile(self, level: float) -> float:
        """Student's t for a two-sided interval of this level."""
        return float(scipy.stats.t.ppf(0.5 + 0.5 * check_level(level), self.freedom))

    def half_width(self, expression: Expression, X: Floats, level: float, new: bool = True) -> Floats:
        """Half the width of the interval of every row: of a new observation, or of what the formula says."""
        quantile, width = self.quantile(level), np.empty(len(X))
        for start in range(0, len(X), CHUNK):
            part = jacobian(expression, X[start : start + CHUNK])
            with np.errstate(all="ignore"):
                spread = np.einsum("ij,ij->i", part @ self.factor, part @ self.factor)
            width[start : start + CHUNK] = quantile * np.sqrt(self.variance * (float(new) + spread))
        return width


#: Shares at which the spread of residuals is kept.
SHARES = tuple(np.round(np.linspace(0.0, 1.0, 201), 4))


def residual_spread(rows: TrainingRows, predictor: Floats) -> tuple[float, ...]:
    """Quantiles of residuals (of ln y with the relative loss), and at the end the dispersion of a gamma variable."""
    with np.errstate(all="ignore"):
        relative = rows.loss.name == "relative"
        left = np.log(rows.y / np.maximum(predictor, 1e-300)) if relative else rows.y - predictor
        pearson = float(np.mean((rows.y / rows.loss.prediction(predictor) - 1.0) ** 2))
    return (*np.quantile(np.nan_to_num(left), SHARES).tolist(), pearson if np.isfinite(pearson) else 0.0)


def bounds(
    loss: Loss, uncertainty: Uncertainty, predictor: Expression, X: Floats, level: float
) -> tuple[Floats, Floats]:
    """Between which a new observation lies with this probability: by the distribution that a deviance supposes, by the residuals
    of the training rows for other losses. Of a class it is the interval of its probability."""
    check_level(level)
    eta, below, above = evaluate(predictor, X), 0.5 - 0.5 * level, 0.5 + 0.5 * level
    error = uncertainty.half_width(predictor, X, level, new=False)
    low, high = loss.prediction(eta - error), loss.prediction(eta + error)
    if loss.link == "logit":
        return low, high
    if loss.name == "poisson":
        return np.asarray(scipy.stats.poisson.ppf(below, low)), np.asarray(
            scipy.stats.poisson.ppf(above, high)
        )
    quantiles, dispersion = uncertainty.spread[:-1], max(uncertainty.spread[-1], 1e-12)
    if loss.name == "gamma":
        shape = 1.0 / dispersion
        down, up = (float(scipy.stats.gamma.ppf(share, shape)) / shape for share in (below, above))
        return low * down, high * up
    down, up = (float(np.interp(share, SHARES, quantiles)) for share in (below, above))
    if loss.name == "relative":
        return np.asarray(eta * np.exp(down) - error), np.asarray(eta * np.exp(up) + error)
    return np.asarray(eta - np.hypot(error, down)), np.asarray(eta + np.hypot(error, up))


def check_level(level: float) -> float:
    """The level of an interval, or a sentence."""
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0.0 < level < 1.0:
        raise ValueError(f"interval={level!r} is no level between 0 and 1; give for example 0.95.")
    return float(level)


def parameter_table(formula: Formula, uncertainty: Uncertainty, level: float = 0.95) -> pd.DataFrame:
    """The numbers of a formula as they are printed: estimate, standard error, interval, and the part each
    stands in.
    """
    import pandas as pd

    estimates = np.array(parameters(formula.expression))
    errors, quantile = uncertainty.standard_errors, uncertainty.quantile(level)
    return pd.DataFrame(
        {
            "estimate": estimates,
            "standard_error": errors,
            "lower": estimates - quantile * errors,
            "upper": estimates + quantile * errors,
            "part": parts(formula),
        }
    )


def parts(formula: Formula) -> list[str]:
    """For every parameter the text of the smallest part of the formula that it acts on."""
    whole = formula.expression
    found = []
    for node in owners(whole):
        shown = Formula(node, formula.feature_names).text()
        constant = node is whole and isinstance(node, Operation) and node.name == "add"
        found.append("intercept" if constant else shown if len(shown) <= 60 else shown[:57] + "…")
    return found


def _inverse_factor(J: Floats) -> tuple[Floats, Floats]:
    """F with FFᵀ = (JᵀJ)⁺ for columns of unit length, and how much of each parameter's direction is
    determined.
    """
    if J.shape[1] == 0:
        return np.zeros((0, 0)), np.zeros(0)
    R = np.linalg.qr(J, mode="r")
    _, sizes, directions = np.linalg.svd(R, full_matrices=False)
    kept = sizes > sizes[0] * max(J.shape) * np.finfo(np.float64).eps
    V = directions[kept].T
    return np.asarray(V / sizes[kept]), np.asarray(np.einsum("ij,ij->i", V, V))

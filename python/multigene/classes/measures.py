"""How well probabilities of classes tell rows apart: scores, and the curves that reports draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import log_loss, roc_auc_score, roc_curve

from multigene.classes.constants import BINS, MOST_POINTS
from multigene.classes.fitted import FittedClasses

Floats = npt.NDArray[np.float64]


def class_scores(model: FittedClasses, shares: Floats, labels: Sequence[Any]) -> dict[str, Any]:
    """Accuracy, area under the ROC curve (mean of every class against the rest; None where rows are of one class), log loss."""
    places = {str(label): place for place, label in enumerate(model.classes)}
    unknown = next((label for label in labels if str(label) not in places), None)
    if unknown is not None:
        known = ", ".join(map(repr, model.classes))
        raise ValueError(
            f"{unknown!r} is no class of the training rows, which have {known}; leave such rows out."
        )
    index = np.array([places[str(label)] for label in labels])
    area = None
    if len(np.unique(index)) == len(model.classes):
        many = len(model.classes) > 2
        area = float(roc_auc_score(index, shares if many else shares[:, 1], multi_class="ovr"))
    return {
        "rows": len(index),
        "accuracy": float(np.mean(np.argmax(shares, axis=1) == index)),
        "roc_auc": area,
        "log_loss": float(log_loss(index, shares, labels=range(len(model.classes)))),
    }


def roc(y: Floats, shares: Floats, weights: Floats | None = None) -> tuple[Floats, Floats, float]:
    """Share of the others that are taken for the class, share of the class that is, and the area below."""
    false, true, _ = roc_curve(y, shares, sample_weight=weights)
    area = float(np.trapezoid(true, false))
    if len(false) > MOST_POINTS:
        chosen = np.unique(np.linspace(0, len(false) - 1, MOST_POINTS).round().astype(int))
        false, true = false[chosen], true[chosen]
    return false, true, area


def calibration(y: Floats, shares: Floats, weights: Floats | None = None) -> list[tuple[float, float, int]]:
    """Rows in order of their probability, in groups: mean probability, share that is of the class, rows."""
    weights = np.ones(len(y)) if weights is None else weights
    groups = np.array_split(np.argsort(shares, kind="stable"), min(BINS, len(y)))
    return [
        (
            float(np.average(shares[rows], weights=weights[rows])),
            float(np.average(y[rows], weights=weights[rows])),
            len(rows),
        )
        for rows in groups
        if len(rows) and weights[rows].sum() > 0.0
    ]

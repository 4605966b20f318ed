"""What a page says of a formula for the probability of a class: how many rows it tells right, ROC and calibration, and what it is
compared with. Numbers of `described.py` and `content.py` where the target is 0 or 1 and the loss is that of log-odds."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from multigene.classes.measures import calibration, roc
from multigene.fitted import FittedModel
from multigene.report.constants import LOGISTIC_STEPS, THRESHOLD
from multigene.report.numbers import number
from multigene.report.statistics import Floats, Rows


def are_classes(model: FittedModel, sets: list[Rows]) -> bool:
    """Is the target one of two classes on all rows shown?"""
    told = model.loss.link == "logit" and bool(sets)
    return told and all(set(np.unique(each.y)) <= {0.0, 1.0} for each in sets)


def measured(rows: Rows, shares: Floats) -> dict[str, Any]:
    """Share of rows told right, area below the ROC curve (None where rows are of one class), log loss, and rows by what they are
    and what they are taken for: [[others right, others wrong], [class missed, class found]]."""
    if not np.isfinite(shares).all():
        return {"accuracy": None, "area": None, "log_loss": None, "table": None}
    weights = np.ones(len(rows.y)) if rows.weights is None else rows.weights
    taken, of_class = shares > THRESHOLD, rows.y > THRESHOLD
    both = len(np.unique(rows.y)) == 2
    likely = np.clip(np.where(of_class, shares, 1.0 - shares), 1e-15, 1.0)
    return {
        "accuracy": number(np.average(taken == of_class, weights=weights)),
        "area": number(roc(rows.y, shares, rows.weights)[2]) if both else None,
        "log_loss": number(np.average(-np.log(likely), weights=weights)),
        "table": [
            [int((~of_class & ~taken).sum()), int((~of_class & taken).sum())],
            [int((of_class & ~taken).sum()), int((of_class & taken).sum())],
        ],
    }


def curves(rows: Rows, shares: Floats) -> dict[str, Any] | None:
    """ROC curve and calibration on a set of rows, as shares; None where it has rows of one class, or no finite probability."""
    if len(np.unique(rows.y)) < 2 or not np.isfinite(shares).all():
        return None
    false, true, area = roc(rows.y, shares, rows.weights)
    return {
        "name": rows.name,
        "area": number(area),
        "roc": [[round(float(x), 4), round(float(y), 4)] for x, y in zip(false, true, strict=True)],
        "calibration": [
            [round(p, 4), round(y, 4), count] for p, y, count in calibration(rows.y, shares, rows.weights)
        ],
    }


def references(rows: Rows) -> dict[str, Callable[[Floats], Floats]]:
    """Probabilities that any formula should beat, fitted to these rows: the share of the class, and logistic regression of all
    columns."""
    from sklearn.linear_model import LogisticRegression

    share = float(np.average(rows.y, weights=rows.weights))
    found: dict[str, Callable[[Floats], Floats]] = {"mean": lambda X: np.full(len(X), share)}
    with np.errstate(all="ignore"):
        centre, scale = rows.X.mean(axis=0), rows.X.std(axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    if 0.0 < share < 1.0 and np.isfinite(scale).all():
        regression = LogisticRegression(max_iter=LOGISTIC_STEPS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # not converged: close enough to compare with
            regression.fit((rows.X - centre) / scale, rows.y, rows.weights)
        found["linear"] = lambda X: np.asarray(regression.predict_proba((X - centre) / scale)[:, 1])
    return found


def sentence(errors: dict[str, dict[str, Any]], references: list[dict[str, Any]]) -> str:
    """The formula for somebody who reads one sentence; empty where nothing is known."""
    name = "test" if "test" in errors else "train"
    right = errors[name]["accuracy"]
    if right is None:
        return ""
    rows = "unseen" if name == "test" else "training"
    said = f"{spoken_share(right)} of 100 {rows} rows are told right"
    known = {each["name"]: each["errors"][name]["accuracy"] for each in references}
    if "linear" in known:
        said += f"; logistic regression gets {spoken_share(known['linear'])}"
    if "mean" in known:
        said += f", taking all for the larger class {spoken_share(known['mean'])}"
    return said + "." + ("" if name == "test" else " The search has seen these rows.")


def spoken_share(share: float | None) -> str:
    """Rows of 100, with a digit after the point where it tells something."""
    percent = math.nan if share is None else 100.0 * share
    return "none" if math.isnan(percent) else f"{percent:.1f}".removesuffix(".0")

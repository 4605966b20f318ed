"""The classifier beside logistic regression and gradient boosting: ROC AUC on rows not seen, and the size of formulas.

Six public sets: four of scikit-learn (`digits` with the classes 3, 5, 8 and 9), two of statsmodels (`anes96`: the vote, `fair`:
any affair; 1,500 rows of it drawn at random). A third of the rows, drawn anew for every seed and alike in classes, is for
testing; with several classes the score is the mean over them, each told from the rest. Formulas have at
most 40 nodes, as printed.

    python -m benchmarks classes --seconds 10 --seeds 3 --sets cancer,wine
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from multigene import MultigeneClassifier

Rows = tuple[Any, Any]
MOST_NODES = 40


def _digits() -> Rows:
    X, y = load_digits(return_X_y=True)
    kept = np.isin(y, [3, 5, 8, 9])
    return X[kept], y[kept]


def _anes96() -> Rows:
    from statsmodels.datasets import anes96

    data = anes96.load_pandas().data
    return data.drop(columns="vote").to_numpy(float), data["vote"].to_numpy(int)


def _fair() -> Rows:
    from statsmodels.datasets import fair

    data = fair.load_pandas().data.sample(1500, random_state=0)
    return data.drop(columns="affairs").to_numpy(float), (data["affairs"] > 0).to_numpy(int)


SETS: dict[str, Callable[[], Rows]] = {
    "cancer": lambda: load_breast_cancer(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "iris": lambda: load_iris(return_X_y=True),
    "digits": _digits,
    "anes96": _anes96,
    "fair": _fair,
}


def _auc(model: Any, X: Any, y: Any) -> float:
    shares = model.predict_proba(X)
    if shares.shape[1] == 2:
        return float(roc_auc_score(y, shares[:, 1]))
    return float(
        np.mean([roc_auc_score(y == label, p) for label, p in zip(model.classes_, shares.T, strict=True)])
    )


def measured(name: str, seconds: float, seed: int, nodes: int = MOST_NODES) -> dict[str, float]:
    """ROC AUC of the three on one draw, and the nodes of the largest formula."""
    X, y = SETS[name]()
    train, test, y_train, y_test = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=seed)
    ours = MultigeneClassifier(
        time_limit=seconds,
        max_size=nodes or None,
        random_state=seed,
        n_jobs=1,
        settings={"clock": "processor"},
    )
    models = {
        "multigene": ours,
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)),
        "boosting": GradientBoostingClassifier(random_state=seed),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {each: _auc(model.fit(train, y_train), test, y_test) for each, model in models.items()}
    sizes = [each.formula_.size for each in models["multigene"].regressors_]
    return {**found, "nodes": max(sizes)}


def run(arguments: Sequence[str] = ()) -> str:
    """Measure; prints every set when it is done, and returns the summary."""
    parser = argparse.ArgumentParser(prog="benchmarks classes", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="of the processor, for all classes together"
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=MOST_NODES, help="of the largest formula; 0 for any")
    parser.add_argument("--sets", default=",".join(SETS))
    given = parser.parse_args(arguments)
    print(
        f"{'set':8} {'multigene':>9} {'logistic':>9} {'boosting':>9} {'nodes':>6}   medians of {given.seeds} draws"
    )
    boosting, logistic, names = 0, 0, [name for name in given.sets.split(",") if name]
    for name in names:
        draws = [measured(name, given.seconds, seed, given.nodes) for seed in range(given.seeds)]
        row = {key: statistics.median(draw[key] for draw in draws) for key in draws[0]}
        boosting += row["multigene"] >= row["boosting"] - 0.01
        logistic += row["multigene"] >= row["logistic"] - 0.01
        print(
            f"{name:8} {row['multigene']:9.4f} {row['logistic']:9.4f} {row['boosting']:9.4f} {row['nodes']:6.0f}",
            flush=True,
        )
    return (
        f"Not below boosting minus 0.01 on {boosting} of {len(names)} sets, "
        f"not below logistic regression minus 0.01 on {logistic}; formulas of at most {given.nodes or 'any number of'} nodes."
    )

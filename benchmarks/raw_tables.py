"""Raw tables as they come: multigene beside ridge regression on one-hot, imputed columns and gradient boosting, k-fold.

Tables that scikit-learn, statsmodels and vega_datasets carry, and made ones with every trouble: text, many and rare levels, gaps
that tell something, dates with seasons, ordered levels, levels that only test rows have. Each is given as it is to `fit`.
A row of the result: test R² of each method over all folds' test rows together, multigene's and ridge's mean of the folds' own R²,
nodes of multigene's formula, exceptions. A test fold of three rows has R² from −100 to 1, and the mean of such is chance; all
test rows together have one mean and one spread. Below the table: how often multigene is more than 0.01 below ridge in either way,
how often at least even with boosting, and the median size.

    python -m benchmarks raw_tables [--folds 5] [--seconds 5] [--tables cars,fair] [--rows 2000]

Needs `pip install statsmodels vega_datasets`. Processor seconds per fit on one thread.
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from multigene import MultigeneRegressor

#: Target of every table of statsmodels and vega_datasets that has more than one usable column and 15 rows.
STATSMODELS = {
    "anes96": "vote", "ccard": "AVGEXP", "committee": "BILLS104", "copper": "WORLDCONSUMPTION",
    "cpunish": "EXECUTIONS", "danish_data": "lrm", "elnino": "JAN", "engel": "foodexp", "fair": "affairs", "grunfeld": "invest",
    "heart": "survival", "interest_inflation": "Dp", "longley": "TOTEMP", "macrodata": "realcons", "modechoice": "invt",
    "randhie": "mdvis", "scotland": "YES", "spector": "GRADE", "stackloss": "STACKLOSS", "star98": "NABOVE",
    "statecrime": "murder", "strikes": "duration", "cancer": "cancer",
}  # fmt: skip
VEGA = {
    "airports": "latitude", "anscombe": "Y", "barley": "yield", "burtin": "Streptomycin", "cars": "Miles_per_Gallon",
    "crimea": "wounds", "driving": "gas", "iowa-electricity": "net_generation", "iris": "petalWidth",
    "la-riots": "age", "seattle-weather": "temp_max", "sf-temps": "temp", "stocks": "price", "wheat": "wheat",
}  # fmt: skip

Raw = tuple[pd.DataFrame, "np.ndarray[Any, np.dtype[np.float64]]"]


def tables() -> dict[str, Callable[[], Raw]]:
    """Every table by name."""
    from sklearn import datasets

    found: dict[str, Callable[[], Raw]] = {
        "diabetes": lambda: _split(datasets.load_diabetes(as_frame=True).frame, "target"),
        "linnerud": lambda: _split(datasets.load_linnerud(as_frame=True).frame, "Weight"),
        "wine": lambda: _split(datasets.load_wine(as_frame=True).frame.astype({"target": str}), "alcohol"),
        "iris-species": lambda: _split(
            datasets.load_iris(as_frame=True).frame.astype({"target": str}), "sepal length (cm)"
        ),
    }
    for name, target in STATSMODELS.items():
        found[name] = lambda name=name, target=target: _split(_statsmodels(name), target)  # type: ignore[misc]
    for name, target in VEGA.items():
        found[name] = lambda name=name, target=target: _split(_vega(name), target)  # type: ignore[misc]
    found.update({f"made-{trouble}": (lambda trouble=trouble: made(trouble)) for trouble in TROUBLES})  # type: ignore[misc]
    return found


def _statsmodels(name: str) -> pd.DataFrame:
    import statsmodels.api as sm

    return getattr(sm.datasets, name).load_pandas().data


def _vega(name: str) -> pd.DataFrame:
    import vega_datasets

    return getattr(vega_datasets.local_data, name.replace("-", "_"))()


def _split(frame: pd.DataFrame, target: str) -> Raw:
    frame = frame[frame[target].notna()].reset_index(drop=True)
    return frame.drop(columns=target), frame[target].to_numpy(dtype=np.float64)


TROUBLES = ("levels", "many-levels", "gaps", "season", "ordered", "everything")


def made(trouble: str, n: int = 600) -> Raw:
    """A table with one trouble, or with all of them."""
    rng = np.random.default_rng(len(trouble))
    x, z = rng.uniform(0, 4, n), rng.normal(size=n)
    X, y = pd.DataFrame({"x": x, "z": z}), np.sin(x) * 2 + z + 0.2 * rng.normal(size=n)
    every = trouble == "everything"
    if trouble == "levels" or every:
        level = rng.choice(["north", "south", "west", "rare"], n, p=[0.5, 0.3, 0.195, 0.005])
        X["region"] = level
        y = y + np.where(level == "north", 3.0 * x, 0.0)
    if trouble == "many-levels" or every:
        town = rng.integers(0, 60, n)
        X["town"] = [f"town {i}" for i in town]
        y = y + rng.normal(size=60)[town] * 2.0
    if trouble == "season" or every:
        day = rng.integers(0, 1200, n)
        X["day"] = pd.Timestamp("2021-03-01") + pd.to_timedelta(day, "D")
        y = y + 2.0 * np.sin(2 * np.pi * day / 365.2425) + 0.002 * day
    if trouble == "ordered" or every:
        grade = rng.integers(0, 5, n)
        X["grade"] = pd.Categorical.from_codes(grade, ["a", "b", "c", "d", "e"], ordered=True)
        y = y + grade
    if trouble == "gaps" or every:
        gone = rng.uniform(size=n) < 0.25
        y = y + 3.0 * gone
        X.loc[gone, "z"] = np.nan
    return X, y


def ridge(X: pd.DataFrame) -> Any:
    """Ridge regression on one-hot, imputed columns; dates as days."""
    return make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include=np.number)),
            (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude=np.number)),
        ),
        RidgeCV(np.logspace(-3, 3, 13)),
    )


def boosting(X: pd.DataFrame) -> Any:
    """Gradient boosting on ordinal codes."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    encoder = make_column_transformer(
        (codes, make_column_selector(dtype_exclude=np.number)), remainder="passthrough"
    )
    return make_pipeline(encoder, HistGradientBoostingRegressor(random_state=0))


def _for_others(X: pd.DataFrame) -> pd.DataFrame:
    """Dates as days and flags as numbers, text without gaps: what a careful user would do first."""
    X = X.copy()
    for name in X.columns:
        if pd.api.types.is_datetime64_any_dtype(X[name]):
            X[name] = (X[name] - pd.Timestamp("1970-01-01")).dt.total_seconds() / 86400
        elif pd.api.types.is_bool_dtype(X[name]):
            X[name] = X[name].astype(float)
        elif not pd.api.types.is_numeric_dtype(X[name]):
            X[name] = X[name].astype(object).where(X[name].notna(), "gap").astype(str)
    return X


def measure(X: pd.DataFrame, y: Any, folds: int, seconds: float) -> dict[str, float]:
    """R² of the methods on all test rows together, mean R² of the folds, and the median size of the formulas."""
    names = ("multigene", "ridge", "boosting")
    found = {name: np.empty(len(y)) for name in names}
    scores: dict[str, list[float]] = {name: [] for name in names}
    sizes = []
    plain = _for_others(X)
    for train, test in KFold(folds, shuffle=True, random_state=0).split(y):
        model = MultigeneRegressor(
            time_limit=seconds, random_state=0, n_jobs=1, settings={"clock": "processor"}
        )
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            model.fit(X.iloc[train], y[train])
            found["multigene"][test] = model.predict(X.iloc[test])
            for name, make in (("ridge", ridge), ("boosting", boosting)):
                fitted = make(plain).fit(plain.iloc[train], y[train])
                found[name][test] = fitted.predict(plain.iloc[test])
        sizes.append(model.formula_.size)
        for name in names:
            scores[name].append(r2_score(y[test], found[name][test]))
    return {
        **{name: r2_score(y, found[name]) for name in names},
        **{f"{name} by fold": statistics.fmean(scores[name]) for name in names},
        "nodes": statistics.median(sizes),
    }


def run(arguments: Sequence[str] = ()) -> str:
    """Measure; prints every table when it is done, and returns the summary."""
    parser = argparse.ArgumentParser(prog="benchmarks raw_tables", description=__doc__.split("\n\n")[0])
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--tables", default="")
    parser.add_argument("--rows", type=int, default=2000, help="at most this many rows, drawn at random")
    given = parser.parse_args(arguments)
    wanted = [name for name in given.tables.split(",") if name]
    rows: list[dict[str, float]] = []
    failed = 0
    columns = ("multigene", "ridge", "boosting", "multigene by fold", "ridge by fold")
    heads = " ".join(f"{name.replace('multigene by fold', 'by fold'):>13}" for name in columns)
    print(f"{'table':20} {'rows':>6} {'columns':>7} {heads} {'nodes':>6}", flush=True)
    for name, load in tables().items():
        if wanted and name not in wanted:
            continue
        X, y = load()
        if len(y) > given.rows:
            kept = np.random.default_rng(0).permutation(len(y))[: given.rows]
            X, y = X.iloc[kept].reset_index(drop=True), y[kept]
        try:
            row = measure(X, y, given.folds, given.seconds)
        except Exception as error:
            failed += 1
            print(f"{name:20} {type(error).__name__}: {str(error)[:150]}", flush=True)
            continue
        rows.append(row)
        figures = " ".join(f"{row[name]:>13.4f}" for name in columns)
        print(f"{name:20} {len(y):>6} {X.shape[1]:>7} {figures} {row['nodes']:>6.0f}", flush=True)
    below = sum(row["multigene"] < row["ridge"] - 0.01 for row in rows)
    by_fold = sum(row["multigene by fold"] < row["ridge by fold"] - 0.01 for row in rows)
    even = sum(row["multigene"] >= row["boosting"] for row in rows)
    nodes = statistics.median(row["nodes"] for row in rows) if rows else float("nan")
    return (
        f"{len(rows)} tables, {failed} exceptions; more than 0.01 below ridge on {below} (by fold {by_fold}); at least even "
        f"with boosting on {even}; median size {nodes:.0f} nodes"
    )

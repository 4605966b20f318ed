"""SRBench's black-box protocol: R², size and seconds on every table of a directory, and the rank among published methods.

As SRBench's `evaluate_model.py` does it: its ten seeds, 75 % of the rows for training by scikit-learn's split of that seed; of a
set of more than 10,000 rows a random sample of 10,000 training rows (drawn with repetition, as there); features and target
standardised by the training rows; R² of the test rows in the target's own units. Size is that of the SymPy tree of the formula
(`printed_size.py`), which stands in standardised features, as published sizes do. A set's figures are medians over seeds, the
table's last line medians over sets; R² below 0 counts as 0. Ranks are those of a set's R² among the methods that have published
one, averaged over sets.

    python -m benchmarks srbench --data DIR             every table of the directory (see `tables.py`)
        --published FILE                                results of other methods (CSV or feather), a row per run or per set:
                                                        dataset, algorithm, r2_test and, if there is one, model_size
        --seeds 10                                      the first this many of SRBench's seeds
        --seconds 20, --clock processor                 on one core; or --clock wall
        --csv FILE                                      every run as a row: dataset, random_state, r2_test, model_size, seconds, …
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console, Group
from rich.table import Table as Shown
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.printed_size import printed_size
from benchmarks.tables import Floats, Table, tables

SEEDS = (23654, 15795, 860, 5390, 16850, 29910, 4426, 21962, 14423, 28020)
MOST_ROWS = 10_000
OURS = "multigene"


def split(table: Table, seed: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Training features, test features, training target, test target, none of them standardised."""
    X_train, X_test, y_train, y_test = train_test_split(
        table.X, table.y, train_size=0.75, test_size=0.25, random_state=seed
    )
    if len(table.y) > MOST_ROWS:
        drawn = np.random.RandomState(seed).choice(np.arange(len(X_train)), size=MOST_ROWS)
        X_train, y_train = X_train[drawn], y_train[drawn]
    return X_train, X_test, y_train, y_test


def one(table: Table, seed: int, seconds: float, clock: str) -> dict[str, Any]:
    """One run."""
    from multigene import MultigeneRegressor

    X_train, X_test, y_train, y_test = split(table, seed)
    features, target = StandardScaler().fit(X_train), StandardScaler().fit(y_train[:, None])
    model = MultigeneRegressor(time_limit=seconds, random_state=seed, n_jobs=1, settings={"clock": clock})
    wall, processor = time.perf_counter(), time.process_time()
    model.fit(features.transform(X_train), target.transform(y_train[:, None]).ravel())
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    predicted = target.inverse_transform(model.predict(features.transform(X_test))[:, None]).ravel()
    return {
        "dataset": table.name,
        "algorithm": OURS,
        "random_state": seed,
        "r2_test": r2_score(y_test, predicted) if np.all(np.isfinite(predicted)) else -np.inf,
        "model_size": printed_size(str(model.formula_)),
        "seconds": wall if clock == "wall" else processor,
        "stopped_by": model.stopped_by_,
        "formula": str(model.formula_),
    }


# --- among published methods ----------------------------------------------------------------------


def published(path: str | Path) -> pd.DataFrame:
    """Results of other methods, one row per run or per set and method."""
    frame = pd.read_feather(path) if str(path).endswith(".feather") else pd.read_csv(path)
    missing = {"dataset", "algorithm", "r2_test"} - set(frame.columns)
    if missing:
        raise SystemExit(
            f"{str(path)!r} has no column {', '.join(sorted(missing))}; published results need dataset, algorithm and r2_test."
        )
    return frame


def by_set(results: pd.DataFrame) -> pd.DataFrame:
    """R² and size of every method on every set: medians over seeds, R² below 0 as 0."""
    clipped = results.assign(r2_test=results["r2_test"].clip(lower=0.0))
    columns = [name for name in ("r2_test", "model_size", "seconds") if name in results]
    return clipped.groupby(["dataset", "algorithm"], sort=False)[columns].median().reset_index()


def ranks(ours: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Every method's rank on the sets that both have: 1 is the best R², equals share a rank."""
    shared = set(ours["dataset"]) & set(others["dataset"])
    both = pd.concat([by_set(ours), by_set(others)])
    both = both[both["dataset"].isin(shared)]
    return both.assign(rank=both.groupby("dataset")["r2_test"].rank(ascending=False))


# --- tables ---------------------------------------------------------------------------------------


def sets_table(results: pd.DataFrame, ranked: pd.DataFrame | None, title: str) -> Shown:
    """A line per set, and the medians."""
    shown = Shown(
        "set", "R²", "size", "s", *([] if ranked is None else ["rank", "best published"]), title=title
    )
    median = by_set(results)
    for row in median.itertuples():
        cells = [row.dataset, f"{row.r2_test:.4f}", f"{row.model_size:.0f}", f"{row.seconds:.1f}"]
        here = None if ranked is None else ranked[ranked["dataset"] == row.dataset]
        if here is not None and len(here):
            others = here[here["algorithm"] != OURS]
            top = others.loc[others["r2_test"].idxmax()]
            rank = here.loc[here["algorithm"] == OURS, "rank"].iloc[0]
            cells += [f"{rank:g} of {len(here)}", f"{top['r2_test']:.4f} {top['algorithm']}"]
        shown.add_row(*cells)
    shown.add_section()
    middle = median[["r2_test", "model_size", "seconds"]].median()
    shown.add_row(
        f"median of {len(median)}",
        f"{middle['r2_test']:.4f}",
        f"{middle['model_size']:.0f}",
        f"{middle['seconds']:.1f}",
    )
    return shown


def methods_table(ranked: pd.DataFrame) -> Shown:
    """A line per method, the best mean rank first."""
    shown = Shown("method", "mean rank", "median R²", "median size", "sets", title="Among published methods")
    grouped = ranked.groupby("algorithm")
    for name in grouped["rank"].mean().sort_values().index:
        mine = grouped.get_group(name)
        size = mine["model_size"].median() if "model_size" in mine else np.nan
        cells = [
            f"{mine['rank'].mean():.2f}",
            f"{mine['r2_test'].median():.4f}",
            "-" if np.isnan(size) else f"{size:.0f}",
        ]
        shown.add_row(str(name), *cells, str(len(mine)))
    return shown


# --- the front door -------------------------------------------------------------------------------


def options_of(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of this benchmark."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks srbench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", required=True)
    parser.add_argument("--published")
    parser.add_argument(
        "--seeds", default=len(SEEDS), type=int, choices=range(1, len(SEEDS) + 1), metavar="1-10"
    )
    parser.add_argument("--seconds", default=20.0, type=float)
    parser.add_argument("--clock", default="processor", choices=("processor", "wall"))
    parser.add_argument("--csv")
    return parser.parse_args(arguments)


def run(arguments: Sequence[str] = ()) -> Group:
    """Measure set by set, return the tables."""
    options, console = options_of(arguments), Console(stderr=True, width=160)
    others = None if options.published is None else published(options.published)
    runs: list[dict[str, Any]] = []
    for table in tables(options.data):
        for seed in SEEDS[: options.seeds]:
            runs.append(one(table, seed, options.seconds, options.clock))
            last = runs[-1]
            console.print(
                table.name, seed, f"R² {last['r2_test']:.4f}, size {last['model_size']}", highlight=False
            )
            if options.csv:
                pd.DataFrame(runs).to_csv(options.csv, index=False, float_format="%.6g", lineterminator="\n")
    results = pd.DataFrame(runs)
    ranked = None if others is None else ranks(results, others)
    about = f"SRBench's protocol: {options.seconds:g} s ({options.clock}), one core, {options.seeds} seed(s)"
    return Group(
        sets_table(results, ranked, about),
        *([] if ranked is None or ranked.empty else [methods_table(ranked)]),
    )

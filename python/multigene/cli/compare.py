"""`multigene compare`: models and regressors on the same rows."""

from __future__ import annotations

import importlib.util
import io
import time as clock
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import typer

from multigene.cli import options as o
from multigene.cli.option_groups import Reading, Rows, Saying, Search, spread
from multigene.cli.output import check_writable, notes, progress_visible, say, say_json, working, write
from multigene.cli.task import Problem, asked, problem
from multigene.data.encoding.raw import raw_columns
from multigene.data.scores import scores
from multigene.explain.measures import curves_of_errors
from multigene.words import nearest

EPILOG = """Examples:

  multigene compare data.csv linear random-forest multigene --target y

  multigene compare data.csv multigene:UB multigene:baseline --cv 5 --time 20

  multigene compare test.csv first.json second.json linear --holdout 0.5

  multigene compare data.csv linear multigene --target y --plot curves.png
"""
Floats = npt.NDArray[np.float64]
PICTURES = (".png", ".svg", ".pdf")
DEFAULT = ("mean", "linear", "random-forest", "multigene")


Contenders = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CONTENDER",
        help="Model files, or regressors: mean, linear, polynomial, lasso, tree, random-forest, "
        "gradient-boosting, neighbours, svm, multigene, multigene:UB, …",
        show_default=" ".join(DEFAULT),
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(
        "--cv", metavar="FOLDS", help="Cross-validate instead of one split.", rich_help_panel=o.DATA
    ),
]


Picture = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        help="Picture of the error curves to write (PNG, SVG, PDF): share of test rows predicted to within a "
        "given error.",
        rich_help_panel=o.RESULT,
    ),
]


@spread
def compare(
    data: o.DataArgument,
    contenders: Contenders = None,
    *,
    rows: Rows,
    cv: Folds = None,
    search: Search,
    plot: Picture = None,
    saying: Saying,
    reading: Reading,
) -> None:
    """Compare models and regressors on one table, by rows they were not fitted to.

    Without --test, --holdout or --cv a fifth of the rows is kept for testing. Model files are not fitted
    again: mind that they may have seen the test rows.
    """
    rows = with_test_rows(rows, cv)
    check_picture(plot)
    makers = {name: contender(name, search) for name in contenders or DEFAULT}
    task = problem(data, rows, reading, search.seed)
    notes(task.notes, saying.quiet)
    pairs = list(folds(task, cv, search.seed))
    results, errors = [], {}
    with working(progress_visible(saying.quiet)) as tell:
        for number, (name, make) in enumerate(makers.items(), 1):
            tell(f"{name} ({number} of {len(makers)})")
            row, errors[name] = measured(name, make, task, pairs)
            results.append(row)
    results.sort(key=lambda row: -row["test_r2"] if np.isfinite(row["test_r2"]) else np.inf)
    if plot is not None:
        draw(plot, errors, task.columns.target)
    if saying.json:
        say_json({"target": task.columns.target, "folds": cv, "results": results})
    else:
        say(spoken(results))


def with_test_rows(rows: Rows, cv: int | None) -> Rows:
    """The rows with a fifth held out where nothing else says which rows are for testing."""
    if cv is None:
        return rows if rows.test is not None or rows.holdout is not None else replace(rows, holdout=0.2)
    if rows.test is not None or rows.holdout is not None:
        raise ValueError(
            "Give one of --cv, --test and --holdout, not two: each says which rows are for testing."
        )
    if cv < 2:
        raise ValueError(f"--cv {cv} is too few folds; take at least 2.")
    return rows


def contender(name: str, search: Search) -> Callable[[], Any]:
    """What makes a fresh regressor of this name, or hands out the model of this file."""
    if name.split(":")[0] == "multigene":
        from multigene.estimator import MultigeneRegressor

        parameters = asked(search, name.partition(":")[2] or None)  # a mistake in its name is told at once
        return lambda: MultigeneRegressor(**parameters.values())
    makers = regressors(search.seed)
    if name in makers:
        return makers[name]
    if Path(name).suffix == ".json" or Path(name).exists():
        from multigene.model_file import load

        model = load(name)
        return lambda: model
    known = [*makers, "multigene"]
    raise ValueError(
        "There is no regressor or model file "
        f"{name!r}{nearest(name, known) or '; the regressors are ' + ', '.join(known) + '.'}"
    )


def regressors(seed: int) -> dict[str, Callable[[], Any]]:
    """Regressors of scikit-learn by plain names, in sensible settings."""
    from sklearn.dummy import DummyRegressor
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from sklearn.linear_model import LassoCV, LinearRegression, RidgeCV
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler
    from sklearn.svm import SVR
    from sklearn.tree import DecisionTreeRegressor

    return {
        "mean": DummyRegressor,
        "linear": LinearRegression,
        "polynomial": lambda: make_pipeline(
            StandardScaler(), PolynomialFeatures(2), RidgeCV(np.logspace(-6, 3, 10))
        ),
        "lasso": lambda: make_pipeline(StandardScaler(), LassoCV(random_state=seed)),
        "tree": lambda: DecisionTreeRegressor(max_leaf_nodes=20, random_state=seed),
        "random-forest": lambda: RandomForestRegressor(200, random_state=seed),
        "gradient-boosting": lambda: HistGradientBoostingRegressor(random_state=seed),
        "neighbours": lambda: make_pipeline(StandardScaler(), KNeighborsRegressor()),
        "svm": lambda: make_pipeline(StandardScaler(), SVR(C=100.0)),
    }


def prepared(model: Any, X: pd.DataFrame) -> Any:
    """A regressor of scikit-learn for a table with text, dates or gaps: one-hot levels, means for gaps, dates as days."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

    kinds = {column.name: column.kind for column in raw_columns(X)}
    if set(kinds.values()) == {"number"} and not bool(X.isna().any(axis=None)):
        return model

    def named(kind: str) -> list[str]:
        return [name for name in X.columns if kinds[name] == kind]

    return make_pipeline(
        make_column_transformer(
            (SimpleImputer(keep_empty_features=True), named("number")),
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), named("text")),
            (make_pipeline(FunctionTransformer(days_of), SimpleImputer()), named("date")),
        ),
        model,
    )


def days_of(X: pd.DataFrame) -> Floats:
    """Days since 1970 of columns of dates, text that is a date included."""
    return np.column_stack([column.values for column in raw_columns(X, dict.fromkeys(X.columns, "date"))])


def folds(task: Problem, cv: int | None, seed: int) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Pairs of training and test rows."""
    if cv is None:
        assert task.test is not None
        yield task.train, task.test
        return
    if cv > len(task.train):
        raise ValueError(f"--cv {cv} is more folds than there are rows ({len(task.train)}); take fewer.")
    order = np.random.default_rng(seed).permutation(len(task.train))
    for part in np.array_split(order, cv):
        tested = np.zeros(len(order), dtype=bool)
        tested[part] = True
        yield task.train[~tested], task.train[tested]


def measured(
    name: str, make: Callable[[], Any], task: Problem, pairs: list[tuple[pd.DataFrame, pd.DataFrame]]
) -> tuple[dict[str, Any], Floats]:
    """Scores of one contender over all folds: means, and the standard deviation of the test R²; and the
    errors on all test rows.
    """
    from multigene.estimator import MultigeneRegressor
    from multigene.fitted import FittedModel

    errors: list[Floats] = []
    rows: list[dict[str, float]] = []
    size: list[float] = []
    started = clock.perf_counter()
    for train, test in pairs:
        model = make()
        if not isinstance(model, FittedModel):
            model = model if isinstance(model, MultigeneRegressor) else prepared(model, task.x(train))
            model.fit(task.x(train), task.y(train).to_numpy())
            model = getattr(model, "fitted_", model)
        predict = _predictor(model, task)
        predicted, actual = predict(test), task.y(test).to_numpy()
        training, testing = scores(task.y(train).to_numpy(), predict(train)), scores(actual, predicted)
        errors.append(np.asarray(predicted - actual, dtype=np.float64))
        rows.append({"train_r2": training["r2"], "test_r2": testing["r2"], "test_rmse": testing["rmse"]})
        if isinstance(model, FittedModel):
            size.append(model.formula.size)
    mean = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
    with np.errstate(invalid="ignore"):  # R² is minus infinity where a prediction is not finite
        deviation = float(np.std([row["test_r2"] for row in rows])) if len(rows) > 1 else None
    row = {
        "name": name,
        **mean,
        "test_r2_sd": deviation,
        "nodes": float(np.mean(size)) if size else None,
        "seconds": round(clock.perf_counter() - started, 3),
    }
    return row, np.concatenate(errors)


def check_picture(path: Path | None) -> None:
    """Refuse a picture that cannot be drawn or written before anything is fitted."""
    check_writable(path, "--plot")
    if path is not None and path.suffix.lower() not in PICTURES:
        raise ValueError(
            f"--plot {path} is no picture that can be drawn; end its name in {', '.join(PICTURES)}."
        )
    if path is not None and importlib.util.find_spec("matplotlib") is None:
        raise ValueError("--plot needs matplotlib: pip install 'multigene[report]'.")


def draw(path: Path, errors: dict[str, Floats], target: str) -> None:
    """The error curves of all contenders in one picture."""
    from matplotlib.figure import Figure

    from multigene.report.plots import draw_error_curves

    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    axes = draw_error_curves(curves_of_errors(errors), figure.subplots())
    axes.set_xlabel(f"absolute error of {target}")
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:].lower(), dpi=150)
    write(path, picture.getvalue())


def _predictor(model: Any, task: Problem) -> Callable[[pd.DataFrame], Any]:
    from multigene.fitted import FittedModel

    if not isinstance(model, FittedModel):
        return lambda frame: model.predict(task.x(frame))
    missing = [name for name in model.raw_names if name not in task.train.columns]
    if missing:
        raise ValueError(
            f"A model uses column {missing[0]!r}, which is not among the features; do not exclude it."
        )
    return lambda frame: model.predict(model.features(frame))


def spoken(results: list[dict[str, Any]]) -> str:
    """A table for people, the best first."""
    width = max(len("contender"), *(len(row["name"]) for row in results))
    lines = [
        f"{'contender':{width}}  {'test R²':>9}  {'± sd':>8}  {'test RMSE':>10}  {'train R²':>9}  "
        f"{'nodes':>6}  {'seconds':>8}"
    ]
    for row in results:
        spread = "" if row["test_r2_sd"] is None else f"{row['test_r2_sd']:.4f}"
        nodes = "" if row["nodes"] is None else f"{row['nodes']:.0f}"
        lines.append(
            f"{row['name']:{width}}  {row['test_r2']:>9.5f}  {spread:>8}  {row['test_rmse']:>10.5g}  "
            f"{row['train_r2']:>9.5f}  {nodes:>6}  {row['seconds']:>8.2f}"
        )
    return "\n".join(lines)

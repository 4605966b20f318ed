"""Raw tables through the front door: text, dates and gaps in, a formula that names them out, in Python and in files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from multigene import MultigeneClassifier, MultigeneRegressor, MultigeneTransformer, load
from multigene.data.encoding.encoding import UnseenLevelWarning


def sales(n: int = 400) -> tuple[pd.DataFrame, pd.Series]:
    """Prices by size, region, day and a flag, with gaps in the size."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "size": rng.uniform(20, 120, n).round(1),
            "region": rng.choice(["north", "south", "west"], n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D"),
            "new": rng.uniform(size=n) > 0.5,
        }
    )
    y = 3.0 * X["size"] + 40.0 * (X["region"] == "north") + 0.05 * (X["day"] - X["day"].min()).dt.days
    X.loc[::23, "size"] = np.nan
    return X, pd.Series(y + rng.normal(0, 1, n), name="price")


QUICK: dict[str, Any] = {"generations": 6, "random_state": 0, "search": "accuracy"}


@pytest.fixture(scope="module")
def fitted() -> MultigeneRegressor:
    X, y = sales()
    return MultigeneRegressor(generations=30, random_state=0, search="accuracy").fit(X, y)


def test_a_raw_table_gives_a_formula_that_names_its_columns(fitted: MultigeneRegressor) -> None:
    X, y = sales()
    assert fitted.score(X, y) > 0.9
    assert list(fitted.feature_names_in_) == ["size", "region", "day", "new"]
    assert fitted.n_features_in_ == 4
    text = str(fitted.formula_)
    assert "filled(size" in text
    assert 'if region == "north"' in text
    np.testing.assert_allclose(fitted.formula_(X), fitted.predict(X), rtol=1e-9)
    assert fitted.encode(X).shape[1] == len(fitted.fitted_.names)


def test_other_kinds_of_tables_give_the_same(fitted: MultigeneRegressor) -> None:
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    X, y = sales()
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().from_arrow(pa.Table.from_pandas(X))
    # Warnings are errors here: names of lazy frames are asked for without one.
    kinds = (
        pl.from_pandas(X),
        pl.from_pandas(X).lazy(),
        pa.Table.from_pandas(X),
        pa.RecordBatch.from_pandas(X),
    )
    for kind in (*kinds, relation, X.convert_dtypes(dtype_backend="pyarrow")):
        np.testing.assert_array_equal(fitted.predict(kind), fitted.predict(X))
    with pytest.raises(
        ValueError, match=r"X is made of a dictionary; give a table, for example pandas.DataFrame\(X\)"
    ):
        fitted.predict(X.to_dict("list"))
    with pytest.raises(ValueError, match="X is made of dictionaries"):
        fitted.predict(X.to_dict("records"))
    numbers = MultigeneRegressor(**QUICK).fit(
        pa.table({"a": np.arange(30.0), "b": np.arange(30.0) ** 2}), np.arange(30.0)
    )
    assert list(numbers.feature_names_in_) == ["a", "b"]
    again = clone(fitted).set_params(generations=3).fit(pl.from_pandas(X), y.to_numpy())
    assert again.fitted_.encoding == clone(fitted).set_params(generations=3).fit(X, y).fitted_.encoding


def test_model_files_and_pickles_keep_the_encoding(fitted: MultigeneRegressor, tmp_path: Path) -> None:
    X, _ = sales()
    fitted.save(tmp_path / "model.json")
    for again in (load(tmp_path / "model.json"), pickle.loads(pickle.dumps(fitted))):
        np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
        assert str(again.formula_) == str(fitted.formula_)
        assert list(again.feature_names_in_) == list(X.columns)
    assert load(tmp_path / "model.json").formula_.to("sqlite") == fitted.formula_.to("sqlite")


def test_intervals_pruning_and_importance_work_on_raw_tables(
    fitted: MultigeneRegressor, tmp_path: Path
) -> None:
    X, y = sales()
    prediction, low, high = fitted.predict(X, interval=0.95)
    assert np.mean((low <= y) & (y <= high)) > 0.9
    assert len(fitted.importance(X, y, repeats=1))
    assert fitted.metrics(X, y)["r2"] == pytest.approx(fitted.score(X, y))
    assert len(prediction) == len(X)


def test_a_report_on_a_raw_table(fitted: MultigeneRegressor, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    X, y = sales()
    fitted.report(tmp_path / "report.html", X, y)
    assert "region ==" in (tmp_path / "report.html").read_text()


def test_levels_never_seen_are_warned_of_once(fitted: MultigeneRegressor) -> None:
    X, _ = sales()
    model = pickle.loads(pickle.dumps(fitted))
    new = X.head(3).assign(region=["east", "east", "north"])
    with pytest.warns(UnseenLevelWarning, match="has the level 'east'"):
        first = model.predict(new)
    np.testing.assert_array_equal(model.predict(new), first)  # a second warning would be an error


def test_gaps_in_the_target_drop_rows_and_say_how_many() -> None:
    X, y = sales(60)
    y[:5] = np.nan
    with pytest.warns(UserWarning, match="Left out 5 rows of 60 without a target"):
        model = MultigeneRegressor(**QUICK).fit(X, y)
    assert model.fitted_.rows is not None
    assert model.fitted_.rows.total == 55
    with pytest.raises(ValueError, match="The target is NaN in row 0"):
        MultigeneRegressor(settings={"missing": "error"}, **QUICK).fit(X.drop(columns="size"), y)


def test_what_is_done_about_gaps_can_be_said() -> None:
    X, y = sales(60)
    with pytest.raises(ValueError, match="Column 'size' is NaN in row 0"):
        MultigeneRegressor(settings={"missing": "error"}, **QUICK).fit(X, y)
    with pytest.warns(UserWarning, match="Left out 3 rows of 60 without a value"):
        dropped = MultigeneRegressor(settings={"missing": "drop"}, **QUICK).fit(X, y)
    assert "size" in dropped.fitted_.names
    with pytest.raises(ValueError, match="missing='maybe' is not known"):
        MultigeneRegressor(settings={"missing": "maybe"}, **QUICK).fit(X, y)


def test_gaps_in_arrays_are_filled() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] + X[:, 1]
    X[::9, 1] = np.nan
    model = MultigeneRegressor(**QUICK).fit(X, y)
    assert model.fitted_.names[0] == "x0"
    assert str(model.fitted_.names[1]).startswith("filled(x1, ")
    assert np.isfinite(model.predict(X)).all()
    with pytest.raises(ValueError, match="Column 'x0' is NaN in row 0"):
        model.predict(np.array([[np.nan, 1.0]]))


def test_an_indicator_is_made_where_a_gap_tells_something() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    gone = rng.uniform(size=300) < 0.3
    y = X["a"] + 5.0 * gone
    silent = X["a"] + 0.1 * rng.normal(size=300)
    X.loc[gone, "b"] = np.nan
    assert "missing(b)" in MultigeneRegressor(**QUICK).fit(X, y).fitted_.names
    assert "missing(b)" not in MultigeneRegressor(**QUICK).fit(X, silent).fitted_.names


def test_columns_that_are_not_there(fitted: MultigeneRegressor) -> None:
    X, _ = sales()
    with pytest.raises(ValueError, match="region"):
        fitted.predict(X.drop(columns="region"))


def test_transformer_and_classifier_take_raw_tables() -> None:
    X, y = sales(120)
    genes = MultigeneTransformer(MultigeneRegressor(**QUICK)).fit(X, y)
    assert genes.set_output(transform="pandas").transform(X).shape[0] == len(X)
    kept = MultigeneTransformer(MultigeneRegressor(**QUICK), keep_features=True).fit(X, y)
    assert kept.transform(X).shape[1] == len(kept.get_feature_names_out())
    classes = np.where(X["region"] == "north", "yes", "no")
    model = MultigeneClassifier(**QUICK).fit(X, classes)
    assert np.mean(model.predict(X) == classes) > 0.9


def test_pipelines_stay() -> None:
    X, y = sales(120)
    encoder = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["region"]),
        (SimpleImputer(), ["size"]),
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    model = make_pipeline(encoder, MultigeneRegressor(**QUICK)).fit(X, y)
    assert list(model[-1].feature_names_in_) == ["region_north", "region_south", "region_west", "size"]
    assert model[-1].fitted_.encoding is None
    assert np.isfinite(cross_val_score(MultigeneRegressor(**QUICK), X, y, cv=2)).all()

"""Tables larger than memory: drawn evenly, fitted to all rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from multigene import MultigeneRegressor
from multigene.cli import app
from multigene.data import stream as streams
from multigene.data.stream import Stream

QUICK = {"generations": 4, "random_state": 0, "search": "accuracy", "n_jobs": 1}
SMALL = {"settings": {"memory_megabytes": 1.0, "population_size": 40}}


def rows(n: int = 30_000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x, z = rng.uniform(-2, 2, n), rng.normal(size=n)
    region = rng.choice(["north", "south"], n)
    y = x * x + 2.0 * z + (region == "north") + 0.3 * rng.normal(size=n)
    return pd.DataFrame({"x": x, "z": z, "region": region, "y": y})


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    folder = tmp_path / "rows"
    folder.mkdir()
    for number, part in enumerate(np.array_split(np.arange(30_000), 3)):
        rows().iloc[part].to_parquet(folder / f"part-{number}.parquet", index=False)
    return folder


def test_rows_are_drawn_evenly(directory: Path) -> None:
    stream = streams.parquet(directory, "y")
    assert (stream.rows, stream.features) == (30_000, ("x", "z", "region"))
    drawn = stream.sample(300, seed=1)
    table = rows().reset_index().merge(drawn, on=["x", "y"])
    assert len(drawn) == 300
    np.testing.assert_array_equal(np.bincount(table["index"] * 300 // 30_000), np.ones(300))
    assert drawn.equals(stream.sample(300, seed=1))
    assert stream.sample(10**9, seed=0).equals(rows())


def test_coefficients_and_scores_are_those_of_all_rows(directory: Path) -> None:
    model = MultigeneRegressor(**QUICK, **SMALL).fit(directory, "y")
    whole = rows()
    X, y = whole.drop(columns="y"), whole["y"]
    assert list(model.feature_names_in_) == ["x", "z", "region"]
    assert model.fitted_.data is not None
    assert model.fitted_.data["rows"] == 30_000
    assert model.r2_ == pytest.approx(model.score(X, y), abs=1e-9)
    # Least squares over the genes of the formula, on all rows, can not do better.
    individual = model.fitted_.individual
    genes = individual.gene_values(model.encode(X).to_numpy())
    used = np.array(individual.coefficients) != 0.0
    A = np.column_stack([np.ones(len(y)), genes[:, used]])
    residual = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    assert model.r2_ == pytest.approx(1.0 - residual.var() / y.var(ddof=0), abs=1e-6)
    assert model.fitted_.data["ranges"]["x"] == [X["x"].min(), X["x"].max()]


def test_chunks_do_not_matter(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = MultigeneRegressor(**QUICK, **SMALL).fit(directory, "y")
    monkeypatch.setattr(streams, "CHUNK", 777)
    again = MultigeneRegressor(**QUICK, **SMALL).fit(directory, "y")
    assert str(again.formula_) == str(first.formula_)
    assert again.r2_ == pytest.approx(first.r2_, abs=1e-12)


def test_a_form_stays_the_form_on_all_rows(directory: Path) -> None:
    """Refitted outer coefficients gave it a further constant."""
    model = MultigeneRegressor(form="p*x*x", **{**QUICK, "search": "both"}, **SMALL).fit(directory, "y")
    assert model.fitted_.rows.total == len(rows())
    for each in model.equations_["formula"]:
        assert "+" not in str(each)
    whole = rows()
    assert model.r2_ == pytest.approx(model.score(whole.drop(columns="y"), whole["y"]), abs=1e-9)


@pytest.mark.parametrize(
    ("given", "word"), [({"loss": "absolute"}, "loss"), ({"shapes": ["increasing in x"]}, "shapes")]
)
def test_what_least_squares_on_all_rows_would_spoil_is_refused(
    directory: Path, tmp_path: Path, given: dict, word: str
) -> None:
    """The command line refitted such models by squared error without a word."""
    with pytest.raises(ValueError, match=f"read in pieces have no {word}"):
        MultigeneRegressor(**given, **QUICK, **SMALL).fit(directory, "y")
    large = tmp_path / "large.parquet"
    rows(40_000).to_parquet(large, index=False)
    option = "--loss" if word == "loss" else "--shape"
    value = given[word] if word == "loss" else given[word][0]
    line = [
        "fit",
        str(large),
        "--target",
        "y",
        option,
        value,
        "--generations",
        "2",
        "--set",
        "memory_megabytes=1",
    ]
    result = CliRunner().invoke(app, line)
    assert result.exit_code == 2
    assert f"read in pieces have no {word}" in result.output + result.stderr


def test_dask_frames_are_read_by_partition() -> None:
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(rows(), npartitions=4)
    model = MultigeneRegressor(**QUICK, **SMALL).fit(frame.drop(columns="y"), frame["y"])
    whole = rows()
    assert model.r2_ == pytest.approx(model.score(whole.drop(columns="y"), whole["y"]), abs=1e-9)
    with pytest.raises(ValueError, match="y is a Dask Series"):
        MultigeneRegressor(**QUICK).fit(frame.drop(columns="y"), whole["y"])


def test_what_is_wrong_is_said(directory: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no column 'yy'; did you mean 'y'"):
        MultigeneRegressor(**QUICK).fit(directory, "yy")
    with pytest.raises(ValueError, match="neither a Parquet file nor a directory"):
        MultigeneRegressor(**QUICK).fit(tmp_path / "none", "y")
    with pytest.raises(ValueError, match="no sample_weight"):
        MultigeneRegressor(**QUICK).fit(directory, "y", np.ones(3))
    assert Stream.of(np.zeros((3, 2)), np.zeros(3)) is None

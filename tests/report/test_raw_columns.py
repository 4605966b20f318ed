"""Text, dates and gaps on a page: a control's value becomes the numbers that the encoding makes of it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from multigene import MultigeneRegressor
from multigene.report import collect
from multigene.report.raw_columns import raws, told_apart
from multigene.report.statistics import Rows


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 200
    frame = pd.DataFrame(
        {
            "region": rng.choice(["north", "south", "east"], n),
            "opened": pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "area": rng.uniform(20.0, 200.0, n),
        }
    )
    days = (frame["opened"] - pd.Timestamp("2022-01-01")).dt.days
    frame["price"] = (
        2.0 * frame["area"] + 60.0 * (frame["region"] == "north") + 0.1 * days + rng.normal(size=n)
    )
    frame.loc[:9, "area"] = np.nan
    frame.loc[10:19, "region"] = None
    return frame


@pytest.fixture(scope="module")
def model():
    frame = table()
    search = MultigeneRegressor(generations=3, search="accuracy", random_state=0, n_jobs=1)
    return search.fit(frame.drop(columns="price"), frame["price"]).fitted_


def applied(source: dict, value) -> list[float]:
    """What the page's script does: `inputs.js`."""
    if source["kind"] == "text":
        return source["values"][-1 if value is None else source["levels"].index(value)]
    ways = {
        "value": lambda how: value,
        "missing": lambda how: 0.0,
        "elapsed": lambda how: (value - how["since"]) / how["days"],
        "sin": lambda how: math.sin(how["rate"] * (value - how["begin"])),
        "cos": lambda how: math.cos(how["rate"] * (value - how["begin"])),
    }
    return [how["gap"] if value is None else ways[how["as"]](how) for how in source["how"]]


def test_a_value_becomes_the_numbers_of_the_encoding(model):
    content, frame = collect(model), table().drop(columns="price")
    X = model.features(frame)
    sources = {each["name"]: each for each in content.sources}
    assert set(sources) == {"region", "opened", "area"}
    for row in (0, 5, 12, 50, 150):
        for name, source in sources.items():
            value = frame[name].iloc[row]
            if name == "opened":
                value = (value - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
            value = None if pd.isna(value) else value
            assert applied(source, value) == pytest.approx(X[row, source["features"]].tolist())


def test_rows_are_told_by_level_and_gap(model):
    frame = table()
    rows = Rows("train", model.features(frame.drop(columns="price")), frame["price"].to_numpy())
    region = next(raw for raw in raws(model) if raw.name == "region")
    told = dict(told_apart(region, rows))
    assert told["north"].tolist() == (frame["region"] == "north").tolist()
    assert sum(here.sum() for here in told.values()) == len(frame)


def test_segments_and_counts_speak_of_the_columns_of_the_table(model):
    content = collect(model)
    assert content.raw == 3
    for said in content.models:
        assert said["raw_variables"] <= 3
        for segment in said["segments"]:
            assert "==" not in (segment["said"] or content.features[segment["feature"]])

"""Dates and times as people write them, and the same reading of them at prediction."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from multigene import MultigeneRegressor, load
from multigene.data.dates import clock_hours, counted_dates, numbered_dates, parsed_dates
from multigene.data.encoding.raw import raw_columns


def days(*texts: str) -> list[float]:
    return [(pd.Timestamp(text) - pd.Timestamp("1970-01-01")).days for text in texts]


def test_the_order_of_day_and_month_is_told_by_any_row_or_by_whoever_knows_it() -> None:
    for texts, form, expected in (
        (["03/04/2024"], "month first", ["2024-03-04"]),
        (["03/04/2024", "13/04/2024"], "day first", ["2024-04-03", "2024-04-13"]),
        (["03.04.2024"], "day first", ["2024-04-03"]),
        (["2024-04-03"], "", ["2024-04-03"]),
    ):
        read = parsed_dates(texts)
        assert read is not None
        assert (read[0].tolist(), read[1]) == (days(*expected), form)
    read = parsed_dates(["03/04/2024"], "day first")
    assert read is not None
    assert (read[0].tolist(), read[1]) == (days("2024-04-03"), "day first")
    assert parsed_dates(["03/14/2024"], "day first") is None
    assert parsed_dates(["13/04/2024"], "month first") is None
    assert parsed_dates(["13/04/2024", "04/13/2024"]) is None
    mixed = parsed_dates(["2024-04-03", "03.04.2024", "3 Apr 2024", "2024/04/03"])
    assert mixed is not None
    assert (mixed[0].tolist(), mixed[1]) == (days(*["2024-04-03"] * 4), "day first")
    assert parsed_dates(["2024-04-03", "unknown"]) is None
    assert parsed_dates(["03.04.2024", "04/13/2024"]) is None


def seasons() -> tuple[pd.DataFrame, np.ndarray]:
    """Sales by day, the day standing first in the dates."""
    moments = pd.date_range("2024-01-01", periods=120)
    target = np.arange(120.0) * 0.5 + 3.0
    return pd.DataFrame({"when": moments.strftime("%d/%m/%Y"), "z": np.cos(np.arange(120.0))}), target


def test_a_model_reads_dates_as_it_was_trained(tmp_path) -> None:
    """Rows whose days are all up to 12 could be read either way."""
    X, y = seasons()
    model = MultigeneRegressor(generations=3, random_state=0, time_limit=None).fit(X, y)
    few = X[X["when"].str[:2].astype(int) <= 12].iloc[[5, 20, 30]]
    expected = model.predict(X)[few.index]
    np.testing.assert_allclose(model.predict(few), expected)
    model.save(tmp_path / "m.json")
    np.testing.assert_allclose(load(tmp_path / "m.json").predict(few), expected)
    with pytest.raises(ValueError, match=r"'when' holds '01/25/2024', .* trained with dates, the day first"):
        model.predict(pd.DataFrame({"when": ["01/25/2024"], "z": [0.0]}))


def test_clock_times_are_hours() -> None:
    assert clock_hours(["14:35", "0:06", "23:59:30"]) == [14 + 35 / 60, 0.1, 23 + 59 / 60 + 30 / 3600]
    assert clock_hours(["2:30 pm", "12:00 AM", "12:15 p.m."]) == [14.5, 0.0, 12.25]
    assert clock_hours(["36:30"]) == [36.5]
    for texts in (["14:65"], ["14:35", "noon"], ["13:00 pm"], [], ["1:2:3"]):
        assert clock_hours(texts) is None


@pytest.mark.parametrize("kind", ["text", "time"])
def test_columns_of_clock_times(kind: str) -> None:
    texts = ["14:30", None, "06:15"]
    times = [datetime.time(14, 30), None, datetime.time(6, 15)]
    [column] = raw_columns(pd.DataFrame({"t": texts if kind == "text" else times}))
    assert column.kind == "number"
    np.testing.assert_array_equal(column.values, [14.5, np.nan, 6.25])


def test_a_model_of_clock_times_predicts_them() -> None:
    hours = np.linspace(0.0, 23.75, 96)
    X = pd.DataFrame({"t": [f"{int(h):02}:{round(60 * (h % 1)):02}" for h in hours], "z": np.sin(hours * 7)})
    model = MultigeneRegressor(generations=3, random_state=0, time_limit=None).fit(X, 2.0 * hours + 1.0)
    assert model.predict(pd.DataFrame({"t": ["10:30"], "z": [0.0]})) == pytest.approx([22.0], abs=1e-3)


def test_numbers_that_are_all_dates() -> None:
    numbers = np.array([20240131.0, np.nan, 20240229.0, 19991231.0])
    read = numbered_dates(numbers)
    assert read is not None
    np.testing.assert_array_equal(read, [*days("2024-01-31"), np.nan, *days("2024-02-29", "1999-12-31")])
    for others in (
        [20240131.0, 20240132.0, 20240201.0],
        [20240131.0, 20240131.0, 20240201.0],  # two different ones may be anything
        [20240131.5, 20240129.0, 20240201.0],
        [1.0, 2.0, 3.0],
        [np.nan],
    ):
        assert numbered_dates(np.array(others)) is None


def test_numbered_dates_of_a_table_are_dates_also_in_a_single_row() -> None:
    moments = pd.date_range("2024-01-01", periods=80)
    X = pd.DataFrame({"day": moments.strftime("%Y%m%d").astype(int), "z": np.cos(np.arange(80.0))})
    model = MultigeneRegressor(generations=3, random_state=0, time_limit=None).fit(X, 0.5 * np.arange(80.0))
    assert "since 2024-01-01" in str(model.formula_)
    assert model.predict(X.iloc[[40]]) == pytest.approx([20.0], abs=1e-3)
    with pytest.raises(ValueError, match="'day' holds the number 7, which is no date"):
        model.predict(pd.DataFrame({"day": [7], "z": [0.0]}))


def test_counted_time_is_a_date_also_in_a_single_row_of_plain_numbers() -> None:
    """A file's column `timestamp` was read as dates; who predicts may give the numbers as they are."""
    moments = pd.date_range("2024-01-01", periods=80)
    X = pd.DataFrame({"timestamp": moments, "z": np.cos(np.arange(80.0))})
    model = MultigeneRegressor(generations=3, random_state=0, time_limit=None).fit(X, 0.5 * np.arange(80.0))
    thousandths = pd.DataFrame({"timestamp": [int(moments[40].timestamp() * 1000)], "z": [X["z"][40]]})
    assert model.predict(thousandths) == pytest.approx(model.predict(X.iloc[[40]]))


def test_numbers_that_count_time() -> None:
    seconds = np.array([1704067200.0, np.nan, 1704153600.0, 1704240000.0])
    expected = [*days("2024-01-01"), np.nan, *days("2024-01-02", "2024-01-03")]
    for name in ("timestamp", "createdAt time", "event_ts"):
        np.testing.assert_allclose(counted_dates(name, seconds * 1000), expected)
    assert counted_dates("times seen", seconds) is None
    assert counted_dates("time", np.array([0.5, 1.0, 1.5])) is None
    assert counted_dates("time", np.array([1704067200.0, 1704067200000.0, 1.7e9])) is None
    assert counted_dates("time", np.array([np.nan])) is None

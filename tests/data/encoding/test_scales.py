"""Levels of text that stand on a scale have an order; others have none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from multigene.data.encoding.learn import learn
from multigene.data.encoding.raw import raw_columns
from multigene.data.encoding.scales import natural_order

SCALES = [
    ("low", "medium", "high"),
    ("Very Low", "low", "High"),
    ("S", "M", "L", "XL"),
    ("never", "sometimes", "often", "always"),
    ("strongly disagree", "disagree", "neutral", "agree"),
    ("18-24", "25-34", "35-44", "55+"),
    ("<18", "18-24", "25+"),
    ("Under 5", "5 to 10", "10 or more"),
    ("1 - never", "2", "3", "4 - always"),
    ("500-1,000", "1,000-2,000", "2,000+"),
    ("0-100 €", "100-200 €", "200+ €"),
]


@pytest.mark.parametrize("scale", SCALES)
def test_levels_of_one_scale_have_its_order(scale: tuple[str, ...]) -> None:
    assert natural_order(sorted(scale, key=lambda level: level[::-1])) == scale


@pytest.mark.parametrize(
    "levels",
    [
        ["red", "green", "blue"],
        ["low", "high"],
        ["low", "high", "red"],
        ["low", "Low", "high"],
        ["A1", "B2", "C3"],
        ["10x20", "15x30", "20x30"],
        ["120/80", "110/70", "130/90"],
        ["10 Main St", "11 High St", "12 Low St"],
        ["2-door", "3-door", "5-door"],
        [],
    ],
)
def test_other_levels_have_none(levels: list[str]) -> None:
    assert natural_order(levels) is None


def test_held_out_rows_decide_between_ranks_and_levels() -> None:
    rng = np.random.default_rng(0)
    place = rng.integers(0, 3, 300)
    frame = pd.DataFrame({"x": rng.normal(size=300), "grade": np.array(["low", "medium", "high"])[place]})
    noise = 0.1 * rng.normal(size=300)
    ranked, _ = learn(raw_columns(frame), 2.0 * place + frame["x"].to_numpy() + noise)
    assert [column.text for column in ranked.columns] == ["x", "rank_of(grade)"]
    assert ranked.notes == ("the levels of 'grade' have ranks, 1 to 3: 'low', 'medium', 'high'",)
    bent, _ = learn(raw_columns(frame), np.array([0.0, 5.0, 1.0])[place] + frame["x"].to_numpy() + noise)
    assert {column.text for column in bent.columns} == {
        "x", 'grade == "low"', 'grade == "medium"', 'grade == "high"',
    }  # fmt: skip

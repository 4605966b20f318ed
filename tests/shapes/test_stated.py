"""Statements of shapes: what they mean, and the sentence for every mistake."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from multigene.shapes.stated import read

NAMES = ["dose", "t", "blood pressure", "x"]


def one(text):
    [shape] = read([text], NAMES, "effect").shapes
    return shape


@pytest.mark.parametrize("kind", ["increasing", "decreasing", "convex", "concave", "even", "odd"])
def test_shapes_of_a_column(kind):
    shape = one(f"{kind} in blood pressure")
    assert (shape.kind, shape.columns) == (kind, (2,))


def test_bounds_of_the_target():
    for text in ("0 <= y <= 1", "0 <= effect <= 1", "1 >= y >= 0", "0 < effect < 1"):
        assert (one(text).low, one(text).high) == (0.0, 1.0)
    assert (one("y >= -2.5e3").low, one("y >= -2.5e3").high) == (-2500.0, np.inf)
    assert (one("3 >= y").low, one("3 >= y").high) == (-np.inf, 3.0)


def test_known_values():
    assert one("y(0) = 0").at == tuple((j, 0.0) for j in range(4))
    assert (one("effect(dose=0) = 1").at, one("effect(dose=0) = 1").value) == (((0, 0.0),), 1.0)
    assert one("y(1, 2, 3, 4) = 5").at == ((0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0))


def test_ranges_say_where_shapes_hold():
    stated = read(["increasing in dose", "0 <= dose <= 20", "symmetric in t, x"], NAMES, "y")
    assert stated.ranges == {0: (0.0, 20.0)}
    low, high = stated.box(np.array([1.0, 2.0, 3.0, 0.0]), np.array([9.0, 5.0, 4.0, 3.0]))
    assert low.tolist() == [0.0, 0.0, 3.0, 0.0]
    assert high.tolist() == [20.0, 5.0, 4.0, 5.0]
    low, high = read(["even in x"], NAMES, "y").box(np.full(4, 1.0), np.full(4, 2.0))
    assert (low[3], high[3]) == (-2.0, 2.0)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["increasing in dos"], "did you mean 'dose'"),
        (["increasing in nothing at all"], "is no column; the columns are dose"),
        (["increasin in dose"], "did you mean 'increasing'"),
        (["grows with dose"], "is not understood; write for example"),
        (["increasing"], "names no column; write 'increasing in dose'"),
        (["increasing in dose, t"], "state each by itself: \\['increasing in dose', 'increasing in t'\\]"),
        (["symmetric in dose"], "needs two columns"),
        (["symmetric in t, t"], "names a column twice"),
        (["2 <= y <= 1"], "holds for no number"),
        (["0 <= z <= 1"], "'z', which is no column"),
        (["0 <= dose", "increasing in dose"], "has one end"),
        (["0 <= y >= 1"], "is not understood"),
        (["y(1) = 0"], "does not say which column"),
        (["y(1, 2) = 0"], "2 values for 4 columns"),
        (["y(dos=1) = 0"], "did you mean 'dose'"),
        (["y(a) = 0"], "place that is not understood"),
        (["z(0) = 0"], "not the target"),
        ([3], "no statement"),
        (3, "shapes has 3, which is no statement"),
        (["increasing in dose", "decreasing in dose"], "'increasing in dose' and 'decreasing in dose' contradict"),
        (["convex in t", "concave in t"], "contradict each other"),
        (["even in x", "increasing in x"], "falls on one side"),
        (["y >= 2", "y <= 1"], "within both bounds"),
        (["0 <= y <= 1", "y(0) = 2"], "2 is not within the bounds"),
        (["y(0) = 0", "y(0) = 1"], "the same place"),
        (["odd in x", "y(x=0) = 1"], "what is odd is 0 at 0"),
    ],
)  # fmt: skip
def test_mistakes_are_named(texts, message):
    with pytest.raises(ValueError, match=message):
        read(texts, NAMES, "y")


def test_a_single_text_is_a_list_of_one():
    assert len(read("increasing in dose", NAMES, "y").shapes) == 1


def test_names_may_stand_between_backticks_as_in_forms():
    names = ["dose (mg)", "t"]
    stated = read(
        [
            "increasing in `dose (mg)`",
            "0 <= `dose (mg)` <= 20",
            "`my gain` >= 0",
            "`my gain`(`dose (mg)`=0) = 1",
        ],
        names,
        "my gain",
    )
    plain = read(
        ["increasing in dose (mg)", "0 <= dose (mg) <= 20", "my gain >= 0", "my gain(dose (mg)=0) = 1"],
        names,
        "my gain",
    )
    for quoted, bare in zip(stated.shapes, plain.shapes, strict=True):
        assert replace(quoted, text="") == replace(bare, text="")
    assert stated.ranges == plain.ranges

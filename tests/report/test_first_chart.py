"""The front as a picture: its points stand where the models are, on an axis that shows their differences."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from multigene.report.first_chart import front_picture, stretched


def picture(*scores: float) -> str:
    models = [{"size": 1 + 3 * i, "r2": score, "unseen": {"r2": None}} for i, score in enumerate(scores)]
    return str(front_picture({"models": models, "chosen": len(models) - 1}))


def heights(drawing: str) -> list[float]:
    return [float(y) for y in re.findall(r'data-model="\d+" cx="[0-9.]+" cy="([0-9.]+)"', drawing)]


def marks(drawing: str) -> list[str]:
    return re.findall(r'text-anchor="end">([^<]*)<', drawing)


def test_far_from_1_the_axis_is_even():
    low, middle, high = heights(picture(0.0, 0.4, 0.8))
    assert low - middle == pytest.approx(middle - high, abs=0.2)
    assert "0.9" not in marks(picture(0.0, 0.4, 0.8))


def test_close_to_1_every_nine_has_the_same_room():
    drawing = picture(0.0, 0.9, 0.99, 0.999)
    steps = [a - b for a, b in zip(heights(drawing)[:-1], heights(drawing)[1:], strict=True)]
    assert steps == pytest.approx([steps[0]] * 3, abs=0.2)
    assert marks(drawing) == ["0", "0.5", "0.9", "0.99", "0.999"]


def test_exact_formulas_have_a_place_too():
    assert stretched(1.0) == pytest.approx(7.0)
    assert all(10.0 <= y <= 272.0 for y in heights(picture(-3.0, 0.5, 1.0)))


def test_marks_of_a_long_axis_do_not_touch():
    drawing = picture(0.0, 0.6, 0.99999)
    places = [float(y) for y in re.findall(r'y="([0-9.]+)" text-anchor="end"', drawing)]
    assert min(a - b for a, b in pairwise(places)) > 15.0

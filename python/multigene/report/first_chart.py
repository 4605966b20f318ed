"""The front as a picture in the page's markup: the first screen is whole, and its points can be clicked, before the chart
library is there; without scripts it is what there is."""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup

from multigene.report.constants import LOWEST, STRETCHED_FROM, STRETCHED_TO

#: Size of the picture and the place of its axes, about those of the chart that takes its place.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 272, 52, 14, 10, 62
#: Sizes that are marked on a logarithmic axis.
MARKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
#: Scores that are marked on an axis that is finer towards 1.
SCORES = (0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)
#: Where an axis that is finer towards 1 is long, as in `charts.js`.
LONG = 3.5
#: From this ratio of largest to smallest size on, the axis is logarithmic, as in `charts.js`.
WIDE = 25


def front_picture(content: dict[str, Any]) -> Markup:
    """Accuracy against size, as SVG in the page's colours."""
    models = content["models"]
    sizes = [int(each["size"]) for each in models]
    scores = [float(each["r2"] or 0.0) for each in models]
    wide = max(sizes) / max(1, min(sizes)) > WIDE
    unseen = [(size, each["unseen"]["r2"]) for size, each in zip(sizes, models, strict=True)]
    unseen = [(size, score) for size, score in unseen if score is not None and score > LOWEST]
    height = stretched if max(scores) > STRETCHED_FROM else float
    shown = [height(max(score, LOWEST)) for score in scores] + [height(score) for _, score in unseen]
    pad = max(0.08 * (max(shown) - min(shown)), 0.002)
    low, high = min(shown) - pad, max(shown) + pad
    first, last = (math.log10(min(sizes)), math.log10(max(sizes))) if wide else (0.0, float(max(sizes)))
    reach = (last - first) or 1.0
    first, last = first - 0.06 * reach * wide, last + 0.06 * reach

    def across(size: float) -> float:
        share = ((math.log10(size) if wide else size) - first) / (last - first)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def up(score: float) -> float:
        share = (min(max(height(score), low), high) - low) / (high - low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    marks = [m for m in (MARKS if wide else _ticks(0.0, last)) if LEFT <= across(m) <= WIDTH - RIGHT]
    heights = _ticks(low, high) if height is float else _scores(low, high)
    lines = _grid([(m, across(m)) for m in marks], [(m, up(m)) for m in heights])
    stairs = f"M{across(sizes[0]):.1f} {up(scores[0]):.1f}" + "".join(
        f"H{across(size):.1f}V{up(score):.1f}" for size, score in zip(sizes[1:], scores[1:], strict=True)
    )
    diamonds = "".join(
        f'<path class="unseen" d="M{across(size):.1f} {up(score) - 4:.1f}l4 4 -4 4 -4 -4z"/>'
        for size, score in unseen
    )
    dots = "".join(
        f'<circle data-model="{place}" cx="{across(size):.1f}" cy="{up(score):.1f}" r="4"/>'
        for place, (size, score) in enumerate(zip(sizes, scores, strict=True))
    )
    chosen = f'cx="{across(sizes[content["chosen"]]):.1f}" cy="{up(scores[content["chosen"]]):.1f}"'
    return Markup(
        f'<svg class="picture" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">{lines}'
        f'<path class="stairs" d="{stairs}"/>{diamonds}{dots}<circle class="chosen" {chosen} r="7.5"/>'
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - BOTTOM + 34}" text-anchor="middle">nodes of the formula</text>'
        "</svg>"
    )


def _grid(columns: list[tuple[float, float]], rows: list[tuple[float, float]]) -> str:
    """Lines and labels of both axes: values, and where each stands."""
    return "".join(
        f'<path class="grid" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>'
        f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{value:g}</text>'
        for value, x in columns
    ) + "".join(
        f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
        for value, y in rows
    )


def stretched(score: float) -> float:
    """Where a score stands on an axis that is finer towards 1: by the nines that it has, as in `charts.js`."""
    return -math.log10(1.0 - min(score, STRETCHED_TO))


def _scores(low: float, high: float) -> list[float]:
    """Scores that are marked on an axis that is finer towards 1: on a long one half would touch 0."""
    return [m for m in SCORES if low <= stretched(m) <= high and (m != 0.5 or high < LONG)]


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between two, about five of them."""
    rough = (high - low) / 6
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough)
    return [round(k * step, 10) for k in range(math.ceil(low / step), math.floor(high / step) + 1)]

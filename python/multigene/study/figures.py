"""The figures of a study: box plots of training and testing R² per problem as in the paper, and R² over time.

Drawn with Matplotlib's object interface: no global state, no display. Each figure is a plain `Figure`;
`save_figures` writes them as PNG, SVG or PDF, `page.py` puts them into the HTML page.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from multigene.study.errors import StudyError, nearest
from multigene.study.heat_map import section_id
from multigene.study.limits import NO_LIMIT
from multigene.study.statistics import Results
from multigene.study.store import Store, read_json

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
SMALLEST_SPAN = 1e-3
CURVE_POINTS = 40
# Okabe and Ito's colours: told apart by people with any kind of colour vision, on light and dark ground.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a500", "#7f7f7f", "#9467bd")
STYLE: Any = {
    **{"font.size": 9, "axes.spines.top": False, "axes.spines.right": False},
    **{
        "svg.fonttype": "none",
        "svg.hashsalt": "multigene",
        "figure.facecolor": "none",
        "axes.facecolor": "none",
    },
}


def box_plot(found: Results, problem: str, limit: str) -> Figure:
    """The paper's figure of one problem: a box per method, training on the left, testing on the right."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    methods = [cell.method for cell in found.of(problem, limit)]
    with rc_context(STYLE):
        figure = Figure(figsize=(max(5.0, 1.2 + 0.9 * len(methods)), 2.8), layout="constrained")
        axes = figure.subplots(1, 2)
        for axis, column, title in ((axes[0], "train_r2", "training R²"), (axes[1], "test_r2", "testing R²")):
            samples = [_sample(found.runs, problem, method, limit, column) for method in methods]
            _boxes(axis, samples, methods)
            axis.set_title(title, fontsize=9)
        figure.suptitle(f"{problem}, {limit}", fontsize=10)
        return settled(figure)


def settled(figure: Figure) -> Figure:
    """Lays the figure out once and for all: a second layout would move things, and files would differ."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def _sample(runs: pd.DataFrame, problem: str, method: str, limit: str, column: str) -> NDArray[np.float64]:
    chosen = runs[(runs["problem"] == problem) & (runs["method"] == method)]
    under = chosen[chosen["run_limit"] == limit]
    chosen = under if len(under) else chosen[chosen["run_limit"] == NO_LIMIT]
    return chosen[column].to_numpy(dtype=np.float64)


def _boxes(axis: Axes, samples: list[NDArray[np.float64]], methods: list[str]) -> None:
    finite = [sample[np.isfinite(sample)] for sample in samples]
    drawn = axis.boxplot(finite, tick_labels=methods, showmeans=False, patch_artist=True, widths=0.6)
    for place, box in enumerate(drawn["boxes"]):
        box.set(facecolor=COLOURS[place % len(COLOURS)], alpha=0.45)
    for median in drawn["medians"]:
        median.set(color="black", linewidth=1.4)
    if sum(len(method) for method in methods) > 30:
        axis.tick_params(axis="x", rotation=45)
    low, high = axis.get_ylim()
    if high - low < SMALLEST_SPAN:  # all the same but for rounding: do not blow the noise up
        axis.set_ylim(high - SMALLEST_SPAN, high + 0.2 * SMALLEST_SPAN)
    axis.ticklabel_format(axis="y", style="plain", useOffset=False)  # scores, not what they are beyond 1
    bottom, hidden = _bottom(samples)
    if hidden:
        top = max(
            sample.max() for sample in finite if len(sample)
        )  # the axis' own margin is of the outliers' size
        axis.set_ylim(bottom, top + 0.05 * (top - bottom))
        word = "outlier" if hidden == 1 else "outliers"
        axis.set_xlabel(f"{hidden} {word} below {bottom:.3g} not shown", fontsize=7)


def _bottom(samples: list[NDArray[np.float64]]) -> tuple[float, int]:
    """Where the axis starts, and how many values lie below it: a model that blew up must not flatten the
    boxes.
    """
    values = np.concatenate(samples) if samples else np.empty(0)
    good = values[np.isfinite(values)]
    if not len(good):
        return 0.0, 0
    quartiles = [
        np.percentile(sample[np.isfinite(sample)], [25, 75])
        for sample in samples
        if np.isfinite(sample).any()
    ]
    low = min(first - 3 * max(third - first, 1e-3) for first, third in quartiles)
    bottom = low - 0.1 * (good.max() - low)
    return float(bottom), int(np.sum(values < bottom))


def time_curves(histories: pd.DataFrame, found: Results, problem: str, limit: str) -> Figure | None:
    """Best training R² over time: the median over seeds, the middle half as a band; None without histories.

    `histories` is the store's frame with the column `history`.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    frame = histories[(histories["problem"] == problem) & (histories["run_limit"] == limit)]
    curves = {}
    for method in [cell.method for cell in found.of(problem, limit)]:
        points = [history for history in read_json(frame[frame["method"] == method], "history") if history]
        if points:
            curves[method] = points
    if not curves:
        return None
    with rc_context(STYLE):
        figure = Figure(figsize=(6.0, 2.8), layout="constrained")
        axis = figure.subplots()
        lowest = [
            _curve(axis, method, points, COLOURS[place % len(COLOURS)])
            for place, (method, points) in enumerate(curves.items())
        ]
        axis.set_xscale("log")
        axis.set_ylim(bottom=max(-0.05, min(lowest)))
        axis.set(xlabel=_unit(found, limit), ylabel="best training R²")
        axis.legend(frameon=False, fontsize=8, ncols=2)
        axis.set_title(f"{problem}, {limit}", fontsize=10)
        return settled(figure)


def _unit(found: Results, label: str) -> str:
    return next((limit.unit for limit in found.design.limits if limit.label == label), "seconds")


def _curve(axis: Axes, method: str, histories: list[Any], colour: str) -> float:
    """Draws one method; returns the lowest value drawn."""
    start = max(1e-3, min(history[0][0] for history in histories))
    end = max(history[-1][0] for history in histories)
    times = np.geomspace(start, max(end, start * 1.01), CURVE_POINTS)
    levels = np.full((len(histories), len(times)), np.nan)
    for row, history in enumerate(histories):
        seconds = np.array([point[0] for point in history])
        best = np.array([point[2] for point in history])
        place = np.searchsorted(seconds, times, side="right") - 1
        levels[row, place >= 0] = best[place[place >= 0]]
    known = ~np.all(np.isnan(levels), axis=0)
    low, median, high = np.nanpercentile(levels[:, known], [25, 50, 75], axis=0)
    # A point where nothing changes says nothing: leaving it out keeps files small.
    levels = np.stack([low, median, high])
    telling = np.append(True, np.any(np.diff(levels) != 0, axis=0))
    telling[-1] = True
    seconds, (low, median, high) = times[known][telling], levels[:, telling]
    axis.fill_between(seconds, low, high, step="post", color=colour, alpha=0.15, linewidth=0)
    axis.step(seconds, median, where="post", color=colour, label=method, linewidth=1.5)
    return float(low.min())


def all_figures(store: Store, found: Results) -> Iterator[tuple[str, str, Figure]]:
    """Every figure of the study with a file name and a sentence that says what it shows."""
    histories = store.frame(("history",))
    for limit in found.limits():
        for problem in found.problems():
            if not found.of(problem, limit):
                continue
            name = section_id(problem, limit)
            yield (
                f"{name}-boxes",
                f"Training (left) and testing (right) R² on {problem}, {limit}.",
                box_plot(found, problem, limit),
            )
            curves = time_curves(histories, found, problem, limit)
            if curves is not None:
                yield f"{name}-time", f"Best training R² over time on {problem}, {limit}.", curves


def save_figures(
    store: Store, found: Results, directory: Path, formats: tuple[str, ...] = ("svg",)
) -> list[Path]:
    """Writes every figure in every format; returns the files."""
    for wanted in formats:
        if wanted not in FORMATS:
            raise StudyError(f"figures cannot be written as {wanted!r}{nearest(wanted, FORMATS)}")
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for name, _, figure in all_figures(store, found):
        for wanted in formats:
            path = directory / f"{name}.{wanted}"
            path.write_bytes(rendered(figure, wanted))
            written.append(path)
    return written


def rendered(figure: Figure, format: str, ground: str = "white") -> bytes:
    """The figure as a file's content, the same for the same results (no dates inside)."""
    from matplotlib import rc_context

    stream = io.BytesIO()
    dateless = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format)
    with rc_context(STYLE):
        figure.savefig(stream, format=format, metadata=dateless, dpi=150, facecolor=ground)
    return _compact(stream.getvalue()) if format == "svg" else stream.getvalue()


def _compact(svg: bytes) -> bytes:
    """The drawing at half its size: coordinates to a tenth of a point, no names for groups that nobody asks for."""
    svg = re.sub(rb'<g id="[^"]*"', b"<g", svg)
    return re.sub(rb'(?<= d=")[^"]*', lambda d: re.sub(rb"(\.\d)\d+", rb"\1", d[0]).replace(b"\n", b""), svg)


def inline_svg(figure: Figure, identity: str, description: str) -> str:
    """The figure as an SVG element for a page: follows the page's text colour, is described, has ids of its
    own.
    """
    text = rendered(figure, "svg", "none").decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{identity}-", text)
    text = re.sub(r"#000000|\bblack\b", "currentColor", text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{html.escape(description)}" ', 1)

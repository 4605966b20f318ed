"""Figures of a fitted model for papers and notebooks: `model.plot.front()` and eight more, each returning
matplotlib axes.

Every figure can be read in black and white: sets of rows differ by marker, lines by dash, signs by hatching
or text. The numbers come from `statistics.py`, as those of the HTML report do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from multigene.data.scores import metrics
from multigene.explain import measures
from multigene.fitted import FittedModel
from multigene.report import statistics
from multigene.report.constants import FIGURE_POINTS, HEAT_MAP_COLUMNS, LONGEST_LABEL, STRETCHED_FROM
from multigene.report.content import shown_members
from multigene.report.first_chart import MARKS, SCORES, WIDE, stretched
from multigene.report.shown_rows import given_rows, needed_rows, training_rows
from multigene.report.statistics import Rows
from multigene.words import shortened

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


INK, SOFT, BLUE, TEAL, RED = "#1d2129", "#7a808c", "#2f6db5", "#0f8a6a", "#c4512d"
COLOURS = (BLUE, RED, TEAL, INK, SOFT)
DASHES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
MARKERS = {"train": ("o", BLUE), "test": ("x", RED)}
NAMES = {"train": "training", "test": "test"}


class Plots:
    """The figures of one fitted model; every method takes `ax=` to draw into axes of your own."""

    def __init__(self, model: FittedModel) -> None:
        self._model = model

    def front(self, *, ax: Axes | None = None) -> Axes:
        """R² against size of every model of the front, the chosen one marked."""
        ax = _axes(ax)
        model = self._model
        members, _ = shown_members(model)
        sizes, fitness = [e.complexity for e in members], [e.member.fitness for e in members]
        ax.step(sizes, fitness, where="post", color=SOFT, linewidth=1.0, zorder=1)
        ax.plot(sizes, fitness, "o", color=BLUE, markersize=5, label="model of the front")
        ax.plot(
            [model.formula.size],
            [model.r2],
            "o",
            markersize=12,
            markerfacecolor="none",
            markeredgecolor=INK,
            markeredgewidth=1.6,
            label="chosen",
        )
        _front_scales(ax, sizes, fitness)
        ax.set(xlabel="nodes of the formula", ylabel="training R²")
        ax.legend(frameon=False, loc="lower right")
        return ax

    def fit(
        self,
        X: Any = None,
        y: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        sample_weight: Any = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Predicted against actual values; the legend has R² on the rows shown, and what unseen rows said during the search."""
        ax = _axes(ax)
        sets = self._sets(X, y, X_test, y_test, sample_weight)
        for rows in sets:
            shown = statistics.thinned(rows, FIGURE_POINTS)
            prediction = self._model.response(shown.X)
            r2 = metrics(rows.y, self._model.response(rows.X), rows.weights)["r2"]
            label = f"{NAMES[rows.name]}, R² {r2:.3f}" + (self._unseen() if rows.name == "train" else "")
            self._points(ax, rows.name, shown.y, prediction, label)
        low, high = min(r.y.min() for r in sets), max(r.y.max() for r in sets)
        ax.plot([low, high], [low, high], "--", color=INK, linewidth=1.0)
        ax.set(xlabel=f"actual {self._model.target}", ylabel="predicted")
        ax.legend(frameon=False)
        return ax

    def residuals(
        self, X: Any = None, y: Any = None, X_test: Any = None, y_test: Any = None, *, ax: Axes | None = None
    ) -> Axes:
        """Actual less predicted against predicted values."""
        ax = _axes(ax)
        for rows in self._sets(X, y, X_test, y_test):
            shown = statistics.thinned(rows, FIGURE_POINTS)
            prediction = self._model.response(shown.X)
            self._points(ax, rows.name, prediction, shown.y - prediction, NAMES[rows.name])
        ax.axhline(0.0, color=INK, linewidth=1.0)
        ax.set(xlabel=f"predicted {self._model.target}", ylabel="residual")
        ax.legend(frameon=False)
        return ax

    def errors(
        self,
        X: Any = None,
        y: Any = None,
        *,
        models: Mapping[str, Any] | None = None,
        sample_weight: Any = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Share of rows predicted to within a given error (regression error characteristic curves) by this
        model, a linear model and the mean, and by any other `models` with `predict`, by name.

        Give rows that none of them was fitted to; without `X` and `y` the training rows are taken.
        """
        rows = needed_rows(self._model, X, y, sample_weight)
        fitted_to = training_rows(self._model) or rows
        this = f"{self._model.formula.size} nodes"
        found = {this: self._model.response(rows.X) - rows.y}
        for name, each in (models or {}).items():
            shown = rows.X if X is None else X
            found[name] = np.asarray(each.predict(shown), dtype=np.float64).ravel() - rows.y
        for name, predict in reversed(statistics.references(fitted_to).items()):
            found.setdefault(name, predict(rows.X) - rows.y)
        ax = draw_error_curves(measures.curves_of_errors(found, weights=rows.weights), _axes(ax))
        ax.set(xlabel=f"absolute error of {self._model.target}")
        return ax

    def convergence(self, *, ax: Axes | None = None) -> Axes:
        """Best R² over the seconds of the run."""
        history = self._model.history
        if len(history) == 0:
            raise ValueError(
                "The model was loaded from a file, which keeps no history; "
                "plot the convergence of the run that made it."
            )
        ax = _axes(ax)
        ax.step(history["seconds"], history["fitness"], where="post", color=BLUE, linewidth=1.6)
        ax.set(xlabel="seconds", ylabel="best R² of the search")
        return ax

    def importance(
        self, X: Any = None, y: Any = None, *, sample_weight: Any = None, ax: Axes | None = None
    ) -> Axes:
        """R² lost when a column is shuffled, for the columns that the formula uses."""
        model = self._model
        losses = statistics.importance(model.individual, needed_rows(model, X, y, sample_weight), model.loss)
        ax = _axes(ax)
        ranked = sorted(losses, key=lambda j: losses[j])
        bars = ax.barh(
            [shortened(model.names[j], 2 * LONGEST_LABEL).replace("$", "\\$") for j in ranked],
            [losses[j] for j in ranked],
            color=BLUE,
            edgecolor=INK,
            linewidth=0.6,
        )
        ax.bar_label(bars, [f"{losses[j]:.3f}" for j in ranked], padding=3, fontsize="small")
        ax.margins(x=0.15)
        ax.set(xlabel="loss of R² when shuffled")
        return ax

    def partial_dependence(
        self, features: Any = None, X: Any = None, y: Any = None, *, sample_weight: Any = None, ax: Any = None
    ) -> Any:
        """Mean prediction against one column or several, with the middle four fifths of rows and a rug of
        the data.

        `features` is a name, an index or a list of them; None for the columns that matter most, at most six.
        Returns one axes for one column, else an array of them.
        """
        model = self._model
        rows = needed_rows(model, X, y, sample_weight)
        chosen = self._features(features, rows)
        if not chosen:
            raise ValueError("The formula is a constant: it depends on no column.")
        places = self._places(ax, len(chosen))
        for place, j in zip(places, chosen, strict=True):
            curve = statistics.partial_dependence(model.individual, rows, j, loss=model.loss)
            place.fill_between(curve.grid, curve.low, curve.high, color=BLUE, alpha=0.18, linewidth=0)
            place.plot(curve.grid, curve.mean, color=BLUE, linewidth=1.8)
            shown = np.unique(np.quantile(rows.X[:, j], np.linspace(0.0, 1.0, 100)))
            place.plot(
                shown,
                np.zeros(len(shown)),
                "|",
                color=INK,
                alpha=0.5,
                markersize=7,
                transform=place.get_xaxis_transform(),
                clip_on=False,
            )
            place.set_xlabel(shortened(model.names[j], LONGEST_LABEL).replace("$", "\\$"), fontsize="small")
            place.tick_params(labelsize="small")
            place.locator_params(axis="x", nbins=5)
            cell = place.get_subplotspec()
            first = ax is not None or cell is None or cell.is_first_col()
            if first:
                place.set_ylabel(shortened(model.target, LONGEST_LABEL).replace("$", "\\$"), fontsize="small")
        single = len(chosen) == 1 and (features is not None or ax is not None)
        return places[0] if single else np.array(places, dtype=object)

    def directions(self, *, ax: Axes | None = None) -> Axes:
        """Weights of the learned linear combinations as a heat map: one row each, one column per feature, the thirty that weigh
        most; per standard deviation where the training rows are known.
        """
        model = self._model
        table = model.transformations()
        if len(table) == 0:
            raise ValueError(
                "The formula has no linear combinations of columns; there are no directions to draw."
            )
        weights = table[model.names].to_numpy(dtype=np.float64)
        rows, scale = training_rows(model), "weight"
        if rows is not None:
            weights, scale = weights * rows.X.std(axis=0), "weight per standard deviation"
        largest = np.abs(weights).max(axis=1, keepdims=True)
        weights = weights / np.where(largest > 0.0, largest, 1.0)
        used = np.flatnonzero(np.abs(weights).max(axis=0) > 0.0)
        kept = used[np.argsort(-np.abs(weights[:, used]).sum(axis=0), kind="stable")[:HEAT_MAP_COLUMNS]]
        kept.sort()
        weights, names = weights[:, kept], [shortened(model.names[j], LONGEST_LABEL) for j in kept]
        own, ax = ax is None, _axes(ax)
        if own:
            _resized(
                ax, 3.0 + 0.62 * max(len(names), 4), 1.4 + 0.27 * len(table) + 0.045 * max(map(len, names))
            )
        image = ax.imshow(weights, cmap="RdBu", vmin=-1.0, vmax=1.0, aspect="auto")
        for i, j in np.argwhere(np.abs(weights) >= 0.005) if weights.size <= 400 else ():
            value = weights[i, j]
            colour = "white" if abs(value) > 0.6 else INK
            ax.text(j, i, f"{value:+.2f}", ha="center", va="center", fontsize="x-small", color=colour)
        slanted = len(names) > 8 or sum(map(len, names)) > 50
        ax.set_xticks(
            range(len(names)),
            [name.replace("$", "\\$") for name in names],
            rotation=40 if slanted else 0,
            ha="right" if slanted else "center",
            rotation_mode="anchor",
            fontsize="small",
        )
        if len(kept) < len(used):
            ax.set_xlabel(f"{len(kept)} of {len(used)} columns, those that weigh most", fontsize="small")
        ax.set_yticks(range(len(table)), [f"gene {gene + 1}" for gene in table["gene"]], fontsize="small")
        ax.figure.colorbar(image, ax=ax, label=f"{scale},\nlargest of a row 1", shrink=0.8)
        return ax

    def genes(self, *, ax: Axes | None = None) -> Axes:
        """The genes of the formula, drawn as expression trees."""
        from multigene.report.trees import draw_genes

        return draw_genes(self._model, _axes(ax))

    # --- parts ------------------------------------------------------------------------------------

    def _sets(self, X: Any, y: Any, X_test: Any, y_test: Any, sample_weight: Any = None) -> list[Rows]:
        sets = [needed_rows(self._model, X, y, sample_weight)]
        if X_test is not None:
            sets.append(given_rows(self._model, X_test, y_test, "test"))
        return sets

    def _unseen(self) -> str:
        """What rows that the search did not see said of formulas of this size."""
        score = self._model.chosen.validation
        return f" ({self._model.validated_by} {score:.3f})" if np.isfinite(score) else ""

    def _points(self, ax: Axes, name: str, x: Any, y: Any, label: str) -> None:
        marker, colour = MARKERS[name]
        ax.plot(
            x,
            y,
            marker,
            color=colour,
            markersize=4,
            alpha=0.7,
            linestyle="none",
            label=label,
        )

    def _features(self, features: Any, rows: Rows) -> list[int]:
        names = self._model.names
        if features is None:
            losses = statistics.importance(self._model.individual, rows, self._model.loss)
            return list(losses)[:6]
        wanted = [features] if isinstance(features, str | int | np.integer) else list(features)
        chosen = []
        for each in wanted:
            if isinstance(each, str) and each not in names:
                raise ValueError(f"There is no column {each!r}; the columns are {', '.join(names)}.")
            j = names.index(each) if isinstance(each, str) else int(each)
            if not 0 <= j < len(names):
                raise ValueError(f"There is no column number {j}; they count from 0 to {len(names) - 1}.")
            chosen.append(j)
        return chosen

    def _places(self, ax: Any, count: int) -> list[Axes]:
        if ax is not None:
            places = list(np.ravel(np.array(ax, dtype=object)))
            if len(places) != count:
                raise ValueError(f"{count} columns need {count} axes; {len(places)} were given.")
            return places
        if count == 1:
            return [_axes(None)]
        import matplotlib.pyplot as plt

        across = min(3, count)
        down = -(-count // across)
        figure, grid = plt.subplots(
            down, across, figsize=(3.3 * across, 2.6 * down), squeeze=False, layout="constrained"
        )
        for spare in grid.ravel()[count:]:
            figure.delaxes(spare)
        return list(grid.ravel()[:count])


def draw_error_curves(table: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Curves of `measures.error_curves`, each with its own dash and its mean absolute error (MAE) in the
    legend; the best first.
    """
    ax = _axes(ax)
    parts = sorted(table.groupby("model", sort=False), key=lambda part: float(part[1]["area"].iloc[0]))
    for i, (name, part) in enumerate(parts):
        ax.step(
            part["tolerance"],
            part["share"],
            where="post",
            linestyle=DASHES[i % len(DASHES)],
            color=COLOURS[i % len(COLOURS)],
            linewidth=2.0 if i == 0 else 1.4,
            label=f"{name}: MAE {part['area'].iloc[0]:.3g}",
        )
    ax.set(xlabel="absolute error", ylabel="share of rows within it", ylim=(0.0, 1.02))
    ax.set_xlim(left=0.0)
    ax.legend(frameon=False, loc="lower right")
    return ax


def _resized(ax: Axes, width: float, height: float) -> None:
    """Give the figure of these axes a size in inches, within what a page or a screen holds."""
    ax.figure.set_size_inches(min(max(width, 6.0), 16.0), min(max(height, 4.0), 16.0))  # type: ignore[union-attr]


def _front_scales(ax: Axes, sizes: list[int], scores: list[float]) -> None:
    """The axes of the report's front: sizes by their logarithm where they range widely, scores by their nines near 1."""
    from matplotlib.ticker import NullLocator

    if max(sizes) > WIDE * min(sizes):
        ax.set_xscale("log")
        ax.set_xticks([mark for mark in MARKS if min(sizes) <= mark <= max(sizes)])
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_locator(NullLocator())
    if max(scores) > STRETCHED_FROM:
        ax.set_yscale("function", functions=(np.vectorize(stretched), lambda height: 1.0 - 10.0**-height))
        low, high = stretched(ax.dataLim.y0), stretched(ax.dataLim.y1)
        pad = 0.06 * (high - low) or 0.1
        ax.set_ylim(1.0 - 10.0 ** (pad - low), 1.0 - 10.0 ** (-pad - high))
        ax.set_yticks([mark for mark in SCORES if min(scores) - 0.1 <= mark <= max(scores)])
        ax.yaxis.set_major_formatter("{x:g}")


def _axes(ax: Axes | None) -> Axes:
    """Axes to draw into: the caller's, or of a new figure; without a box around."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("Plots need matplotlib: pip install 'multigene[report]'.") from None
        ax = plt.subplots(figsize=(6.0, 4.0), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax

"""What a fitted model shows in a notebook: the explorer where there is a kernel, its formula elsewhere; and a live front while it
is being fitted."""

from __future__ import annotations

import math
import time
from html import escape
from typing import Any

from multigene.fitted import FittedModel
from multigene.search.progress import Step
from multigene.words import among, anatomy, counted, rows_but

#: Seconds between two drawings of the live front.
REDRAW = 0.5
WIDTH, HEIGHT = 420, 150
#: Of its points: the blue of the report that can be seen on light and on dark ground.
BLUE = "#4a86cf"


def estimator_html(model: FittedModel | None, diagram: str) -> str:
    """scikit-learn's diagram of an estimator, under the formula and its quality once there is one."""
    if model is None:
        return diagram
    said = (
        f"{model.loss.measure} {model.explained:.4f} on {rows_but(len(model.outliers))} · "
        f"{anatomy(model.formula.size, model.n_genes, ' · ')} · {among(len(model.front.listed))}"
    )
    return (
        '<div style="overflow-x:auto;font-size:1.15em;margin:.4em 0">'
        f"{model.formula.mathml()}</div>"
        f'<div style="opacity:.75;margin-bottom:.6em">{escape(said)}</div>{diagram}'
    )


class InNotebook:
    """How an estimator shows itself in a notebook: the explorer, or its formula over scikit-learn's diagram."""

    def explore(
        self, X: Any = None, y: Any = None, X_test: Any = None, y_test: Any = None, sample_weight: Any = None
    ) -> Any:
        """The report as a widget (needs the extra `notebook`): of the training rows where `X` and `y` are left out, and of test
        rows, where `X_test` and `y_test` are given."""
        from multigene.report.content import collect
        from multigene.report.widget import explorer_widget

        fitted: FittedModel = self.fitted_  # type: ignore[attr-defined]
        return explorer_widget(lambda: collect(fitted, X, y, X_test, y_test, sample_weight))

    def _known(self) -> FittedModel | None:
        return self.fitted_ if self.__sklearn_is_fitted__() else None  # type: ignore[attr-defined]

    def _repr_latex_(self) -> str | None:
        known = self._known()
        return None if known is None else str(known.formula._repr_latex_())

    def _repr_html_inner(self) -> str:
        return estimator_html(self._known(), super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle = {**bundle, "text/html": self._repr_html_inner()}
        return {**self._widget_bundle(), **bundle}

    def _widget_bundle(self) -> dict[str, Any]:
        """What makes a notebook show the explorer; nothing outside of one, and where what it needs is not installed."""
        from multigene.report.widget import available

        if self._known() is None or not in_notebook() or not available():
            return {}
        made = self.explore()._repr_mimebundle_()
        data = made[0] if isinstance(made, tuple) else made
        return {} if data is None else {kind: value for kind, value in data.items() if "widget" in kind}


def in_notebook() -> bool:
    """Whether output is shown by a notebook that can update what it displayed."""
    try:
        from IPython.core.getipython import get_ipython  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class LiveFront:
    """Accuracy against size of what was found so far, as a small drawing that is updated in place."""

    def __init__(self, measure: str = "R²") -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found, unused-ignore]

        self._html, self._measure = HTML, measure
        self._points: list[tuple[int, float]] = []
        self._drawn = 0.0
        self._said = ""
        self._handle: Any = display(HTML(""), display_id=True)

    def show(self, at: str, seconds: float, step: Step) -> None:
        """Take in what the run is at and its models; draw if the last drawing is old enough."""
        if not step.models:
            return
        self._points = [(model.complexity, model.fitness) for model in step.models]
        size, fitness = self._points[-1]
        self._said = f"{at} · {seconds:.1f} s · best {self._measure} {fitness:.6f} · {counted(size, 'node')}"
        if time.monotonic() - self._drawn >= REDRAW:
            self.draw()

    def draw(self) -> None:
        """Put the present state on the page."""
        self._drawn = time.monotonic()
        if self._points and self._handle is not None:
            self._handle.update(self._html(front_svg(self._points, self._said)))


def front_svg(points: list[tuple[int, float]], said: str) -> str:
    """A front as SVG, on light and dark pages alike: sizes on a logarithmic axis across, R² from 0 up."""
    shown = [(size, min(1.0, max(0.0, fitness))) for size, fitness in points]
    largest = math.log(max(max(size for size, _ in shown), 10))

    def across(size: float) -> float:
        return 6.0 + (WIDTH - 12) * math.log(max(size, 1)) / largest

    def up(fitness: float) -> float:
        return HEIGHT - 18 - (HEIGHT - 26) * fitness

    places = [(across(size), up(fitness)) for size, fitness in shown]
    stairs = " ".join(
        f"{x:.1f},{before:.1f} {x:.1f},{y:.1f}"
        for (x, y), (_, before) in zip(places, [places[0], *places], strict=False)
    )
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in places)
    most = round(math.exp(largest))
    lines = "".join(
        f'<path d="M6 {up(mark):.1f}H{WIDTH - 6}" stroke="currentColor" stroke-opacity=".18"/>'
        f'<text x="{WIDTH - 2}" y="{up(mark) + 3.5:.1f}" opacity=".7">{mark:g}</text>'
        for mark in (0.0, 0.5, 1.0)
    ) + "".join(
        f'<path d="M{across(10**k):.1f} {up(1):.1f}V{up(0):.1f}" stroke="currentColor" stroke-opacity=".18"/>'
        f'<text x="{across(10**k):.1f}" y="{HEIGHT - 4}" text-anchor="middle" opacity=".7">{10**k}</text>'
        for k in range(1, 5)
        if across(10**k) < WIDTH - 80  # where the largest size stands
    )
    return (
        f'<figure style="margin:.3em 0"><svg role="img" aria-label="{escape(said)}" '
        f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'style="max-width:100%;overflow:visible" font-size="10" fill="currentColor">'
        f'{lines}<polyline points="{stairs}" fill="none" stroke="{BLUE}" stroke-width="1.6"/><g fill="{BLUE}">{dots}</g>'
        f'<text x="6" y="{HEIGHT - 4}" opacity=".7">{counted(1, "node")}</text>'
        f'<text x="{WIDTH - 6}" y="{HEIGHT - 4}" text-anchor="end" opacity=".7">{counted(most, "node")}</text></svg>'
        f'<figcaption style="font-size:.9em;opacity:.8">{escape(said)}</figcaption></figure>'
    )

"""What a fitted model shows in a notebook: its formula, and a live curve while it is being fitted."""

from __future__ import annotations

import time
from html import escape
from typing import Any

from multigene.fitted import FittedModel
from multigene.words import among, anatomy, counted

#: Seconds between two drawings of the live curve.
REDRAW = 0.5
WIDTH, HEIGHT = 420, 90


def estimator_html(model: FittedModel | None, diagram: str) -> str:
    """scikit-learn's diagram of an estimator, under the formula and its quality once there is one."""
    if model is None:
        return diagram
    said = (
        f"{model.loss.measure} {model.explained:.4f} on the training rows · "
        f"{anatomy(model.formula.size, model.n_genes, ' · ')} · {among(len(model.front.listed))}"
    )
    return (
        '<div style="overflow-x:auto;font-size:1.15em;margin:.4em 0">'
        f"{model.formula.mathml()}</div>"
        f'<div style="opacity:.75;margin-bottom:.6em">{escape(said)}</div>{diagram}'
    )


class InNotebook:
    """How an estimator shows itself in a notebook: its formula over scikit-learn's diagram."""

    def _known(self) -> FittedModel | None:
        return self.fitted_ if self.__sklearn_is_fitted__() else None  # type: ignore[attr-defined]

    def _repr_latex_(self) -> str | None:
        known = self._known()
        return None if known is None else str(known.formula._repr_latex_())

    def _repr_html_inner(self) -> str:
        return estimator_html(self._known(), super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        return {**bundle, "text/html": self._repr_html_inner()} if "text/html" in bundle else bundle


def in_notebook() -> bool:
    """Whether output is shown by a notebook that can update what it displayed."""
    try:
        from IPython.core.getipython import get_ipython  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class LiveCurve:
    """Best R² over time as a small drawing that is updated in place."""

    def __init__(self) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found, unused-ignore]

        self._html = HTML
        self._points: list[tuple[float, float]] = []
        self._drawn = 0.0
        self._said = ""
        self._handle: Any = display(HTML(""), display_id=True)

    def show(self, at: str, seconds: float, fitness: float, complexity: int) -> None:
        """Take in what the run is at and its best model; draw if the last drawing is old enough."""
        self._points.append((seconds, max(fitness, 0.0)))
        self._said = f"{at} · {seconds:.1f} s · best R² {fitness:.6f} · {counted(complexity, 'node')}"
        if time.monotonic() - self._drawn >= REDRAW:
            self.draw()

    def draw(self) -> None:
        """Put the present state on the page."""
        self._drawn = time.monotonic()
        if self._points and self._handle is not None:
            self._handle.update(self._html(curve_svg(self._points, self._said)))


def curve_svg(points: list[tuple[float, float]], said: str) -> str:
    """The curve as SVG in the colour of the text around it."""
    last, peak = max(points[-1][0], 1e-9), max(max(fitness for _, fitness in points), 1e-9)
    step = max(1, len(points) // 200)
    shown = [*points[::step], points[-1]]
    path = " ".join(f"{t / last * WIDTH:.1f},{HEIGHT - f / peak * (HEIGHT - 6) - 2:.1f}" for t, f in shown)
    return (
        f'<figure style="margin:.3em 0"><svg role="img" aria-label="{escape(said)}" '
        f'width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" style="max-width:100%;overflow:visible">'
        f'<line x1="0" y1="{HEIGHT - 2}" x2="{WIDTH}" y2="{HEIGHT - 2}" '
        'stroke="currentColor" stroke-opacity=".3"/>'
        f'<polyline points="{path}" fill="none" stroke="currentColor" stroke-width="1.8" '
        'stroke-linejoin="round"/></svg>'
        f'<figcaption style="font-size:.9em;opacity:.8">{escape(said)}</figcaption></figure>'
    )

"""The explorer of the report as a widget (anywidget): what a fitted model shows in a notebook that has a kernel.

The widget's state is small; what it shows is computed when a front end asks for it, and the chart library is sent once to each
page. It stands in a shadow root, so that its style and the notebook's leave each other alone.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from multigene.report.content import Content
from multigene.report.html import explorer
from multigene.report.library import chart_library
from multigene.report.modules import asset, inlined

MISSING = "The explorer in a notebook needs anywidget: pip install 'multigene[notebook]'."
#: What the chart library writes into the head of a page, which a shadow root does not see.
CHART_STYLE = (
    ".js-plotly-plot .plotly,.js-plotly-plot .plotly div{direction:ltr;margin:0;padding:0}"
    ".js-plotly-plot .plotly .svg-container{position:relative}"
    ".js-plotly-plot .plotly .main-svg{position:absolute;top:0;left:0;pointer-events:none;overflow:hidden}"
    ".js-plotly-plot .plotly .main-svg .draglayer{pointer-events:all}"
    ".js-plotly-plot .plotly .cursor-pointer{cursor:pointer}.js-plotly-plot .plotly .hoverlayer{pointer-events:none}"
)


def explorer_widget(collected: Callable[[], Content]) -> Any:
    """The widget; `collected` is called when a front end first asks what is to be shown."""
    return _kind()(collected)


def available() -> bool:
    """Can there be a widget: are anywidget and what the report needs installed?"""
    from importlib.util import find_spec

    return all(find_spec(name) is not None for name in ("anywidget", "jinja2", "plotly"))


@cache
def shadow_style() -> str:
    """The report's style for a shadow root: what is said of page and body is said of its host."""
    style = re.sub(r":root((?:\[[^\]]*\]|:not\([^)]*\))+)", r":host(\1)", asset("explorer.css"))
    style = style.replace(":root", ":host").replace(".printing ", ":host(.printing) ")
    style = re.sub(r"(?<![\w.-])body\{", ":host{display:block;", style)
    return style + CHART_STYLE


@cache
def _kind() -> Any:
    try:
        import anywidget
    except ImportError:
        raise ImportError(MISSING) from None

    class Explorer(anywidget.AnyWidget):  # type: ignore[misc]
        """A fitted model to look at."""

        _esm = inlined("notebook.js") + "\nexport default {render};\n"

        def __init__(self, collected: Callable[[], Content]) -> None:
            super().__init__()
            self._collected = collected
            self._shown: tuple[str, dict[str, Any]] | None = None
            self.on_msg(self._answered)

        def _answered(self, _widget: Any, asked: Any, _buffers: Any) -> None:
            """What a front end asks for; what goes wrong is told there."""
            kind = asked.get("kind") if isinstance(asked, dict) else None
            try:
                if kind == "library":
                    self.send({"kind": kind}, [_packed(chart_library())])
                elif kind == "content":
                    markup, data = self._shown = self._shown or explorer(self._collected())
                    said = {"kind": kind, "markup": markup, "style": shadow_style()}
                    self.send(said, [_packed(json.dumps(data, ensure_ascii=False, allow_nan=False))])
            except (ImportError, ValueError) as error:
                self.send({"kind": kind, "trouble": str(error)})

    return Explorer


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode("utf-8"), compresslevel=6, mtime=0)

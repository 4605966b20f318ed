"""What people look at: the report page, figures, notebook display and the live progress line.

`content.py` collects what the page says, from the model and rows to show it on; `statistics.py` computes; `html.py` writes the
page from the templates beside it; `plots.py` draws figures from the same statistics. What comes in is a fitted model; what goes
out is one self-contained HTML file, or a figure. `MultigeneRegressor.report` and `multigene report` come here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multigene.report.content import Content, collect
    from multigene.report.html import page, write_report

__all__ = ["Content", "collect", "page", "write_report"]

_HOMES = {"Content": "content", "collect": "content", "page": "html", "write_report": "html"}


def __getattr__(name: str) -> Any:
    """The public names, imported when they are first used: the progress line alone needs none of them."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The report: one self-contained HTML page about a fitted model.

`content.py` collects what the page says, from the model and rows to show it on; `statistics.py` computes;
`html.py` writes the page from the templates beside it. `MultigeneRegressor.report` and `multigene report`
come here.
"""

from __future__ import annotations

from multigene.report.content import Content, collect
from multigene.report.html import page, write_report

__all__ = ["Content", "collect", "page", "write_report"]

"""Writes a report's `Content` as one HTML page that needs nothing but itself.

The page holds everything: styles, script, the chart library (Plotly, from its Python package) and the data,
the last two compressed, since a browser unpacks them faster than a person can notice and a page of 2 MB
travels better than one of 6. What the chosen model says is written into the HTML, so that the page can be
read without scripts as well.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
from dataclasses import fields
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from multigene.export import EXPORTERS
from multigene.files import write_atomically
from multigene.fitted import FittedModel
from multigene.report.content import Content, collect

#: The page fetches nothing: everything it may use is in it.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'"
)
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def write_report(
    model: FittedModel,
    path: str | os.PathLike[str],
    X: Any = None,
    y: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    sample_weight: Any = None,
) -> None:
    """Write the report of a fitted model to a file, at once or not at all."""
    target = Path(path)
    if target.is_dir():
        raise ValueError(
            f"{target} is a directory; give the name of a file in it, such as {target / 'report.html'}."
        )
    if not target.parent.is_dir():
        raise ValueError(f"There is no directory {target.parent}; make it first.")
    text = page(collect(model, X, y, X_test, y_test, sample_weight))
    write_atomically(target, text.encode("utf-8"))


def page(content: Content) -> str:
    """The page as text."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        raise ImportError("A report needs Jinja2 and Plotly: pip install 'multigene[report]'.") from None
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(number=spoken_number, r2=spoken_r2, percent=percent, tone=tone)
    data = {field.name: getattr(content, field.name) for field in fields(content)}
    formats = [(name, each.title, each.suffix) for name, each in EXPORTERS.items() if name != "onnx"]
    for_script = {**data, "formats": {name: [title, suffix] for name, title, suffix in formats}}
    return environment.from_string(_asset("page.html.j2")).render(
        content=data,
        model=data["models"][content.chosen],
        formats=formats,
        policy=POLICY,
        style=_asset("page.css"),
        script=_asset("charts.js") + _asset("page.js"),
        library=_plotly(),
        data=_packed(json.dumps(for_script, ensure_ascii=False, allow_nan=False, separators=(",", ":"))),
    )


def spoken_number(value: float | None, digits: int = 4) -> str:
    """A number for people, with a true minus sign and powers of ten as such."""
    if value is None:
        return "–"
    if value != 0.0 and not 1e-4 <= abs(value) < 1e7:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{float(mantissa):g}·10{str(int(exponent)).translate(SUPERSCRIPTS)}".replace("-", "−")
    text = f"{value:.{digits}g}"
    return (f"{float(text):.0f}" if "e" in text else text).replace("-", "−")


def spoken_r2(value: float | None) -> str:
    """R² with four decimals, seven where it is nearly 1."""
    if value is None:
        return "–"
    text = f"{max(value, -9999.0):.{7 if 0.9995 < value < 1.0 else 4}f}"
    return "0.0000" if text == "-0.0000" else text.replace("-", "−")


def percent(value: float | None) -> str:
    """A share as a percentage."""
    text = "–" if value is None else f"{100.0 * value:.1f} %"
    return "0.0 %" if text == "-0.0 %" else text.replace("-", "−")


def tone(counts: list[int]) -> list[float]:
    """Heights of a small histogram, the largest 1."""
    largest = max(counts) or 1
    return [round(count / largest, 3) for count in counts]


def _asset(name: str) -> str:
    return (resources.files("multigene.report") / "templates" / name).read_text("utf-8")


@lru_cache(maxsize=1)
def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise ImportError("A report needs Jinja2 and Plotly: pip install 'multigene[report]'.") from None
    return _packed(get_plotlyjs())


def _packed(text: str) -> str:
    """Compressed, as text; without a time stamp, so that the same model gives the same page."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), compresslevel=6, mtime=0)).decode("ascii")

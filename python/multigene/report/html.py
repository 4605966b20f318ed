"""Writes a report's `Content` as one HTML page that needs nothing but itself.

The page holds everything: styles, script, the chart library (`library.py`) and the data,
the last two compressed, since a browser unpacks them faster than a person can notice and a page of 1 MB
travels better than one of 3. What the chosen model says is written into the HTML, so that the page can be
read without scripts as well.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from multigene.classes.fitted import FittedClasses
from multigene.export import EXPORTERS
from multigene.export.mathml import symbol
from multigene.files import warn_if_misnamed, write_atomically
from multigene.fitted import FittedModel
from multigene.report.content import Content, collect
from multigene.report.first_chart import front_picture
from multigene.report.library import chart_library
from multigene.report.modules import asset, inlined
from multigene.report.numbers import read_number, spoken_number, spoken_r2
from multigene.words import counted

#: What is written for every model, as macros of `panels.html.j2`.
PANELS = ("first", "formula", "directions", "cards", "terms", "groups", "classes", "segments")

#: The page fetches nothing: everything it may use is in it.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' blob:; "
    "img-src data: blob:; font-src data:; base-uri 'none'"
)


def write_report(
    model: FittedModel,
    path: str | os.PathLike[str],
    X: Any = None,
    y: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    sample_weight: Any = None,
    *,
    classes: FittedClasses | None = None,
) -> None:
    """Write the report of a fitted model, one of a classifier's where `classes` are given, to a file, at once or not at all."""
    target = Path(path)
    if target.is_dir():
        raise ValueError(
            f"{target} is a directory; give the name of a file in it, such as {target / 'report.html'}."
        )
    if not target.parent.is_dir():
        raise ValueError(f"There is no directory {target.parent}; make it first.")
    text = page(collect(model, X, y, X_test, y_test, sample_weight, classes=classes))
    write_atomically(target, text.encode("utf-8"))
    warn_if_misnamed(target, ".html", ".htm")


def page(content: Content) -> str:
    """The page as text."""
    environment, data = _environment(), for_script(content)
    text: str = environment.get_template("page.html.j2").render(
        content=data,
        model=data["models"][content.chosen],
        formats=_formats(),
        policy=POLICY,
        style=asset("explorer.css"),
        script=inlined("page.js"),
        library=_packed(chart_library()),
        data=_packed(json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))),
    )
    return text


def explorer(content: Content) -> tuple[str, dict[str, Any]]:
    """The explorer without a page around it, and the data for its script: for a notebook or the studio."""
    environment, data = _environment(), for_script(content)
    markup = environment.get_template("explorer.html.j2").render(
        content=data, model=data["models"][content.chosen], formats=_formats()
    )
    return markup, data


def for_script(content: Content) -> dict[str, Any]:
    """The content with what is said about each model as HTML, which the script puts in its place."""
    data = {field.name: getattr(content, field.name) for field in fields(content)}
    panels = _environment().get_template("panels.html.j2").module
    data["models"] = [
        {
            **model,
            "panels": {
                **{name: str(getattr(panels, name)(data, model)) for name in PANELS},
                "errors": str(panels.errors(data, model, place)),
            },
        }
        for place, model in enumerate(content.models)
    ]
    data["column_table"] = str(panels.column_table(data))
    return data | {"formats": {name: [title, suffix] for name, title, suffix in _formats()}}


def _formats() -> list[tuple[str, str, str]]:
    return [(name, each.title, each.suffix) for name, each in EXPORTERS.items() if name != "onnx"]


@cache
def _environment() -> Any:
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError:
        raise ImportError("A report needs Jinja2 and Plotly: pip install 'multigene[report]'.") from None
    environment = Environment(
        loader=FunctionLoader(asset),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=spoken_number,
        r2=spoken_r2,
        bars=bars,
        front_picture=front_picture,
        symbol=lambda name: f"<math>{symbol(name)}</math>",
        used_columns=used_columns,
        weights_by_column=lambda direction: dict(direction["weights"]),
        pull=pull,
        by_pull=by_pull,
        breakable=breakable,
        error_rows=error_rows,
        percent=lambda share: "–" if share is None else f"{100.0 * share:.1f} %",
        share=lambda curve, share: curve[round(share * (len(curve) - 1))],
    )
    return environment


# --- what templates ask for -------------------------------------------------------------------------


def used_columns(directions: list[dict[str, Any]]) -> list[int]:
    """Columns that some direction has a weight for."""
    return sorted({j for direction in directions for j, _ in direction["weights"]})


def _moves(content: dict[str, Any], direction: dict[str, Any]) -> dict[int, float]:
    """How much each column moves a direction over the data."""

    def moved(j: int, text: str) -> float:
        known = content["columns"][j + 1].get("sd") if content["columns"] else 1.0
        return read_number(text) * (1.0 if known is None else known)

    return {j: moved(j, text) for j, text in direction["weights"]}


def pull(content: dict[str, Any], direction: dict[str, Any], column: int) -> float:
    """How much a column moves a direction over the data, from -1 to 1, the strongest of them being 1 or -1."""
    moves = _moves(content, direction)
    largest = max(map(abs, moves.values())) or 1.0
    return round(moves[column] / largest, 3)


def by_pull(content: dict[str, Any], direction: dict[str, Any]) -> list[tuple[int, str]]:
    """Weights of a direction, of the columns that move it most first."""
    moves = _moves(content, direction)
    return sorted(direction["weights"], key=lambda each: -abs(moves[each[0]]))


def breakable(name: str) -> Markup:
    """A name that may be broken after its underscores."""
    return Markup("_<wbr>").join(name.split("_"))


def error_rows(content: dict[str, Any], index: int) -> list[tuple[str, str, dict[str, Any]]]:
    """Models of the table of errors, as `errorRows` of the script has them: title, kind, and their errors."""
    models, chosen = content["models"], content["chosen"]
    rows = [(f"selected ({counted(models[index]['size'], 'node')})", "selected", models[index])]
    if index != chosen:
        rows.append(
            (f"recommended ({counted(models[chosen]['size'], 'node')})", "recommended", models[chosen])
        )
    titles = {"linear": "linear in all columns", "mean": "mean of the target"}
    if content["classes"]:
        titles = {"linear": "logistic regression of all columns", "mean": "share of the class"}
    rows += [(titles[each["name"]], each["name"], each) for each in reversed(content["references"])]
    return rows if content["sets"] else []


def bars(counts: list[int]) -> str:
    """A small histogram as one path, 24 high and 4 wide per bar."""
    largest = max(counts) or 1
    heights = [(place, round(24 * count / largest, 1)) for place, count in enumerate(counts)]
    return "".join(f"M{4 * place} 24v-{height:g}h3.4v{height:g}" for place, height in heights if height)


def _packed(text: str) -> str:
    """Compressed, as text; without a time stamp, so that the same model gives the same page."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0)).decode("ascii")

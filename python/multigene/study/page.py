"""One HTML page with everything a study found: all verdicts as a heat map, figures, and folded below them numbers and formulas.

The page looks like the report and takes its style from there. It is self-contained (styles and figures inside, no scripts,
nothing fetched), follows the reader's light or dark setting, and can be read by a screen reader: tables have captions and scoped
headings, figures have descriptions.
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Any

from multigene.files import write_atomically
from multigene.report.modules import asset
from multigene.study import tables
from multigene.study.errors import StudyError
from multigene.study.figures import all_figures, inline_svg
from multigene.study.heat_map import heat_map, section_id
from multigene.study.statistics import Results, agreement, finished_results
from multigene.study.store import Store, read_json
from multigene.study.table_formats import html_table
from multigene.study.views import View

FORMULA_CHARACTERS = 2000


def study_page(store: Store, view: View | None = None) -> str:
    """The page as HTML text: of runs at their end, or at the `view` of what they had on their way."""
    from jinja2 import Environment, StrictUndefined

    template = (resources.files("multigene.study") / "templates" / "page.html.j2").read_text("utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    found = finished_results(store, view)
    return environment.from_string(template).render(
        design=found.design,
        counts=store.counts(),
        style=asset("explorer.css")
        + (resources.files("multigene.study") / "templates" / "study.css").read_text("utf-8"),
        marked=any(cell.paper is not None for cell in found.cells),
        overview=html_table(tables.views_table(found), "overview"),
        views=_views(store, found),
        formulas=_best_formulas(store, found),
        failures=_failures(store),
        machines=_distinct(store, "machine"),
        versions=_distinct(store, "versions"),
    )


def _agreement(found: Results, limit: str) -> str:
    """How many verdicts are the paper's; nothing for a study of other problems."""
    count = agreement(c for c in found.cells if c.limit == limit)
    return str(count) if count.compared else ""


def write_page(store: Store, path: Path, view: View | None = None) -> None:
    """Writes the page, whole or not at all; `view` as in `study_page`."""
    text = study_page(store, view)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode("utf-8"))
    except OSError as error:
        raise StudyError(f"the page {path} cannot be written: {error.strerror or error}") from error


def _views(store: Store, found: Results) -> list[dict[str, Any]]:
    """Per limit: the heat map, the summary, and a section per problem with its table and figures."""
    figures: dict[str, list[tuple[str, str]]] = {}
    for name, description, figure in all_figures(store, found):
        identity = "f-" + re.sub(r"\W", "-", name)
        figures.setdefault(name.rpartition("-")[0], []).append(
            (inline_svg(figure, identity, description), description)
        )
    views = []
    for limit in found.limits():
        sections = []
        for problem in found.problems():
            cells = found.of(problem, limit)
            if cells:
                name = section_id(problem, limit)
                table = html_table(
                    tables.problem_table(cells, problem, limit, len(found.design.seeds)), f"t-{name}"
                )
                sections.append(
                    {"id": name, "problem": problem, "table": table, "figures": figures.get(name, [])}
                )
        summary = html_table(tables.summary_table(found, limit), "s-" + re.sub(r"\W+", "-", limit))
        views.append(
            {
                "limit": limit,
                "id": re.sub(r"\W+", "-", limit),
                "map": heat_map(found, limit),
                "agreement": _agreement(found, limit),
                "summary": summary,
                "sections": sections,
            }
        )
    return views


def _best_formulas(store: Store, found: Results) -> list[dict[str, Any]]:
    """For every problem the formula of the run with the best training R²: chosen without a look at the test
    rows.
    """
    frame = store.frame(("train_r2", "test_r2", "formula", "size"))
    frame = frame[frame["formula"].notna() & frame["train_r2"].notna()]
    best = []
    for problem in found.problems():
        chosen = frame[frame["problem"] == problem]
        if len(chosen):
            row = chosen.iloc[int(chosen["train_r2"].to_numpy().argmax())]
            formula = str(row["formula"])
            if len(formula) > FORMULA_CHARACTERS:
                formula = formula[:FORMULA_CHARACTERS] + " …"
            best.append(
                {
                    "problem": problem,
                    "method": row["method"],
                    "limit": row["run_limit"],
                    "seed": row["seed"],
                    "train": tables.number(float(row["train_r2"]), 6),
                    "test": tables.number(float(row["test_r2"]), 6),
                    "formula": formula,
                }
            )
    return best


def _failures(store: Store) -> list[dict[str, Any]]:
    frame = store.frame(("error",), state="failed")
    return [
        {"run": f"{row.problem}, {row.method}, {row.run_limit}, seed {row.seed}", "error": row.error}
        for row in frame.itertuples()
    ]


def _distinct(store: Store, column: str) -> list[str]:
    """What the runs say of their machines or versions; not names and kernels of machines, which are nobody's business."""
    described = (
        ", ".join(f"{key} {value}" for key, value in entry.items() if key not in ("host", "system"))
        for entry in read_json(store.frame((column,)), column)
        if isinstance(entry, dict)
    )
    return sorted(set(described) - {""})

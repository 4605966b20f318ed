"""The tables of a study: those of the paper's section 5, each with the paper's numbers beside ours.

`study_tables` lays out the results as plain `Table` objects; `table_formats.py` writes them for the terminal
and as Markdown, LaTeX and HTML; `csv_text` gives every cell as one line of numbers for further work.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from multigene.settings.paper import CODENAMES
from multigene.study.ceiling import ceiling, chance, summary_ceiling
from multigene.study.paper import PaperCell, Verdict
from multigene.study.paper import summary as paper_summary
from multigene.study.problems import REALISTIC, REGISTRY, UciTable
from multigene.study.statistics import (
    Cell,
    Results,
    agreement,
    close_medians,
    smallest_p,
    summary_agreement,
    verdict_counts,
)

TICK: dict[Verdict | None, str] = {"better": "✓", "worse": "✗", "same": "", None: ""}


@dataclass(frozen=True)
class Range:
    """A maximum over a minimum, as the paper stacks them."""

    high: float
    low: float


@dataclass(frozen=True)
class Mark:
    """A verdict: tick, cross, or blank for no difference and for the baseline itself."""

    verdict: Verdict | None


Value = str | int | float | Range | Mark | None


@dataclass(frozen=True)
class Table:
    """A table without a format: groups of columns over columns, rows of values, sentences below."""

    title: str
    groups: tuple[tuple[str, int], ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = field(default=())


def number(value: float | None, digits: int = 3) -> str:
    """A number with three significant digits, as the paper prints them; empty for None."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    return f"{value:.{digits}g}"


def study_tables(found: Results, limit: str | None = None, problem: str | None = None) -> list[Table]:
    """All tables: per limit the summary, then one table per problem; optionally of one limit or problem only."""
    tables = [views_table(found)] if limit is None and problem is None else []
    for label in [limit] if limit else found.limits():
        if problem is None:
            tables.append(summary_table(found, label))
            tables += different_verdicts(found, label)
        for name in [problem] if problem else found.problems():
            cells = found.of(name, label)
            if cells:
                tables.append(problem_table(cells, name, label, len(found.design.seeds)))
    return tables


def problem_table(cells: list[Cell], problem: str, limit: str, seeds: int) -> Table:
    """The paper's table of one problem: median and range of R², verdict, LCF share, depth; ours, then the
    paper's.
    """
    with_paper = any(cell.paper is not None for cell in cells)
    ours = ("training R²", 2), ("testing R²", 2), ("", 3)
    theirs = ("paper: training R²", 2), ("paper: testing R²", 2), ("paper", 3)
    per_part = ("median", "max / min", "median", "max / min", "vb", "LCF", "depth")
    rows = []
    for cell in cells:
        row: list[Value] = [*_codename(cell.method), *_part(cell)]
        if with_paper:
            row += _part(cell.paper)
        rows.append(tuple(row))
    return Table(
        title=f"{problem}{_label_of(problem)}, {limit}",
        groups=(("", 2), *ours, *(theirs if with_paper else ())),
        columns=("mode", "tuning", *per_part, *(per_part if with_paper else ())),
        rows=tuple(rows),
        notes=tuple(_notes(cells, problem, with_paper, seeds)),
    )


def _label_of(problem: str) -> str:
    return " (reconstruction)" if problem in REGISTRY and REGISTRY[problem]().reconstruction else ""


def _codename(method: str) -> tuple[str, str]:
    if method == "baseline":
        return "-", "-"
    return (method[0], method[1]) if method in CODENAMES else (method, "")


def _part(cell: Cell | PaperCell | None) -> list[Value]:
    """Columns of one row of the paper's tables: of our runs, of the paper, or of neither."""
    if cell is None:
        return [None] * 7
    return [
        cell.train_median,
        Range(cell.train_max, cell.train_min),
        cell.test_median,
        Range(cell.test_max, cell.test_min),
        Mark(cell.verdict),
        cell.lcf_share,
        cell.depth,
    ]


def _notes(cells: list[Cell], problem: str, with_paper: bool, seeds: int) -> list[str]:
    runs = sorted({cell.runs for cell in cells})
    notes = [f"{runs[0]} runs each." if len(runs) == 1 else f"{runs[0]} to {runs[-1]} runs each."]
    failed = sum(cell.failed for cell in cells)
    if failed:
        notes.append(f"Left out: {_counted(failed, 'failed run')}.")
    missing = len(cells) * seeds - failed - sum(cell.runs for cell in cells)
    if missing > 0:
        notes.append(f"Not finished yet: {_counted(missing, 'run')}.")
    if with_paper:
        notes.append(f"{problem}: {agreement(cells)}.")
        if _label_of(problem):
            notes.append("The paper's table is not public: ours is a reconstruction, compare in kind only.")
    return notes


def summary_table(found: Results, limit: str) -> Table:
    """The paper's table 5: verdict counts over the realistic problems, with the paper's counts below."""
    counts = verdict_counts(found, limit)
    chosen = [name for name in found.problems() if name in REALISTIC]
    title = f"Summary over {_counted(len(chosen), 'realistic problem')}, {limit}"
    if not chosen:
        # A study of other problems is summarised over all of them.
        chosen = found.problems()
        counts = verdict_counts(found, limit, chosen)
        title = f"Summary over {_counted(len(chosen), 'problem')}, {limit}"
    methods = [method for method in found.design.methods if method in counts]
    rows: list[tuple[Value, ...]] = []
    words: tuple[tuple[Verdict, str], ...] = (
        ("better", f"better than {found.design.baseline}"),
        ("same", f"indifferent to {found.design.baseline}"),
        ("worse", f"worse than {found.design.baseline}"),
    )
    for word, text in words:
        rows.append((text, *(counts[method][word] for method in methods)))
    theirs = paper_summary()
    compared = any(method in theirs for method in methods)
    if compared:
        for word, text in words:
            rows.append((f"paper: {text}", *(theirs[m][word] if m in theirs else None for m in methods)))
    notes = [
        *_test_notes(found, limit),
        *([_uci_note(chosen)] if _uci_note(chosen) else []),
        *(_paper_notes(found, limit, chosen) if compared else []),
    ]
    columns = ("", *methods)
    return Table(
        title, (("", 1), ("methods", len(methods))) if methods else (), columns, tuple(rows), tuple(notes)
    )


def _test_notes(found: Results, limit: str) -> list[str]:
    """Which test gives the verdicts, and whether the runs are enough for it to give any."""
    corrected = found.design.alpha / found.design.comparisons
    notes = [
        f"Mann-Whitney U test on testing R², two-sided, α = {found.design.alpha:g} / "
        f"{found.design.comparisons} ≈ {corrected:.2g}."
    ]
    fewest = min((cell.runs for cell in found.cells if cell.limit == limit), default=0)
    if fewest and smallest_p(fewest) >= corrected:
        notes.append(
            f"With {fewest} runs a side the test cannot tell any difference: verdicts need more seeds."
        )
    return notes


def _paper_notes(found: Results, limit: str, chosen: list[str]) -> list[str]:
    """How the verdicts, medians and counts compare with the paper's."""
    notes = []
    if set(chosen) != set(REALISTIC):
        notes.append("The paper's counts are over all nine realistic problems.")
    cells = [cell for cell in found.cells if cell.limit == limit]
    runs = max((cell.runs for cell in cells), default=0)
    notes.append(f"Over all problems, {limit}: {agreement(cells)}; {ceiling(runs)}.")
    testing, training, of = close_medians(cell for cell in cells if not _label_of(cell.problem))
    if of:
        notes.append(
            f"Medians within 0.02 of the paper's on the same data: testing R² in {testing} of {of} cells, "
            f"training R² in {training}."
        )
    summary = summary_agreement(found, limit)
    if summary is not None:
        notes.append(f"Summary: {summary}. For UB, UC, SB and SC alone, {summary_ceiling(runs)}.")
    return notes


def different_verdicts(found: Results, limit: str) -> list[Table]:
    """The cells whose verdict is not the paper's, and how likely each verdict is if the authors repeated their runs; nothing
    where all agree."""
    rows: list[tuple[Value, ...]] = []
    for cell in found.cells:
        theirs = cell.paper.verdict if cell.paper is not None else None
        if cell.limit != limit or theirs is None or cell.verdict is None or cell.verdict == theirs:
            continue
        baseline = next(c for c in found.of(cell.problem, limit) if c.method == found.design.baseline)
        assert cell.paper is not None
        shares = [chance(cell.problem, cell.method, verdict) for verdict in (cell.verdict, theirs)]
        rows.append(
            (
                *(cell.problem, cell.method, cell.test_median - baseline.test_median, cell.verdict),
                *(cell.paper.test_median - baseline.paper.test_median if baseline.paper else None, theirs),
                *(f"{100.0 * share:.0f} %" for share in shares),
            )
        )
    if not rows:
        return []
    columns = ("problem", "method", *("difference", "verdict") * 2, "ours", "paper's")
    note = (
        "Difference of median testing R² from the baseline's. The chances are those of either verdict in an exact repetition of "
        "the paper's 30 runs, simulated from its own minimum, median and maximum."
    )
    groups = (("", 2), ("ours", 2), ("paper", 2), ("chance", 2))
    return [Table(f"Verdicts that differ from the paper's, {limit}", groups, columns, tuple(rows), (note,))]


def _counted(number_of: int, word: str) -> str:
    return f"{number_of} {word}{'' if number_of == 1 else 's'}"


def views_table(found: Results) -> Table:
    """Every verdict at a glance: the paper's, then ours under each limit (equal effort, equal time)."""
    limits = found.limits()
    by_place = {(cell.problem, cell.method, cell.limit): cell for cell in found.cells}
    rows: list[tuple[Value, ...]] = []
    for problem in found.problems():
        for method in found.design.methods:
            cells = [by_place.get((problem, method, limit)) for limit in limits]
            known = next((cell for cell in cells if cell is not None), None)
            if known is None:
                continue
            theirs = known.paper
            row: list[Value] = [problem, method]
            row += [theirs.test_median, Mark(theirs.verdict)] if theirs else [None, None]
            for cell in cells:
                row += [cell.test_median, Mark(cell.verdict)] if cell else [None, None]
            rows.append(tuple(row))
    notes = [
        f"{limit}: {agreement(cell for cell in found.cells if cell.limit == limit)}." for limit in limits
    ]
    columns = ("problem", "method", *("median", "vb") * (1 + len(limits)))
    groups = (("", 2), ("paper", 2), *((limit, 2) for limit in limits))
    return Table("Testing R² and verdicts, all views", groups, columns, tuple(rows), tuple(notes))


def _uci_note(problems: Iterable[str]) -> str:
    from_uci = [name for name in problems if name in REGISTRY and isinstance(REGISTRY[name](), UciTable)]
    return f"{', '.join(from_uci)}: UCI Machine Learning Repository, CC BY 4.0." if from_uci else ""


def csv_text(found: Results, limit: str | None = None, problem: str | None = None) -> str:
    """Every cell as one line: names, our numbers, then the paper's with the prefix `paper_`."""
    stream = io.StringIO()
    cells = [
        cell
        for cell in found.cells
        if (limit is None or cell.limit == limit) and (problem is None or cell.problem == problem)
    ]
    ours = [name for name in Cell.__dataclass_fields__ if name != "paper"]
    theirs = ["train_median", "train_min", "train_max", "test_median", "test_min", "test_max"]
    theirs += ["verdict", "lcf_share", "depth"]
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*ours, *(f"paper_{name}" for name in theirs), "agrees"])
    for cell in cells:
        values = asdict(cell)
        printed = values["paper"] or {}
        agrees = "" if None in (cell.verdict, printed.get("verdict")) else cell.verdict == printed["verdict"]
        writer.writerow([*(values[name] for name in ours), *(printed.get(name) for name in theirs), agrees])
    return stream.getvalue()

"""Writers of tables: terminal (Rich), Markdown, LaTeX, HTML. One small function each over the same `Table`."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

import rich.box
import rich.table
from rich.console import Console
from rich.text import Text

from multigene.study.tables import TICK, Mark, Range, Table, Value, number

_LATEX_SPECIAL = {
    **{"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "$": r"\$"},
    **{
        "²": "$^2$",
        "α": r"$\alpha$",
        "≈": r"$\approx$",
        "−∞": r"$-\infty$",
        "∞": r"$\infty$",
        "\\": r"\textbackslash{}",
    },
}
_SPOKEN = {"better": "better", "worse": "worse", "same": "no difference", None: ""}


def print_tables(tables: list[Table], console: Console) -> None:
    """Prints the tables to a terminal, narrow: maximum over minimum, "paper" above the paper's columns.

    Where a table is wider than the terminal, the paper's columns follow below ours; a number is never cut.
    """
    for table in tables:
        whole = _shown(table, range(len(table.columns)))
        parts = [whole]
        if _width(whole, console) > console.width:
            of_paper = [group.startswith("paper") for group in _group_of_columns(table)]
            ours = [place for place, paper in enumerate(of_paper) if not paper]
            names = [
                place for place, group in enumerate(_group_of_columns(table)) if group in ("", "methods")
            ]
            theirs = [*names[:2], *(place for place, paper in enumerate(of_paper) if paper)]
            if len(ours) < len(of_paper):
                parts = [_shown(table, ours), _shown(table, theirs, title="")]
        for part in parts:
            console.print(part, width=max(console.width, _width(part, console)), crop=False, no_wrap=True)
        for note in table.notes:
            console.print(note, markup=False, highlight=False)
        console.print()


def _shown(table: Table, places: Sequence[int], title: str | None = None) -> rich.table.Table:
    """Some columns of a table for the terminal."""
    shown = rich.table.Table(
        title=table.title if title is None else title,
        title_justify="left",
        box=rich.box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    groups = _group_of_columns(table)
    for place in places:
        group, column = groups[place], table.columns[place]
        words = {"training": "train", "testing": "test"}
        part = words.get(group.removeprefix("paper: ").split(" ")[0], "") if column == "median" else ""
        first = "paper" if group.startswith("paper") else "" if group.endswith("R²") else group
        first = "" if first == "methods" else first
        shown.add_column(
            f"{first}\n{part or column.replace(' ', '')}", justify="left" if place == 0 else "right"
        )
    for row in table.rows:
        shown.add_row(*(Text(_plain(row[place]).replace(" / ", "\n")) for place in places))
    return shown


def _width(shown: rich.table.Table, console: Console) -> int:
    """How wide a table is if no column is narrowed."""
    return console.measure(shown, options=console.options.update(max_width=10_000)).maximum


def markdown(tables: list[Table]) -> str:
    """The tables as GitHub-flavoured Markdown."""
    parts = []
    for table in tables:
        lines = [f"### {table.title}", "", _piped(_headings(table))]
        lines.append("|" + "|".join(":--" if i == 0 else "--:" for i in range(len(table.columns))) + "|")
        lines += [_piped([_plain(value) for value in row]) for row in table.rows]
        lines += ["", *table.notes] if table.notes else []
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def latex(tables: list[Table]) -> str:
    r"""The tables in the paper's layout; needs the packages booktabs, amsmath, amssymb and pifont."""
    head = [
        r"% \usepackage{booktabs,amsmath,amssymb,pifont}",
        r"\providecommand{\cmark}{\ding{51}}\providecommand{\xmark}{\ding{55}}",
    ]
    return "\n".join([*head, *(_latex_table(table) for table in tables)]) + "\n"


def _latex_table(table: Table) -> str:
    lines = [r"\begin{table}[htb]", r"    \centering", rf"    \caption{{{_latex_text(table.title)}.}}"]
    lines += [rf"    \begin{{tabular}}{{l{'c' * (len(table.columns) - 1)}}}", r"        \toprule"]
    if len(table.groups) > 1:
        spans = [rf"\multicolumn{{{width}}}{{c}}{{{_latex_text(name)}}}" for name, width in table.groups]
        lines.append(f"        {' & '.join(spans)} \\\\")
        start, rules = 1, []
        for name, width in table.groups:
            if name:
                rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
            start += width
        lines.append("        " + " ".join(rules))
    lines.append("        " + " & ".join(_latex_heading(column) for column in table.columns) + r" \\")
    lines.append(r"        \midrule")
    for row in table.rows:
        lines.append("        " + " & ".join(_latex_value(value) for value in row) + r" \\[1.5mm]")
    lines += [r"        \bottomrule", r"    \end{tabular}"]
    lines += [rf"    \par\small {_latex_text(' '.join(table.notes))}"] if table.notes else []
    lines.append(r"\end{table}")
    return "\n".join(lines)


def _latex_heading(column: str) -> str:
    if column == "max / min":
        return r"$\begin{smallmatrix}\text{max}\\\text{min}\end{smallmatrix}$"
    return _latex_text(column)


def _latex_value(value: Value) -> str:
    if isinstance(value, Range):
        high, low = (_latex_text(number(part)).replace("$", "") for part in (value.high, value.low))
        return rf"$\begin{{smallmatrix}}{{{high}}}\\{{{low}}}\end{{smallmatrix}}$"
    if isinstance(value, Mark):
        return {"better": r"\cmark", "worse": r"\xmark"}.get(value.verdict or "", "")
    return _latex_text(_plain(value))


def _latex_text(text: str) -> str:
    text = text.replace("−∞", "\x00")
    text = "".join(_LATEX_SPECIAL.get(letter, letter) for letter in text)
    return text.replace("\x00", _LATEX_SPECIAL["−∞"])


def html_table(table: Table, identity: str) -> str:
    """One accessible HTML table: a caption, headings with scope, verdicts with their meaning as text."""
    lines = [f'<div class="wide"><table id="{identity}"><caption>{html.escape(table.title)}</caption><thead>']
    if len(table.groups) > 1:
        spans = [
            f'<th colspan="{width}" scope="colgroup">{html.escape(name)}</th>'
            if name
            else f'<td colspan="{width}">'
            for name, width in table.groups
        ]
        lines.append(f"<tr>{''.join(spans)}</tr>")
    headings = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in table.columns)
    lines.append(f"<tr>{headings}</tr></thead><tbody>")
    before: Value = None
    for first, *rest in table.rows:
        cells = "".join(f"<td>{_html_value(value)}</td>" for value in rest)
        again = ' class="again"' if first == before else ""  # seen once is enough, heard each time
        lines.append(f'<tr{again}><th scope="row">{_html_value(first)}</th>{cells}</tr>')
        before = first
    lines.append("</tbody></table></div>")
    lines += [f'<p class="note">{html.escape(" ".join(table.notes))}</p>'] if table.notes else []
    return "\n".join(lines)


def _html_value(value: Value) -> str:
    if isinstance(value, Range):
        return f'<span class="range"><span>{number(value.high)}</span><span>{number(value.low)}</span></span>'
    if isinstance(value, Mark):
        tick = TICK[value.verdict]
        if not tick:
            return f'<span class="hidden">{_SPOKEN[value.verdict]}</span>'
        return f'<span class="{value.verdict}" role="img" aria-label="{_SPOKEN[value.verdict]}">{tick}</span>'
    return html.escape(_plain(value))


def _headings(table: Table) -> list[str]:
    """One heading per column, with its group's name when the group says whose numbers they are."""
    groups = _group_of_columns(table)
    short = {"training R²": "train", "testing R²": "test", "paper: training R²": "paper train"}
    short |= {"paper: testing R²": "paper test", "paper": "paper", "methods": "", "": ""}
    return [
        f"{short.get(group, group)} {column}".strip()
        for group, column in zip(groups, table.columns, strict=True)
    ]


def _group_of_columns(table: Table) -> list[str]:
    return [name for name, width in table.groups for _ in range(width)] or [""] * len(table.columns)


def _plain(value: Value) -> str:
    if isinstance(value, Range):
        return f"{number(value.high)} / {number(value.low)}"
    if isinstance(value, Mark):
        return TICK[value.verdict]
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else number(value)


def _piped(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


TEXT_FORMATS: dict[str, Callable[[list[Table]], str]] = {"markdown": markdown, "latex": latex}

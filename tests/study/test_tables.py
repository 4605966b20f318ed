"""Statistics, tables, figures and the page, from a store filled with made-up results."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console
from scipy.stats import mannwhitneyu

from multigene.study import paper
from multigene.study.ceiling import chance
from multigene.study.design import Design, Run, build_study, design_from, read_design
from multigene.study.errors import StudyError
from multigene.study.execution import Outcome
from multigene.study.figures import _boxes, save_figures
from multigene.study.owners import new_owner
from multigene.study.page import study_page, write_page
from multigene.study.statistics import (
    Agreement,
    agreement,
    close_medians,
    results,
    smallest_p,
    verdict,
    verdict_counts,
)
from multigene.study.store import Store
from multigene.study.table_formats import html_table, latex, markdown, print_tables
from multigene.study.tables import csv_text, different_verdicts, number, study_tables, summary_table

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LIMITS = ("100 generations", "2 s")


def fill(store: Store, design: Design) -> None:
    """Records results with a known order: UB above the baseline on K11C, below it on UB5D, no difference elsewhere."""
    study = build_study(design, prepare=False)
    store.enrol(study)
    owner = new_owner()
    while (run := store.claim(owner)) is not None:
        store.record(owner, run, made_up(run))


def made_up(run: Run) -> Outcome:
    rng = np.random.default_rng([run.seed, len(run.method), ord(run.problem[0])])
    level = {("K11C", "UB"): 0.99, ("UB5D", "UB"): 0.7}.get((run.problem, run.method), 0.9)
    if run.method == "SC" and run.seed == 0:
        return Outcome(error="RuntimeError: no <luck>", seconds=0.1)
    r2 = level - 0.01 * float(rng.random())
    if run.method == "UC" and run.seed == 3:
        r2 = -np.inf
    if run.problem == "S5D":
        r2 = 1 - 1e-13 * float(rng.random()) * (5 if run.method == "UB" else 1)
    return Outcome(
        train_r2=min(1.0, r2 + 0.005) if np.isfinite(r2) else 0.95,
        test_r2=r2,
        train_rmse=0.1,
        test_rmse=0.2,
        seconds=1.0,
        generations=100,
        formula="x1 < x2 & 3",
        size=9,
        lcf_share=0.0 if run.method == "baseline" else 0.5,
        depth=4 + run.seed % 2,
        genes=3,
        history=tuple((0.1 * 2**i, 10 * i, 0.5 + 0.05 * i) for i in range(6))
        if run.method != "linear"
        else (),
        versions={"python": "3.11"},
        machine={"host": "here"},
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    design = design_from(
        {
            "title": "Made up & <checked>",
            "problems": ["S5D", "K11C", "UB5D", "SU"],
            "methods": ["baseline", "UB", "UC", "SC", "linear"],
            "seeds": 10,
            "limits": [{"generations": 100}, {"seconds": 2}],
        },
        Path(),
    )
    made = Store.create(tmp_path_factory.mktemp("store") / "study.db")
    made._connection.execute("PRAGMA synchronous = OFF")  # nothing here tests durability
    fill(made, design)
    yield made
    made.close()


@pytest.fixture(scope="module")
def page(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "deep" / "study.html"
    write_page(store, path)
    assert [file.name for file in path.parent.iterdir()] == ["study.html"]
    return path


def test_cells_against_numpy_and_scipy(store: Store) -> None:
    found = results(store)
    assert found.limits() == list(LIMITS)
    frame = store.frame()
    for cell in found.cells:
        if cell.limit != LIMITS[0] or cell.method == "linear":
            continue
        chosen = frame[(frame.problem == cell.problem) & (frame.run_limit == cell.limit)]
        ours = chosen[chosen.method == cell.method]
        assert cell.runs == len(ours) == (9 if cell.method == "SC" else 10)
        assert cell.failed == (1 if cell.method == "SC" else 0)
        assert cell.test_median == pytest.approx(float(np.median(ours.test_r2)))
        assert (cell.test_min, cell.test_max) == (ours.test_r2.min(), ours.test_r2.max())
        assert cell.train_median == pytest.approx(float(np.median(ours.train_r2)))
        assert cell.lcf_share == (0.0 if cell.method == "baseline" else 0.5)
        assert cell.depth == pytest.approx(ours.depth.mean())
        if cell.method != "baseline" and cell.problem != "S5D":
            base = chosen[chosen.method == "baseline"].test_r2
            assert cell.p_value == pytest.approx(mannwhitneyu(ours.test_r2, base).pvalue)
    verdicts = {(cell.problem, cell.method): cell.verdict for cell in found.cells if cell.limit == LIMITS[0]}
    assert verdicts["K11C", "UB"] == "better"
    assert verdicts["UB5D", "UB"] == "worse"
    assert verdicts["K11C", "SC"] == "same"
    assert verdicts["S5D", "UB"] == "same"  # rounding noise decides nothing
    assert verdicts["K11C", "baseline"] is None


def test_methods_without_limit_are_in_every_view(store: Store) -> None:
    found = results(store)
    for limit in LIMITS:
        assert "linear" in [cell.method for cell in found.of("SU", limit)]


def test_verdict_by_hand() -> None:
    low, high = np.linspace(0.1, 0.2, 10), np.linspace(0.3, 0.4, 10)
    assert verdict(high, low, 0.05 / 11, 1e-9)[1] == "better"
    assert verdict(low, high, 0.05 / 11, 1e-9)[1] == "worse"
    assert verdict(high[:4], low[:4], 0.05 / 11, 1e-9)[1] == "same"  # too few runs for the corrected level
    assert smallest_p(4) > 0.05 / 11 > smallest_p(6)
    assert verdict(np.ones(30), np.ones(30), 0.05 / 11, 1e-9) == (1.0, "same")
    assert verdict(np.full(9, -np.inf), low, 0.05 / 11, 1e-9)[1] == "worse"
    assert verdict(low, low[:0], 0.05 / 11, 1e-9) == (None, None)
    close = 1 - np.linspace(1, 2, 10) * 1e-12
    assert verdict(close, np.ones(10), 0.05, 1e-9)[1] == "same"
    assert verdict(close, np.ones(10), 0.05, 0.0)[1] == "worse"


def test_agreement_and_summary(store: Store) -> None:
    found = results(store)
    cells = [cell for cell in found.cells if cell.limit == LIMITS[0]]
    # Paper: S5D all same; K11C UB, UC, SC better; UB5D UB, UC, SC worse; SU UB, UC better, SC same.
    # Ours: S5D all same (3 agree); K11C UB better (1 agrees); UB5D UB worse (1 agrees); SU SC same (1
    # agrees).
    assert agreement(cells) == Agreement(6, 12, 0)
    assert str(agreement(cells)) == "6 of 12 verdicts agree with the paper's"
    counts = verdict_counts(found, LIMITS[0])
    assert counts["UB"] == {"better": 1, "same": 1, "worse": 1}
    assert counts["SC"] == {"better": 0, "same": 3, "worse": 0}


def test_medians_close_to_the_papers(store: Store) -> None:
    cells = [cell for cell in results(store).cells if cell.limit == LIMITS[0] and cell.paper is not None]
    exact = [
        replace(cell, test_median=cell.paper.test_median + shift, train_median=cell.paper.train_median)
        for cell, shift in zip(cells, (0.019, -0.021, *[0.0] * len(cells)), strict=False)
        if cell.paper is not None
    ]
    assert close_medians(exact) == (len(cells) - 1, len(cells), len(cells))
    assert "Medians within 0.02" in "".join(summary_table(results(store), LIMITS[0]).notes)


def test_the_papers_own_numbers() -> None:
    assert len(paper.cells()) == 63
    assert paper.cells()["K11C", "UC"].test_min == -3.24e29
    assert paper.cells()["RS5D", "GC"].verdict == "worse"
    assert paper.cells()["SU", "baseline"].verdict is None
    assert paper.cells()["S5D", "UB"].depth == 3.5
    assert paper.cells()["K11C", "UB"].depth is None
    assert paper.summary()["UC"] == {"better": 5, "same": 3, "worse": 1}
    for code in ("UB", "UC", "SB", "SC"):  # the summary and the single tables must tell the same
        realistic = [
            cell.verdict
            for (name, method), cell in paper.cells().items()
            if method == code and "S5D" not in name
        ]
        for word, count in paper.summary()[code].items():
            assert realistic.count(word) == count


def test_numbers_print_as_in_the_paper() -> None:
    assert [number(x) for x in (1 - 1e-9, 0.99712, 0.87, -3.24e29, 10.93, -np.inf, None)] == [
        *("1", "0.997", "0.87", "-3.24e+29", "10.9", "−∞", "")
    ]


def test_markdown_has_ours_and_the_papers(store: Store) -> None:
    text = markdown(study_tables(results(store)))
    assert "### K11C, 100 generations" in text
    assert "### SU (reconstruction), 2 s" in text
    row = next(
        line for line in text.split("### K11C, 100 generations")[1].splitlines() if line.startswith("| U | B")
    )
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[6] == cells[13] == "✓"
    assert cells[9:12] == ["0.998", "0.999 / 0.99", "0.996"]
    assert (
        "Over all problems, 100 generations: 6 of 12 verdicts agree with the paper's; an exact repetition"
        in text
    )
    assert "K11C: 1 of 3 verdicts agree with the paper's." in text
    assert "9 to 10 runs each.\nLeft out: 1 failed run.\n" in text
    assert "Not finished" not in text
    headings = text.split("### K11C, 100 generations")[1].splitlines()[2]
    assert headings.count("|") == row.count("|")


def test_latex_has_the_papers_layout(store: Store) -> None:
    text = latex(study_tables(results(store), LIMITS[0], "K11C"))
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1
    assert r"\begin{smallmatrix}{0.999}\\{0.99}\end{smallmatrix}" in text
    assert r"\cmark" in next(line for line in text.splitlines() if "U & B" in line)
    assert r"{-\infty}" in next(line for line in text.splitlines() if "U & C" in line)
    for line in text.splitlines():
        if line.endswith(r"\\[1.5mm]"):
            assert line.count("&") == 15


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
def test_latex_compiles(store: Store, tmp_path: Path) -> None:
    packages = r"\usepackage[utf8]{inputenc}\usepackage{booktabs,amsmath,amssymb,pifont}"
    body = latex(study_tables(results(store)))
    (tmp_path / "t.tex").write_text(
        rf"\documentclass{{article}}{packages}\begin{{document}}{body}\end{{document}}"
    )
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True, capture_output=True)


def test_csv_holds_every_cell(store: Store) -> None:
    found = results(store)
    rows = list(csv.DictReader(io.StringIO(csv_text(found))))
    assert len(rows) == len(found.cells) == 4 * 5 * 2
    row = next(
        row for row in rows if row["problem"] == "K11C" and row["method"] == "UB" and row["limit"] == "2 s"
    )
    assert (row["verdict"], row["paper_verdict"], row["agrees"]) == ("better", "better", "True")
    assert float(row["paper_test_median"]) == 0.996
    assert float(row["test_median"]) == pytest.approx(0.985, abs=0.005)


def test_terminal_tables(store: Store) -> None:
    stream = io.StringIO()
    print_tables(study_tables(results(store), "2 s", "UB5D"), Console(file=stream, width=180))
    shown = stream.getvalue()
    assert "UB5D, 2 s" in shown
    assert "✗" in shown
    assert max(map(len, shown.splitlines())) <= 120
    ours = next(line for line in shown.splitlines() if line.split()[:2] == ["U", "B"])
    assert "0.857" in ours  # the paper's training median beside ours


def test_a_narrow_terminal_shows_the_papers_columns_below_and_cuts_no_number(store: Store) -> None:
    tables = study_tables(results(store), "2 s", "UB5D")
    wide, narrow = io.StringIO(), io.StringIO()
    print_tables(tables, Console(file=wide, width=180))
    print_tables(tables, Console(file=narrow, width=80))
    assert "…" not in narrow.getvalue()
    assert max(map(len, narrow.getvalue().splitlines())) <= 80
    assert sorted(re.findall(r"\d+\.\d+", narrow.getvalue())) == sorted(
        re.findall(r"\d+\.\d+", wide.getvalue())
    )


def test_verdicts_that_differ_are_listed_with_their_chances(store: Store) -> None:
    [table] = different_verdicts(results(store), "2 s")
    rows = {row[:2]: row for row in table.rows}
    assert ("K11C", "UB") not in rows  # better here and there
    assert rows["K11C", "UC"][3] == "same"
    assert rows["K11C", "UC"][5] == "better"
    expected = [f"{100 * chance('K11C', 'UC', verdict):.0f} %" for verdict in ("same", "better")]
    assert list(rows["K11C", "UC"][6:]) == expected


def test_chances_of_a_repetition_follow_from_what_the_paper_prints() -> None:
    assert chance("UB5D", "UB", "worse") > 0.99  # 0.866 and 0.828, narrow ranges
    assert sum(chance("SU", "SC", verdict) for verdict in ("better", "same", "worse")) == pytest.approx(1.0)
    assert 0.05 < chance("SU", "SC", "same") < 0.95  # 0.909 and 0.958, wide ranges: as it happens


def test_a_study_that_was_run_in_parts_is_shown_whole(tmp_path: Path) -> None:
    with Store.create(tmp_path / "parts.db") as store:
        for problem in ("K11C", "UB5D"):
            fill(store, read_design("quick").restricted([problem], ["baseline", "UB"], seeds=2))
        assert store.design().problems == ("UB5D",)
        found = results(store)
        assert found.design.problems == ("K11C", "UB5D")
        assert {cell.problem for cell in found.cells} == {"K11C", "UB5D"}


def test_figures_in_every_format(store: Store, tmp_path: Path) -> None:
    found = results(store)
    small = replace(found, cells=tuple(cell for cell in found.cells if cell.problem == "K11C"))
    written = save_figures(store, small, tmp_path, ("png", "svg", "pdf"))
    assert len(written) == 2 * 2 * 3
    assert (tmp_path / "K11C-100-generations-boxes.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "K11C-2-s-time.pdf").read_bytes().startswith(b"%PDF")
    drawing = (tmp_path / "K11C-100-generations-boxes.svg").read_text()
    for text in ("training R²", "testing R²", "UB", "linear"):
        assert text in drawing
    again = save_figures(store, small, tmp_path / "again", ("svg",))
    assert again[0].read_bytes() == (tmp_path / again[0].name).read_bytes()
    with pytest.raises(StudyError, match="cannot be written as 'jpg'; did you mean 'png'"):
        save_figures(store, found, tmp_path, ("jpg",))


def test_outliers_do_not_flatten_the_boxes(store: Store, tmp_path: Path) -> None:
    found = results(store)
    assert "1 outlier below" in _svg_text(store, found, tmp_path)
    samples = [np.array([0.8, 0.82, 0.84, 0.86, 0.88, -300.0]), np.array([0.85, 0.86, 0.87, 0.88, 0.89, 0.9])]
    axis = Figure().subplots()
    _boxes(axis, samples, ["a", "b"])
    low, high = axis.get_ylim()
    assert 0.5 < low < 0.8
    assert 0.9 < high < 1  # neither end is stretched by the outlier


def _svg_text(store: Store, found: object, tmp_path: Path) -> str:
    small = replace(found, cells=tuple(c for c in found.cells if (c.problem, c.limit) == ("K11C", LIMITS[0])))  # type: ignore
    return next(path for path in save_figures(store, small, tmp_path) if "boxes" in path.name).read_text()


class Outline(HTMLParser):
    """Collects what the page must get right: unique ids, links that lead somewhere, no outside resources."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.outside: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(str(value))
            if name in ("href", "xlink:href") and str(value).startswith("#"):
                self.links.append(str(value)[1:])
            elif name in ("src", "href", "xlink:href"):
                self.outside.append(str(value))


def test_the_page_is_self_contained_and_sound(store: Store, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    outline = Outline()
    outline.feed(text)
    assert len(outline.ids) == len(set(outline.ids))
    assert set(outline.links) <= set(outline.ids)
    assert not outline.outside
    assert "script" not in outline.tags
    assert outline.tags.count("svg") == 4 * 2 * 2
    assert outline.tags.count("table") == 2 + 1 + 2 + 4 * 2  # heat maps, all verdicts, counts, problems
    assert (
        text.index('class="heat"') < text.index("<svg") < text.index("<details")
    )  # verdicts first, numbers folded
    assert "Made up &amp; &lt;checked&gt;" in text
    assert "x1 &lt; x2 &amp; 3" in text
    assert "no &lt;luck&gt;" in text
    assert text.count("of 12 verdicts agree with the paper") >= 2  # one count per view
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"<svg (?![^>]*aria-label)", text)
    assert not re.search(r"<table(?:(?!</table>).)*?<table", text.replace("</table>", "\n</table>"))
    assert html_table(study_tables(results(store))[0], "x").count("<tr") == 2 + 4 * 5


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_page_in_a_browser(page: Path, tmp_path: Path) -> None:
    probe = """<pre id="probe"></pre><script>
      const wide = [...document.querySelectorAll("svg")].every(s => s.getBoundingClientRect().width > 100);
      const fits = document.documentElement.scrollWidth <= window.innerWidth; const colours =
      [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]; const text =
      getComputedStyle(document.querySelector("svg text")).fill; document.getElementById("probe").textContent
      = JSON.stringify({wide, fits, colours, text});
    </script>"""
    probed = tmp_path / "probed.html"
    probed.write_text(
        page.read_text(encoding="utf-8").replace("</body>", probe + "</body>"), encoding="utf-8"
    )
    seen = {}
    for scheme, setting in (("dark", "0"), ("light", "1")):
        arguments = [
            str(CHROMIUM),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path}/{scheme}",
        ]
        arguments += [
            f"--blink-settings=preferredColorScheme={setting}",
            "--window-size=1280,900",
            "--dump-dom",
        ]
        done = subprocess.run(
            [*arguments, probed.as_uri()], capture_output=True, text=True, timeout=120, check=True
        )
        found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout)
        assert found is not None
        seen[scheme] = json.loads(found.group(1))
        assert seen[scheme]["wide"]
        assert seen[scheme]["fits"]
        assert seen[scheme]["text"] == seen[scheme]["colours"][1]
    ground = {scheme: [int(n) for n in re.findall(r"\d+", seen[scheme]["colours"][0])] for scheme in seen}
    assert min(ground["light"]) > 230
    assert max(ground["dark"]) < 40


def test_a_page_without_results_is_refused(tmp_path: Path) -> None:
    with Store.create(tmp_path / "empty.db") as store:
        with pytest.raises(StudyError, match="holds no design yet"):
            study_page(store)
        store.enrol(
            build_study(design_from({"problems": ["S2D"], "methods": ["linear"]}, Path()), prepare=False)
        )
        with pytest.raises(StudyError, match="no finished runs yet"):
            study_page(store)

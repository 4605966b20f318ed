"""README and docs: every code block and command runs as it is printed, every link, path, setting and command that they name
exists, and the tables read off the program are up to date.

Only time limits are shortened (`page_commands.py`), and programs other than `multigene` are not run: for those it is checked that
what they name (targets of make, benchmarks, files of tests, examples of the engine) exists.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from page_commands import shell

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "examples" / "README.md",
    *(ROOT / "docs").glob("*.md"),
]
PAGES.sort()
COMMANDS = ROOT / "tests" / "page_commands.py"
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLES = re.compile(r"<!-- (\w+): made by docs/reference.py -->.*?<!-- end of \1 -->", re.DOTALL)
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")
#: What only runs where a batch system or a cluster is; such a block is compiled, such a line is left out.
ELSEWHERE = ("dask_jobqueue", "tcp://host", "dask ")
#: Programs whose commands are checked, not run.
OTHER_PROGRAMS = {"make", "pip", "cargo", "python", "pytest", "py-spy", "perf", "valgrind", "dask"}
needs_shell = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def page_text(path: Path) -> str:
    """A page without the tables that the program writes into it."""
    return TABLES.sub("", path.read_text("utf-8"))


def blocks(path: Path, language: str) -> list[str]:
    return [text for name, text in BLOCK.findall(page_text(path)) if name == language]


def reference() -> Any:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names(paths: list[Path]) -> list[Any]:
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


# --- code blocks and commands run -----------------------------------------------------------------


def program(line: str) -> str:
    """The program that a line of a shell calls, assignments before it left aside."""
    words = (word for word in line.split() if not re.match(r"[A-Z_]+=", word))
    return Path(next(words, "")).name


def for_this_machine(block: str) -> str:
    """The lines of a shell block that call multigene; nothing but it and the known programs may be called."""
    kept = []
    for line in block.splitlines():
        if line.strip() and program(line) not in OTHER_PROGRAMS and not any(e in line for e in ELSEWHERE):
            assert program(line) in ("multigene", "cat"), f"nobody checks {line!r}"
            kept.append(line)
    return "\n".join(kept)


def script(path: Path) -> str:
    """All blocks of a page, one after the other, as a reader would type them: Python, and a shell in between."""
    lines = []
    for language, text in BLOCK.findall(page_text(path)):
        if language == "python":
            compile(text, path.name, "exec")
            if not any(elsewhere in text for elsewhere in ELSEWHERE):
                lines.append(re.sub(r"time_limit=[\d.]+", "time_limit=1", text))
        elif language == "sh" and for_this_machine(text):
            lines.append(f"shell({for_this_machine(text)!r})")
    return "\n".join(lines)


def environment(folder: Path) -> dict[str, str]:
    """Where a shell finds `page_commands.py` as `multigene`, and a stand-in for jq where there is none."""
    programs = folder / "programs"
    programs.mkdir()
    commands = {"multigene": f'exec "{sys.executable}" -W error "{COMMANDS}" "$@"'}
    if shutil.which("jq") is None:
        commands["jq"] = (
            f'exec "{sys.executable}" -c \'import json, sys; print(json.load(sys.stdin)[sys.argv[1][1:]])\' "$@"'
        )
    for name, text in commands.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n", "utf-8")
        (programs / name).chmod(0o755)
    found = {**os.environ, "MPLBACKEND": "Agg", "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return {**found, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


@needs_shell
@pytest.mark.parametrize("path", names([path for path in PAGES if script(path)]))
def test_blocks_of_a_page_run(path, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("typer")
    (tmp_path / "docs" / "study").mkdir(parents=True)
    (tmp_path / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "stopping.csv", tmp_path / "examples")
    for runs in (ROOT / "docs" / "study").glob("*.csv.gz"):  # a study that goes on from its published runs
        shutil.copy(runs, tmp_path / "docs" / "study")
    (tmp_path / "page.py").write_text(script(path), "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(COMMANDS), "--page", "page.py"],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    if path == ROOT / "README.md":
        assert "..." not in done.stdout, "formulas are cut off"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The files that examples of the command line speak of."""
    import numpy as np
    import pandas as pd

    from multigene import MultigeneRegressor

    folder = tmp_path_factory.mktemp("world")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.uniform(1, 3, (60, 4)).round(3), columns=["id", "name", "a", "b"])
    table["price"] = (table.a * table.b).round(3)
    table["w"] = 1.0 + rng.integers(0, 3, len(table))
    table["y"] = (table.a**2 + table.b).round(3)
    table["dose"] = table.a
    trials = table[["a", "b"]].assign(site=np.repeat(["north", "south", "west"], 20), growth=table.y)
    trials.to_csv(folder / "trials.csv", index=False)
    (folder / "hall_of_fame.csv").write_text("Complexity,Loss,Equation\n5,0.1,a*a + b\n")
    for name in ("data.csv", "train.csv", "test.csv"):
        table.to_csv(folder / name, index=False)
    table.to_csv(folder / "data.tsv", index=False, sep="\t")
    table[["a", "b"]].to_csv(folder / "new.csv", index=False)
    table[["a", "b"]].to_parquet(folder / "new.parquet")
    model = MultigeneRegressor(generations=5, random_state=0, n_jobs=1, shapes=["increasing in a"])
    model.fit(table[["a", "b"]], table["y"])
    for name in ("model.json", "m.json", "first.json", "second.json"):
        model.save(folder / name)
    return folder


def help_examples() -> list[Any]:
    """Commands that `--help` and the end of the demo show."""
    if importlib.util.find_spec("typer") is None:
        return []
    from multigene.cli import app, demo

    made = reference()
    found = [line for command in made.commands().values() for line in made.examples(command.epilog or "")]
    found += re.findall(r"`(multigene [^`]+)`", str(app.info.epilog))
    found += re.findall(r"^ *(multigene .*?)(?:  |$)", demo.NEXT, re.MULTILINE)
    return [pytest.param(line, id=line) for line in dict.fromkeys(found)]


def spoken_commands() -> list[str]:
    """Commands that stand within sentences, complete ones."""
    found = {line for path in PAGES for line in re.findall(r"`(multigene [a-z]+ [^`\n]+)`", page_text(path))}
    return sorted(line for line in found if "…" not in line)


@needs_shell
@pytest.mark.parametrize(
    "line",
    [*help_examples(), *(line for line in spoken_commands() if not line.startswith("multigene study"))],
)
def test_examples_of_the_command_line_run(line, world, tmp_path, monkeypatch):
    folder = tmp_path / "world"
    shutil.copytree(world, folder)
    monkeypatch.chdir(folder)
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    shell(line)


# --- what pages name exists -----------------------------------------------------------------------


def shell_lines() -> list[str]:
    return [
        line for path in PAGES for text in blocks(path, "sh") for line in text.splitlines() if line.strip()
    ]


@pytest.mark.parametrize(
    "line", sorted({*spoken_commands(), *(s for s in shell_lines() if program(s) == "multigene")})
)
def test_commands_and_their_options_exist(line):
    """Every `multigene …` names a command, and options that the command has."""
    pytest.importorskip("typer")
    known = reference().commands()
    reader = shlex.shlex(
        line, posix=True, punctuation_chars="|>;"
    )  # signs within quotes are the command's own
    reader.whitespace_split = True
    words = list(itertools.takewhile(lambda word: not set(word) <= set("|>;"), reader))
    name = " ".join(words[:3] if words[1] == "study" else words[:2])
    assert name in known, f"there is no command {name!r}"
    options = {option for p in known[name].params for option in (*p.opts, *p.secondary_opts)}
    for word in words[2:]:
        if word.startswith("-") and word != "-":
            assert word in options, f"{name} has no option {word}"


def test_commands_of_other_programs_name_what_there_is():
    from benchmarks.__main__ import BENCHMARKS, NAMED_ONLY

    text = "\n".join(page_text(path) for path in PAGES)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for target in re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE):
        assert target in targets, f"make {target}"
    for name in re.findall(r"-m\s+benchmarks ([a-z_]+)", text):
        assert name in (*BENCHMARKS, *NAMED_ONLY), f"python -m benchmarks {name}"
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "benchmarks").glob("*.py"))
    for name in re.findall(r"\b((?:BENCH|LAWS|FINGERPRINTS)_[A-Z]+)=", text):
        assert f'"{name}"' in sources, name
    core = ROOT / "crates" / "multigene-core"
    for kind, name in re.findall(r"cargo [^`\n]*--(example|test) (\w+)", text):
        assert (core / f"{kind}s" / f"{name}.rs").exists(), f"cargo --{kind} {name}"
    for name in re.findall(r"pytest (tests/[\w/.]+)|python (docs/[\w/.]+)", text):
        assert (ROOT / "".join(name)).exists(), name


@pytest.mark.parametrize("path", names(PAGES))
def test_files_of_the_program_exist(path):
    """Sources in backticks: Rust files by their name, Python files by their path."""
    rust = {file.name for file in (ROOT / "crates").rglob("*.rs")}
    for name in re.findall(r"`([\w/]+\.(?:rs|py))`", page_text(path)):
        if name.endswith(".rs"):
            assert Path(name).name in rust, name
        elif "/" in name:
            assert any((place / name).exists() for place in (ROOT, ROOT / "python" / "multigene")), name


@pytest.mark.parametrize("path", names(PAGES))
def test_settings_exist(path):
    from multigene.settings.settings import field_names, setting_names

    text = page_text(path)
    for name in re.findall(r'settings=\{"(\w+)"', text):
        assert name in setting_names(), name
    if path.name == "laws.md":  # its table of ingredients
        for name in re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE):
            assert name in field_names(), name


def test_designs_can_be_read(tmp_path):
    """The design of a study that its page shows."""
    from multigene.study import read_design

    (found,) = (text for path in PAGES for text in blocks(path, "toml"))
    (tmp_path / "design.toml").write_text(found, "utf-8")
    assert len(read_design(tmp_path / "design.toml").seeds) == 30


# --- links, navigation, words ---------------------------------------------------------------------


def heading_marks(path: Path) -> set[str]:
    marks = set()
    for heading in re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE):
        plain = re.sub(r"[^\w\s-]", "", heading.lower()).strip()
        marks.add(re.sub(r"[\s]+", "-", plain))
    return marks


@pytest.mark.parametrize("path", names([*PAGES, ROOT / "ARCHITECTURE.md"]))
def test_links_lead_somewhere(path):
    for link in LINK.findall(path.read_text("utf-8")):
        if link.startswith(("http:", "https:", "mailto:")):
            continue
        name, _, mark = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), f"{path.name} links to {link}"
        if mark:
            assert mark in heading_marks(target), f"{path.name} links to {link}"


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    for path in (ROOT / "docs").glob("*.md"):
        assert f" {path.name}" in navigation, f"{path.name} cannot be found"


#: Private words of earlier versions; the glossary has the standard terms.
PRIVATE_WORDS = (
    r"rehears\w*", r"\w*seekers?", r"handful", r"judg(?:e|es|ed|ing)", r"strangers?", r"so many", r"of which", r"whatever",
    r"manners", r"rough data", r"better variables", r"brief", r"sent out", r"nothing to find",
    r"take it with you", r"make it again",
)  # fmt: skip


@pytest.mark.parametrize("path", names([*PAGES, ROOT / "ARCHITECTURE.md"]))
def test_pages_use_standard_terms(path):
    prose = re.sub(r"```.*?```|`[^`]*`", "", page_text(path), flags=re.DOTALL)
    assert re.findall(rf"\b(?:{'|'.join(PRIVATE_WORDS)})\b", prose, re.IGNORECASE) == []


#: Terms that a page links to the glossary where it uses them first, by their heading there.
TERMS = {
    "gene": r"genes?", "individual": r"individuals?", "lcf": r"LCFs?", "complexity": "complexity", "front": "front",
    "island": r"islands?", "guard": "guard", "held-out-rows": r"held-out rows", "law": r"laws?", "law-search": "law search",
    "codename": r"codenames?",
    "outer-coefficients": "outer coefficients", "r-squared": "R²", "processor-time": r"processor (?:time|seconds?)",
    "knee": "knee",
}  # fmt: skip
#: The glossary itself, a page of docstrings, and the study's pages, which explain their terms where they stand.
OWN_TERMS = ("glossary.md", "api.md", "study.md", "study-results.md", "science.md")
#: What is no prose: code, headings, pictures, HTML.
NO_PROSE = re.compile(
    r"```.*?```|`[^`\n]*`|^#.*?$|!\[[^\]]*\]\([^)]*\)|<[a-z/!][^>\n]*>", re.MULTILINE | re.DOTALL
)


def not_linked(path: Path) -> list[str]:
    """Terms of the glossary that a page uses before it links to them, if it does at all."""
    prose = NO_PROSE.sub("", page_text(path))
    missing = []
    for mark, term in TERMS.items():
        link = re.search(rf"\[[^\]]*\]\([\w/]*glossary\.md#{mark}\)", prose)
        words = re.sub(r"\[[^\]]*\]\([^)]*\)", lambda found: " " * len(found[0]), prose)
        first = re.search(rf"(?<![\w-])(?:{term})(?![\w-])", words)
        if first and (link is None or link.start() > first.start()):
            missing.append(mark)
    return missing


@pytest.mark.parametrize("path", names([p for p in PAGES if p.name not in OWN_TERMS]))
def test_first_uses_of_a_term_link_to_the_glossary(path):
    assert not_linked(path) == []


#: Where sources stand that people read: code, comments, messages, pages of the report and the studio.
SOURCES = ("python", "crates", "benchmarks", "examples", "tests")
#: Files that must name words of earlier versions.
NAMING = ("settings/earlier.py", "multigene/model_file.py", "tests/test_model_file.py", "tests/test_docs.py")


@pytest.mark.parametrize("folder", SOURCES)
def test_sources_use_standard_terms(folder):
    words = [word for word in PRIVATE_WORDS if "seekers" not in word]  # `laws/seekers.py` is a module
    private = re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)
    found = []
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in (".py", ".pyi", ".rs", ".js", ".j2", ".css") and not str(path).endswith(NAMING):
            lines = enumerate(path.read_text("utf-8").splitlines(), start=1)
            found += [
                f"{path.relative_to(ROOT)}:{n}: {line.strip()}" for n, line in lines if private.search(line)
            ]
    assert found == []


# --- tables read off the program ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cli.md", "operators.md", "settings.md"])
def test_tables_are_up_to_date(name):
    pytest.importorskip("typer")
    path = ROOT / "docs" / name
    assert reference().updated(path) == path.read_text("utf-8"), "run `make docs-tables`"


def test_the_settings_page_has_every_setting_with_its_meaning():
    from multigene.settings.settings import setting_names

    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    for name in setting_names():
        row = next((line for line in page.splitlines() if line.startswith(f"| `{name}` |")), None)
        assert row is not None, f"{name} is missing"
        assert row.split("|")[-2].strip(), f"{name} has no meaning"
    for symbol in ("G_max", "D_max", "Pr_x", "Bp_steps", "σ_Wm"):
        assert symbol in page


def test_the_operators_page_has_every_operator():
    from multigene._engine import operators

    page = (ROOT / "docs" / "operators.md").read_text("utf-8")
    for name, _, _ in operators():
        assert f"| `{name}` |" in page


def test_the_command_page_has_every_command():
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    for name in (
        "fit",
        "predict",
        "show",
        "export",
        "report",
        "compare",
        "demo",
        "settings",
        "study run",
        "study tables",
    ):
        assert f"## `multigene {name}`" in page


def test_the_readme_starts_as_it_should():
    text = (ROOT / "README.md").read_text("utf-8")
    assert "make demo" in text
    assert "make test" in text
    assert "pip install" in text
    lines = [line for line in blocks(ROOT / "README.md", "python")[0].splitlines() if line.strip()]
    assert len(lines) <= 8

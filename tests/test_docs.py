"""README and docs: every code block runs as it is printed, every link leads somewhere, generated tables are complete."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")


def blocks(path: Path, language: str) -> list[str]:
    return [text for name, text in BLOCK.findall(path.read_text("utf-8")) if name == language]


#: What only runs where a batch system is; such a block is compiled, not run.
ELSEWHERE = "dask_jobqueue"


def runnable(path: Path) -> list[str]:
    for text in blocks(path, "python"):
        compile(text, path.name, "exec")
    return [text for text in blocks(path, "python") if ELSEWHERE not in text]


WITH_CODE = [path for path in PAGES if blocks(path, "python")]


@pytest.mark.parametrize("path", WITH_CODE, ids=lambda p: p.name)
def test_code_blocks_run(path, tmp_path):
    """All Python blocks of a page, one after the other, as a reader would type them."""
    pytest.importorskip("matplotlib")
    script = tmp_path / "page.py"
    script.write_text("\n".join(runnable(path)), "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def commands() -> list[str]:
    found = set()
    for path in PAGES:
        text = path.read_text("utf-8")
        found.update(re.findall(r"^(multigene [^\n#]+)", "\n".join(blocks(path, "sh")), re.MULTILINE))
        found.update(re.findall(r"`(multigene [a-z]+ [^`\n]+)`", text))
    return sorted(found)


@pytest.mark.parametrize("line", commands())
def test_commands_and_their_options_exist(line):
    """Every `multigene …` names a command, and options that the command has."""
    typer = pytest.importorskip("typer")
    from multigene.cli import app

    group = typer.main.get_command(app)
    words = line.split("|")[0].split(">")[0].split()
    assert words[1] in group.commands, f"there is no command {words[1]!r}"
    if words[1] == "study":
        return
    known = {name for p in group.commands[words[1]].params for name in (*p.opts, *p.secondary_opts)}
    for word in words[2:]:
        if word.startswith("-") and word != "-":
            assert word in known, f"{line!r}: {words[1]} has no option {word}"


def heading_marks(path: Path) -> set[str]:
    marks = set()
    for heading in re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE):
        plain = re.sub(r"[^\w\s-]", "", heading.lower()).strip()
        marks.add(re.sub(r"[\s]+", "-", plain))
    return marks


LINKED = [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("path", LINKED, ids=lambda p: p.name)
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


def reference():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_settings_page_has_every_setting_with_its_meaning():
    from multigene.settings import settings

    page = reference().on_page_markdown((ROOT / "docs" / "settings.md").read_text("utf-8"))
    for name in settings.setting_names():
        row = next((line for line in page.splitlines() if line.startswith(f"| `{name}` |")), None)
        assert row is not None, f"{name} is missing"
        assert row.split("|")[-2].strip(), f"{name} has no meaning"
    assert len(fields(settings.Settings)) == page.count("| setting | paper |")
    for symbol in ("G_max", "D_max", "Pr_x", "Bp_steps", "σ_Wm"):
        assert symbol in page


def test_the_operators_page_has_every_operator():
    from multigene._engine import operators

    page = reference().on_page_markdown((ROOT / "docs" / "operators.md").read_text("utf-8"))
    for name, _, _ in operators():
        assert f"| `{name}` |" in page


def test_the_command_page_has_every_command():
    pytest.importorskip("typer")
    page = reference().on_page_markdown((ROOT / "docs" / "cli.md").read_text("utf-8"))
    for name in ("fit", "predict", "show", "export", "report", "compare", "demo"):
        assert f"## `multigene {name}`" in page


def test_the_readme_starts_as_it_should():
    text = (ROOT / "README.md").read_text("utf-8")
    assert "make demo" in text
    assert "make test" in text
    lines = [line for line in blocks(ROOT / "README.md", "python")[0].splitlines() if line.strip()]
    assert len(lines) <= 8

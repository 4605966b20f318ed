"""ARCHITECTURE.md says what is: every file, folder and function that it names exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, CORE = ROOT / "python" / "multigene", ROOT / "crates" / "multigene-core" / "src"
PAGES = ("ARCHITECTURE.md",)
#: Where a place named on the pages may lie.
HOMES = (ROOT, PACKAGE, CORE, ROOT / "crates" / "multigene-python" / "src")


def named(page: str) -> list[str]:
    """Everything in backticks that looks like a file, a folder, or a function in a file."""
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text("utf-8"), flags=re.S)
    return [
        t
        for t in re.findall(r"`([^`\s]+)`", text)
        if re.fullmatch(r"[\w./-]+(\.(py|rs|pyi|toml|md)(:\w+)?|/)", t)
    ]


@pytest.mark.parametrize(
    ("page", "place"), [(page, place) for page in PAGES for place in dict.fromkeys(named(page))]
)
def test_every_place_exists(page, place):
    path, _, function = place.partition(":")
    found = [home / path for home in HOMES if (home / path).exists()]
    name = path.rstrip("/")
    short = list(PACKAGE.rglob(name)) + list(CORE.rglob(name)) if "/" not in name else []
    assert found or short, f"{page} names {place}, which does not exist"
    if function:
        names = {
            node.name
            for node in ast.walk(ast.parse((found or short)[0].read_text("utf-8")))
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        assert function in names, f"{page} names {place}; {path} has no {function}"


def test_every_folder_is_on_the_page():
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    folders = {p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists()}
    tops = {p.stem for p in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert not [f for f in folders if f"`{f}/`" not in text]
    assert not [m for m in tops if f"`{m}.py`" not in text]

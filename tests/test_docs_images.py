"""The pictures of README and docs: one command makes every one that is shown, and it works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from browser import MISSING

ROOT = Path(__file__).resolve().parent.parent


def pictures() -> set[str]:
    """Names of the pictures that pages show."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    return {name for page in pages for name in re.findall(r"images/([\w.-]+\.png)", page.read_text("utf-8"))}


def test_every_picture_is_there_and_shown():
    assert pictures() == {path.name for path in (ROOT / "docs" / "images").glob("*.png")}


@pytest.mark.timeout(1000)  # four reports, a notebook and the studio in browsers of their own
@pytest.mark.skipif(bool(MISSING), reason=MISSING)
def test_the_command_makes_every_picture(tmp_path):
    for needed in ("selenium", "starlette", "anywidget", "PIL"):
        pytest.importorskip(needed)
    command = [sys.executable, str(ROOT / "docs" / "make_images.py"), str(tmp_path), "--generations", "4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    from PIL import Image

    assert pictures() <= {path.name for path in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        with Image.open(path) as picture:
            width, height = picture.size
            colours = picture.convert("RGB").getcolors(1 << 24)
        assert width >= 390 and height >= 300  # noqa: PT018
        assert colours is None or len(colours) > 50  # not blank

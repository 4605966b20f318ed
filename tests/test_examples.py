"""Every example runs from start to end, in a directory of its own, warnings being errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))


def test_there_are_five_scripts_and_a_notebook():
    assert len(SCRIPTS) == 5
    assert len(list(EXAMPLES.glob("*.ipynb"))) == 1


def test_the_table_is_what_its_recipe_makes(tmp_path, monkeypatch):
    """examples/README.md says how stopping.csv was made."""
    monkeypatch.chdir(tmp_path)
    recipe = re.search(r"```python\n(.*?)```", (EXAMPLES / "README.md").read_text("utf-8"), re.DOTALL)
    assert recipe is not None
    exec(recipe[1], {})
    assert (tmp_path / "stopping.csv").read_text("utf-8") == (EXAMPLES / "stopping.csv").read_text("utf-8")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_script(path, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_notebook(path, tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat, nbclient and ipykernel")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=place).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = "".join(str(output.get("data", {}).get("text/html", "")) for output in outputs)
    assert "<polyline" in shown, "no live curve"
    assert "<math" in shown, "no formula"
    assert any("image/png" in output.get("data", {}) for output in outputs)

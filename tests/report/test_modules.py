"""The front end's modules can be put into one script, and stay small."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib import resources

import pytest

from multigene.report.modules import EXPORT, IMPORT, inlined

MODULES = {
    each.name: each.read_text("utf-8")
    for each in (resources.files("multigene.report") / "templates" / "modules").iterdir()
}
DECLARED = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


def test_no_two_modules_declare_the_same_name():
    owners: dict[str, list[str]] = {}
    for name, text in MODULES.items():
        for declared in DECLARED.findall(text):
            owners.setdefault(declared, []).append(name)
    # `const A = …, B = …` declares more than the first; such names are looked for too.
    assert {name: where for name, where in owners.items() if len(where) > 1} == {}


@pytest.mark.parametrize("name", MODULES)
def test_imports_are_of_the_kind_that_can_be_left_out(name):
    text = MODULES[name]
    assert len(re.findall(r"^import ", text, re.MULTILINE)) == len(IMPORT.findall(text))
    assert len(re.findall(r"^export ", text, re.MULTILINE)) == len(EXPORT.findall(text))
    for names, where in re.findall(r'^import \{([^}]*)\} from "\./([\w.]+)";', text, re.MULTILINE):
        exported = re.findall(
            r"^export (?:async )?(?:function|class|const|let) (\w+)", MODULES[where], re.MULTILINE
        )
        assert {each.strip() for each in names.split(",")} <= set(exported)


def test_a_report_holds_every_module_once():
    script = inlined("page.js")
    assert "import " not in re.sub(r"//.*", "", script).split("function")[0]
    assert script.count("function explore(") == 1
    assert script.count("class Predictor") == 1
    assert len(script) < 100_000


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to parse the script")
def test_the_script_of_a_report_can_be_parsed(tmp_path):
    (tmp_path / "page.mjs").write_text(inlined("page.js"))
    subprocess.run(["node", "--check", str(tmp_path / "page.mjs")], check=True)


def test_what_the_studio_loads_is_small_without_the_chart_library():
    """At most 300 kB of modules, styles and markup."""
    pytest.importorskip("starlette", reason="needs multigene[studio]")
    from multigene.studio.app import assets

    page = resources.files("multigene.studio") / "templates" / "index.html"
    assert sum(map(len, assets().values())) + len(page.read_bytes()) <= 300_000


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to run the script")
@pytest.mark.parametrize(("worst", "best"), [(0.93, 0.975), (0.991, 0.9985), (0.0, 0.9991), (0.9, 0.99999)])
def test_an_axis_of_scores_has_marks_between_the_scores(tmp_path, worst, best):
    (tmp_path / "modules").mkdir()
    for name, text in MODULES.items():
        (tmp_path / "modules" / name).write_text(text, "utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "ask.js").write_text(
        'import {scoreAxis} from "./modules/charts.js";\n'
        f"const {{height, ticks}} = scoreAxis({best}, {worst});\n"
        f"console.log(ticks.tickvals.filter(v => v >= height({worst}) && v <= height({best})).length);"
    )
    said = subprocess.run(["node", str(tmp_path / "ask.js")], check=True, capture_output=True, text=True)
    assert 2 <= int(said.stdout) <= 8

"""The explorer in a notebook: what the kernel sends, and what a page makes of it in a headless Chromium."""

from __future__ import annotations

import gzip
import json

import pytest
from browser import MISSING, chromium, console_errors
from notebook_cell import asked, cells, shown
from report_cases import fitted, rows

pytest.importorskip("anywidget", reason="needs multigene[notebook]")

from multigene import MultigeneRegressor
from multigene.report import notebook
from multigene.report.widget import shadow_style


@pytest.fixture(scope="module")
def model():
    return fitted()


def test_what_is_shown_is_computed_when_it_is_asked_for(model):
    X, X_test, y, y_test = rows()
    content, buffers = asked(model.explore(X, y, X_test, y_test), "content")
    data = json.loads(gzip.decompress(buffers[0]))
    assert data["unseen"] == "test"
    assert "A formula" not in content["markup"]  # the explorer without a page around it
    chosen = data["models"][data["chosen"]]
    assert chosen["r2"] == pytest.approx(model.r2_, rel=1e-5)


def test_what_goes_wrong_is_told_on_the_page(model):
    content, _ = asked(model.explore(X_test=[[1.0, 2.0]]), "content")
    assert content == {
        "kind": "content",
        "trouble": "Test rows need both X_test and y_test; give the other one too.",
    }


def test_a_model_is_the_explorer_in_a_notebook_and_its_formula_elsewhere(model, monkeypatch):
    kind = "application/vnd.jupyter.widget-view+json"
    assert kind not in model._repr_mimebundle_()
    monkeypatch.setattr(notebook, "in_notebook", lambda: True)
    bundle = model._repr_mimebundle_()
    assert "model_id" in bundle[kind]
    assert "<math" in bundle["text/html"]
    assert kind not in MultigeneRegressor()._repr_mimebundle_()


def test_the_style_of_the_explorer_says_nothing_about_the_page_around_it():
    style = shadow_style()
    assert ":root" not in style
    assert "body{" not in style
    assert ":host([data-theme=dark])" in style


@pytest.mark.skipif(bool(MISSING), reason=MISSING)
def test_the_explorer_works_in_a_cell(model, tmp_path):
    from selenium.webdriver.support.ui import WebDriverWait

    path = tmp_path / "cell.html"
    path.write_text(cells(model.explore()), encoding="utf-8")
    inside = "document.querySelector('#cell > div').shadowRoot"
    with chromium() as driver:
        driver.get(path.as_uri())
        wait = WebDriverWait(driver, 60).until
        wait(shown)
        wait(lambda d: d.execute_script(f"return !!{inside}.querySelector('#chart-front .main-svg')"))
        before = driver.execute_script(f"return {inside}.getElementById('selected').textContent")
        driver.execute_script(f"{inside}.querySelector('[data-pick=simple]').click()")
        after = driver.execute_script(f"return {inside}.getElementById('selected').textContent")
        assert before != after
        assert "=" in driver.execute_script(f"return {inside}.getElementById('predicted').textContent")
        # Charts lie in their places, the theme is the notebook's, and the page around keeps its own style.
        place, chart = (
            driver.execute_script(
                f"const b = {inside}.querySelector('{what}').getBoundingClientRect(); return [b.left, b.top]"
            )
            for what in ("#chart-front", "#chart-front .main-svg")
        )
        assert place == pytest.approx(chart, abs=1.0)
        ground = driver.execute_script(
            "return getComputedStyle(document.querySelector('#cell > div')).backgroundColor"
        )
        assert ground == "rgb(20, 23, 29)"
        assert (
            driver.execute_script("return getComputedStyle(document.body).backgroundColor")
            == "rgba(0, 0, 0, 0)"
        )
        assert driver.execute_script("return window.asked.filter(k => k === 'library').length") == 1
        assert console_errors(driver) == []

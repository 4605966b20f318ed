"""The studio in a headless Chromium, driven as a person would: from a table to an exported formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from browser import MISSING, chromium, console_errors, network_requests

pytest.importorskip("selenium", reason="needs selenium to drive the browser")
pytest.importorskip("starlette", reason="needs multigene[studio]")
if MISSING:
    pytest.skip(MISSING, allow_module_level=True)

from selenium.webdriver.common.by import By
from studio_driver import begin, click, fill, ready, served, state, text, until


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(-2.0, 2.0, (500, 3)), columns=["speed", "air gap", "<b>load</b>"])
    frame["drag"] = (
        np.exp(0.5 * frame["speed"]) * frame["air gap"]
        + np.sin(frame["<b>load</b>"])
        + 0.2 * rng.normal(size=500)
    )
    path = tmp_path_factory.mktemp("table") / "drag.csv"
    frame.to_csv(path, index=False)
    return path


def serious(driver) -> list:
    """Violations of accessibility that matter."""
    axe = pytest.importorskip("axe_core_python.base", reason="needs axe-core-python")
    driver.execute_script(axe.AXE_FILE_PATH.read_text("utf-8"))
    found = driver.execute_async_script(
        "const done = arguments[0]; axe.run(document).then(r => done(r.violations), e => done(String(e)))"
    )
    return [
        (v["id"], [n["html"][:160] for n in v["nodes"]][:2])
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


def test_from_a_table_to_an_exported_formula(tmp_path, table):
    with served(tmp_path / "work", table) as address, chromium() as driver:
        driver.get(address)
        until(lambda: "<b>load</b>" in text(driver, "table"))
        fill(driver, "derived-name", "gap squared")
        fill(driver, "derived-formula", "`air gap`**2")
        click(driver, "derive")
        until(lambda: "gap squared" in text(driver, "table"))
        assert serious(driver) == []
        begin(driver, address, seconds="300")
        until(lambda: driver.execute_script("return !!document.querySelector('#live-front .main-svg')"))
        assert serious(driver) == []
        # Steer: a formula of one's own, a ban, a price.
        fill(driver, "offered", "exp(0.5*speed)*`air gap`")
        click(driver, "pin")
        driver.execute_script("document.getElementById('ban').value = 'gap squared'")
        click(driver, "do-ban")
        until(
            lambda: (
                "ban gap squared" in text(driver, "actions") and "next round" not in text(driver, "actions")
            )
        )
        # Pause, reload, go on, stop.
        click(driver, "pause")
        until(lambda: state(driver) == "paused")
        driver.refresh()
        until(lambda: state(driver) == "paused")
        click(driver, "resume")
        until(lambda: state(driver) == "running")
        click(driver, "stop")
        until(lambda: state(driver) == "done")
        # Explore, prune by a click on a term, see its cost.
        click(driver, "look")
        until(lambda: ready(driver))
        assert serious(driver) == []
        formula = driver.find_element(By.ID, "equation").get_attribute("textContent")
        assert "gap squared" not in formula
        remove = until(lambda: driver.find_elements(By.CSS_SELECTOR, ".term-remove"))
        driver.execute_script("arguments[0].click()", remove[-1])
        until(lambda: "Without that term" in text(driver, "problem-free"))
        # Export.
        driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path / "down")}
        )
        click(driver, "save-python")
        until(lambda: (tmp_path / "down" / "run.py").exists())
        assert "'pin'" in (tmp_path / "down" / "run.py").read_text()
        assert "predict" in text(driver, "code")
        driver.find_element(By.ID, "step-runs").click()
        until(lambda: "done" in text(driver, "run-table"))
        assert serious(driver) == []
        assert console_errors(driver) == []
        assert [each for each in network_requests(driver) if not each.startswith(address.split("?")[0])] == []


def test_two_tabs_see_the_same_run_and_a_phone_can_use_it(tmp_path, table):
    with (
        served(tmp_path / "work", table) as address,
        chromium(width=390, height=844, touch=True, dark=True) as driver,
    ):
        begin(driver, address, seconds="300")
        overflow = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        assert overflow <= 0
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        driver.get(address.split("?")[0] + "#runs")
        until(lambda: "running" in text(driver, "run-table"))
        driver.find_element(By.CSS_SELECTOR, "#run-table button").click()
        until(lambda: state(driver).startswith("running"))
        click(driver, "stop")
        until(lambda: state(driver) == "done")
        driver.switch_to.window(first)
        until(lambda: state(driver) == "done")
        assert console_errors(driver) == []

"""Classes, rules, text, dates, gaps and groups in the studio as a browser shows them, in the dark and on a phone: every control,
and nothing that keeps somebody out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from browser import MISSING, chromium, console_errors, network_requests, serious

pytest.importorskip("selenium", reason="needs selenium to drive the browser")
pytest.importorskip("starlette", reason="needs multigene[studio]")
if MISSING:
    pytest.skip(MISSING, allow_module_level=True)

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select
from studio_driver import begin, click, fill, ready, served, state, text, until


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    n = 700
    frame = pd.DataFrame(
        {
            "dose": rng.uniform(0.5, 3.0, n).round(3),
            "site": rng.choice(["north", "<i>south</i>"], n),
            "opened": pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "growth": rng.uniform(1.0, 2.0, n).round(3),
        }
    )
    frame["health"] = np.where(
        frame["dose"] * frame["growth"] + 0.3 * rng.normal(size=n) > 2.5, "sick", "well"
    )
    frame.loc[rng.random(n) < 0.1, "dose"] = np.nan
    path = tmp_path_factory.mktemp("table") / "patients.csv"
    frame.to_csv(path, index=False)
    return path


def test_a_class_is_asked_for_watched_and_explored_in_the_dark(tmp_path, table):
    with served(tmp_path / "work", table) as address, chromium(dark=True) as driver:
        driver.get(address)
        until(lambda: "<i>south</i>" in text(driver, "table"))
        assert serious(driver) == []
        click(driver, "to-question")
        for summary in until(lambda: driver.find_elements(By.CSS_SELECTOR, "details.box > summary")):
            driver.execute_script("arguments[0].click()", summary)
        # The last column holds classes: its second is asked for, and what goes with numbers alone is not offered.
        shown = lambda name: driver.find_element(By.ID, name).is_displayed()  # noqa: E731
        assert driver.find_element(By.ID, "label").get_attribute("value") == "well"
        assert not any(shown(name) for name in ("groups", "loss", "search-for"))
        assert shown("missing")
        assert serious(driver) == []
        # A target of numbers: groups, loss and what is looked for; a rule that cannot be.
        Select(driver.find_element(By.ID, "target")).select_by_value("growth")
        assert all(shown(name) for name in ("groups", "loss", "search-for"))
        assert not shown("label")
        fill(driver, "rules", "must use dose\nsin only of weight")
        click(driver, "start")
        until(lambda: "weight" in text(driver, "rules-mistake"))
        assert serious(driver) == []
        driver.get_log("browser")  # refused questions are told there as well
        begin(driver, address, generations="2")
        assert text(driver, "run-title") == "Run 1: P(well)"
        until(lambda: state(driver) == "done")
        assert "test rows are told right" in text(driver, "best-said")
        until(lambda: driver.execute_script("return !!document.querySelector('#live-fit .main-svg')"))
        assert serious(driver) == []
        click(driver, "look")
        until(lambda: ready(driver))
        assert driver.find_elements(By.ID, "chart-roc")
        assert not driver.find_elements(By.ID, "keep-numbers")
        assert "MultigeneClassifier" in driver.find_element(By.ID, "reproduce-python").get_attribute(
            "textContent"
        )
        assert serious(driver) == []
        assert console_errors(driver) == []
        assert [each for each in network_requests(driver) if not each.startswith(address.split("?")[0])] == []


def test_groups_rules_and_dates_on_a_phone(tmp_path, table):
    with served(tmp_path / "work", table) as address, chromium(width=390, height=844, touch=True) as driver:
        driver.get(address)
        click(driver, "to-question")
        until(lambda: driver.find_elements(By.ID, "start"))
        Select(driver.find_element(By.ID, "target")).select_by_value("growth")
        Select(driver.find_element(By.ID, "groups")).select_by_value("site")
        fill(driver, "generations", "2")
        click(driver, "start")
        until(lambda: state(driver) == "done")
        click(driver, "look")
        until(lambda: ready(driver))
        width = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert driver.execute_script(width) <= 0
        assert serious(driver) == []
        assert console_errors(driver) == []

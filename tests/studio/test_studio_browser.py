"""The studio in a headless Chromium, driven as a person would: from a table to an exported formula."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from browser import MISSING, chromium, console_errors, network_requests, serious

pytest.importorskip("selenium", reason="needs selenium to drive the browser")
pytest.importorskip("starlette", reason="needs multigene[studio]")
if MISSING:
    pytest.skip(MISSING, allow_module_level=True)

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from studio_driver import begin, click, fill, focused_by_tab, ready, served, state, text, until


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


def test_from_a_table_to_an_exported_formula(tmp_path, table):
    with served(tmp_path / "work", table) as address, chromium() as driver:
        driver.get(address)
        until(lambda: "<b>load</b>" in text(driver, "table"))
        # A mistake is told beside its field, and its place is marked.
        fill(driver, "derived-name", "gap squared")
        fill(driver, "derived-formula", "2*gap")
        click(driver, "derive")
        until(lambda: "'gap' is no column" in text(driver, "derived-formula-mistake"))
        fill(driver, "derived-name", "gap squared")
        fill(driver, "derived-formula", "`air gap`**2")
        click(driver, "derive")
        until(lambda: "gap squared" in text(driver, "table"))
        assert serious(driver) == []
        begin(driver, address, seconds="300")
        until(lambda: driver.execute_script("return !!document.querySelector('#live-front .main-svg')"))
        assert serious(driver) == []
        # A formula breaks after operators, not inside a name.
        until(lambda: "*" in text(driver, "best-formula"))
        pieces = driver.execute_script(
            "return [...document.getElementById('best-formula').childNodes].map(n => n.nodeType === 3 ? n.data : '\\n').join('')"
        ).split("\n")
        assert all(a[-1] in "*/(," or b.startswith((" +", " -")) for a, b in pairwise(pieces))
        assert not any(
            "*" in (a[-2:-1], b[:1]) and a[-1] == "*" for a, b in pairwise(pieces)
        )  # nor inside a power
        assert len(pieces) > 1
        driver.get_log("browser")  # the refused column is told there as well
        # A formula of the front is read by pointing at it, as soon as it is written, and stays that while the search goes on.
        driver.find_element(By.ID, "live-front").send_keys(Keys.HOME, Keys.ARROW_RIGHT)
        until(lambda: "nodes, R²" in text(driver, "hovered") and "…" not in text(driver, "hovered"))
        # The shown one can be edited: all of it, however long it is, can be read again.
        driver.find_element(By.ID, "live-front").send_keys(Keys.END)
        click(driver, "edit-best")
        until(lambda: driver.find_element(By.ID, "offered").get_attribute("value"))
        click(driver, "offer")
        until(lambda: "offer" in text(driver, "actions"))
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
        until(lambda: ready(driver))
        # Every term can be left out once, also after the page was made anew.
        driver.execute_script("document.querySelector('.pick[data-pick=accurate]').click()")
        terms = driver.find_elements(By.CSS_SELECTOR, "#term-table tr[data-term]")
        assert {len(each.find_elements(By.CSS_SELECTOR, ".term-remove")) for each in terms} == {1}
        click(driver, "prune")
        until(lambda: text(driver, "problem-free").startswith("Pruned"))
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
        overflow = driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
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


def test_mistakes_are_marked_in_their_field_and_two_runs_stand_side_by_side(tmp_path, table):
    with served(tmp_path / "work", table) as address, chromium() as driver:
        driver.get(address)
        click(driver, "to-question")
        for summary in until(lambda: driver.find_elements(By.CSS_SELECTOR, "details.box > summary")):
            driver.execute_script("arguments[0].click()", summary)
        for name, typed, place in (
            ("form", "f(speed, gap)*exp(speed)", "gap"),
            ("shapes", "speed >= 0\nincreasing in gap", "increasing in gap"),
            ("guesses", "speed*2\nspeed*gap", "gap"),
        ):
            fill(driver, name, typed)
            click(driver, "start")
            until(lambda name=name: text(driver, f"{name}-mistake"))
            selected = driver.execute_script(
                "const e = document.activeElement; return [e.id, e.value.slice(e.selectionStart, e.selectionEnd)]"
            )
            assert selected == [name, place]
            assert driver.find_element(By.ID, name).get_attribute("aria-invalid") == "true"
            fill(driver, name, "")
        assert serious(driver) == []
        assert driver.execute_script("return location.hash") == "#question"
        driver.get_log("browser")  # refused questions are told there as well
        for features in ("3", "4"):
            begin(driver, address, generations=features)
            until(lambda: state(driver) == "done")
        # The front is read with the arrow keys.
        driver.find_element(By.ID, "live-front").send_keys(Keys.HOME, Keys.ARROW_RIGHT)
        until(lambda: "nodes, R²" in text(driver, "hovered"))
        driver.find_element(By.ID, "step-runs").click()
        until(lambda: text(driver, "run-table").count("done") == 2)
        click(driver, "compare")
        until(lambda: driver.execute_script("return !!document.querySelector('#common-curves .main-svg')"))
        assert "100 rows that neither search has seen" in text(driver, "common-said")
        assert len(driver.find_elements(By.CSS_SELECTOR, "#beside-runs math")) >= 2
        assert serious(driver) == []
        assert console_errors(driver) == []


def test_a_question_to_one_table_says_nothing_about_the_columns_of_another(tmp_path, table):
    other = tmp_path / "other.csv"
    pd.DataFrame({"p": np.arange(40.0) % 7, "q": np.arange(40.0)}).to_csv(other, index=False)
    boxes = "return [...document.querySelectorAll('#features input')].map(box => [box.value, box.checked])"
    with served(tmp_path / "work", table) as address, chromium() as driver:
        begin(driver, address, generations="1", seed="5")
        until(lambda: state(driver) == "done")
        driver.find_element(By.ID, "step-data").click()
        fill(driver, "derived-name", "squared")
        fill(driver, "derived-formula", "speed**2")
        click(driver, "derive")
        until(lambda: "squared" in text(driver, "table"))
        click(driver, "to-question")
        until(lambda: ["squared", True] in driver.execute_script(boxes))  # new since the last question
        driver.find_element(By.ID, "step-data").click()
        until(lambda: driver.find_elements(By.CSS_SELECTOR, "input[type=file]"))[0].send_keys(str(other))
        until(lambda: "other.csv: 40 rows, 2 columns" in text(driver, "table"))
        click(driver, "to-question")
        until(lambda: driver.execute_script(boxes) == [["p", True]])
        assert driver.find_element(By.ID, "seed").get_attribute("value") == "5"
        assert console_errors(driver) == []


def test_the_keyboard_is_enough_from_the_table_to_a_saved_formula(tmp_path, table):
    with served(tmp_path / "work", table) as address, chromium() as driver:
        driver.get(address)
        driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path / "down")}
        )
        until(lambda: driver.find_elements(By.ID, "to-question"))
        focused_by_tab(driver, "to-question").send_keys(Keys.ENTER)
        until(lambda: driver.execute_script("return document.activeElement.id") == "target")
        focused_by_tab(driver, "seconds").send_keys(Keys.CONTROL, "a", Keys.NULL, "300")
        focused_by_tab(driver, "start").send_keys(Keys.ENTER)
        until(lambda: "=" in text(driver, "best-formula"))
        focused_by_tab(driver, "stop").send_keys(Keys.SPACE)
        until(lambda: state(driver) == "done")
        focused_by_tab(driver, "look").send_keys(Keys.ENTER)
        until(lambda: ready(driver))
        focused_by_tab(driver, "save-model").send_keys(Keys.ENTER)
        until(lambda: (tmp_path / "down" / "model.json").exists())
        assert console_errors(driver) == []

"""The report in a headless Chromium: every way to select changes the page, nothing is fetched, nothing is in the way."""

from __future__ import annotations

import json
import time

import numpy as np
import pandas as pd
import pytest
from browser import DRIVER, MISSING, chromium, console_errors, network_requests, open_report
from report_cases import awkward, extreme, fitted, rows, unpacked

pytest.importorskip("selenium", reason="needs selenium to drive the browser")
if MISSING:
    pytest.skip(MISSING, allow_module_level=True)

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from multigene import MultigeneRegressor
from multigene.report.numbers import read_number, spoken_r2

CHARTS = (
    "chart-front", "chart-fit", "chart-residuals", "chart-spread", "chart-intervals", "chart-errors", "chart-importance",
    "chart-response",
)  # fmt: skip


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    X, X_test, y, y_test = rows()
    target = tmp_path_factory.mktemp("report") / "report.html"
    fitted().report(target, X, y, X_test, y_test)
    return target


@pytest.fixture(scope="module")
def window(path):
    assert DRIVER
    with chromium() as driver:
        open_report(driver, path)
        yield driver


@pytest.fixture
def page(window):
    """The page with its chosen model selected, at the top."""
    window.execute_script("document.getElementById('back').click(); window.scrollTo(0, 0)")
    return window


def state(driver) -> dict[str, str]:
    """Everything on the page that follows the selected model."""
    return driver.execute_script("""
        const text = id => document.getElementById(id).innerText;
        const curves = [...document.querySelectorAll("#dependence .plot")];
        const labels = curves.map(e => e.getAttribute("aria-label"));
        return {selected: text("selected"), formula: document.getElementById("equation").innerHTML,
          sentence: text("panel-first"), cards: text("panel-cards"), errors: text("error-table"), code: text("code"),
          dependence: labels.join(), terms: document.getElementById("panel-terms").innerHTML,
          predicted: text("predicted"), segments: text("panel-segments"),
          radio: document.querySelector("#models input:checked").value,
          slider: document.getElementById("chart-front").getAttribute("aria-valuenow")};""")


def number(driver) -> int:
    """The selected model, counted from 0."""
    said = state(driver)
    assert said["radio"] == str(int(said["slider"]) - 1)
    assert said["selected"].startswith(f"Model {said['slider']} of")
    return int(said["radio"])


def count(driver) -> int:
    return int(driver.find_element(By.ID, "chart-front").get_attribute("aria-valuemax"))


def until(condition, seconds: float = 60.0):
    """Wait until a condition holds; what it last said."""
    end = time.monotonic() + seconds
    while not (said := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return said


def show(driver, name: str):
    """Scroll to a chart and wait until it is drawn."""
    element = driver.find_element(By.ID, name)
    driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
    for _ in range(1_200):
        if driver.execute_script("return !!arguments[0].querySelector('.main-svg, .empty')", element):
            return element
        time.sleep(0.05)
    raise AssertionError(f"{name} was not drawn")


def clipboard(driver) -> str:
    """What was copied last."""
    return driver.execute_async_script(
        "const done = arguments[0]; navigator.clipboard.readText().then(done, e => done('refused: ' + e))"
    )


def drawn(driver, name: str) -> str:
    """What a chart shows."""
    show(driver, name)
    time.sleep(0.1)
    return driver.execute_script(
        "const g = document.getElementById(arguments[0]);"
        "return JSON.stringify((g.data || []).map(t => [t.name, t.x, t.y, t.z])) + g.innerText", name
    )  # fmt: skip


def test_every_chart_is_drawn(page):
    for name in CHARTS:
        show(page, name)
    show(page, "dependence-0")


def test_a_click_on_a_model_changes_the_whole_page(page):
    before, charts = state(page), {name: drawn(page, name) for name in CHARTS}
    other = 1 if number(page) != 1 else 3
    page.execute_script("document.getElementById('all-models').open = true")
    label = page.find_element(By.CSS_SELECTOR, f"#models label:has(input[value='{other}'])")
    page.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", label)
    label.click()
    after = state(page)
    assert after["radio"] == str(other)
    unchanged = [key for key in before if before[key] == after[key]]
    assert not unchanged, f"did not follow the selection: {unchanged}"
    same = [name for name in charts if not until(lambda name=name: drawn(page, name) != charts[name])]
    assert not same, f"did not follow the selection: {same}"


def test_a_click_on_a_point_of_the_front_selects_it(page):
    chart = show(page, "chart-front")
    wanted = 1

    def hovered() -> str:
        """What the page says of the point under the mouse; on a busy machine it may still be moving when the mouse arrives."""
        x, y = page.execute_script(
            """const g = document.getElementById("chart-front"), i = arguments[0];
            const t = g.data.find(d => d.customdata);
            const x = g._fullLayout.xaxis, y = g._fullLayout.yaxis, box = g.getBoundingClientRect();
            return [box.left + x._offset + x.d2p(t.x[i]), box.top + y._offset + y.d2p(t.y[i])];""",
            wanted,
        )
        box = chart.rect
        scroll = page.execute_script("return window.scrollY")
        offset = (x - box["x"] - box["width"] / 2, y - (box["y"] - scroll) - box["height"] / 2)
        mouse = ActionChains(page).move_to_element(chart)
        mouse.move_to_element_with_offset(chart, round(offset[0]), round(offset[1])).perform()
        return page.execute_script("return document.querySelector('#chart-front .hoverlayer').textContent")

    hover = until(hovered)
    assert "nodes" in hover
    assert "R²" in hover
    ActionChains(page).click().perform()
    assert until(lambda: number(page) == wanted)


@pytest.mark.parametrize(
    ("key", "step"),
    [
        (Keys.ARROW_RIGHT, +1),
        (Keys.ARROW_LEFT, -1),
        (Keys.ARROW_UP, +1),
        (Keys.ARROW_DOWN, -1),
        (Keys.PAGE_UP, +5),
        (Keys.PAGE_DOWN, -5),
        (Keys.HOME, -1000),
        (Keys.END, +1000),
    ],
)
def test_keys_on_the_front_select(page, key, step):
    start, last = number(page), count(page) - 1
    page.find_element(By.ID, "chart-front").send_keys(key)
    assert number(page) == max(0, min(last, start + step)) != start


def test_arrow_keys_in_the_list_select(page):
    page.execute_script("document.getElementById('all-models').open = true")
    start = number(page)
    page.find_element(By.CSS_SELECTOR, "#models input:checked").send_keys(Keys.ARROW_DOWN)
    assert number(page) == start + 1
    page.find_element(By.CSS_SELECTOR, "#models input:checked").send_keys(Keys.ARROW_UP)
    assert number(page) == start


def test_buttons_step_and_return(page):
    start = number(page)
    for name, wanted in (("next", start + 1), ("previous", start), ("previous", start - 1), ("back", start)):
        page.find_element(By.ID, name).send_keys(Keys.ENTER)
        assert number(page) == wanted
    assert not page.find_element(By.ID, "back").is_enabled()
    page.find_element(By.ID, "chart-front").send_keys(Keys.HOME)
    assert not page.find_element(By.ID, "previous").is_enabled()
    page.find_element(By.ID, "chart-front").send_keys(Keys.END)
    assert not page.find_element(By.ID, "next").is_enabled()


def test_a_selection_is_announced(page):
    page.find_element(By.ID, "next").click()
    said = page.find_element(By.ID, "announce").get_attribute("textContent")
    assert f"Model {number(page) + 1}" in said


def test_four_picks_select_their_models(page):
    for pick in page.find_elements(By.CSS_SELECTOR, ".pick"):
        pick.click()
        assert number(page) == int(pick.get_attribute("data-model"))
        assert pick.get_attribute("aria-pressed") == "true"
    names = [e.get_attribute("data-pick") for e in page.find_elements(By.CSS_SELECTOR, ".pick")]
    assert names == ["simple", "balanced", "recommended", "accurate"]


def test_a_long_formula_has_a_table_of_directions(page):
    page.find_element(By.ID, "chart-front").send_keys(Keys.END)
    rows = page.find_elements(By.CSS_SELECTOR, "#direction-table tbody tr")
    assert len(rows) >= 2
    formula = page.find_element(By.ID, "equation").get_attribute("textContent")
    assert all(f"u{k + 1}" in formula for k in range(len(rows)))


def moved(driver, name: str, share: float) -> list[float]:
    """Put a slider somewhere between its ends; values of all columns afterwards."""
    driver.execute_script(
        "const s = document.getElementById(arguments[0]), a = Number(s.min), b = Number(s.max);"
        "s.value = a + (b - a) * arguments[1]; s.dispatchEvent(new Event('input'))", name, share
    )  # fmt: skip
    return driver.execute_script(
        "return [...document.querySelectorAll('#sliders .slider input[type=range]')].map(e => [e.id, Number(e.value)])"
    )


@pytest.mark.parametrize("key", [Keys.HOME, Keys.END])
def test_sliders_predict_what_the_model_predicts_with_its_interval(page, key):
    model, (X, _, _, _) = fitted(), rows()
    page.find_element(By.ID, "chart-front").send_keys(key)
    place = number(page)
    page.find_element(By.ID, "back").click()
    for index in {place if key == Keys.END else 3, number(page)}:
        page.execute_script("document.querySelector(`#models input[value='${arguments[0]}']`).click()", index)
        row = X.median().to_frame().T
        sliders = page.find_elements(By.CSS_SELECTOR, "#sliders input[type=range]")
        for name, value in moved(page, sliders[0].get_attribute("id"), 0.8):
            row[X.columns[int(name.removeprefix("slider-"))]] = value
        size = int(page.find_element(By.ID, "selected").text.split(" node")[0].split()[-1])
        table = model.equations_
        r2 = page.find_element(By.ID, "selected").text.split("R² ")[1].split(" ")[0]
        wanted = next(i for i in table.index[table["complexity"] == size] if f"{table['r2'][i]:.4f}" == r2)
        said = page.find_element(By.ID, "predicted").text.split(" = ")[1].replace("−", "-")
        assert float(said) == pytest.approx(model.predict(row, index=int(wanted))[0], rel=1e-3)
        between = page.find_element(By.ID, "predicted-interval").text
        if "noise alone" not in between:
            low, high = (
                float(v.replace("−", "-")) for v in between.split("between ")[1].split(";")[0].split(" and ")
            )
            at = model.fitted_.at(int(wanted))
            _, lower, upper = at.interval(row.to_numpy(), 0.95)
            assert low == pytest.approx(lower[0], rel=2e-3, abs=0.2)
            assert high == pytest.approx(upper[0], rel=2e-3, abs=0.2)


def test_two_columns_at_once_follow_the_choice(page):
    before = drawn(page, "chart-response")
    choice = page.find_element(By.ID, "response-x")
    other = next(o for o in choice.find_elements(By.TAG_NAME, "option") if not o.is_selected())
    other.click()
    assert until(lambda: drawn(page, "chart-response") != before)


def test_a_formula_that_is_too_wide_is_broken_between_terms(path):
    with chromium(width=390, height=800, touch=True) as driver:
        open_report(driver, path)
        driver.find_element(By.ID, "chart-front").send_keys(Keys.END)
        pieces, wide = driver.execute_script(
            "const e = document.getElementById('equation');"
            "return [e.querySelectorAll('math').length, e.scrollWidth - e.clientWidth]"
        )
        assert pieces > 1
        assert wide <= 1


def test_every_export_can_be_seen_and_copied(page):
    page.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    model = fitted()
    seen = set()
    for row in page.find_elements(By.CSS_SELECTOR, ".formats li"):
        choose, copy = row.find_elements(By.TAG_NAME, "button")
        page.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", row)
        choose.click()
        name = choose.get_attribute("data-format")
        shown = page.find_element(By.ID, "code").get_attribute("textContent")
        assert choose.get_attribute("aria-pressed") == "true"
        assert shown == str(model.formula_.to(name))
        copy.click()
        assert until(lambda shown=shown: clipboard(page).replace("\r\n", "\n") == shown), clipboard(page)
        seen.add(name)
    assert {"text", "latex", "python", "c", "rust", "sqlite", "excel"} <= seen


def test_other_copy_buttons(page):
    for button in page.find_elements(By.CSS_SELECTOR, "#formula .copy, #reproduce .copy, #copy-shown"):
        page.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", button)
        label = button.text
        button.click()
        assert until(lambda button=button: button.text == "Copied")
        assert until(lambda button=button, label=label: button.text == label)


def test_the_theme_button_changes_page_and_charts(page):
    def look():
        show(page, "chart-front")
        return page.execute_script(
            "return [getComputedStyle(document.body).backgroundColor, "
            "document.getElementById('chart-front').layout.font.color]"
        )

    before = look()
    page.find_element(By.ID, "theme").send_keys(Keys.ENTER)
    after = look()
    assert before[0] != after[0]
    assert before[1] != after[1]
    page.find_element(By.ID, "theme").send_keys(Keys.SPACE)
    assert look() == before


def test_tab_reaches_every_control(page):
    page.execute_script("document.activeElement.blur(); window.scrollTo(0, 0)")
    reached = set()
    for _ in range(120):
        ActionChains(page).send_keys(Keys.TAB).perform()
        where = page.execute_script(
            "const e = document.activeElement; return [e.id, e.className, e.name || '']"
        )
        reached.update(part for part in where if part)
    assert {
        "theme",
        "previous",
        "next",
        "equation",
        "chart-front",
        "shown",
        "response-x",
        "code",
        "download",
        "copy",
    } <= reached
    assert any("format" in part for part in reached)


def test_printing_draws_everything_at_paper_width(page):
    page.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    undrawn = page.execute_script(
        "return [...document.querySelectorAll('.plot')].filter(e => e.clientWidth)"
        ".filter(e => !e.querySelector('.main-svg, .empty')).map(e => e.id)"
    )
    wide = page.execute_script(
        "return [...document.querySelectorAll('.plot .main-svg')]"
        ".filter(e => e.getBoundingClientRect().width > 690).length"
    )
    page.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert undrawn == []
    assert wide == 0
    assert not page.execute_script("return document.documentElement.classList.contains('printing')")


def test_no_complaint_and_no_request(page):
    assert console_errors(page) == []
    assert network_requests(page) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390], ids=["wide", "phone"])
def test_accessible(path, dark, width):
    axe = pytest.importorskip("axe_core_python.base", reason="needs axe-core-python")
    with chromium(width=width, height=900, dark=dark, touch=width < 700) as driver:
        open_report(driver, path)
        driver.find_element(By.ID, "chart-front").send_keys(Keys.END)  # a long formula
        driver.execute_script("window.dispatchEvent(new Event('resize'))")
        for name in CHARTS:
            show(driver, name)
        driver.execute_script(axe.AXE_FILE_PATH.read_text("utf-8"))
        found = driver.execute_async_script(
            "const done = arguments[0]; axe.run(document).then(r => done(r.violations), e => done(String(e)))"
        )
        serious = [
            (v["id"], [n["html"][:200] for n in v["nodes"]][:3])
            for v in found
            if v["impact"] in ("serious", "critical")
        ]
        assert serious == []
        overflow = driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0
        assert console_errors(driver) == []


@pytest.mark.parametrize("make", [awkward], ids=["awkward names"])
def test_awkward_names_are_shown_as_they_are(tmp_path, make):
    target = tmp_path / "awkward.html"
    make().report(target)
    with chromium() as driver:
        open_report(driver, target)
        show(driver, "chart-convergence")
        show(driver, "chart-importance")
        assert '"<i>"' in driver.find_element(By.TAG_NAME, "h1").text
        names = driver.find_element(By.ID, "data").text
        assert "<b>a</b>" in names
        assert "</script>" in names
        chart = driver.find_element(By.ID, "chart-importance").get_attribute("textContent")
        assert "<b>a</b>" in chart  # Plotly would set it in bold type
        assert console_errors(driver) == []


@pytest.mark.parametrize("scale", [1e305, 1e-305])
def test_targets_at_the_ends_of_floating_point_are_drawn(tmp_path, scale):
    """Plotly's own arithmetic overflows there; the charts have a unit on their axes instead."""
    target = tmp_path / "extreme.html"
    extreme(scale).report(target)
    with chromium() as driver:
        open_report(driver, target)
        for name in ("chart-front", "chart-fit", "chart-residuals", "chart-spread", "chart-errors"):
            show(driver, name)
        title = driver.find_element(By.CSS_SELECTOR, "#chart-fit .xtitle").get_attribute("textContent")
        assert "(in 10" in title
        points = driver.execute_script(
            "return [...document.querySelectorAll('#chart-fit .points path')].map(e => e.getAttribute('transform'))"
        )
        assert len(points) > 50
        assert "NaN" not in "".join(points)
        driver.find_element(By.ID, "next").click()
        driver.execute_script("document.getElementById('dependence').scrollIntoView()")
        until(lambda: driver.find_elements(By.CSS_SELECTOR, "#dependence .main-svg"))
        assert console_errors(driver) == []


def test_a_page_without_rows_works(tmp_path):
    from multigene import load

    fitted().save(tmp_path / "model.json")
    model = load(tmp_path / "model.json")
    model.report(tmp_path / "bare.html")
    with chromium() as driver:
        open_report(driver, tmp_path / "bare.html")
        driver.find_element(By.ID, "next").click()
        show(driver, "chart-front")
        assert console_errors(driver) == []


# --- numbers by slider, two models side by side ---------------------------------------------------


def test_numbers_are_moved_and_the_fit_follows(page, path):
    """What the page says about moved numbers is what Python says."""
    page.execute_script(
        "document.querySelector('[data-pick=simple]').click(); document.getElementById('constants').open = true"
    )
    content = json.loads(unpacked(path.read_text("utf-8"), "content"))
    shown = content["models"][number(page)]
    before = page.find_element(By.ID, "constants-said").text
    test = content["sets"][-1]
    if test["shown"] == test["rows"]:
        assert f"R² {spoken_r2(shown['errors'][test['name']]['r2'])}" in before
    sliders = page.find_elements(By.CSS_SELECTOR, "#constant-sliders input[type=range]")
    assert len(sliders) == len(shown["compute"]["numbers"])
    predicted = page.find_element(By.ID, "predicted").text
    page.execute_script(
        "arguments[0].value = arguments[0].max; arguments[0].dispatchEvent(new Event('input'))", sliders[-1]
    )
    after = page.find_element(By.ID, "constants-said").text
    assert "unmoved" in after
    assert after != before
    assert page.find_element(By.ID, "predicted").text != predicted
    page.execute_script("document.getElementById('constants-reset').click()")
    assert page.find_element(By.ID, "constants-said").text == before
    assert page.find_element(By.ID, "predicted").text == predicted


def test_intervals_of_numbers_are_those_of_python(page, path):
    page.execute_script(
        "document.querySelector('[data-pick=simple]').click(); document.getElementById('constants').open = true"
    )
    model = fitted().fitted_
    content = json.loads(unpacked(path.read_text("utf-8"), "content"))
    at = model.at(content["models"][number(page)]["row"])
    table = at.parameter_table()
    said = [e.text for e in page.find_elements(By.CSS_SELECTOR, "#constant-sliders .interval")]
    assert len(said) == len(table)
    for text, (_, row) in zip(said, table.iterrows(), strict=True):
        if text:
            low, high = (read_number(word) for word in text.removeprefix("95 % ").split(" to "))
            assert low == pytest.approx(row["lower"], rel=0.02, abs=1e-3 * abs(row["estimate"]))
            assert high == pytest.approx(row["upper"], rel=0.02, abs=1e-3 * abs(row["estimate"]))


def test_two_models_stand_side_by_side(page):
    page.execute_script("document.getElementById('beside').open = true")
    until(lambda: page.find_element(By.ID, "beside-left").text)
    left, right = (page.find_element(By.ID, f"beside-{side}").text for side in ("left", "right"))
    assert left.startswith(f"Model {number(page) + 1}:")
    assert right.startswith("Model ")
    assert left.split(":")[0] != right.split(":")[0]
    page.execute_script(
        "const s = document.getElementById('beside-with'); s.value = '0'; s.dispatchEvent(new Event('change'))"
    )
    assert page.find_element(By.ID, "beside-right").text.startswith("Model 1:")
    assert "Columns only in" in page.find_element(By.ID, "beside-said").text
    assert console_errors(page) == []


def test_names_without_a_place_to_break_fit_on_a_phone(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=[f"{letter}_{'quantity' * 8}" for letter in "ab"])
    y = (2.0 * frame.iloc[:, 0] + np.sin(frame.iloc[:, 1])).rename("level_" + "quantity" * 8)
    settings = {"population_size": 20}
    model = MultigeneRegressor("baseline", generations=2, random_state=0, settings=settings).fit(frame, y)
    path = tmp_path / "report.html"
    model.report(path, frame, y)
    with chromium(width=390, height=844, touch=True) as driver:
        open_report(driver, path)
        assert "quantityquantity" in driver.find_element(By.CSS_SELECTOR, ".where").text
        wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert driver.execute_script(wide) <= 0

"""A headless Chromium for tests of the report: opened on a file, with its console and its network watched."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
MISSING = (
    "needs chromium and chromedriver (Debian: chromium, chromium-driver)" if not (CHROMIUM and DRIVER) else ""
)


@contextmanager
def chromium(width: int = 1280, height: int = 900, dark: bool = False, touch: bool = False) -> Iterator[Any]:
    """A browser window; closed at the end."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
        f"--window-size={width},{height}", "--force-device-scale-factor=1",
    ):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_script_timeout(120)  # a check of the whole page takes a while on a busy machine
    try:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch},
        )
        scheme = "dark" if dark else "light"
        driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        yield driver
    finally:
        driver.quit()


def open_report(driver: Any, path: Path) -> Any:
    """Load a report and wait until its first charts are drawn."""
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get(path.resolve().as_uri())
    WebDriverWait(driver, 120).until(  # the chart library takes a busy machine a while
        lambda d: d.execute_script("return document.documentElement.dataset.ready") == "yes"
    )
    return driver


def console_errors(driver: Any) -> list[str]:
    """What the page complained about."""
    return [
        entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")
    ]


def network_requests(driver: Any) -> list[str]:
    """Addresses that the page asked for, other than itself and what it holds inside."""
    asked = []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            address = message["params"]["request"]["url"]
            if not address.startswith(("file:", "data:", "blob:", "chrome:", "about:")):
                asked.append(address)
    return asked


#: Whether every chart in view is drawn, says that there is nothing to draw, or is the picture that stands for it.
_ALL_DRAWN = """
return [...document.querySelectorAll('.plot')].every(p => !p.clientWidth || p.getBoundingClientRect().top > innerHeight ||
  p.querySelector('.main-svg, .empty'))
"""


def whole_page(driver: Any, target: Path, height: int | None = None) -> None:
    """A picture of the page from top to bottom, or of its first part."""
    import base64

    width = driver.execute_script("return window.innerWidth")
    full = driver.execute_script("return document.documentElement.scrollHeight")
    driver.execute_script("window.scrollTo(0, 0)")
    shown = min(full, height or full)
    mobile = width < 700
    metrics = {"width": width, "height": shown, "deviceScaleFactor": 2 if mobile else 1, "mobile": mobile}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    import time

    time.sleep(0.5)  # the resize that comes with it is over, and charts that came into view are asked for
    for _ in range(100):
        if driver.execute_script(_ALL_DRAWN):
            break
        time.sleep(0.3)
    time.sleep(0.5)
    picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    target.write_bytes(base64.b64decode(picture["data"]))


def serious(driver: Any) -> list[Any]:
    """Violations of accessibility that matter."""
    import pytest

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

"""The report of a large fit: 100,000 rows, 20 features. How long it takes to make and to open, and how large it is."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from multigene import MultigeneRegressor

ROWS, FEATURES, SECONDS = 100_000, 20, 20.0
#: Openings that a median is of.
OPENINGS = 5


def fitted() -> tuple[MultigeneRegressor, np.ndarray, np.ndarray]:
    """A model of a smooth function of ten of the features with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, FEATURES))
    y = 3 * np.sin(X[:, 0] + X[:, 1]) + X[:, 2] * X[:, 3] + X[:, 4:10].sum(axis=1)
    y += 0.5 * rng.normal(size=ROWS)
    return MultigeneRegressor(time_limit=SECONDS, random_state=0).fit(X, y), X, y


@dataclass(frozen=True)
class Opened:
    """Medians over openings of a page in headless Chromium. Seconds, and seconds of the page's processor time where two."""

    painted: float
    """Until the first screen is painted."""
    in_view: tuple[float, float]
    """Until the charts in view are drawn; others are drawn when they come into view."""
    all_charts: tuple[float, float]
    """Until every chart is drawn, as for paper."""


def opened(path: Path) -> Opened | None:
    """A page opened several times; None without a browser."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        return None
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        return None
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for argument in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-dev-shm-usage",
        "window-size=1280,900",
    ):
        options.add_argument(f"--{argument}")
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        found = [_once(driver, path.resolve().as_uri()) for _ in range(OPENINGS)]
        painted, wall, work, wall_of_all, work_of_all = (
            statistics.median(each) for each in zip(*found, strict=True)
        )
        return Opened(painted, (wall, work), (wall_of_all, work_of_all))
    finally:
        driver.quit()


def _once(driver: Any, address: str) -> tuple[float, ...]:
    """The seconds of one opening."""

    def work() -> float:
        metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    driver.get("about:blank")
    started = time.perf_counter()
    driver.get(address)
    while driver.execute_script("return document.documentElement.dataset.ready") != "yes":
        time.sleep(0.01)
    in_view = time.perf_counter() - started, work()
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    every = time.perf_counter() - started, work()
    entries = "return performance.getEntriesByName('first-contentful-paint')[0].startTime"
    return driver.execute_script(entries) / 1000, *in_view, *every


def run() -> Table:
    """Make a report, open it, weigh it."""
    model, X, y = fitted()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        started = time.perf_counter()
        model.report(path, X, y)
        made = time.perf_counter() - started
        size = path.stat().st_size / 1e6
        seconds = opened(path)
    table = Table(title=f"report of {ROWS:,} rows × {FEATURES} features, {len(model.equations_)} models")
    for column in ("what", "measured", "goal"):
        table.add_column(column, justify="left" if column == "what" else "right")
    table.add_row("make", f"{made:.2f} s", "≤ 10 s")
    if seconds is None:
        table.add_row("open", "no Chromium", "≤ 1 s")
    else:
        table.add_row("first screen", f"{seconds.painted:.2f} s", "≤ 1 s")
        for charts, (wall, work) in (("charts in view", seconds.in_view), ("all charts", seconds.all_charts)):
            table.add_row(f"{charts} drawn", f"{wall:.2f} s, processor {work:.2f} s", "≤ 1 s")
    table.add_row("size", f"{size:.2f} MB", "≤ 3 MB")
    return table

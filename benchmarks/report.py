"""The report of a large fit: 100,000 rows, 20 features. How long it takes to make and to open, and how large it is."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from rich.table import Table

from multigene import MultigeneRegressor

ROWS, FEATURES, SECONDS = 100_000, 20, 20.0


def fitted() -> tuple[MultigeneRegressor, np.ndarray, np.ndarray]:
    """A model of a smooth function of ten of the features with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, FEATURES))
    y = 3 * np.sin(X[:, 0] + X[:, 1]) + X[:, 2] * X[:, 3] + X[:, 4:10].sum(axis=1)
    y += 0.5 * rng.normal(size=ROWS)
    return MultigeneRegressor(time_limit=SECONDS, random_state=0).fit(X, y), X, y


def opened(path: Path) -> tuple[float, float] | None:
    """Seconds from the request until the first screen is painted, and until the charts in view are drawn, in headless Chromium;
    None without one. Medians of three."""
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
        painted, times = [], []
        for _ in range(3):
            driver.get("about:blank")
            started = time.perf_counter()
            driver.get(path.resolve().as_uri())
            while driver.execute_script("return document.documentElement.dataset.ready") != "yes":
                time.sleep(0.01)
            times.append(time.perf_counter() - started)
            entries = "return performance.getEntriesByName('first-contentful-paint')[0].startTime"
            painted.append(driver.execute_script(entries) / 1000)
        return sorted(painted)[1], sorted(times)[1]
    finally:
        driver.quit()


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
    first, drawn = ("no Chromium",) * 2 if seconds is None else (f"{each:.2f} s" for each in seconds)
    table.add_row("first screen", first, "≤ 1 s")
    table.add_row("charts drawn", drawn, "≤ 2 s")
    table.add_row("size", f"{size:.2f} MB", "≤ 3 MB")
    return table

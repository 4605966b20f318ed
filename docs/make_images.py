"""Makes the pictures of README and docs: three reports, the studio and a notebook as a browser shows them, and figures of the
tutorial.

    make docs-images                                       writes into docs/images
    python docs/make_images.py /tmp/try                    writes elsewhere, to look at first
    python docs/make_images.py /tmp/try --generations 10   in short, as tests do

It fails where a page complains. All models are limited by generations, so they do not depend on the machine's speed: the cell
nuclei of the tutorial (measured data), their area and whether they are malignant, and exact rates of an enzyme reaction, whose
law is found within a second.

Needs chromium and chromedriver, selenium, matplotlib and Pillow.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from PIL import Image, ImageOps
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split

from multigene import MultigeneClassifier, MultigeneRegressor

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

import browser  # noqa: E402
from browser import console_errors, open_report, whole_page  # noqa: E402
from notebook_cell import cells, shown  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from studio_driver import begin, click, ready, served, state, text, until  # noqa: E402

#: Pixels of a screenshot from the top of the page.
HEIGHT = 1500

Rows = tuple[pd.DataFrame, pd.Series, pd.DataFrame, pd.Series]


def main() -> None:
    """Fit the models and take their pictures."""
    parser = argparse.ArgumentParser(description="Makes the pictures of README and docs.")
    parser.add_argument("folder", nargs="?", type=Path, default=HERE / "images")
    parser.add_argument("--generations", type=int, default=150, help="generations of the models")
    given = parser.parse_args()
    folder: Path = given.folder
    folder.mkdir(exist_ok=True, parents=True)
    rows = nuclei()
    model = MultigeneRegressor(generations=given.generations, random_state=0).fit(*rows[:2])
    print(model)
    figures(model, rows, folder)
    screenshot(model, rows, folder / "report-light.png")
    screenshot(model, rows, folder / "report-dark.png", dark=True)
    screenshot(model, rows, folder / "report-phone.png", width=390, touch=True)
    on_paper(model, rows, folder / "report-print.png")
    X, y = rates()
    law = MultigeneRegressor(random_state=0).fit(X, y)
    print(law)
    screenshot(law, (X, y), folder / "report-law.png")
    classes(folder / "report-classes.png", given.generations)
    notebook(model, rows, folder / "notebook.png")
    studio(rows, folder, min(given.generations, 12))
    for path in folder.glob("*.png"):
        small(path)


@contextmanager
def chromium(**look: Any) -> Iterator[Any]:
    """A browser whose pages must not complain about anything."""
    with browser.chromium(**look) as driver:
        yield driver
        complaints = console_errors(driver)
        if complaints:
            raise SystemExit("A page complained: " + "; ".join(complaints))


def nuclei() -> Rows:
    """Training and test rows of the tutorial."""
    columns = ["perimeter", "texture", "smoothness", "compactness", "concavity", "symmetry", "area"]
    table = load_breast_cancer(as_frame=True).data[[f"mean {name}" for name in columns]]
    table.columns = columns
    X_train, X_test, y_train, y_test = train_test_split(
        table.drop(columns="area"), table["area"], random_state=0
    )
    return X_train, y_train, X_test, y_test


def rates() -> tuple[pd.DataFrame, pd.Series]:
    """Rates by the law of Michaelis and Menten, without any error of measurement."""
    values = np.random.default_rng(0).uniform([1, 0.1, 0.5], [10, 10, 5], (500, 3))
    X = pd.DataFrame(values, columns=["vmax", "substrate", "km"])
    return X, (X.vmax * X.substrate / (X.km + X.substrate)).rename("rate")


def figures(model: MultigeneRegressor, rows: Rows, folder: Path) -> None:
    """The matplotlib figures of the tutorial."""
    X_train, y_train, X_test, y_test = rows
    forest = RandomForestRegressor(random_state=0).fit(X_train, y_train)
    for name, axes in {
        "front": model.plot.front(),
        "fit": model.plot.fit(*rows),
        "errors": model.plot.errors(X_test, y_test, models={"forest": forest}),
    }.items():
        axes.figure.savefig(folder / f"plot-{name}.png", dpi=110)
    plt.close("all")


def studio(rows: Rows, folder: Path, generations: int) -> None:
    """The studio on the cell nuclei: the table, a search on its way, and its model."""
    with tempfile.TemporaryDirectory() as place:
        table = Path(place) / "nuclei.csv"
        pd.concat([rows[0].assign(area=rows[1]), rows[2].assign(area=rows[3])]).to_csv(table, index=False)
        with served(Path(place) / "work", table) as address, chromium() as driver:
            driver.get(address)
            until(lambda: "symmetry" in text(driver, "table"))
            driver.save_screenshot(str(folder / "studio-data.png"))
            driver.find_element(By.ID, "to-question").click()
            until(lambda: driver.find_element(By.ID, "start"))
            whole_page(driver, folder / "studio-question.png", HEIGHT)
            begin(driver, address, generations=str(generations))
            until(
                lambda: driver.execute_script("return !!document.querySelector('#live-front .main-svg')"),
                300.0,
            )
            until(lambda: "generations" in text(driver, "run-detail"), 600.0)
            width = "const bar = document.querySelector('.progress'); return bar.firstChild.clientWidth / bar.clientWidth"
            until(lambda: driver.execute_script(width) > 0.5)  # it grows slowly
            driver.save_screenshot(str(folder / "studio-search.png"))
            until(lambda: state(driver) == "done", 600.0)
            click(driver, "look")
            until(lambda: ready(driver))
            whole_page(driver, folder / "studio-model.png", HEIGHT)
            with chromium(width=390, height=844, dark=True, touch=True) as phone:
                studio_on_a_phone(phone, address, folder / "studio-phone.png")


def studio_on_a_phone(driver: Any, address: str, path: Path) -> None:
    """The search of the first run, looked at from another browser."""
    driver.get(address)
    click(driver, "step-runs")
    until(lambda: driver.find_element(By.CSS_SELECTOR, "#run-table button").click() or True)
    until(lambda: driver.execute_script("return !!document.querySelector('#live-fit .main-svg')"), 300.0)
    whole_page(driver, path)


def classes(path: Path, generations: int) -> None:
    """The report of a classifier: which cell nuclei are malignant."""
    data = load_breast_cancer(as_frame=True)
    labels = data.target.map(dict(enumerate(data.target_names))).rename("diagnosis")
    X_train, X_test, y_train, y_test = train_test_split(data.data, labels, random_state=0)
    model = MultigeneClassifier(generations=min(generations, 60), max_size=40, random_state=0)
    model.fit(X_train, y_train)
    print(model)
    with tempfile.TemporaryDirectory() as folder, chromium() as driver:
        report = Path(folder) / "report.html"
        model.report(report, X_test=X_test, y_test=y_test)
        open_report(driver, report)
        whole_page(driver, path, HEIGHT)


def on_paper(model: MultigeneRegressor, rows: Rows, path: Path) -> None:
    """The first page of a printed report."""
    with tempfile.TemporaryDirectory() as folder, chromium(width=700, height=1000) as driver:
        report = Path(folder) / "report.html"
        model.report(report, *rows)
        open_report(driver, report)
        driver.execute_script("dispatchEvent(new Event('beforeprint'))")
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        whole_page(driver, path, 1000)
    with Image.open(path) as picture:
        ImageOps.expand(picture.convert("RGB"), border=56, fill="white").save(path)


def small(path: Path) -> None:
    """Store a picture with 256 colours: a third of the bytes, and nothing to be seen of it."""
    with Image.open(path) as picture:
        reduced = picture.convert("RGB").quantize(256, kmeans=2, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True)


def notebook(model: MultigeneRegressor, rows: Rows, path: Path) -> None:
    """The explorer as a cell of a notebook shows it."""
    with tempfile.TemporaryDirectory() as folder, chromium() as driver:
        page = Path(folder) / "cell.html"
        said = "<code>model.explore(X_test=X_test, y_test=y_test)</code>"
        page.write_text(cells(model.explore(*rows), said, light=True), encoding="utf-8")
        driver.get(page.as_uri())
        until(lambda: shown(driver))
        whole_page(driver, path, 900)


def screenshot(model: MultigeneRegressor, rows: tuple[Any, ...], path: Path, **look: Any) -> None:
    """The upper part of the report about a model."""
    with tempfile.TemporaryDirectory() as folder, chromium(**look) as driver:
        report = Path(folder) / "report.html"
        model.report(report, *rows)
        open_report(driver, report)
        whole_page(driver, path, HEIGHT)


if __name__ == "__main__":
    main()

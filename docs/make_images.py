"""Makes the pictures of README and docs: screenshots of a report (light, dark, phone, print) and figures.

python docs/make_images.py

Needs chromium and chromedriver, selenium, matplotlib and Pillow; for the picture of the printed page
pdftoppm (poppler) too.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split

from multigene import MultigeneRegressor

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

from browser import chromium, open_report, whole_page  # noqa: E402

IMAGES = HERE / "images"
#: Pixels of a screenshot from the top of the page.
HEIGHT = {"light": 1500, "dark": 1500, "phone": 2400}


def main() -> None:
    """Fit the model of the tutorial and take its pictures."""
    IMAGES.mkdir(exist_ok=True)
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    y_train.name = "progression"
    model = MultigeneRegressor(generations=300, random_state=0).fit(X_train, y_train)
    rows = X_train, y_train, X_test, y_test
    figures(model, rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        model.report(path, *rows)
        for name, options in {
            "light": {},
            "dark": {"dark": True},
            "phone": {"width": 390, "height": 844, "touch": True},
        }.items():
            with chromium(**options) as driver:  # type: ignore[arg-type]
                open_report(driver, path)
                whole_page(driver, IMAGES / f"report-{name}.png", HEIGHT[name])
        printed(path, Path(folder))


def figures(model: MultigeneRegressor, rows: tuple) -> None:
    """The matplotlib figures of the tutorial."""
    import matplotlib.pyplot as plt

    for name, axes in {
        "front": model.plot.front(),
        "fit": model.plot.fit(*rows),
        "errors": model.plot.errors(
            rows[2], rows[3], models={"forest": RandomForestRegressor(random_state=0).fit(rows[0], rows[1])}
        ),
        "importance": model.plot.importance(rows[0], rows[1]),
        "genes": model.plot.genes(),
    }.items():
        axes.figure.savefig(IMAGES / f"plot-{name}.png", dpi=110)
    plt.close("all")


def printed(path: Path, folder: Path) -> None:
    """The first page as it is printed."""
    with chromium() as driver:
        open_report(driver, path)
        pdf = driver.execute_cdp_cmd(
            "Page.printToPDF", {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.69}
        )
        (folder / "report.pdf").write_bytes(base64.b64decode(pdf["data"]))
    if shutil.which("pdftoppm") is None:
        print("pdftoppm is missing; the picture of the printed page is left out")
        return
    subprocess.run(
        ["pdftoppm", "-r", "80", "-png", "-f", "1", "-l", "1", "-singlefile", "report.pdf", "report-print"],
        cwd=folder,
        check=True,
    )
    shutil.copy(folder / "report-print.png", IMAGES)


if __name__ == "__main__":
    main()

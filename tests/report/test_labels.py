"""Margins of charts are computed from what stands in them: no label is cut off, and no two of them lie on each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from browser import MISSING, chromium, open_report, whole_page
from report_cases import fitted, rows

from multigene import MultigeneClassifier, MultigeneRegressor
from multigene.report.html import page
from multigene.report.numbers import spoken_number

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)

WRONG = """
const near = 1.5, box = e => e.getBoundingClientRect(), wrong = [];
const lies = (a, b) => a.left < b.right - near && b.left < a.right - near && a.top < b.bottom - near && b.top < a.bottom - near;
for (const plot of document.querySelectorAll('.plot')) {
  if (!plot.querySelector('.main-svg')) continue;
  const of = selector => [...plot.querySelectorAll(selector)].filter(e => e.textContent && box(e).width)
    .map(e => ({text: e.textContent, at: box(e)}));
  const ticks = of('.xtick text, .ytick text, .y2tick text, .cbaxis text'), whole = box(plot);
  const titles = of('.xtitle, .ytitle, .y2title'), legend = of('.legendtext'), names = of('.ytick text');
  const apart = (some, others) => some.forEach(a => others.forEach(b => {
    if (a !== b && lies(a.at, b.at)) wrong.push([plot.id, 'on each other', a.text, b.text]);
  }));
  for (const {text, at} of [...ticks, ...titles, ...legend])
    if (at.left < whole.left - near || at.right > whole.right + near ||
        at.top < whole.top - near || at.bottom > whole.bottom + near)
      wrong.push([plot.id, 'cut off', text]);
  apart(titles, [...ticks, ...legend]);
  apart(legend, ticks);
  apart(names, names);
}
return wrong;
"""

LONG = "a_name_that_goes_on_and_on_for_more_than_<fifty>_letters_{}"


def usual(path: Path) -> None:
    X, X_test, y, y_test = rows()
    fitted().report(path, X, y, X_test, y_test)


def long_names_and_dates(path: Path) -> None:
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900, 120), unit="D")
    X = pd.DataFrame({LONG.format(0): rng.uniform(1, 2, 120), "begun": days})
    y = pd.Series(1e5 * X[LONG.format(0)] ** 2 + 300.0 * (days - days.min()).days, name=LONG.format("y"))
    MultigeneRegressor(generations=5, search="accuracy", random_state=0).fit(X, y).report(path)


def small_numbers(path: Path) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(1, 2, (120, 2)), columns=["a", "b"])
    y = 1e-7 * (X.a * X.b + 0.1 * rng.normal(size=120))
    MultigeneRegressor(generations=5, search="accuracy", random_state=0).fit(X, y).report(path, X, y)


def classes(path: Path) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    y = pd.Series(np.where(X.a + X.b**2 + 0.3 * rng.normal(size=200) > 0.5, "yes", "no"), name="ill")
    MultigeneClassifier(generations=5, random_state=0).fit(X, y).report(path, X_test=X[:50], y_test=y[:50])


@pytest.fixture(scope="module", params=[usual, long_names_and_dates, small_numbers, classes])
def path(request: Any, tmp_path_factory: Any) -> Path:
    target = tmp_path_factory.mktemp("labels") / "report.html"
    request.param(target)
    return target


@pytest.mark.parametrize("width", [1280, 390])
def test_labels_are_whole_and_apart(path, width, tmp_path):
    with chromium(width=width, touch=width < 700) as driver:
        open_report(driver, path)
        whole_page(driver, tmp_path / "page.png")
        assert driver.execute_script("return document.querySelectorAll('.main-svg').length") > 6
        assert driver.execute_script(WRONG) == []


BARS = """
const plot = document.getElementById('chart-importance'), box = e => e.getBoundingClientRect().toJSON();
const of = selector => [...plot.querySelectorAll(selector)].map(e => [e.textContent, box(e)]);
return {labels: of('.bars text'), names: of('.ytick text'), whole: box(plot)};
"""


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("lowest", [-0.5, -40.0])
def test_labels_of_negative_importance_have_room(model, content, width, lowest, tmp_path):
    """A column that only disturbs: its bar points to the names of the columns, which its label must not reach."""
    chosen = {
        **content.models[content.chosen],
        "importance": [[2, 31.4], [8, 4.0], [0, lowest / 3], [1, lowest]],
    }
    models = [chosen if i == content.chosen else each for i, each in enumerate(content.models)]
    target = tmp_path / "negative.html"
    target.write_text(page(replace(content, models=models)), encoding="utf-8")
    with chromium(width=width, touch=width < 700) as driver:
        open_report(driver, target)
        whole_page(driver, tmp_path / "page.png")
        found = driver.execute_script(BARS)
    labels, names, whole = found["labels"], found["names"], found["whole"]
    assert [text for text, _ in labels] == [spoken_number(v, 3) for v in (lowest, lowest / 3, 4.0, 31.4)]
    for (text, label), (_, name) in zip(labels, sorted(names, key=lambda each: -each[1]["top"]), strict=True):
        assert label["left"] > name["right"], text
        assert label["right"] < whole["right"], text

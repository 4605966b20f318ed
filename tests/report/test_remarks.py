"""What is remarkable about the rows of a report."""

from __future__ import annotations

import numpy as np
import pandas as pd

from multigene import MultigeneRegressor
from multigene.report import content
from multigene.report.constants import MOST_REMARKS
from multigene.report.remarks import remarks


def test_leaks_are_notes_and_the_rest_stands_with_the_data(tmp_path) -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=120) + 5.0
    X = pd.DataFrame({"x": rng.normal(size=120), "twice": 2.0 * y, "gaps": rng.normal(size=120)})
    X.loc[3, "x"] = 1000.0
    X.loc[:10, "gaps"] = np.nan
    X, y = pd.concat([X, X.iloc[:2]], ignore_index=True), np.append(y, y[:2])
    model = MultigeneRegressor(generations=1, time_limit=None, random_state=0, search="accuracy").fit(X, y)
    collected = content.collect(model.fitted_)
    assert collected.notes[0] == "Column 'twice' is 'y' times a number, or nearly so; it may be made of it."
    said = " | ".join(collected.remarks)
    for words in (
        "gaps of 'gaps' are filled by",
        "2 rows repeat an earlier one",
        "column 'x' has 1 value far",
    ):
        assert words in said
    page = tmp_path / "report.html"
    model.report(page)
    text = page.read_text("utf-8")
    assert '<ul id="remarks">' in text
    assert "is &#39;y&#39; times a number" in text
    leaks, others = remarks(model.fitted_, None)
    assert leaks == []
    assert any("filled" in each for each in others)


def test_a_page_is_not_filled_by_them() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"x{j}": np.where(np.arange(60) == j, 1e6, rng.normal(size=60)) for j in range(30)})
    model = MultigeneRegressor(generations=1, time_limit=None, random_state=0, search="accuracy").fit(
        X, rng.normal(size=60)
    )
    found = content.collect(model.fitted_).remarks
    assert len(found) == MOST_REMARKS + 1
    assert found[-1] == "and 10 more"

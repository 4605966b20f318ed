"""What-if in a page: intervals of a formula with numbers of their own per group are those of Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from browser import MISSING, chromium, console_errors, open_report

from multigene import MultigeneRegressor

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@pytest.mark.filterwarnings("ignore:Column .site. has the level .new.")
def test_intervals_of_groups_are_those_of_python(tmp_path):
    rng = np.random.default_rng(1)
    site, x, z = (
        rng.choice(["a", "b", "c"], 90, p=[0.6, 0.3, 0.1]),
        rng.uniform(0, 3, 90),
        rng.uniform(1, 2, 90),
    )
    factor = pd.Series(site).map({"a": 1.0, "b": 2.0, "c": 0.5})
    X = pd.DataFrame({"x": x, "z": z, "site": site})
    y = pd.Series(factor * np.exp(-0.7 * x) + 2 * z + 0.2 * rng.normal(size=90), name="y")
    model = MultigeneRegressor(generations=20, random_state=0, n_jobs=1).fit(X, y, groups="site")
    assert "p[site]" in str(model.formula_)
    target = tmp_path / "report.html"
    model.report(target)
    with chromium() as driver:
        open_report(driver, target)
        for place, group in enumerate(
            [*sorted({*site}, key=list(driver.execute_script(LEVELS)).index), "new"]
        ):
            driver.execute_script(CHOOSE, place)
            at = dict(driver.execute_script(VALUES))
            row = pd.DataFrame({"x": [at["x"]], "z": [at["z"]], "site": [group]})
            _, lower, upper = (float(each[0]) for each in model.predict(row, interval=0.95))
            said = driver.execute_script("return document.getElementById('predicted-interval').textContent")
            assert "noise alone" not in said
            shown = said.split("between ")[1].replace("−", "-").split(" and ")
            assert [float(each) for each in shown] == pytest.approx(
                [lower, upper], abs=2e-3 * (upper - lower)
            ), group
        assert console_errors(driver) == []


LEVELS = "return [...document.querySelectorAll('#sliders select option')].map(e => e.textContent)"
CHOOSE = """
const select = document.querySelector('#sliders select');
select.value = arguments[0]; select.dispatchEvent(new Event('change'));
"""
VALUES = """
return [...document.querySelectorAll('#sliders .slider')].filter(e => e.querySelector('[type=range]'))
  .map(e => [e.querySelector('label').textContent, Number(e.querySelector('[type=range]').value)]);
"""

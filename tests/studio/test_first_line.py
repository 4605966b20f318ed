"""The linear model that is on the screen first."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("starlette", reason="needs multigene[studio]")

from multigene.studio.asked_rows import AskedRows
from multigene.studio.first_line import LinearModel


def test_it_is_least_squares_and_its_text_says_so():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.uniform(1.0, 2.0, (50, 2)), columns=["a", "b"]).assign(idle=1.0)
    rows["y"] = 2.0 + 3.0 * rows["a"] - 0.5 * rows["b"]
    model = LinearModel.of(AskedRows(rows, rows, None, ["a", "b"], "y", None))
    assert model.text == "2 + 3*a - 0.5*b"
    assert model.r2 == pytest.approx(1.0)
    assert np.allclose(model.predict(rows[["a", "b"]].to_numpy()), rows["y"])

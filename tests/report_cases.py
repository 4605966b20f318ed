"""A fitted model for tests of report and plots, made once: ten columns, a front with short and long formulas, LCFs."""

from __future__ import annotations

import base64
import gzip
import re
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
from mathml_reader import text
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from multigene import MultigeneRegressor
from multigene.report.numbers import read_number


@lru_cache(maxsize=1)
def rows() -> tuple[Any, Any, Any, Any]:
    """Training and test rows: X, X_test, y, y_test. With 400 rows or more the front goes on beyond the chosen model."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return tuple(train_test_split(X, y, test_size=36, random_state=0))  # type: ignore[return-value]


@lru_cache(maxsize=1)
def fitted() -> MultigeneRegressor:
    """The model; do not change it."""
    X, _, y, _ = rows()
    return MultigeneRegressor(generations=60, random_state=0, n_jobs=2).fit(X, y)


@lru_cache(maxsize=1)
def awkward() -> MultigeneRegressor:
    """A model whose names would break a page that does not escape them."""
    rng = np.random.default_rng(0)
    import pandas as pd

    X = pd.DataFrame(rng.uniform(-1, 1, (80, 3)), columns=["<b>a</b>", "a & b", "</script>"])
    y = pd.Series(2.0 * X["<b>a</b>"] - X["a & b"] * X["</script>"], name='y "<i>"')
    return MultigeneRegressor(
        "UB", generations=3, settings={"population_size": 20}, random_state=0, n_jobs=1
    ).fit(X, y)


def extreme(scale: float) -> MultigeneRegressor:
    """A model of a target as large or small as floating point has it."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (80, 2))
    y = (np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=80)) * scale
    return MultigeneRegressor(
        "baseline", generations=4, settings={"population_size": 40}, random_state=0, n_jobs=1
    ).fit(X, y)


def unpacked(text: str, name: str) -> str:
    """What a page holds under this name."""
    packed = re.search(rf'id="{name}">([^<]*)<', text)
    assert packed is not None
    return gzip.decompress(base64.b64decode(packed[1])).decode()


def shown_columns(said: dict[str, Any], names: list[str], X: np.ndarray) -> dict[str, np.ndarray]:
    """What stands in the formulas of a page, by sign: columns (their names, their letters without the mark of an index, or a
    symbol) and directions, as their table has them."""
    known = {name: name for name in names}
    known |= {re.sub(r"^([^\W\d_])_(\d+)$", r"\1\2", name): name for name in names}
    known |= {text(ElementTree.fromstring(sign)): name for sign, name in said["symbols"]}
    by_name = dict(zip(names, X.T, strict=True))
    columns = {sign: by_name[name] for sign, name in known.items()}
    for direction in said["directions"]:
        weights = [read_number(w) * X[:, j] for j, w in direction["weights"]]
        columns[direction["name"]] = read_number(direction["bias"]) + np.sum(weights, axis=0)
    return columns

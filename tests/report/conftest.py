"""What tests of the report share: the fitted model of `report_cases.py`, and what a page of it holds."""

from __future__ import annotations

from typing import Any

import pytest
from report_cases import fitted, rows

from multigene.report import collect


@pytest.fixture(scope="session")
def model() -> Any:
    return fitted()


@pytest.fixture(scope="session")
def content(model: Any) -> Any:
    X, X_test, y, y_test = rows()
    return collect(model.fitted_, X, y, X_test, y_test)

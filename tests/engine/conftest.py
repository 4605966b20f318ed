"""What tests of the engine share."""

from __future__ import annotations

import pytest

from multigene._engine import Workers


@pytest.fixture(scope="module")
def workers() -> Workers:
    return Workers(1)

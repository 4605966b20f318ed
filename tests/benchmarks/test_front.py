"""The front of the benchmarks: every name that it lists can be run."""

from __future__ import annotations

import importlib

import pytest
from benchmarks.__main__ import BENCHMARKS, NAMED_ONLY, WITH_OPTIONS


@pytest.mark.parametrize("name", [*BENCHMARKS, *NAMED_ONLY])
def test_what_is_listed_can_be_run(name):
    assert callable(importlib.import_module(f"benchmarks.{name}").run)


def test_options_are_for_what_is_listed():
    assert set(WITH_OPTIONS) <= {*BENCHMARKS, *NAMED_ONLY}

"""Pictures of the value functions: every state of the problem is in its picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from multigene.study.pictures import DEPICTED, save_pictures, value_picture


@pytest.mark.parametrize(("name", "states"), [("SU", 441), ("SU-I", 441), ("MM", 729)])
def test_all_states_are_drawn(name: str, states: int):
    figure = value_picture(name)
    axis = figure.axes[0]
    assert f"{states} states" in axis.get_title()
    assert axis.collections
    drawn = axis.collections[0].get_array()
    assert drawn is not None
    assert len(drawn) >= 8  # levels between the lowest and the highest value


def test_files(tmp_path: Path):
    written = save_pictures(tmp_path / "made")
    assert [path.name for path in written] == [f"{name}-value.svg" for name in DEPICTED]
    assert all(path.read_bytes().startswith(b"<?xml") for path in written)

"""Pictures of the value functions SU, SU-I and MM, as in the supplementary material of the paper: ours are reconstructions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from multigene.study.figures import STYLE, rendered, settled
from multigene.study.problems import ReconstructedValueFunction, problem_named

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The problems whose target is a value function of two states.
DEPICTED = ("SU", "SU-I", "MM")


def value_picture(name: str) -> Figure:
    """The value of every state on the problem's grid."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    problem = problem_named(name)
    assert isinstance(problem, ReconstructedValueFunction)
    X, y, names = problem.rows()
    first, second = (np.unique(column) for column in X.T)
    values = np.full((len(second), len(first)), np.nan)
    values[np.searchsorted(second, X[:, 1]), np.searchsorted(first, X[:, 0])] = y
    with rc_context(STYLE):
        figure = Figure(figsize=(3.6, 2.8), layout="constrained")
        axis = figure.subplots()
        drawn = axis.contourf(first, second, values, levels=12, cmap="viridis")
        figure.colorbar(drawn, ax=axis, label="value of the state")
        axis.set(xlabel=_with_unit(names[0]), ylabel=_with_unit(names[1]))
        axis.set_title(f"{name} (reconstruction), {len(y)} states", fontsize=10)
        return settled(figure)


def _with_unit(name: str) -> str:
    """A column's name as a label: "velocity (rad/s)"."""
    word, _, unit = name.partition("_")
    return f"{word} ({unit.replace('_', '/')})"


def save_pictures(directory: Path, format: str = "svg") -> list[Path]:
    """Draws all of them; returns the files."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for name in DEPICTED:
        path = directory / f"{name}-value.{format}"
        path.write_bytes(rendered(value_picture(name), format))
        written.append(path)
    return written

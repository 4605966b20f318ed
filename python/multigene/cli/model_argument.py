"""The model a command works on: read from a file or a pipe, and what `--choose` and `--prune` make of it."""

from __future__ import annotations

import sys

from multigene.fitted import FittedModel
from multigene.model_file import load


def read_model(source: str, choose: str | None = None) -> FittedModel:
    """A model from a file or a pipe."""
    if source != "-":
        return applied(load(source), choose)
    if sys.stdin.buffer.isatty():
        raise ValueError(
            "There is nothing to read: '-' needs a pipe, as in `cat model.json | multigene show -`."
        )
    return applied(load(sys.stdin.buffer), choose)


def applied(model: FittedModel, choose: str | None, prune: float | None = None) -> FittedModel:
    """The model after `--choose` and then `--prune`: what is shortened is what was chosen."""
    if choose is not None:
        model = model.choose(int(choose) if choose.lstrip("-").isdigit() else choose)
    if prune is not None:
        model, _ = model.prune(prune)
    return model


def check_prune(loss: float | None) -> None:
    """Refuse a loss that cannot be meant, before the search."""
    if loss is not None and not 0.0 <= loss < 1.0:
        raise ValueError(f"--prune {loss} is not a loss of R² between 0 and 1; take for example 0.001.")

"""The model a command works on: read from a file or a pipe, and what `--choose` and `--prune` make of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multigene.classes.fitted import FittedClasses
    from multigene.fitted import FittedModel


def read_model(source: str, choose: str | None = None, label: str | None = None) -> FittedModel:
    """A model from a file or a pipe; of a classifier the formula of the class `label`, or the only one."""
    return one_of(read_any(source), source, choose, label)


def one_of(
    found: FittedModel | FittedClasses, source: str, choose: str | None, label: str | None
) -> FittedModel:
    """The one model that a command works on, of what was read from a source."""
    from multigene.classes.fitted import FittedClasses

    if isinstance(found, FittedClasses):
        return applied(found.of(label, "--label "), choose)
    if label is not None:
        raise ValueError(f"--label {label}: {source} tells no classes apart; leave it out.")
    return applied(found, choose)


def read_any(source: str) -> FittedModel | FittedClasses:
    """What a file or a pipe holds: a model, or those of a classifier."""
    from multigene.model_file import read

    if source != "-":
        return read(source)
    if sys.stdin.buffer.isatty():
        raise ValueError(
            "There is nothing to read: '-' needs a pipe, as in `cat model.json | multigene show -`."
        )
    return read(sys.stdin.buffer)


def check_pipes(model: str, data: str | None) -> None:
    """Refuse a pipe that would have to hold both."""
    if model == "-" and data == "-":
        raise ValueError("Standard input ('-') can be read only once; give a file for the model or the data.")


def criterion(choose: str) -> str | int:
    """A criterion of `--choose`, or a row."""
    return int(choose) if choose.lstrip("-").isdigit() else choose


def applied(model: FittedModel, choose: str | None, prune: float | None = None) -> FittedModel:
    """The model after `--choose` and then `--prune`: what is shortened is what was chosen."""
    if choose is not None:
        model = model.choose(criterion(choose))
    if prune is not None:
        model, _ = model.prune(prune)
    return model


def check_choice(choose: str | None) -> None:
    """Refuse a way to choose that there is not, before the search; which rows the front will have nobody knows yet."""
    from multigene.explain.criteria import criterion_named

    if choose is not None and isinstance(name := criterion(choose), str):
        criterion_named(name)


def check_prune(loss: float | None) -> None:
    """Refuse a loss that cannot be meant, before the search."""
    if loss is not None and not 0.0 <= loss < 1.0:
        raise ValueError(f"--prune {loss} is not a loss of R² between 0 and 1; take for example 0.001.")

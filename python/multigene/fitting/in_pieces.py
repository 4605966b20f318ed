"""Tables larger than memory: a model found on a sample of the rows, with coefficients and scores of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene.data.encoding.columns import Plain
from multigene.data.stream import Stream, only_in_memory
from multigene.explain.all_rows import refitted
from multigene.explain.front import Front
from multigene.fitted import FittedModel
from multigene.settings.loss import loss_of
from multigene.settings.parameters import Parameters
from multigene.settings.settings import Settings

Floats = npt.NDArray[np.float64]


def refuse_in_pieces(parameters: Parameters, settings: Settings, given: Mapping[str, Any]) -> None:
    """Refuse what a table that is read in pieces does not go with: its coefficients are those of least squares on all rows.

    `given` are arguments of the fit.
    """
    loss = None if loss_of(parameters.loss).squared else parameters.loss
    only_in_memory({**given, "loss": loss, "shapes": parameters.shapes, "rules": settings.rules or None})


def on_all_rows(fitted: FittedModel, stream: Stream) -> FittedModel:
    """A model found on a sample, with coefficients, scores and ranges of all rows of the table that it was drawn from.

    A formula of the user's form keeps its coefficients: others would add terms to the form.
    """
    rows = fitted.needed(None)
    front = fitted.front
    members, ranges, total, variance = refitted(
        list(front),
        (rows.X, rows.y),
        _numeric(fitted, stream),
        as_they_are=fitted.parameters.form is not None,
    )
    new = dict(zip(map(id, front), members, strict=True))
    columns = zip(front.names, ranges.low[:-1].tolist(), ranges.high[:-1].tolist(), strict=True)
    summary = {
        "rows": total,
        "target_variance": variance,
        "target_range": [float(ranges.low[-1]), float(ranges.high[-1])],
        "ranges": {name: [low, high] for name, low, high in columns},
    }
    return replace(
        fitted,
        front=Front(members, new[id(front.default)], front.names, front.target, summary),
        chosen=new[id(fitted.chosen)],
        data=summary,
        rows=replace(rows, total=total),
    )


def _numeric(fitted: FittedModel, stream: Stream) -> Iterator[tuple[Floats, Floats]]:
    """Chunks of numeric features and targets; rows with gaps where the sample had none are left out."""
    encoding = fitted.encoding
    plain = fitted.names
    if encoding is not None:
        drop = fitted.settings.table.missing == "drop"
        plain = [c.source for c in encoding.columns if drop or isinstance(c, Plain)]
    for chunk in stream.chunks():
        whole = chunk.dropna(subset=plain)
        if len(whole):
            X = np.ascontiguousarray(fitted.features(whole))
            yield X, whole[stream.target].to_numpy(dtype=np.float64)

"""Model files: a `FittedModel` as versioned JSON that is safe to load from untrusted sources.

Nothing in a file is run. Its size, nesting, counts, texts and numbers are checked before they are used (`model_check.py`),
and a damaged or newer file is refused with a sentence. `docs/model-file.md` documents the format; `model.save`,
`multigene.load` and the command line come here.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import sys
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from multigene import __version__
from multigene._engine import Individual
from multigene.classes.fitted import FittedClasses
from multigene.data.encoding.encoding import Encoding
from multigene.evolution.pareto import Member
from multigene.explain.front import Front
from multigene.expression.genes import model_expression
from multigene.expression.numbers import parameters as numbers_of
from multigene.files import bounded_json, warn_if_misnamed, write_atomically
from multigene.fitted import FittedModel
from multigene.groups.certainty import GroupUncertainty, own_columns
from multigene.groups.regroup import Groups
from multigene.model_check import Checked, Limits
from multigene.settings.earlier import as_they_were
from multigene.settings.loss import AUTO, loss_of
from multigene.settings.parameters import Parameters
from multigene.settings.settings import Settings
from multigene.settings.text import plain, settings_from
from multigene.shapes.known import Known

FORMAT = "multigene-model"
#: Halves of characters, which no UTF-8 file can hold but by their numbers.
SURROGATE = re.compile("[\ud800-\udfff]")
VERSION = 3
#: Of models that tell classes apart, several to a file.
CLASSES_VERSION = 3
#: Of one model with an encoding of raw columns.
ENCODED_VERSION = 2
#: Files without an encoding of raw columns are written as this version, which earlier programs read.
NUMERIC_VERSION = 1
#: Intervals are stored up to this many numbers: formulas of about 200 parameters.
MOST_FACTOR_VALUES = 40_000
#: Words for why a run ended that earlier programs wrote, and today's.
EARLIER_WORDS = {"nothing to find": "no improvement expected"}


# --- writing --------------------------------------------------------------------------------------


def save(model: FittedModel | FittedClasses, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file, at once or not at all."""
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{target} is a directory; give the name of a file in it.")
    if not target.parent.is_dir():
        raise ValueError(f"There is no directory {target.parent}; make it first.")
    write_atomically(target, dumps(model).encode())
    warn_if_misnamed(target, ".json")


def dumps(model: FittedModel | FittedClasses) -> str:
    """A fitted model, or those of a classifier, as the text of a model file."""
    document = _classes(model) if isinstance(model, FittedClasses) else _document(model)
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _classes(found: FittedClasses) -> dict[str, Any]:
    """A classifier: its classes and one document per model."""
    weight = found.class_weight
    if isinstance(weight, dict):
        weight = [[_label(label), float(value)] for label, value in weight.items()]
    return {
        "format": FORMAT,
        "version": CLASSES_VERSION,
        "target": found.target,
        "classes": [_label(label) for label in found.classes],
        "class_weight": weight,
        "models": [_document(model) for model in found.models],
    }


def _label(label: Any) -> str | int | float | bool:
    """A class as JSON has it."""
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, str | int | float | bool) else str(label)


def _document(model: FittedModel) -> dict[str, Any]:
    """One model."""
    members = list(model.front)
    places = {id(member): place for place, member in enumerate(members)}
    return {
        "format": FORMAT,
        "version": NUMERIC_VERSION if model.encoding is None else ENCODED_VERSION,
        "written_by": {
            "multigene": __version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "target": model.target,
        "loss": {"name": model.loss.written, "numbers": [float(number) for number in model.loss.numbers]},
        "features": list(model.names),
        "named": model.named,
        **({} if model.encoding is None else {"encoding": model.encoding.as_dict()}),
        **({} if model.groups is None else {"groups": _groups(model.groups)}),
        "chosen": places[id(model.chosen)],
        "default": places[id(model.front.default)],
        "choice": model.choice,
        "changes": [{name: value} for name, value in model.changes],
        "command": None if model.command is None else list(model.command),
        "front": [_member(member) for member in members],
        "parameters": _parameters(model.parameters),
        "settings": _written(model.settings),
        "run": {
            "generations": int(model.n_generations),
            "seconds": _last(model.history, "seconds"),
            "evaluations": _last(model.history, "evaluations"),
            "stopped_by": model.stopped_by,
        },
        "data": model.data,
        "intervals": _intervals(model),
        **({} if model.known is None else {"shapes": _shapes(model, model.known)}),
    }


def _groups(groups: Groups) -> dict[str, Any]:
    return {
        "column": groups.column,
        "numbers": list(groups.numbers),
        "rows": [[level, rows] for level, rows in groups.counts],
    }


def _member(member: Member) -> dict[str, Any]:
    individual: Individual = member.individual
    return {
        "r2": member.fitness if math.isfinite(member.fitness) else None,
        "complexity": int(member.complexity),
        "intercept": individual.intercept,
        "coefficients": individual.coefficients,
        "genes": individual.genes,
        "validation_r2": member.validation if math.isfinite(member.validation) else None,
        "source": member.source,
        **({"parts": [list(part) for part in member.parts]} if member.parts else {}),
        **({"support": [list(each) for each in member.support]} if member.support else {}),
    }


def _shapes(model: FittedModel, known: Known) -> dict[str, Any]:
    """Shapes, where they hold, and what is known of each for the chosen formula."""
    return {
        "stated": known.texts,
        "low": known.low.tolist(),
        "high": known.high.tolist(),
        "unit": known.unit,
        "certificate": [
            {"shape": v.shape, "status": v.status, "points": v.points} for v in model.certificate
        ],
    }


def _intervals(model: FittedModel) -> dict[str, Any] | None:
    """What intervals of the chosen formula need, unless it has very many numbers or too few rows."""
    try:
        known = model.uncertainty
    except ValueError:
        return None
    size = known.factor.size + (known.shared.size if isinstance(known, GroupUncertainty) else 0)
    if size > MOST_FACTOR_VALUES or not (math.isfinite(known.variance) and np.isfinite(known.factor).all()):
        return None
    return {
        "variance": known.variance,
        "freedom": known.freedom,
        "factor": known.factor.tolist(),
        "determined": known.determined.tolist(),
        "spread": list(known.spread),
        **(known.as_dict() if isinstance(known, GroupUncertainty) else {}),
    }


def _parameters(parameters: Parameters) -> dict[str, Any]:
    """Constructor parameters as plain values; a seed that is an object cannot be written down."""
    values = {name: _written(value) for name, value in parameters.values().items()}
    seed = parameters.random_state
    values["loss"] = AUTO if parameters.loss == AUTO else loss_of(parameters.loss).written
    values["random_state"] = seed if isinstance(seed, int) and not isinstance(seed, bool) else None
    if isinstance(parameters.settings, Settings):
        values["settings"] = "given"
    return values


def _written(value: Any) -> Any:
    """A parameter as JSON has it."""
    value = plain(value)
    if isinstance(value, dict):
        return {str(key): _written(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_written(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value


def _last(history: pd.DataFrame, column: str) -> Any:
    return history[column].iloc[-1].item() if len(history) else None


# --- reading --------------------------------------------------------------------------------------


def load(source: str | os.PathLike[str] | IO[bytes], limits: Limits | None = None) -> FittedModel:
    """Read the one model of a file or an open binary stream; a `ValueError` refuses what is none.

    `limits` says how large a file may be; the defaults suit files of untrusted sources.
    """
    return _single(read(source, limits))


def read(
    source: str | os.PathLike[str] | IO[bytes], limits: Limits | None = None
) -> FittedModel | FittedClasses:
    """The same for files of any kind: one model, or those of a classifier."""
    limits = limits or Limits()
    if hasattr(source, "read"):
        return _read(source.read(limits.bytes + 1), "The model", limits)
    path = Path(source)
    if path.is_dir():
        raise ValueError(f"{path} is a directory; name a model file in it.")
    try:
        with path.open("rb") as file:
            content = file.read(limits.bytes + 1)
    except FileNotFoundError:
        raise ValueError(
            f"There is no model file {path}; check the name, or make one with `multigene fit --save`."
        ) from None
    except OSError as error:
        raise ValueError(f"The model file {path} cannot be read: {error.strerror}.") from None
    return _read(content, str(path), limits)


def loads(content: bytes, name: str = "The model", limits: Limits | None = None) -> FittedModel:
    """The one model in the content of a model file; `name` is what messages call it."""
    return _single(_read(content, name, limits or Limits()))


def _single(found: FittedModel | FittedClasses) -> FittedModel:
    if isinstance(found, FittedClasses):
        if len(found.models) > 1:
            raise ValueError(
                f"The file holds a formula for each of {len(found.models)} classes, and one is needed here; "
                "read it in Python by multigene.load, or save the model of one class by classifier.regressors_[0].save(path)."
            )
        return found.models[0]
    return found


def _read(content: bytes, name: str, limits: Limits) -> FittedModel | FittedClasses:
    try:
        document = _parsed(content, limits)
        if document["version"] == CLASSES_VERSION:
            return _classifier(Checked(document, limits))
        return _model(Checked(document, limits))
    except (ValueError, RecursionError, OverflowError) as error:
        said = str(error) if isinstance(error, ValueError) else "its numbers or nesting are beyond measure"
        said = said if len(said) <= 400 else said[:397] + "…"
        raise ValueError(f"{name} is not a model that can be loaded: {said.rstrip('.')}.") from None


def _parsed(content: bytes, limits: Limits) -> dict[str, Any]:
    """The document of a file, if it is one of a version that this program reads."""
    document = bounded_json(content, limits.bytes, limits.values, limits.nesting)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f'it lacks "format": "{FORMAT}"; it is no model file of multigene')
    version = document.get("version")
    if isinstance(version, int) and not isinstance(version, bool) and version > VERSION:
        raise ValueError(
            f"it has version {version} and this multigene ({__version__}) reads up to {VERSION}; "
            "install a newer one"
        )
    if version not in (NUMERIC_VERSION, ENCODED_VERSION, CLASSES_VERSION) or isinstance(version, bool):
        raise ValueError(
            f"its version is {str(version)[:20]}, which was never written; this multigene reads {NUMERIC_VERSION} to "
            f"{VERSION}"
        )
    return document


def _classifier(document: Checked) -> FittedClasses:
    """The models of a classifier."""
    labels, models = document.labels("classes"), document.tables("models")
    if len(labels) < 2 or len(models) != (1 if len(labels) == 2 else len(labels)):
        raise ValueError(
            f"it has {len(labels)} classes and {len(models)} models, which do not belong together"
        )
    found = tuple(_model(each) for each in models)
    if any(model.raw_names != found[0].raw_names or model.loss.link != "logit" for model in found):
        raise ValueError("its models are not those of one classifier")
    return FittedClasses(
        classes=labels, models=found, target=document.text("target"), class_weight=document.class_weight()
    )


def _model(document: Checked) -> FittedModel:
    """The model as `fit` left it, short of what only a run has (rows, population, history)."""
    names = document.texts("features", at_most=document.limits.features)
    encoding = (
        Encoding.from_dict(document.table("encoding").values) if "encoding" in document.values else None
    )
    if encoding is not None:
        if encoding.names != names:
            raise ValueError("its encoding is not that of its features")
        names = encoding.names
    if not names:
        raise ValueError("it has no features")
    if len(set(names)) != len(names):
        raise ValueError("it names a feature twice")
    members = [Member(*row) for row in document.members(len(names))]
    chosen = members[document.whole("chosen", 0, len(members) - 1)]
    default = chosen
    if "default" in document.values:
        default = members[document.whole("default", 0, len(members) - 1)]
    settings = settings_from(as_they_were(document.table("settings").values))
    data = document.data_summary(names)
    run = document.table("run")
    stopped_by = run.text("stopped_by")
    expression = model_expression(chosen.individual)
    known = document.intervals(len(numbers_of(expression)))
    columns = own_columns(expression, names)
    if columns and known is not None:
        known = GroupUncertainty.from_dict(document.table("intervals").values, known, names, columns)
    return FittedModel(
        front=Front(members, default, names, document.text("target"), data or {}, document.loss()),
        chosen=chosen,
        settings=settings,
        parameters=Parameters(**document.table("parameters").parameters(settings)),
        named=document.flag("named"),
        encoding=encoding,
        known=document.shapes(names, document.text("target")),
        groups=document.groups(),
        data=data,
        rows=None,
        history=pd.DataFrame(columns=["generation", "seconds", "evaluations", "fitness", "complexity"]),
        n_generations=run.whole("generations", 0, sys.maxsize),
        stopped_by=EARLIER_WORDS.get(stopped_by, stopped_by),
        choice=document.text("choice") if "choice" in document.values else "default",
        changes=document.changes(),
        command=document.command(),
        known_uncertainty=None if known is None else (chosen, known),
    )

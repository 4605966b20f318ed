"""Model files: a fitted regressor as versioned JSON that is safe to load from a stranger.

Nothing in a file is run. Its size, nesting, counts, texts and numbers are checked before they are used,
and a damaged or newer file is refused with a sentence. `docs/model-file.md` documents the format;
`model.save` and `multigene.load` come here.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from multigene import __version__
from multigene._engine import Individual
from multigene.files import write_atomically
from multigene.model_check import Checked, Limits
from multigene.settings.text import plain, setting_value, settings_from

if TYPE_CHECKING:
    from multigene.estimator import MultigeneRegressor

FORMAT = "multigene-model"
VERSION = 1
#: Intervals are stored up to this many numbers: formulas of about 200 parameters.
MOST_FACTOR_VALUES = 40_000
_PARAMETERS = (
    "configuration", "functions", "population_size", "generations", "time_limit", "max_genes",
    "max_depth", "max_nodes", "n_jobs", "verbose", "warm_start",
)  # fmt: skip


# --- writing --------------------------------------------------------------------------------------


def save(model: MultigeneRegressor, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file, at once or not at all."""
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{target} is a directory; give the name of a file in it.")
    if not target.parent.is_dir():
        raise ValueError(f"There is no directory {target.parent}; make it first.")
    write_atomically(target, dumps(model).encode())


def dumps(model: MultigeneRegressor) -> str:
    """A fitted model as the text of a model file."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    members = list(model._front)
    if not any(member is model._member for member in members):
        members.append(model._member)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": {
            "multigene": __version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "target": model._target_name,
        "features": list(model._names),
        "named": hasattr(model, "feature_names_in_"),
        "chosen": next(i for i, member in enumerate(members) if member is model._member),
        "default": next(i for i, member in enumerate(members) if member is model._front.default),
        "choice": model.choice_,
        "front": [_member(member) for member in members],
        "parameters": _parameters(model),
        "settings": plain(model._settings),
        "run": {
            "generations": int(model.n_generations_),
            "seconds": _last(model.history_, "seconds"),
            "evaluations": _last(model.history_, "evaluations"),
            "stopped_by": model.stopped_by_,
        },
        "data": getattr(model, "_data_summary", None),
        "intervals": _intervals(model),
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _member(member: Any) -> dict[str, Any]:
    individual: Individual = member.individual
    return {
        "r2": member.fitness if math.isfinite(member.fitness) else None,
        "complexity": int(member.complexity),
        "intercept": individual.intercept,
        "coefficients": individual.coefficients,
        "genes": individual.genes,
        "validation_r2": member.validation if math.isfinite(member.validation) else None,
        "source": member.source,
    }


def _intervals(model: MultigeneRegressor) -> dict[str, Any] | None:
    """What intervals of the chosen formula need, unless it has very many numbers or too few rows."""
    try:
        known = model._uncertain(model._member)
    except ValueError:
        return None
    if known.factor.size > MOST_FACTOR_VALUES or not (
        math.isfinite(known.variance) and np.isfinite(known.factor).all()
    ):
        return None
    return {
        "variance": known.variance,
        "freedom": known.freedom,
        "factor": known.factor.tolist(),
        "determined": known.determined.tolist(),
    }


def _parameters(model: MultigeneRegressor) -> dict[str, Any]:
    """Constructor parameters that are plain values; a seed that is an object cannot be written down."""
    values = {name: plain(getattr(model, name)) for name in _PARAMETERS}
    seed = model.random_state
    values["random_state"] = int(seed) if isinstance(seed, (int, np.integer)) else None
    if isinstance(model.settings, dict):
        values["settings"] = {name: plain(value) for name, value in model.settings.items()}
    else:
        values["settings"] = None if model.settings is None else "given"
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in values.items()}


def _last(history: pd.DataFrame, column: str) -> Any:
    return history[column].iloc[-1].item() if len(history) else None


# --- reading --------------------------------------------------------------------------------------


def load(source: str | os.PathLike[str] | IO[bytes], limits: Limits | None = None) -> MultigeneRegressor:
    """Read a fitted model from a file or an open binary stream; a `ValueError` refuses what is none.

    `limits` says how large a file may be; the defaults suit files of strangers.
    """
    limits = limits or Limits()
    if hasattr(source, "read"):
        return loads(source.read(limits.bytes + 1), "The model", limits)
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
    return loads(content, str(path), limits)


def loads(content: bytes, name: str = "The model", limits: Limits | None = None) -> MultigeneRegressor:
    """The fitted model in the content of a model file; `name` is what messages call it."""
    limits = limits or Limits()
    try:
        return _model(Checked(_parsed(content, limits), limits))
    except (ValueError, RecursionError, OverflowError) as error:
        said = str(error) if isinstance(error, ValueError) else "its numbers or nesting are beyond measure"
        said = said if len(said) <= 400 else said[:397] + "…"
        raise ValueError(f"{name} is not a model that can be loaded: {said.rstrip('.')}.") from None


_TEXTS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def _parsed(content: bytes, limits: Limits) -> dict[str, Any]:
    """The JSON document, its size and nesting checked before it is parsed."""
    if len(content) > limits.bytes:
        raise ValueError(f"it is larger than {limits.bytes} bytes; pass larger Limits if you trust it")
    if not content.strip():
        raise ValueError("it is empty")
    bare = _TEXTS.sub(b"", content)
    values = sum(bare.count(sign) for sign in (b",", b"[", b"{"))
    if values > limits.values:
        raise ValueError(f"it holds {values} values, more than the {limits.values} allowed")
    depth = 0
    for sign in re.findall(rb"[\[\]{}]", bare):
        depth += 1 if sign in b"[{" else -1
        if depth > limits.nesting:
            raise ValueError(f"it is nested more than {limits.nesting} deep")
    try:
        document = json.loads(
            content.decode("utf-8-sig"), parse_constant=_no_constant, parse_float=_finite, parse_int=_whole
        )
    except UnicodeDecodeError:
        raise ValueError("it is not a text file") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is damaged or not JSON (line {error.lineno}: {error.msg})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f'it lacks "format": "{FORMAT}"; it is no model file of multigene')
    version = document.get("version")
    if isinstance(version, int) and not isinstance(version, bool) and version > VERSION:
        raise ValueError(
            f"it has version {version} and this multigene ({__version__}) reads up to {VERSION}; "
            "install a newer one"
        )
    if version != VERSION or isinstance(version, bool):
        raise ValueError(
            f"its version is {str(version)[:20]}, which was never written; this multigene reads {VERSION}"
        )
    return document


def _no_constant(name: str) -> float:
    raise ValueError(f"it holds the number {name}, which is not finite")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"it holds the number {text[:20]}, which is too large")
    return value


def _whole(text: str) -> int:
    if len(text) > 20:
        raise ValueError(f"it holds the number {text[:20]}…, which is too large")
    return int(text)


def _model(document: Checked) -> MultigeneRegressor:
    """The estimator as `fit` left it, short of what only a run has (population, history)."""
    from multigene.estimator import MultigeneRegressor
    from multigene.evolution.pareto import Member
    from multigene.explain.front import Front
    from multigene.expression.numbers import parameters as parameters_of

    names = document.texts("features", at_most=document.limits.features)
    if not names:
        raise ValueError("it has no features")
    if len(set(names)) != len(names):
        raise ValueError("it names a feature twice")
    front = [Member(*row) for row in document.members(len(names))]
    chosen = document.whole("chosen", 0, len(front) - 1)
    parameters = _read_parameters(document.table("parameters"))
    settings = settings_from(document.table("settings").values)
    given = parameters.pop("settings")
    model = MultigeneRegressor(**parameters, settings=settings if given == "given" else given)
    model.n_features_in_ = len(names)
    if document.flag("named"):
        model.feature_names_in_ = np.array(names, dtype=object)
    model._names, model._target_name = names, document.text("target")
    model._settings, model._state, model._rows = settings, None, None
    model._data_summary = document.data_summary(names)
    default = front[document.whole("default", 0, len(front) - 1) if "default" in document.values else chosen]
    model._front = Front(front, default, names, model._target_name, model._data_summary or {})
    run = document.table("run")
    model.history_ = pd.DataFrame(columns=["generation", "seconds", "evaluations", "fitness", "complexity"])
    model.n_generations_ = run.whole("generations", 0, sys.maxsize)
    model.stopped_by_ = run.text("stopped_by")
    model._choose(front[chosen], document.text("choice") if "choice" in document.values else "default")
    known = document.intervals(len(parameters_of(model.formula_.expression)))
    model._uncertainty = None if known is None else (front[chosen], known)
    return model


def _read_parameters(given: Checked) -> dict[str, Any]:
    """Constructor parameters, each of the type it should have."""
    kinds: dict[str, tuple[type, ...]] = {
        "configuration": (str,), "functions": (str, list, dict), "population_size": (int,),
        "generations": (int,),
        "time_limit": (int, float), "max_genes": (int,), "max_depth": (int,), "max_nodes": (int,),
        "n_jobs": (int,),
        "verbose": (int, bool), "warm_start": (bool,), "random_state": (int,), "settings": (dict, str),
    }  # fmt: skip
    values: dict[str, Any] = {}
    for name, allowed in kinds.items():
        value = given.values.get(name)
        if value is not None and (
            not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed)
        ):
            raise ValueError(f"its parameter {name!r} is {str(value)[:40]!r}, which is of the wrong kind")
        values[name] = value
    if isinstance(values["functions"], list):
        values["functions"] = [tuple(f) if isinstance(f, list) else f for f in values["functions"]]
    for name, default in (("verbose", 0), ("warm_start", False)):
        values[name] = default if values[name] is None else values[name]
    settings = values["settings"]
    if isinstance(settings, dict):
        values["settings"] = {name: setting_value(name, value) for name, value in settings.items()}
    elif settings not in (None, "given"):
        raise ValueError(f"its parameter 'settings' is {settings[:40]!r}, which is of the wrong kind")
    return values

"""How to repeat a run: the constructor call, the command line, and the settings.

Both are made of what the fitted model says of its run; a model that `multigene fit` made knows its command, with the paths,
columns and rows that were given.
"""

from __future__ import annotations

import shlex
from dataclasses import fields, replace
from math import isfinite
from typing import Any

from multigene.classes.fitted import FittedClasses
from multigene.fitted import FittedModel
from multigene.settings.defaults import default_settings
from multigene.settings.loss import AUTO
from multigene.settings.paper import CODENAMES, configuration
from multigene.settings.parameters import Parameters
from multigene.settings.resolve import resolved
from multigene.settings.settings import PARTS, Settings
from multigene.settings.text import plain
from multigene.settings.toml import toml

#: What a part that a base does not have says of its settings.
NOT_THERE = object()
NO_SETTINGS = (
    "# The run had a Settings object that no configuration and changes by name say; pass it as settings=…\n"
)


def constructor(model: FittedModel, classes: FittedClasses | None = None) -> str:
    """Python that repeats the run on the same rows; `classes` where the model is one of a classifier's."""
    if classes is not None:
        return _classifier(model, classes)
    parameters, note = by_name(model)
    arguments = ", ".join(f"{name}={_python(value)}" for name, value in parameters.given().items())
    weighted = model.rows is not None and model.rows.weights is not None
    lines = [
        "from multigene import MultigeneRegressor",
        "",
        f"model = MultigeneRegressor({arguments})",
        f"model.fit(X, y{', sample_weight=sample_weight' if weighted else ''}{_groups(model)})",
        *(f"model.{change}({value!r})" for change, value in model.changes),
        'model.report("report.html")',
    ]
    return note + "\n".join(lines) + "\n"


def _classifier(model: FittedModel, classes: FittedClasses) -> str:
    """Python that repeats a classifier's runs."""
    parameters, note = by_name(model)
    given = _of_all(parameters, classes).given()
    given |= {} if classes.class_weight is None else {"class_weight": classes.class_weight}
    arguments = ", ".join(f"{name}={_python(value)}" for name, value in given.items())
    label = "" if len(classes.models) == 1 else f", label={classes.told[_place(model, classes)]!r}"
    lines = [
        "from multigene import MultigeneClassifier",
        "",
        f"model = MultigeneClassifier({arguments})",
        "model.fit(X, y)",
        *(f"model.{change}({value!r})" for change, value in model.changes if change == "choose"),
        f'model.report("report.html"{label})',
    ]
    return note + "\n".join(lines) + "\n"


def _of_all(parameters: Parameters, classes: FittedClasses) -> Parameters:
    """The parameters as they were given: a classifier shares its time among its formulas and takes the loss for granted."""
    limit = parameters.time_limit
    whole = None if limit is None else float(f"{limit * len(classes.models):.12g}")
    return replace(parameters, time_limit=whole, loss=AUTO)


def _place(model: FittedModel, classes: FittedClasses) -> int:
    return next(i for i, each in enumerate(classes.models) if each.target == model.target)


def _groups(model: FittedModel) -> str:
    """The arguments of `fit` about groups; those of an array are told by the number of their column."""
    groups = model.groups
    if groups is None:
        return ""
    column = groups.column if model.named else model.raw_names.index(groups.column)
    numbers = groups.numbers[0] if len(groups.numbers) == 1 else list(groups.numbers)
    told = "" if numbers == "auto" else f", group_numbers={numbers!r}"
    return f", groups={column!r}{told}"


def shell_command(model: FittedModel, classes: FittedClasses | None = None) -> str:
    """The same as a shell command."""
    note = ""
    if model.command is not None:
        words = list(model.command)
    else:
        parameters, note = by_name(model)
        if classes is not None:
            words = ["multigene", "fit", "data.csv", "--target", classes.target, "--task", "classification"]
            words += options(_of_all(parameters, classes))
            words += [] if classes.class_weight != "balanced" else ["--class-weight", "balanced"]
        else:
            words = ["multigene", "fit", "data.csv", "--target", model.target, *options(parameters)]
        if model.groups is not None:
            words += ["--groups", model.groups.column]
            if model.groups.numbers != ("auto",):
                words += ["--group-numbers", ",".join(model.groups.numbers)]
    changes = [name for name, _ in model.changes]
    if changes in ([], ["choose"], ["prune"], ["choose", "prune"]):
        words += [word for name, value in model.changes for word in (f"--{name}", str(value))]
    else:
        note += "# Afterwards " + ", then ".join(f"{name} {value}" for name, value in model.changes) + ".\n"
    return note + shlex.join([*words, "--report", "report.html", "--save", "model.json"]) + "\n"


def options(parameters: Parameters) -> list[str]:
    """Parameters that differ from their defaults as options of `multigene fit`."""
    words: list[str] = []
    for name, value in parameters.given().items():
        option = Parameters.option(name)
        if name == "settings":
            words += [word for key, each in value.items() for word in ("--set", f"{key}={toml(key, each)}")]
        elif option is None:
            words += ["--set", f"{name}={toml(name, value)}"]
        elif isinstance(value, dict):
            words += [word for key, each in value.items() for word in (option, f"{key}={each}")]
        elif isinstance(value, list):
            words += [word for each in value for word in (option, str(each))]
        else:
            words += [option, str(value)]
    return words


def by_name(model: FittedModel) -> tuple[Parameters, str]:
    """The parameters of a run with a Settings object as a configuration and changes by name; and a remark where there is no
    such way to say it.
    """
    given = model.parameters
    if not isinstance(given.settings, Settings):
        return given, ""
    bases: dict[str | None, Settings] = {name: configuration(name) for name in CODENAMES}
    bases[None] = default_settings()
    changes = {name: differences(given.settings, base) for name, base in bases.items()}
    for name, changed in sorted(changes.items(), key=lambda each: len(each[1])):
        said = replace(given, configuration=name, settings=changed)
        if _same_run(said, model):
            return _with_needed_changes(said, model), ""
    return replace(given, settings=None), NO_SETTINGS


def differences(settings: Settings, base: Settings) -> dict[str, Any]:
    """Values by name that settings have and a base has not, as far as names can tell."""
    found = {}
    for part in PARTS:
        here, there = getattr(settings, part), getattr(base, part)
        for each in fields(here) if here is not None else ():
            value = getattr(here, each.name)
            usual = (
                each.default
                if there is None and each.metadata.get("fixed")
                else getattr(there, each.name, NOT_THERE)
            )
            if value != usual:
                found[each.name] = value
    return found


def _same_run(parameters: Parameters, model: FittedModel) -> bool:
    try:
        return resolved(parameters) == model.settings
    except ValueError:  # a change that the configuration does not take
        return False


def _with_needed_changes(parameters: Parameters, model: FittedModel) -> Parameters:
    """Without the changes by name that say what is so anyway."""
    changes = dict(parameters.settings or {})  # type: ignore[arg-type]
    for name in list(changes):
        fewer = {other: value for other, value in changes.items() if other != name}
        if _same_run(replace(parameters, settings=fewer), model):
            changes = fewer
    return replace(parameters, settings=changes or None)


def _python(value: Any) -> str:
    """A value as Python reads it: infinity has no name of its own."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_python(each)}" for key, each in value.items()) + "}"
    return f"float({str(value)!r})" if isinstance(value, float) and not isfinite(value) else repr(value)


def settings_table(model: FittedModel) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Every setting of the run by part: name, value, and whether it was changed from the part's default."""
    parts = []
    for part in fields(model.settings):
        values = getattr(model.settings, part.name)
        if values is None:
            continue
        standard = type(values)()
        rows = []
        for field in fields(values):
            value = getattr(values, field.name)
            changed = "" if value == getattr(standard, field.name) else "changed"
            rows.append((field.name, _shown(field.name, value), changed))
        parts.append((part.name, rows))
    return parts


def _shown(name: str, value: Any) -> str:
    if name == "functions":
        return ", ".join(f"{n}: {e}" if e else n for n, e, _ in value)
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None else str(plain(value) if isinstance(value, tuple) else value)

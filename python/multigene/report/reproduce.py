"""How to make a model again: the constructor call, the command line, and the settings of its run."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import Any

from multigene.fitted import FittedModel
from multigene.settings.text import plain

#: Options of `multigene fit` by constructor parameter.
OPTIONS = {
    "configuration": "--configuration",
    "generations": "--generations",
    "time_limit": "--time",
    "random_state": "--seed",
}
#: Parameters that the command line takes with --set.
ASSIGNED = ("population_size", "max_genes", "max_depth", "max_nodes")
#: Settings that do not change the model.
SILENT = ("n_jobs", "verbose", "warm_start")


def constructor(model: FittedModel) -> str:
    """Python that makes the model again from the same rows."""
    given = {name: value for name, value in _given(model).items() if name not in SILENT}
    arguments = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return (
        "from multigene import MultigeneRegressor\n\n"
        f"model = MultigeneRegressor({arguments})\n"
        "model.fit(X, y)\n"
        'model.report("report.html", X, y)\n'
    )


def command(model: FittedModel) -> str:
    """The same as a shell command."""
    words = ["multigene", "fit", "data.csv", "--target", model.target]
    for name, value in _given(model).items():
        if name in OPTIONS:
            words += [OPTIONS[name], str(value)]
        elif name == "functions" and isinstance(value, list) and all(isinstance(f, str) for f in value):
            words += ["--functions", ",".join(value)]
        elif name in ASSIGNED:
            words += ["--set", f"{name}={value}"]
        elif name == "settings" and isinstance(value, dict):
            for key, each in value.items():
                words += ["--set", f"{key}={each}"]
    words += ["--report", "report.html", "--save", "model.json"]
    return shlex.join(words) + "\n"


def _given(model: FittedModel) -> dict[str, Any]:
    """Parameters that differ from their defaults."""
    return model.parameters.given()


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

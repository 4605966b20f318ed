"""`multigene settings`: every setting with its value and meaning, as a file that `fit --settings` reads."""

from __future__ import annotations

import ast
import inspect
import json as js
from dataclasses import fields

from multigene.cli import options as o
from multigene.cli.output import say, say_json
from multigene.settings import settings as declared
from multigene.settings.parameters import Parameters
from multigene.settings.text import plain
from multigene.settings.toml import toml

EPILOG = """Examples:

  multigene settings

  multigene settings --configuration SB > settings.toml && multigene fit data.csv --settings settings.toml
"""


def settings(configuration: o.Configuration = None, json: o.Json = False) -> None:
    """List every setting, its value and what it means, as TOML."""
    from multigene.settings.resolve import resolved

    chosen = resolved(Parameters(configuration=configuration))
    if json:
        say_json(plain(chosen))
        return
    if configuration is not None:
        say(f"configuration = {js.dumps(configuration)}\n")
    meaning, names = documentation(), declared.setting_names()
    for part in declared.PARTS:
        values = getattr(chosen, part)
        if values is None:
            say(f"# [{part}] is not used by this configuration\n")
            continue
        say(f"[{part}]")
        for field in fields(values):
            if field.name not in names:
                continue
            line = f"{field.name} = {toml(field.name, getattr(values, field.name))}"
            say(f"{line:40} # {meaning.get(field.name, '')}")
        say()


def documentation() -> dict[str, str]:
    """The sentence under every field of the settings' dataclasses."""
    found: dict[str, str] = {}
    for part in ast.parse(inspect.getsource(declared)).body:
        if not isinstance(part, ast.ClassDef):
            continue
        for field, after in zip(part.body, part.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
            ):  # fmt: skip
                found[field.target.id] = " ".join(after.value.value.split())
    return found

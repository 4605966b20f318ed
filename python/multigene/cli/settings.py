"""`multigene settings`: every setting with its value and meaning, as a file that `fit --settings` reads."""

from __future__ import annotations

import ast
import inspect
import json as js
from typing import Any

from multigene.cli import options as o
from multigene.cli.output import say, say_json
from multigene.settings import settings as declared
from multigene.settings.text import plain

EPILOG = """Examples:

  multigene settings

  multigene settings --configuration SB > settings.toml && multigene fit data.csv --settings settings.toml
"""


def settings(configuration: o.Configuration = None, json: o.Json = False) -> None:
    """List every setting, its value and what it means, as TOML."""
    from multigene.estimator import MultigeneRegressor

    chosen = MultigeneRegressor(configuration).resolved_settings()
    if json:
        say_json(plain(chosen))
        return
    meaning = documentation()
    for part, values in plain(chosen).items():
        say(f"[{part}]" if values is not None else f"# [{part}] is not used by this configuration\n")
        for name, value in (values or {}).items():
            line = f"{name} = {_toml('none' if value is None else value)}"
            say(f"{line:40} # {meaning.get(name, '')}")
        if values is not None:
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


def _toml(value: Any) -> str:
    if (
        isinstance(value, list) and value and isinstance(value[0], list)
    ):  # functions: names alone where that says it all
        simple = all(entry[1] is None and entry[2] == 1.0 for entry in value)
        items = [js.dumps(entry[0]) for entry in value] if simple else [_function(entry) for entry in value]
        return f"[{', '.join(items)}]"
    return str(value) if value in ("inf", "-inf") else js.dumps(value, ensure_ascii=False)


def _function(entry: list[Any]) -> str:
    name, definition, frequency = entry
    return f"{{{js.dumps(name)} = {js.dumps(definition) if definition is not None else frequency}}}"

"""Pages of the documentation that are read off the program, so that they stay true: settings, operators,
command line.

MkDocs calls `on_page_markdown` for every page; a line `<!-- settings -->` and the like is replaced by a
table.
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields
from typing import Any

import numpy as np


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in the tables of a page."""
    for mark, make in GENERATED.items():
        if mark in markdown:
            markdown = markdown.replace(mark, make())
    return markdown


def settings_tables() -> str:
    """Every setting with its default in the paper's configurations and in the default search, and what it
    does.
    """
    from multigene.settings import settings as module
    from multigene.settings.defaults import default_settings

    texts = field_texts(inspect.getsource(module))
    ours = default_settings()
    parts = []
    for part in fields(module.Settings):
        values = getattr(ours, part.name)
        cls = getattr(module, part.name.capitalize())
        standard = cls()
        lines = [
            f"## `{part.name}`",
            "",
            texts[cls.__name__][""],
            "",
            "| setting | paper | default search | meaning |",
            "|---|---|---|---|",
        ]
        for field in fields(cls):
            here = "" if values is None else shown(field.name, getattr(values, field.name))
            usual = shown(field.name, getattr(standard, field.name))
            meaning = texts[cls.__name__].get(field.name, "").replace("|", "&#124;")
            lines.append(f"| `{field.name}` | {usual} | {here} | {meaning} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def field_texts(source: str) -> dict[str, dict[str, str]]:
    """Docstrings of the classes of a module (under "") and of their fields, by class and field."""
    texts: dict[str, dict[str, str]] = {}
    for node in ast.parse(source).body:
        if not isinstance(node, ast.ClassDef):
            continue
        found = {"": ast.get_docstring(node) or ""}
        for field, text in zip(node.body, node.body[1:], strict=False):
            said = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and said:
                found[field.target.id] = " ".join(str(text.value.value).split())  # type: ignore[attr-defined]
        texts[node.name] = found
    return texts


def shown(name: str, value: Any) -> str:
    """A value as a table shows it."""
    if name == "functions":
        return ", ".join(f"`{entry[0]}`" for entry in value)
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(str(v) for v in value) or "none"
    return str(value)


def operator_table() -> str:
    """Every operator with what it computes and its values at a few points."""
    from multigene._engine import apply, operators
    from multigene.expression import Operation, Variable
    from multigene.formula import Formula

    lines = ["| name | arguments | meaning | at 0.5 (and 2) |", "|---|---|---|---|"]
    for name, arity, _ in operators():
        formula = Formula(Operation(name, tuple(Variable(i) for i in range(arity))), ["x", "y"][:arity])
        point = [np.array([0.5]), np.array([2.0])][:arity]
        value = float(apply(name, *point)[0])
        lines.append(f"| `{name}` | {arity} | `{formula}` | {value:.6g} |")
    lines.append("| `pow2`, `pow3`, … | 1 | `x**2`, `x**3`, … | 0.25, 0.125, … |")
    return "\n".join(lines)


def command_help() -> str:
    """Usage of every command as `--help` prints it."""
    import typer

    from multigene.cli import app

    group = typer.main.get_command(app)
    lines = []
    for name in sorted(getattr(group, "commands", {})):
        command = group.commands[name]  # type: ignore[attr-defined]
        lines += [f"## `multigene {name}`", "", (command.help or "").split("\f")[0].strip(), ""]
        rows = [parameter for parameter in command.params if parameter.param_type_name == "option"]
        if rows:
            lines += ["| option | meaning |", "|---|---|"]
            for option in rows:
                names = ", ".join(f"`{o}`" for o in (*option.opts, *option.secondary_opts))
                lines.append(f"| {names} | {(getattr(option, 'help', '') or '').replace('|', '&#124;')} |")
            lines.append("")
    return "\n".join(lines)


def configuration_table() -> str:
    """The paper's configurations and how they differ."""
    from multigene.settings import CODENAMES, configuration

    lines = [
        "| codename | linear combinations | gradient | weights mutation | population | tournament | elites |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in CODENAMES:
        s = configuration(name)
        lines.append(
            f"| `{name}` | {s.genes.lcf or 'none'} | {'no' if s.tuning is None else s.tuning.rule} "
            f"| {s.variation.weights_mutation:g} | {s.selection.population_size} "
            f"| {s.selection.tournament_size} | {s.selection.elites} |"
        )
    return "\n".join(lines)


GENERATED = {
    "<!-- settings -->": settings_tables,
    "<!-- operators -->": operator_table,
    "<!-- commands -->": command_help,
    "<!-- configurations -->": configuration_table,
}

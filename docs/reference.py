"""Writes the tables of the documentation that are read off the program: settings, operators, command line, campaign.

    python docs/reference.py            says which pages are out of date (exit code 1)
    python docs/reference.py --write    brings them up to date (`make docs-tables`)

A page holds each table between `<!-- name: made by docs/reference.py -->` and `<!-- end of name -->`, as ordinary Markdown,
so that it can be read wherever the page can. `tests/test_docs.py` fails when a table is out of date.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

PAGES = Path(__file__).resolve().parent


def main() -> int:
    """Check or write the tables of all pages."""
    parser = argparse.ArgumentParser(description="Check the generated tables of the documentation.")
    parser.add_argument("--write", action="store_true", help="write what is out of date")
    write = parser.parse_args().write
    stale = [path for path in sorted(PAGES.glob("*.md")) if updated(path) != path.read_text("utf-8")]
    for path in stale:
        if write:
            path.write_text(updated(path), "utf-8")
        print(f"{path.name}: {'written' if write else 'out of date; run `make docs-tables`'}")
    return 1 if stale and not write else 0


def updated(path: Path) -> str:
    """The text of a page with its tables as the program has them now."""
    text = path.read_text("utf-8")
    for name, make in GENERATED.items():
        begin, end = f"<!-- {name}: made by docs/reference.py -->", f"<!-- end of {name} -->"
        if begin in text:
            place = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
            table = f"{begin}\n\n{make().strip()}\n\n{end}"
            text = place.sub(lambda _, table=table: table, text)  # type: ignore[misc]
    return text


# --- settings -------------------------------------------------------------------------------------


def settings_tables() -> str:
    """Every setting: its value in the paper's configurations and in the default search, and its meaning."""
    from multigene.settings import settings as module
    from multigene.settings.defaults import default_settings

    ours = default_settings()
    parts = []
    for part in fields(module.Settings):
        values = getattr(ours, part.name)
        cls = getattr(module, part.name.capitalize())
        texts = field_texts(cls)
        lines = [
            f"## `{part.name}`",
            "",
            texts[""],
            "",
            "| setting | paper | default search | meaning |",
            "|---|---|---|---|",
        ]
        for field in fields(cls):
            if field.name not in module.setting_names():
                continue
            usual = shown(field.name, getattr(cls(), field.name))
            here = "" if values is None else shown(field.name, getattr(values, field.name))
            lines.append(f"| `{field.name}` | {usual} | {here} | {cell(texts.get(field.name, ''))} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def field_texts(cls: type) -> dict[str, str]:
    """The docstring of a dataclass (under "") and the strings below its fields, by field."""
    body = ast.parse(inspect.getsource(cls)).body[0]
    assert isinstance(body, ast.ClassDef)
    texts = {"": ast.get_docstring(body) or ""}
    for field, below in zip(body.body, body.body[1:], strict=False):
        said = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and said:
            texts[field.target.id] = " ".join(str(below.value.value).split())  # type: ignore[attr-defined]
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
        return ", ".join(f"{v[0]} {v[1]:g}" if isinstance(v, tuple) else f"{v:g}" for v in value) or "none"
    return str(value)


def cell(text: str) -> str:
    """A text that does not end the cell of a table it stands in."""
    return text.replace("|", "&#124;")


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


# --- operators ------------------------------------------------------------------------------------


def operator_table() -> str:
    """Every operator with what it computes and its value at a point."""
    from multigene._engine import apply, operators
    from multigene.expression import Operation, Variable
    from multigene.expression.definitions import DEFINITIONS, spelt_out
    from multigene.formula import Formula

    lines = ["| name | arguments | meaning | at x = 0.5 (y = 2) |", "|---|---|---|---|"]
    for name, arity, _ in operators():
        arguments = tuple(Variable(i) for i in range(arity))
        meaning = spelt_out(name, arguments) if name in DEFINITIONS else Operation(name, arguments)
        formula = Formula(meaning, ["x", "y"][:arity])
        point = [np.array([0.5]), np.array([2.0])][:arity]
        lines.append(f"| `{name}` | {arity} | `{formula}` | {float(apply(name, *point)[0]):.6g} |")
    lines.append("| `pow2`, `pow3`, … | 1 | `x**2`, `x**3`, … | 0.25, 0.125, … |")
    return "\n".join(lines)


# --- command line ---------------------------------------------------------------------------------


def command_help() -> str:
    """What `--help` says of every command: purpose, arguments, options, examples."""
    return "\n\n".join(one_command(name, command) for name, command in commands().items())


def commands() -> dict[str, Any]:
    """Every command by its full name, those of groups such as `study` included."""
    import typer

    from multigene.cli import app

    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    found: dict[str, Any] = {}
    for name in group.commands:
        command = group.resolve_command(context, [name])[1]
        for part, inner in getattr(command, "commands", {"": command}).items():
            found[f"multigene {name} {part}".strip()] = inner
    return found


def one_command(name: str, command: Any) -> str:
    """The section of one command."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = " ".join([name, "[OPTIONS]", *(argument_usage(p) for p in arguments)])
    lines = [f"## `{name}`", "", (command.help or "").split("\f")[0].strip(), "", f"Usage: `{usage}`", ""]
    rows = [(argument_name(p), p) for p in arguments]
    options = [p for p in command.params if p.param_type_name == "option" and "--help" not in p.opts]
    rows += [(option_name(p), p) for p in options]
    if rows:
        lines += ["| argument or option | meaning |", "|---|---|"]
        lines += [f"| {shown_name} | {cell(getattr(p, 'help', '') or '')} |" for shown_name, p in rows]
    if command.epilog:
        lines += ["", "```sh", *examples(command.epilog), "```"]
    return "\n".join(lines).strip()


def argument_usage(parameter: Any) -> str:
    """An argument in the line of usage."""
    name = str(parameter.metavar or parameter.name.upper()) + ("..." if parameter.nargs == -1 else "")
    return name if parameter.required else f"[{name}]"


def argument_name(parameter: Any) -> str:
    """An argument in the table."""
    return f"`{parameter.metavar or parameter.name.upper()}`"


def option_name(parameter: Any) -> str:
    """An option in the table, with what follows it."""
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    return f"{names} {parameter.metavar}" if parameter.metavar else names


def examples(epilog: str) -> list[str]:
    """The commands that the examples of a help text show, one per line."""
    lines = (line.strip() for line in epilog.splitlines())
    return [line for line in lines if "multigene " in line and not line.endswith(":")]


# --- campaign -------------------------------------------------------------------------------------


def campaign_table() -> str:
    """What has been run of the reliability campaign."""
    root = str(PAGES.parent)
    if root not in sys.path:
        sys.path.insert(0, root)
    from benchmarks import campaign

    return campaign.page_table()


GENERATED: dict[str, Callable[[], str]] = {
    "settings": settings_tables,
    "configurations": configuration_table,
    "operators": operator_table,
    "commands": command_help,
    "campaign": campaign_table,
}

if __name__ == "__main__":
    sys.exit(main())

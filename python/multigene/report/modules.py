"""The front end's ES modules: files that a browser loads as they are, or one script where there is nothing to load from.

The studio serves `templates/modules/` as it stands. A report and a notebook hold one script: `inlined` puts the modules a script
needs one after the other, imports and the word `export` left out. For that the modules import by name from each other at their
head, one import a line, and no two of them declare the same name; a test holds them to it.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) )", re.MULTILINE)


def asset(name: str) -> str:
    """A file of the templates."""
    return (resources.files("multigene.report") / "templates" / name).read_text("utf-8")


@cache
def inlined(module: str) -> str:
    """A module with all it imports as one script."""
    order: list[str] = []

    def visit(name: str) -> None:
        if name not in order:
            for needed in IMPORT.findall(asset(f"modules/{name}")):
                visit(needed)
            order.append(name)

    visit(module)
    return "".join(EXPORT.sub("", IMPORT.sub("", asset(f"modules/{name}"))) for name in order)

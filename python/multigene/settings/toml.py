"""Values of settings in the notation of TOML, as `multigene settings` prints them and `--set name=value` reads them back.

`text.py` is the way in; this is the way out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from multigene.settings.functions import FunctionEntry, function_entries


def toml(name: str, value: Any) -> str:
    """The value of a setting; TOML has no word for None, so that is the text "none"."""
    if name == "functions":
        return functions(function_entries(value))
    if value is None:
        return '"none"'
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml('', each) for each in value)}]"
    return value if value in ("inf", "-inf") else json.dumps(value, ensure_ascii=False)


def functions(entries: Sequence[FunctionEntry]) -> str:
    """A set of functions: names alone where that says it all."""
    return f"[{', '.join(_function(*entry) for entry in entries)}]"


def _function(name: str, definition: str | None, frequency: float) -> str:
    if definition is None:
        return json.dumps(name) if frequency == 1.0 else f"{{{json.dumps(name)} = {frequency}}}"
    if frequency != 1.0:
        parts = (json.dumps(name), json.dumps(definition), str(frequency))
        return f"[{', '.join(parts)}]"
    return f"{{{json.dumps(name)} = {json.dumps(definition)}}}"

"""Objects by import path: how a configuration names a user's problem class or any regressor."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from multigene.study.errors import StudyError, nearest


def import_named(path: str, what: str) -> Any:
    """The object named as "module:Name" (or "module.Name"); modules beside the user are found too."""
    module_name, _, attribute = path.partition(":") if ":" in path else path.rpartition(".")
    if not module_name or not attribute:
        raise StudyError(f'{what} {path!r} is not an import path; write it as "module:Name"')
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise StudyError(
            f"{what} {path!r} cannot be imported: {error}; install it or correct the path"
        ) from error
    if not hasattr(module, attribute):
        names = [name for name in dir(module) if not name.startswith("_")]
        raise StudyError(f"module {module_name!r} has no {attribute!r}{nearest(attribute, names)}")
    return getattr(module, attribute)

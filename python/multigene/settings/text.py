"""Settings as plain values: `name=value` on the command line, TOML files, and the JSON of a model file.

Reads values by the declared type of the setting, so that a text where a number belongs is refused with a
sentence before the engine sees it.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
import types
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from multigene.settings import settings as declared
from multigene.settings.functions import function_entries
from multigene.settings.settings import Settings, refuse_unknown, setting_names
from multigene.words import nearest

#: A quarter of the time that a small model file takes, if they are read anew each time.
_hints = cache(get_type_hints)


def plain(value: Any) -> Any:
    """Settings, or a part of them, as dicts, lists, texts and numbers."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"  # JSON has no word for it
    return value


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Settings from what `plain` gave; every value is checked against its declared type."""
    return _dataclass(Settings, values, "settings")  # type: ignore[no-any-return]


def setting_value(name: str, value: Any) -> Any:
    """A value for a setting by name, checked, and in the type the setting has."""
    refuse_unknown([name])
    if name == "functions":
        return function_entries(value if not isinstance(value, list) else [_entry(v) for v in value])
    hint = get_type_hints(declared.PARTS[setting_names()[name]])[name]
    if isinstance(value, str) and value.lower() == "none":
        value = None  # TOML has no word for it
    if value is None and type(None) not in get_args(hint):
        raise ValueError(f"Setting {name!r} cannot be none; leave it out to keep its default.")
    return _typed(hint, value, name)


def read_assignment(text: str) -> tuple[str, Any]:
    """`name=value` as given to --set; the value in TOML's notation, or a bare word."""
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not name:
        raise ValueError(f"--set {text!r} is not name=value; write for example --set tournament_size=7.")
    try:
        parsed = tomllib.loads(f"value = {value.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value.strip()
    return name, setting_value(name, parsed)


def read_settings_file(path: Path) -> dict[str, Any]:
    """A TOML file of settings by name, and of the configuration that they change; tables such as [genes] are for order alone."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"There is no settings file {path}; check the name.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}.") from None
    found: dict[str, Any] = {}
    if "configuration" in content:
        found["configuration"] = _typed(str, content.pop("configuration"), "configuration")
    for name, value in content.items():
        entries = value if isinstance(value, dict) and name in declared.PARTS else {name: value}
        for key, each in entries.items():
            found[key] = setting_value(key, each)
    return found


def _entry(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _dataclass(cls: Any, values: Any, name: str) -> Any:
    if not isinstance(values, Mapping):
        raise ValueError(f"{name} is {_shown(values)}, not a table of settings.")
    hints = _hints(cls)
    unknown = sorted(set(map(str, values)) - {f.name for f in dataclasses.fields(cls)})
    if unknown:
        raise ValueError(f"There is no setting {unknown[0][:80]!r} in {name}.")
    return cls(**{str(key): _typed(hints[str(key)], value, str(key)) for key, value in values.items()})


def _typed(hint: Any, value: Any, name: str) -> Any:
    """`value` as the type `hint` says, or a sentence."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        others = [a for a in arguments if a is not type(None)]
        for each in others[:-1]:
            try:
                return _typed(each, value, name)
            except ValueError:
                continue
        return _typed(others[-1], value, name)
    if dataclasses.is_dataclass(hint):
        return _dataclass(hint, value, name)
    if origin is Literal:
        if value not in arguments:
            raise ValueError(
                f"{name}={_shown(value)} is not "
                f"known{nearest(str(value), map(str, arguments)) or _one_of(arguments)}"
            )
        return value
    if origin is tuple:
        return _tuple(arguments, value, name)
    return _scalar(hint, value, name)


def _tuple(arguments: tuple[Any, ...], value: Any, name: str) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"{name}={_shown(value)} is not a list; write for example {name}=[-1.0, 1.0].")
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_typed(arguments[0], each, name) for each in value)
    if len(value) != len(arguments):
        raise ValueError(f"{name} has {len(value)} values; give {len(arguments)}.")
    return tuple(_typed(hint, each, name) for hint, each in zip(arguments, value, strict=True))


def _scalar(hint: Any, value: Any, name: str) -> Any:
    if hint is float and value in ("inf", "-inf"):
        return float(value)
    if hint is float and isinstance(value, (int, float)) and not isinstance(value, bool) and value == value:
        return float(value)
    if hint is int and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 62:
        return value
    if hint in (bool, str) and isinstance(value, hint):
        return value
    if hint is type(None) and value is None:
        return None
    if hint not in (float, int, bool, str, type(None)):
        return value
    wanted = {float: "a number", int: "a whole number", bool: "true or false", str: "a text"}.get(
        hint, "none"
    )
    raise ValueError(f"{name}={_shown(value)} is not {wanted}.")


def _one_of(values: tuple[Any, ...]) -> str:
    return f"; take one of {', '.join(map(str, values))}."


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"

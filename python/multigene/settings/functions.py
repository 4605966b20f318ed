"""Function sets as people write them, and as the engine takes them: name, definition, frequency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

#: What the engine draws inner nodes from: name, defining expression (None if built in), frequency.
FunctionEntry = tuple[str, str | None, float]

#: The functions of the paper (section 4.2).
PAPER_FUNCTIONS: tuple[str, ...] = (
    "add", "sub", "mul", "sin", "cos", "exp", "logistic", "tanh", "sinc", "softplus", "gauss",
    "pow2", "pow3", "pow4", "pow5", "pow6",
)  # fmt: skip


def function_entries(functions: Any) -> tuple[FunctionEntry, ...]:
    """Read a function set: names, `{name: expression}`, or a mixture of both in a list.

    A mapping's value may be an expression of `x` (and `y`) that defines a new operator, a number that is
    its relative frequency, or None for a built-in operator.
    """
    if isinstance(functions, str):
        functions = [name.strip() for name in functions.split(",")]
    if isinstance(functions, Mapping):
        functions = [{name: value} for name, value in functions.items()]
    if not isinstance(functions, Iterable):
        raise ValueError(
            f"functions={functions!r} is not a list of names; give for example ['add', 'mul', 'sin']."
        )
    entries: list[FunctionEntry] = []
    for item in functions:
        if isinstance(item, str):
            entries.append((item, None, 1.0))
        elif isinstance(item, Mapping):
            entries.extend(_entry(name, value) for name, value in item.items())
        elif isinstance(item, tuple) and len(item) == 3 and isinstance(item[1], str | None):
            entries.append((str(item[0]), item[1], _frequency(item[0], item[2])))
        else:
            raise ValueError(
                f"functions contains {item!r}; "
                "give names such as 'sin' or definitions such as {'hill': 'x**2/(1+x**2)'}."
            )
    return tuple(entries)


def are_defined(functions: Iterable[FunctionEntry]) -> bool:
    """Has a user defined some of the functions? Outside its population a model has the parts of such a function, and no longer
    knows that some of them are the same: such models are not sent to other processes while they evolve."""
    return any(definition is not None for _, definition, _ in functions)


def _entry(name: Any, value: Any) -> FunctionEntry:
    if isinstance(value, str):
        return (str(name), value, 1.0)
    return (str(name), None, 1.0 if value is None else _frequency(name, value))


def _frequency(name: Any, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < float("inf"):
        raise ValueError(
            f"Function {name!r} has the value {value!r}; give an expression such as 'x**2/(1+x**2)', "
            "a positive number as its frequency, or None for a built-in function."
        )
    return float(value)

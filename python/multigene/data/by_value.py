"""Functions that users give, in pickles: by name where `pickle` finds them, else by value, as joblib sends them to processes.

A lambda or a function within a function has no name that another process could look up; `pickle` alone refuses it, and with it
a whole fitted model.
"""

from __future__ import annotations

import pickle
from typing import Any

from joblib import wrap_non_picklable_objects


def packed(value: Any) -> Any:
    """The value, or what `pickle` takes in its place; a `ValueError` says what to give instead of a function that holds what
    cannot be sent."""
    if not callable(value) or isinstance(value, type):
        return value
    try:
        pickle.dumps(value)
    except Exception:
        wrapped = wrap_non_picklable_objects(value, keep_wrapper=False)
        try:
            pickle.dumps(wrapped)
        except Exception as error:
            name = getattr(value, "__name__", type(value).__name__)
            raise ValueError(
                f"The function {name!r} cannot be pickled: {error}. Give a function that stands in a module and holds nothing "
                "open, or for a loss its text, such as '(y - p)**4'."
            ) from error
        return wrapped
    return value


class KeepsFunctions:
    """A value whose fields may be functions of the user's; it can be pickled with any of them."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: packed(value) for name, value in self.__dict__.items()}

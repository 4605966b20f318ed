"""What is wrong with one field of a question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Mistake(ValueError):
    """What is wrong with one field of a question, which the page marks."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


@contextmanager
def of_field(name: str) -> Iterator[None]:
    """What goes wrong in here is a mistake in this field."""
    try:
        yield
    except Mistake:
        raise
    except ValueError as error:
        raise Mistake(name, str(error)) from None

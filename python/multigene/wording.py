"""Numbers with their nouns, as sentences need them: "1 gene", "2 genes". Imports nothing, so that everything may use it."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number and its noun, which takes an s unless there is exactly one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def anatomy(nodes: int, genes: int, separator: str = ", ") -> str:
    """How large a model is: "5 nodes, 1 gene"."""
    return counted(nodes, "node") + separator + counted(genes, "gene")


def among(models: int) -> str:
    """Where a model stands: one of so many of the front."""
    return "the only model of the front" if models == 1 else f"one of {models} models of the front"

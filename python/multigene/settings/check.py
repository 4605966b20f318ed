"""Checks of settings: every value by itself, then values that contradict each other. Called by `fit`, once.

A refusal is a sentence that names the value and the remedy. Every setting stands in one of the tables; a test sees to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, get_args

import numpy as np

from multigene._engine import check_functions, operators
from multigene.settings.functions import FunctionEntry
from multigene.settings.paper import CODENAMES, GM_REASON
from multigene.settings.settings import (
    PARTS,
    Clock,
    Criterion,
    Gaps,
    Kind,
    Mode,
    Settings,
    Structure,
    UpdateRule,
)
from multigene.words import nearest

#: Whole numbers: least and largest sensible value. Larger ones would not fit a machine, or never end.
_WHOLE: dict[str, tuple[int, int]] = {
    "max_genes": (1, 1000),
    "max_nodes": (1, 10_000_000),
    "max_depth": (1, 60),
    "initial_depth": (1, 60),
    "mutation_depth": (1, 60),
    "population_size": (2, 10_000_000),
    "tournament_size": (1, 1_000_000),
    "elites": (0, 10_000_000),
    "niche": (0, 1_000_000),
    "largest": (1, 2**62),
    "steps": (0, 1_000_000),
    "min_steps": (0, 1_000_000),
    "global_steps": (1, 1_000_000),
    "generations": (1, 2**62),
    "stagnation": (1, 2**62),
    "iterations": (1, 100_000),
    "tries": (1, 1000),
    "max_parameters": (1, 10_000),
    "islands": (1, 1000),
    "max_size": (1, 2**62),
    "nesting": (1, 1000),
    "migration": (1, 1_000_000),
    "first": (0, 2**62),
    "tune_every": (1, 1_000_000),
}
#: Numbers with a fraction: bounds, both included.
_HUGE = 1e100
_REAL: dict[str, tuple[float, float]] = {
    "variable_frequency": (0.0, 1e12),
    "lcf_frequency": (0.0, 1e12),
    "product_frequency": (0.0, 1e12),
    "constant_frequency": (0.0, 1e12),
    "lcf_dense": (0.0, 1.0),
    "weighted_nodes": (0.0, 1.0),
    "dependent_below": (1e-12, 0.1),
    "cache_megabytes": (0.0, 1e12),
    "crossover": (0.0, 1.0),
    "mutation": (0.0, 1.0),
    "high_level_crossover": (0.0, 1.0),
    "gene_selection": (0.0, 1.0),
    "constant_mutation": (0.0, 1.0),
    "weights_mutation": (0.0, 1.0),
    "constant_sigma": (0.0, _HUGE),
    "weights_sigma": (0.0, _HUGE),
    "tolerance": (0.0, 1.0),
    "initial_step": (1e-300, _HUGE),
    "seconds": (0.0, 1e12),
    "target_r2": (-1e12, 1.0),
    "parameter_price": (0.0, 1e12),
    "node_price": (0.0, 1e12),
    "damping": (1e-300, 1e12),
    "gain": (0.0, 1.0),
    "decay": (0.0, 1e12),
    "bound": (1e-300, _HUGE),
    "all_genes": (0.0, 1.0),
    "prune": (0.0, 1.0),
    "holdout": (0.0, 0.9),
    "trim": (0.0, 1e12),
    "memory_megabytes": (1.0, 1e6),
    "clip": (0.0, 1e12),
}
_SWITCHES = (
    "fit_genes", "tune_constants", "distinct", "guarded", "race", "short", "linear", "guard", "standardise",
    "survey", "transforms", "peeling", "symmetries", "relevance", "parts", "products", "dense",
    "full_tuning", "climb",
)  # fmt: skip
_RANGES = ("lcf_range", "constant_range")
_CHOICES: dict[str, tuple[str, ...]] = {
    "lcf": get_args(Mode),
    "lcf_birth": ("one-hot", "random", "sparse", "pairs", "scaled"),
    "rule": get_args(UpdateRule),
    "criterion": get_args(Criterion),
    "looks_for": get_args(Kind),
    "structure": get_args(Structure),
    "clock": get_args(Clock),
    "missing": get_args(Gaps),
}
#: What users call a setting where it is a parameter of the estimator.
_PARAMETERS = {"seconds": "time_limit", "looks_for": "search"}


def check(settings: Settings) -> None:
    """Refuse values that cannot work, with a sentence that names the value and the remedy."""
    for part, cls in PARTS.items():
        values = getattr(settings, part)
        if values is None and part in ("tuning", "refinement", "search", "seeking"):
            continue
        if not isinstance(values, cls):
            raise ValueError(f"settings.{part} is {values!r}; give a multigene.settings.{cls.__name__}.")
        for f in fields(cls):
            _check_value(f.name, getattr(values, f.name), optional="None" in str(f.type))
    _check_functions(settings.genes.functions)
    _check_together(settings)


def _check_functions(functions: Sequence[FunctionEntry]) -> None:
    """Refuse functions that the engine does not know or whose definitions it cannot read."""
    try:
        check_functions(list(functions))
    except ValueError as error:
        known = [name for name, _, _ in operators()]
        unknown = [
            n for n, definition, _ in functions if definition is None and f'no function "{n}"' in str(error)
        ]
        near = nearest(unknown[0], known) if unknown else ""
        if not near:
            raise
        raise ValueError(f"{error} Did {near.removeprefix('; did ')}") from None


def _check_value(name: str, value: Any, *, optional: bool) -> None:
    """Refuse one value that is wrong by itself."""
    shown = f"{_PARAMETERS.get(name, name)}={value!r}"
    if value is None and optional:
        return
    if name in _WHOLE:
        least, largest = _WHOLE[name]
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise ValueError(f"{shown} is not a whole number; give one from {least}.")
        if value < least:
            raise ValueError(f"{shown} is too small; take at least {least}.")
        if value > largest:
            raise ValueError(f"{shown} is too large; take at most {largest}.")
    elif name in _REAL:
        low, high = _REAL[name]
        if name == "seconds" and not (_is_real(value) and 0.0 < value <= high):
            raise ValueError(f"{shown} is no number of seconds; give a positive one, for example 30.")
        if not _is_real(value) or not low <= value <= high:
            raise ValueError(f"{shown} is not a number between {low:g} and {high:g}; give one.")
    elif name in _RANGES:
        if not (
            isinstance(value, tuple | list)
            and len(value) == 2
            and all(_is_real(v) and abs(v) <= _HUGE for v in value)
        ):
            raise ValueError(
                f"{shown} is not a range; give a smaller and a larger finite number, for example (-10, 10)."
            )
        if value[0] > value[1]:
            raise ValueError(f"{shown} is not a range, its first number is the larger; exchange the two.")
    elif name in _CHOICES:
        if value not in _CHOICES[name]:
            if name == "looks_for" and value in CODENAMES:
                raise ValueError(
                    f"{shown} is a configuration of the paper; give it as configuration={value!r}."
                )
            choices = ", ".join(repr(choice) for choice in _CHOICES[name])
            raise ValueError(f"{shown} is not known; take one of {choices}{', or None' if optional else ''}.")
    elif name == "rules":
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
            raise ValueError(
                f"{shown} is no list of rules; give for example ['sin only of t', 'must use dose']."
            )
    elif name in _SWITCHES and not isinstance(value, bool):
        raise ValueError(f"{shown} is neither True nor False; give one of them.")


def _check_together(settings: Settings) -> None:
    """Refuse values that contradict each other."""
    g, s, v, t = settings.genes, settings.selection, settings.variation, settings.tuning
    if s.elites >= s.population_size:
        raise ValueError(
            f"elites={s.elites} leaves no room for offspring in population_size={s.population_size}; "
            "take fewer elites or more individuals."
        )
    if v.crossover + v.mutation > 1.0 + 1e-12:
        raise ValueError(
            f"crossover={v.crossover} and mutation={v.mutation} add up to more than 1; lower one of them."
        )
    if v.constant_mutation + v.weights_mutation > 1.0 + 1e-12:
        raise ValueError(
            f"constant_mutation={v.constant_mutation} and weights_mutation={v.weights_mutation} add up "
            "to more than 1; lower one of them."
        )
    leaves = (
        g.variable_frequency,
        g.lcf_frequency if g.lcf else 0.0,
        g.product_frequency,
        g.constant_frequency,
    )
    if all(frequency == 0.0 for frequency in leaves):
        raise ValueError(
            "variable_frequency, lcf_frequency, product_frequency and constant_frequency are all 0; "
            "raise one."
        )
    if g.lcf == "global" and t is None:
        raise ValueError(GM_REASON)


def _is_real(value: Any) -> bool:
    """A number, not a switch, text or NaN."""
    return (
        not isinstance(value, bool | np.bool_)
        and isinstance(value, int | float | np.number)
        and bool(value == value)
    )

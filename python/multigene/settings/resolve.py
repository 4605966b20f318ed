"""From the constructor's parameters of an estimator to what a run needs: settings, random numbers, threads.

The constructor only stores; `fit` calls these, and each refuses what cannot work with a sentence that names it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs

from multigene.settings.check import check
from multigene.settings.defaults import default_settings
from multigene.settings.functions import function_entries
from multigene.settings.loss import loss_of
from multigene.settings.paper import configuration
from multigene.settings.settings import Selection, Settings, Stopping, refuse_unknown


def resolved(estimator: Any) -> Settings:
    """All settings of a run of a `MultigeneRegressor`: those of its configuration, changed by its parameters."""
    base, changes = _base(estimator)
    proportions = base.selection
    base = base.changed(**changes)
    functions = None if estimator.functions is None else function_entries(estimator.functions)
    if estimator.search != "both" or estimator.units is not None:
        base = base.changed(looks_for=looks_for(base, estimator.search, estimator.units))
    if estimator.form is not None:
        base = _with_form(base, estimator)
    if base.search is None:
        _refuse_parameters_of_the_default_search(estimator)
    elif estimator.max_size is not None:
        base = base.changed(max_size=estimator.max_size)
    base = base.with_values(functions=functions)
    base = scaled_to_population(base, proportions, changes)
    resolved = with_limits(base, estimator.generations, estimator.time_limit)
    _check_loss(resolved, estimator)
    check(resolved)
    if resolved.search is not None and resolved.genes.lcf in ("synchronised", "global"):
        raise ValueError(
            f"lcf={resolved.genes.lcf!r} belongs to the paper's configurations; give configuration='SB', 'SC', 'GB' or 'GC', "
            "or leave lcf as it is for the default search."
        )
    return resolved


def _base(estimator: Any) -> tuple[Settings, dict[str, Any]]:
    """The settings that a run starts from, and the changes that the user asks for by name."""
    settings = estimator.settings
    if isinstance(settings, Settings):
        if estimator.configuration is not None:
            raise ValueError(
                f"Both configuration={estimator.configuration!r} and a Settings object are given; start from "
                "multigene.configuration(...) and pass the settings alone, or give a dict of changes."
            )
        return settings, {}
    if settings is not None and not isinstance(settings, dict):
        raise ValueError(
            f"settings={settings!r} is neither a multigene.Settings nor a dict; "
            "give for example {'tournament_size': 7}."
        )
    changes = dict(settings or {})
    refuse_unknown(changes)
    named = estimator.configuration
    if changes.get("rules") and named is not None:
        raise ValueError("rules belong to the default search; leave configuration out, or leave rules out.")
    if isinstance(changes.get("rules"), list):
        changes["rules"] = tuple(changes["rules"])
    return default_settings() if named is None else configuration(named), changes


def _refuse_parameters_of_the_default_search(estimator: Any) -> None:
    """A `ValueError` for parameters that a configuration of the paper does not have."""
    if estimator.guesses is not None:
        raise ValueError(
            "guesses belong to the default search; leave configuration out, or leave guesses out."
        )
    if estimator.max_size is not None:
        raise ValueError(
            f"max_size={estimator.max_size!r} belongs to the default search; leave configuration out, or limit genes with "
            "settings={'max_nodes': ...}."
        )
    if estimator.shapes is not None:
        raise ValueError(
            f"shapes={estimator.shapes!r} belongs to the default search; leave configuration out, or leave shapes out."
        )


def _with_form(settings: Settings, estimator: Any) -> Settings:
    """Settings of a search for the gaps of a form; refuses what contradicts it."""
    if settings.search is None:
        raise ValueError("form belongs to the default search; leave configuration out, or leave form out.")
    if estimator.guesses is not None:
        raise ValueError("form and guesses contradict each other: guesses are whole formulas; leave one out.")
    return settings.changed(linear=False)


def _check_loss(settings: Settings, estimator: Any) -> None:
    """Refuse a loss that cannot be read, or that contradicts a search for laws alone."""
    loss = loss_of(estimator.loss)
    if not loss.squared and settings.search is not None and settings.search.looks_for == "laws":
        given = "units" if estimator.units is not None else "search='laws'"
        raise ValueError(
            f"loss={loss.name!r} and {given} contradict each other: laws are found by squared error; leave one out."
        )


def looks_for(settings: Settings, search: str, units: Any) -> str:
    """What the search is to look for; refuses what contradicts it."""
    if settings.search is None:
        given = f"search={search!r}" if search != "both" else "units"
        raise ValueError(
            f"{given} belongs to the default search; leave configuration out, or leave {given.split('=')[0]} out."
        )
    if units is not None and search == "accuracy":
        raise ValueError(
            "search='accuracy' and units contradict each other: approximations have no dimensions; take search='laws'."
        )
    if units is not None and not isinstance(units, dict):
        raise ValueError(
            f"units={units!r} is not a dict; give for example {{'m': 'kg', 'v': 'm/s', 'y': 'J'}}."
        )
    return "laws" if units is not None and search == "both" else search


def with_limits(settings: Settings, generations: int | None, seconds: float | None) -> Settings:
    """Settings with the limits given; a time limit alone takes the place of the number of generations."""
    stopping: Stopping = settings.stopping
    if seconds is not None:
        stopping = replace(stopping, seconds=seconds, generations=generations)
    if generations is not None:
        stopping = replace(stopping, generations=generations)
    return replace(settings, stopping=stopping)


def scaled_to_population(settings: Settings, proportions: Selection, given: Collection[str]) -> Settings:
    """Tournament and elites in the `proportions` that they had to the population, unless they are `given`, where the population
    size was changed (Table 2 of the paper halves all three)."""
    size, before = settings.selection.population_size, proportions.population_size
    numbers = (size, before, proportions.tournament_size, proportions.elites)
    if size == before or not before or not all(hasattr(number, "__index__") for number in numbers):
        return settings  # what is not a number is refused later
    scaled = {
        "tournament_size": max(2, round(proportions.tournament_size * size / before)),
        "elites": max(min(1, proportions.elites), round(proportions.elites * size / before)),
    }
    return settings.changed(**{name: value for name, value in scaled.items() if name not in given})


def random_generator(seed: Any) -> np.random.Generator:
    """The generator of a run from what scikit-learn allows as `random_state`."""
    if isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed.integers(2**63))
    if isinstance(seed, np.random.RandomState):
        return np.random.default_rng(seed.randint(0, 2**31 - 1))
    if seed is None or (isinstance(seed, int | np.integer) and seed >= 0):
        return np.random.default_rng(seed)
    raise ValueError(
        f"random_state={seed!r} is not a seed; give a whole number from 0, a NumPy random generator, or None."
    )


def threads(n_jobs: Any) -> int:
    """Number of threads, or of processes of joblib's back end; -1 for all cores, -2 for all but one, None for joblib's present
    setting."""
    if n_jobs is not None and (
        isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0
    ):
        raise ValueError(
            f"n_jobs={n_jobs!r} is not a number of threads; give a whole number from 1, -1 for all cores, or None."
        )
    if n_jobs == 1:  # a back end of joblib may say otherwise
        return 1
    # More threads gain nothing: they wait for each other, and the system may refuse them.
    return min(int(effective_n_jobs(n_jobs)), max(32, int(cpu_count())))

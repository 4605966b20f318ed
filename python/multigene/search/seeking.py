"""Whether law seekers are sent out on a problem, on which rows, and why not (`searcher.py` asks once)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from multigene._engine import Workers
from multigene.laws.seekers import Seekers
from multigene.search.cross_validation import few_rows
from multigene.search.problem import Problem
from multigene.settings.defaults import default_settings
from multigene.settings.settings import Settings

#: With fewer different rows nothing can be called a law (`Seekers` ask for ten more than three for each fitted number).
FEWEST_ROWS_TO_SEEK = 13
#: Squares of larger numbers overflow in what seekers make of them.
LARGEST = 1e100


def seekers_of(
    problem: Problem, settings: Settings, rng: np.random.Generator, workers: Workers
) -> Seekers | None:
    """Seekers that see the rows for searching, the others verify what they find; None if none are to be sent.

    Raises ValueError where laws alone are asked for and none can be looked for.
    """
    assert settings.search is not None
    if settings.seeking is None or settings.search.looks_for == "accuracy" or settings.search.islands == 0:
        return None
    rows = problem.search_rows
    if few_rows(problem):  # a row given twice is no further evidence for a law
        pairs = np.column_stack([problem.X[rows], problem.y[rows]])
        rows = rows[np.sort(np.unique(pairs, axis=0, return_index=True)[1])]
    reason = _obstacle(problem, rows)
    if reason is not None:
        if settings.search.looks_for == "laws":
            raise ValueError(reason)
        return None
    own = np.random.default_rng(rng.integers(2**63))
    X, y = np.ascontiguousarray(problem.X[rows]), problem.y[rows]
    functions = settings.genes.functions
    chosen = None if functions == default_settings().genes.functions else functions
    # Approximators add features of different units, which is not reported.
    alone = settings.search.looks_for == "laws" or problem.dimensions is not None
    return Seekers(X, y, np.arange(len(y)), own, workers, settings.seeking, chosen, problem.dimensions, alone)


def _obstacle(problem: Problem, rows: npt.NDArray[np.intp]) -> str | None:
    """Why no law can be looked for in these rows, with the remedy; None if one can."""
    laws_alone = "units" if problem.dimensions is not None else "search='laws'"
    remedy = "leave units out" if problem.dimensions is not None else "take search='both'"
    if problem.weights is not None:
        return f"{laws_alone} does not go with sample_weight of different values; leave it out, or {remedy}."
    if len(rows) < FEWEST_ROWS_TO_SEEK:
        return (
            f"{len(rows)} different rows are too few for {laws_alone}: anything could be called a law; "
            f"give at least {FEWEST_ROWS_TO_SEEK} different rows, or {remedy}."
        )
    if problem.largest > LARGEST:
        return (
            f"{problem.largest:g} is too large for {laws_alone}: squares overflow; "
            f"give numbers of at most {LARGEST:g}, or {remedy}."
        )
    return None

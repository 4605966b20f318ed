"""The island for short formulas: settings of its own, and what it exchanges with the others.

People read formulas of ten to fifty nodes, and evolution on standardised features is bad at those: a standardised variable prints
as (x - mean)/scale, five nodes instead of one, and products and quotients of such print as products of sums. So one island
(`islands.py`) evolves on the user's columns as they are, with a few small genes, weights born to the scale of their column, sizes
counted as printed, and niches instead of a tournament: for every size the fittest of at most that size survive.
"""

from __future__ import annotations

import re
from dataclasses import replace

from multigene._engine import Individual
from multigene.search.constants import (
    LARGEST_SHORT,
    SHORT_CONSTANTS,
    SHORT_DEPTH,
    SHORT_FUNCTIONS,
    SHORT_GENES,
    SHORT_LEAVES,
    SHORT_MUTATED,
    SHORT_MUTATIONS,
    SHORT_NICHE,
    SHORT_NODES,
    SHORT_NUMBERS,
    SHORT_POPULATION,
    SHORT_STEPS,
    TYPICAL_ROWS,
)
from multigene.search.problem import Problem
from multigene.settings.defaults import default_settings
from multigene.settings.functions import function_entries
from multigene.settings.settings import Refinement, Selection, Settings, Variation


def short_settings(settings: Settings, problem: Problem) -> Settings:
    """Settings of the island; a user's own set of functions is kept."""
    own = has_own_functions(settings)
    variables, combinations, constants = SHORT_LEAVES
    limit = None if settings.search is None else settings.search.max_size
    largest = LARGEST_SHORT if limit is None else min(LARGEST_SHORT, limit)
    # A price of size that somebody set while the search ran holds here, too.
    priced = settings.selection if settings.selection.criterion == "compact" else Selection()
    genes = replace(
        settings.genes,
        functions=settings.genes.functions if own else function_entries(SHORT_FUNCTIONS),
        max_genes=min(SHORT_GENES, settings.genes.max_genes),
        max_nodes=min(SHORT_NODES, settings.genes.max_nodes or SHORT_NODES),
        max_depth=min(SHORT_DEPTH, settings.genes.max_depth),
        initial_depth=3,
        mutation_depth=3,
        variable_frequency=variables,
        lcf_frequency=combinations,
        constant_frequency=constants,
        constant_range=SHORT_CONSTANTS,
        lcf="unsynchronised" if settings.genes.lcf else None,
        lcf_birth="scaled",
        feature_scales=tuple(problem.scaling.scales.tolist()),
        typical_rows=tuple(map(tuple, problem.guard.between_points[:TYPICAL_ROWS].tolist())),
    )
    return replace(
        settings,
        genes=genes,
        selection=replace(
            priced, population_size=SHORT_POPULATION, distinct=True, niche=SHORT_NICHE, largest=largest
        ),
        variation=Variation(
            crossover=1.0 - SHORT_MUTATED,
            mutation=SHORT_MUTATED,
            high_level_crossover=0.3,
            constant_mutation=SHORT_NUMBERS,
            weights_mutation=SHORT_NUMBERS,
            weights_sigma=0.5,
            more_mutations=tuple(SHORT_MUTATIONS.items()),
        ),
        refinement=Refinement(iterations=SHORT_STEPS, decay=0.0, prune=0.0, race=False, all_genes=0.1),
    )


def has_own_functions(settings: Settings) -> bool:
    """Did the user say which functions formulas may have?"""
    return settings.genes.functions != default_settings().genes.functions


def as_immigrants(model: Individual, problem: Problem) -> list[Individual]:
    """Every gene of a model of standardised features as a model of its own in the user's units; but none with a number that is
    beyond floating point there."""
    whole = problem.scaling.in_user_units(model)
    return [
        Individual([gene], 0.0, [1.0])
        for gene in whole.genes
        if not re.search(r"\b(inf|nan)\b", gene.lower())
    ]


def as_emigrant(model: Individual, problem: Problem) -> Individual:
    """A model of the user's features as one of standardised features."""
    scaling = problem.scaling
    if not scaling.changes:
        return model
    # z = (x - m)/s, so x = (z - (-m/s))/(1/s): the way back with these means and scales is the way there.
    means, scales = -scaling.means / scaling.scales, 1.0 / scaling.scales
    return model.in_original_units(means.tolist(), scales.tolist())

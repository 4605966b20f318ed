"""Settings of the product's own search: what `MultigeneRegressor()` without a codename of the paper runs with."""

from __future__ import annotations

from multigene.settings.functions import function_entries
from multigene.settings.settings import (
    Genes,
    Refinement,
    Search,
    Seeking,
    Selection,
    Settings,
    Stopping,
    Variation,
)

#: Functions of the approximators: the paper's, without poles (division brings spikes and no accuracy).
APPROXIMATOR_FUNCTIONS = (
    "add", "sub", "mul", "sin", "cos", "exp", "logistic", "tanh", "sinc", "softplus", "gauss", "pow2", "pow3",
)  # fmt: skip
#: Genes closer than this to a combination of others get coefficient 0: numbers beyond 3e4 that cancel are no formula for people.
READABLE_DEPENDENCE = 10**-4.5


def default_settings() -> Settings:
    """Settings of the default search: those of one approximating island, and how islands are arranged."""
    return Settings(
        genes=Genes(
            functions=function_entries(
                {name: 2.0 if name in ("add", "sub", "mul") else 1.0 for name in APPROXIMATOR_FUNCTIONS}
            ),
            max_genes=10,
            max_depth=7,
            max_nodes=30,
            initial_depth=4,
            mutation_depth=4,
            variable_frequency=4.5,
            lcf_frequency=4.5,
            constant_frequency=1.0,
            constant_range=(-3.0, 3.0),
            lcf="unsynchronised",
            lcf_birth="sparse",
            dependent_below=READABLE_DEPENDENCE,
        ),
        selection=Selection(population_size=50, tournament_size=5, elites=8, criterion="gcv", distinct=True),
        variation=Variation(
            constant_mutation=0.05,
            weights_mutation=0.15,
            weights_sigma=0.5,
            more_mutations=(("sparsity", 0.15), ("add_gene", 0.07), ("delete_gene", 0.05)),
        ),
        refinement=Refinement(),
        stopping=Stopping(generations=400),
        search=Search(),
        seeking=Seeking(),
    )

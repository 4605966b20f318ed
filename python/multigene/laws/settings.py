"""Settings of the law search's populations: few, small genes under strong size pressure (`restarts.py` varies them)."""

from __future__ import annotations

from multigene.expression.vocabulary import ANYTHING, Vocabulary
from multigene.settings.defaults import READABLE_DEPENDENCE, default_settings
from multigene.settings.functions import FunctionEntry, function_entries
from multigene.settings.paper import configuration
from multigene.settings.settings import Genes, Refinement, Selection, Settings, Structure, Variation

FUNCTIONS = {
    "add": 1.0, "sub": 1.0, "mul": 2.0, "div": 1.5, "sin": 0.6, "cos": 0.6, "exp": 0.7, "log": 0.3, "sqrt": 0.5,
    "pow2": 0.7, "tanh": 0.2, "inv": 0.4,
}  # fmt: skip
#: Functions of islands with dense linear combinations.
DENSE_FUNCTIONS = {
    "add": 1.0, "sub": 1.0, "mul": 2.0, "div": 1.0, "sin": 1.0, "cos": 1.0, "exp": 1.0, "tanh": 1.0, "pow2": 1.0,
}  # fmt: skip


def vocabulary(functions: tuple[FunctionEntry, ...] | None, structure: Structure) -> Vocabulary:
    """What laws may be told with: functions that a user chose and what `structure` adds, or anything where none were chosen."""
    if functions is None:
        return ANYTHING
    added = ("mul", "div") if structure == "products" else ()
    definitions = [definition for _, definition, _ in functions if definition is not None]
    return Vocabulary([*(name for name, _, _ in functions), *added], definitions)


def promised(settings: Settings) -> Vocabulary:
    """What formulas of a run with these settings may be told with: all where its functions are not a user's choice."""
    functions, seeking = settings.genes.functions, settings.seeking
    own = functions not in (default_settings().genes.functions, configuration("UB").genes.functions)
    return vocabulary(functions if own else None, "linear" if seeking is None else seeking.structure)


def seeker_settings(products: tuple[int, ...], logarithm: bool) -> Settings:
    """Settings of one seeking island."""
    functions = FUNCTIONS | ({"log": 1.2} if logarithm else {})
    leaves = 0.7 * sum(functions.values())
    return Settings(
        genes=Genes(
            functions=function_entries(functions),
            max_genes=4,
            max_nodes=15,
            max_depth=6,
            initial_depth=3,
            mutation_depth=3,
            variable_frequency=0.4 * leaves,
            lcf_frequency=0.2 * leaves,
            product_frequency=0.3 * leaves if products else 0.0,
            product_features=products,
            constant_frequency=0.1 * leaves,
            constant_range=(-3.0, 3.0),
            lcf="unsynchronised",
            lcf_birth="pairs",
            weighted_nodes=0.06,
            dependent_below=READABLE_DEPENDENCE,
        ),
        selection=Selection(
            population_size=60, tournament_size=4, elites=6,
            criterion="compact", parameter_price=2.0, node_price=5.0, distinct=True,
        ),
        variation=Variation(
            crossover=0.45,
            mutation=0.53,
            constant_mutation=0.03,
            weights_mutation=0.05,
            weights_sigma=0.5,
            more_mutations=(
                ("sparsity", 0.1), ("add_gene", 0.1), ("delete_gene", 0.08), ("point", 0.2), ("hoist", 0.06), ("shrink", 0.08),
                ("insert", 0.15),
            ),
        ),
        refinement=Refinement(iterations=6, bound=100.0, decay=0.0, all_genes=0.2, prune=0.03),
    )  # fmt: skip


def dense_settings() -> Settings:
    """Settings of an island that finds laws in rotated features: few functions, leaves that start as random linear
    combinations of all features, BIC instead of a price per node."""
    leaves = float(sum(DENSE_FUNCTIONS.values()))
    return seeker_settings((), False).changed(
        functions=function_entries(DENSE_FUNCTIONS),
        lcf_birth="sparse",
        lcf_dense=1.0,
        lcf_frequency=0.6 * leaves,
        variable_frequency=0.1 * leaves,
        constant_frequency=0.1 * leaves,
        weighted_nodes=0.0,
        criterion="bic",
    )

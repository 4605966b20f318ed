"""Settings of a run as small frozen dataclasses; `paper.py` and `defaults.py` fill them in.

Each field names its symbol in the paper's Table 2 where it has one. `MultigeneRegressor` takes a `Settings`
(or a codename); `evolution/loop.py` hands the parts to the engine, which reads them by name (`Part.json`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal

from multigene.settings.clock import processor_seconds
from multigene.settings.functions import PAPER_FUNCTIONS, FunctionEntry, function_entries
from multigene.words import nearest

Mode = Literal["unsynchronised", "synchronised", "global"]
UpdateRule = Literal["irprop-", "irprop+", "rprop", "adam"]
Kind = Literal["both", "laws", "accuracy"]
Structure = Literal["linear", "products"]
Criterion = Literal["r2", "gcv", "bic", "compact"]
Clock = Literal["wall", "processor"]
#: What tells the seconds of a run.
CLOCKS: dict[Clock, Callable[[], float]] = {"wall": time.perf_counter, "processor": processor_seconds}
Gaps = Literal["fill", "drop", "error"]


def fixed(default: Any) -> Any:
    """A value that the program chooses for itself. It is no setting: people cannot give it by name, and no page lists it. Islands
    and benchmarks differ in it (`dataclasses.replace`)."""
    return field(default=default, metadata={"fixed": True})


class Part:
    """A part of the settings."""

    @cached_property
    def json(self) -> str:
        """What the engine reads: the struct of the same fields in `crates/multigene-core/src/settings.rs`."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return json.dumps(values, default=lambda number: number.item())  # NumPy's numbers are nearly Python's


@dataclass(frozen=True, kw_only=True)
class Genes(Part):
    """What genes are made of and how large they may be."""

    functions: tuple[FunctionEntry, ...] = function_entries(PAPER_FUNCTIONS)
    """Functions of inner nodes."""
    max_genes: int = 10
    """Largest number of genes, `G_max`."""
    max_nodes: int | None = None
    """Largest number of nodes of a gene, `N_max`; None for no limit."""
    max_depth: int = 11
    """Largest depth of a gene, `D_max`; a single node has depth 1."""
    initial_depth: int | None = fixed(None)
    """Depth of the deepest tree of the first population; None for `max_depth`."""
    mutation_depth: int | None = fixed(None)
    """Depth of the deepest subtree that mutation inserts; None for what `max_depth` leaves."""
    variable_frequency: float | None = None
    """Frequency of variables among leaves and functions; None counts each variable as one function."""
    lcf_frequency: float | None = None
    """Frequency of LCFs; None counts each index as one function."""
    product_frequency: float = 0.0
    """Frequency of product leaves s·∏|x|^w."""
    product_features: tuple[int, ...] | None = fixed(None)
    """Features that product leaves may use; None for all."""
    constant_frequency: float = 1.0
    """Frequency of constants."""
    constant_range: tuple[float, float] = (-10.0, 10.0)
    """Bounds of new constants."""
    lcf: Mode | None = None
    """Linear combinations of features: the operation mode (paper, section 3.3), or None for none."""
    lcf_birth: Literal["one-hot", "random", "sparse", "pairs", "scaled"] = "one-hot"
    """Weights of a new LCF: 1 on its own feature (paper), uniform within `lcf_range`, few features, pairs of them, or one or two
    features with weights in units of their spread."""
    lcf_range: tuple[float, float] = (-1.0, 1.0)
    """Bounds of random LCF weights."""
    lcf_dense: float = fixed(0.5)
    """With sparse birth, the chance of an LCF over all features with normal weights."""
    feature_scales: tuple[float, ...] | None = fixed(None)
    """Spread of every feature, in which random weights are measured; None for 1."""
    typical_rows: tuple[tuple[float, ...], ...] | None = fixed(None)
    """Typical rows of features, by which wrapping tells the size of a subtree's values; None without wrapping."""
    weighted_nodes: float = 0.0
    """Chance that a new inner node carries a multiplicative and an additive weight (paper, future work)."""
    fit_genes: bool = True
    """Fit outer coefficients by least squares; False adds the genes as they are."""
    dependent_below: float = fixed(1e-10)
    """A gene whose part outside the span of the other genes is no longer than this share of it gets coefficient 0. With 1e-10 the
    fit is that of a singular value decomposition (paper); larger values keep coefficients of nearly dependent genes small."""
    cache_megabytes: float = 32.0
    """Memory for columns of genes that breeding leaves alone."""


@dataclass(frozen=True, kw_only=True)
class Selection(Part):
    """Who has offspring."""

    population_size: int = 100
    """Number of individuals, `|P|`."""
    tournament_size: int = 10
    """Individuals per tournament, `|T|`."""
    elites: int = 15
    """Best individuals that stay unmodified, `E`."""
    criterion: Criterion = "r2"
    """Fitness: training R² (paper), generalised cross-validation, BIC, or BIC with a price per node as well."""
    parameter_price: float = fixed(1.0)
    """Price of a parameter: its weight in `gcv` and `compact`."""
    node_price: float = fixed(0.0)
    """Price of a node in `compact`."""
    guarded: bool = False
    """Configurations of the paper: only models that behave between and slightly beyond the rows may become the result. Fitness
    and breeding never see the guard. False is the paper's rule: best training fitness over the run, even where it explodes
    between the rows (the paper reports a test R² of -3e29)."""
    distinct: bool = fixed(False)
    """Replace individuals whose structure the generation has already by mutants of theirs."""
    niche: int = fixed(0)
    """Size niches in place of tournament and elites: for every size this many fittest models of at most that size survive, and
    parents are drawn among survivors alike; 0 for none."""
    largest: int | None = fixed(None)
    """With niches, the size above which no model survives; None for any."""


@dataclass(frozen=True, kw_only=True)
class Variation(Part):
    """How offspring differ from their parents."""

    crossover: float = 0.84
    """Probability of a crossover, `Pr_x`."""
    mutation: float = 0.14
    """Probability of a mutation, `Pr_m`; what is left of 1 is a copy."""
    high_level_crossover: float = 0.2
    """Probability that a crossover swaps whole genes, `Pr_HLx`; otherwise it swaps subtrees (`Pr_LLx`)."""
    gene_selection: float = 0.5
    """Probability that a gene is selected in high-level crossover, `r_HLx`."""
    constant_mutation: float = 0.05
    """Probability that a mutation moves a constant, `Pr_Cm`."""
    weights_mutation: float = 0.0
    """Probability that a mutation moves the weights of an LCF, `Pr_Wm`; subtree mutation is the rest
    (`Pr_Sm`)."""
    constant_sigma: float = 0.1
    """Standard deviation of constant mutation, `σ_Cm`."""
    weights_sigma: float = 3.0
    """Standard deviation of weights mutation, `σ_Wm`."""
    more_mutations: tuple[tuple[str, float], ...] = ()
    """Further kinds of mutation with their probabilities (sparsity, add_gene, delete_gene, point, hoist, shrink, insert,
    neutral, round, shift, wrap)."""


@dataclass(frozen=True, kw_only=True)
class Tuning(Part):
    """Gradient tuning of inner weights (paper, section 3.2)."""

    rule: UpdateRule = "irprop-"
    """Update rule: iRprop⁻ (paper), iRprop⁺, rprop (the authors' program), or Adam."""
    steps: int = 25
    """Steps per generation and individual, less the number of its nodes, `Bp_steps`."""
    min_steps: int = 2
    """At least this many steps, `Bp_min`."""
    tolerance: float = 1e-10
    """Tuning of an individual ends when a step changes R² by no more than this."""
    global_steps: int = 2
    """Steps of the population's LCFs per generation in globally synchronised mode."""
    initial_step: float = 0.1
    """First step size, Δ₀ (Adam: learning rate)."""
    tune_every: int = 1
    """Tune in every n-th generation: 1 for each of them (paper)."""
    tune_constants: bool = False
    """Tune plain constants as well."""


@dataclass(frozen=True, kw_only=True)
class Refinement(Part):
    """Second-order tuning of every offspring: Levenberg-Marquardt with the outer coefficients projected out."""

    iterations: int = 5
    """Largest number of steps."""
    tries: int = fixed(3)
    """Dampings tried per step. More of them get a model closer to the minimum of the training error, and on noisy rows further
    from the truth."""
    damping: float = fixed(1e-2)
    """Damping of the first step."""
    gain: float = fixed(1e-3)
    """Tuning ends when a step lowers the error by no more than this share of it."""
    max_parameters: int = fixed(96)
    """Largest number of weights tuned together."""
    decay: float = 1e-4
    """Price of the squared slopes of linear combinations, relative to the error."""
    bound: float | None = fixed(None)
    """Largest magnitude of a weight; None for any."""
    all_genes: float = fixed(0.0)
    """Chance that all genes of an offspring are tuned together, not only the one that changed."""
    prune: float = 0.02
    """LCF weights below this share of the largest are dropped where that makes the individual fitter."""
    race: bool = True
    """Go on after the first step only with at least the median fitness of the last generation."""


@dataclass(frozen=True, kw_only=True)
class Stopping:
    """When a run ends; whichever comes first. Ctrl-C ends it too, with the best model so far."""

    generations: int | None = 1000
    """Number of generations, the first population included."""
    seconds: float | None = None
    """Time from the start of `fit`."""
    clock: Clock = "wall"
    """Which seconds count: "wall" for the wall clock, "processor" for processor time over all threads of the run. The latter is
    fair on a shared machine, and is looked at between generations only."""
    target_r2: float | None = 1.0 - 1e-14
    """Training R² that is good enough."""
    stagnation: int | None = None
    """Generations without an improvement of the best training R²."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """How the default search arranges its islands."""

    looks_for: Kind = "both"
    """Exact laws, accurate approximations, or both."""
    islands: int = 4
    """Number of populations."""
    migration: int = 10
    """Generations between migrations of the best in a ring."""
    short: bool = True
    """One island looks for short formulas: in the user's units, with size niches."""
    max_size: int | None = None
    """Nodes of the largest printed formula that the front may hold; None for any. Up to 110 all islands look for short
    formulas."""
    nesting: int = 2
    """Functions of one kind that may stand inside each other, one more where kinds differ: with 2 tanh(tanh(x)) and
    exp(cos(tanh(x))) may be in the result, tanh(tanh(tanh(x))) and exp(cos(exp(cos(x)))) may not."""
    rules: tuple[str, ...] = ()
    """Rules that every formula keeps, such as "sin only of t", "exp at most 2", "must use dose", "whole exponents" (see Say what
    you know)."""
    linear: bool = True
    """Linear models are in the first population."""
    guard: bool = True
    """Only models that behave between and slightly beyond the rows may become best."""
    standardise: bool = True
    """Evolve on standardised features."""
    holdout: float = 0.25
    """Share of the rows that are held out to decide how large a formula may be; with fewer than 400 the whole search is
    cross-validated instead; 0 for neither."""
    clip: float | None = None
    """Predictions leave the range of the training target by at most this share of it; None for no bounds. The formula and its
    exports are not bounded."""
    trim: float = fixed(1.0)
    """Price of a printed node when migrants and the result are shortened: ln(1 - R²) may rise by this much over the number of
    rows; 0 for none."""
    memory_megabytes: float = 200.0
    """Of a table that is read in pieces (Parquet, Dask), the search works on as many rows, drawn evenly, as fit into this."""


@dataclass(frozen=True, kw_only=True)
class Seeking:
    """The law search: small populations on transformed targets, restarted often (see Exact laws)."""

    first: int = 40_000
    """Evaluations of the law search before the approximators begin."""
    structure: Structure = "linear"
    """What laws may have beyond the functions that a user chose: sums, and parts times numbers ("linear"), or products, quotients
    and powers of features as well ("products")."""
    survey: bool = fixed(True)
    """Run the linear-algebra pass before any evolution, and begin restarts with what came closest."""
    transforms: bool = fixed(True)
    """Search on transformed targets as well."""
    peeling: bool = fixed(True)
    """Divide by power factors that a regression of ln|y| finds."""
    symmetries: bool = fixed(True)
    """Combined variables where the data show that features scale or shift together (`laws/variables/symmetries.py`)."""
    relevance: bool = fixed(True)
    """Work on the features first without which left-out rows are predicted worse, on all of them later."""
    parts: bool = False
    """Where the target seems to be a sum or product of functions of different features, look for these one after the other."""
    products: bool = fixed(True)
    """Product leaves in every second restart."""
    dense: bool = fixed(True)
    """Islands whose leaves are linear combinations of all features, under BIC alone."""
    full_tuning: bool = fixed(True)
    """Tune all genes of every new best together."""
    climb: bool = fixed(True)
    """Hill climbing at the end of a restart."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """What is made of the cells of a table."""

    missing: Gaps = "fill"
    """What to do about gaps: "fill" (by a number that the formula names, with an indicator where held-out rows say that a gap
    tells something), "drop" (rows with gaps are left out) or "error". Rows without a target are left out with a warning unless
    it is "error"."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of a run."""

    genes: Genes = field(default_factory=Genes)
    selection: Selection = field(default_factory=Selection)
    variation: Variation = field(default_factory=Variation)
    tuning: Tuning | None = None
    refinement: Refinement | None = None
    stopping: Stopping = field(default_factory=Stopping)
    search: Search | None = None
    seeking: Seeking | None = None
    table: Table = field(default_factory=Table)

    @property
    def rules(self) -> tuple[str, ...]:
        """Rules that every formula keeps."""
        return () if self.search is None else self.search.rules

    def with_values(self, **values: Any) -> Settings:
        """A copy with fields of any part changed by name; None leaves a field as it is."""
        return self.changed(**{name: value for name, value in values.items() if value is not None})

    def changed(self, **values: Any) -> Settings:
        """A copy with fields of any part changed by name; None is a value like any other, e.g. for no
        limit."""
        parts: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            parts.setdefault(_part_of(name), {})[name] = (
                function_entries(value) if name == "functions" else value
            )
        changes: dict[str, Any] = {}
        for part, changed in parts.items():
            old = getattr(self, part)
            changes[part] = replace(PARTS[part]() if old is None else old, **changed)
        return replace(self, **changes)


PARTS: dict[str, Any] = {
    "genes": Genes, "selection": Selection, "variation": Variation, "tuning": Tuning,
    "refinement": Refinement, "stopping": Stopping, "search": Search, "seeking": Seeking,
    "table": Table,
}  # fmt: skip


def field_names(settable: bool = False) -> dict[str, str]:
    """Every field and the part it belongs to; only those that are settings, where so asked."""
    return {
        f.name: part
        for part, cls in PARTS.items()
        for f in fields(cls)
        if not (settable and f.metadata.get("fixed"))
    }


def setting_names() -> dict[str, str]:
    """Every setting and the part it belongs to."""
    return field_names(settable=True)


def refuse_unknown(names: Iterable[str]) -> None:
    """Refuse names that are no settings: those nobody knows, and those that the program chooses."""
    for name in names:
        if name in setting_names():
            continue
        if name in field_names():
            raise ValueError(
                f"{name!r} is chosen by the program and is no setting; `multigene settings` lists those that are."
            )
        way_out = nearest(name, setting_names()) or "; `multigene settings` lists them all."
        raise ValueError(f"There is no setting {name!r}{way_out}")


def _part_of(name: str) -> str:
    names = field_names()
    if name not in names:
        refuse_unknown([name])
    return names[name]


def gaps_of(given: Any) -> str:
    """What to do about gaps, by settings as users give them: unchecked, since `fit` checks."""
    if isinstance(given, Settings):
        return given.table.missing
    return str(given.get("missing", Table().missing)) if isinstance(given, dict) else Table().missing

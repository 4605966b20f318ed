"""The native engine: everything that is done per row or per node. See `crates/multigene-core`."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "Dataset",
    "Individual",
    "Population",
    "Workers",
    "apply",
    "check_functions",
    "column_sets",
    "loss_constant",
    "loss_rows",
    "operators",
    "polish",
    "sweep",
]

_Floats = npt.NDArray[np.float64]
_T = TypeVar("_T")

def operators() -> list[tuple[str, int, str | None]]:
    """Name, number of arguments and infix sign (or None) of every operator but the powers `pow2`, `pow3`, …."""

def check_functions(functions: list[tuple[str, str | None, float]]) -> None:
    """Refuse functions (name, definition or None, frequency) that are not known or cannot be read."""

def apply(name: str, x: _Floats, y: _Floats | None = None) -> _Floats:
    """Apply one operator to arrays, element by element."""

def column_sets(
    columns: _Floats, cost: _Floats, target: _Floats, beam: tuple[int, int, float]
) -> list[tuple[float, float, list[int]]]:
    """Sets of columns (lines of a matrix, of length one) whose sums come closest to a target of length one, smallest first: what
    each leaves of it, squared, what it costs, its members. `beam` is (width, largest, exact): the best `width` of
    a size are carried on to the next one, up to `largest`, unless one leaves less than `exact`."""

def loss_rows(loss: tuple[str, list[float]], y: _Floats, p: _Floats) -> list[_Floats]:
    """A loss by name with its numbers on every row, three arrays: what a prediction costs, and weight and response of the squared
    error that looks like it there."""

def loss_constant(loss: tuple[str, list[float]], y: _Floats, weights: _Floats) -> float:
    """The constant of least loss."""

def sweep(individuals: list[Individual], data: Dataset, workers: Workers) -> int:
    """Evaluate every gene on every row, keeping nothing; the number of node evaluations (for benchmarks)."""

@final
class Workers:
    """Threads of a run. Native calls end early at the deadline and on Ctrl-C; `processor`: a deadline counts processor time."""

    def __new__(cls, n_jobs: int, processor: bool = False) -> Workers: ...
    @property
    def n_jobs(self) -> int:
        """Number of threads."""

    def set_deadline(self, seconds: float | None) -> None:
        """From now on native calls return within a moment after this many seconds; None for no limit."""

    def part(self, n_jobs: int) -> Workers:
        """Threads of their own for calls that run beside others, with the same deadline."""

    def call(self, function: Callable[[], _T]) -> _T:
        """Call a function on one of the threads; its native calls on these workers stay there."""

    def watch(self) -> float | None:
        """Seconds to the deadline, None without one; at 0.0 native calls of a function that runs on these threads are told."""

    def give_up(self) -> None:
        """Native calls that run end within a moment and raise, later ones raise at once: nobody waits for their results."""

@final
class Dataset:
    """Training rows: features (rows × columns), target, optional row weights. Checked once."""

    def __new__(
        cls,
        x: _Floats,
        y: _Floats,
        weights: _Floats | None = None,
        fixed: _Floats | None = None,
        count: int | None = None,
        loss: tuple[str, list[float]] | Any | None = None,
        shifted: list[bool] | None = None,
    ) -> Dataset:
        """`fixed` are columns that every model has for free: they are projected out of the target and of every gene.
        `count` is the number of different rows, by which criteria measure the price of a parameter. `loss` is what is minimised:
        a name with its numbers, or an object with `total(y, weights, p)`, `working(y, weights, p)` and `constant(y, weights)`;
        squared error where it is None. With `shifted`, complexity is the size of the printed formula, in which the features so
        marked are (x - mean)/scale."""
    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def count(self) -> int:
        """Number of different rows, where it was given."""

    @property
    def n_features(self) -> int:
        """Number of features."""

@final
class Individual:
    """A model on its own: y = intercept + Σ coefficient·gene. Immutable; pickles without loss."""

    def __new__(cls, genes: list[str], intercept: float, coefficients: list[float]) -> Individual: ...
    @staticmethod
    def restore(state: bytes) -> Individual:
        """The model of a `state`; a ValueError for bytes that are none."""

    def predict(self, x: _Floats) -> _Floats:
        """Prediction for every row."""

    def gene_values(self, x: _Floats) -> _Floats:
        """Value of every gene for every row: rows × genes."""

    def fit(self, data: Dataset) -> Individual:
        """The same genes with outer coefficients fitted to these rows."""

    def refine(self, data: Dataset, refinement: Any) -> Individual:
        """All inner weights tuned by Levenberg-Marquardt, outer coefficients fitted (`refinement`:
        `multigene.settings.Refinement`)."""

    def in_original_units(self, means: list[float], scales: list[float]) -> Individual:
        """The same model in terms of x, where it was evolved on (x - mean) / scale."""

    def printed_size(self, shifted: list[bool] | None = None) -> int:
        """Nodes of the SymPy tree of the printed formula; features marked in `shifted` are printed as (x - mean)/scale."""

    def range(self, low: list[float], high: list[float]) -> tuple[float, float]:
        """Outer bounds of the value over a box of features, by interval arithmetic; NaN where a pole cannot be excluded."""

    def gradient(self, data: Dataset) -> _Floats:
        """Derivatives of half the squared error of the standardised target by every inner weight, in order of the genes' text."""

    def tokens(self, gene: int) -> list[tuple[Any, ...]]:
        """A gene as postfix tokens: ("x", j), ("c", value), ("lcf", bias, [(j, w), …]), ("product", scale, [(j, w), …]),
        ("pow", n), (operator,), and ("weights", a, b) after a weighted inner node."""

    @property
    def genes(self) -> list[str]:
        """The genes as text. Places that share weights have weights of their own when it is read back."""

    @property
    def state(self) -> bytes:
        """All of the model, for `restore`."""

    @property
    def intercept(self) -> float:
        """c0."""

    @property
    def coefficients(self) -> list[float]:
        """c1 … ck."""

    @property
    def fitness(self) -> float:
        """Training R² when it was evaluated; NaN before."""

    @property
    def n_nodes(self) -> int:
        """Nodes of all genes; an LCF counts as one (the paper's count)."""

    @property
    def n_parameters(self) -> int:
        """Fitted numbers: intercept, coefficients, and inner weights that are not zero."""

    @property
    def depth(self) -> int:
        """Largest depth of a gene."""

    @property
    def lcf_share(self) -> float:
        """Share of LCFs among leaves that are not constants."""

    @property
    def complexity(self) -> int:
        """Nodes of the printed formula."""

@final
class Population:
    """One generation and its verbs, each on all individuals in parallel."""

    @staticmethod
    def grow(genes: Any, n_features: int, seeds: list[int], workers: Workers) -> Population:
        """The initial population, one individual per seed (`genes`: `multigene.settings.Genes`)."""

    @staticmethod
    def of(individuals: list[Individual], genes: Any, n_features: int, workers: Workers) -> Population:
        """A population of given models."""

    def tune(self, data: Dataset, tuning: Any) -> None:
        """Gradient steps on every individual (`tuning`: `multigene.settings.Tuning`)."""

    def tune_shared(self, data: Dataset, tuning: Any) -> None:
        """One gradient step of the LCFs that all individuals share (globally synchronised mode)."""

    def perturb_shared(self, sigma: float, seeds: list[int]) -> None:
        """For every seed, add N(0, σ) to all weights of the LCFs that all individuals share."""

    def evaluate(self, data: Dataset, selection: Any | None = None) -> tuple[_Floats, npt.NDArray[np.uint64]]:
        """Fit outer coefficients; fitness by the criterion of a `multigene.settings.Selection`, R² without one (−inf for unfit
        individuals) and complexity of every individual."""

    def refine(
        self,
        data: Dataset,
        refinement: Any,
        selection: Any,
        race: float | None,
        seeds: list[int],
    ) -> int:
        """Levenberg-Marquardt on the individuals that changed; those below fitness `race` after a step are given up.
        Returns the number of evaluations."""

    def diversify(self, variation: Any, seeds: list[int]) -> None:
        """Replace individuals whose structure an earlier one has already by mutants of theirs."""

    def plant(self, models: list[Individual], first: int) -> None:
        """Put given models into the slots from `first` on."""

    def forget(self) -> None:
        """Forget what was computed on other rows."""

    def peaks(self) -> _Floats:
        """Best R² of every individual during its last tuning; what `model` returns has it."""

    def breed(
        self, parents: npt.NDArray[np.uint64], elites: list[int], variation: Any, seeds: list[int]
    ) -> Population:
        """The next generation: elites, then one offspring per pair of parents (`variation`: `multigene.settings.Variation`)."""

    def neighbours(self, index: int, seed: int, first: int, number: int) -> Population:
        """Models that differ from an individual in one place (another function, a subtree in place of a node, f(x) in place of
        a subtree of x alone, a gene less), in an order drawn by the seed: `number` of them at most, from `first` on."""

    def model(self, index: int) -> Individual:
        """The model of one individual on its own, at the best weights of its last tuning."""

    def dump(self) -> bytes:
        """The whole state, for a checkpoint."""

    @staticmethod
    def restore(state: bytes, genes: Any, n_features: int, workers: Workers) -> Population:
        """A population from `dump`."""

    def __len__(self) -> int: ...

def polish(
    models: list[Individual],
    data: Dataset,
    refinement: Any,
    prices: Sequence[float],
    workers: Workers,
    fit_genes: bool = True,
) -> list[Individual]:
    """Models on their own: all genes of each tuned jointly (`refinement`: `multigene.settings.Refinement`), followed by shorter
    ones: at one of the `prices` after the other what does not pay for its place is left out, minimised is ln(1 - R²) + price ·
    printed nodes. Without `fit_genes` the genes are added as they are. In parallel."""

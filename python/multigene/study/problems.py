"""The problems of the study: the paper's fifteen, high-dimensional ones beyond it, and a base for users' own.

A problem is a tiny class: a name, where it comes from, and `sample(seed)`, which draws (artificial problems)
or splits (tables) anew for every seed, as section 4.3 of the paper asks. The same seed gives every method the
same rows. The registry maps names to classes; `own_problems.py` adds CSV files and Python classes of the
user.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from multigene.study import datasets, value_iteration
from multigene.study.errors import StudyError, unknown

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Split:
    """The rows of one run: what is learned from, what is tested on."""

    X_train: Array
    y_train: Array
    X_test: Array
    y_test: Array
    feature_names: tuple[str, ...]


class Problem(ABC):
    """A regression problem that can be sampled for any seed.

    Subclasses set `name`, `title` and `reference` and define `sample`. A problem that needs a file or the
    network overrides `prepare`, which is called once before a study starts, and holds what it read, so that
    worker processes need neither.
    """

    # Plain declarations for the type checker: dataclasses below must not see them as fields with defaults.
    name: str
    title: str
    reference: str
    reconstruction: ClassVar[bool] = False

    def prepare(self) -> None:
        """Gets what sampling needs; raises a `StudyError` that says what to do when it cannot be had."""
        return

    @abstractmethod
    def sample(self, seed: int) -> Split:
        """The training and testing rows of this seed."""

    def specification(self) -> dict[str, str]:
        """What identifies the problem in a store: two problems of one name and other specifications never
        mix.
        """
        return {"class": f"{type(self).__module__}:{type(self).__qualname__}"}

    def generator(self, seed: int) -> np.random.Generator:
        """The random generator of this problem and seed: streams of different problems are independent."""
        return np.random.default_rng([zlib.crc32(self.name.encode()), seed])


REGISTRY: dict[str, Callable[[], Problem]] = {}
PAPER: list[str] = []
REALISTIC = ("K11C", "UB5D", "ASN", "CCS", "ENC", "ENH", "SU", "SU-I", "MM")


def register(problem: Callable[[], Problem], name: str, paper: bool = False) -> None:
    """Makes a problem known by name."""
    REGISTRY[name] = problem
    if paper:
        PAPER.append(name)


def problem_named(name: str, data_directory: str | Path | None = None) -> Problem:
    """The registered problem of this name; `data_directory` holds local copies of the UCI tables."""
    by_folded = {known.casefold(): known for known in REGISTRY}
    if name.casefold() not in by_folded:
        raise unknown("problem", name, REGISTRY)
    problem = REGISTRY[by_folded[name.casefold()]]()
    if isinstance(problem, UciTable):
        problem.directory = data_directory
    return problem


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x), without overflow for large negative x."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))


def rotation(dimensions: int, first_pair_first: bool = False) -> Array:
    """The rotation by pi/4 in all pairs of axes.

    R = G(0,1) G(0,2) ... G(0,D-1) G(1,2) ... G(D-2,D-1), the Givens rotations by pi/4 of all pairs i < j,
    multiplied from left to right in lexicographic order; x is mapped to R x, so the last pair turns first.
    The paper does not say the order; `first_pair_first` takes the other one, in which all variables of the
    rotated sigmoid matter more evenly.
    """
    matrix = np.eye(dimensions)
    half = np.sqrt(0.5)
    pairs = [(i, j) for i in range(dimensions) for j in range(i + 1, dimensions)]
    for i, j in reversed(pairs) if first_pair_first else pairs:
        first, second = matrix[:, i].copy(), matrix[:, j].copy()
        matrix[:, i] = half * (first + second)
        matrix[:, j] = half * (second - first)
    return matrix


def _names(dimensions: int) -> tuple[str, ...]:
    return tuple(f"x{i + 1}" for i in range(dimensions))


@dataclass(frozen=True)
class Artificial(Problem):
    """A known function on a box, both sets sampled uniformly from it."""

    name: str
    title: str
    reference: str
    function: Callable[[Array], Array]
    dimensions: int
    low: float
    high: float
    n_train: int
    n_test: int

    def sample(self, seed: int) -> Split:
        rng = self.generator(seed)
        X_train = rng.uniform(self.low, self.high, (self.n_train, self.dimensions))
        X_test = self.testing_points(rng)
        return Split(X_train, self.function(X_train), X_test, self.function(X_test), _names(self.dimensions))

    def testing_points(self, rng: np.random.Generator) -> Array:
        """Where the model is tested: uniform samples of the same box."""
        return rng.uniform(self.low, self.high, (self.n_test, self.dimensions))


@dataclass(frozen=True)
class GridTested(Artificial):
    """An artificial problem tested on a regular grid over its box instead of random points."""

    spacing: float = 0.01

    def testing_points(self, rng: np.random.Generator) -> Array:
        nodes = np.linspace(self.low, self.high, round((self.high - self.low) / self.spacing) + 1)
        return np.column_stack(
            [axis.ravel() for axis in np.meshgrid(*[nodes] * self.dimensions, indexing="ij")]
        )


def _first_sigmoid(X: Array) -> Array:
    return sigmoid(X[:, 0])


def _rotated_sigmoid(X: Array) -> Array:
    return sigmoid(X @ rotation(X.shape[1])[0])


def _rotated_sigmoid_other_order(X: Array) -> Array:
    return sigmoid(X @ rotation(X.shape[1], first_pair_first=True)[0])


def _k11c(X: Array) -> Array:
    x1, x2 = X[:, 0], X[:, 1]
    return np.asarray(
        (27.22 * x1 - 4.54) * (-0.39 * x2) + 11.46 * np.sin((0.21 * x1 - 1) * (x2 + 16.6) + 1.97)
    )


def _unwrapped_ball(X: Array) -> Array:
    return np.asarray(10 / (5 + np.sum((X - 3) ** 2, axis=1)))


def _sparse_rotated(X: Array) -> Array:
    """Three rotated directions of five variables spread over the whole width; the other variables are noise."""
    relevant = np.linspace(0, X.shape[1] - 1, 5).round().astype(int)
    u = X[:, relevant] @ rotation(5).T
    return np.asarray(sigmoid(u[:, 0]) + np.exp(-((u[:, 1] / 5) ** 2)) + 0.05 * u[:, 2])


def toy(
    name: str, title: str, reference: str, function: Callable[[Array], Array], dimensions: int
) -> Artificial:
    """A problem sampled like the paper's toys: [-10, 10]^D, 100 D training and 250 D testing rows."""
    return Artificial(
        name, title, reference, function, dimensions, -10.0, 10.0, 100 * dimensions, 250 * dimensions
    )


class Tabulated(Problem):
    """A table of rows, split at random into 70 % training and 30 % testing for each seed."""

    training_share = 0.7

    @abstractmethod
    def rows(self) -> tuple[Array, Array, tuple[str, ...]]:
        """All rows of the table: features, target, names of the features."""

    def sample(self, seed: int) -> Split:
        X, y, names = self.rows()
        order = self.generator(seed).permutation(len(y))
        n_train = round(self.training_share * len(y))
        train, test = order[:n_train], order[n_train:]
        return Split(X[train], y[train], X[test], y[test], names)


class Loaded(Tabulated):
    """A table that `prepare` loads when its rows are first asked for."""

    _rows: tuple[Array, Array, tuple[str, ...]] | None = None

    def rows(self) -> tuple[Array, Array, tuple[str, ...]]:
        if self._rows is None:
            self.prepare()
        assert self._rows is not None
        return self._rows


class UciTable(Loaded):
    """A target of a table of the UCI repository (see `datasets.py`)."""

    def __init__(self, name: str, title: str, table: datasets.Table, target: str) -> None:
        self.name, self.title, self.table, self.target = name, title, table, target
        self.reference = f"paper, section 4.3; UCI {table.title}, {table.page}"
        self.directory: str | Path | None = None

    def prepare(self) -> None:
        frame = datasets.load(self.table, self.directory)
        features = list(self.table.features)
        self._rows = frame[features].to_numpy(), frame[self.target].to_numpy(), self.table.features


class ReconstructedValueFunction(Tabulated):
    """A value function computed by fuzzy value iteration: a stand-in for a table of the paper that is not
    public.
    """

    reconstruction = True

    def __init__(
        self,
        name: str,
        title: str,
        compute: Callable[[], value_iteration.ValueFunction],
        names: tuple[str, ...],
    ) -> None:
        self.name, self.title, self.compute, self.names = name, f"{title} (reconstruction)", compute, names
        self.reference = (
            "paper, section 4.3; computed by multigene.study.value_iteration, the paper's table is not public"
        )

    def rows(self) -> tuple[Array, Array, tuple[str, ...]]:
        table = self.compute().table()
        return table[:, :2], table[:, 2], self.names


def _register_those_of_the_paper() -> None:
    for dimensions in (2, 5, 10):
        where = "paper, section 4.3, toy problems"
        for prefix, title, function in (
            ("S", "sigmoid of the first of {} variables", _first_sigmoid),
            ("RS", "sigmoid rotated in all pairs of {} axes", _rotated_sigmoid),
        ):
            made = toy(f"{prefix}{dimensions}D", title.format(dimensions), where, function, dimensions)
            register(lambda made=made: made, made.name, paper=True)  # type: ignore[misc]
    k11c = GridTested(
        "K11C", "Keijzer 11 with coefficients", "paper, section 4.3", _k11c, 2, -3.0, 3.0, 500, 601**2
    )
    ub5d = Artificial(
        "UB5D",
        "unwrapped ball in 5 variables",
        "paper, section 4.3",
        _unwrapped_ball,
        5,
        -0.25,
        6.35,
        1024,
        5000,
    )
    register(lambda: k11c, "K11C", paper=True)
    register(lambda: ub5d, "UB5D", paper=True)
    for name, title, table, target in (
        ("ASN", "airfoil self-noise", datasets.AIRFOIL, "scaled_sound_pressure_level_db"),
        ("CCS", "concrete compressive strength", datasets.CONCRETE, "compressive_strength_mpa"),
        ("ENC", "energy efficiency, cooling load", datasets.ENERGY, "cooling_load"),
        ("ENH", "energy efficiency, heating load", datasets.ENERGY, "heating_load"),
    ):
        register(lambda a=(name, title, table, target): UciTable(*a), name, paper=True)  # type: ignore[misc]
    pendulum_names, ball_names = ("angle_rad", "velocity_rad_s"), ("position_m", "velocity_m_s")
    for value in (
        ReconstructedValueFunction("SU", "pendulum swing-up", value_iteration.pendulum, pendulum_names),
        ReconstructedValueFunction(
            "SU-I", "pendulum swing-up, angle shifted", value_iteration.shifted_pendulum, pendulum_names
        ),
        ReconstructedValueFunction(
            "MM", "magnetic manipulation with two coils", value_iteration.magnetic_manipulation, ball_names
        ),
    ):
        register(lambda value=value: value, value.name, paper=True)  # type: ignore[misc]


def _register_others() -> None:
    for dimensions in (2, 5, 10):
        made = toy(
            f"RS{dimensions}D-other",
            f"sigmoid rotated in all pairs of {dimensions} axes, in the other order of pairs",
            "paper, section 4.3, toy problems: the order that it does not say",
            _rotated_sigmoid_other_order,
            dimensions,
        )
        register(lambda made=made: made, made.name)  # type: ignore[misc]
    for dimensions in (20, 50, 100):
        beyond = "beyond the paper: its future work, high dimensions"
        for name, title, function in (
            (f"RS{dimensions}D", f"sigmoid rotated in all pairs of {dimensions} axes", _rotated_sigmoid),
            (f"SPR{dimensions}D", f"sparse rotated function, 5 of {dimensions} variables", _sparse_rotated),
        ):
            made = toy(name, title, beyond, function, dimensions)
            register(lambda made=made: made, made.name)  # type: ignore[misc]


_register_those_of_the_paper()
_register_others()


def check_split(problem: Problem, split: Split) -> None:
    """Refuses rows that no method could use, with a sentence (a user's own problem may hold anything)."""
    for part, X, y in (("training", split.X_train, split.y_train), ("testing", split.X_test, split.y_test)):
        if X.ndim != 2 or y.shape != (X.shape[0],) or not len(y):
            raise StudyError(
                f"problem {problem.name!r} gives {part} rows of the shapes {X.shape} and {y.shape}; "
                "a table (rows, features) and one target per row are needed, and at least one row"
            )
        if X.shape[1] != len(split.feature_names):
            raise StudyError(
                f"problem {problem.name!r} names {len(split.feature_names)} features but has {X.shape[1]}"
            )
        if not (np.all(np.isfinite(X)) and np.all(np.isfinite(y))):
            raise StudyError(
                f"problem {problem.name!r} has missing or infinite values in its {part} rows; remove them"
            )

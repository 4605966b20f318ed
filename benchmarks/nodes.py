"""Node evaluations per second: the bare forward sweep of the engine (f64) beside pyoperon's (f32).

Both evaluate the same random trees on the same rows, node for node; leaves count as nodes. The processor time of the
process is measured rather than the wall clock, so that other work on the machine disturbs less; only the gain by a
second thread needs the wall clock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from multigene._engine import Dataset, Individual, Workers, sweep

UNARY = ("sin", "cos", "exp", "tanh", "square")
BINARY = {"add": "+", "sub": "-", "mul": "*"}
N_FEATURES = 5
N_TREES = 200
SMALLEST, LARGEST = 5, 40
CONSTANT_SHARE = 0.1
ROWS = (500, 5_000, 50_000)
#: Smallest ratios to pyoperon that the project promises.
REQUIRED = {500: 1.5, 5_000: 1.2, 50_000: 1.2}
REPEATS = 15
#: Node evaluations per measurement: long enough for the clock, short enough to alternate often.
WORK = 3e8


@dataclass(frozen=True)
class Tree:
    """A node: an operator with its children, a feature number, or a constant."""

    head: str | int | float
    children: tuple[Tree, ...] = ()

    def text(self) -> str:
        """The formula as multigene reads it."""
        if isinstance(self.head, float):
            return f"({self.head!r})"
        if isinstance(self.head, int):
            return f"x{self.head}"
        arguments = [child.text() for child in self.children]
        if self.head in BINARY:
            return f"({arguments[0]} {BINARY[self.head]} {arguments[1]})"
        return f"{self.head}({arguments[0]})"

    def size(self) -> int:
        """Number of nodes, leaves included."""
        return 1 + sum(child.size() for child in self.children)


def grow(size: int, rng: np.random.Generator) -> Tree:
    """A random tree of exactly `size` nodes; operators are drawn uniformly."""
    if size == 1:
        if rng.random() < CONSTANT_SHARE:
            return Tree(float(rng.uniform(-10, 10)))
        return Tree(int(rng.integers(N_FEATURES)))
    names = UNARY if size == 2 else (*UNARY, *BINARY)
    name = names[rng.integers(len(names))]
    if name in UNARY:
        return Tree(name, (grow(size - 1, rng),))
    left = int(rng.integers(1, size - 1))
    return Tree(name, (grow(left, rng), grow(size - 1 - left, rng)))


def engine_sweep(trees: list[Tree], x: NDArray[np.float64], n_threads: int) -> Callable[[], object]:
    """One sweep of all trees by multigene."""
    individuals = [Individual([tree.text()], 0.0, [1.0]) for tree in trees]
    counted, expected = [i.n_nodes for i in individuals], [tree.size() for tree in trees]
    if counted != expected:
        raise AssertionError("multigene counts other nodes than the generator.")
    data, workers = Dataset(x, x[:, 0].copy()), Workers(n_threads)
    return lambda: sweep(individuals, data, workers)


def pyoperon_sweep(trees: list[Tree], x: NDArray[np.float64], n_threads: int) -> Callable[[], object]:
    """One sweep of all trees by pyoperon."""
    import pyoperon as op

    columns = np.asfortranarray(x, dtype=np.float32)
    data = op.Dataset(columns)
    hashes = {int(v.Name[1:]) - 1: v.Hash for v in data.Variables}

    def nodes(tree: Tree) -> list[object]:
        if isinstance(tree.head, float):
            return [op.Node.Constant(tree.head)]
        if isinstance(tree.head, int):
            variable = op.Node(op.NodeType.Variable, hashes[tree.head])
            variable.Value = 1.0
            return [variable]
        # pyoperon's lists are postfix with the first argument next to its parent.
        below = [node for child in reversed(tree.children) for node in nodes(child)]
        return [*below, op.Node(getattr(op.NodeType, tree.head.capitalize()))]

    theirs = [op.Tree(nodes(tree)).UpdateNodes() for tree in trees]
    if [tree.Length for tree in theirs] != [tree.size() for tree in trees]:
        raise AssertionError("pyoperon counts other nodes than the generator.")
    rows, result = op.Range(0, len(x)), np.zeros((len(trees), len(x)), dtype=np.float32)

    def evaluate(_viewed: object = columns) -> NDArray[np.float32]:  # pyoperon's data set is a view of it
        op.EvaluateTrees(theirs, data, rows, result.reshape(-1), n_threads)
        return result

    check_agreement(trees, x, evaluate())
    return evaluate


def check_agreement(trees: list[Tree], x: NDArray[np.float64], theirs: NDArray[np.float32]) -> None:
    """Both must compute the same, as far as single precision goes: most trees to three digits in most rows."""
    agree = []
    for tree, their in zip(trees, theirs, strict=True):
        with np.errstate(all="ignore"):
            ours = Individual([tree.text()], 0.0, [1.0]).gene_values(x)[:, 0]
            finite = np.isfinite(ours) & np.isfinite(their)
            error = np.abs(ours - their)[finite] / (1e-3 + np.abs(ours[finite]))
        agree.append(not finite.any() or bool(np.median(error) < 1e-3))
    if np.mean(agree) < 0.9:
        raise AssertionError(f"Only {np.mean(agree):.0%} of the trees have the same values in both programs.")


def rates(
    sweeps: list[Callable[[], object]], evaluations: int, clock: Callable[[], float]
) -> NDArray[np.float64]:
    """Node evaluations per second, one row per repeat and one column per sweep; the sweeps take turns."""
    times = max(1, round(WORK / evaluations))
    result = np.empty((REPEATS, len(sweeps)))
    for each in sweeps:
        each()
    for repeat in range(REPEATS):
        for k, each in enumerate(sweeps):
            start = clock()
            for _ in range(times):
                each()
            result[repeat, k] = times * evaluations / (clock() - start)
    return result


def run(seed: int = 0) -> Table:
    """Measure all numbers of rows; the table has the rates, their ratio and what is required."""
    rng = np.random.default_rng(seed)
    trees = [grow(int(rng.integers(SMALLEST, LARGEST + 1)), rng) for _ in range(N_TREES)]
    n_nodes = sum(tree.size() for tree in trees)
    table = Table(title=f"Node evaluations: {N_TREES} random trees of {SMALLEST} to {LARGEST} nodes, one thread")
    for heading in ("rows", "multigene f64, 10⁹/s", "pyoperon f32, 10⁹/s", "ratio", "required", "2 threads / 1"):
        table.add_column(heading, justify="right")
    for n_rows in ROWS:
        x = rng.uniform(-1, 1, (n_rows, N_FEATURES))
        pair = [engine_sweep(trees, x, 1), pyoperon_sweep(trees, x, 1)]
        rate = rates(pair, n_nodes * n_rows, time.process_time)
        threads = "(one core)"
        if (os.cpu_count() or 1) > 1:
            pair = [engine_sweep(trees, x, 2), engine_sweep(trees, x, 1)]
            gain = rates(pair, n_nodes * n_rows, time.perf_counter)
            threads = f"{median(gain[:, 0] / gain[:, 1]):.2f}"
        table.add_row(
            f"{n_rows:,}",
            *(f"{median(column) / 1e9:.2f}" for column in rate.T),
            f"{median(rate[:, 0] / rate[:, 1]):.2f}",
            f"{REQUIRED[n_rows]:.1f}",
            threads,
        )
    return table

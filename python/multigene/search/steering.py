"""Steering: what a user decides while the default search runs, taken up between two rounds without a restart.

A callback asks for it, `progress.steer("ban", "x3")`, and the run hands it to the search when the callback has returned:

| action | value | what the search does |
|---|---|---|
| `offer` | a formula as text | fits it, offers it to the front and sends it to an island to be bred from |
| `pin` | a formula as text | the same, and always lists it among the results |
| `ban` | a column or a function | lets nothing with it into the front, and builds nothing with it any more |
| `price` | a number from 0 on | what a node costs in the fitness that islands select by; 0 is the search's own fitness |
| `stop` | None | ends the run |

A checkpoint holds what was steered, and a resumed run goes on with it: `packed` and `restore`.

`Script` is a callback that steers a run as another one was steered: with a limit by generations it gives the same front.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from multigene._engine import Individual
from multigene.evolution import checkpoint
from multigene.expression.engine_text import engine_text
from multigene.expression.genes import gene_expression
from multigene.expression.rewriting import simplify
from multigene.expression.tree import Number, substitute
from multigene.search.linear import linear_models
from multigene.search.progress import Progress
from multigene.search.short import as_emigrant
from multigene.search.state import SearchState, law_search
from multigene.search.task import Task
from multigene.search.typed_formula import read_formula
from multigene.settings.settings import Settings


class Steered(Protocol):
    """What steering changes of a search (`searcher.py`)."""

    task: Task
    state: SearchState
    original: Settings
    pinned: list[Individual]


ACTIONS = ("offer", "pin", "ban", "price", "stop")


class Script:
    """A callback that steers: (step, action, value) for every action, steps of the callback counted from 1."""

    def __init__(self, actions: Sequence[tuple[int, str, Any]]) -> None:
        for _, action, _ in actions:
            check_action(action)
        self.actions, self.step = list(actions), 0

    def __call__(self, progress: Progress) -> bool:
        self.step += 1
        mine = [(action, value) for step, action, value in self.actions if step == self.step]
        for action, value in mine:
            if action != "stop":
                progress.steer(action, value)
        return any(action == "stop" for action, _ in mine)


def check_action(action: str) -> None:
    """A `ValueError` for what is no action."""
    if action not in ACTIONS:
        raise ValueError(f"{action!r} is no action; the actions are {', '.join(ACTIONS)}.")


def check(action: str, value: Any, names: Sequence[str], settings: Settings) -> None:
    """A `ValueError` that says what is wrong with an action; nothing is done."""
    check_action(action)
    if action in ("offer", "pin"):
        read_formula(value, names)
    elif action == "ban":
        functions = [entry[0] for entry in settings.genes.functions]
        if value not in names and value not in functions:
            raise ValueError(f"{value!r} is neither a column nor a function of this search.")
        if value in names and len(names) == 1:
            raise ValueError(
                f"{value!r} is the only column; without it there is nothing to build formulas of."
            )
    elif action == "price" and (
        isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < math.inf
    ):
        raise ValueError(f"price {value!r} is not a number from 0 on.")


def steer(searcher: Steered, action: str, value: Any, names: Sequence[str]) -> None:
    """Do what was asked; the search goes on from where it stands."""
    check(action, value, names, searcher.original)
    if action in ("offer", "pin"):
        _offer(searcher, read_formula(value, names), pinned=action == "pin")
    elif action == "ban":
        _ban(searcher, value, names)
    elif action == "price":
        settings = replace(searcher.task.settings, selection=searcher.original.selection)
        searcher.task.settings = _priced(settings, float(value)) if value > 0.0 else settings
        _go_on(searcher)


def packed(searcher: Steered) -> dict[str, Any]:
    """What was steered so far as plain values: the state of a search belongs to it."""
    selection = searcher.task.settings.selection
    return {
        "columns": sorted(searcher.task.bans.columns),
        "functions": sorted(searcher.task.bans.functions),
        "price": None if selection == searcher.original.selection else selection.node_price,
        "pinned": [checkpoint.packed_model(each) for each in searcher.pinned],
    }


def restore(searcher: Steered, saved: dict[str, Any]) -> None:
    """Steer a search that has no state yet as `packed` says."""
    task = searcher.task
    try:
        for place in saved["columns"]:
            _ban_column(task, place)
        for name in saved["functions"]:
            _ban_function(task, name)
        if saved["price"] is not None:
            task.settings = _priced(task.settings, float(saved["price"]))
        searcher.pinned.extend(checkpoint.model(each) for each in saved["pinned"])
    except (IndexError, KeyError, TypeError, ValueError):
        raise ValueError(checkpoint.DAMAGED) from None


def _priced(settings: Settings, price: float) -> Settings:
    return replace(settings, selection=replace(settings.selection, criterion="compact", node_price=price))


def _offer(searcher: Steered, individual: Individual, pinned: bool) -> None:
    task, islands = searcher.task, searcher.state.islands
    model = as_emigrant(individual, task.problem).fit(islands.data)
    if not np.isfinite(model.fitness):
        return
    islands.offer([model])
    for island in islands.large[:1]:
        island.immigrants.append(model)
    if pinned:
        searcher.pinned.append(individual)


def _ban_column(task: Task, place: int) -> None:
    task.bans.columns.add(place)
    # A column without values of its own has nothing to offer: populations turn away from it by themselves.
    X = task.problem.X.copy()
    X[:, place] = task.problem.scaling.means[place]
    task.problem = replace(task.problem, X=X)


def _ban_function(task: Task, name: str) -> None:
    task.bans.functions.add(name)
    genes = task.settings.genes
    kept = tuple(entry for entry in genes.functions if entry[0] != name)
    task.settings = replace(task.settings, genes=replace(genes, functions=kept))


def _ban(searcher: Steered, value: str, names: Sequence[str]) -> None:
    task, state = searcher.task, searcher.state
    relatives: list[Individual] = []
    if value in names:
        place = list(names).index(value)
        _ban_column(task, place)
        relatives = _without_column(searcher, place)
    else:
        _ban_function(task, value)
    laws = state.laws
    state.laws = law_search(task, state.rng)
    if state.phase != "seek":
        state.laws.islands_begin()
    if laws.law is not None and task.bans.allow(laws.law.individual):
        state.laws.keep_law_of(laws)
    _go_on(searcher)
    for i, model in enumerate(relatives):
        fitted = model.fit(state.islands.data)
        state.islands.offer([fitted])
        large = state.islands.large
        if large and np.isfinite(fitted.fitness):
            large[i % len(large)].immigrants.append(fitted)


def _without_column(searcher: Steered, place: int) -> list[Individual]:
    """Models of the front that use a column with its mean in its stead: what they have found otherwise is not lost."""
    found = []
    for candidate in searcher.state.islands.front:
        model = candidate.individual
        try:
            genes = [
                engine_text(simplify(substitute(gene_expression(model, gene), {place: Number(0.0)})))
                for gene, coefficient in enumerate(model.coefficients)
                if coefficient != 0.0
            ]
            found.append(Individual(genes or ["0.0"], 0.0, [1.0] * max(1, len(genes))))
        except ValueError:  # a form that the engine's notation does not have, or no finite number
            continue
    return found


def _go_on(searcher: Steered) -> None:
    """The islands go on with other settings or rows; what the front has and may keep stays in it."""
    task, state = searcher.task, searcher.state
    islands = state.islands
    rows = task.problem.finish_rows if state.phase == "finish" else task.problem.search_rows
    islands.move(None if state.complete else rows, np.inf, 0)
    if task.options.linear:
        islands.linear = linear_models(task.problem, islands.data)
        islands.offer(islands.linear)

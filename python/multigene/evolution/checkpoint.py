"""Stop and resume: the state of a run after a generation, as bytes or in a file written at once or not at all.

A resumed run goes on exactly as the undisturbed one would have: population with its step memory, front, random generator and
counters are all part of the state. Checkpoints hold data, not code, but are meant for the machine that wrote them; models for
sharing are saved by `model_file.py`.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual, Population, Workers
from multigene.evolution.loop import Generation
from multigene.evolution.pareto import Candidate, ParetoFront
from multigene.settings.settings import Settings, Stopping

FORMAT = "multigene-checkpoint"
VERSION = 5
Floats = npt.NDArray[np.float64]
DAMAGED = "The checkpoint is damaged; delete it to start the run anew."
#: What values that no run has written may raise where they are put to use.
UNUSABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def fingerprint_of(
    settings: Settings, X: Floats, y: Floats, weights: Floats | None, seed: Any, stated: Any
) -> str:
    """Identifies the run that a state belongs to: data, settings, seed, and what else the user stated (units, a loss).

    Limits are not part of it, since a run may go on with others, nor is a seed that is not a number: it changes when it is used.
    """
    number = int(seed) if isinstance(seed, int | np.integer) else None
    parts = replace(settings, stopping=Stopping()), X.shape, number, stated
    digest = sha256(repr(parts).encode())
    for array in (X, y, weights):
        digest.update(b"none" if array is None else np.ascontiguousarray(array).data)
    return digest.hexdigest()


def dump(state: dict[str, Any], fingerprint: str, history: list[dict[str, Any]]) -> bytes:
    """A state as bytes. `fingerprint` tells which data and settings it belongs to."""
    head = {"format": FORMAT, "version": VERSION, "fingerprint": fingerprint, "history": history}
    content = head | state
    return json.dumps(content | {"digest": _digest(content)}).encode()


def _digest(content: dict[str, Any]) -> str:
    """Changes with every value: where it is right, all of a state is as it was written."""
    return sha256(json.dumps(content).encode()).hexdigest()


def load(state: bytes, fingerprint: str) -> dict[str, Any]:
    """The state of a run of these data and settings."""
    try:
        saved = json.loads(state)
    except (ValueError, RecursionError):
        raise ValueError(DAMAGED) from None
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise ValueError("The file is not a checkpoint of multigene; give another file name.")
    if saved.get("version") != VERSION:
        raise ValueError(
            f"The checkpoint has version {saved.get('version')}, this program reads version {VERSION}."
        )
    if saved.get("fingerprint") != fingerprint:
        raise ValueError(
            "The state to continue from belongs to other data, settings or random_state; "
            "delete the checkpoint or give another file name (with warm_start: fit a fresh estimator)."
        )
    if saved.pop("digest", None) != _digest(saved):
        raise ValueError(DAMAGED)
    return saved


def packed(generation: Generation) -> dict[str, Any]:
    """A generation as plain values, without loss."""
    population = generation.population.dump()
    return {
        "number": generation.number,
        "evaluations": generation.evaluations,
        "fitness": [f.hex() for f in generation.fitness.tolist()],
        "complexity": generation.complexity.tolist(),
        "rng": generation.random_state,
        "population": b64encode(population).decode("ascii"),
        "front": packed_front(generation.front),
        "refused": [(fitness.hex(), complexity) for fitness, complexity in generation.front.refused],
    }


def packed_front(front: Iterable[Candidate]) -> list[Any]:
    """Models of a front as plain values, without loss."""
    return [(packed_model(m.individual), m.fitness.hex(), m.complexity) for m in front]


def packed_model(individual: Individual) -> str:
    """One model as text, without loss: weights that several places share, and what tuning remembers, included."""
    return b64encode(individual.state).decode("ascii")


def model(saved: str) -> Individual:
    """The model that `packed_model` has made a text of."""
    return Individual.restore(b64decode(saved))


def fill_front(front: ParetoFront, saved: list[Any]) -> ParetoFront:
    """Put saved models into a front."""
    for packed, fitness, complexity in saved:
        front.add(model(packed), float.fromhex(fitness), int(complexity))
    return front


def generation(
    saved: dict[str, Any],
    settings: Settings,
    n_features: int,
    workers: Workers,
    front: ParetoFront | None = None,
) -> Generation:
    """A generation to continue from; `front` takes the place of its own."""
    try:
        content = b64decode(saved["population"])
        population = Population.restore(content, settings.genes, n_features, workers)
        if not 0 < len(population) == len(saved["fitness"]) == len(saved["complexity"]):
            raise ValueError(DAMAGED)
        front = fill_front(ParetoFront() if front is None else front, saved["front"])
        front.refused = {(float.fromhex(f), int(c)): None for f, c in saved["refused"]}
        return Generation(
            int(saved["number"]),
            front,
            np.array([float.fromhex(f) for f in saved["fitness"]]),
            np.array(saved["complexity"], dtype=np.uint64),
            int(saved["evaluations"]),
            population,
            random_state(saved["rng"]),
        )
    except UNUSABLE:
        raise ValueError(DAMAGED) from None


def random_state(saved: dict[str, Any]) -> dict[str, Any]:
    """The state of a random generator, once one has taken it."""
    np.random.default_rng(0).bit_generator.state = saved
    return saved


def history(saved: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records of a run's generations, with numbers of the right kinds."""
    kinds = {"generation": int, "seconds": float, "evaluations": int, "fitness": float, "complexity": int}
    return [{name: kind(record[name]) for name, kind in kinds.items()} for record in saved]

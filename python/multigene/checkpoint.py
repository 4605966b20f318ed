"""Stop and resume: the state of a run after a generation, as bytes or in a file written at once or not at
all.

A resumed run goes on exactly as the undisturbed one would have: population with its step memory, front,
random generator and counters are all part of the state. Checkpoints hold data, not code, but are meant for
the machine that wrote them; models for sharing are saved by `model_file.py`.
"""

from __future__ import annotations

import json
import os
import tempfile
from base64 import b64decode, b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from multigene._engine import Individual, Population, Workers
from multigene.evolution import Generation
from multigene.pareto import ParetoFront
from multigene.settings import Settings

FORMAT = "multigene-checkpoint"
VERSION = 1


def dump(generation: Generation, fingerprint: str, history: list[dict[str, Any]]) -> bytes:
    """The state after a generation. `fingerprint` tells which data and settings it belongs to."""
    population = generation.population.dump()
    state = {
        "format": FORMAT,
        "version": VERSION,
        "fingerprint": fingerprint,
        "number": generation.number,
        "evaluations": generation.evaluations,
        "fitness": [f.hex() for f in generation.fitness.tolist()],
        "complexity": generation.complexity.tolist(),
        "rng": generation.random_state,
        "population": b64encode(population).decode("ascii"),
        "digest": sha256(population).hexdigest(),
        "front": [
            (
                m.individual.genes,
                m.individual.intercept.hex(),
                [c.hex() for c in m.individual.coefficients],
                m.fitness.hex(),
                m.complexity,
            )
            for m in generation.front
        ],
        "history": history,
    }
    return json.dumps(state).encode()


def load(
    state: bytes, fingerprint: str, settings: Settings, n_features: int, workers: Workers
) -> tuple[Generation, list[dict[str, Any]]]:
    """A generation to continue from, and the history before it."""
    try:
        saved = json.loads(state)
    except ValueError:
        raise ValueError("The checkpoint is damaged; delete it to start the run anew.") from None
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
    try:
        return _generation(saved, settings, n_features, workers), list(saved["history"])
    except (KeyError, TypeError):
        raise ValueError("The checkpoint is damaged; delete it to start the run anew.") from None


def _generation(saved: dict[str, Any], settings: Settings, n_features: int, workers: Workers) -> Generation:
    front = ParetoFront()
    for genes, intercept, coefficients, fitness, complexity in saved["front"]:
        individual = Individual(genes, float.fromhex(intercept), [float.fromhex(c) for c in coefficients])
        front.add(individual, float.fromhex(fitness), int(complexity))
    content = b64decode(saved["population"])
    if sha256(content).hexdigest() != saved["digest"]:
        raise KeyError("population")
    population = Population.restore(content, settings.genes, n_features, workers)
    population_fitness = np.array([float.fromhex(f) for f in saved["fitness"]])
    complexity_array = np.array(saved["complexity"], dtype=np.uint64)
    return Generation(
        int(saved["number"]),
        front,
        population_fitness,
        complexity_array,
        int(saved["evaluations"]),
        population,
        saved["rng"],
    )


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that it is either the old one or the whole new one, even if the machine stops in
    between."""
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise

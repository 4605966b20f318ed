"""Does the program still do what it did? Fingerprints of fits limited by generations, kept in `fingerprints.json`.

A fingerprint is the text of the chosen formula and hashes of its predictions and of the whole front. Runs limited by generations
depend neither on the clock nor on the number of threads, so a change that is meant to leave the results alone leaves every
fingerprint as it is. They do depend on the machine's vector width and mathematical library to the last bit, so
they are compared on one machine, before and after a change, and not in the tests.

    python -m benchmarks fingerprints                         compares with fingerprints.json and names every difference
    FINGERPRINTS_WRITE=1 python -m benchmarks fingerprints    writes it anew
    FINGERPRINTS_NAMES=laws,units                             only cases whose name contains one of these
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_friedman1

from benchmarks.law_sets import DEVELOPMENT
from multigene import MultigeneClassifier, MultigeneRegressor, MultigeneTransformer
from multigene.settings import CODENAMES
from multigene.study import problem_named

Floats = npt.NDArray[np.float64]
FILE = Path(__file__).with_suffix(".json")
WRITE = os.environ.get("FINGERPRINTS_WRITE", "") not in ("", "0")
NAMES = [name for name in os.environ.get("FINGERPRINTS_NAMES", "").split(",") if name]


def hashed(values: Any) -> str:
    """A short hash of an array or a text."""
    raw = (
        values.encode()
        if isinstance(values, str)
        else np.ascontiguousarray(values, dtype=np.float64).tobytes()
    )
    return hashlib.sha256(raw).hexdigest()[:16]


def fitted(X: Any, y: Any, sample_weight: Any = None, **parameters: Any) -> dict[str, str]:
    """The fingerprint of one fit."""
    model = MultigeneRegressor(**{"random_state": 0, "n_jobs": 1} | parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, sample_weight)
    front = "\n".join(str(f) for f in model.equations_["formula"])
    return {
        "formula": str(model.formula_),
        "predictions": hashed(model.predict(X)),
        "front": hashed(front),
        "stopped_by": model.stopped_by_,
    }


def rows_of(name: str, seed: int = 0) -> tuple[Floats, Floats]:
    """Training rows of a problem of the study."""
    split = problem_named(name).sample(seed)
    return split.X_train, split.y_train


def friedman(rows: int, noise: float = 1.0, columns: int = 10) -> tuple[Floats, Floats]:
    """Friedman's first problem."""
    X, y = make_friedman1(rows, columns, noise=noise, random_state=rows)
    return X, y


def of_law(name: str, noise: float = 0.0, rows: int = 500) -> tuple[Floats, Floats]:
    """Rows of a law for development."""
    law = next(law for law in DEVELOPMENT if law.name == name)
    rng = np.random.default_rng(1)
    X, y = law.rows(rows, rng)
    return X, y + noise * y.std() * rng.standard_normal(rows)


def units_of(name: str) -> dict[str, str]:
    """Units of a law, under the names that an array's columns have."""
    law = next(law for law in DEVELOPMENT if law.name == name)
    assert law.units is not None
    names = {variable: f"x{j}" for j, variable in enumerate(law.ranges)}
    return {names.get(key, key): unit for key, unit in law.units.items()}


def classifier() -> dict[str, str]:
    """A classifier's probabilities."""
    X, y = load_breast_cancer(return_X_y=True)
    model = MultigeneClassifier(generations=5, random_state=0, n_jobs=1).fit(X, y)
    return {"predictions": hashed(model.predict_proba(X))}


def transformer() -> dict[str, str]:
    """A transformer's columns."""
    X, y = friedman(300)
    model = MultigeneTransformer(MultigeneRegressor("UB", generations=20, random_state=0, n_jobs=1)).fit(X, y)
    return {"predictions": hashed(model.transform(X))}


def asked() -> dict[str, str]:
    """A fitted model chosen otherwise, pruned and asked for intervals."""
    X, y = friedman(500)
    model = MultigeneRegressor(generations=20, random_state=0, n_jobs=1).fit(X, y)
    parts = {name: str(model.choose(name).formula_) for name in ("knee", "bic", "accuracy")}
    model.choose("default")
    parts["interval"] = hashed(np.column_stack(model.predict(X, interval=0.9)))
    model.prune(0.01)
    parts["pruned"] = str(model.formula_)
    return parts


def cases() -> Iterator[tuple[str, Callable[[], dict[str, str]]]]:
    """Every case with its name."""
    for problem in ("K11C", "UB5D", "RS5D"):
        for name in CODENAMES:
            X, y = rows_of(problem)
            yield (
                f"{name} {problem}",
                lambda X=X, y=y, name=name: fitted(X, y, configuration=name, generations=25),
            )
    for rows in (400, 1000, 3000, 30_000):
        few = 6 if rows > 10_000 else 16
        yield f"default friedman {rows}", lambda r=rows, g=few: fitted(*friedman(r), generations=g)
    yield "default K11C", lambda: fitted(*rows_of("K11C"), generations=12)
    yield "accuracy K11C", lambda: fitted(*rows_of("K11C"), generations=12, search="accuracy")
    yield "accuracy RS10D", lambda: fitted(*rows_of("RS10D"), generations=12, search="accuracy")
    yield "default seed 7", lambda: fitted(*friedman(600), generations=12, random_state=7)
    yield "default 2 threads", lambda: fitted(*friedman(600), generations=12, n_jobs=2)
    for name in (
        "newton",
        "relmass",
        "lens",
        "ideal",
        "lorentz",
        "planck",
        "nguyen5",
        "springs",
        "damped",
        "UB5D",
    ):
        yield f"laws default {name}", lambda name=name: fitted(*of_law(name), generations=4)
    for name in ("gauss", "distance", "vdw", "doppler"):
        yield f"laws only {name}", lambda name=name: fitted(*of_law(name), generations=8, search="laws")
    for name in ("newton", "doppler", "springs"):
        yield f"laws noise {name}", lambda name=name: fitted(*of_law(name, 0.01), generations=8)
    for rows in (12, 25, 45, 80, 150, 300):
        yield f"few rows {rows}", lambda rows=rows: fitted(*friedman(rows, 0.5, 5), generations=8)
    yield "few rows law", lambda: fitted(*of_law("ideal", 0.0, 30), generations=6)
    yield "few rows diabetes", lambda: fitted(*load_diabetes(return_X_y=True), generations=8)
    yield "few rows wine", lambda: fitted(*load_wine(return_X_y=True), generations=6)
    rng = np.random.default_rng(3)
    yield "weights default", lambda: fitted(*friedman(800), rng.uniform(0.5, 2.0, 800), generations=10)
    weights = np.random.default_rng(4).integers(0, 3, 500).astype(float)
    yield "weights UB", lambda: fitted(*rows_of("K11C"), weights, configuration="UB", generations=20)
    yield "weights few rows", lambda: fitted(*friedman(120, 0.5, 5), weights[:120], generations=6)
    yield "weights equal", lambda: fitted(*of_law("newton"), np.full(500, 3.0), generations=4)
    for name in ("relmass", "lens", "springs", "doppler"):
        yield f"units {name}", lambda name=name: fitted(*of_law(name), generations=6, units=units_of(name))
    yield (
        "units noise ideal",
        lambda: fitted(*of_law("ideal", 0.01), generations=6, units=units_of("ideal")),
    )
    yield (
        "functions default",
        lambda: fitted(*friedman(600), generations=10, functions=["add", "mul", "sin", "exp"]),
    )
    yield (
        "functions own",
        lambda: fitted(
            *rows_of("UB5D"),
            configuration="UB",
            generations=20,
            functions={"add": None, "hill": "x**2/(1+x**2)"},
        ),
    )
    yield "classifier", classifier
    yield "transformer", transformer
    yield "asked afterwards", asked


def one(number: int) -> dict[str, str]:
    """The fingerprint of one case by its number."""
    return list(cases())[number][1]()


def run() -> Table:
    """Compare with the file, or write it."""
    names = [name for name, _ in cases()]
    chosen = [i for i, name in enumerate(names) if not NAMES or any(part in name for part in NAMES)]
    with ProcessPoolExecutor(max_workers=int(os.environ.get("FINGERPRINTS_JOBS", "1"))) as pool:
        found = dict(zip([names[i] for i in chosen], pool.map(one, chosen), strict=True))
    kept = json.loads(FILE.read_text()) if FILE.exists() else {}
    if WRITE:
        FILE.write_text(json.dumps(kept | found, indent=1, ensure_ascii=False) + "\n")
    differ = {name: new for name, new in found.items() if kept.get(name) != new}
    table = Table(title=f"{len(found) - len(differ)} of {len(found)} fingerprints as before")
    for column in ("case", "part", "before", "now"):
        table.add_column(column)
    for name, new in differ.items():
        old = kept.get(name, {})
        for part in sorted(new.keys() | old.keys()):
            if old.get(part) != new.get(part):
                table.add_row(name, part, str(old.get(part))[:60], str(new.get(part))[:60])
    return table

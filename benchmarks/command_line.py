"""`multigene fit` as a process of its own: what a law takes with start, imports, reading and printing."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.law_sets import Floats, Law


def fitted(law: Law, X: Floats, y: Floats, seed: int, seconds: float, threads: int) -> tuple[Any, float]:
    """The model, and the processor seconds of the process."""
    import pandas as pd

    from multigene.model_file import load

    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder) / "table.csv", Path(folder) / "model.json"
        pd.DataFrame(X, columns=list(law.ranges)).assign(y=y).to_csv(table, index=False)
        options = (
            "--time",
            str(seconds),
            "--seed",
            str(seed),
            "--threads",
            str(threads),
            "--set",
            "clock=processor",
        )
        before = _of_children()
        subprocess.run(
            [
                sys.executable,
                "-m",
                "multigene",
                "fit",
                str(table),
                "--target",
                "y",
                *options,
                "--save",
                str(model),
            ],
            check=True,
            capture_output=True,
        )
        return load(model), _of_children() - before


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

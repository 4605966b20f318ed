"""Are claims as probable as they say? Planted laws with noise, the default estimator; what it claims, and what is true.

A claim (`multigene.laws.claims`) is true when the formula is the law: less than 1e-9 of the clean target's variance is left, or
constants tuned on clean rows make it so. One row of the table for each grade and probability. Environment:

    CALIBRATION_SET      dev (random laws of the development seeds and the sets `feynman`, `literature`, `dev`), or held-out
                         (random laws of the held-out seeds and `third`, `fresh`, `held-out`)
    CALIBRATION_LAWS (36), CALIBRATION_SECONDS (1.5, processor time)
    CALIBRATION_NOISE (0,1e-7,0.001,0.01,0.1)
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks import law_claims
from benchmarks.law_sets import DEVELOPMENT, FRESH, HELD_OUT, THIRD, Law
from benchmarks.laws import Answer, right_structure
from benchmarks.more_laws import FEYNMAN, LITERATURE
from benchmarks.random_laws import SIZES, random_laws

SET = os.environ.get("CALIBRATION_SET", "dev")
LAWS = int(os.environ.get("CALIBRATION_LAWS", "36"))
SECONDS = float(os.environ.get("CALIBRATION_SECONDS", "1.5"))
NOISE = [float(n) for n in os.environ.get("CALIBRATION_NOISE", "0,1e-7,0.001,0.01,0.1").split(",")]
ROWS = 500


def planted() -> list[Law]:
    """Laws of the set in a fixed order without any meaning."""
    if SET not in ("dev", "held-out"):
        raise SystemExit(f"CALIBRATION_SET={SET!r} is no set; choose dev or held-out.")
    short = [law for law in random_laws(60, SET == "held-out") if law.nodes <= SIZES[1][1]]
    known = [*FEYNMAN[2::8], *LITERATURE[::5], *DEVELOPMENT[::3]]
    unseen = [*THIRD[::2], *FRESH[::2], *HELD_OUT[::2]]
    laws = [*short, *(known if SET == "dev" else unseen)]
    return [laws[i] for i in np.random.default_rng(5).permutation(len(laws))[:LAWS]]


def claims() -> Iterator[tuple[str, float, bool]]:
    """Grade, probability and truth of the formula of every run; "no claim" with probability 0."""
    import pandas as pd

    from multigene import MultigeneRegressor

    for number, law in enumerate(planted()):
        for noise in NOISE:
            rng = np.random.default_rng(number)
            X, clean = law.rows(ROWS, rng)
            y = clean + noise * clean.std() * rng.standard_normal(ROWS)
            table = pd.DataFrame(X, columns=list(law.ranges))
            with threadpool_limits(1, user_api="blas"):
                model = MultigeneRegressor(
                    time_limit=SECONDS, n_jobs=1, random_state=0, settings={"clock": "processor"}
                ).fit(table, pd.Series(y, name="y"))
            formula, claim = model.formula_, model.claim_
            with np.errstate(all="ignore"):
                left = law_claims.unexplained(formula(table), clean)
            answer = Answer(str(formula), formula.size, formula, formula.expression)
            true = left < law_claims.SOLVED or (noise > 0.0 and right_structure(answer, X, clean))
            yield ("no claim", 0.0, true) if claim is None else (claim.grade, claim.probability, true)


def run() -> Table:
    """Claims by grade and probability, and how many of them are true."""
    table = Table(
        "grade", "probability", "claims", "true", "share", title=f"{SET}: {LAWS} laws, {SECONDS:g} s"
    )
    seen: dict[tuple[str, float], list[bool]] = {}
    for grade, probability, true in claims():
        seen.setdefault((grade, probability), []).append(true)
    for (grade, probability), truths in sorted(seen.items(), key=lambda pair: -pair[0][1]):
        share = f"{sum(truths) / len(truths):.2f}"
        table.add_row(grade, f"{probability:.2f}", f"{len(truths)}", f"{sum(truths)}", share)
    return table

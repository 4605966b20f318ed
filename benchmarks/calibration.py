"""Are claims as probable as they say? Planted laws with noise, the default estimator; what it claims, and what is true.

A claim (`multigene.laws.claims`) is true when the formula is the law: less than 1e-9 of the clean target's variance is left, or
constants tuned on clean rows make it so. One row of the table for each grade and probability. Environment:

    CALIBRATION_SET      dev (random laws of the development seeds and the sets `feynman`, `literature`, `dev`), or held-out
                         (random laws of the held-out seeds and `third`, `fresh`, `held-out`)
    CALIBRATION_LAWS (36), CALIBRATION_SECONDS (1.5, processor time)
    CALIBRATION_NOISE (0,1e-7,0.001,0.01,0.1)
    CALIBRATION_CSV      a file for every run as a row; runs that are in it already are not made again
    CALIBRATION_FIGURE   a picture (.svg, .png): stated probabilities and true shares, with intervals of 95 %
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks import law_claims
from benchmarks.law_sets import DEVELOPMENT, FRESH, HELD_OUT, THIRD, Law
from benchmarks.laws import FRESH_ROWS, ROWS, Answer, right_structure
from benchmarks.more_laws import FEYNMAN, LITERATURE
from benchmarks.random_laws import SIZES, random_laws

SET = os.environ.get("CALIBRATION_SET", "dev")
LAWS = int(os.environ.get("CALIBRATION_LAWS", "36"))
SECONDS = float(os.environ.get("CALIBRATION_SECONDS", "1.5"))
CSV, FIGURE = os.environ.get("CALIBRATION_CSV"), os.environ.get("CALIBRATION_FIGURE")
NOISE = [float(n) for n in os.environ.get("CALIBRATION_NOISE", "0,1e-7,0.001,0.01,0.1").split(",")]


def planted() -> list[Law]:
    """Laws of the set in a fixed order without any meaning."""
    if SET not in ("dev", "held-out"):
        raise SystemExit(f"CALIBRATION_SET={SET!r} is no set; choose dev or held-out.")
    short = [law for law in random_laws(max(60, 2 * LAWS), SET == "held-out") if law.nodes <= SIZES[1][1]]
    known = [*FEYNMAN[2::8], *LITERATURE[::5], *DEVELOPMENT[::3]]
    unseen = [*THIRD[::2], *FRESH[::2], *HELD_OUT[::2]]
    laws = [*short, *(known if SET == "dev" else unseen)]
    return [laws[i] for i in np.random.default_rng(5).permutation(len(laws))[:LAWS]]


@dataclass(frozen=True)
class Planted:
    """One run: what was claimed of a planted law, and whether that is true."""

    set: str
    law: str
    noise: float
    grade: str
    """"no claim" where there is none."""
    fitted: int
    """Fitted numbers of the formula."""
    probability: float
    true: int
    formula: str


def claims() -> Iterator[Planted]:
    """What comes of every law and noise, those first that a file has already."""
    known = {(run.law, run.noise): run for run in _read()}
    for number, law in enumerate(planted()):
        for noise in NOISE:
            run = known.get((law.name, noise)) or _claimed(law, number, noise)
            if CSV and (law.name, noise) not in known:
                _append(run)
            yield run


def _claimed(law: Law, number: int, noise: float) -> Planted:
    import pandas as pd

    from multigene import MultigeneRegressor
    from multigene.laws.exact import fitted_places

    rng = np.random.default_rng(number)
    X, clean = law.rows(ROWS, rng)
    fresh, truth = law.rows(FRESH_ROWS, rng)
    y = clean + noise * clean.std() * rng.standard_normal(ROWS)
    table = pd.DataFrame(X, columns=list(law.ranges))
    with threadpool_limits(1, user_api="blas"):
        model = MultigeneRegressor(
            time_limit=SECONDS, n_jobs=1, random_state=0, settings={"clock": "processor"}
        ).fit(table, pd.Series(y, name="y"))
    formula, claim = model.formula_, model.claim_
    with np.errstate(all="ignore"):
        left = law_claims.unexplained(formula(pd.DataFrame(fresh, columns=list(law.ranges))), truth)
    answer = Answer(str(formula), formula.size, formula, formula.expression)
    true = right_structure(answer, X, clean, fresh, truth) if noise > 0.0 else left < law_claims.SOLVED
    grade, probability = ("no claim", 0.0) if claim is None else (claim.grade, claim.probability)
    fitted = len(fitted_places(formula.expression))
    return Planted(SET, law.name, noise, grade, fitted, probability, int(true), answer.text)


def _read() -> list[Planted]:
    """Runs of the set that the file has."""
    if not CSV or not Path(CSV).exists():
        return []
    with Path(CSV).open(newline="", encoding="utf-8") as file:
        rows = [
            Planted(
                row["set"], row["law"], float(row["noise"]), row["grade"], int(row["fitted"]),
                float(row["probability"]), int(row["true"]), row["formula"],
            )
            for row in csv.DictReader(file)
        ]  # fmt: skip
    return [run for run in rows if run.set == SET]


def _append(run: Planted) -> None:
    assert CSV is not None
    new = not Path(CSV).exists()
    with Path(CSV).open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow([f.name for f in fields(Planted)])
        writer.writerow(astuple(run))


def by_kind(runs: Iterable[Planted]) -> dict[tuple[str, float], tuple[int, int]]:
    """True and all claims of every grade and stated probability, the highest first."""
    seen: dict[tuple[str, float], list[int]] = {}
    for each in runs:
        seen.setdefault((each.grade, each.probability), []).append(each.true)
    ordered = sorted(seen.items(), key=lambda pair: -pair[0][1])
    return {kind: (sum(truths), len(truths)) for kind, truths in ordered}


def interval(true: int, count: int) -> tuple[float, float]:
    """The shares that this many true claims of all are consistent with, 19 times of 20 (Wilson)."""
    z, share = 1.96, true / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def draw(kinds: dict[tuple[str, float], tuple[int, int]], path: str) -> None:
    """Stated probabilities against true shares."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.0, 4.5), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    claimed = {kind: counts for kind, counts in kinds.items() if kind[1] > 0.0}
    for (grade, probability), (true, count) in claimed.items():
        low, high = interval(true, count)
        axes.plot([probability] * 2, [low, high], color="C0", linewidth=1)
        axes.plot(probability, true / count, "o", color="C0")
        text = f"{grade}: {true} of {count}"
        axes.annotate(text, (probability, true / count), (-6, -4), textcoords="offset points", ha="right")
    axes.set(xlabel="stated probability", ylabel="share that is the law", xlim=(0, 1.02), ylim=(0, 1.02))
    figure.savefig(path)
    plt.close(figure)


def run() -> Table:
    """Claims by grade and probability, and how many of them are true."""
    kinds = by_kind(claims())
    if FIGURE:
        draw(kinds, FIGURE)
    table = Table(
        "grade", "probability", "claims", "true", "share", title=f"{SET}: {LAWS} laws, {SECONDS:g} s"
    )
    for (grade, probability), (true, count) in kinds.items():
        table.add_row(grade, f"{probability:.2f}", f"{count}", f"{true}", f"{true / count:.2f}")
    return table

"""Are claims as probable as they say? Planted laws with noise, the default estimator; what it claims, and what is true.

A claim (`multigene.laws.claims`) is true when the formula is the law: less than 1e-9 of the clean target's variance is left, or
constants tuned on clean rows make it so. One row of the table for each kind of claim, with the true ones among the first half of
the laws and among the second; and one for each grade, with the mean of the probabilities that are stated. These are always those
of this version: a file of runs keeps what they depend on. `benchmarks/calibration.csv` has the runs of docs/laws.md. Environment:

    CALIBRATION_SET      dev (random laws of the development seeds and the sets `feynman`, `literature`, `dev`), held-out
                         (random laws of the held-out seeds and every second of `third`, `fresh`, `held-out`), or unused (held-out
                         seeds from `UNUSED_FROM` on, and the other half of these sets)
    CALIBRATION_LAWS (36), CALIBRATION_SECONDS (1.5, processor time)
    CALIBRATION_NOISE (0,1e-7,0.001,0.01,0.1)
    CALIBRATION_CSV      a file for every run as a row; runs that are in it already are not made again
    CALIBRATION_FIGURE   a picture (.svg, .png): stated probabilities and true shares of the second half, with intervals of 95 %
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks import law_claims
from benchmarks.law_sets import DEVELOPMENT, FRESH, HELD_OUT, THIRD, Law
from benchmarks.laws import FRESH_ROWS, ROWS, Answer, right_structure
from benchmarks.more_laws import FEYNMAN, LITERATURE
from benchmarks.random_laws import SIZES, random_laws
from multigene.laws.claims import kind_of
from multigene.laws.constants import CONFIDENCE

SET = os.environ.get("CALIBRATION_SET", "dev")
LAWS = int(os.environ.get("CALIBRATION_LAWS", "36"))
SECONDS = float(os.environ.get("CALIBRATION_SECONDS", "1.5"))
CSV, FIGURE = os.environ.get("CALIBRATION_CSV"), os.environ.get("CALIBRATION_FIGURE")
NO_CLAIM = "no claim"
#: The held-out set has set probabilities by its first laws; from this place of the held-out seeds on, none was ever run.
UNUSED_FROM = 10_000
NOISE = [float(n) for n in os.environ.get("CALIBRATION_NOISE", "0,1e-7,0.001,0.01,0.1").split(",")]


def planted() -> list[Law]:
    """Laws of the set in a fixed order without any meaning."""
    textbook = {
        "dev": [*FEYNMAN[2::8], *LITERATURE[::5], *DEVELOPMENT[::3]],
        "held-out": [*THIRD[::2], *FRESH[::2], *HELD_OUT[::2]],
        "unused": [*THIRD[1::2], *FRESH[1::2], *HELD_OUT[1::2]],
    }
    if SET not in textbook:
        raise SystemExit(f"CALIBRATION_SET={SET!r} is no set; choose from {', '.join(textbook)}.")
    first = UNUSED_FROM if SET == "unused" else 0
    drawn = random_laws(max(60, 2 * LAWS), held_out=SET != "dev", first=first)
    laws = [*(law for law in drawn if law.nodes <= SIZES[1][1]), *textbook[SET]]
    return [laws[i] for i in np.random.default_rng(5).permutation(len(laws))[:LAWS]]


class Kind(NamedTuple):
    """Claims that are alike."""

    name: str
    probability: float


@dataclass(frozen=True)
class Planted:
    """One run: what was claimed of a planted law, and whether that is true."""

    set: str
    law: str
    noise: float
    grade: str
    """`NO_CLAIM` where there is none."""
    fitted: int
    """Fitted numbers of the formula."""
    true: int
    formula: str = ""

    @property
    def kind(self) -> Kind:
        """How probable claims like it are said to be, and what they have in common."""
        if self.grade == NO_CLAIM:
            return Kind(NO_CLAIM, 0.0)
        # With the law, a formula leaves the noise.
        left, most, probability = kind_of(self.grade, self.noise**2, self.fitted)
        more = [number for _, number, _ in CONFIDENCE[self.grade]]
        said = [f"at most {left:.1%} left"] if left < 1.0 else []
        said += [f"at most {most} fitted"] if most < max(more) else []
        said = said or (["others"] if len(more) > 1 else [])
        return Kind(", ".join([self.grade, *said]), probability)


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
    grade, fitted = NO_CLAIM if claim is None else claim.grade, len(fitted_places(formula.expression))
    return Planted(SET, law.name, noise, grade, fitted, int(true), answer.text)


def _read() -> list[Planted]:
    """Runs of the set that the file has."""
    if not CSV or not Path(CSV).exists():
        return []
    with Path(CSV).open(newline="", encoding="utf-8") as file:
        rows = [
            Planted(
                row["set"], row["law"], float(row["noise"]), row["grade"], int(row["fitted"]), int(row["true"]),
                row.get("formula", ""),
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


def by_kind(runs: Iterable[Planted]) -> dict[Kind, tuple[int, int]]:
    """True and all claims of every kind, the most probable first."""
    seen: dict[Kind, list[int]] = {}
    for each in runs:
        seen.setdefault(each.kind, []).append(each.true)
    ordered = sorted(seen.items(), key=lambda pair: -pair[0].probability)
    return {kind: (sum(truths), len(truths)) for kind, truths in ordered}


def by_grade(runs: Iterable[Planted]) -> dict[Kind, tuple[int, int]]:
    """True and all claims of every grade, with the mean of what was stated."""
    grades: dict[str, list[Planted]] = {}
    for each in runs:
        grades.setdefault(each.grade, []).append(each)
    return {
        Kind(grade, float(np.mean([run.kind.probability for run in claimed]))): (
            sum(run.true for run in claimed),
            len(claimed),
        )
        for grade, claimed in sorted(grades.items())
        if grade != NO_CLAIM
    }


def interval(true: int, count: int) -> tuple[float, float]:
    """The shares that this many true claims of all are consistent with, 19 times of 20 (Wilson)."""
    z, share = 1.96, true / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * np.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def draw(kinds: dict[Kind, tuple[int, int]], path: str) -> None:
    """Stated probabilities against true shares."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.0, 4.5), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    axes.fill_between([0, 1], [-0.05, 0.95], [0.05, 1.05], color="0.9")
    for number, (kind, (true, count)) in enumerate(kinds.items()):
        if kind.probability == 0.0:
            continue
        low, high = interval(true, count)
        name = f"{kind.name}: {kind.probability:.2f} stated, {true} of {count}"
        axes.plot([kind.probability] * 2, [low, high], color=f"C{number}", linewidth=1.5)
        axes.plot(kind.probability, true / count, "o", color=f"C{number}", label=name)
    axes.set(xlabel="stated probability", ylabel="share that is the law", xlim=(0, 1.02), ylim=(0, 1.02))
    axes.legend(loc="lower right", fontsize="x-small")
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)
    plt.close(figure)


def run() -> Table:
    """Claims by kind and by grade, and how many of them are true."""
    runs = list(claims())
    laws = list(dict.fromkeys(run.law for run in runs))
    first = set(laws[: len(laws) // 2])
    halves = [run for run in runs if run.law in first], [run for run in runs if run.law not in first]
    table = Table(
        "claims",
        "stated",
        "true, first half",
        "second half",
        "all",
        title=f"{SET}: {len(laws)} laws, {SECONDS:g} s",
    )
    for counted in (by_kind, by_grade):
        everything, parts = counted(runs), [counted(half) for half in halves]
        for kind, (true, count) in everything.items():
            cells = [
                f"{t} of {n} ({t / n:.2f})"
                for part in parts
                for t, n in [next((c for k, c in part.items() if k.name == kind.name), (0, 0))]
                if n
            ]
            table.add_row(
                kind.name, f"{kind.probability:.3f}", *cells, f"{true} of {count} ({true / count:.2f})"
            )
        table.add_section()
    if FIGURE:
        draw(by_kind(halves[1]), FIGURE)
    return table

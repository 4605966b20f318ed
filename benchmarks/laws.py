"""Does it find the law? Forty laws (`law_sets.py`), 500 rows each.

A law is solved when the formula found leaves less than 1e-9 of the variance of 1000 fresh rows unexplained. With noise on the
training target, a formula is structurally right when its constants, tuned again on clean rows, make it exact on fresh ones;
"tidy" counts those that are also at most 1.5 times as long as the law (a long one may hold terms that tuning switches off).
R² is measured against the clean target. Sizes are nodes of the printed formula; "leaves" counts a product of a number and
powers of features as one leaf, as the search does. What a run claims to be a law is checked in `law_claims.py`.

One condition gives a table by law; several give one row each. Environment, lists separated by commas:

    LAWS_SET            dev, held-out, all (default: both), fresh, third to sixth (held out, too), paper (K11C, UB5D, RS2D,
                        RS5D, RS10D of the study), feynman and literature (large ones for development, `more_laws.py`),
                        random (`random_laws.py`, also by size and number of variables) and random-held-out
    LAWS_RANDOM (60), LAWS_RANDOM_FROM (0)  how many random laws, from which place of the set on
    LAWS_NAMES          only these laws
    LAWS_VARIABLES      only laws of at least this many variables
    LAWS_SEEDS (3), LAWS_SECONDS (20), LAWS_THREADS (1)
    LAWS_NOISE (0)      noise levels, relative to the target's standard deviation
    LAWS_UNITS (0)      1 tells the units; 0,1 compares, on laws that have units
    LAWS_IRRELEVANT (0) columns more that the law does not use
    LAWS_LOG_UNIFORM (0) decades that every variable spans log-uniformly about the middle of its range; 0 for uniform in it
    LAWS_METHOD         seekers (law seekers alone, CPU seconds; default), multigene (the default estimator, seconds of
                        LAWS_CLOCK), command-line (the same as a process of its own: CPU-s with start and imports),
                        pyoperon (wall-clock seconds)
    LAWS_CLOCK (wall)   or processor
    LAWS_CSV            a file for every run as a row
    LAWS_ABLATION       1 turns every switch of the seekers over, one after the other
"""

from __future__ import annotations

import os
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks import command_line, law_claims, rivals
from benchmarks.law_claims import SOLVED, Claim
from benchmarks.law_report import by_group, write
from benchmarks.law_sets import SETS, Floats, Law, NoRows, paper_laws, with_irrelevant
from benchmarks.more_laws import FEYNMAN, LITERATURE
from benchmarks.random_laws import random_laws


def _list(name: str, default: str) -> list[str]:
    return [part for part in os.environ.get(name, default).split(",") if part]


SET = os.environ.get("LAWS_SET", "all")
NAMES = _list("LAWS_NAMES", "")
VARIABLES = int(os.environ.get("LAWS_VARIABLES", "1"))
SEEDS = int(os.environ.get("LAWS_SEEDS", "3"))
SECONDS = float(os.environ.get("LAWS_SECONDS", "20"))
THREADS = int(os.environ.get("LAWS_THREADS", "1"))
RANDOM = int(os.environ.get("LAWS_RANDOM", "60"))
RANDOM_FROM = int(os.environ.get("LAWS_RANDOM_FROM", "0"))
CLOCK = os.environ.get("LAWS_CLOCK", "wall")
CSV = os.environ.get("LAWS_CSV")

ROWS, FRESH_ROWS = 500, 1000
#: A structurally right formula leaves less of fresh rows, tuned on clean ones: the law's own form leaves 1e-26, long ones that
#: approximate come to 1e-10.
RIGHT = 1e-18
#: A structurally right formula is tidy when it is at most this many times as long as the law.
TIDY = 1.5


@dataclass(frozen=True)
class Condition:
    """How the laws are asked for."""

    method: str
    noise: float
    units: bool
    seeking: dict[str, Any] = field(default_factory=dict)
    irrelevant: int = 0
    decades: float = 0.0

    def of(self, law: Law) -> Law:
        """The law under this condition."""
        return with_irrelevant(replace(law, decades=self.decades), self.irrelevant)

    def __str__(self) -> str:
        parts = [self.method, f"noise {self.noise:g}", *(["units"] if self.units else [])]
        parts += [f"{self.irrelevant} irrelevant columns"] if self.irrelevant else []
        parts += [f"{self.decades:g} decades"] if self.decades else []
        return ", ".join([*parts, *(f"{name}={value}" for name, value in self.seeking.items())])


@dataclass(frozen=True)
class Answer:
    """What a method says."""

    text: str
    size: int
    predict: Any
    expression: Any
    """The formula as an expression, or None where it cannot be read."""

    claimed: bool = False
    """Whether the run ended because it found a law."""

    used: tuple[str, ...] = ()
    """The columns in it."""

    seconds: float | None = None
    """Processor seconds, where they are not those of this process."""


@dataclass(frozen=True)
class Outcome:
    """One run."""

    solved: bool
    right: bool
    tidy: bool
    left: float
    seconds: float
    size: int
    leaves: int
    text: str
    claim: Claim | None = None


# --- what is asked --------------------------------------------------------------------------------


def conditions() -> list[Condition]:
    """All combinations that the environment asks for."""
    from multigene.settings import Seeking

    if os.environ.get("LAWS_ABLATION") == "1":
        turned = [{f.name: not f.default} for f in fields(Seeking) if isinstance(f.default, bool)]
        return [Condition("seekers", 0.0, False, change) for change in [{}, *turned]]
    chosen = [
        Condition(method, float(noise), units == "1", {}, int(irrelevant), float(decades))
        for irrelevant in _list("LAWS_IRRELEVANT", "0")
        for decades in _list("LAWS_LOG_UNIFORM", "0")
        for noise in _list("LAWS_NOISE", "0")
        for units in _list("LAWS_UNITS", "0")
        for method in _list("LAWS_METHOD", "seekers")
    ]
    for condition in chosen:
        if condition.method not in METHODS:
            raise SystemExit(
                f"LAWS_METHOD={condition.method!r} is no method; choose from {', '.join(METHODS)}."
            )
    return chosen


def chosen_laws(with_units: bool) -> list[Law]:
    """The laws that the environment asks for."""
    sets: dict[str, Sequence[Law]] = {**SETS, "feynman": FEYNMAN, "literature": LITERATURE}
    made: dict[str, Callable[[], Sequence[Law]]] = {
        "paper": paper_laws,
        "random": lambda: random_laws(RANDOM, first=RANDOM_FROM),
        "random-held-out": lambda: random_laws(RANDOM, held_out=True, first=RANDOM_FROM),
    }
    if SET not in {**sets, **made}:
        raise SystemExit(f"LAWS_SET={SET!r} is no set of laws; choose from {', '.join([*sets, *made])}.")
    laws = [
        law
        for law in (sets[SET] if SET in sets else made[SET]())
        if (not NAMES or law.name in NAMES) and len(law.ranges) >= VARIABLES
    ]
    return [law for law in laws if law.units is not None or not with_units]


# --- who is asked ---------------------------------------------------------------------------------


def seekers(law: Law, X: Floats, y: Floats, seed: int, condition: Condition) -> Answer | None:
    """The law seekers alone, by CPU time of the process."""
    from multigene._engine import Workers
    from multigene.formula import Formula
    from multigene.laws.seekers import Seekers
    from multigene.laws.variables.units import Dimensions
    from multigene.settings import Seeking

    start = time.process_time()
    dimensions = Dimensions.of(law.units, list(law.ranges)) if condition.units and law.units else None
    rng, options = np.random.default_rng(seed), Seeking(**condition.seeking)
    search = Seekers(X, y, np.arange(len(y)), rng, Workers(THREADS), options, None, dimensions, alone=True)
    search.seek(10**12, lambda: time.process_time() - start > SECONDS)
    if search.law is None:
        return None
    formula = Formula(search.law.expression, list(law.ranges))
    predict = search.law.individual.predict
    return Answer(str(formula), formula.size, predict, search.law.expression, True, formula.variables)


def multigene(law: Law, X: Floats, y: Floats, seed: int, condition: Condition) -> Answer | None:
    """The default with a time limit."""
    import pandas as pd

    from multigene import MultigeneRegressor

    table = pd.DataFrame(X, columns=list(law.ranges))
    units = {"units": law.units} if condition.units and law.units else {}
    settings = {"clock": CLOCK}
    model = MultigeneRegressor(
        time_limit=SECONDS, n_jobs=THREADS, random_state=seed, settings=settings, **units
    )
    model.fit(table, pd.Series(y, name="y"))
    formula, claimed = model.formula_, model.stopped_by_ == "law"
    return Answer(str(formula), formula.size, formula, formula.expression, claimed, formula.variables)


def on_command_line(law: Law, X: Floats, y: Floats, seed: int, condition: Condition) -> Answer | None:
    """The same by `multigene fit`; the processor's clock."""
    model, seconds = command_line.fitted(law, X, y, seed, SECONDS, THREADS)
    formula, claimed = model.formula, model.stopped_by == "law"
    return Answer(
        str(formula), formula.size, formula, formula.expression, claimed, formula.variables, seconds
    )


def pyoperon(law: Law, X: Floats, y: Floats, seed: int, condition: Condition) -> Answer | None:
    """pyoperon with division, as much time and as many threads."""
    model = rivals.pyoperon(SECONDS, THREADS, seed).fit(X, y)
    text = model.get_model_string(model.model_, 12)
    expression = _read(text)
    from multigene.formula import Formula

    size = int(model.stats_["model_length"])
    if expression is not None:  # counted in the same way as ours
        size = Formula(expression, list(law.ranges)).size
    return Answer(text, size, model.predict, expression)


METHODS = {
    "seekers": seekers, "multigene": multigene, "command-line": on_command_line, "pyoperon": pyoperon
}  # fmt: skip


def _read(text: str) -> Any:
    """pyoperon's notation as an expression."""
    from multigene._engine import Individual
    from multigene.expression.genes import model_expression

    text = re.sub(r"X(\d+)", lambda m: f"x{int(m[1]) - 1}", text)
    text = text.replace("^", "**").replace("sqrtabs(", "sqrtabs_(").replace("logabs(", "logabs_(")
    text = re.sub(r"\b(sqrt|log)abs_\(", r"\1abs(", text)
    try:
        return model_expression(Individual([_absolute(text)], 0.0, [1.0]))
    except ValueError:
        return None


def _absolute(text: str) -> str:
    """sqrtabs(u) as sqrt(abs(u)), with the bracket that this needs."""
    for name in ("sqrt", "log"):
        while (at := text.find(f"{name}abs(")) >= 0:
            first = at + len(name) + 4
            depth, end = 1, first
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            text = f"{text[:at]}{name}(abs({text[first : end - 1]})){text[end:]}"
    return text


# --- what the answers are worth -------------------------------------------------------------------


def right_structure(answer: Answer, X: Floats, y: Floats, fresh: Floats, truth: Floats) -> bool:
    """Do constants tuned on clean rows make the formula exact on fresh ones?"""
    from multigene._engine import Dataset
    from multigene.laws import law as laws

    if answer.expression is None:
        return False
    find = laws.polished(answer.expression, X, y, Dataset(X, y))
    with np.errstate(all="ignore"):
        return find is not None and law_claims.unexplained(find.individual.predict(fresh), truth) < RIGHT


def leaves(expression: Any) -> int:
    """Nodes when a number times powers of features is one leaf, and raising to a number one operator."""
    from multigene.expression.readable import readable
    from multigene.expression.tree import Number, Operation, Power, Variable, fold

    def count(node: Any, parts: tuple[tuple[int, bool], ...]) -> tuple[int, bool]:
        """Nodes so far, and whether all of it is one product."""
        if isinstance(node, Number | Variable):
            return 1, True
        product = isinstance(node, Power) or (
            isinstance(node, Operation) and node.name in ("mul", "div", "neg", "inv")
        )
        if product and all(plain for _, plain in parts):
            return 1, True
        if isinstance(node, Operation) and node.name == "mul" and sum(plain for _, plain in parts) > 1:
            own = [n for n, plain in parts if not plain]
            return 1 + sum(own) + len(own), False
        own_nodes = max(1, len(parts) - 1)
        return own_nodes + sum(n for n, _ in parts), False

    return fold(readable(expression), count)[0]


def outcome(law: Law, seed: int, condition: Condition) -> Outcome:
    """One run, measured."""
    rng, law = np.random.default_rng(seed), condition.of(law)
    X, clean = law.rows(ROWS, rng)
    fresh, truth = law.rows(FRESH_ROWS, rng)
    y = clean + condition.noise * clean.std() * rng.standard_normal(ROWS)
    start = time.process_time()
    with threadpool_limits(1, user_api="blas"):  # as in a fit: threads that wait for work use processor time
        answer = METHODS[condition.method](law, X, y, seed, condition)
    seconds = time.process_time() - start
    seconds = seconds if answer is None or answer.seconds is None else answer.seconds
    if answer is None:
        return Outcome(False, False, False, 1.0, seconds, 0, 0, "-")
    with np.errstate(all="ignore"):
        predicted = answer.predict(fresh)
    left = law_claims.unexplained(predicted, truth)
    claim = law_claims.checked(predicted, truth, answer.used) if answer.claimed else None
    right = right_structure(answer, X, clean, fresh, truth) if condition.noise > 0.0 else left < SOLVED
    tidy = right and answer.size <= TIDY * law.size
    counted = 0 if answer.expression is None else leaves(answer.expression)
    return Outcome(left < SOLVED, right, tidy, left, seconds, answer.size, counted, answer.text, claim)


# --- tables ---------------------------------------------------------------------------------------


def outcomes(condition: Condition) -> Iterator[tuple[Law, list[Outcome]]]:
    """All laws and seeds; a law without values under this condition is left out."""
    compares_units = os.environ.get("LAWS_UNITS", "0") != "0"
    for law in chosen_laws(compares_units):
        try:
            yield law, [outcome(law, seed, condition) for seed in range(SEEDS)]
        except NoRows as error:
            Console(stderr=True).print(f"Left out: {error}", highlight=False)


COLUMNS = ("solved", "right", "tidy", "CPU-s", "size", "leaves", "1 - R²", *law_claims.COLUMNS)


def run() -> Group:
    """The table of all laws, or of all conditions where there are several; random laws also by size and variables."""
    asked, console = conditions(), Console(stderr=True, width=200)
    several = len(asked) > 1
    about = f"{SECONDS:g} s, {THREADS} thread(s), {SEEDS} seed(s), laws of the set {SET!r}"
    table = Table(title=about if several else f"{asked[0]}: {about}")
    headings = ("condition", *COLUMNS) if several else ("law", *COLUMNS, "law's size", "formula")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    everything: list[tuple[Condition, Law, list[Outcome]]] = []
    groups: list[Table] = []
    for condition in asked:
        for law, found in outcomes(condition):
            everything.append((condition, law, found))
            best = min(found, key=lambda o: (not o.right, o.left, o.size))
            row = (*_row(law.name, found, condition), f"{law.size}", best.text)
            console.print(*row, markup=False, highlight=False)
            if CSV:
                write(CSV, everything)
            if not several:
                table.add_row(*row)
        mine = [(law, found) for other, law, found in everything if other is condition]
        if not mine:
            continue
        total = _row(str(condition) if several else "all", [o for _, found in mine for o in found], condition)
        console.print(*total, markup=False, highlight=False)
        if several:
            table.add_row(*total)
        else:
            table.add_section()
            table.add_row(*total, f"{statistics.median(law.size for law, _ in mine):g}", "")
        if SET.startswith("random"):
            groups.append(by_group(str(condition), mine, COLUMNS, partial(_row, condition=condition)))
    return Group(table, *groups)


def _row(name: str, found: list[Outcome], condition: Condition) -> tuple[str, ...]:
    good = [o for o in found if (o.right if condition.noise else o.solved)]
    return (
        name,
        f"{sum(o.solved for o in found)}/{len(found)}",
        f"{sum(o.right for o in found)}/{len(found)}",
        f"{sum(o.tidy for o in found)}/{len(found)}",
        f"{statistics.median(o.seconds for o in found):.2f}",
        f"{statistics.median(o.size for o in good):g}" if good else "-",
        f"{statistics.median(o.leaves for o in good):g}" if good else "-",
        f"{statistics.median(o.left for o in found):.2g}",
        *law_claims.counts([o.claim for o in found]),
    )

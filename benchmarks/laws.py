"""Does it find the law? Forty laws from physics and the literature of genetic programming, 500 rows each.

24 laws were used for development; 16 were written down before any result on them was known. A law is solved when the
formula found
leaves less than 1e-9 of the variance of 1000 fresh rows unexplained. With noise on the training target, a formula is structurally
right when its constants, tuned on clean rows, make it exact; R² is measured against the clean target.

Environment: LAWS_SET (dev, held-out, all), LAWS_NAMES, LAWS_SEEDS (3), LAWS_SECONDS (20), LAWS_THREADS (1), LAWS_NOISE (0),
LAWS_UNITS (0 or 1: tell the units), LAWS_METHOD: `seekers` (the law seekers alone, CPU seconds), `multigene` (the default,
wall-clock seconds) or `pyoperon` (wall-clock seconds).
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

Floats = npt.NDArray[np.float64]

SET = os.environ.get("LAWS_SET", "all")
NAMES = [name for name in os.environ.get("LAWS_NAMES", "").split(",") if name]
SEEDS = int(os.environ.get("LAWS_SEEDS", "3"))
SECONDS = float(os.environ.get("LAWS_SECONDS", "20"))
THREADS = int(os.environ.get("LAWS_THREADS", "1"))
NOISE = float(os.environ.get("LAWS_NOISE", "0"))
UNITS = os.environ.get("LAWS_UNITS", "0") == "1"
METHOD = os.environ.get("LAWS_METHOD", "seekers")

ROWS, FRESH_ROWS = 500, 1000
SOLVED = 1e-9


@dataclass(frozen=True)
class Law:
    """A formula in Python's notation, and the range (and unit) of every variable in it."""

    name: str
    formula: str
    ranges: dict[str, tuple[float, float]]
    units: dict[str, str] | None = None
    """Of the variables and of the target, under the name y; None where the law has none."""

    def rows(self, number: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Uniform in the ranges."""
        X = np.column_stack([rng.uniform(low, high, number) for low, high in self.ranges.values()])
        names = {
            name: getattr(np, name) for name in ("sin", "cos", "exp", "log", "sqrt", "tanh", "arcsin", "pi")
        }
        y = eval(self.formula, {"__builtins__": {}}, names | dict(zip(self.ranges, X.T, strict=True)))
        return X, np.asarray(y, dtype=np.float64)


def _law(name: str, formula: str, ranges: str, units: str | None = None) -> Law:
    """Ranges as `m 1 5, v 1 2`, units as `m kg, v m/s, y J`."""
    boxes = {}
    for part in ranges.split(", "):
        *variables, low, high = part.split()
        boxes.update({variable: (float(low), float(high)) for variable in variables})
    pairs = None if units is None else dict(part.split(" ", 1) for part in units.split(", "))
    return Law(name, formula, boxes, pairs)


DEVELOPMENT = (
    _law("newton", "6.674*m1*m2/r**2", "m1 m2 r 1 5"),
    _law("relmass", "m/sqrt(1 - v**2/c**2)", "m 1 5, v 1 2, c 3 10", "m kg, v m/s, c m/s, y kg"),
    _law("gauss", "exp(-(t/s)**2/2)/(sqrt(2*pi)*s)", "t s 1 3", "t m, s m, y 1/m"),
    _law("lens", "1/(1/d1 + n/d2)", "d1 d2 n 1 5", "d1 m, d2 m, n 1, y m"),
    _law("ideal", "n*T*log(V2/V1)", "n T V1 V2 1 5", "n 1, T J, V1 m^3, V2 m^3, y J"),
    _law("boltz", "n0*exp(-m*g*x/(k*T))", "n0 m g x k T 1 5", "n0 1/m^3, m kg, g m/s^2, x m, k J/K, T K, y 1/m^3"),
    _law("lorentz", "q*(E + B*v*sin(t))", "q E B v t 1 5", "q C, E V/m, B T, v m/s, t 1, y N"),
    _law("distance", "sqrt((x2 - x1)**2 + (y2 - y1)**2)", "x1 x2 y1 y2 1 5", "x1 m, x2 m, y1 m, y2 m, y m"),
    _law("planck", "w**3/(exp(w/T) - 1)", "w T 1 5"),
    _law("nguyen5", "sin(x**2)*cos(x) - 1", "x -1 1"),
    _law("vdw", "n*R*T/(V - n*b) - a*n**2/V**2", "n 1 2, R T 1 5, V 5 10, a 1 5, b 0.1 1",
         "n mol, R J/mol/K, T K, V m^3, a J*m^3/mol^2, b m^3/mol, y J/m^3"),
    _law("vlad1", "exp(-(a - 1)**2)/(1.2 + (b - 2.5)**2)", "a b 0.3 4"),
    _law("springs", "0.5*(k*x**2 + m*v**2)", "k x m v 1 5", "k N/m, x m, m kg, v m/s, y J"),
    _law("doppler", "f/(1 - vs/v)", "f 1 5, v 5 10, vs 1 3", "f Hz, v m/s, vs m/s, y Hz"),
    _law("damped", "a*exp(-g*t)*cos(w*t)", "a 1 3, g 0.1 0.5, w 1 3, t 0 5", "a m, g 1/s, w 1/s, t s, y m"),
    _law("K11C", "(27.22*a - 4.54)*(-0.39*b) + 11.46*sin((0.21*a - 1)*(b + 16.6) + 1.97)", "a b -3 3"),
    _law("UB5D", "10/(5 + (a - 3)**2 + (b - 3)**2 + (c - 3)**2 + (d - 3)**2 + (e - 3)**2)", "a b c d e -0.25 6.35"),
    _law("gravity", "G*m1*m2/((x2 - x1)**2 + (y2 - y1)**2 + (z2 - z1)**2)", "G m1 m2 1 2, x1 y1 z1 1 2, x2 y2 z2 3 4",
         "G N*m^2/kg^2, m1 kg, m2 kg, x1 m, y1 m, z1 m, x2 m, y2 m, z2 m, y N"),
    _law("paramagnet", "n*mu*tanh(mu*B/(k*T))", "n mu B k T 1 5", "n 1/m^3, mu J/T, B T, k J/K, T K, y J/T/m^3"),
    _law("grating", "I*sin(n*t/2)**2/sin(t/2)**2", "I n t 1 5", "I W/m^2, n 1, t 1, y W/m^2"),
    _law("pagie1", "1/(1 + x**-4) + 1/(1 + z**-4)", "x z 0.5 5"),
    _law("keijzer4", "x**3*exp(-x)*cos(x)*sin(x)*(sin(x)**2*cos(x) - 1)", "x 0 10"),
    _law("nguyen7", "log(x + 1) + log(x**2 + 1)", "x 0 2"),
    _law("velocities", "(u + v)/(1 + u*v/c**2)", "u v 1 2, c 3 5", "u m/s, v m/s, c m/s, y m/s"),
)  # fmt: skip

HELD_OUT = (
    _law("cosines", "sqrt(a**2 + b**2 - 2*a*b*cos(s - t))", "a b s t 1 5", "a m, b m, s 1, t 1, y m"),
    _law("lorentz-time", "(t - u*x/c**2)/sqrt(1 - u**2/c**2)", "t x 1 5, u 1 2, c 3 10", "t s, x m, u m/s, c m/s, y s"),
    _law("mass-centre", "(m1*r1 + m2*r2)/(m1 + m2)", "m1 m2 r1 r2 1 5", "m1 kg, m2 kg, r1 m, r2 m, y m"),
    _law("oscillator", "0.25*m*(w**2 + w0**2)*x**2", "m w w0 x 1 3", "m kg, w 1/s, w0 1/s, x m, y J"),
    _law("snell", "arcsin(n*sin(t))", "n 0.1 1, t 1 5"),
    _law("scattering", "0.5*e*c*E**2*(8*pi*r**2/3)*(w**4/(w**2 - w0**2)**2)", "e c E r w 1 2, w0 3 5",
         "e F/m, c m/s, E V/m, r m, w 1/s, w0 1/s, y W"),
    _law("clausius", "n*a/(1 - n*a/3)*e*E", "n a 0 1, e E 1 2", "n 1/m^3, a m^3, e F/m, E V/m, y C/m^2"),
    _law("two-states", "n/(exp(m*B/(k*T)) + exp(-m*B/(k*T)))", "n m B k T 1 3", "n 1/m^3, m J/T, B T, k J/K, T K, y 1/m^3"),
    _law("growth", "K/(1 + (K - n)/n*exp(-r*t))", "K 5 10, n 1 3, r 0.1 1, t 0 5", "K 1/m^2, n 1/m^2, r 1/s, t s, y 1/m^2"),
    _law("inhibition", "V*S/(K*(1 + I/Ki) + S)", "V S K I Ki 1 5",
         "V mol/m^3/s, S mol/m^3, K mol/m^3, I mol/m^3, Ki mol/m^3, y mol/m^3/s"),
    _law("impedance", "sqrt(R**2 + (w*L - 1/(w*C))**2)", "R w L C 1 5", "R ohm, w 1/s, L H, C F, y ohm"),
    _law("nguyen10", "2*sin(x)*cos(z)", "x z -1 1"),
    _law("nguyen4", "x**6 + x**5 + x**4 + x**3 + x**2 + x", "x -1 1"),
    _law("stokes", "2/9*(p - f)*g*r**2/mu", "p 3 6, f 1 2, g r mu 1 5", "p kg/m^3, f kg/m^3, g m/s^2, r m, mu Pa*s, y m/s"),
    _law("morse", "D*(1 - exp(-a*(r - r0)))**2", "D a 1 3, r 2 5, r0 1 2", "D J, a 1/m, r m, r0 m, y J"),
    _law("larmor", "q**2*a**2/(6*pi*e*c**3)", "q a e c 1 5", "q C, a m/s^2, e F/m, c m/s, y W"),
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What a method says."""

    text: str
    size: int
    predict: Any
    expression: Any
    """The formula as an expression, or None where it cannot be read."""


def chosen() -> list[Law]:
    """The laws that the environment asks for."""
    sets = {"dev": DEVELOPMENT, "held-out": HELD_OUT, "all": DEVELOPMENT + HELD_OUT}
    if SET not in sets:
        raise SystemExit(f"LAWS_SET={SET!r} is no set of laws; choose from {', '.join(sets)}.")
    return [law for law in sets[SET] if not NAMES or law.name in NAMES]


def seekers(law: Law, X: Floats, y: Floats, seed: int) -> Answer | None:
    """The law seekers alone, by CPU time of the process."""
    from multigene._engine import Workers
    from multigene.formula import Formula
    from multigene.seekers import Seekers
    from multigene.settings import Seeking
    from multigene.units import Dimensions

    start = time.process_time()
    dimensions = Dimensions.of(law.units, list(law.ranges)) if UNITS and law.units else None
    rng = np.random.default_rng(seed)
    search = Seekers(X, y, np.arange(len(y)), rng, Workers(THREADS), Seeking(), dimensions=dimensions)
    search.seek(10**12, lambda: time.process_time() - start > SECONDS)
    if search.law is None:
        return None
    formula = Formula(search.law.expression, list(law.ranges))
    return Answer(str(formula), formula.size, search.law.individual.predict, search.law.expression)


def multigene(law: Law, X: Floats, y: Floats, seed: int) -> Answer | None:
    """The default with a time limit."""
    import pandas as pd

    from multigene import MultigeneRegressor

    table = pd.DataFrame(X, columns=list(law.ranges))
    units = {"units": law.units} if UNITS and law.units else {}
    model = MultigeneRegressor(time_limit=SECONDS, n_jobs=THREADS, random_state=seed, **units).fit(
        table, pd.Series(y, name="y")
    )
    formula = model.formula_
    return Answer(str(formula), formula.size, formula, formula.expression)


def pyoperon(law: Law, X: Floats, y: Floats, seed: int) -> Answer | None:
    """pyoperon with division, as much time and as many threads."""
    from pyoperon.sklearn import SymbolicRegressor

    from multigene.study import problem_named  # noqa: F401  (the package must be there before pyoperon's libraries)

    model = SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,sin,cos,exp,logabs,sqrtabs,tanh,square,constant,variable",
        max_time=max(1, round(SECONDS)),
        generations=10**9,
        max_evaluations=10**12,
        n_threads=THREADS,
        random_state=seed,
        optimizer_iterations=5,
        tournament_size=5,
    ).fit(X, y)
    text = model.get_model_string(model.model_, 12)
    return Answer(text, int(model.stats_["model_length"]), model.predict, _read(text))


def _read(text: str) -> Any:
    """pyoperon's notation as an expression."""
    import re

    from multigene._engine import Individual
    from multigene.model import model_expression

    text = re.sub(r"X(\d+)", lambda m: f"x{int(m[1]) - 1}", text)
    text = text.replace("^", "**").replace("sqrtabs(", "sqrt(abs(").replace("logabs(", "log(abs(")
    try:
        return model_expression(Individual([text], 0.0, [1.0]))
    except ValueError:
        return None


def unexplained(answer: Answer, X: Floats, y: Floats) -> float:
    """Share of the variance of clean rows that the formula leaves."""
    with np.errstate(all="ignore"):
        left = float(
            np.sum((y - np.asarray(answer.predict(X), dtype=float).ravel()) ** 2)
            / np.sum((y - y.mean()) ** 2)
        )
    return left if np.isfinite(left) else np.inf


def right_structure(answer: Answer, X: Floats, y: Floats) -> bool:
    """Do constants tuned on clean rows make the formula exact?"""
    from multigene import laws
    from multigene._engine import Dataset

    if answer.expression is None:
        return False
    find = laws.polished(answer.expression, X, y, Dataset(X, y))
    return find is not None and find.unexplained < SOLVED


@dataclass(frozen=True)
class Outcome:
    """One run."""

    solved: bool
    right: bool
    left: float
    seconds: float
    size: int
    text: str


def runs() -> Iterator[tuple[Law, list[Outcome]]]:
    """All laws and seeds."""
    methods = {"seekers": seekers, "multigene": multigene, "pyoperon": pyoperon}
    if METHOD not in methods:
        raise SystemExit(f"LAWS_METHOD={METHOD!r} is no method; choose from {', '.join(methods)}.")
    for law in chosen():
        outcomes = []
        for seed in range(SEEDS):
            rng = np.random.default_rng(seed)
            X, clean = law.rows(ROWS, rng)
            fresh, truth = law.rows(FRESH_ROWS, rng)
            y = clean + NOISE * clean.std() * rng.standard_normal(ROWS)
            start = time.process_time()
            answer = methods[METHOD](law, X, y, seed)
            seconds = time.process_time() - start
            if answer is None:
                outcomes.append(Outcome(False, False, 1.0, seconds, 0, "-"))
                continue
            left = unexplained(answer, fresh, truth)
            right = left < SOLVED or (NOISE > 0.0 and right_structure(answer, X, clean))
            outcomes.append(Outcome(left < SOLVED, right, left, seconds, answer.size, answer.text))
        yield law, outcomes


def run() -> Table:
    """The table of all laws, with the totals in its last row."""
    table = Table(
        title=f"{METHOD}, {SECONDS:g} s, {THREADS} thread(s), noise {NOISE:g}, {SEEDS} seeds: laws of the set {SET!r}"
    )
    for column in ("law", "solved", "right", "CPU-s", "size", "1 - R²", "formula"):
        table.add_column(column, overflow="fold")
    console = Console(stderr=True, width=200)
    everything: list[Outcome] = []
    for law, outcomes in runs():
        everything += outcomes
        best = min(outcomes, key=lambda o: (not o.right, o.left, o.size))
        row = (*_row(law.name, outcomes), best.text)
        console.print(*row, markup=False, highlight=False)
        table.add_row(*row)
    table.add_section()
    table.add_row(*_row("all", everything), "")
    console.print(*_row("all", everything), markup=False, highlight=False)
    return table


def _row(name: str, outcomes: list[Outcome]) -> tuple[str, ...]:
    good = [o.size for o in outcomes if (o.right if NOISE else o.solved)]
    return (
        name,
        f"{sum(o.solved for o in outcomes)}/{len(outcomes)}",
        f"{sum(o.right for o in outcomes)}/{len(outcomes)}",
        f"{statistics.median(o.seconds for o in outcomes):.2f}",
        f"{statistics.median(good):g}" if good else "-",
        f"{statistics.median(o.left for o in outcomes):.2g}",
    )

"""Law seekers: small islands on transformed targets, under strong size pressure, restarted often.

The second kind of search next to the approximators of `search/searcher.py`: the same genes, engine verbs, tuning and loop
(`evolution.evolve`); what differs is settings, the target transform and the restart policy. Many genes let evolution approximate
instead of finding the structure, so seekers have few, small genes; smooth approximations creep towards any target without end, so
seekers start afresh by the Luby sequence and not when they stagnate.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Dataset, Individual, Workers
from multigene.evolution.checkpoint import model, packed_model
from multigene.evolution.parallel import in_order, own
from multigene.expression.readable import size
from multigene.expression.rewriting import powers_joined
from multigene.expression.tree import Expression, substitute
from multigene.laws import law as laws
from multigene.laws.finds import Finds
from multigene.laws.law import Find
from multigene.laws.noise import criterion
from multigene.laws.restart import PROMISING, Restart, luby, worth_a_look
from multigene.laws.settings import DENSE_FUNCTIONS, DENSE_LIMITS, dense_settings, seeker_settings
from multigene.laws.survey import stages as survey
from multigene.laws.survey.stages import Stage, Suggestions
from multigene.laws.targets import Target, informative, make_targets, powers_of
from multigene.laws.transforms import logarithmic, one_sign
from multigene.laws.variables.symmetries import Picture, by_units, picture
from multigene.laws.variables.units import Dimensions
from multigene.settings.settings import FunctionEntry, Refinement, Seeking, Settings

Floats = npt.NDArray[np.float64]

#: Less than this is rounding.
NOTHING_LEFT = 1e-13
#: A longer law, of many features one longer than so many nodes for each, is compared with what later stages of the survey find.
LONG, LONG_PER_FEATURE = 14, 3
#: Finds that are made brief after the survey, and how many evaluations each of them counts for.
BRIEF_AFTER_SURVEY, BRIEF_WORK = 4, 300
#: A target whose finds leave more than `POOR` after so many restarts gets a share of its work while others leave under `NEAR`.
TRIED, POOR, NEAR, HARDLY = 4, 0.3, 0.05, 0.25
#: Finds of a target in the survey that are looked at because they convince most.
CONVINCING = 2
#: Sets of the catalogue that a target keeps to begin restarts with.
SEEDS = 6
#: Frequencies of two kinds of mutation that can be switched off.
NEUTRAL, ROUND = 0.1, 0.05
QUICK = Refinement(iterations=12, bound=100.0, decay=0.0, prune=0.0)

#: Restarts of dense islands are longer by this factor: their weights take longer to tune.
DENSE_UNITS = 2
#: Restarts that are decided on at a time and run side by side, whatever the number of threads.
AHEAD = 4


class Seekers:
    """All seeking islands of a problem; work goes to the target that has had the least for its share."""

    def __init__(
        self,
        X: Floats,
        y: Floats,
        rows: npt.NDArray[np.intp],
        rng: np.random.Generator,
        workers: Workers,
        options: Seeking,
        functions: tuple[FunctionEntry, ...] | None = None,
        dimensions: Dimensions | None = None,
        alone: bool = False,
    ) -> None:
        """`functions` are those a user chose; None for the seekers' own. `dimensions` are known when units are. Seekers who work
        `alone` ask everything, even of rough data."""
        self.functions, self.dimensions, self.alone = functions, dimensions, alone
        self.rows_given, self.y, self.rng, self.workers, self.options = X, y, rng, workers, options
        features = informative(X, y, options.most_features)
        seen = self._picture(features)
        better, self.rough = seen.better, seen.rough and not alone
        # Columns of better variables follow the features, to be replaced by what they stand for.
        self.meaning: dict[int, Expression] = {} if better is None else better.meaning
        self.X = X = X if better is None else better.values
        self.rows = np.sort(rng.permutation(rows)[: options.rows])
        self.scales = _scales(X, self.rows_given.shape[1])
        self.signs = {j: float(np.sign(X[0, j])) for j in range(X.shape[1]) if one_sign(X[:, j])}
        self.positive = {j for j, sign in self.signs.items() if sign > 0.0}
        self.targets = make_targets(X, y, options, self._allows, features, better)
        self.stages = survey.stages(self.targets, self.rough) if options.survey else []
        self.evaluations = 0
        self.finds = Finds(self.rows_given, y, dimensions)
        self.surveyed = 0

    @property
    def law(self) -> Find | None:
        """The law, once there is one."""
        return self.finds.law

    @property
    def surveying(self) -> bool:
        """Is there something left to ask before any restart?"""
        return self.surveyed < sum(len(stage.targets) for stage in self.stages)

    @property
    def had_a_chance(self) -> bool:
        """Has enough been tried to say that there is no law? Of rough data the survey says it."""
        return not self.surveying and (self.rough or self.evaluations >= self.options.first)

    def seek(self, evaluations: int, stop: Callable[[], bool] = lambda: False) -> None:
        """Restart after restart until so much work is done, a law is found, or `stop` says so."""
        until = self.evaluations + evaluations
        self._survey_all(until, stop)
        if self.evaluations < until and not stop():
            self._evolve(until, stop)
        if not stop():
            self.make_brief(1)

    def _survey_all(self, until: int, stop: Callable[[], bool]) -> None:
        """What is left of the survey; what convinces most is made brief in the end if seekers may go on."""
        asked, law_in_better = self.surveyed, None
        unfinished, suggestions = False, Suggestions(self._allows)
        for stage in self.stages:
            left, asked = stage.targets[asked:], max(0, asked - len(stage.targets))
            if not left:
                continue
            if self.evaluations >= until or stop():
                return
            unfinished = True
            # A law may have a shorter form in a later stage, but not once the variables are worse.
            better = left[0].better
            long = max(LONG, LONG_PER_FEATURE * self.rows_given.shape[1])
            if self.law is None or (better is law_in_better and size(self.law.expression) > long):
                self._survey(Stage(stage.kind, left), suggestions, stop)
                law_in_better = None if self.law is None else better
            else:
                self.surveyed += len(left)
        if unfinished and not stop():
            self.make_brief(BRIEF_AFTER_SURVEY)

    def _promise(self, target: Target) -> float:
        """Less work for a target of which hardly anything is explained after some restarts, where others come near."""
        poor = target.restarts >= TRIED and target.best > POOR and self.finds.best < NEAR
        return HARDLY if self.options.adaptive and poor else 1.0

    def state(self) -> dict[str, Any]:
        """All that is needed to go on, as plain values."""
        return {
            "rng": self.rng.bit_generator.state,
            "evaluations": self.evaluations,
            "surveyed": self.surveyed,
            "seeds": [[packed_model(m) for m in t.seeds] for t in self.targets],
            "targets": [
                (t.restarts, t.work, float(t.best).hex(), list(t.front.items())) for t in self.targets
            ],
            "finds": self.finds.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`."""
        self.rng.bit_generator.state = state["rng"]
        self.evaluations, self.surveyed = int(state["evaluations"]), int(state["surveyed"])
        for target, seeds in zip(self.targets, state["seeds"], strict=True):
            target.seeds = [model(*m) for m in seeds]
        for target, (restarts, work, best, front) in zip(self.targets, state["targets"], strict=True):
            target.restarts, target.work, target.best = int(restarts), int(work), float.fromhex(best)
            target.front = {int(size): float(left) for size, left in front}
        self.finds.restore(state["finds"])

    # --- the survey -------------------------------------------------------------------------------

    def _survey(self, stage: Stage, suggestions: Suggestions, stop: Callable[[], bool]) -> None:
        """What probes and catalogue suggest, tuned; what seems exact is looked at on all rows."""
        rows = np.arange(len(self.y)) if stage.kind == "probe" else self.rows
        rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), survey.ROWS[stage.kind])).astype(int)]
        first = stage.targets[0]
        Z = self.X[rows][:, first.features] / self.scales[first.features]
        y = self.y / powers_of(self.X, first.peeled)
        with np.errstate(all="ignore"):
            transformed = [t.transform.forward(y[rows]) for t in stage.targets]
        suggested = suggestions.about(stage, Z, transformed)
        for target in stage.targets:
            if stop():
                return
            sets = next(suggested)
            data = self._dataset(target, y, self.rows)
            tuned = [m for genes in sets if (m := _tuned(genes, data)) is not None]
            self.evaluations += survey.WORK + 10 * len(sets)
            tuned.sort(key=_rank)
            exact = [m for m in tuned if 1.0 - m.fitness < PROMISING]
            best = {len(m.genes): m for m in reversed(tuned)}
            # Without an exact one, the best of every number of genes, and what convinces most where noise is in the way.
            others = [*best.values(), *sorted(tuned, key=lambda m: _price(m, data.count))[:CONVINCING]]
            for individual in exact[:3] or (dict.fromkeys(others) if self.law is None else ()):
                self._take(individual, target, y)
            self.surveyed += 1
            target.seeds = [*target.seeds, *list(dict.fromkeys([*best.values(), *tuned]))[:SEEDS]]

    # --- restarts ---------------------------------------------------------------------------------

    def _evolve(self, until: int, stop: Callable[[], bool]) -> None:
        """Restarts side by side until so much work is done; what would have come after a law counts for nothing."""
        under_way: list[Restart] = []

        def begin() -> Restart | None:
            expected = self.evaluations + sum(r.expected for r in under_way)
            if not self.targets or self.law is not None or expected >= until or stop():
                return None
            under_way.append(self._next(under_way, stop))
            return under_way[-1]

        with closing(in_order(begin, AHEAD, self.workers.n_jobs)) as done:
            for restart, (front, work) in done:
                under_way.remove(restart)
                restart.target.work += work
                self.evaluations += work
                for individual in worth_a_look(list(front), restart.target.front):
                    self._take(individual, restart.target, restart.y)
                    if self.law is not None:
                        return

    def _next(self, under_way: list[Restart], stop: Callable[[], bool]) -> Restart:
        """The target that has had the least for its share is next; what is under way counts as if it had been done."""

        def had(target: Target) -> float:
            work = target.work + sum(r.expected for r in under_way if r.target is target)
            return work / (target.share * self._promise(target))

        target = min(self.targets, key=had)
        settings = self._settings(target)
        y = self.y / powers_of(self.X, target.peeled)
        data = self._dataset(target, y, self.rows)
        rng = np.random.default_rng(self.rng.integers(2**63))
        generations = self.options.unit * (DENSE_UNITS if target.dense else luby(target.restarts + 1))
        target.restarts += 1
        first = list(target.seeds) if self.options.survey and target.restarts % 3 == 1 else []
        workers = own(self.workers, AHEAD)
        return Restart(target, y, data, settings, self.options, rng, workers, generations, first, stop)

    def _settings(self, target: Target) -> Settings:
        """Every second restart draws its own genes, nodes, pressure and leaves."""
        if target.dense:
            settings = dense_settings()
            if self.options.portfolio:
                max_genes, max_nodes = DENSE_LIMITS[target.restarts % len(DENSE_LIMITS)]
                settings = settings.changed(max_genes=max_genes, max_nodes=max_nodes)
            allowed = tuple(f for f in self.functions or () if f[0] in DENSE_FUNCTIONS)
            return settings.changed(functions=allowed) if allowed else settings
        products = tuple(k for k, j in enumerate(target.features) if one_sign(self.X[:, j]))
        if not self._allows("div"):
            products = ()
        settings = seeker_settings(products, logarithmic(target.transform))
        if self.functions is not None:
            settings = settings.changed(functions=self.functions)
        further = (("neutral", NEUTRAL, self.options.neutral), ("round", ROUND, self.options.rounding))
        kinds = settings.variation.more_mutations
        settings = settings.changed(more_mutations=(*kinds, *((k, f) for k, f, on in further if on)))
        if not self.options.products or target.restarts % 2:
            settings = settings.changed(product_frequency=0.0)
        if self.options.portfolio and target.restarts % 4 >= 2:
            settings = settings.changed(
                max_genes=int(self.rng.integers(1, 7)),
                max_nodes=int(self.rng.integers(9, 21)),
                node_price=float(np.exp(self.rng.uniform(np.log(3.0), np.log(25.0)))),
            )
        return settings

    def _picture(self, features: list[int]) -> Picture:
        """Better variables: what units say, and symmetries that the data show."""
        known = None if self.dimensions is None else by_units(self.rows_given, self.dimensions)
        # Without the target's unit what is seen may contradict the others.
        blind = known is None and self.dimensions is not None
        if blind or not self.options.symmetries or not self._allows("div", "mul", "sub"):
            return Picture(known)
        return picture(self.rows_given, self.y, features, known, self._allows)

    def _allows(self, *names: str) -> bool:
        """Has the user chosen these functions, or none at all?"""
        return self.functions is None or set(names) <= {name for name, _, _ in self.functions}

    def _dataset(self, target: Target, y: Floats, rows: npt.NDArray[np.intp] | None) -> Dataset:
        rows = np.arange(len(y)) if rows is None else rows
        Z = self.X[rows][:, target.features] / self.scales[target.features]
        fixed = None
        if logarithmic(target.transform):
            columns = [k for k, j in enumerate(target.features) if np.all(self.X[:, j] != 0.0)]
            fixed = np.log(np.abs(Z[:, columns])) if columns else None
        with np.errstate(all="ignore"):  # that it is finite on all rows was seen to
            transformed = target.transform.forward(y[rows])
        return Dataset(Z, transformed, None, fixed)

    def _take(self, individual: Individual, target: Target, y: Floats) -> None:
        """Look at a find on all rows."""
        features, scales = target.features, self.scales[target.features]
        data = self._dataset(target, y, None)
        tuned = individual.refine(
            data, laws.POLISH if 1.0 - individual.fitness < 1e-4 else Refinement(decay=0.0)
        )
        if not np.isfinite(tuned.fitness):
            return
        whole, powers = self._with_fixed(tuned, target, y, features)
        powers = {
            j: powers.get(j, 0.0) + target.peeled.get(j, 0.0) for j in powers.keys() | target.peeled.keys()
        }
        try:
            expression = laws.as_expression(
                whole, target.transform, features, scales, powers, target.sign, self.signs, self.X
            )
        except (OverflowError, ValueError):  # a constant beyond what floating point holds
            return
        if self.meaning:
            expression = powers_joined(substitute(expression, self.meaning), self.positive)
        target.best = min(target.best, self.finds.take(expression, target.sign is None))

    def make_brief(self, most: int) -> None:
        """Shorten the most convincing finds."""
        if self.options.brief:
            self.evaluations += BRIEF_WORK * self.finds.make_brief(most)

    def _with_fixed(
        self, tuned: Individual, target: Target, y: Floats, features: list[int]
    ) -> tuple[Individual, dict[int, float]]:
        """Coefficients of the columns that every model of ln|y| has: exponents of the features."""
        if not logarithmic(target.transform):
            return tuned, {}
        Z = self.X[:, features] / self.scales[features]
        left = target.transform.forward(y) - tuned.gene_values(np.ascontiguousarray(Z)) @ np.array(
            tuned.coefficients
        )
        columns = [j for j in features if np.all(self.X[:, j] != 0.0)]
        A = np.column_stack([np.ones(len(y)), *(np.log(np.abs(self.X[:, j])) for j in columns)])
        solution = np.linalg.lstsq(A, left, rcond=None)[0]
        powers = {j: float(e) for j, e in zip(columns, solution[1:], strict=True) if abs(e) > 1e-7}
        return Individual(tuned.genes, float(solution[0]), tuned.coefficients), powers


def _tuned(genes: list[Expression], data: Dataset) -> Individual | None:
    try:
        texts = [laws.engine_text(gene) for gene in genes] or ["0.0"]
        tuned = Individual(texts, 0.0, [1.0] * len(texts)).refine(data, QUICK)
    except (ValueError, OverflowError):
        return None
    return tuned if np.isfinite(tuned.fitness) else None


def _rank(individual: Individual) -> tuple[float, int]:
    """What leaves nothing but rounding comes first, then what is promising, shorter ones first."""
    left = 1.0 - individual.fitness
    return (0.0 if left < NOTHING_LEFT else max(left, PROMISING)), individual.complexity


def _price(individual: Individual, n: int) -> float:
    """What `brief.price` says, roughly and at once: every number counts as fitted."""
    return criterion(1.0 - individual.fitness, n, individual.n_parameters, individual.complexity)


def _scales(X: Floats, n_features: int) -> Floats:
    """Powers of two near the features' sizes: scaling by them changes no digit. Better variables have a scale of their own."""
    size = np.abs(X).max(axis=0)
    usable = np.isfinite(size) & (size > 0.0)
    exponents = np.round(np.log2(np.where(usable, size, 1.0)))
    near = np.where(np.arange(X.shape[1]) < n_features, 5, 8)
    return np.where(np.abs(exponents) <= near, 1.0, 2.0**exponents)

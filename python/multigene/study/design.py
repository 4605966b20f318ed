"""The design of a study: which problems, which methods, how many seeds, which limits, which test.

A design is read from TOML (a shipped one by name, or a file) into frozen dataclasses, kept in the store as
JSON, and made into a `Study`: the problems and methods as objects, and the list of runs that `runner.py`
works off.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

from multigene.study import methods, own_problems, problems
from multigene.study.errors import StudyError, nearest, unknown
from multigene.study.limits import NO_LIMIT, Limit
from multigene.study.methods import Method
from multigene.study.problems import Problem


@dataclass(frozen=True, order=True)
class Run:
    """One cell of the cross product: a problem, a method, a limit (by label), a seed."""

    problem: str
    method: str
    limit: str
    seed: int


_KINDS: tuple[tuple[str, tuple[type, ...], str], ...] = (
    ("title", (str,), "a text"),
    ("baseline", (str,), "the name of a method"),
    ("alpha", (int, float), "a number between 0 and 1"),
    ("comparisons", (int,), "a whole number from 1"),
    ("resolution", (int, float), "a number from 0"),
)
MOST_SEEDS = 1_000_000


@dataclass(frozen=True)
class Design:
    """What a study is; everything a run's result depends on is named here or in the code."""

    title: str
    problems: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...]
    limits: tuple[Limit, ...]
    baseline: str = "baseline"
    alpha: float = 0.05
    comparisons: int = 11
    resolution: float = 1e-9
    own_problems: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    own_methods: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for what in ("problems", "methods", "seeds", "limits"):
            values = getattr(self, what)
            if not values:
                raise StudyError(f"the design has no {what}; name at least one")
            if len(set(values)) != len(values):
                raise StudyError(f"the design names a member of its {what} twice: {_repeated(values)!r}")
        labels = tuple(limit.label for limit in self.limits)
        if len(set(labels)) != len(labels):
            raise StudyError(f"the design has two limits called {_repeated(labels)!r}; keep one clock for it")
        for name, kinds, word in _KINDS:
            value = getattr(self, name)
            if not isinstance(value, kinds) or isinstance(value, bool):
                raise StudyError(f"{name} is {value!r}; give {word}")
        if not 0 < self.alpha < 1:
            raise StudyError(f"alpha is {self.alpha}; a significance level lies between 0 and 1")
        if self.comparisons < 1:
            raise StudyError(f"comparisons is {self.comparisons}; the Bonferroni correction needs at least 1")
        if not 0 <= self.resolution < 1:
            raise StudyError(f"resolution is {self.resolution}; it must be at least 0 and below 1")

    def restricted(
        self,
        problems: Iterable[str] = (),
        methods: Iterable[str] = (),
        seeds: int | None = None,
        limits: Iterable[Limit] = (),
    ) -> Design:
        """The same design with other problems, methods, number of seeds or limits, where given."""
        return replace(
            self,
            problems=tuple(problems) or self.problems,
            methods=tuple(methods) or self.methods,
            seeds=self.seeds if seeds is None else tuple(range(seeds)),
            limits=tuple(limits) or self.limits,
        )

    def to_dict(self) -> dict[str, Any]:
        """The design as plain data, which `design_from` reads back."""
        data = asdict(self)
        data["limits"] = [
            {key: value for key, value in limit.items() if value is not None and value != ()}
            for limit in data["limits"]
        ]
        data["problem"], data["method"] = data.pop("own_problems"), data.pop("own_methods")
        return data


def _repeated(values: tuple[Any, ...]) -> Any:
    return next(value for place, value in enumerate(values) if value in values[:place])


def shipped() -> tuple[str, ...]:
    """The names of the designs that come with the package."""
    directory = resources.files("multigene.study") / "configurations"
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in directory.iterdir()))


def read_design(name_or_path: str | Path) -> Design:
    """A shipped design by name, or one of the user's own from a TOML file."""
    path = Path(name_or_path)
    if path.suffix != ".toml" and str(name_or_path) in shipped():
        text = (resources.files("multigene.study") / "configurations" / f"{name_or_path}.toml").read_text(
            "utf-8"
        )
        return design_from(tomllib.loads(text), Path.cwd())
    if not path.exists():
        hint = nearest(str(name_or_path), shipped())
        raise StudyError(f"there is no design {str(name_or_path)!r}, neither shipped nor a TOML file{hint}")
    try:
        return design_from(tomllib.loads(path.read_text("utf-8")), path.parent)
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise StudyError(f"{path} is not a readable TOML file: {error}") from error


def design_from(data: Mapping[str, Any], directory: Path) -> Design:
    """The design in plain data (parsed TOML or JSON); relative paths of CSV files are taken from `directory`."""
    known = [name for name in (f.name for f in fields(Design)) if not name.startswith("own_")]
    for key in data:
        if key not in (*known, "problem", "method"):
            raise StudyError(
                f"the design has an unknown key {key!r}{nearest(key, [*known, 'problem', 'method'])}"
            )
    own, own_methods = _tables("problem", data), _tables("method", data)
    for name, table in own.items():
        if "csv" in table:
            own[name] = {**table, "csv": str((directory / str(table["csv"])).resolve())}
    limits = data.get("limits", [{"generations": 1000}])
    if not isinstance(limits, (list, tuple)):
        raise StudyError(f"limits is {limits!r}; write each limit as a table [[limits]]")
    scalars = {key: data[key] for key in (name for name, *_ in _KINDS) if key in data}
    return Design(
        problems=_names("problems", data, own),
        methods=_names("methods", data, own_methods),
        seeds=_seeds(data.get("seeds", 30)),
        limits=tuple(_limit(table) for table in limits),
        own_problems=own,
        own_methods=own_methods,
        **{"title": "A study", **scalars},
    )


def _tables(kind: str, data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The user's own problems or methods by name, each a table."""
    tables = data.get(kind, {})
    if not isinstance(tables, Mapping):
        raise StudyError(f"{kind} is {tables!r}; write it as a table with a name, [{kind}.NAME]")
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise StudyError(f"{kind}.{name} must be a table, written as [{kind}.{name}]")
        for key in ("csv", "target", "split", "title", "class", "regressor"):
            if not isinstance(table.get(key, ""), str):
                raise StudyError(f"{kind}.{name}.{key} is {table[key]!r}; give a text in quotes")
        for key in ("parameters", "limits", "unlimited"):
            if not isinstance(table.get(key, {}), Mapping):
                raise StudyError(f"{kind}.{name}.{key} is {table[key]!r}; give a table {{name = value}}")
    return {name: dict(table) for name, table in tables.items()}


def _names(key: str, data: Mapping[str, Any], own: Mapping[str, Any]) -> tuple[str, ...]:
    listed = data.get(key, list(own))
    if not isinstance(listed, (list, tuple)) or not all(isinstance(name, str) for name in listed):
        raise StudyError(f"{key} must be a list of names, got {listed!r}")
    return (*listed, *(name for name in own if name not in listed))


def _seeds(value: object) -> tuple[int, ...]:
    # Every generator of random numbers takes seeds of 32 bits.
    if type(value) is int and 0 < value <= MOST_SEEDS:
        return tuple(range(value))
    if isinstance(value, (list, tuple)) and all(type(seed) is int and 0 <= seed < 2**32 for seed in value):
        return tuple(value)
    raise StudyError(
        f"seeds is {value!r}; give how many (30, at most {MOST_SEEDS:,}) or a list of whole numbers below 2^32"
    )


def _limit(table: object) -> Limit:
    known = {f.name for f in fields(Limit)}
    if not isinstance(table, Mapping) or not set(table) <= known:
        raise StudyError(
            f"a limit is a table with generations, seconds (and their clock) or both, got {table!r}; "
            f"its keys are {', '.join(sorted(known))}"
        )
    return Limit(**table)


@dataclass(frozen=True)
class Study:
    """A design made concrete: the objects behind its names, and its runs in the order they are worked off."""

    design: Design
    problems: Mapping[str, Problem]
    methods: Mapping[str, Method]
    runs: tuple[Run, ...]

    def limit(self, label: str) -> Limit | None:
        """The limit of this label; None for methods that end by themselves."""
        return next((limit for limit in self.design.limits if limit.label == label), None)


def build_study(design: Design, data_directory: str | Path | None = None, prepare: bool = True) -> Study:
    """Finds and checks everything the design names, before the first run starts.

    Seeds are the outermost loop, so that an unfinished study already covers every problem and method.
    """
    made_problems: dict[str, Problem] = {}
    for name in design.problems:
        if name in design.own_problems:
            problem = own_problems.own_problem(name, design.own_problems[name])
        elif name in problems.REGISTRY or name.casefold() in map(str.casefold, problems.REGISTRY):
            problem = problems.problem_named(name, data_directory)
        else:
            raise unknown("problem", name, [*problems.REGISTRY, *design.own_problems])
        made_problems[problem.name] = problem
    made_methods: dict[str, Method] = {}
    for name in design.methods:
        if name in design.own_methods:
            method = methods.own_method(name, design.own_methods[name])
        elif name.casefold() in map(str.casefold, design.own_methods):
            raise unknown("method", name, design.own_methods)
        else:
            method = methods.method_named(name)
        made_methods[method.name] = method
    if prepare:
        for problem in made_problems.values():
            _prepare(problem, design.seeds[0])
        for method in made_methods.values():
            limit = next(filter(method.honours, design.limits), None)
            first = next(iter(made_problems))
            method.build(design.seeds[0], None if limit is None else limit.on(first, method.name))
    runs = [
        Run(problem, method.name, label, seed)
        for seed in design.seeds
        for problem in made_problems
        for method in made_methods.values()
        for label in _labels(method, design.limits)
    ]
    baseline = {name.casefold(): name for name in made_methods}.get(
        design.baseline.casefold(), design.baseline
    )
    if baseline not in (*made_methods, *design.own_methods, *methods.REGISTRY):
        raise unknown("method to be the baseline,", baseline, made_methods)
    exact = replace(design, problems=tuple(made_problems), methods=tuple(made_methods), baseline=baseline)
    return Study(exact, made_problems, made_methods, tuple(runs))


def _prepare(problem: Problem, seed: int) -> None:
    try:
        problem.prepare()
        problems.check_split(problem, problem.sample(seed))
    except StudyError:
        raise
    except Exception as error:  # a user's class may raise anything
        raise StudyError(
            f"problem {problem.name!r} cannot be sampled: {type(error).__name__}: {error}"
        ) from error


def _labels(method: Method, limits: tuple[Limit, ...]) -> list[str]:
    if not method.limited_by:
        return [NO_LIMIT]
    honoured = [limit.label for limit in limits if method.honours(limit)]
    if not honoured:
        ways = " or ".join(sorted(method.limited_by))
        raise StudyError(
            f"method {method.name!r} can be limited by {ways} only; add such a limit to the design"
        )
    return honoured

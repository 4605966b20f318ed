"""The methods a study compares: the nine configurations, the product's default, any scikit-learn regressor.

A method builds a regressor for a seed and a limit, and describes the fitted one (formula, size, LCF share,
depth). All are run by the same protocol in `execution.py`. The registry holds the ready ones; `own_method`
makes one from a table `[method.NAME]`.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from multigene.settings.paper import CODENAMES
from multigene.settings.settings import Clock
from multigene.study.errors import StudyError, nearest, unknown
from multigene.study.import_path import import_named
from multigene.study.limits import AUTHORS_SECONDS, Limit

#: Configurations whose LCF weights are random at birth (the paper's footnote 1: three of them were run and left out).
RANDOM_BIRTH = ("UM-random", "UB-random", "UC-random")
HISTORY_POINTS = 200


@dataclass(frozen=True)
class Description:
    """What is known of a fitted model beside its predictions; None where the method has no such thing."""

    formula: str | None = None
    size: int | None = None
    lcf_share: float | None = None
    depth: int | None = None
    genes: int | None = None
    generations: int | None = None
    history: tuple[tuple[float, int | None, float], ...] = ()


Build = Callable[[int, Limit | None], Any]


@dataclass(frozen=True)
class Method:
    """A named way to build regressors.

    `limited_by` tells which limits the method can honour: a run with a limit it cannot honour is not made; a
    method that honours none ends by itself and is run once per problem and seed. `takes_names` tells that its
    formulas use the columns' names, so it is given frames instead of arrays.
    """

    name: str
    title: str
    build: Build
    settings: Mapping[str, Any] = field(default_factory=dict)
    limited_by: frozenset[str] = frozenset()
    takes_names: bool = False
    one_population: bool = False
    """A configuration of the paper: one population, which can be looked at on its way."""

    def honours(self, limit: Limit) -> bool:
        """Whether the method can be stopped by this limit."""
        return bool(limit.amounts.keys() & self.limited_by)

    def specification(self) -> dict[str, str]:
        """What identifies the method in a store: methods of one name and other settings never mix."""
        return {key: json.dumps(value, sort_keys=True, default=repr) for key, value in self.settings.items()}


def describe(model: Any, feature_names: tuple[str, ...]) -> Description:
    """What a fitted model tells about itself, by the attributes it has (our names first, then other
    libraries').
    """
    return Description(
        formula=_formula(model, feature_names),
        size=_whole(model, "n_nodes_"),
        lcf_share=_real(model, "lcf_share_"),
        depth=_whole(model, "depth_"),
        genes=_whole(model, "n_genes_"),
        generations=_whole(model, "n_generations_"),
        history=history(model),
    )


def history(model: Any) -> tuple[tuple[float, int | None, float], ...]:
    """The best training R² so far as (seconds, evaluations, R²), thinned to a few hundred points."""
    records = getattr(model, "history_", None)
    if records is None:
        return ()
    # A frame of the product, or any sequence of records with these attributes.
    rows = records.itertuples() if hasattr(records, "itertuples") else records
    points: list[tuple[float, int | None, float]] = []
    best = -np.inf
    for row in rows:
        fitness = np.atleast_1d(np.asarray(row.fitness, dtype=np.float64))
        finite = fitness[np.isfinite(fitness)]
        best = max(best, float(finite.max())) if len(finite) else best
        if np.isfinite(best):
            evaluations = getattr(row, "evaluations", None)
            points.append((float(row.seconds), None if evaluations is None else int(evaluations), best))
    return thinned(points)


def thinned(points: Sequence[tuple[float, int | None, float]]) -> tuple[tuple[float, int | None, float], ...]:
    """A few hundred points of a curve: most of the progress is early, so steps are logarithmic."""
    if len(points) > HISTORY_POINTS:
        kept = np.unique(np.geomspace(1, len(points), HISTORY_POINTS).round().astype(int)) - 1
        points = [points[i] for i in kept]
    return tuple(points)


def _formula(model: Any, feature_names: tuple[str, ...]) -> str | None:
    ways: tuple[Callable[[], str], ...] = (
        lambda: str(model.formula_),
        lambda: str(model.get_model_string(model.model_, 6)),  # pyoperon
        lambda: str(model._program),  # gplearn
        lambda: _linear(model, feature_names),
    )
    for way in ways:
        try:
            return way()
        except (AttributeError, TypeError, ValueError):  # not this library's model: the next way
            continue
    return None


def _linear(model: Any, feature_names: tuple[str, ...]) -> str:
    terms = [f"{model.intercept_:.6g}"]
    terms += [f"{weight:+.6g}*{name}" for weight, name in zip(model.coef_, feature_names, strict=True)]
    return " ".join(terms)


def _whole(model: Any, attribute: str) -> int | None:
    value = getattr(model, attribute, None)
    return None if value is None else int(value)


def _real(model: Any, attribute: str) -> float | None:
    value = getattr(model, attribute, None)
    return None if value is None else float(value)


def multigene_method(name: str, title: str, parameters: Mapping[str, Any]) -> Method:
    """The product's own regressor with these keyword parameters."""

    paper = parameters.get("configuration") is not None
    limits = {"generations", "seconds", "processor seconds"} | (
        {AUTHORS_SECONDS} if name in (*CODENAMES, *RANDOM_BIRTH) else set()
    )
    return Method(
        name,
        title,
        _Multigene(dict(parameters)),
        {"multigene": "MultigeneRegressor", **parameters},
        frozenset(limits),
        takes_names=True,
        one_population=paper,
    )


@dataclass(frozen=True)
class _Multigene:
    """Builds the product's regressor; a class, not a closure, so that it travels to worker processes."""

    parameters: dict[str, Any]

    def __call__(self, seed: int, limit: Limit | None) -> Any:
        # Only here: problems, tables and comparisons with other regressors need no compiled engine.
        made = import_named("multigene:MultigeneRegressor", "estimator")
        assert limit is not None, "the product's methods always run under a limit"
        parameters = dict(self.parameters)
        if limit.clock != "wall":
            parameters["settings"] = _with_clock(parameters.get("settings"), limit.clock)
        own = {
            "generations": limit.generations,
            "time_limit": limit.seconds,
            "random_state": seed,
            "n_jobs": 1,
        }
        taken = sorted(own.keys() & parameters.keys())
        if taken:
            raise StudyError(f"{taken[0]!r} is the study's to set, by seeds and limits; leave it out")
        try:
            model = made(**parameters, **own)
            model.resolved_settings()  # what fit would refuse is refused before the first run
        except (TypeError, ValueError) as error:
            raise StudyError(f"MultigeneRegressor does not take the settings given: {error}") from error
        return model


def _with_clock(settings: Any, clock: Clock) -> Any:
    """Settings of the product (none, a dict or an object) whose seconds are those of this clock."""
    if hasattr(settings, "changed"):
        return settings.changed(clock=clock)
    return {**(settings or {}), "clock": clock}


@dataclass(frozen=True)
class _Regressor:
    """Builds any scikit-learn regressor by import path, with the seed and the limits where it takes them."""

    path: str
    parameters: dict[str, Any]
    limits: dict[str, str]
    unlimited: dict[str, Any] = field(default_factory=dict)

    def __call__(self, seed: int, limit: Limit | None) -> Any:
        made = import_named(self.path, "regressor")
        chosen = {**self.unlimited, **self.parameters}
        for quantity, parameter in self.limits.items():
            if limit is not None and quantity in limit.amounts:
                chosen[parameter] = limit.amounts[quantity]
        try:
            model = made(**chosen)
        except TypeError as error:
            raise StudyError(
                f"regressor {self.path!r} does not take the parameters given: {error}"
            ) from error
        if not callable(getattr(model, "fit", None)) or not callable(getattr(model, "predict", None)):
            raise StudyError(f"{self.path!r} is not a regressor: it has no fit and predict")
        if "random_state" in model.get_params(deep=False) and "random_state" not in self.parameters:
            model.set_params(random_state=seed)
        return model


def regressor_method(
    name: str,
    title: str,
    path: str,
    parameters: Mapping[str, Any] | None = None,
    limits: Mapping[str, str] | None = None,
    unlimited: Mapping[str, Any] | None = None,
) -> Method:
    """Any scikit-learn regressor by import path.

    `limits` maps "generations" and "seconds" to the regressor's own parameters; `unlimited` are values
    for those parameters when the limit does not speak of them.
    """
    parameters, limits = dict(parameters or {}), dict(limits or {})
    for quantity in limits:
        if quantity not in ("generations", "seconds"):
            raise StudyError(f"method {name!r} limits {quantity!r}; a limit is generations or seconds")
    build = _Regressor(path, parameters, limits, dict(unlimited or {}))
    settings = {"regressor": path, **parameters, **({"limits": limits} if limits else {})}
    return Method(name, title, build, settings, frozenset(limits))


def _scaled_ridge() -> Any:
    """Ridge regression on standardised features, its strength chosen by leave-one-out."""
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), RidgeCV(alphas=np.logspace(-4, 4, 17)))


def _registry() -> dict[str, Method]:
    modes = {"U": "unsynchronised", "S": "synchronised", "G": "globally synchronised"}
    tunings = {"M": "mutation", "B": "backpropagation", "C": "mutation and backpropagation"}
    made = [multigene_method("baseline", "multi-gene GP without LCFs", {"configuration": "baseline"})]
    for code in CODENAMES[1:]:
        title = f"{modes[code[0]]} LCFs tuned by {tunings[code[1]]}"
        made.append(multigene_method(code, title, {"configuration": code}))
    for name in RANDOM_BIRTH:
        code = name.removesuffix("-random")
        title = f"{code} with random weights at birth"
        made.append(
            multigene_method(name, title, {"configuration": code, "settings": {"lcf_birth": "random"}})
        )
    made += [
        multigene_method("multigene", "the product's default", {}),
        regressor_method("linear", "least squares", "sklearn.linear_model:LinearRegression"),
        regressor_method("ridge", "ridge on standardised features", f"{__name__}:_scaled_ridge"),
        regressor_method(
            "random forest", "random forest", "sklearn.ensemble:RandomForestRegressor", {"n_jobs": 1}
        ),
        regressor_method(
            "gradient boosting",
            "histogram gradient boosting",
            "sklearn.ensemble:HistGradientBoostingRegressor",
        ),
    ]
    if importlib.util.find_spec("pyoperon") is not None:
        made.append(
            regressor_method(
                "pyoperon",
                "Operon",
                "pyoperon.sklearn:SymbolicRegressor",
                {"n_threads": 1},
                {"generations": "generations", "seconds": "time_limit"},
                {"generations": 10**9, "max_evaluations": 10**12},
            )
        )
    if importlib.util.find_spec("gplearn") is not None:
        made.append(
            regressor_method(
                "gplearn",
                "gplearn",
                "gplearn.genetic:SymbolicRegressor",
                {"n_jobs": 1},
                {"generations": "generations"},
            )
        )
    return {method.name: method for method in made}


REGISTRY = _registry()


def method_named(name: str) -> Method:
    """The ready method of this name."""
    by_folded = {known.casefold(): known for known in REGISTRY}
    if name.casefold() == "gm":
        raise StudyError(
            "there is no configuration GM: one mutation of a global LCF would change every individual "
            "at once (paper, section 3.3.3); use GB or GC"
        )
    if name.casefold() not in by_folded:
        raise unknown("method", name, REGISTRY)
    return REGISTRY[by_folded[name.casefold()]]


def own_method(name: str, table: Mapping[str, Any]) -> Method:
    """The method described by a table `[method.NAME]`.

    With `regressor = "module:Class"` (and `parameters`, `limits`, `unlimited`) any scikit-learn regressor;
    otherwise every key is a keyword parameter of MultigeneRegressor.
    """
    if "regressor" not in table:
        title = str(table.get("title", "multigene with own settings"))
        return multigene_method(name, title, {key: value for key, value in table.items() if key != "title"})
    keys = ("regressor", "parameters", "limits", "unlimited", "title")
    for key in table:
        if key not in keys:
            raise StudyError(f"method {name!r} has an unknown key {key!r}{nearest(key, keys)}")
    return regressor_method(
        name,
        str(table.get("title", table["regressor"])),
        table["regressor"],
        table.get("parameters"),
        table.get("limits"),
        table.get("unlimited"),
    )

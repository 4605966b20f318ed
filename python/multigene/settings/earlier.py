"""Settings of model files that earlier versions wrote: retired names are left out, values that were fixed then are filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multigene.settings.defaults import READABLE_DEPENDENCE

#: Settings that are no longer there, by part: their values made no difference in any benchmark, or were never changed.
RETIRED: dict[str, tuple[str, ...]] = {
    "seeking": ("portfolio", "adaptive", "brief", "neutral", "rounding", "rows", "unit", "most_features"),
    "tuning": ("step_growth", "step_shrinkage", "min_step", "max_step"),
    "search": ("compact", "finish", "largest_exponent"),
}


def as_they_were(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Settings of a file as this version reads them."""
    parts = {name: _without(part, RETIRED.get(name, ())) for name, part in settings.items()}
    genes, search, refinement = (parts.get(name) for name in ("genes", "search", "refinement"))
    if isinstance(genes, dict):
        genes.setdefault("dependent_below", READABLE_DEPENDENCE)
    if isinstance(search, dict) and "compact" in settings["search"]:
        search.setdefault("short", False)  # before there was an island for short formulas
    if isinstance(refinement, dict) and refinement.get("bound") == "inf":
        refinement["bound"] = None
    return parts


def _without(part: Any, names: tuple[str, ...]) -> Any:
    return {name: part[name] for name in part if name not in names} if isinstance(part, dict) else part

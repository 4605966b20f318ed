"""multigene: symbolic regression that finds short, accurate formulas in data.

    from multigene import MultigeneRegressor
    model = MultigeneRegressor(random_state=0).fit(X, y)
    print(model)

Names are imported when they are first used, so that `import multigene` itself takes no time. Where things are: ARCHITECTURE.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multigene.estimator import MultigeneRegressor
    from multigene.estimators.classifier import MultigeneClassifier, load
    from multigene.estimators.transformer import MultigeneTransformer
    from multigene.formula import Formula
    from multigene.search.progress import Progress
    from multigene.settings.paper import configuration
    from multigene.settings.settings import Settings

    __version__: str

__all__ = [
    "Formula",
    "MultigeneClassifier",
    "MultigeneRegressor",
    "MultigeneTransformer",
    "Progress",
    "Settings",
    "__version__",
    "configuration",
    "load",
]

_HOMES = {
    "Formula": "multigene.formula",
    "MultigeneClassifier": "multigene.estimators.classifier",
    "MultigeneRegressor": "multigene.estimator",
    "MultigeneTransformer": "multigene.estimators.transformer",
    "Progress": "multigene.search.progress",
    "Settings": "multigene.settings.settings",
    "configuration": "multigene.settings.paper",
    "load": "multigene.estimators.classifier",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":  # that of Cargo.toml, by way of the installed package
        from importlib.metadata import version

        return version("multigene")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'multigene' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

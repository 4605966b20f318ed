"""The paper's experiment as a tool: problems × methods × seeds, their statistics, tables and figures.

What comes in is a design; what goes out is a store (SQLite) of results, and tables, figures and a page made of it.

    from multigene.study import Store, build_study, read_design, results, run_study

    study = build_study(read_design("smoke"))
    with Store.create("study.db") as store:
        run_study(study, store)
        found = results(store)

Flow: `design` names what is compared, `problems` and `methods` are the things compared, `execution` performs
one run, `runner` runs them all and saves results in the `store`; `statistics`, `tables`, `figures` and `page` read
it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multigene.study.cluster import DaskCluster
    from multigene.study.design import Design, Study, build_study, read_design
    from multigene.study.errors import StudyError
    from multigene.study.limits import Limit
    from multigene.study.methods import Method
    from multigene.study.problems import Problem, Split, problem_named
    from multigene.study.runner import LocalProcesses, run_study
    from multigene.study.statistics import Results, results
    from multigene.study.store import Store

_HOME = {
    **dict.fromkeys(("DaskCluster",), "cluster"),
    **dict.fromkeys(("Design", "Study", "build_study", "read_design"), "design"),
    **dict.fromkeys(("StudyError",), "errors"),
    "Limit": "limits",
    "Method": "methods",
    **dict.fromkeys(("Problem", "Split", "problem_named"), "problems"),
    **dict.fromkeys(("LocalProcesses", "run_study"), "runner"),
    **dict.fromkeys(("Results", "results"), "statistics"),
    **dict.fromkeys(("Store",), "store"),
}

__all__ = [
    "DaskCluster",
    "Design",
    "Limit",
    "LocalProcesses",
    "Method",
    "Problem",
    "Results",
    "Split",
    "Store",
    "Study",
    "StudyError",
    "build_study",
    "problem_named",
    "read_design",
    "results",
    "run_study",
]


def __getattr__(name: str) -> Any:
    """Loads a public name when it is first asked for: problems must not cost the import of SciPy and Dask."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)

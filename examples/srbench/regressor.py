"""multigene as a method of SRBench: copy this folder to its `experiment/methods/multigene`.

SRBench imports `est`, `hyper_params` and `eval_kwargs`, sets `est.random_state` and `est.max_time`, fits,
and asks `model(est, X)` for the formula as text that SymPy reads, in the column names of `X`.
"""

from __future__ import annotations

import os
from typing import Any

from multigene import Formula, MultigeneRegressor

#: Share of `max_time` given to the search; the rest is for reading, predicting and printing.
SEARCH_SHARE = 0.97


class SRBenchRegressor(MultigeneRegressor):
    """`MultigeneRegressor` under the parameter names that SRBench sets."""

    def __init__(
        self,
        max_time: float = 3600,
        random_state: Any = None,
        configuration: str | None = None,
        generations: int | None = None,
        population_size: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            configuration,
            random_state=random_state,
            generations=generations,
            n_jobs=n_jobs,
        )
        self.max_time = max_time
        self.population_size = population_size

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SRBenchRegressor:
        """Search until `max_time` (seconds) is almost over, on the cores SRBench allows."""
        self.time_limit = SEARCH_SHARE * self.max_time
        self.settings = None if self.population_size is None else {"population_size": self.population_size}
        allowed, self.n_jobs = self.n_jobs, self.n_jobs or int(os.environ.get("OMP_NUM_THREADS", "1"))
        try:
            super().fit(X, y, sample_weight)
        finally:
            self.n_jobs = allowed
        return self


est = SRBenchRegressor()

#: Nothing to tune: the search adapts itself.
hyper_params: list[dict[str, list[Any]]] = [{}]


def model(est: MultigeneRegressor, X: Any = None) -> str:
    """The formula for SymPy, all digits kept, in the column names of `X` (`x0`, `x1`, … for arrays)."""
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else est.formula_.feature_names
    return str(Formula(est.formula_.expression, names).to("sympy"))


def complexity(est: MultigeneRegressor) -> int:
    """Nodes of the printed formula."""
    return est.formula_.size


def pre_train(est: SRBenchRegressor, X: Any, y: Any) -> None:
    """SRBench allows an hour up to 1,000 rows and ten hours beyond."""
    est.max_time = 3600 if len(y) <= 1000 else 36000


eval_kwargs: dict[str, Any] = {
    "scale_x": False,
    "scale_y": False,
    "test_params": {"max_time": 5, "generations": 20},
}

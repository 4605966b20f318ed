"""What a fitted model shows: report, plots, and how a notebook displays it. `MultigeneRegressor` inherits
these.

Everything is imported when it is first asked for, so that fitting needs neither Jinja2 nor matplotlib nor
Plotly.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from multigene.report.plots import Plots


class Looking:
    """Report, plots and notebook display of a fitted regressor."""

    def report(
        self, path: str | Path, X: Any = None, y: Any = None, X_test: Any = None, y_test: Any = None
    ) -> None:
        """Write one self-contained HTML page about the model: formula, front, fit, genes, importance,
        exports, settings.

        Without rows the page shows those that the fitted model keeps (a sample where there are very many;
        none after loading from a file). Needs the extra `multigene[report]`.
        """
        check_is_fitted(self)
        from multigene.report import write_report

        write_report(self, path, X, y, X_test, y_test)  # type: ignore[arg-type]

    @property
    def plot(self) -> Plots:
        """Figures for papers and notebooks: `model.plot.front()`, `.fit()`, `.genes()` and so on."""
        check_is_fitted(self)
        from multigene.report.plots import Plots

        return Plots(self)  # type: ignore[arg-type]

    def _repr_latex_(self) -> str | None:
        formula = getattr(self, "formula_", None)
        return None if formula is None else str(formula._repr_latex_())

    def _repr_html_inner(self) -> str:
        from multigene.report.notebook import estimator_html

        return estimator_html(self, super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        return {**bundle, "text/html": self._repr_html_inner()} if "text/html" in bundle else bundle

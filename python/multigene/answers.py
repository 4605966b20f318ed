"""What a fitted estimator can be asked: every question goes to its `FittedModel`, rows checked on the way.

Report, figures and files are imported when they are first asked for, so that fitting needs neither Jinja2 nor matplotlib nor
Plotly.
"""

from __future__ import annotations

from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from multigene.data.arrays import checked_features, checked_rows
from multigene.data.training_rows import TrainingRows
from multigene.fitted import FittedModel
from multigene.formula import Digits

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd

    from multigene.explain.prune import Pruned
    from multigene.report.plots import Plots


def delegated(name: str, meaning: str) -> Any:
    """A fitted attribute of an estimator that its `FittedModel` has, or makes, under another name."""

    def answer(estimator: Any) -> Any:
        value = getattr(estimator.fitted_, name)
        return value() if isinstance(value, MethodType) else value

    return property(answer, doc=meaning)


class Answers:
    """The questions of an estimator that keeps its `FittedModel` as `_fitted`."""

    _fitted: FittedModel

    @property
    def fitted_(self) -> FittedModel:
        """All that the run left behind, as one value that never changes."""
        check_is_fitted(self)
        return self._fitted

    # --- the formula ------------------------------------------------------------------------------

    formula_ = delegated("formula", "The chosen formula.")
    choice_ = delegated("choice", "How the formula in use was chosen.")
    claim_ = delegated(
        "claim", "Whether it may be the law behind the rows: a grade and a probability, or None."
    )
    r2_ = delegated("r2", "R² of the chosen formula on the training rows.")
    outliers_ = delegated("outliers", "Rows that were left out as outliers, by number.")
    explained_ = delegated("explained", "Share of the best constant's loss that is explained.")
    certificate_ = delegated("certificate", "For every shape how well it is known that the formula has it.")
    n_genes_ = delegated("n_genes", "Genes that take part.")
    n_nodes_ = delegated("n_nodes", "Nodes of all genes.")
    depth_ = delegated("depth", "Largest depth of a gene.")
    lcf_share_ = delegated(
        "lcf_share", "Share of linear combinations among the leaves that are not constants."
    )
    history_ = delegated(
        "history", "Best fitness, complexity, evaluations and seconds after every generation."
    )
    n_generations_ = delegated("n_generations", "Number of generations of the run.")
    stopped_by_ = delegated("stopped_by", "Why the run ended.")

    def sympy(self) -> Any:
        """The chosen formula as a SymPy expression."""
        return self.fitted_.formula.sympy()

    def latex(self, digits: Digits = "few") -> str:
        """The chosen formula for LaTeX; `digits` as in `Formula.text`."""
        return self.fitted_.formula.latex(digits)

    # --- using ------------------------------------------------------------------------------------

    def predict(self, X: Any, index: int | None = None, interval: float | None = None) -> Any:
        """Prediction of the chosen formula, or of that of a row of `equations_`, for every row of `X`.

        With `interval=0.95` also the bounds that hold a new observation with that probability: (prediction, lower,
        upper). They suppose that the form of the formula is right; beyond the training rows they are too narrow.
        """
        fitted = self.fitted_
        X = checked_features(self, X, fitted.encoding)
        fitted = fitted if index is None else fitted.at(index)
        return fitted.predict(X) if interval is None else fitted.interval(X, interval)

    def metrics(self, X: Any, y: Any, sample_weight: Any = None) -> dict[str, float]:
        """R², RMSE, mean, median and largest absolute error, and bias of the chosen formula on any rows."""
        return self.fitted_.metrics(self._checked(X, y, sample_weight))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² of the prediction, as scikit-learn's regressors have it; the share of another loss that is explained (D²). A formula
        that has no finite value on some row has R² −∞ there."""
        return self.metrics(X, y, sample_weight)["r2" if self.fitted_.loss.squared else "explained"]

    def save(self, path: str | Path) -> None:
        """Write the model to a file that `multigene.load` reads: versioned JSON, written at once or not at all."""
        from multigene.model_file import save

        save(self.fitted_, path)

    def encode(self, X: Any) -> pd.DataFrame:
        """The numeric columns that the formula is made of, for a table with text, dates or gaps."""
        import pandas as pd

        fitted = self.fitted_
        return pd.DataFrame(checked_features(self, X, fitted.encoding), columns=fitted.names)

    # --- the front --------------------------------------------------------------------------------

    equations_ = delegated(
        "equations",
        """The front, smallest formula first: one row per model that no smaller one equals.

        Columns: `complexity` (nodes of the printed formula), `r2` (training), `validation_r2` (what formulas of at most this
        size were worth on rows held out during the first part of the run; NaN where none were), `rmse`, `mdl` (description
        length in bits), `bic`, `parameters` (printed numbers), `genes`, `source` ("search" or "pruned"), `formula`, `chosen`,
        `stability` (share of the searches of cross-validation whose formula of like size uses a column of this one, mean over
        its columns; NaN where there were none), `picks` (which of "simple", "balanced", "default" and "accuracy" it is).
        """,
    )

    def choose(self, criterion: str | int = "default") -> Self:
        """Use another formula of the front from now on, without fitting anything.

        `criterion` is a row of `equations_`, or "simple" (the best formula of at most 20 nodes), "balanced" (smallest that
        explains 95 % of what the default does), "default" (what the search itself chose: as large as rows held out allow),
        "accuracy" (highest training R²), "knee" (smallest that explains 98.5 % of what the default does), "validation", "mdl" or
        "bic" (best in that column). All but "accuracy" and "validation" take no formula larger than the default, nor one that
        unseen rows found clearly worse than a smaller one. `choice_` tells what is in use. Returns the model itself.
        """
        self._fitted = self.fitted_.choose(criterion)
        return self

    def rescore(self, X: Any, y: Any, sample_weight: Any = None) -> pd.DataFrame:
        """Every formula of the front on other rows: R², RMSE, mean, median, largest error, bias."""
        return self.fitted_.rescore(self._checked(X, y, sample_weight))

    def prune(
        self, max_loss: float = 0.001, X: Any = None, y: Any = None, sample_weight: Any = None
    ) -> Pruned:
        """Shorten the chosen formula at the cost of at most `max_loss` of training R², and use it from now on.

        Terms, weights and parts whose removal costs little are dropped one after the other, the rest refitted
        each time; then constants are rounded to as few digits as the loss allows. The front stays as it was
        with the shortened formula added; `choose("default")` goes back. On the training rows (at most 20,000), or on those given.
        """
        self._fitted, pruned = self.fitted_.prune(max_loss, self._given(X, y, sample_weight))
        return pruned

    # --- its parts and its certainty --------------------------------------------------------------

    def genes(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> pd.DataFrame:
        """The genes on the training rows, or on those given: formula, coefficient, share of variance, spread, and the loss
        of R² when each is left out and the rest is fitted anew."""
        return self.fitted_.genes(self._given(X, y, sample_weight))

    def importance(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, *, repeats: int = 5
    ) -> pd.DataFrame:
        """Importance of the variables on the training rows, or on those given: loss of R² when shuffled, and share of
        variance by gene."""
        return self.fitted_.importance(self._given(X, y, sample_weight), repeats)

    def variable_frequencies(self, least: float = 0.9) -> pd.DataFrame:
        """How often the good models of the front (at least this share of the best R²) use each variable."""
        return self.fitted_.variable_frequencies(least)

    transformations_ = delegated(
        "transformations", "The learned linear combinations: a row each, bias and weights."
    )
    parameters_ = delegated(
        "parameter_table", "The numbers of the formula as printed, with errors and 95 % intervals."
    )
    groups_ = delegated(
        "group_table", "The numbers that groups have for themselves, and last those of new groups."
    )

    def keep_rows(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep training rows with a model that was loaded from a file, as `fit` does: intervals, pruning and importance
        need them."""
        self._fitted = self.fitted_.with_rows(self._checked(X, y, sample_weight))
        return self

    def _given(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows | None:
        """The rows given, checked; None where none are, for the training rows."""
        if (X is None) != (y is None):
            raise ValueError("X and y belong together; give both, or neither for the training rows.")
        return None if X is None else self._checked(X, y, sample_weight)

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        X, y, weights = checked_rows(self, X, y, sample_weight, self.fitted_.encoding)
        return TrainingRows(X, y, weights, len(y))

    # --- what it shows ----------------------------------------------------------------------------

    def report(
        self,
        path: str | Path,
        X: Any = None,
        y: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        sample_weight: Any = None,
    ) -> None:
        """Write one self-contained HTML page about the model: formula, front, fit, genes, importance, exports, settings.

        Without rows the page shows those that the fitted model keeps (a sample where there are very many;
        none after loading from a file), weighted as in `fit`. Needs the extra `multigene[report]`.
        """
        from multigene.report import write_report

        write_report(self.fitted_, path, X, y, X_test, y_test, sample_weight)

    @property
    def plot(self) -> Plots:
        """Figures for papers and notebooks: `model.plot.front()`, `.fit()`, `.genes()` and so on."""
        from multigene.report.plots import Plots

        return Plots(self.fitted_)

"""Evolved genes as features: a transformer for any scikit-learn pipeline.

`MultigeneTransformer` runs a `MultigeneRegressor` and hands on the genes of its model as columns. For several
targets take scikit-learn's own `MultiOutputRegressor(MultigeneRegressor())`.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from multigene.data.arrays import checked_features
from multigene.estimator import MultigeneRegressor
from multigene.expression.build import weighted
from multigene.expression.genes import gene_expression
from multigene.expression.rewriting import simplify
from multigene.fitted import FittedModel
from multigene.formula import Formula
from multigene.settings.settings import gaps_of

Floats = npt.NDArray[np.float64]


class GeneColumns:
    """The genes of a fitted model as columns, each times its coefficient, finite for every row.

    With their coefficients the columns are on the scale of the target and add up to the prediction less
    the intercept, so that a regularised model after them starts from what the search has found.
    """

    def __init__(self, model: FittedModel, X: Floats) -> None:
        individual = model.individual
        used = [i for i, c in enumerate(individual.coefficients) if c != 0.0]
        self.individual = individual
        self.used = used or list(range(len(individual.coefficients)))
        self.scales = np.array([individual.coefficients[i] or 1.0 for i in self.used])
        self.formulas = [
            Formula(
                simplify(weighted(scale, gene_expression(individual, gene))), model.names, f"gene{number}"
            )
            for number, (gene, scale) in enumerate(zip(self.used, self.scales.tolist(), strict=True))
        ]
        values = self._raw(X)
        self.middle = np.nan_to_num(np.median(values, axis=0))
        self.low, self.high = np.nan_to_num(values.min(axis=0)), np.nan_to_num(values.max(axis=0))

    def values(self, X: Floats) -> Floats:
        """Value of every gene for every row.

        Where a gene has no finite value on new rows, it takes the nearest of the training rows (their
        median where it is not a number at all), so that what follows in a pipeline need not fail.
        """
        values = self._raw(X)
        values = np.where(np.isnan(values), self.middle, values)
        values = np.where(np.isposinf(values), self.high, values)
        return np.where(np.isneginf(values), self.low, values)

    def _raw(self, X: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(self.individual.gene_values(X)[:, self.used] * self.scales, dtype=np.float64)


class MultigeneTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Evolved genes as features.

    Parameters
    ----------
    regressor : MultigeneRegressor or None
        What evolves the genes; its parameters are those of this transformer (`regressor__time_limit`).
    keep_features : bool
        Put the original columns before the genes.

    Attributes
    ----------
    genes_ : list of Formula
        The genes, in the order of their columns.
    regressor_ : MultigeneRegressor
        The fitted regressor.

    Examples
    --------
    >>> make_pipeline(MultigeneTransformer(MultigeneRegressor(time_limit=10)), RidgeCV()).fit(X, y)
    """

    def __init__(self, regressor: MultigeneRegressor | None = None, *, keep_features: bool = False) -> None:
        self.regressor = regressor
        self.keep_features = keep_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultigeneTransformer:
        """Evolve genes that explain `y`."""
        base = MultigeneRegressor() if self.regressor is None else self.regressor
        self.regressor_ = clone(base).fit(X, y, sample_weight)
        self.n_features_in_ = self.regressor_.n_features_in_
        if hasattr(self.regressor_, "feature_names_in_"):
            self.feature_names_in_ = self.regressor_.feature_names_in_
        self._genes = GeneColumns(self.regressor_.fitted_, self._features(X))
        self.genes_ = self._genes.formulas
        return self

    def transform(self, X: Any) -> Floats:
        """Genes times their coefficients, one column each, after the original columns if those are kept."""
        check_is_fitted(self)
        X = self._features(X)
        values = self._genes.values(X)
        return np.hstack([X, values]) if self.keep_features else values

    @property
    def report(self) -> NoReturn:
        """There is none: it is about one formula."""
        raise AttributeError(_reported_by("report(path)"))

    @property
    def plot(self) -> NoReturn:
        """There is none."""
        raise AttributeError(_reported_by("plot.front()"))

    def _features(self, X: Any) -> Floats:
        return checked_features(self, X, self.regressor_.fitted_.encoding)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Names of the columns: `gene0`, `gene1`, …; `genes_` tells what they are."""
        check_is_fitted(self)
        names = [formula.target_name for formula in self.genes_]
        if self.keep_features:
            encoding = self.regressor_.fitted_.encoding
            kept = _check_feature_names_in(self, input_features) if encoding is None else encoding.names
            names = [*kept, *names]
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.regressor is None or gaps_of(self.regressor.settings) == "fill"
        return tags


def _reported_by(call: str) -> str:
    return (
        "MultigeneTransformer has no report or plots of its own, since those are about one formula; "
        f"use transformer.regressor_.{call}."
    )

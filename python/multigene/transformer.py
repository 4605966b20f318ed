"""Evolved genes as features: a transformer for any scikit-learn pipeline, and a classifier made of it.

`MultigeneTransformer` runs a `MultigeneRegressor` and hands on the genes of its model as columns;
`MultigeneClassifier` evolves genes for each class and weighs them by logistic regression. For several
targets take scikit-learn's own `MultiOutputRegressor(MultigeneRegressor())`.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from multigene.data.arrays import checked_classes, checked_features, column_names
from multigene.estimator import MultigeneRegressor
from multigene.expression.build import weighted
from multigene.expression.genes import gene_expression
from multigene.expression.rewriting import simplify
from multigene.fitted import FittedModel
from multigene.formula import Formula
from multigene.settings.settings import gaps_of

Floats = npt.NDArray[np.float64]


class Genes:
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


class _ReportedByRegressor:
    """`report` and `plot` are about one formula: those who look for them here are told where they are."""

    _reported_by = ""

    @property
    def report(self) -> NoReturn:
        """There is none."""
        raise AttributeError(self._told("report(path)"))

    @property
    def plot(self) -> NoReturn:
        """There is none."""
        raise AttributeError(self._told("plot.front()"))

    def _told(self, call: str) -> str:
        return (
            f"{type(self).__name__} has no report or plots of its own, since those are about one formula; "
            f"use {self._reported_by}.{call}."
        )


class MultigeneTransformer(_ReportedByRegressor, TransformerMixin, BaseEstimator):  # type: ignore[misc]
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

    _reported_by = "transformer.regressor_"

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
        self._genes = Genes(self.regressor_.fitted_, self._features(X))
        self.genes_ = self._genes.formulas
        return self

    def transform(self, X: Any) -> Floats:
        """Genes times their coefficients, one column each, after the original columns if those are kept."""
        check_is_fitted(self)
        X = self._features(X)
        values = self._genes.values(X)
        return np.hstack([X, values]) if self.keep_features else values

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


class MultigeneClassifier(_ReportedByRegressor, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classification by evolved genes and logistic regression.

    For two classes one run evolves genes that tell them apart; for more, one run per class tells it from
    the rest. A logistic regression over all genes then gives the probabilities, so that each class has a
    formula: the log-odds are linear in the genes.

    Parameters
    ----------
    regressor : MultigeneRegressor or None
        What evolves the genes. With more than two classes it runs once per class.
    classifier : classifier or None
        What weighs the genes; None for `LogisticRegression` on standardised genes.

    Attributes
    ----------
    classes_ : array
        The classes.
    genes_ : list of Formula
        The genes of all runs.
    classifier_ : classifier
        The fitted classifier over the genes.

    Examples
    --------
    >>> MultigeneClassifier(MultigeneRegressor(time_limit=10)).fit(X, y).predict_proba(X)
    """

    _reported_by = "classifier.regressors_[0]"

    def __init__(self, regressor: MultigeneRegressor | None = None, classifier: Any = None) -> None:
        self.regressor = regressor
        self.classifier = classifier

    def fit(self, X: Any, y: Any) -> MultigeneClassifier:
        """Evolve genes that tell the classes apart, then weigh them."""
        base = MultigeneRegressor() if self.regressor is None else self.regressor
        names, frame = column_names(X), X
        X, y = checked_classes(self, X, y, gaps_of(base.settings))
        check_classification_targets(y)
        self.classes_, index = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"All rows are of one class, {self.classes_.tolist()[0]!r}; give rows of at least 2 classes."
            )
        told_apart = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        inputs = frame if names is not None else X
        self.regressors_ = [clone(base).fit(inputs, (index == k).astype(np.float64)) for k in told_apart]
        self._genes = [Genes(model.fitted_, self._features(model, X)) for model in self.regressors_]
        self.genes_ = [formula for genes in self._genes for formula in genes.formulas]
        self.classifier_ = clone(self._default() if self.classifier is None else self.classifier)
        self.classifier_.fit(self._values(X), index)
        return self

    def _features(self, model: MultigeneRegressor, X: Any) -> Floats:
        """The numeric features of one of the runs; rows without a table to encode are checked already."""
        encoding = model.fitted_.encoding
        return np.asarray(X) if encoding is None else checked_features(self, X, encoding)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.regressor is None or gaps_of(self.regressor.settings) == "fill"
        return tags

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of every row."""
        values = self._checked_values(X)
        return np.asarray(self.classes_[self.classifier_.predict(values)])

    def predict_proba(self, X: Any) -> Floats:
        """Probability of every class, one column each in the order of `classes_`."""
        values = self._checked_values(X)
        return np.asarray(self.classifier_.predict_proba(values), dtype=np.float64)

    def decision_function(self, X: Any) -> Floats:
        """Log-odds: one number per row for two classes, else one column per class."""
        values = self._checked_values(X)
        return np.asarray(self.classifier_.decision_function(values), dtype=np.float64)

    @staticmethod
    def _default() -> Any:
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))

    def _checked_values(self, X: Any) -> Floats:
        check_is_fitted(self)
        encoded = self.regressors_[0].fitted_.encoding is not None
        return self._values(X if encoded else checked_features(self, X))

    def _values(self, X: Any) -> Floats:
        # Extrapolated genes can be as large as floats go; scaling them must not overflow.
        return np.clip(
            np.hstack(
                [
                    genes.values(self._features(model, X))
                    for model, genes in zip(self.regressors_, self._genes, strict=True)
                ]
            ),
            -1e100,
            1e100,
        )

"""MultigeneClassifier: a formula for the log-odds, in the scikit-learn API.

For two classes one `MultigeneRegressor` with the logistic loss finds a formula for the log-odds of the second; for more classes
one per class tells it from the rest. What comes out is a `FittedClasses` (`classes/`).
"""

from __future__ import annotations

import os
from dataclasses import fields
from numbers import Real
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from multigene.classes.fitted import FittedClasses, smoothed, with_labels
from multigene.data.arrays import checked_classes, checked_features, column_names, labelled_rows, target_name
from multigene.estimator import MultigeneRegressor
from multigene.formula import Formula
from multigene.search.run import Callback
from multigene.settings.loss import loss_of
from multigene.settings.parameters import Parameters, explain_unknown_parameters
from multigene.settings.settings import Kind, Settings, gaps_of

if TYPE_CHECKING:
    from multigene.model_check import Limits

Floats = npt.NDArray[np.float64]

#: Parameters that a classifier has in common with the regressor that is run for every class. The loss is the logistic one, and
#: several runs cannot be continued as one.
SHARED = tuple(each.name for each in fields(Parameters) if each.name not in ("loss", "warm_start"))


class MultigeneClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classification by a formula for the log-odds.

    For two classes one search finds a formula for the log-odds of the second class (in sorted order); for more, one search per
    class finds a formula that tells it from the rest, and their probabilities are made to add up to 1.

    Parameters
    ----------
    configuration, functions, form, guesses, generations, time_limit, max_size, search, shapes, units
        As for `MultigeneRegressor`: what is said of the formula is said of that of the log-odds. A time limit is for all classes
        together.
    n_jobs, random_state, verbose, settings
        As for `MultigeneRegressor`.
    class_weight : dict, "balanced" or None
        How much the rows of every class count: a number per class, or the inverse of its share of the rows. None for all rows
        alike.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of `predict_proba`.
    formulas_ : dict
        Formula of the log-odds by class: for two classes that of the second alone.
    regressors_ : list of MultigeneRegressor
        The fitted regressors, one per formula: front, choice, exports (of the probability), report.
    fitted_ : FittedClasses
        All of the above as one value that never changes.
    n_features_in_, feature_names_in_ : int, array of str
        Number of features of the training rows, and their names where columns had names.

    Examples
    --------
    >>> model = MultigeneClassifier(time_limit=10, max_size=40).fit(X, y)
    >>> print(model)
    >>> model.predict_proba(X)
    """

    @explain_unknown_parameters
    def __init__(
        self,
        configuration: str | None = None,
        *,
        functions: str | list[Any] | dict[str, Any] | tuple[Any, ...] | None = None,
        form: Any = None,
        guesses: Any = None,
        generations: int | None = None,
        time_limit: float | None = None,
        max_size: int | None = None,
        search: Kind = "both",
        shapes: str | list[Any] | tuple[Any, ...] | None = None,
        units: dict[str, str] | None = None,
        n_jobs: int | None = -1,
        random_state: Any = None,
        verbose: int | bool = 0,
        class_weight: Any = None,
        settings: Settings | dict[str, Any] | None = None,
    ) -> None:
        self.configuration = configuration
        self.functions = functions
        self.form = form
        self.guesses = guesses
        self.generations = generations
        self.time_limit = time_limit
        self.max_size = max_size
        self.search = search
        self.shapes = shapes
        self.units = units
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.class_weight = class_weight
        self.settings = settings

    @classmethod
    def like(cls, regressor: MultigeneRegressor, class_weight: Any = None) -> MultigeneClassifier:
        """The classifier whose search has the parameters of a regressor."""
        given = regressor.get_params(deep=False)
        loss = loss_of(given["loss"])
        if not loss.squared and loss.name != "logistic":
            raise ValueError(
                f"MultigeneClassifier minimises the logistic loss, not loss={loss.name!r}. Leave the loss out."
            )
        return cls(**{name: given[name] for name in SHARED}, class_weight=class_weight)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, callback: Callback | None = None
    ) -> MultigeneClassifier:
        """Find formulas that tell the classes of `y` apart.

        Parameters
        ----------
        X : array or DataFrame of shape (rows, features)
            As for `MultigeneRegressor.fit`: numbers, and in a DataFrame text, categories, dates and gaps as well.
        y : array or Series of shape (rows,)
            The class of every row: numbers, text or booleans.
        sample_weight : array of shape (rows,), optional
            Weight of every row, not negative.
        callback : callable, optional
            As for `MultigeneRegressor.fit`; of more than two classes the run of each calls it in turn, and returning True ends
            that run.
        """
        base = self._base()
        target = target_name(y)
        X, y, sample_weight = labelled_rows(X, y, sample_weight)
        names, frame = column_names(X), X
        X, y = checked_classes(self, X, y, gaps_of(base.settings))
        check_classification_targets(y)
        classes, index = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                f"All rows are of one class, {classes.tolist()[0]!r}; give rows of at least 2 classes."
            )
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, np.zeros((len(y), 1)), dtype=np.float64)
        weights = self._weights(y, sample_weight)
        told = range(1, 2) if len(classes) == 2 else range(len(classes))
        if isinstance(base.time_limit, Real):  # what is none is refused by the regressor
            base.set_params(time_limit=base.time_limit / len(told))
        inputs = frame if names is not None else X
        self.regressors_ = [
            _told_apart(
                base,
                inputs,
                pd.Series(smoothed(index == k, sample_weight), name=f"P({classes[k]})"),
                weights,
                callback,
            )
            for k in told
        ]
        self.classes_ = classes
        self._target = target
        return self

    def _base(self) -> MultigeneRegressor:
        """The regressor that is run for every class."""
        given = self.get_params(deep=False)
        base: MultigeneRegressor = clone(
            MultigeneRegressor(**{name: given[name] for name in SHARED}, loss="logistic")
        )
        return base

    def _weights(self, y: npt.NDArray[Any], weights: Floats | None) -> Floats | None:
        """Weight of every row, by class and as given; None where all are alike."""
        if self.class_weight is None:
            return weights
        if isinstance(self.class_weight, dict):
            unknown = [label for label in self.class_weight if label not in set(np.unique(y).tolist())]
            if unknown:
                raise ValueError(
                    f"class_weight has {unknown[0]!r}, which is no class of the target; its classes are "
                    f"{', '.join(map(repr, np.unique(y).tolist()))}."
                )
        elif self.class_weight != "balanced":
            raise ValueError(
                f"class_weight={self.class_weight!r} is not known; give 'balanced', a dict with a number per class, or None."
            )
        by_class = np.asarray(compute_sample_weight(self.class_weight, y), dtype=np.float64)
        return by_class if weights is None else weights * by_class

    @classmethod
    def from_fitted(cls, fitted: FittedClasses) -> MultigeneClassifier:
        """The classifier of fitted models, such as those that were read from a file."""
        model = cls.like(MultigeneRegressor(**fitted.models[0].parameters.values()), fitted.class_weight)
        model.regressors_ = [MultigeneRegressor.from_fitted(each) for each in fitted.models]
        model.classes_, model._target = np.array(fitted.classes), fitted.target
        model.n_features_in_ = model.regressors_[0].n_features_in_
        if fitted.models[0].named:
            model.feature_names_in_ = model.regressors_[0].feature_names_in_
        return model

    @property
    def fitted_(self) -> FittedClasses:
        """All that the runs left behind, as one value that never changes."""
        check_is_fitted(self)
        return FittedClasses(
            classes=tuple(self.classes_.tolist()),
            models=tuple(each.fitted_ for each in self.regressors_),
            target=self._target,
            class_weight=self.class_weight,
        )

    def __sklearn_is_fitted__(self) -> bool:
        return "classes_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = gaps_of(self.settings) == "fill"
        return tags

    # --- using ------------------------------------------------------------------------------------

    @property
    def formulas_(self) -> dict[Any, Formula]:
        """Formula of the log-odds by class: for two classes that of the second alone."""
        return self.fitted_.formulas

    def decision_function(self, X: Any) -> Floats:
        """Log-odds: one number per row for two classes, else one column per class, each told from the rest."""
        values = self._log_odds(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict_proba(self, X: Any) -> Floats:
        """Probability of every class, one column each in the order of `classes_`."""
        return self.fitted_.probabilities(self._log_odds(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The most probable class of every row."""
        values = self._log_odds(X)
        best = (values[:, 0] > 0.0).astype(np.intp) if values.shape[1] == 1 else np.argmax(values, axis=1)
        return np.asarray(self.classes_[best])

    def _log_odds(self, X: Any) -> Floats:
        fitted = self.fitted_
        if all(model.encoding is None for model in fitted.models):
            X = checked_features(self, X)
            return fitted.log_odds([X] * len(fitted.models))
        return fitted.log_odds([checked_features(self, X, model.encoding) for model in fitted.models])

    def choose(self, criterion: str | int = "default") -> MultigeneClassifier:
        """Use another formula of every front from now on, as `MultigeneRegressor.choose` does."""
        check_is_fitted(self)
        for each in self.regressors_:
            each.choose(criterion)
        return self

    def save(self, path: str | Path) -> None:
        """Write the model to a file that `multigene.load` reads: versioned JSON, written at once or not at all."""
        from multigene.model_file import save

        save(self.fitted_, path)

    def report(self, path: str | Path, label: Any = None, X_test: Any = None, y_test: Any = None) -> None:
        """Write one self-contained HTML page about the formula of a class: for more than two classes say which.

        It is the page of the formula for that class, on the training rows, and on test rows where they are given. Needs
        `multigene[report]`.
        """
        from multigene.report import write_report

        model = self.fitted_.of(label)
        if y_test is not None:
            y_test = self.fitted_.is_of(np.asarray(y_test), model).astype(np.float64)
        write_report(model, path, None, None, X_test, y_test, classes=self.fitted_)

    def __str__(self) -> str:
        return str(self.fitted_) if self.__sklearn_is_fitted__() else super().__repr__()


def _told_apart(
    base: MultigeneRegressor, X: Any, target: pd.Series, weights: Floats | None, callback: Callback | None
) -> MultigeneRegressor:
    """A regressor of the log-odds of a class, given targets that say how probable it is."""
    inside = (target if weights is None else target[weights > 0.0]) > 0.5
    if not inside.any() or inside.all():
        raise ValueError(
            "Rows of positive weight are of one class; give weights that leave at least 2 classes."
        )
    return MultigeneRegressor.from_fitted(
        with_labels(clone(base).fit(X, target, weights, callback=callback).fitted_)
    )


def load(
    source: str | os.PathLike[str] | IO[bytes], limits: Limits | None = None
) -> MultigeneRegressor | MultigeneClassifier:
    """Read a fitted model from a file or an open binary stream; a `ValueError` refuses what is none. Nothing in it is run,
    so files of untrusted sources are safe to load; `limits` says how large one may be."""
    from multigene.model_file import read

    found = read(source, limits)
    if isinstance(found, FittedClasses):
        return MultigeneClassifier.from_fitted(found)
    return MultigeneRegressor.from_fitted(found)

"""FittedClasses: what a classifier's runs leave behind, one `FittedModel` of log-odds per class that is told from the rest.

For two classes there is one model, of the log-odds of the second; for more, one per class. The estimator (`classifier.py`), the
model file and the command line read it. It never changes.

Targets of the search are not 0 and 1 but slightly between (Platt 1999, "Probabilistic outputs for support vector machines"): with
n rows of a class, its probability is taken to be (n + 1)/(n + 2). Classes that a formula separates wholly then have finite
log-odds, as large as the number of rows supports. Scores are those of the classes as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from multigene.data.losses import Loss
from multigene.data.training_rows import TrainingRows
from multigene.explain.front import Front
from multigene.explain.front_text import broken_between_terms
from multigene.expression.constants import LARGEST_EXPONENTIAL
from multigene.expression.genes import model_expression
from multigene.fitted import FittedModel
from multigene.formula import Formula
from multigene.words import anatomy, counted

Floats = npt.NDArray[np.float64]

LOGISTIC = Loss("logistic")


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedClasses:
    """Classes, and the models that tell them apart."""

    classes: tuple[Any, ...]
    """The classes, in the order of the columns of probabilities."""
    models: tuple[FittedModel, ...]
    """One model of the second class for two classes, else one per class."""
    target: str
    """Name of the column of classes."""
    class_weight: Any = None
    """How much the rows of every class counted: None, "balanced" or a number per class."""

    @property
    def told(self) -> tuple[Any, ...]:
        """The class of every model."""
        return self.classes if len(self.models) > 1 else self.classes[1:]

    def of(self, label: Any = None, named: str = "label=") -> FittedModel:
        """The model of a class, by its value or its text; without one the only model."""
        if label is None and len(self.models) == 1:
            return self.models[0]
        texts = [str(each) for each in self.told]
        if label is None or str(label) not in texts:
            known = ", ".join(map(repr, self.told))
            raise ValueError(f"There is a formula for each of {known}; say which by {named}{self.told[0]!r}.")
        return self.models[texts.index(str(label))]

    def is_of(self, labels: Any, model: FittedModel) -> Any:
        """Which of some labels, compared as texts, are of a model's class."""
        [place] = [i for i, each in enumerate(self.models) if each.target == model.target]
        return np.asarray(labels).astype(str) == str(self.told[place])

    @property
    def formulas(self) -> dict[Any, Formula]:
        """Log-odds of the class of every model."""
        return {
            label: Formula(model_expression(model.individual), model.names, f"log-odds of {label}")
            for label, model in zip(self.told, self.models, strict=True)
        }

    def log_odds(self, features: Sequence[Floats]) -> Floats:
        """One column per model, given the numeric features of each; even odds where a formula has no value."""
        columns = []
        for model, X in zip(self.models, features, strict=True):
            with np.errstate(all="ignore"):
                values = model.individual.predict(X)
            columns.append(
                np.clip(np.where(np.isnan(values), 0.0, values), -LARGEST_EXPONENTIAL, LARGEST_EXPONENTIAL)
            )
        return np.column_stack(columns)

    def probabilities(self, log_odds: Floats) -> Floats:
        """One column per class: the formulas' probabilities, which for more than two classes are made to add up to 1."""
        shares = LOGISTIC.prediction(log_odds)
        if len(self.models) == 1:
            return np.hstack([1.0 - shares, shares])
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def choose(self, criterion: str | int) -> FittedClasses:
        """The same with another formula of every front in use."""
        return replace(self, models=tuple(model.choose(criterion) for model in self.models))

    def __str__(self) -> str:
        lines = []
        for (label, formula), model in zip(self.formulas.items(), self.models, strict=True):
            lines.append(broken_between_terms(f"log-odds of {self.target} = {label}: {formula.where()}"))
            lines.append(
                f"    deviance explained {model.explained:.4f} on the training rows, "
                f"{anatomy(formula.size, model.n_genes)}; one of {counted(len(model.front.listed), 'model')} on the front"
            )
        return "\n".join(lines)


def smoothed(of_class: npt.NDArray[np.bool_], weights: Floats | None = None) -> Floats:
    """Targets between 0 and 1: rows of one class alone tell its probability no better than this.

    A row of weight 2 counts as two rows; weights below 1 on average are shares, and their rows count as rows.
    """
    weights = np.ones(len(of_class)) if weights is None else weights

    def rows(those: npt.NDArray[np.bool_]) -> float:
        return max(float(weights[those].sum()), float(np.sum(weights[those] > 0.0)))

    inside, outside = rows(of_class), rows(~of_class)
    return np.where(of_class, (inside + 1.0) / (inside + 2.0), 1.0 / (outside + 2.0))


def with_labels(model: FittedModel) -> FittedModel:
    """A model that was fitted to smoothed targets, with the labels in their place, and its front scored by them."""
    rows = model.rows
    assert rows is not None
    labels = (rows.y > 0.5).astype(np.float64)
    rows = TrainingRows(rows.X, labels, rows.weights, rows.total, rows.loss)
    new = {}
    for member in model.front:
        with np.errstate(all="ignore"):
            new[id(member)] = replace(member, fitness=rows.explained(member.individual.predict(rows.X)))
    data = None
    if model.data is not None:
        data = {**model.data, "target_variance": rows.variance, "target_range": [0.0, 1.0]}
    front = model.front
    return replace(
        model,
        front=Front(
            list(new.values()), new[id(front.default)], front.names, front.target, data or {}, front.loss
        ),
        chosen=new[id(model.chosen)],
        rows=rows,
        data=data,
    )

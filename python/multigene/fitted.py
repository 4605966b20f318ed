"""FittedModel: all that a run leaves behind, and the questions it answers. It never changes.

`fitting/` and `model_file.py` make one; the estimator, report, figures, notebook, model file and command line read it. Rows
come in as checked arrays (`TrainingRows`), since only an estimator or a command knows the tables of its user; the work is done
in `explain/`, one module per question. Another choice, a shorter formula or other rows make another `FittedModel`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.encoding.columns import ColumnName
from multigene.data.encoding.encoding import Encoding
from multigene.data.losses import Loss
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain import measures
from multigene.explain.front import Front
from multigene.explain.front_text import broken_between_terms, pick_lines, stability_text
from multigene.explain.intervals import Uncertainty, bounds, parameter_table
from multigene.expression.genes import model_expression, prediction_expression
from multigene.expression.tree import Expression
from multigene.formula import Formula
from multigene.groups.certainty import certainty_of, group_table, own_columns
from multigene.groups.regroup import Groups
from multigene.laws.claims import Claim, claim_of
from multigene.rules.kept import Rules
from multigene.search.constants import FEW_ROWS, RULED_ROWS
from multigene.search.stability import columns_of
from multigene.settings.parameters import Parameters
from multigene.settings.settings import Settings
from multigene.shapes.known import Known
from multigene.shapes.proof import Verdict
from multigene.words import CUT_SHORT, among, anatomy, rows_but

if TYPE_CHECKING:
    import pandas as pd

    from multigene.explain.prune import Pruned

Floats = npt.NDArray[np.float64]

NO_ROWS = (
    "This model was loaded from a file, which does not hold the training rows; give rows as X and y, "
    "or let the model keep them with model.keep_rows(X, y)."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedModel:
    """A front of models, the one in use, and the run that they come from."""

    front: Front
    """Models found, with the names of features and target."""
    chosen: Member
    """The model in use, one of the front."""
    settings: Settings
    """All settings of the run."""
    parameters: Parameters
    """Constructor parameters of the run, as they were given."""
    named: bool
    """Whether the training rows had names of columns; otherwise features are called x0, x1, …"""
    data: Mapping[str, Any] | None
    """Number and ranges of the training rows, as far as they are known."""
    rows: TrainingRows | None
    """Training rows (a sample where there were very many); None after loading from a file."""
    history: pd.DataFrame
    """Best fitness, its complexity, evaluations and seconds after every generation; empty after loading."""
    n_generations: int
    """Generations of the run."""
    stopped_by: str
    """Why the run ended."""
    encoding: Encoding | None = None
    """How the columns of a raw table become the numeric ones; None where the features are numbers."""
    known: Known | None = None
    """Shapes that the models of the front keep; None where none were stated."""
    groups: Groups | None = None
    """The groups that have numbers of their own, where the fit was told of any."""
    choice: str = "default"
    """How the model in use was chosen: "default", a criterion of `choose`, "index", "pruned" or "moved"."""
    changes: tuple[tuple[str, Any], ...] = ()
    """What was asked of the model after the run, in order: ("choose", criterion) and ("prune", loss)."""
    command: tuple[str, ...] | None = None
    """The shell command of the run, without what was asked afterwards; None where it was not made by one."""
    known_uncertainty: tuple[Member, Uncertainty] | None = None
    """What a model file tells about the numbers of one model."""

    # --- the run ----------------------------------------------------------------------------------

    @property
    def cut_short(self) -> bool:
        """Did the run end before its first generation? The model is then the best of what came before: the law search, linear
        models, searches on parts of the rows."""
        return self.n_generations == 0 and self.stopped_by in ("time", "interrupt", "callback")

    @property
    def ending(self) -> str:
        """Why the run ended, and whether that was before its first generation."""
        return f"{self.stopped_by}, {CUT_SHORT}" if self.cut_short else self.stopped_by

    # --- the formula ------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """Names of the features."""
        return self.front.names

    @property
    def raw_names(self) -> list[str]:
        """Names of the columns that a table must have: those of the features before they were encoded."""
        return self.names if self.encoding is None else self.encoding.raw_names

    @property
    def raw_variables(self) -> list[str]:
        """Those of them that the formula uses, in their order."""
        used = {
            name.column.source if isinstance(name, ColumnName) else name for name in self.formula.variables
        }
        return [name for name in self.raw_names if name in used]

    def features(self, table: Any) -> Floats:
        """The numeric features of a table with named columns; raw columns that the formula does not use may be missing."""
        if self.encoding is None:
            return np.asarray(table[self.names], dtype=np.float64)
        return self.encoding.transform(table, set(self.raw_variables) or None)

    @property
    def target(self) -> str:
        """Name of the target."""
        return self.front.target

    @property
    def individual(self) -> Individual:
        """The engine's model in use."""
        return self.chosen.individual

    @cached_property
    def formula(self) -> Formula:
        """The chosen formula."""
        return Formula(prediction_expression(self.individual, self.loss.link), self.names, self.target)

    @property
    def loss(self) -> Loss:
        """What was minimised."""
        return self.front.loss

    @cached_property
    def claim(self) -> Claim | None:
        """Whether the formula may be the law behind the training rows: a grade and a probability. None where the rows contradict
        that, after loading from a file, which has no rows, and where groups have numbers of their own."""
        if self.rows is None or not self.loss.squared or self.groups is not None:
            return None
        return claim_of(self.formula.expression, self.rows.X, self.rows.y, self.rows.weights)

    @cached_property
    def certificate(self) -> list[Verdict]:
        """For every shape that was stated whether it is proven of the formula, or checked on a number of points."""
        return [] if self.known is None else self.known.verdicts(model_expression(self.individual))

    @property
    def outliers(self) -> list[int]:
        """Rows that were left out of the training rows as outliers, by number."""
        return list((self.data or {}).get("outliers", ()))

    @property
    def r2(self) -> float:
        """R² on the training rows; NaN where another loss was minimised and the model has no rows any more."""
        if self.loss.squared:
            return float(self.chosen.fitness)
        return math.nan if self.rows is None else self.metrics(self.rows)["r2"]

    @property
    def explained(self) -> float:
        """Share of the best constant's loss that is explained on the training rows: R² for squared error, D² for a deviance."""
        return float(self.chosen.fitness)

    @property
    def n_genes(self) -> int:
        """Genes that take part."""
        return sum(c != 0.0 for c in self.individual.coefficients)

    @property
    def n_nodes(self) -> int:
        """Nodes of all genes, as the paper counts them."""
        return self.individual.n_nodes

    @property
    def depth(self) -> int:
        """Largest depth of a gene."""
        return self.individual.depth

    @property
    def lcf_share(self) -> float:
        """Share of linear combinations among the leaves that are not constants."""
        return self.individual.lcf_share

    @property
    def validated_by(self) -> str:
        """Where the front's validation R² comes from: "held-out" or "cross-validated"; empty where there is none."""
        if not any(math.isfinite(member.validation) for member in self.front):
            return ""
        seen = self.rows.total if self.rows is not None else (self.data or {}).get("rows")
        return "cross-validated" if seen is not None and seen < FEW_ROWS else "held-out"

    def measured(self) -> str:
        """How good it is, in words: "R² 0.98", or "deviance explained 0.71 (poisson)"."""
        name = "" if self.loss.squared else f" ({self.loss.name})"
        return f"{self.loss.measure} {self.explained:.6f}{name}"

    def __str__(self) -> str:
        return (
            broken_between_terms(f"{self.target} = {self.formula.where()}")
            + "\n"
            + "".join(f"  with {name} = {text}\n" for name, text in self.chosen.parts)
            + f"{self.measured()} on {rows_but(len(self.outliers))}, {anatomy(self.formula.size, self.n_genes)}; "
            f"{among(len(self.front.listed))}"
            + (f"\n{stability}" if (stability := self.stability_text()) else "")
            + "".join(f"\n{verdict}" for verdict in self.certificate)
            + (f"\n\n{self.picks_text()}" if len(self.front.listed) > 1 else "")
        )

    def stability_text(self) -> str:
        """Which columns of the formula other searches use as well; empty where there were none or it was changed since."""
        used = columns_of(self.individual)
        return stability_text([each for each in self.chosen.support if each[0] in used], self.names)

    def picks_text(self) -> str:
        """The four picks of the front (`Front.picks`), what each costs and, as far as it fits, says: five lines."""
        return "\n".join(pick_lines(self.front.picks, measure=self.loss.measure))

    # --- the front --------------------------------------------------------------------------------

    def equations(self) -> pd.DataFrame:
        """The front, smallest formula first; `MultigeneRegressor.equations_` documents the columns."""
        return self.front.table(self.chosen, self.rows)

    def choose(self, criterion: str | int = "default") -> FittedModel:
        """The same with another formula of the front in use, by criterion or row."""
        member, name = self.front.best(criterion)
        earlier = self.changes[:-1] if self.changes and self.changes[-1][0] == "choose" else self.changes
        again = not earlier and name == "default"
        changes = () if again else (*earlier, ("choose", name if name != "index" else int(criterion)))
        return replace(self, chosen=member, choice=name, changes=changes)

    def at(self, index: int) -> FittedModel:
        """The same with a row of the front in use, for a single question; `choose` is recorded as a change."""
        return replace(self, chosen=self.front.at(index), choice="index")

    def prune(self, max_loss: float, rows: TrainingRows | None = None) -> tuple[FittedModel, Pruned]:
        """The same with a shorter formula in use that costs at most this much R²; and what was done."""
        from multigene.explain.prune import pruned
        from multigene.laws.settings import promised

        known = promised(self.settings)
        rules = self.rules
        keeps = None if not rules else lambda member: rules.broken(model_expression(member)) is None
        done = pruned(self.chosen, self.names, self.needed(rows), max_loss, self.target, known, keeps)
        self._refuse_broken(done.member)
        shorter = replace(
            self,
            front=self.front.with_member(done.member),
            chosen=done.member,
            choice="pruned",
            changes=(*self.changes, ("prune", float(max_loss))),
        )
        return shorter, done

    @property
    def rules(self) -> Rules:
        """The rules that formulas keep; those about arguments of functions are checked on the training rows."""
        points = None if self.rows is None else self.rows.X[:RULED_ROWS]
        return Rules.of(self.settings.rules, self.names, self.settings.genes.functions, points)

    def without_term(self, terms: Sequence[Expression], place: int) -> FittedModel:
        """The same without one of the terms of the formula in use, the others fitted again."""
        from multigene.explain.removal import without_term

        member = without_term(terms, place, self.needed(None))
        self._refuse_broken(member)
        return replace(self, front=self.front.with_member(member), chosen=member, choice="pruned")

    def _refuse_broken(self, member: Member) -> None:
        """A `ValueError` where a model breaks a shape or a rule that was stated."""
        rule = self.rules.broken(model_expression(member.individual))
        if rule is not None:
            raise ValueError(
                f"The shorter formula breaks the rule {rule.text!r}; shorten it less, or choose another one."
            )
        if self.known is None:
            return
        broken = [
            v for v in self.known.verdicts(model_expression(member.individual)) if v.status == "violated"
        ]
        if broken:
            raise ValueError(
                f"The shorter formula breaks the shape {broken[0].shape!r}; shorten it less, or choose another one."
            )

    def with_numbers(self, values: Sequence[float]) -> FittedModel:
        """The formula in use with these values of its numbers (`parameter_table` lists them), as they are."""
        from multigene.explain.moved import with_numbers

        if self.loss.link != "identity":
            raise ValueError(f"Numbers of a formula for loss={self.loss.name!r} cannot be moved by hand.")
        member = with_numbers(self.formula.expression, values, self.needed(None))
        self._refuse_broken(member)
        return replace(self, front=self.front.with_member(member), chosen=member, choice="moved")

    def rescore(self, rows: TrainingRows) -> pd.DataFrame:
        """Every listed model on other rows: size, R², RMSE, mean, median and largest absolute error, bias."""
        return measures.rescored(self.front, self.chosen, rows)

    # --- predictions and their certainty ----------------------------------------------------------

    def predict(self, X: Floats) -> Floats:
        """Prediction for every row, within the bounds of the setting `clip` if there are any."""
        values, search = self.response(X), self.settings.search
        if search is None or search.clip is None or self.data is None:
            return values
        low, high = self.data["target_range"]
        room = search.clip * (high - low)
        return np.asarray(np.clip(values, low - room, high + room), dtype=np.float64)

    def response(self, X: Floats) -> Floats:
        """What the formula says for every row."""
        return self.loss.prediction(self.individual.predict(X))

    def interval(self, X: Floats, level: float) -> tuple[Floats, Floats, Floats]:
        """Prediction, and the bounds that hold a new observation with this probability."""
        predictor = self.individual.predict(X)
        if self.loss.squared:
            width = self.uncertainty.half_width(self.formula.expression, X, level)
            return predictor, predictor - width, predictor + width
        low, high = bounds(self.loss, self.uncertainty, model_expression(self.individual), X, level)
        return self.loss.prediction(predictor), low, high

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """What the training rows say about the numbers of the formula."""
        if self.known_uncertainty is not None and self.known_uncertainty[0] is self.chosen:
            return self.known_uncertainty[1]
        return certainty_of(model_expression(self.individual), self.names, self.needed(None))

    def group_table(self) -> pd.DataFrame:
        """The numbers of every group, and the pooled ones of new groups, with standard errors and 95 % intervals."""
        columns = own_columns(model_expression(self.individual), self.names)
        try:
            known = self.uncertainty if columns else None
        except ValueError:  # few rows, or none
            known = None
        return group_table(self.names, columns, dict(self.groups.counts if self.groups else ()), known)

    def parameter_table(self) -> pd.DataFrame:
        """The numbers of the formula as printed: estimate, standard error, 95 % interval, and where each stands."""
        return parameter_table(self.formula, self.uncertainty)

    def metrics(self, rows: TrainingRows) -> dict[str, float]:
        """R², RMSE, mean, median and largest absolute error, and bias of the chosen formula on any rows."""
        return measures.scores_of(self.individual, rows, self.loss)

    # --- its parts --------------------------------------------------------------------------------

    def genes(self, rows: TrainingRows | None = None) -> pd.DataFrame:
        """The genes: formula, coefficient, share of variance, spread, and the loss of R² without each."""
        return measures.gene_table(self.individual, self.names, self.needed(rows))

    def importance(self, rows: TrainingRows | None = None, repeats: int = 5) -> pd.DataFrame:
        """Importance of the variables: loss of R² when shuffled, and share of variance by gene."""
        return measures.importance(self.individual, self.names, self.needed(rows), repeats)

    def variable_frequencies(self, least: float = 0.9) -> pd.DataFrame:
        """How often the good models of the front (at least this share of the best R²) use each variable."""
        return measures.variable_frequencies(self.front, least)

    def transformations(self) -> pd.DataFrame:
        """The learned linear combinations: one row each, the additive weight first, then one column per feature."""
        return measures.transformation_table(self.individual, self.names)

    # --- rows -------------------------------------------------------------------------------------

    def with_rows(self, rows: TrainingRows) -> FittedModel:
        """The same with training rows, kept as `fit` keeps them; what the model file told about uncertainty is no longer used."""
        kept = TrainingRows.of(rows.X, rows.y, rows.weights, self.loss)
        return replace(self, rows=kept, known_uncertainty=None)

    def needed(self, rows: TrainingRows | None) -> TrainingRows:
        """The rows given, or the training rows; a `ValueError` where there are neither."""
        if rows is not None:
            return replace(rows, loss=self.loss)
        if self.rows is None:
            raise ValueError(NO_ROWS)
        return self.rows

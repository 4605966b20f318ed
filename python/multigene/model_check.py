"""Checked access to a model file of an untrusted source: every value has its type, range and size, or is refused.

`model_file.py` reads through it and makes the fitted model of what it returns.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from multigene._engine import Individual
from multigene.data.losses import KINDS, SQUARED, Loss, OwnLoss
from multigene.explain.intervals import SHARES, Uncertainty
from multigene.groups.regroup import Groups, told_numbers
from multigene.settings.loss import loss_of
from multigene.settings.parameters import Parameters
from multigene.settings.settings import Settings
from multigene.settings.text import setting_value
from multigene.shapes.known import Known
from multigene.shapes.stated import read

#: Parameters of the constructor in files of version 0.9 and earlier.
EARLIER_PARAMETERS = ("population_size", "max_genes", "max_depth", "max_nodes", "missing")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How large a model file may be. The defaults are far above what `fit` makes."""

    bytes: int = 20_000_000
    """Size of the file."""
    values: int = 300_000
    """Numbers, texts, lists and tables in the file."""
    nesting: int = 20
    """Lists and tables within each other."""
    features: int = 20_000
    """Number of features."""
    models: int = 1_000
    """Models of the front."""
    classes: int = 1_000
    """Classes that a model tells apart."""
    genes: int = 1_000
    """Genes of a model."""
    gene_text: int = 500_000
    """Characters of a gene."""
    nodes: int = 10_000
    """Nodes of a printed formula: operators, variables and numbers."""
    all_nodes: int = 100_000
    """Nodes of all formulas."""
    depth: int = 100
    """Depth of a gene."""
    text: int = 2_000
    """Characters of a name."""


class Checked:
    """A table of a model file; its methods return values that were checked."""

    def __init__(self, values: dict[str, Any], limits: Limits) -> None:
        self.values, self.limits = values, limits

    def table(self, name: str) -> Checked:
        """A table within this one."""
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise ValueError(f"its part {name!r} is missing or damaged")
        return Checked(value, self.limits)

    def tables(self, name: str) -> list[Checked]:
        """A list of tables within this one."""
        found = self._list(name, self.limits.classes)
        if not all(isinstance(each, dict) for each in found):
            raise ValueError(f"its list {name!r} is damaged")
        return [Checked(each, self.limits) for each in found]

    def labels(self, name: str) -> tuple[Any, ...]:
        """Classes: different texts, numbers or truth values."""
        found = tuple(self._label(each) for each in self._list(name, self.limits.classes))
        if len(set(found)) != len(found):
            raise ValueError(f"its list {name!r} has an entry twice")
        return found

    def class_weight(self) -> Any:
        """How much classes counted, as a classifier takes it."""
        value = self.values.get("class_weight")
        if value is None or value == "balanced":
            return value
        pairs = self._list("class_weight", self.limits.classes)
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise ValueError("its list 'class_weight' is damaged")
        return {self._label(label): _number(weight, "class_weight") for label, weight in pairs}

    def _label(self, value: Any) -> Any:
        return value if isinstance(value, bool | int | float) else self._short(value, "classes")

    def text(self, name: str) -> str:
        """A short text."""
        return self._short(self.values.get(name), name)

    def texts(self, name: str, at_most: int) -> list[str]:
        """A list of short texts."""
        return [self._short(value, name) for value in self._list(name, at_most)]

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.values.get(name)
        if not isinstance(value, bool):
            raise ValueError(f"its value {name!r} is neither true nor false")
        return value

    def whole(self, name: str, low: int, high: int) -> int:
        """A whole number within bounds."""
        value = self.values.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(
                f"its value {name!r} is {_shown(value)}, not a whole number from {low} to {high}"
            )
        return value

    def number(self, name: str) -> float:
        """A finite number; the parser has refused others."""
        return _number(self.values.get(name), name)

    def members(self, n_features: int) -> list[tuple[Any, ...]]:
        """The models of the front: model, training R², complexity, R² on rows held out, source, parts of a form,
        support of columns."""
        rows, found, nodes = self._list("front", self.limits.models), [], 0
        if not rows:
            raise ValueError("its front has no models")
        nothing = np.zeros((0, n_features))
        for row in rows:
            if not isinstance(row, dict):
                raise ValueError("a model of its front is damaged")
            entry = Checked(row, self.limits)
            individual = entry._individual()
            individual.predict(nothing)  # refuses features that the file does not name
            nodes += individual.complexity
            if nodes > self.limits.all_nodes:
                raise ValueError(f"its models have more than {self.limits.all_nodes} nodes")
            r2 = float("-inf") if row.get("r2") is None else entry.number("r2")
            validation = float("nan") if row.get("validation_r2") is None else entry.number("validation_r2")
            source = entry.text("source") if "source" in row else "search"
            complexity = entry.whole("complexity", 0, 1 << 40)
            support = entry._support(n_features)
            found.append((individual, r2, complexity, validation, source, entry._parts(), support))
        return found

    def _parts(self) -> tuple[tuple[str, str], ...]:
        """What stands in the gaps of a form, for people."""
        rows = self._list("parts", self.limits.models) if "parts" in self.values else []
        for row in rows:
            if not isinstance(row, list) or len(row) != 2 or not all(isinstance(t, str) for t in row):
                raise ValueError("a part of a form is not a name and its text")
        return tuple((row[0][:1000], row[1][:10_000]) for row in rows)

    def _support(self, n_features: int) -> tuple[tuple[int, float], ...]:
        """Columns and the share of other searches that use each."""
        rows = self._list("support", n_features) if "support" in self.values else []
        if any(not isinstance(row, list) or len(row) != 2 for row in rows):
            raise ValueError("its support of columns is not a column and a share each")
        pairs = [Checked({"column": row[0], "share": row[1]}, self.limits) for row in rows]
        support = tuple((pair.whole("column", 0, n_features - 1), pair.number("share")) for pair in pairs)
        if any(not 0.0 <= share <= 1.0 for _, share in support):
            raise ValueError("its support of a column is no share from 0 to 1")
        return support

    def data_summary(self, names: Sequence[str]) -> dict[str, Any] | None:
        """Rows and ranges of the training data, as far as the file tells."""
        if self.values.get("data") is None:
            return None
        data = self.table("data")
        ranges = data.table("ranges").values
        if set(ranges) - set(names) or len(ranges) > len(names):
            raise ValueError("its data summary names columns that are no features")
        variance = None if data.values.get("target_variance") is None else data.number("target_variance")
        if variance is not None and variance < 0.0:
            raise ValueError("the variance of its target is negative")
        summary = {
            "rows": data.whole("rows", 0, 1 << 53),
            "target_variance": variance,
            "target_range": _pair(data.values.get("target_range")),
            "ranges": {name: _pair(pair) for name, pair in ranges.items()},
        }
        if "outliers" in data.values:  # rows that were left out
            rows = data._list("outliers", self.limits.values)
            summary["outliers"] = [
                Checked({"row": row}, self.limits).whole("row", 0, 1 << 53) for row in rows
            ]
        return summary

    def shapes(self, names: Sequence[str], target: str) -> Known | None:
        """Shapes that the models keep, and the box in which they do; the certificate is not believed but made again."""
        if self.values.get("shapes") is None:
            return None
        table = self.table("shapes")
        texts = table.texts("stated", self.limits.genes)
        low, high = (
            np.array([_number(value, side) for value in table._list(side, len(names))])
            for side in ("low", "high")
        )
        if not texts or len(low) != len(names) or len(high) != len(names) or np.any(low > high):
            raise ValueError("its shapes are damaged")
        unit = table.number("unit")
        if not unit > 0.0:
            raise ValueError("the unit of its shapes is not positive")
        return Known(read([*texts], list(map(str, names)), target), low, high, unit)

    def intervals(self, n_parameters: int) -> Uncertainty | None:
        """What is known of the numbers of the chosen formula, as far as the file tells."""
        if self.values.get("intervals") is None:
            return None
        table = self.table("intervals")
        rows = table._list("factor", n_parameters)
        determined = [value is True for value in table._list("determined", n_parameters)]
        ranks = {len(row) if isinstance(row, list) else -1 for row in rows}
        variance, freedom = table.number("variance"), table.whole("freedom", 1, 1 << 53)
        if (
            len(rows) != n_parameters
            or len(determined) != n_parameters
            or len(ranks) > 1
            or not ranks <= set(range(n_parameters + 1))
        ):
            raise ValueError("its intervals do not belong to its formula")
        if variance < 0.0:
            raise ValueError(f"its residual variance is {_shown(variance)}, which is negative")
        factor = np.array([[_number(value, "factor") for value in row] for row in rows], dtype=np.float64)
        rank = ranks.pop() if ranks else 0
        spread = (
            [_number(value, "spread") for value in table._list("spread", len(SHARES) + 1)]
            if table.values.get("spread") is not None
            else []
        )
        if spread and len(spread) != len(SHARES) + 1:
            raise ValueError("its spread of residuals is damaged")
        return Uncertainty(
            variance,
            freedom,
            factor.reshape(n_parameters, rank),
            np.array(determined, dtype=bool),
            tuple(spread),
        )

    def groups(self) -> Groups | None:
        """The groups that the model was told of."""
        if self.values.get("groups") is None:
            return None
        table = self.table("groups")
        numbers = tuple(table.texts("numbers", at_most=4))
        counts = []
        for pair in table._list("rows", self.limits.values):
            if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], int):
                raise ValueError("its rows of groups are damaged")
            counts.append((self._short(pair[0], "rows"), int(pair[1])))
        return Groups(table.text("column"), told_numbers(numbers), tuple(counts))

    def changes(self) -> tuple[tuple[str, Any], ...]:
        """What was asked of the model after its run, as far as the file tells."""
        found: list[tuple[str, Any]] = []
        for entry in self._list("changes", self.limits.models) if "changes" in self.values else ():
            if not isinstance(entry, dict) or len(entry) != 1:
                raise ValueError("its list 'changes' is damaged")
            [name], inner = entry, Checked(entry, self.limits)
            if name == "prune":
                found.append((name, inner.number(name)))
            elif name == "choose":
                row = isinstance(entry[name], int)
                found.append((name, inner.whole(name, -(1 << 31), 1 << 31) if row else inner.text(name)))
            else:
                raise ValueError(f"its list 'changes' tells of {_shown(name)}, which is unknown")
        return tuple(found)

    def loss(self) -> Loss:
        """What was minimised; squared error in files that do not say."""
        if "loss" not in self.values:
            return SQUARED
        table = self.table("loss")
        name, numbers = table.text("name"), [_number(n, "numbers") for n in table._list("numbers", 10)]
        known = name.partition(":")[0]
        try:
            found = Loss(name) if known in KINDS else loss_of(name)
        except ValueError:  # a function of the user's: only its name is known
            found = OwnLoss(name, function=_unknown_loss)
        return replace(found, numbers=tuple(numbers))

    def command(self) -> tuple[str, ...] | None:
        """The shell command of the run, as far as the file tells."""
        if self.values.get("command") is None:
            return None
        return tuple(self.texts("command", self.limits.models))

    def parameters(self, settings: Settings) -> dict[str, Any]:
        """Constructor parameters, each of the kind that `Parameters` declares; `settings` are those of the run."""
        hints = get_type_hints(Parameters) | {
            "random_state": int | None,
            "settings": dict | str | None,
            "loss": str,
        }
        values: dict[str, Any] = {}
        self._move_earlier_parameters()
        for field in fields(Parameters):
            value = self.values.get(field.name, field.default)
            if not _is_a(value, hints[field.name]):
                raise ValueError(
                    f"its parameter {field.name!r} is {_shown(value)}, which is of the wrong kind"
                )
            values[field.name] = value
        if isinstance(values["functions"], list):
            values["functions"] = [tuple(f) if isinstance(f, list) else f for f in values["functions"]]
        given = values["settings"]
        if isinstance(given, dict):
            values["settings"] = {name: setting_value(name, value) for name, value in given.items()}
        elif given == "given":
            values["settings"] = settings
        elif given is not None:
            raise ValueError(f"its parameter 'settings' is {_shown(given)}, which is of the wrong kind")
        return values

    def _move_earlier_parameters(self) -> None:
        """What was a parameter in files of earlier versions is a setting by now."""
        given = {name: self.values[name] for name in EARLIER_PARAMETERS if self.values.get(name) is not None}
        if given and isinstance(self.values.get("settings"), dict | None):
            self.values["settings"] = given | (self.values.get("settings") or {})

    def _individual(self) -> Individual:
        limits = self.limits
        genes = self._list("genes", limits.genes)
        for gene in genes:
            if not isinstance(gene, str) or len(gene) > limits.gene_text:
                raise ValueError(f"a gene is no text of at most {limits.gene_text} characters")
        coefficients = [_number(c, "coefficients") for c in self._list("coefficients", limits.genes)]
        individual = Individual(genes, self.number("intercept"), coefficients)
        nodes = max(individual.n_nodes, individual.complexity)
        if nodes > limits.nodes:
            raise ValueError(f"a model has {nodes} nodes, more than the {limits.nodes} allowed")
        if individual.depth > limits.depth:
            raise ValueError(f"a gene is {individual.depth} deep, more than the {limits.depth} allowed")
        return individual

    def _list(self, name: str, at_most: int) -> list[Any]:
        value = self.values.get(name)
        if not isinstance(value, list):
            raise ValueError(f"its list {name!r} is missing or damaged")
        if len(value) > at_most:
            raise ValueError(f"its list {name!r} has {len(value)} entries, more than the {at_most} allowed")
        return value

    def _short(self, value: Any, name: str) -> str:
        if not isinstance(value, str) or len(value) > self.limits.text:
            raise ValueError(f"its value {name!r} is no text of at most {self.limits.text} characters")
        return value


def _unknown_loss(y: Any, p: Any) -> Any:
    raise ValueError(
        "The loss of this model is a Python function, which its file does not hold; fit it again."
    )


def _pair(value: Any) -> list[float]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("a range of its data summary is damaged")
    return [_number(each, "ranges") for each in value]


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"its value {name!r} is {_shown(value)}, not a number")
    return float(value)


def _is_a(value: Any, hint: Any) -> bool:
    """Is a value of JSON of the kind that a parameter's declaration says?"""
    origin, arguments = get_origin(hint) or hint, get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_is_a(value, each) for each in arguments)
    if origin is Literal:
        return isinstance(value, str) and value in arguments
    if origin is dict and arguments[1:] == (str,):
        return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
    if isinstance(value, bool):
        return origin is bool
    return isinstance(value, (int, float) if origin is float else origin)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "…"

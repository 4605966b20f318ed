"""What a model is made of and what its parts do: contributions, importance, knock-out, frequencies, error curves.

Functions of a fitted model and rows that return tables; nothing is drawn here. The estimator offers them as its own methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from multigene._engine import Individual
from multigene.data.losses import Loss
from multigene.data.scores import metrics
from multigene.data.training_rows import TrainingRows
from multigene.evolution.pareto import Member
from multigene.explain.front import Front
from multigene.expression import tree
from multigene.expression.genes import gene_expression, transformations
from multigene.expression.rewriting import simplify
from multigene.formula import Formula

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


def scores_of(individual: Individual, rows: TrainingRows, loss: Loss) -> dict[str, float]:
    """R², RMSE, mean, median and largest absolute error, and bias on any rows; of other losses the share explained as well."""
    predictor = individual.predict(rows.X)
    found = metrics(rows.y, loss.prediction(predictor), rows.weights)
    if loss.squared:
        return found
    return {"explained": loss.explained(rows.y, predictor, rows.weights), **found}


def rescored(front: Front, chosen: Member, rows: TrainingRows) -> pd.DataFrame:
    """Every listed model of a front on other rows: size, scores, formula, and which is the chosen one."""
    import pandas as pd

    table = []
    for each in front.listed:
        measured = scores_of(each.member.individual, rows, front.loss)
        shown = {"formula": str(each.formula), "chosen": each.member is chosen}
        table.append({"complexity": each.complexity, **measured, **shown})
    return pd.DataFrame(table)


def transformation_table(individual: Individual, names: Sequence[str]) -> pd.DataFrame:
    """The learned linear combinations: one row each, the additive weight first, then one column per feature."""
    import pandas as pd

    # By position: a feature may itself be called "gene" or "bias".
    found = transformations(individual)
    weights = [[bias, *(terms.get(j, 0.0) for j in range(len(names)))] for _, bias, terms in found]
    table = pd.DataFrame(
        np.array(weights).reshape(len(found), -1 if found else 1 + len(names)), columns=["bias", *names]
    )
    table.insert(0, "gene", np.array([gene for gene, _, _ in found], dtype=int), allow_duplicates=True)
    return table


def used_genes(individual: Individual) -> list[int]:
    """Genes that take part in the prediction."""
    return [gene for gene, c in enumerate(individual.coefficients) if c != 0.0]


def gene_table(individual: Individual, names: Sequence[str], rows: TrainingRows) -> pd.DataFrame:
    """One row per gene: formula, coefficient, share of variance, and what removing it costs.

    `share` is the covariance of the gene's part with the prediction over the prediction's variance: shares
    add up to 1, a negative one belongs to a gene that takes back what others give. `spread` is the standard
    deviation of the gene's part, in the target's units. `loss` is the fall of R² when the gene is removed and
    the others are fitted anew (knock-out).
    """
    import pandas as pd

    used = used_genes(individual)
    values = individual.gene_values(rows.X)[:, used] * np.array([individual.coefficients[g] for g in used])
    parts = values - np.average(values, axis=0, weights=rows.shares) if used else values
    whole = parts.sum(axis=1)
    variance = float(np.average(whole**2, weights=rows.shares))
    losses = knock_out(individual, rows)
    table = []
    for i, gene in enumerate(used):
        formula = Formula(simplify(gene_expression(individual, gene)), names, f"gene{i}")
        covariance = float(np.average(parts[:, i] * whole, weights=rows.shares))
        table.append(
            {
                "gene": gene,
                "formula": str(formula),
                "coefficient": individual.coefficients[gene],
                "share": covariance / variance if variance > 0.0 else 0.0,
                "spread": float(np.sqrt(np.average(parts[:, i] ** 2, weights=rows.shares))),
                "loss": losses[gene],
                "variables": ", ".join(formula.variables),
            }
        )
    return pd.DataFrame(
        table, columns=["gene", "formula", "coefficient", "share", "spread", "loss", "variables"]
    )


def knock_out(individual: Individual, rows: TrainingRows) -> dict[int, float]:
    """Fall of R² when each gene is removed and the coefficients of the others are fitted anew."""
    genes, used = individual.genes, used_genes(individual)
    whole = (
        Individual([genes[g] for g in used] or ["0.0"], 0.0, [1.0] * max(1, len(used)))
        .fit(rows.dataset)
        .fitness
    )
    losses = {}
    for gene in used:
        others = [genes[g] for g in used if g != gene] or ["0.0"]
        losses[gene] = float(whole - Individual(others, 0.0, [1.0] * len(others)).fit(rows.dataset).fitness)
    return losses


def importance(
    individual: Individual, names: Sequence[str], rows: TrainingRows, repeats: int = 5, seed: int = 0
) -> pd.DataFrame:
    """One row per column of the data, the most important first.

    `permutation` is the fall of R² when the column is shuffled (mean of some repeats, `deviation` between
    them); `share` is the share of variance of the genes, a gene's going in equal parts to the variables it
    uses.
    """
    import pandas as pd

    used = used_genes(individual)
    variables = {g: tree.variables(gene_expression(individual, g)) for g in used}
    shares = np.zeros(len(names))
    contributions: list[float] = gene_table(individual, names, rows)["share"].tolist() if used else []
    for gene, share in zip(used, contributions, strict=True):
        for j in variables[gene]:
            shares[j] += share / len(variables[gene])
    falls = np.zeros((len(names), max(1, repeats)))
    columns = sorted({j for js in variables.values() for j in js})
    for j, fall in permutation(individual, rows, columns, repeats, seed).items():
        falls[j] = fall
    table = pd.DataFrame(
        {
            "variable": list(names),
            "permutation": falls.mean(axis=1),
            "deviation": falls.std(axis=1),
            "share": shares,
        }
    )
    return table.sort_values("permutation", ascending=False, kind="stable", ignore_index=True)


def permutation(
    individual: Individual, rows: TrainingRows, columns: Sequence[int], repeats: int = 5, seed: int = 0
) -> dict[int, Floats]:
    """Fall of R² in every repeat of shuffling each of the columns."""
    rng = np.random.default_rng(seed)
    base, falls = rows.explained(individual.predict(rows.X)), {}
    shuffled = rows.X.copy()
    for j in columns:
        falls[j] = np.empty(max(1, repeats))
        for r in range(len(falls[j])):
            shuffled[:, j] = rng.permutation(rows.X[:, j])
            falls[j][r] = base - rows.explained(individual.predict(shuffled))
        shuffled[:, j] = rows.X[:, j]
    return falls


def variable_frequencies(front: Front, least: float = 0.9) -> pd.DataFrame:
    """How often each column is used by the good models of the run: those with at least this share of the best
    R².

    `models` is the share of good models that use the column, `uses` its mean number of appearances in a good
    model.
    """
    import pandas as pd

    best = max(m.fitness for m in front)
    good = [e.formula for e in front.listed if e.member.fitness >= least * best] or [
        e.formula for e in front.listed
    ]
    models, uses = np.zeros(len(front.names)), np.zeros(len(front.names))
    for formula in good:
        for node in tree.postorder(formula.expression):
            if isinstance(node, tree.Variable):
                uses[node.index] += 1
        models[list(tree.variables(formula.expression))] += 1
    table = pd.DataFrame({"variable": front.names, "models": models / len(good), "uses": uses / len(good)})
    return table.sort_values(["models", "uses"], ascending=False, kind="stable", ignore_index=True)


def error_curves(models: Mapping[str, Any], X: Any, y: Any, points: int = 201) -> pd.DataFrame:
    """Regression error characteristic curves (Bi and Bennett 2003) of several models on the same rows, to be
    drawn together.

    `models` maps names to anything with `predict`. Columns: `model`, `tolerance` (absolute error), `share` of
    rows predicted within it, and `area` over the curve up to the largest tolerance, which estimates the mean
    absolute error.
    """
    target = np.asarray(y, dtype=np.float64).ravel()
    errors = {
        name: np.asarray(model.predict(X), dtype=np.float64).ravel() - target
        for name, model in models.items()
    }
    return curves_of_errors(errors, points)


def curves_of_errors(
    errors: Mapping[str, Floats], points: int = 201, weights: Floats | None = None
) -> pd.DataFrame:
    """As `error_curves`, from the errors of every model instead of the models; rows may have weights."""
    import pandas as pd

    errors = {name: np.abs(error) for name, error in errors.items()}
    if not errors or min(len(error) for error in errors.values()) == 0:
        raise ValueError("Error curves need at least one model and one row.")
    finite = [e[np.isfinite(e)] for e in errors.values()]
    largest = max((float(e.max()) for e in finite if len(e)), default=1.0)
    tolerances = np.linspace(0.0, largest, points)
    tables = []
    for name, error in errors.items():
        order = np.argsort(error)
        below = np.cumsum(np.ones(len(error)) if weights is None else weights[order])
        within = np.concatenate([[0.0], below])[np.searchsorted(error[order], tolerances, side="right")]
        share = within / below[-1]
        bounded = np.minimum(np.where(np.isfinite(error), error, largest), largest)
        area = float(np.average(bounded, weights=weights))
        tables.append(pd.DataFrame({"model": name, "tolerance": tolerances, "share": share, "area": area}))
    return pd.concat(tables, ignore_index=True)

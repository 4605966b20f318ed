"""What a fit tells in the end: values for programs (`--json`), and the same in sentences."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from multigene.cli.features import spoken_features
from multigene.cli.output import formula_lines
from multigene.cli.task import Problem
from multigene.data.scores import scores, spoken
from multigene.words import CUT_SHORT, among, anatomy, counted

if TYPE_CHECKING:
    from multigene.fitted import FittedModel


def summary(model: FittedModel, task: Problem, seconds: float, seed: int) -> dict[str, Any]:
    """All there is to say about a fit; training scores of a table that is read in pieces are those of the sample in memory.

    Rows count in them as they did in the fit, so that R² is that of the front.
    """

    def measured(frame: pd.DataFrame, weights: pd.Series | None = None) -> dict[str, float]:
        prediction = model.predict(spoken_features(model, task.x(frame)))
        shares = None if weights is None else weights.to_numpy()
        return {"rows": len(frame), **scores(task.y(frame).to_numpy(), prediction, shares)}

    train, weights = task.train, task.weights
    if model.outliers:
        kept = np.delete(np.arange(len(train)), model.outliers)
        train, weights = train.iloc[kept], None if weights is None else weights.iloc[kept]

    groups = None if model.groups is None else model.group_table()
    return {
        "formula": str(model.formula),
        "named_formula": model.formula.where(),
        "groups": groups,
        "exact_formula": model.formula.text(None),
        "target": task.columns.target,
        "features": list(task.columns.features),
        "variables": list(model.formula.variables),
        "nodes": model.formula.size,
        "genes": model.n_genes,
        "train": measured(train, weights),
        "all_rows": None if task.stream is None else {"rows": (model.data or {})["rows"], "r2": model.r2},
        "test": None if task.test is None else measured(task.test),
        "front": model.equations(),
        "parts": dict(model.chosen.parts),
        "shapes": [{"shape": v.shape, "status": v.status, "points": v.points} for v in model.certificate],
        "picks": {name: pick.complexity for name, pick in model.front.picks.items()},
        "generations": model.n_generations,
        "seconds": round(seconds, 3),
        "stopped_by": model.stopped_by,
        "cut_short": model.cut_short,
        "claim": None if model.claim is None else asdict(model.claim),
        "seed": seed,
        "data": task.source,
    }


def spoken_summary(result: dict[str, Any], picks: str = "") -> str:
    """The same for people, with the front in five lines."""
    lines = [
        formula_lines(f"{result['target']} = {result['named_formula']}"),
        "",
        spoken("training", result["train"], result["train"]["rows"]),
    ]
    if result["all_rows"] is not None:
        lines.append(
            f"{'all rows:':10} R² {result['all_rows']['r2']:.6f}   {result['all_rows']['rows']} rows"
        )
    if result["test"] is not None:
        lines.append(spoken("test", result["test"], result["test"]["rows"]))
    lines.append(
        f"{'formula:':10} {anatomy(result['nodes'], result['genes'])}, {among(len(result['front']))}"
    )
    for i, (name, text) in enumerate(result["parts"].items()):
        lines.append(f"{'with:' if i == 0 else '':10} {name} = {text}")
    for i, shape in enumerate(result["shapes"]):
        how = (
            shape["status"]
            if shape["status"] == "proven"
            else f"{shape['status']} on {shape['points']} points"
        )
        lines.append(f"{'shapes:' if i == 0 else '':10} {shape['shape']}: {how}")
    lines.append(
        f"{'search:':10} {counted(result['generations'], 'generation')} in {result['seconds']:.1f} s, ended by "
        f"{result['stopped_by']}, {f'{CUT_SHORT}, ' if result['cut_short'] else ''}seed {result['seed']}"
    )
    if result["claim"] is not None:
        claim = result["claim"]
        lines.append(
            f"{'claim:':10} {claim['grade']}; formulas like it are the law in {claim['probability']:.0%} of data that follow one"
        )
    if result.get("groups") is not None and len(result["groups"]):
        lines += ["", table_of_groups(result["groups"])]
    if picks and len(result["front"]) > 1:
        lines += ["", picks, ""]
    lines.extend(f"{'wrote:' if i == 0 else '':10} {path}" for i, path in enumerate(result.get("files", ())))
    return "\n".join(lines)


#: Groups whose numbers are printed; model files and `groups_` have all of them.
MOST_GROUPS = 20


def table_of_groups(table: pd.DataFrame) -> str:
    """The numbers of every group with their intervals, one line each; of very many groups the first."""
    lines = []
    for number, rows in table.groupby("number", sort=False):
        own = rows[rows["group"].notna()]
        lines.append(f"{number}:")
        for _, row in own.head(MOST_GROUPS).iterrows():
            lines.append(
                f"  {row['group']:20} {row['estimate']:<12.6g} {interval_of(row)}   {row['rows']} rows"
            )
        if len(own) > MOST_GROUPS:
            lines.append(f"  … and {len(own) - MOST_GROUPS} more")
        lines.append(f"  {'new groups':20} {rows['estimate'].iloc[-1]:<12.6g} {interval_of(rows.iloc[-1])}")
    return "\n".join(lines)


def interval_of(row: Any) -> str:
    """The 95 % interval of a number, if it is known."""
    known = pd.notna(row["lower"])
    return f"[{row['lower']:.5g}, {row['upper']:.5g}]" if known else ""

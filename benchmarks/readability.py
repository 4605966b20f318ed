"""Are formulas such as people believe? Counts of what nobody does, over the fronts of many short fits.

| column | a formula counts if |
|---|---|
| cancelling | the range of one of its terms on the training rows is more than 20 times that of the target |
| exponent | it has an exponent beyond ±6 |
| nest | three functions of one kind stand inside each other, or four of any kind |
| rounding | its R² on the training rows moves by more than 0.001 when its numbers are rounded to the digits that are printed |
| size | its size is not that of the tree that SymPy makes of it |

    python -m benchmarks readability                    ASN, CCS, ENC, ENH of the study (MULTIGENE_DATA: local copies)
        --problems ASN,CCS                              only these; "" for none
        --data DIR                                      and every table of a directory (see `tables.py`)
        --seeds 5, --seconds 2                          processor seconds of a fit, one thread
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import sizes
from benchmarks.printed_size import printed_size

COLUMNS = ("cancelling", "exponent", "nest", "rounding", "size")
#: Times the target's range; the largest exponent; functions of one kind inside each other, one more of any; R² lost by rounding.
CANCELLING, EXPONENT, NEST, ROUNDING = 20.0, 6.0, 2, 1e-3


def faults(expression: Any, names: Sequence[str], X: Any, y: Any) -> set[str]:
    """Columns in which a formula counts."""
    from multigene.explain.terms import split
    from multigene.expression.numbers import largest_exponent
    from multigene.expression.reading import read
    from multigene.expression.rewriting import simplify
    from multigene.expression.tree import evaluate
    from multigene.formula import Formula

    formula, found = Formula(expression, names), set[str]()
    with np.errstate(all="ignore"):
        terms = [coefficient * evaluate(term, X) for coefficient, term in split(simplify(expression))[1]]
        if any(np.ptp(term) > CANCELLING * np.ptp(y) for term in terms):
            found.add("cancelling")
        rounded = Formula(read(str(formula), tuple(names)), names)
        if abs(sizes.r2(y, rounded(X)) - sizes.r2(y, formula(X))) > ROUNDING:
            found.add("rounding")
    if largest_exponent(expression) > EXPONENT:
        found.add("exponent")
    if nested(expression):
        found.add("nest")
    if printed_size(str(formula)) != formula.size:
        found.add("size")
    return found


def nested(node: Any, above: tuple[str, ...] = ()) -> bool:
    """Are too many functions inside each other? Sums and products are no functions; signs and powers count as of one kind."""
    from multigene.expression.operators import OPERATORS
    from multigene.search.building import hides

    name = getattr(node, "name", "")
    path = (*above, name) if name in OPERATORS and not OPERATORS[name].sign else above
    deep = any(path.count(each) > NEST for each in path) or sum(map(hides, path)) > NEST + 1
    return deep or any(nested(child, path) for child in node.children)


def fit(rows: sizes.Rows, seconds: float, seed: int) -> Any:
    """A default fit."""
    from multigene import MultigeneRegressor

    settings = {"clock": "processor"}
    model = MultigeneRegressor(time_limit=seconds, random_state=seed, n_jobs=1, settings=settings)
    return model.fit(rows.X_train, rows.y_train)


def run(arguments: Sequence[str] = ()) -> Table:
    """Fit, count, return the table: models of fronts, and in brackets default choices."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks readability", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--problems", default="ASN,CCS,ENC,ENH")
    parser.add_argument("--data")
    parser.add_argument("--seeds", default=5, type=int)
    parser.add_argument("--seconds", default=2.0, type=float)
    options, console = parser.parse_args(arguments), Console(stderr=True, width=160)
    problems = [name for name in options.problems.split(",") if name]
    title = f"Formulas of fronts (default choices) that nobody believes: {options.seconds:g} processor seconds, one thread"
    table = Table("set", "fits", "formulas", *COLUMNS, title=title)
    total = np.zeros(2 + 2 * len(COLUMNS), dtype=int)
    for name, rows_of in sizes.sets(problems, options.data).items():
        counts = np.zeros_like(total)
        for seed in range(options.seeds):
            rows = rows_of(seed)
            model = fit(rows, options.seconds, seed)
            front = model.fitted_.front.listed
            counts[:2] += 1, len(front)
            for listed in front:
                formula = listed.formula
                found = faults(formula.expression, formula.feature_names, rows.X_train, rows.y_train)
                for k, column in enumerate(COLUMNS):
                    counts[2 + 2 * k] += column in found
                    counts[3 + 2 * k] += column in found and listed.member is model.fitted_.front.default
                if found:
                    console.print(name, seed, sorted(found), str(formula)[:100], highlight=False)
        total += counts
        table.add_row(name, *shown(counts))
        console.print(name, *shown(counts), highlight=False)  # so far, of a run that takes long
    table.add_section()
    table.add_row("all", *shown(total))
    return table


def shown(counts: Any) -> list[str]:
    """A line of the table."""
    pairs = counts[2:].reshape(-1, 2)
    return [str(counts[0]), str(counts[1]), *(f"{front} ({default})" for front, default in pairs)]

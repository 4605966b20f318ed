"""Symmetries seen in the data: fewer, combined variables for the law search, as dimensional analysis gives them with units.

A smooth surrogate (`surrogate.py`) shows how the target changes along every feature. Where scaling some features together,
x_j → λ^n_j·x_j, scales the target by λ^k at every row, Euler's identity Σ n_j·x_j·∂y/∂x_j = k·y says that some columns of numbers
cancel; small whole numbers n, k act like exponents of a unit that nobody told, and Buckingham's theorem (`units.py`) gives a
factor and groups that are one variable fewer. Where Σ n_j·∂y/∂x_j = 0, differences of features are what matters. What is found so
is believed when a surrogate in the new variables predicts left-out rows as well as before; the search goes on from there, since
a surrogate of fewer variables sees more. Nothing here is random.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd, lcm

import numpy as np
import numpy.typing as npt

from multigene.data.spread import evenly
from multigene.expression.constants import LARGEST_EXPONENT
from multigene.expression.rewriting import simplify
from multigene.expression.rewriting.parts import powers_of, split_term
from multigene.expression.tree import Expression, Operation, Power, Variable, evaluate, substitute
from multigene.laws.constants import (
    ACCURATE,
    ALONE,
    AS_GOOD,
    BETTER,
    CLOSE_TO_WHOLE,
    FINE,
    FIRST,
    NOISY_PICTURE,
    NOTHING,
    POWERS,
    SLOPES_CANCEL,
    SPARSE,
    STEPS,
    SURROGATE_ROWS,
)
from multigene.laws.transforms import one_sign
from multigene.laws.variables.surrogate import Surrogate, highest_degree, surrogate_of
from multigene.laws.variables.units import Dimensions, Group

Floats = npt.NDArray[np.float64]
#: Vectors as rows, and a column of its own for each.
Vectors = tuple[Floats, list[int]]


@dataclass(frozen=True)
class Variables:
    """What a law may be about instead of the features: y = prefactor · f(columns).

    Columns are numbered like features, further ones after them.
    """

    values: Floats
    """Features and further columns, on every row."""
    meaning: dict[int, Expression]
    """What further columns stand for, in features."""
    columns: tuple[int, ...]
    prefactor: dict[int, float]
    """Exponents of columns."""
    left: float | None = None
    """What a surrogate in them leaves of left-out rows; None if they are known for certain."""

    def factor(self) -> Floats:
        """Values of the prefactor."""
        return Group(self.prefactor).values(self.values)


@dataclass(frozen=True)
class Picture:
    """What the data show at first sight."""

    combined: Variables | None = None
    """Variables that they allow instead of the features, fewer than these; None if there are none."""
    noisy: bool = False
    """Is there no smooth picture, and no sign that more detail would bring one? Mostly that is noise."""


def picture(
    X: Floats,
    y: Floats,
    features: list[int],
    known: Variables | None = None,
    allows: Callable[..., bool] = lambda *names: True,
) -> Picture:
    """Look at the data through surrogates, again and again in combined variables, from those on that are `known`.

    `allows` says which functions may be used.
    """
    rows = evenly(len(y), SURROGATE_ROWS)
    now, target = known or Variables(X, {}, tuple(features), {}), y[rows]
    first = now = replace(now, values=now.values[rows])
    if len(now.columns) < 2 or highest_degree(len(rows), len(now.columns)) < 2:
        return Picture(known)
    powers = POWERS if one_sign(target) else POWERS[:1]
    with np.errstate(all="ignore"):
        kinds = [s for power in powers if (s := _surrogate(now, target, power))]
        if not kinds:
            return Picture(known)
        surrogate = min(kinds, key=lambda s: s.left)
        noisy = surrogate.settled and surrogate.left > NOISY_PICTURE
        for _ in range(STEPS):
            far = surrogate.left >= NOTHING and len(now.columns) > 1
            step = _step(now, target, surrogate, allows) if far else None
            if step is None:
                break
            now, surrogate = step
        # Some features less are not worth testing everything twice.
        if now is first or not (now.meaning or now.prefactor):
            return Picture(known, noisy)
        combined = _on_all_rows(now, X)
    if combined is None:
        return Picture(known, noisy)
    return Picture(replace(combined, left=None if known else surrogate.left), noisy)


def _on_all_rows(variables: Variables, X: Floats) -> Variables | None:
    """The same variables where all rows allow them: finite, and no factor that is zero or changes its sign."""
    further = [evaluate(variables.meaning[j], X) for j in sorted(variables.meaning)]
    whole = replace(variables, values=np.column_stack([X, *further]))
    positive = all(np.all(whole.values[:, j] > 0.0) for j in whole.prefactor)
    factor = whole.factor()
    sound = np.isfinite(whole.values).all() and np.isfinite(factor).all() and np.all(factor > 0.0)
    return whole if positive and sound else None


def _step(
    now: Variables, target: Floats, surrogate: Surrogate, allows: Callable[..., bool]
) -> tuple[Variables, Surrogate] | None:
    """Variables that combine the present ones, if there are any to be believed."""
    # Differences first: a feature that others are divided by has none any more.
    found = _tried(_shifted(now, surrogate, False), target, surrogate)
    first = _believed(found, FIRST * surrogate.left)
    if first is not None:
        return first
    if allows("add"):
        found += _tried(_shifted(now, surrogate, True), target, surrogate)
    found += _tried(_scaled(now, surrogate, allows("sqrt")), target, surrogate)
    share = AS_GOOD if surrogate.settled and surrogate.left < NOISY_PICTURE else BETTER
    return _believed(found, share * surrogate.left)


def by_units(X: Floats, dimensions: Dimensions) -> Variables | None:
    """Variables without units, by Buckingham's theorem."""
    found = dimensions.groups(X)
    if found is None:
        return None
    now = Variables(X, {}, tuple(range(X.shape[1])), found[0].exponents)
    new = _with_columns(now, [group.expression for group in found[1]])
    return replace(new, columns=tuple(j for j in new.columns if np.ptp(new.values[:, j]) > 0.0))


def _surrogate(variables: Variables, y: Floats, power: int) -> Surrogate | None:
    return surrogate_of(variables.values[:, list(variables.columns)], y, variables.factor(), power)


def _tried(
    candidates: Iterable[Variables], target: Floats, before: Surrogate
) -> list[tuple[Variables, Surrogate]]:
    return [(new, s) for new in candidates if (s := _surrogate(new, target, before.power))]


def _believed(found: list[tuple[Variables, Surrogate]], most: float) -> tuple[Variables, Surrogate] | None:
    """The variables that predict left-out rows best, the fewest where several do well, if they leave no more than `most`."""
    best = min(
        found,
        key=lambda pair: (max(pair[1].left, ACCURATE), len(pair[0].columns), pair[1].left),
        default=None,
    )
    return best if best is not None and best[1].left <= max(most, ACCURATE) else None


# --- symmetries -----------------------------------------------------------------------------------


def _scaled(now: Variables, surrogate: Surrogate, roots: bool) -> Iterator[Variables]:
    """Variables after features that scale together are taken together."""
    U = now.values[:, list(now.columns)]
    own = np.ones(len(U)) if surrogate.power == 0 else surrogate.power * surrogate.values
    M = np.column_stack([U * surrogate.slopes(), -own])[surrogate.inside]
    halves = roots and surrogate.left < FINE
    for vectors, _ in _whole_vectors(M, 2.0 if halves else 1.0, LARGEST_EXPONENT):
        # Every vector is like a unit: exponents of the columns in it, and of the target.
        dimensions = [tuple(Fraction(v) for v in column) for column in vectors.T]
        found = Dimensions(tuple(dimensions[:-1]), dimensions[-1]).groups(U)
        if (
            found is None
            or not found[1]
            or any(not ((2.0 if roots else 1.0) * e).is_integer() for e in found[0].exponents.values())
        ):
            continue
        prefactor, groups = found[0], [_whole(group, U) for group in found[1]]
        powers = dict(now.prefactor)
        for k, e in prefactor.exponents.items():
            powers[now.columns[k]] = powers.get(now.columns[k], 0.0) + e
        new = replace(now, prefactor={j: e for j, e in powers.items() if e})
        yield _with_columns(new, [group.expression for group in groups])


def _whole(group: Group, U: Floats) -> Group:
    """A power of a group that has whole exponents."""
    factor = lcm(*(Fraction(e).limit_denominator(12).denominator for e in group.exponents.values()))
    if factor % 2 == 0 and not all(np.all(U[:, j] > 0.0) for j in group.exponents):
        return group
    return Group({j: round(factor * e, 9) for j, e in group.exponents.items()})


def _shifted(now: Variables, surrogate: Surrogate, sums: bool) -> Iterator[Variables]:
    """Variables after features that may be shifted together are replaced by their differences; with `sums`, only where some are
    added, which are more often taken for what is in truth a product."""
    slopes = surrogate.slopes()[surrogate.inside]
    M = np.column_stack([slopes, np.zeros(len(slopes))])
    for vectors, pivots in _whole_vectors(M, 1.0, 1.0):
        if np.any((vectors != 0.0).sum(axis=1) < 2):
            continue  # a feature that does not matter
        if np.any(vectors < 0.0) != sums:
            continue
        columns: list[Expression] = []
        for j in range(len(now.columns)):
            if j in pivots:
                continue
            less = [(int(p), v[j]) for p, v in zip(pivots, vectors, strict=True) if v[j] != 0.0]
            columns.append(_difference(j, less, now.values[:, list(now.columns)]))
        if columns:
            yield _with_columns(now, columns)


def _difference(j: int, less: list[tuple[int, float]], U: Floats) -> Expression:
    """Column j without others, or with them where they go the other way; the sign is such that it is positive on the whole."""
    parts: list[Expression] = [Variable(j)]
    value = U[:, j]
    for p, way in less:
        parts.append(Variable(p) if way < 0.0 else Operation("neg", (Variable(p),)))
        value = value - way * U[:, p]
    if not less:
        return Variable(j)
    if value.mean() < 0.0:
        parts = [Operation("neg", (part,)) for part in parts]
    return simplify(Operation("add", tuple(parts)))


def _whole_vectors(M: Floats, parts: float, largest: float) -> Iterator[Vectors]:
    """Sets of vectors of simple numbers that the columns of `M` cancel with; exponents are multiples of 1 / parts.

    Vectors of one or two features are looked for one by one, those of more in the null space.
    """
    M = M / max(float(np.abs(M).max()), np.finfo(float).tiny)
    size = np.sqrt(np.mean(M * M, axis=0))
    if not np.all(np.isfinite(size)) or size.max() == 0.0:
        return
    used = size > 0.0  # there is no column of the target where it is not to change
    size = np.maximum(size, 1e-9 * size.max())
    _, values, some = np.linalg.svd((M / size / np.sqrt(len(M)))[:, used], full_matrices=False)
    rows = np.zeros((len(some), M.shape[1]))
    rows[:, used] = some
    sets = [rows[-count:] for count in range(int(np.sum(values < SLOPES_CANCEL)), 0, -1)]
    found = [_rounded(*_echelon(rows, size), parts, largest) for rows in sets]
    sparse = _sparse(M / size, size, parts, largest)
    together = [_independent([v for left, v in sparse if left < most]) for most in SPARSE]
    for kept in [*together, *(v[None] for _, v in sparse[:ALONE])]:
        if len(kept):
            found.append(_rounded(*_echelon(kept * size, size), parts, largest))
    seen: set[bytes] = set()
    for vectors, pivots in found:
        if len(vectors) and vectors.tobytes() not in seen:
            seen.add(vectors.tobytes())
            yield vectors, pivots


def _rounded(reduced: Floats, pivots: list[int], parts: float, largest: float) -> Vectors:
    """Those vectors that are simple numbers."""
    whole = np.round(parts * reduced) / parts
    near = np.where(whole == np.round(whole), CLOSE_TO_WHOLE, CLOSE_TO_WHOLE / 2.0)
    clean = np.all((np.abs(reduced - whole) < near) & (np.abs(whole) <= largest), axis=1)
    kept: list[int] = [p for p, good in zip(pivots, clean.tolist(), strict=True) if good]
    return np.asarray(whole[clean] + 0.0), kept


def _sparse(M: Floats, size: Floats, parts: float, largest: float) -> list[tuple[float, Floats]]:
    """Vectors of one or two features (and the target), with what is left of the smaller one; the best come first."""
    gram = M.T @ M / len(M)
    last, found = M.shape[1] - 1, []
    for i, j in itertools.combinations_with_replacement(range(last), 2):
        others = [k for k in {j, last} - {i} if gram[k, k] > 0.0]
        weights = np.linalg.lstsq(gram[np.ix_(others, others)], -gram[others, i], rcond=1e-12)[0]
        vector = np.zeros(last + 1)
        vector[i] = 1.0
        vector[others] = weights * size[i] / size[others]
        if i != j and vector[j] == 0.0:
            continue
        if abs(vector[j]) < 0.75:  # the other one is the unit
            vector = vector / vector[j]
        vector = np.round(parts * vector) / parts + 0.0
        if vector[i] and vector[j] and np.max(np.abs(vector)) <= largest:
            scaled = vector * size
            left = max(float(scaled @ gram @ scaled), 0.0) ** 0.5 / min(abs(scaled[i]), abs(scaled[j]))
            found.append((left, vector))
    return sorted(found, key=lambda pair: pair[0])


def _independent(vectors: list[Floats]) -> Floats:
    """Each one that the ones before do not span."""
    kept: list[Floats] = []
    for vector in vectors:
        if np.linalg.matrix_rank(np.array([*kept, vector])) > len(kept):
            kept.append(vector)
    return np.array(kept)


def _echelon(rows: Floats, size: Floats) -> tuple[Floats, list[int]]:
    """The same space by vectors that have a one where all others have nothing; back to columns as large as they are."""
    rows = rows.copy()
    pivots = list[int]()
    for i in range(len(rows)):
        free = np.abs(rows[i:, :-1])
        free[:, np.array(pivots, dtype=int)] = 0.0
        a, b = divmod(int(free.argmax()), free.shape[1])
        if free[a, b] < 1e-9:
            return (rows * 0.0)[:0], []
        rows[[i, i + a]] = rows[[i + a, i]]
        rows[i] /= rows[i, b]
        for k in range(len(rows)):
            if k != i:
                rows[k] -= rows[k, b] * rows[i]
        pivots.append(b)
    return np.asarray(rows * size[np.array(pivots)][:, None] / size), pivots


def _with_columns(now: Variables, expressions: list[Expression]) -> Variables:
    """Variables whose columns are some expressions of the present ones."""
    meaning, values, columns = dict(now.meaning), [now.values], []
    names = {k: now.meaning.get(j, Variable(j)) for k, j in enumerate(now.columns)}
    U = now.values[:, list(now.columns)]
    for expression in expressions:
        if isinstance(expression, Variable):
            columns.append(now.columns[expression.index])
            continue
        columns.append(now.values.shape[1] + len(values) - 1)
        values.append(evaluate(expression, U)[:, None])
        meaning[columns[-1]] = simplify(substitute(expression, names))
        # A product of powers of positive features: what cancels may go, and a common power says nothing.
        number, product = split_term(meaning[columns[-1]])
        exponents = powers_of(product) if number == 1.0 and product is not None else {}
        whole = {b: e for b, e in exponents.items() if abs(e) > 1e-9}
        positive = all(isinstance(b, Variable) and np.all(now.values[:, b.index] > 0.0) for b in exponents)
        if whole and positive:
            common = (
                gcd(*(round(e) for e in whole.values())) if all(e == round(e) for e in whole.values()) else 1
            )
            roots = [Power(base, e / common) for base, e in whole.items()]
            meaning[columns[-1]] = simplify(Operation("mul", tuple(roots)) if len(roots) > 1 else roots[0])
            values[-1] = values[-1] ** (1.0 / common)
    return replace(now, values=np.hstack(values), meaning=meaning, columns=tuple(columns))

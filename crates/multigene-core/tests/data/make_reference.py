"""Makes the tables that the vector functions are tested against: it rewrites the `*.csv` beside it.

Each line is an argument and the correctly rounded value, both as the bits of a double in hexadecimal. Values
are computed with mpmath at 400 bits, more where the argument is huge. Points are random over the range that
matters for the function, next to the seams of its implementation, and at the edges of the range of doubles.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from pathlib import Path

from mpmath import mp, mpf, nint

RANDOM = random.Random(20240607)
TRIG_LIMIT = 2.1e8


def bits(x: float) -> int:
    """The bits of a double as an integer."""
    return int(struct.unpack("<Q", struct.pack("<d", x))[0])


def from_bits(b: int) -> float:
    """The double with these bits."""
    return float(struct.unpack("<d", struct.pack("<Q", b))[0])


def rounded(y: mpf) -> float:
    """The double nearest to y, subnormal ones and infinity included."""
    if mp.isnan(y):
        return math.nan
    if abs(y) < mpf(2) ** -1021:  # here the grid of doubles is uniform; float() would round twice
        units = int(nint(abs(y) * mpf(2) ** 1074))
        return math.copysign(from_bits(units), -1.0 if y < 0 else 1.0)
    if abs(y) >= mpf(2) ** 1024 - mpf(2) ** 970:
        return math.inf if y > 0 else -math.inf
    return float(y)


def uniform(low: float, high: float, count: int) -> list[float]:
    """Random points, evenly spread."""
    return [RANDOM.uniform(low, high) for _ in range(count)]


def spread(low: float, high: float, count: int, signed: bool = True) -> list[float]:
    """Random points, evenly spread in the logarithm, of either sign if `signed`."""
    points = [min(2.0 ** RANDOM.uniform(math.log2(low), math.log2(high)), high) for _ in range(count)]
    return [x * RANDOM.choice((-1, 1)) if signed else x for x in points]


def around(seams: list[float], steps: int = 2) -> list[float]:
    """Each seam and its nearest doubles on either side."""
    points = []
    for seam in seams:
        up = down = seam
        points.append(seam)
        for _ in range(steps):
            up, down = math.nextafter(up, math.inf), math.nextafter(down, -math.inf)
            points += [up, down]
    return points


def near_zeros_of_sine_and_cosine() -> list[float]:
    """The doubles that come nearest to a multiple of pi/2, which are the hardest to reduce.

    For x = m 2^e near n pi/2 the fraction m/n is near pi/2^(e+1): the best are its continued fraction's.
    """
    found = []
    mp.prec = 400
    for exponent in range(-52, -24):
        rest = mp.pi / 2 / mpf(2) ** exponent
        m, m_before, n, n_before = 1, 0, 0, 1
        for _ in range(60):
            digit = int(rest)
            m, m_before, n, n_before = digit * m + m_before, m, digit * n + n_before, n
            x = math.ldexp(m, exponent)
            if m >= 2**53 or x > TRIG_LIMIT:
                break
            if n > 0 and m > 2**40:
                found.append(x)
            rest = 1 / (rest - digit)
    return [x * RANDOM.choice((-1, 1)) for x in found]


def sinc(x: mpf) -> mpf:
    """sin(x)/x, 1 at 0."""
    return mp.sin(x) / x if x else mpf(1)


TINY = [5e-324, 1.5e-323, 1e-310, 2.2250738585072014e-308, 1e-300, 1e-200, 1e-30, 1e-17, 1e-9]
SMALL = [s * x for x in TINY for s in (1, -1)]
LN2 = math.log(2.0)
EXP_SEAMS = around([(k + 0.5) * LN2 for k in (-1075, -1074, -1023, -1022, -700, -2, -1, 0, 1, 2, 700, 1022)])
TRIG = (
    SMALL
    + near_zeros_of_sine_and_cosine()
    + uniform(-7, 7, 150)
    + spread(1.0, TRIG_LIMIT, 120)
    + around([k * math.pi / 4 for k in range(1, 13)], 1)
    + [TRIG_LIMIT, 2.1000001e8, 1e9, 1e16, -1e22, 5.319372648326541e255, 1e300, -1.7976931348623157e308]
)

TABLES: dict[str, tuple[Callable[[mpf], mpf], list[float]]] = {
    "exp": (
        mp.exp,
        SMALL
        + uniform(-745.2, 709.8, 150)
        + uniform(-745.2, -707, 80)
        + uniform(-3, 3, 120)
        + EXP_SEAMS
        + around([709.782712893384, -745.1332191019411, -708.3964185322641])
        + [-1e300, 1e300, 710.1, -746.1],
    ),
    "log": (
        mp.log,
        TINY
        + spread(5e-324, 2.2e-308, 80, False)
        + spread(2e-308, 1.79e308, 120, False)
        + uniform(0.5, 2, 150)
        + around([1.0, math.sqrt(0.5), math.sqrt(2.0), 0.5, 2.0, 2.2250738585072014e-308, 1e308], 3)
        + [1 + s * x for x in spread(1e-15, 1e-2, 60, False) for s in (1, -1)],
    ),
    "sin": (mp.sin, TRIG),
    "cos": (mp.cos, TRIG),
    "sinc": (sinc, TRIG),
    "tanh": (
        mp.tanh,
        SMALL
        + uniform(-3, 3, 150)
        + spread(1e-12, 30, 150)
        + uniform(-23, 23, 60)
        + [100.0, -1e300]
        + around([s * (k + 0.5) * LN2 / 2 for k in range(6) for s in (1, -1)] + [22.0, 19.1]),
    ),
    "logistic": (
        lambda x: 1 / (1 + mp.exp(x)),
        SMALL
        + uniform(-50, 50, 120)
        + uniform(-745, 745.2, 120)
        + uniform(705, 745.2, 80)
        + EXP_SEAMS
        + spread(1e-12, 30, 80)
        + [1e300, -1e300],
    ),
    "softplus": (
        lambda x: mp.log1p(mp.exp(x)),
        SMALL
        + uniform(-50, 50, 120)
        + uniform(-745.2, 745, 120)
        + uniform(-745.2, -705, 80)
        + EXP_SEAMS
        + spread(1e-12, 30, 80)
        + [1e300, -1e300],
    ),
    "gauss": (
        lambda x: mp.exp(-x * x),
        SMALL
        + uniform(-27.4, 27.4, 150)
        + uniform(26.5, 27.3, 80)
        + uniform(-2, 2, 120)
        + spread(1e-9, 28, 60)
        + around([27.297, 26.6157, 28.0])
        + [1e200, -1e300],
    ),
    "erf": (
        mp.erf,
        SMALL
        + uniform(-2, 2, 180)
        + uniform(-6.2, 6.2, 120)
        + spread(1e-12, 7, 120)
        + [30.0, -1e300]
        + around([0.75, 0.85, 1.0, -1.25, 1.5, 2.0, 5.9, 6.0]),
    ),
    "atan": (
        mp.atan,
        SMALL
        + uniform(-3, 3, 180)
        + spread(1e-12, 1e18, 180)
        + [1e200, -1.7976931348623157e308]
        + around([math.sqrt(2) - 1, 1 - math.sqrt(2), 1.0, -1.0, math.sqrt(2) + 1, 7 / 16, 11 / 16, 39 / 16]),
    ),
}


def main() -> None:
    """Writes every table."""
    for name, (function, points) in TABLES.items():
        lines = []
        for x in dict.fromkeys(points):
            mp.prec = 400 if abs(x) < 1e9 else 1600
            lines.append(f"{bits(x):016x},{bits(rounded(function(mpf(x)))):016x}\n")
        Path(__file__).with_name(f"{name}.csv").write_text("".join(lines))


if __name__ == "__main__":
    main()

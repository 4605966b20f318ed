"""Numbers with a name: small multiples of π and fractions without a short decimal, recognised to the last bit.

`explain/rounding.py` puts such numbers into formulas; writers for people print them as `pi/2` or `2/3` instead of digits.
"""

from __future__ import annotations

import math
from fractions import Fraction

#: Denominators with endless decimals, and those of multiples of π.
FRACTIONS = (3, 6, 7, 9, 12)
ANGLES = (1, 2, 3, 4, 6, 8)
MOST = 24


def recognised(value: float) -> tuple[int, int, bool] | None:
    """Numerator, denominator, and whether it is times π; None for what is best written as a decimal."""
    if (
        not math.isfinite(value)
        or value == 0.0
        or abs(value) > MOST * math.pi
        or float(f"{value:.9e}") == value
    ):
        return None
    for unit, denominators in ((1.0, FRACTIONS), (math.pi, ANGLES)):
        for denominator in denominators:
            numerator = round(value / unit * denominator)
            small = 1 <= abs(numerator) <= MOST
            lowest = Fraction(numerator, denominator).denominator == denominator
            if small and lowest and numerator * unit / denominator == value:
                return numerator, denominator, unit != 1.0
    return None

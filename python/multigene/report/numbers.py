"""Numbers as the page's data has them, few digits and None where there is no finite value; and as people read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
FROM_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def number(value: Any, digits: int = 6) -> float | None:
    """A finite number with few digits, or None."""
    value = float(value)
    return float(f"{value:.{digits}g}") if np.isfinite(value) else None


def numbers(values: Floats, digits: int = 5) -> list[Any]:
    """Each of them so."""
    return [number(value, digits) for value in values.tolist()]


def spoken_number(value: float | None, digits: int = 4) -> str:
    """A number for people, with a true minus sign and powers of ten as such."""
    if value is None:
        return "–"
    if value != 0.0 and not 1e-4 <= abs(value) < 1e7:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{float(mantissa):g}·10{str(int(exponent)).translate(SUPERSCRIPTS)}".replace("-", "−")
    text = f"{value:.{digits}g}"
    return (f"{float(text):.0f}" if "e" in text else text).replace("-", "−")


def spoken_r2(value: float | None) -> str:
    """R² with four decimals, seven where it is nearly 1."""
    if value is None:
        return "–"
    text = f"{max(value, -9999.0):.{7 if 0.9995 < value < 1.0 else 4}f}"
    return "0.0000" if text == "-0.0000" else text.replace("-", "−")


def read_number(text: str) -> float:
    """A number as a page has it, with a true minus sign and powers of ten as such."""
    mantissa, _, exponent = text.replace("−", "-").partition("·10")
    return (
        float(mantissa) * 10.0 ** int(exponent.translate(FROM_SUPERSCRIPTS)) if exponent else float(mantissa)
    )

"""Every constant of what is said of classes, in one table: what it does, and what speaks for it.

*Not tuned* means: a round number, and other values were not tried.
"""

from __future__ import annotations

#: Groups of about equally many rows for calibration, and points of a curve that a page draws. Not tuned.
BINS, MOST_POINTS = 10, 200

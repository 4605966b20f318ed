"""Every tuning constant of shapes, in one table: what it does, and what speaks for it.

`python -m benchmarks shapes` counts violations at a million points: none with these values (12 laws, two seeds). *Not tuned*
means: a round number, and other values were not tried.
"""

from __future__ import annotations

# --- conditions on points (points.py) ---------------------------------------------------------------

#: Conditions per shape while a search goes on, in its end, and for what cannot be proven: time. Not tuned.
SEARCH_POINTS, FINAL_POINTS, CHECKED_POINTS = 200, 5_000, 100_000
#: A step that tells a slope, and the smallest one that tells a bend, as shares of a column's range. Not tuned.
SLOPE_STEP, BEND_STEP = 1e-5, 3e-3
#: Chance that a coordinate of a point is at one end of its column, for either end: corners and faces are where most is wrong. Not
#: tuned.
AT_AN_END = 0.1
#: One condition in four is about a large step, which sees what small ones cancel; the others are about small ones. Not tuned.
LARGE_STEPS = 4
#: What may be missing of a condition, as a share of the target's range: rounding, which no reader of a formula sees. Not tuned.
TOLERANCE = 1e-9

# --- coefficients under conditions (repair.py) ------------------------------------------------------

#: Conditions that are added at a time, those that lack most; and how often. Not tuned.
ADDED, ROUNDS = 20, 25
#: Conditions are kept by this much more than they ask where that is possible, since points are not everywhere. Not tuned.
MARGINS = (1e-4, 1e-7, 0.0)
#: What a condition of the program may lack while it is solved, and what it may lack in the end, as shares of `TOLERANCE`: room
#: for rounding. Not tuned.
BROKEN, NEARLY = 0.1, 0.9
#: Singular values below this share of the largest are directions that coefficients do not move in: rounding. Not tuned.
DEPENDENT = 1e-10

# --- proofs (proof.py) ------------------------------------------------------------------------------

#: Boxes that are looked at before a proof is given up: time. Not tuned.
MOST_BOXES = 20_000
#: Points at which slopes and bends are looked at before anything is cut; more than the corners of eight columns. Not tuned.
POINT_BOXES = 2_000
#: Columns whose corners are all among these points. Not tuned.
CORNERED = 8
#: Boxes that wait: where cutting makes ever more of them, a proof is far. Not tuned.
MOST_WAITING = 4_000

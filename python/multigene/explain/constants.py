"""Every constant of what fitted models are asked, in one table: what it does, and what speaks for it.

`python -m benchmarks choice` and `prune` measure choosing and pruning. *Not tuned* means: a round number, and other values were
not tried.
"""

from __future__ import annotations

from multigene.settings.settings import Refinement

# --- choosing among the front (criteria.py, front.py, front_text.py) --------------------------------

#: Share of what the default explains that the knee may leave, and the balanced choice. A distance from a line between the ends of
#: the front, the usual definition, gives away a tenth of R² on fronts with a long tail.
KNEE, BALANCED = 0.015, 0.05
#: Nodes of a simple formula at most, and the share of what the best of that size explains that it may leave. Not tuned.
SIMPLE, NEARLY = 20, 0.02
#: 1 − R² below this is rounding: the spacing of doubles next to 1.
LEAST_UNEXPLAINED = 2.0**-52
#: Characters of a line where there is no terminal. Not tuned.
WIDTH = 100
#: A score below minus this is far below that of the mean, and its digits say nothing. Not tuned.
FAR_BELOW = 100
#: Columns that are named as the least stable ones of a formula. Not tuned.
LEAST_STABLE = 5

# --- models as they are printed (written.py) --------------------------------------------------------

#: Largest difference of predictions, in shares of the largest prediction, that is rounding. Not tuned.
SAME = 1e-9

# --- models that mislead (misleading.py) ------------------------------------------------------------

#: Range of a term relative to its size below which it is a number with a little beside it: `2e8*tanh(2*x) - 2e8`. Not tuned.
HARDLY_VARIES = 1e-6
#: Mean square by which a formula as it is printed may differ from the model, as a share of the target's variance: R² then
#: moves by less than 0.001.
AS_PRINTED = 1e-7

# --- digits of numbers (digits.py) ------------------------------------------------------------------

#: Relative change of the mean squared error that counts as rounding. Not tuned.
ROUNDING = 1e-6
#: Size of a term of an exact model, as a share of the largest target, that is a rounding error. Not tuned.
ROUNDING_ERROR = 1e-14
#: Mean square by which predictions may move, as a share of the mean squared error: three thousandths of it. Not tuned.
MOVED = 1e-5
#: Rows on which the effect of each number is measured, and on which what comes out is checked: time. Not tuned.
PROBED_ROWS, CHECKED_ROWS = 400, 5000
#: Attempts at most, each this much more careful than the last: the last has a 2,000th of the first one's room. Numbers that are
#: not quite at their optimum gain or lose by chance when they are rounded, so one of the first mostly does it. Not tuned.
ATTEMPTS, CAREFUL = 16, 0.6
#: Models of more numbers are left alone: nobody reads them, and the work grows with the square of their length. Not tuned.
MOST_NUMBERS = 400
#: Relative step by which a number's effect is measured. Not tuned.
STEP = 1e-3

# --- intervals (intervals.py) -----------------------------------------------------------------------

#: A parameter's error is reported when at least this share of its direction is determined by the rows. Not tuned.
DETERMINED = 1.0 - 1e-6
#: Rows of new data taken at a time: memory. Not tuned.
CHUNK = 65_536

# --- pruning (prune.py, terms.py) -------------------------------------------------------------------

#: Rows on which edits are scored, and on which numbers are tuned and rounded: time. Not tuned.
SCORED_ROWS, TUNED_ROWS = 1000, 4000
#: Share of the allowed loss that dropping may use; rounding has the rest. Not tuned.
FOR_DROPPING = 0.9
#: An edit is worth a try when refitted coefficients bring R² back within this many times the allowed loss. Not tuned.
HOPE = 15.0
#: Edits tried one by one, tuned, before giving up: time. Not tuned.
TRIES = 16
#: A term costs its nodes, and these for its coefficient and its sign.
TERM = 3
#: Tuning of what is left, and the dampings that it starts from: the first for models near their optimum, the others for
#: those that an edit has moved far from it. Not tuned.
TUNING = Refinement(iterations=30, gain=1e-5, decay=0.0, max_parameters=256)
DAMPINGS = (1e-2, 1e2, 1e4)
#: Columns kept by a scorer before it forgets them all: memory. Not tuned.
MOST_COLUMNS = 4000
#: Relative size below which a direction of the terms' columns is taken for rounding.
DEPENDENT = 1e-12

# --- all rows of a large table (all_rows.py) --------------------------------------------------------

#: Significant digits of a refitted coefficient. Not tuned.
DIGITS = 6
#: Columns of a line whose weights are refitted to all rows of a table in pieces: products of all pairs are added up. Not tuned.
MOST_OPENED = 30
#: A model this close to R² 1 is a law, and keeps its numbers. Not tuned.
LAW = 1.0 - 1e-9

"""Every tuning constant of the search, in one table: what it does."""

from __future__ import annotations

import numpy as np

# --- rows (problem.py) -----------------------------------------------------------------------------

FEW_ROWS = 400
REPRESENTATIVE_ROWS = 60
MOST_SEARCH_ROWS = 6000
MOST_HELD_OUT_ROWS = 20_000
MOST_ROWS_TO_COMPARE = 20_000

# --- guard (guard.py) ------------------------------------------------------------------------------

GUARD_POINTS = 512
BOX_MARGIN = 0.02
BEYOND_ROWS = 0.2
BOX_ROOM = 2.0

# --- how a run is divided (searcher.py, seeking.py) -------------------------------------------------

COMPLETION = 0.9
END_TO_START = 2.0
FIRST_SHARE = 0.15
SURVEY_SHARE = 0.3
LAW_SHARES = ((1e-4, 2.0), (1e-3, 1.0), (0.02, 0.25))
FAIR_CHANCE = 0.1
LONG_MODELS = 10.0
SAVED_UP = 30_000
CHECKPOINT_SECONDS = 5.0
LAST_MOMENT = 0.1

# --- the law search (seeking.py) --------------------------------------------------------------------

FEWEST_ROWS_FOR_A_LAW = 13
LARGEST_NUMBER = 1e100
SHORT_LAWS_UP_TO = 40
FIRST_PIECE = 2000
SIMPLIFIED_AT_THE_END = 2

# --- islands (islands.py) ---------------------------------------------------------------------------

MOST_ROWS_SIDE_BY_SIDE = 20_000
COMPACT_EVERY = 4
COMPACT_GENES, COMPACT_NODES = 4, 15

# --- models tuned once more, and shorter ones (shorter.py) ------------------------------------------

POLISHED = 8
POLISHING_STEPS, POLISHING_GAIN = 10, 1e-6
SHORTENED = 2
SHORTENING_STEPS, SHORTENING_PARAMETERS = 4, 256
PRICES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
FEWEST_ROWS_TO_SHORTEN = 30

# --- linear models (linear.py) ----------------------------------------------------------------------

STRENGTHS = np.logspace(-7.0, 3.0, 31)
SUBSETS = (1, 2, 3, 5, 8)
LINE_STEPS = 3

# --- cross-validation of the whole search (cross_validation.py) -------------------------------------

FOLDS = 5
FOLD_SHARE = 0.08
FOLD_GENERATIONS = 1 / 8
FEWEST_FOLD_GENERATIONS = 10
FEWEST_ROWS_TO_CROSS_VALIDATE = 20
RIDGE_FOLDS = 10

# --- how large a formula may be (validation.py, few_rows.py) ----------------------------------------

CLEARLY_BETTER = 0.25
CLEARLY_WORSE = 1.5
BETTER_THAN_LINEAR = 1.5
BETTER_THAN_CONSTANT = 2.0
RIDGE_BETTER_THAN_MEAN = 0.25
RIDGE_BETTER_THAN_MEAN_VERY_FEW = 1.0
WORTH_IT = 0.15
CLEAR_SIGNAL = 0.95
ROOM = 1.25
FEWEST_ROWS_TO_VALIDATE = 10
NODE_COST, LUCK = 2.3, 5.0
MOST_FITTED = 0.5

# --- the result (result.py) -------------------------------------------------------------------------

EXPLAINED = 1.0 - 1e-13
ALIKE = 1.01

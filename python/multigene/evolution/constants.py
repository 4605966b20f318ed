"""Every tuning constant of the paper's loop and of work side by side, in one table: what it does, and what speaks for it.

The numbers of the paper itself are settings (`settings/paper.py`). *Not tuned* means: a round number, and other values were not
tried.
"""

from __future__ import annotations

# --- the front (pareto.py) --------------------------------------------------------------------------

#: Refused models per generation that are tried with other coefficients: each takes as long as some evaluations. Not tuned.
MOST_MENDED = 8
#: Models refused by the guard that a front remembers, the latest ones, so that they are not tested again. Not tuned.
MOST_REFUSED = 10_000

# --- work side by side (parallel.py, elsewhere.py) --------------------------------------------------

#: Seconds between looks at the deadline, and for Ctrl-C on systems where waiting for a thread is not ended by it. Not tuned.
WATCH = 0.02
#: How often a request is made whose worker is lost. Dask itself tries four times before it reports a loss. Not tuned.
ATTEMPTS = 3
#: Seconds beyond its time limit that a reply is waited for: the worker may have begun late. Not tuned.
LATE = 10.0

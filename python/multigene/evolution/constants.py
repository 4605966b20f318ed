"""Every tuning constant of the paper's loop and of work side by side, in one table: what it does, and what speaks for it.

The numbers of the paper itself are settings (`settings/paper.py`). *Not tuned* means: a round number, and other values were not
tried.
"""

from __future__ import annotations

# --- the front (pareto.py) --------------------------------------------------------------------------

#: Models that are mended in one look at a population: each takes as long as some evaluations. Not tuned.
MOST_MENDED = 8
#: Models turned away by the guard that a front remembers, the latest ones: to ask again would only take time. Not tuned.
MOST_REFUSED = 10_000

# --- work side by side (parallel.py, elsewhere.py) --------------------------------------------------

#: Seconds between looks at the deadline, and for Ctrl-C on systems where waiting for a thread is not ended by it. Not tuned.
WATCH = 0.02
#: How often requests are made whose workers are lost. Dask itself makes one four times before it says so. Not tuned.
ATTEMPTS = 3
#: Seconds after its time that a reply is waited for: a worker may have been asked late. Not tuned.
LATE = 10.0

"""Settings of a run: small frozen dataclasses, the paper's nine configurations, how parameters become settings.

What comes in are parameters by name (from Python, a file or the command line); what goes out is one checked `Settings`.
`settings.py` declares every setting, `paper.py` the configurations, `defaults.py` those of the default search; `check.py` refuses
what cannot work, `text.py` reads settings from text, `resolve.py` puts an estimator's parameters together.
"""

from __future__ import annotations

from multigene.settings.functions import function_entries
from multigene.settings.paper import CODENAMES, configuration
from multigene.settings.settings import (
    PARTS,
    Genes,
    Refinement,
    Search,
    Seeking,
    Selection,
    Settings,
    Stopping,
    Tuning,
    Variation,
)

__all__ = [
    "CODENAMES",
    "PARTS",
    "Genes",
    "Refinement",
    "Search",
    "Seeking",
    "Selection",
    "Settings",
    "Stopping",
    "Tuning",
    "Variation",
    "configuration",
    "function_entries",
]

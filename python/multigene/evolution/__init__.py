"""The paper: one population that evolves.

`loop.py` is the paper's loop, `selection.py` its tournament and elites, `pareto.py` the front of the best models so far. What
comes in is a `Dataset` and `Settings`; what goes out is one `Generation` after the other. `checkpoint.py` packs a generation so
that it can go on later, `parallel.py` runs several pieces of such work on threads in a fixed order, `elsewhere.py` in
other processes; `interrupts.py` says where Ctrl-C may break in.
"""

from __future__ import annotations

from multigene.evolution.loop import Generation, evolve

__all__ = ["Generation", "evolve"]

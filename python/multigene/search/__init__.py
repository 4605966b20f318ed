"""Beyond the paper: the default search, from rows to a chosen model.

What comes in is a `Problem` (rows in the user's units) and `Settings`; what goes out is a front of models in the user's units and
the one chosen. `run.py` knows when to stop, `phases.py` are the default search, `searcher.py` makes its result, `single.py` is
the run of a codename of the paper.
"""

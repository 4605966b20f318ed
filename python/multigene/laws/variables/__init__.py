"""Fewer, combined variables for the law search.

`symmetries.py` tests on a smooth surrogate (`surrogate.py`) which features scale or shift together; `units.py` says which
combinations have a dimension that fits. It also holds the check that a formula agrees with units (`Dimensions.admits`). What
comes in are rows, and units where the user gave them; what goes out are columns of combined variables, and what each stands for.
"""

"""What users know of the shape of a formula: "increasing in dose", "between 0 and 1".

What comes in are such statements as text; what goes out is whether a model keeps them, coefficients with which it does, and
a verdict on each. `stated.py` reads them, `points.py` checks them on points during a search, `repair.py` fits outer coefficients
under them, `jets.py` and `proof.py` prove them by interval arithmetic in the end.
"""

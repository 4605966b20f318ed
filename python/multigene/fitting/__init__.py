"""From checked rows and parameters to a `FittedModel`: what `fit` does apart from the scikit-learn API.

`MultigeneRegressor.fit` and the command line check what their users gave and come here: `asked.py` makes `Data` of it, and
`fitting.py` prepares the search, runs it and gives back a `FittedModel`. `result.py` puts that together from a finished run,
`in_groups.py` adds numbers of their own for groups, and `in_pieces.py` refits to all rows a model that was found on a sample of a
table larger than memory.
"""

"""Forms: expressions for the gaps of a formula that a user has given in part.

In come rows and a form (`expression/form.py`) with unknown functions and numbers; out go models in the user's units, the best of
every size. `compiled.py` evaluates the form with candidates in its gaps, `search.py` proposes candidates, and
`pool.py` tunes their numbers together and keeps the best.
"""

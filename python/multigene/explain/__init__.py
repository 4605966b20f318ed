"""What a fitted model can be asked.

`front.py` chooses among models, `measures.py` scores and ranks, `intervals.py` says how sure numbers and predictions are,
`prune.py` and `rounding.py` make a formula shorter, `digits.py` its numbers, `terms.py` takes it apart. What comes in are models
of a front and training rows; what goes out are values and tables.
"""

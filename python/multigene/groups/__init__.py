"""Groups: one form for all groups of rows (sites, patients, machines), some of its numbers their own per group.

The search sees the groups as one column, their means of the target. Of every form that it found, `choice.py` decides on held-out
rows which numbers every group has for itself, `own.py` fits them (shrunk towards the pooled number, as mixed-effects models do),
`regroup.py` makes columns `p[site]` of them, so that formulas, exports and files need to know nothing else, and `certainty.py`
says how sure they are.
"""

"""A fast linear-algebra pass that tests for short laws before any evolution.

What comes in are rows of some features and transformed targets; what goes out are small sets of genes that come closest.
`stages.py` says what is tested in which order, `probes.py` and `catalogue.py` test, `monomials.py` and `forms.py` hold what is
tried.
"""

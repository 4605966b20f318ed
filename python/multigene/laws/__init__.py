"""The law search: formulas that explain the target to numerical precision, or as well as its noise allows.

What comes in are the rows of a problem; what goes out are finds, one per size, and a law where there is one. `seekers.py` leads:
a fast linear-algebra pass first (`survey/`), on combined variables where the data or units show them (`variables/`), then small
populations on transformed targets, restarted often.
"""

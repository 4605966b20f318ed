"""Benchmarks: one module each with a `run()` that measures and returns a table; `python -m benchmarks` prints them.

Figures are medians of repeated runs, and everything that is compared runs side by side in the same minutes, because a
ratio within one run says more than two absolute numbers from different days.
"""

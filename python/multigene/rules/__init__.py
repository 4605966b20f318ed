"""Rules of building as their users state them: "sin only of t", "must use dose", "whole exponents".

`stated.py` reads them, `kept.py` says whether a formula keeps them, `numbers.py` which numbers they mean and which are nearest to
those that are allowed, `own.py` recognises functions that users define. `search/building.py` and `search/ruled.py` hold a search
to them.
"""

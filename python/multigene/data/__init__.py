"""Tables and arrays in.

`reading.py` reads files and pipes (`text_table.py` and `text_form.py` text, `stores.py` the rest with `json_table.py` and
`arff.py`; `around.py` says what stands around a table, `cells.py`, `spelled.py` and `dates.py` read numbers in disguise),
`look.py` tells what a table is like, `columns.py` makes numbers of its columns; `arrays.py` checks what a user hands to `fit`
and `predict`, and `refusals.py` says what is wrong and where. What comes in is anything that looks like a table; what goes out
is a checked array of doubles with names of columns.
`scores.py` says how good predictions are, and `training_rows.py` is the compact copy of the rows that a fitted model keeps for
intervals, pruning and importance.
"""

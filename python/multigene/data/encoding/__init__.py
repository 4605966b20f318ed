"""Raw tables to numeric columns of the engine, and back to words.

`raw.py` reads the columns of any DataFrame (by narwhals) as numbers, dates or levels; `learn.py` decides once, on the training
rows, which numeric columns stand for them; an `Encoding` (`encoding.py`) is the frozen result, which the fitted model and its
file hold; `columns.py` has the kinds of columns that there are, `scales.py` the levels of text that have an order. The engine
sees numbers alone. A formula over such columns has `ColumnName`s, which print as people read them (`region == "north"`), and
which every export knows how to spell.
"""

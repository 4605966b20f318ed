"""Every constant of what pages and figures show, in one table: what it does. None is tuned: all are round numbers for what fits
on a page, what a file may weigh, or what a reader waits for. Sizes of pictures stand with their drawing.
"""

from __future__ import annotations

# --- the page (content.py, described.py, columns.py, what_if.py) ------------------------------------

#: Models of the front on the page; more are thinned out evenly, the chosen one and the picks stay.
MOST_MODELS = 30
#: Share by which errors on different rows may differ and still be called alike in the page's first sentence.
AS_WELL = 0.1
#: Points drawn per set of rows on the page, and in a figure.
MOST_POINTS, FIGURE_POINTS = 600, 2000
#: Columns that formulas use up to which the page holds the values of points drawn.
MOST_COLUMNS = 40
#: Bars of a histogram.
BINS = 24
#: Columns with a curve of their own, the most important ones.
MOST_DEPENDENCES = 12
#: Points on which shapes that are not proven are checked for a page.
SHAPE_POINTS = 10_000
#: Segments of rows that are listed, the worst ones.
MOST_SEGMENTS = 8
#: Rows of a level of text from which on it is a segment, as for ranges of numbers.
LEAST_ROWS = 10
#: Levels of a column of text that a page offers; and the share of rows whose level must be known, or levels are not told: means
#: of the target made of other rows differ by row.
MOST_LEVELS, KNOWN_LEVELS = 200, 0.9
#: Probability from which on a row is taken for one of the class; and steps of logistic regression before it is taken as it is.
THRESHOLD, LOGISTIC_STEPS = 0.5, 300
#: Scores below this are off the chart of the front.
LOWEST = -0.05
#: From this best score on the chart's axis is finer towards 1, and scores above the other are drawn alike.
STRETCHED_FROM, STRETCHED_TO = 0.97, 1 - 1e-7
#: Groups whose numbers a page shows.
MOST_GROUPS = 200
#: Numbers of a formula up to which a page holds what intervals anywhere need; the table grows with their square.
MOST_NUMBERS = 48

# --- what is computed for it (statistics.py) --------------------------------------------------------

#: Rows for permutation importance, for the uncertainty of parameters and for counting coverage; and for partial dependence.
STATISTICS_ROWS, DEPENDENCE_ROWS = 2000, 500
#: Points of a curve of partial dependence.
GRID = 41

# --- the formula that is shown (shown_formula.py) ---------------------------------------------------

#: Digits of numbers that have more than seven, tried in turn; the first is what `str(formula)` shows. Then all of them.
DIGITS, ALL_DIGITS = (4, 5, 6, 7, 8, 9, 10, 12, 14, 15), 17
#: What fewer digits may change: this share of the error that the model has.
UNNOTICED = 1e-3
#: Columns with a name longer than this get a symbol: in formulas with directions, and in others.
LONG_NAME, VERY_LONG_NAME = 10, 24
#: Rows on which the shown formula is compared with the model.
LOOKED_AT = 500

# --- figures (plots.py, trees.py) -------------------------------------------------------------------

#: Columns of the heat map of directions, and characters of a name at an axis.
HEAT_MAP_COLUMNS, LONGEST_LABEL = 30, 24
#: Trees with more nodes than this, linear combinations counted as one, cannot be read on a page.
MOST_NODES = 400
#: Characters of a column's name in a leaf, and in the list of linear combinations.
LEAF_NAME, LISTED_NAME = 18, 28
#: Remarks about the rows that a page shows. Not tuned.
MOST_REMARKS = 20

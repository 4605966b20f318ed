"""Every constant of reading and encoding rows, in one table: what it does, and what speaks for it.

*Not tuned* means: a round number, and other values were not tried. `python -m benchmarks raw_tables` measures encoded tables.
"""

from __future__ import annotations

# --- tables (columns.py, look.py, stream.py, training_rows.py, arrays.py) ---------------------------

#: Levels that a target of text may have to be taken for classes. Not tuned.
MOST_CLASSES = 20
#: Numbers that stand for "no value" in many tables.
SENTINELS = (-999.0, -9999.0, 999.0, 9999.0, -99.0, 99999.0, -1e30, 1e30)
#: Beyond this many interquartile ranges from the quartiles a value is an outlier: Tukey's "far out".
FAR_OUT = 3.0
#: From this absolute correlation of ranks on, a column says the same as the target. Not tuned.
COPY = 0.99999
#: With fewer rows, or fewer different values, a column may tell the target by chance. Not tuned.
FEWEST_COMPARED = 10
#: Rows on which correlations are computed: time. Not tuned.
COMPARED_ROWS = 50_000
#: What people and instruments write where there is no value, beside what pandas knows; only between numbers.
GAPS = frozenset([
    "-", "--", "---", "-/-", "—", "–", "?", ".", "..", "…", ":", "x", "*", "n.a.", "n/a", "n.d.", "n/d", "na", "nan", "nd",
    "none", "null", "nil", "\\n", "missing", "unknown", "k.a.", "err", "error", "ovrflw", "overflow", "#div/0!", "#wert!",
    "#ref!", "#num!", "#name?", "#value!", "#null!", "#n/a",
])  # fmt: skip
#: Rows at the beginning and at the end of a table that are looked at for titles, totals and remarks. Not tuned.
ENDS = 40
#: Lines below the names that may be descriptions, and of a cell in quotes: with more of them nothing closes the quote. Not tuned.
MOST_DESCRIPTIONS, MOST_LINES_OF_A_CELL = 3, 200
#: Rows from which on a first column that is mostly empty may name blocks of rows. Not tuned.
FEWEST_IN_BLOCKS = 4
#: A row above that fills no more than this share of the cells that most rows fill is no row of names. Not tuned.
TITLE_SHARE = 0.5
#: Whole numbers such as 20240131 are dates of these years, if this many or more are different: fewer may be anything. Not tuned.
FIRST_YEAR, LAST_YEAR, FEWEST_DATES = 1900, 2100, 3
#: Words in the name of a column whose numbers may count seconds or parts of them since 1970, and the first year that they may
#: mean: such numbers are anything in other columns. Not tuned.
CLOCK_NAMES = (
    "time",
    "timestamp",
    "datetime",
    "date",
    "epoch",
    "unix",
    "ts",
    "created",
    "updated",
    "zeit",
    "datum",
)
FIRST_COUNTED_YEAR = 1990
#: What 1970-01-01 is where days are counted as spreadsheets do.
SPREADSHEET_1970 = 25569.0
#: What people divide by when they write fractions; 17 is a day of a month, and 80 a blood pressure.
DENOMINATORS = frozenset((2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 32, 48, 64, 100, 128, 1000))
#: Numbers without a mark that a column needs for `<0.1` or `12*` to be numbers as well. Not tuned.
FEWEST_UNMARKED = 3
#: Bytes beyond ASCII from which on they may be pairs, and the share of letters, or pairs, that must be those of one language for
#: its encoding to be taken. Not tuned.
FOREIGN_LETTERS, MOST_OF_THE_LETTERS = 4, 0.8
#: Digits of a code with zeros before it, in a column whose name says that it holds codes and in others, where three or four may
#: be angles or measured values of one width (postal codes mostly have five); different ones from which on zeros before most of
#: them are padding. Not tuned.
NAMED_CODE_DIGITS, FEWEST_CODE_DIGITS, FEWEST_PADDED = 3, 5, 20
#: Words in the name of a column of codes. Not tuned.
CODE_NAMES = (
    "zip",
    "zipcode",
    "postal",
    "postcode",
    "plz",
    "postleitzahl",
    "cap",
    "code",
    "codes",
    "id",
    "fips",
    "key",
    "article",
    "sku",
    "account",
)
#: Rows of a chunk of a table that is read in pieces. Not tuned.
CHUNK = 100_000
#: Bytes that a value of the sample takes during a search, with the engine's copies and kept columns. Measured roughly.
BYTES_PER_VALUE = 100
#: Training rows that a model keeps at most, and the most numbers (32 MB), but never fewer rows than the third: memory. Not tuned.
MOST_ROWS, MOST_VALUES, FEWEST_ROWS = 20_000, 4_000_000, 2_000
#: Times that a row may be as precise as the median one: the squares of larger ratios are no numbers.
MOST_PRECISE = 1e100
#: Rows are far from a formula at this many robust standard deviations of its errors. Told where at most this share of the rows
#: has more than this share of the squared errors, and the formula explains less than that. Not tuned.
FAR_ERRORS, FAR_SHARE, MOST_OF_ERRORS = 10.0, 0.1, 0.5
#: A target is suspected to be an outlier at this many robust standard deviations from the median, where such rows have this share
#: of the squared deviations; fewer rows than the third tell nothing of each other. Not tuned.
SUSPECT_ERRORS, SUSPECT_SHARE, FEWEST_AROUND = 5.0, 0.25, 20
#: Share of the suspects' squared deviations that a learner must tell for the features to explain them. Of 60 made tables with
#: outliers at most 0.31, of rare regimes of five rows or more at least 0.67.
LEARNT = 0.4
#: Share of the other errors, and the fewest, that tell how fast they fall off; and the chance below which outliers are beyond
#: their tail. Rows of Cauchy noise alone were taken for outliers in 6 of 30 tables of 200 rows (10 with 12 and 1e-2, 5 with 8 and
#: 1e-3), of t-distributed noise with two degrees of freedom in 4 of 40 (6, 3); all of those planted, and no others, were found in
#: 40 of 40 tables, with 8 and 1e-3 not in one of another fifteen.
TAIL, FEWEST_IN_TAIL, TAIL_CHANCE = 0.05, 10, 3e-3
#: Widths of the other rows' box, beside it, in which a row is compared with them. Not tuned.
BEYOND_OTHERS = 0.5
#: Ordinary rows, rows that are looked at, and columns that learners see at most, trees of the rough one, and columns up to which
#: the smooth one has products of them: time.
LEARNER_ROWS, LEARNER_COLUMNS, TREES, SQUARED_COLUMNS = 1_000, 30, 30, 10
#: Times that the median absolute deviation of normal errors goes into their standard deviation: 1/Φ⁻¹(3/4).
NORMAL_SPREAD = 1.4826
#: Such rows that are named one by one. Not tuned.
NAMED_ROWS = 5

# --- losses (losses.py) -----------------------------------------------------------------------------

#: Distance, in standard deviations of the noise, at which Huber's loss becomes linear: 95 % efficient on normal errors.
HUBER = 1.345
#: Share of the target's spread below which the absolute loss is a square, so that it has derivatives. Not tuned.
NEAR = 1e-4
#: Rows that the noise is estimated from: time. Not tuned.
NOISE_ROWS = 2000
#: Steps for numerical derivatives of own losses, relative to the spread of the target. Not tuned.
STEP = 1e-4
#: Log odds that the guard takes as the target's range: probabilities are bounded anyway, sums must not overflow. Not tuned.
LARGEST_LOG_ODDS = 20.0
#: Working weights of own losses are at least this share of their mean over the rows. Not tuned.
LEAST_CURVATURE = 1e-3
#: Counts above this are none, and their logarithm is not found by steps that begin at counts. Not tuned.
LARGEST_COUNT = 1e30

# --- columns of raw ones (encoding/) ----------------------------------------------------------------

#: From this share of numbers on, text in a column is a mistake and not a category. Not tuned.
MOSTLY = 0.8
#: Words in the name of a column that name its rows, and words that may; from how many rows on, and the share of them that must
#: have a number of their own. Not tuned.
ROW_NAMES, NUMBER_NAMES = (
    ("id", "uid", "uuid", "guid", "identifier"),
    ("nr", "no", "num", "number", "nummer", "unnamed"),
)
FEWEST_NAMED, NAMED_SHARE = 20, 0.95
#: A level with fewer rows than this share of all, or than `FEWEST`, is rare. Not tuned.
RARE, FEWEST = 0.01, 3
#: The most levels of a column that become indicators, and the share of the rows that these must cover. Not tuned.
MOST_LEVELS, COVERED = 12, 0.8
#: Text with more distinct values than this share of the rows (and than `MOST_LEVELS`) names rows and explains nothing. Not tuned.
NAMES = 0.5
#: Share of the held-out error that an additional column must save. Below it, noise alone gives columns away.
SAVED = 0.005
#: Standard errors of what is saved that it must be as well. Of 40 tables of 20 rows of noise 13 took a wave of the year with 0,
#: 5 with 1, 2 with 1.5 and with 2; of 40 that follow the year (5 standard deviations of the noise) 40, 40, 40 and 36.
BEYOND_CHANCE = 1.5
#: With fewer rows no column is taken for what it saves: `crimea` in `raw_tables`, 19 monthly rows of two years, had a wave of the
#: year that cost 0.02 of R² on the other five. Not tuned; the table above is of 20 rows.
FEWEST_DECIDING = 20
#: Rows, in units of one level's, that the overall mean is worth when a level's mean is shrunk; held-out rows choose. Not tuned.
SHRINKAGES = (1.0, 3.0, 10.0, 30.0, 100.0)
#: Share of the held-out error that levels must save against ranks, which are one number and read better. Not tuned.
SIMPLER = 0.02
#: Parts into which rows are shared out for these decisions, and rows that they are made on: time. Not tuned.
FOLDS, DECIDING_ROWS = 5, 20_000
#: A date that reaches over at least this many periods may have a wave of that period. Not tuned.
TIMES = 1.5
#: Length of the mean of unit vectors at the dates' angles above which all dates are near one place of the period: about two and a
#: half weeks of a year to either side. Not tuned.
NEAR_ONE_PLACE = 0.985

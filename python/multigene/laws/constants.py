"""Every tuning constant of the law search: what it does, and what set it.

Where a value comes from is said in brackets:

[dev]      set while the development laws were in view (`LAWS_SET=dev LAWS_SEEDS=1 LAWS_SECONDS=1.5 python -m benchmarks laws`),
           with no table of its own; the switch it belongs to has a row in the ablation of docs/laws.md
[feynman]  the same with the large sets for development (`LAWS_SET=feynman`, `LAWS_SET=literature`)
[noise]    the same with noise (`LAWS_NOISE=0.001,0.01,0.1`)
[random]   the same with random laws of development seeds (`LAWS_SET=random`)
[time]     set by what the step costs beside the rest, on 500 rows (CPU-s of the same benchmark)
[rounding] follows from double precision
[round]    a round number, not tuned

Shares of work of the transforms stand in their table (`transforms.py`), scales and costs of the catalogue's functions in theirs
(`survey/forms.py`), limits and prices of populations in `settings.py`.
"""

from __future__ import annotations

from multigene.settings.settings import Refinement

# --- what is a law (law.py, finds.py) -------------------------------------------------------------

#: A law leaves at most this share of the variance unexplained. [dev]
EXACT = 1e-12
#: What rounding alone leaves. [rounding]
ROUNDING = 1e-22
#: What formulas of at most this many nodes must reach to be a law: long ones come close by chance. [dev]
STAIRS = ((12, EXACT), (20, 1e-18))
#: Terms of a law are not larger than their sum by this factor. [round]
CANCELLATION = 1e3
#: Larger finds must be exact to rounding to be looked at as laws, and are not rewritten: most of them approximate. [dev]
LARGEST_LAW = 45
#: What is left of a law is at most this much of what rounding can change, on nine rows of ten and on every row. True laws need
#: 6e-14 and mostly 1e-16; a false one that was found needs 2e-13, which is for `STANDS_OUT` to tell. [feynman]
ROUNDING_LEVEL, WORST_LEVEL = 1e-12, 1e-9
#: Every fitted number of a law matters this many times as much as what is left (true laws: 1e12 and more; polynomials that
#: approximate a root or an exponential: 10 to 40). [feynman]
STANDS_OUT = 1e3
#: Rounding inside a law changes no more than this many times its largest value (true laws: 170 at most). [feynman]
LOST_DIGITS = 1e6
#: Unit of rounding of single precision. [rounding]
SINGLE = 2.0**-24
#: Data whose last digit is more than this share of their standard deviation are too coarse to tell a law by their digits. [round]
COARSEST = 1e-4
#: Most nodes of a law with fitted numbers that is exact to the recognised digits of the data. [round]
DIGITS_NODES = 20
#: Where digits are not recognised, a law of at most so few nodes may miss every row alike, relatively: at most by this, and no
#: row this many times as much as the median one. [round]
EVEN_NODES, COARSEST_LEVEL, EVEN = 12, 1e-6, 30.0
#: A part of a formula is dead when it changes the value by no more than this many times what is left. [round]
DEAD = 3.0
#: Steps by which fitted numbers are tuned down to rounding. [round]
GAUSS_NEWTON_STEPS = 12
#: Most numbers that a law loses because they do not stand out, and of how many at a time one is tried to be lost. [round]
MOST_LOST, MOST_WEAK = 8, 6
#: Exponents this close to a multiple of one half may be meant as such, where units ask for simple ones. [dev]
CLOSE_TO_SIMPLE = 0.06
#: Most attempts to shorten a law. [time]
MOST_REDUCTIONS = 60
#: How all constants of a find are tuned on all rows. [round]
POLISH = Refinement(iterations=100, gain=0.0, damping=1e-3, max_parameters=200, decay=0.0, prune=0.0)
#: Finds that leave less of their own target are tuned in that way before they are looked at, and new bests for longer. [dev]
NEAR_EXACT = 1e-4

# --- is it noise? (residuals.py) ------------------------------------------------------------------

#: Normal deviate below which steps between neighbouring residuals are too small for noise: one formula in a thousand by chance,
#: several orders of rows together. [round]
NOISE_Z = 3.7
#: Normal deviate above which residuals go with a power or product of features: there are many of these. [round]
TERM_Z = 4.5
#: No residual of noise is larger than this many times their spread. [round]
NOISE_TAIL = 6.0
#: Share of the residuals' variance that a smooth model must predict of left-out rows to show that there is structure. [round]
SMOOTH_PART = 0.04
#: Rows among which neighbours are looked for. [time]
NEIGHBOUR_ROWS = 1000

# --- how probable a claim is (claims.py) ----------------------------------------------------------

#: By grade, up to this share of the variance unexplained and this many fitted numbers: how often formulas of that kind were the
#: law in 128 laws of the held-out set of `calibration` and the first 100 of the unused one, a second each: exact 164 of 164, to
#: the precision 149 of 151, in noise 170 of 176, 59 of 108, 51 of 79 and 22 of 83, with one success and one failure more. The
#: other 100 laws confirm all of them (docs/laws.md).
CONFIDENCE = {
    "exact": ((1.0, 10**9, 0.99),),
    "exact to the data's precision": ((1.0, 10**9, 0.98),),
    "consistent with the noise": ((1e-3, 1, 0.96), (1e-3, 8, 0.55), (1.0, 1, 0.64), (1.0, 10**9, 0.27)),
}

# --- simplified within the noise (noise.py, finds.py) ---------------------------------------------

#: Finds are simplified within the noise if they leave more and less than these. [noise]
NOISY, HOPELESS = 1e-9, 0.03
#: Finds that are simplified after the survey, and how many evaluations each of them counts for. [time]
SIMPLIFIED_AFTER_SURVEY, SIMPLIFYING_WORK = 4, 300
#: Seconds before the end of a run from which on no find is simplified: rewriting one takes up to 0.3 s. [time]
LAST_REWRITING = 0.1
#: Longer finds are rewritten only: each attempt to drop something costs time, and they are no law; those that leave nothing but
#: noise may have a few terms more. [time]
MOST_PRUNED, MOST_PRUNED_IN_NOISE = 32, 40
#: Most attempts to drop something, and how each is tuned. [time]
MOST_DROPS = 40
DROP_TUNING = Refinement(iterations=15, gain=1e-4, damping=1e-3, max_parameters=60, decay=0.0, prune=0.0)
#: Other functions of a part's argument that are tried, the most alike; and factors of it at which they are compared: of the
#: argument over its largest value, and of itself. [noise]
MOST_LIKE_A_PART = 8
PART_SCALES, PART_FACTORS = (0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 2.0, 4.0), (1.0, 2.0)
#: Formulas with another function that are simplified, the most convincing: what rounding saves is not known before. [noise]
OTHERS_SIMPLIFIED = 2
#: Numbers that rounding may save such a find: it is looked at if it costs as much more than the one that it comes from. [round]
MAY_BE_ROUNDED = 5
#: Worth of a node, against that of a fitted constant. [noise]
NODE_PRICE = 0.4
#: Constants this close to a simple number, relatively, are tried as that number. [round]
CLOSE_TO_A_NUMBER = 0.1

# --- numbers that are scaled first (ranges.py) ----------------------------------------------------

#: Columns and targets beyond this, or below its reciprocal, are scaled: squares of quotients are still numbers. [rounding]
EXTREME = 1e70
#: Targets whose smallest value is less than this share of the largest come near the smallest number: their zeros are smaller
#: ones. [round]
SPANS_UNDERFLOW = 1e-30
#: Smaller targets have lost digits: the smallest normal number over the precision. [rounding]
LOST_BELOW = 1e-292

# --- targets (targets.py) -------------------------------------------------------------------------

#: Where there are more features than this, the law search takes so few of them, those that resemble the target most. [round]
MOST_FEATURES, FEW_FEATURES = 20, 10
#: Rows that populations of the law search see; finds are verified on all. [time]
SEEN_ROWS = 256
#: Most targets that are transformed by columns, for the survey. [time]
MOST_BY_COLUMNS = 6
#: Share of work of targets over combined variables, against those over features. [feynman]
COMBINED_SHARE = 3.0
#: The same where the surrogate that showed them leaves much. [feynman]
DOUBTFUL_SHARE = 0.5
#: Share of work of an island of dense linear combinations, against its transform's, and the transforms that have one. [dev]
DENSE_SHARE = 3.0
DENSE_TRANSFORMS = ("y",)
#: Share of work of targets over all features, against those over the features that seem to matter, where these are fewer. [round]
WIDE_SHARE = 0.3
#: Peeling: a feature is a pure power factor if leaving out its other terms costs less than this in F, [round]
PEELING_F = 3.5
#: and its exponent is this close to a multiple of one half and at least so large. [round]
PEELING_CLOSE, PEELING_LEAST = 0.05, 0.25

# --- the survey (survey/) -------------------------------------------------------------------------

#: Rows that probes and catalogue use, and how many evaluations a target counts for. [time]
SURVEY_ROWS = {"probe": 400, "factors": 192, "sums": 192, "functions": 400}
SURVEY_WORK = 1000
#: How suggested genes are tuned. [time]
SUGGESTION_TUNING = Refinement(iterations=12, bound=100.0, decay=0.0, prune=0.0)
#: Less than this is rounding, among what is suggested. [rounding]
NOTHING_LEFT = 1e-13
#: A longer law, of many features one longer than this many nodes for each, is compared with what later stages find. [dev]
LONG_LAW, LONG_PER_FEATURE = 14, 3
#: A target with values this many times as far from the median as its quartiles are apart has poles, and no surrogate can say
#: that it is noise. [random]
POLES = 30.0
#: Suggestions of a target that are looked at because they convince most. [noise]
MOST_CONVINCING = 2
#: Suggestions that a target keeps to begin restarts with. [dev]
MOST_SEEDS = 6

#: Probes: columns of length one cancel when the smallest singular value is below this, [rounding]
PROBE_CANCELS = 1e-13
#: and the next one is larger by this factor: approximations come closer and closer instead. [dev]
PROBE_GAP = 1e4
#: Most columns, and how many rows there must be for each. [time]
PROBE_COLUMNS, PROBE_ROWS_PER_COLUMN = 170, 2.0
#: Columns with less than this of the largest weight are rounding. [rounding]
PROBE_NEEDED = 1e-8
#: Most terms of a law that is told: more of them approximate. [feynman]
PROBE_TERMS = 26
#: Degrees of numerator and denominator that are tried. [feynman]
DEGREES = (
    (1, 1), (2, 0), (0, 2), (2, 1), (1, 2), (2, 2), (3, 0), (0, 3), (3, 1), (3, 2), (3, 3), (4, 0), (0, 4), (4, 2), (4, 4),
    (5, 1), (6, 0), (0, 6), (6, 4), (8, 0), (8, 8), (10, 0),
)  # fmt: skip

#: Probes with functions: degrees of what stands beside 1, the target and its square, and most columns. [time]
FUNCTION_DEGREES: tuple[tuple[int, ...], ...] = ((2, 2), (3, 1), (4, 2), (2, 2, 1), (3, 3, 0))
FUNCTION_COLUMNS = 64
#: Sets of columns that are tested at a time, before a look at the clock. [time]
AT_A_TIME = 128
#: Arguments of functions, powers of a column to a column, and exponentials that are tried in pairs. [time]
FUNCTION_ARGUMENTS, FUNCTION_POWERS, FUNCTION_PAIRS = 36, 90, 9
#: Where many columns leave room for fewer of these: further ones, and most columns where few functions are tried. [time]
FEWEST_DEGREES, WIDE_DEGREES, WIDE_COLUMNS = 2, ((2, 0), (3, 1), (1, 3)), 130
#: Up to this many columns there may be functions instead of three of them, otherwise of two. [time]
FEW_COLUMNS = 3
#: Arguments of exponentials and of sines are smaller. [rounding]
LARGEST_ARGUMENT = 300.0

#: Monomials: exponents and what each costs. [dev]
EXPONENT_COSTS = {1.0: 1.0, -1.0: 1.1, 2.0: 1.9, -2.0: 2.0, 0.5: 2.2, -0.5: 2.3, 3.0: 2.7, -3.0: 2.9}
#: Largest cost of a monomial: the first of these that gives enough of them. [time]
COST_LIMITS = (2.3, 2.8, 3.1, 3.4, 3.7, 4.0, 4.3, 4.6, 5.0, 5.4, 5.8, 6.2, 6.7)
#: Most monomials. [time]
MOST_MONOMIALS = 6000
#: With more features none is compared with the number 1. [feynman]
MOST_WITH_ONES = 3

#: Catalogue: monomials under a function, and of products of the two: as factors, under the function. [time]
MOST_INSIDE, MOST_FACTORS, MOST_ARGUMENTS = 900, 130, 30
#: Monomials under a function that are tried with several scales. [time]
MOST_SCALED = 250
#: Functions, the simplest, that products of two functions have as a factor. [time]
MOST_PAIRED = 40
#: Of every factor's products, those most like the target; and the simplest products of the simplest factors, as many each. [time]
MOST_ALIKE, MOST_SIMPLE = 30, 16
#: Columns among which sets are sought: how many of the best, of the best for what a pair leaves, and of the simplest. [time]
BEST_COLUMNS, BEST_AFTER_A_PAIR, SIMPLEST_COLUMNS = 900, 300, 300
#: Columns that the fixed ones explain up to this share are dropped. [rounding]
NOTHING_ELSE = 1e-5
#: Sets that are carried on to the next size, and the largest size. [time]
BEAM, LARGEST_SET = 32, 4
#: A set is exact, as far as can be told before it is tuned, when it leaves less. [rounding]
SEEMS_EXACT = 1e-9
#: Sets of a size that are suggested, and further ones that convince most. [time]
MOST_SUGGESTED = 10
#: What a unit of cost is worth, where those are chosen, against the logarithm of what is left by a row. [noise]
SET_COST = 4.0

# --- parts (parts/) -------------------------------------------------------------------------------

#: Degrees of polynomials of one, two, three … features. [time]
PART_DEGREES = (10, 7, 5, 4, 3, 3, 2)
#: What weights of a polynomial cost against the mean square of what is left, times the term's degree to the fourth. [random]
PART_SMOOTHNESS = 1e-6
#: Times that one factor of a product is solved for and then the other. [time]
SPLIT_ITERATIONS = 4
#: Range of what a first part leaves, relative to its size, below which that is a constant; and the least weight of a row that was
#: divided by a factor, relative to the mean. [rounding]
PART_CONSTANT, PART_LEAST_WEIGHT = 1e-9, 1e-9
#: What a split leaves of left-out rows at most: of the variance, and of what a polynomial of all features leaves. [random]
SPLIT_LEAVES, SPLIT_BETTER = 0.05, 0.5
#: Splits that are looked at, and how many first parts of each, the best of how many. [random]
SPLITS_LOOKED_AT, FIRST_PARTS, FIRST_PARTS_OF = 4, 2, 6
#: Rows that tell as much as one where forms of a first part are compared: what polynomials miss is smooth, no noise. [round]
ROWS_ALIKE = 8
#: Evaluations of the law search for a first part, and for the rest. [random]
FIRST_PART_WORK, REST_WORK = 12_000, 24_000
#: Powers of a feature that are tried as a factor. [round]
POWER_FACTORS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5, -1.5)
#: Up to this many features all are shared out, of more those that seem to matter. [time]
MOST_SPLIT = 7
#: Evaluations that seeing the splits counts for. [time]
SPLIT_WORK = 4000

# --- restarts (restarts.py, restart.py) -----------------------------------------------------------

#: What a find must leave unexplained in its own target at most to be worth a look on all rows. [round]
PROMISING = 1e-8
#: A restart ends early when it explains all but this: nothing is left but rounding. [rounding]
FOUND = 1e-18
#: Steps of a new best's tuning, and further ones where it leaves less than `NEAR_EXACT`. [dev]
FULL_STEPS, MORE_STEPS = 8, 20
#: What leaves less than this and is not exact after this many generations approximates ever better and is no law. [dev]
CREEPING, PATIENCE = 1e-9, 5
#: Hill climbing may do this share of the work that evolution did, and looks at this many neighbours at a time. [dev]
CLIMB_SHARE, CLIMB_BATCH = 0.4, 60
#: Evaluations per individual and generation that a restart is expected to take. [time]
USUAL = 5
#: Of a restart's front, a model that leaves less than this share of what was known, and the best of so few nodes. [round]
CLEARLY_LESS, SHORT = 0.8, 12
#: Generations of the shortest restart; others follow the Luby sequence. [dev]
RESTART_GENERATIONS = 40
#: Most genes, and nodes of each, of dense islands in turn: the fewer there are, the less is approximated instead of found. [dev]
DENSE_LIMITS = ((2, 11), (4, 15), (2, 15), (3, 11))
#: Restarts of dense islands are longer by this factor: their weights take longer to tune. [dev]
DENSE_UNITS = 2
#: Restarts that are decided on at a time and run side by side, at any number of threads. [time]
AHEAD = 4
#: A target that leaves more than `POOR` after this many restarts gets the share `HARDLY` of its work while others leave less than
#: `NEAR`. [dev]
TRIED, POOR, NEAR, HARDLY = 4, 0.3, 0.05, 0.25
#: Frequencies of two kinds of mutation that can be switched off. [dev]
NEUTRAL, ROUND = 0.1, 0.05
#: Ranges from which every second pair of restarts draws its most genes, most nodes and price of a node. [dev]
DRAWN_GENES, DRAWN_NODES, DRAWN_PRICE = (1, 7), (9, 21), (3.0, 25.0)

# --- combined variables (variables/) --------------------------------------------------------------

#: Surrogate: most terms, rows for each of them, and the highest degree. [time]
SURROGATE_TERMS, ROWS_PER_TERM, HIGHEST_DEGREE = 170, 2.5, 14
#: A degree that leaves more than this share of the one before brings nothing. [feynman]
SETTLED = 0.7
#: Share of the rows whose slopes are trusted; a polynomial is steep at the edge. [feynman]
INSIDE = 0.6

#: A feature matters after all when low terms of it explain this much, in F, of what the others leave. [round]
MISSED_F = 5.0
#: What the features that matter leave of left-out rows at most, or there is no picture to tell them by. [dev]
NO_PICTURE = 0.7

#: Rows that surrogates, and the polynomials of splits (parts/), are fitted to. [time]
SURROGATE_ROWS = 500
#: An exponent is a whole number when it is this close to one, and half as close a half. [feynman]
CLOSE_TO_WHOLE = 0.2
#: Slopes may cancel up to this share of their size; what is believed is for left-out rows to say. [feynman]
SLOPES_CANCEL = 0.5
#: In combined variables a surrogate may leave this many times as much of left-out rows as the one before, if that is as good as
#: noise allows; otherwise it must be clearly better, as it is of fewer variables and thus of a higher degree. [feynman]
AS_GOOD, BETTER = 1.02, 0.65
#: Differences that leave less than this share are not compared with anything else. [feynman]
FIRST = 0.2
#: A surrogate that leaves more says neither that noise is all it leaves nor that its groups can be trusted. [feynman]
NOISY_PICTURE = 0.03
#: What leaves less may say that an exponent is a half, and not a whole number. [feynman]
FINE = 1e-3
#: Accurate enough to believe it anyway. [round]
ACCURATE = 1e-8
#: Vectors of one or two features are tried together that cancel up to such a share of the smaller one. [feynman]
SPARSE = (0.03, 0.1, 0.3)
#: This many of these, the best, are tried alone. [time]
ALONE = 3
#: Powers of the target that surrogates are tried for, 0 is the logarithm: the smoothest tells most. [feynman]
POWERS = (1, 0, 2, -1)
#: Less than this is nothing left but rounding. [rounding]
NOTHING = 1e-20
#: Most steps, each from what the one before has found. [round]
STEPS = 6

#: Units: largest denominator of an exponent. [round]
LARGEST_DENOMINATOR = 6

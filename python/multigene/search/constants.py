"""Every tuning constant of the search, in one table: what it does, and the benchmark that supports it.

Benchmarks are commands of `python -m benchmarks`; their figures, of November 2026, stand in docs/performance.md and docs/laws.md.
They support what a constant is there for; other values of it were not swept, unless that is said. *Not tuned* means: a round
number, and no benchmark on record moves with it. What users may want to change is a setting
(`settings/settings.py`) and not here.
"""

from __future__ import annotations

import numpy as np

from multigene.settings.settings import Refinement

# --- rows (problem.py) ------------------------------------------------------------------------------

#: With fewer rows none are held out: the whole search is cross-validated. `small_data`: with rows held out a curve of 40 rows had
#: 0.368 where ridge regression had 0.687; since then 0.519 against 0.500 in the mean of five draws.
FEW_ROWS = 400
#: With fewer rows how they lie is a matter of chance: the guard asks about no points between them, a law search alone holds out
#: none, the paper's configurations are not guarded. Not tuned.
REPRESENTATIVE_ROWS = 60
#: Rows that islands see before the end, which sees twice as many: time per generation. Not tuned.
MOST_SEARCH_ROWS = 6000
#: Held-out rows: more say nothing new about a mean of squares. Not tuned.
MOST_HELD_OUT_ROWS = 20_000
#: With more rows equal ones are not looked for, islands take turns, each with all threads, and a line is held against the
#: constant on held-out rows alone, not on all (`raw_tables`: fair, R² of 0.06): time. Not tuned.
MANY_ROWS = 20_000

#: A column whose mean is less than this share of its spread, the spread between 2 to the power of minus and plus this, counts as
#: standardised already. `srbench`, whose columns all are: formulas had `(x1 - 1.2e-16)` in them, counted as five nodes. The room
#: around 0 and 1 was not tuned.
STANDARD_MEAN, STANDARD_SCALE = 0.25, 1.0

# --- the guard (guard.py) ---------------------------------------------------------------------------

#: Points in the box, and as many blends of rows. `versus`: the worst of 150 runs has a test R² of 0.827, none explodes.
GUARD_POINTS = 512
#: Points of the box that every model is tried on before the others: they refuse 97 % of those that any refuse (CCS, ENC; 90 % on
#: ASN), so that most models cost one short prediction. Changes no answer.
FIRST_LOOK = 64
#: By which the box is wider than the rows, as a share of its width, and blends of two rows go beyond them. Not tuned.
BOX_MARGIN, BEYOND_ROWS = 0.02, 0.2
#: Times the target's range that predictions may leave it where no row is near; between rows it is 1. `paper` on CCS: corners of
#: the box that were guarded like the rows cost configuration UB 0.03 of test R².
BOX_ROOM = 2.0
#: Times the target's range that the range of a term may be: larger ones cancel each other, and no result shows them. Of large
#: models while islands explore: better ones descend from those. `sizes` on ASN (10 s, seeds 1 and 2): 0.917 and 0.920 with 1000,
#: 0.855 and 0.895 with 20; on ENC with 1000 to the end of a run all models above 98 nodes were left out.
CANCELLING, CANCELLING_EXPLORING = 20.0, 1000.0
#: Times the target's range that interval arithmetic may find predictions to span in the box. Models of good fronts (ASN, CCS) had
#: up to 1e4; one that passed on all points and missed a test row of CCS by 1e22 has more. Not tuned.
WIDEST = 1e6
#: Share of its width by which one column leaves its box, and times the target's range that a chosen model of the islands may
#: leave that range there, if another that is no larger does not and leaves at most the third number times as much unexplained.
#: `raw_tables`: on `airports`, whose far islands lie beyond some folds' rows, an exponential gave an R² of -1e81.
BEYOND_BOX, BEYOND_ROOM, STAYING_LEAVES = 0.2, 3.0, 1.5

#: Widths of its box that a column, and every row with a least or largest value of it, is moved beyond; such rows
#: for each end, other rows with this column moved, and points in all: time. `raw_tables`: of 287 records of test folds 9 lay
#: more than one width beyond the training rows, the farthest 4.8. Not tuned.
FAR, FAR_ROWS, ANY_ROWS, MOST_FAR_POINTS = 3.0, 2, 8, 512
#: Times as far from the median as nine tenths of the rows that the last row of a long tail is: even values have 1.25, a thousand
#: normal ones 2.5, exponential ones 3.7. Not tuned.
LONG_TAIL = 4.0
#: Times the target's range that predictions may leave it there, and that a chosen model may leave the range and what a line says.
#: At the end of a long tail `FAR` takes the place of the former: no steeper than a line that spans the range in the box. `sizes`:
#: with two widths and six ranges for every end of every column, those that many rows share included, ASN had 0.889, not 0.911.
#: `raw_tables`: airports had -7e15 in one of three seeds; of ten seeds of that fold none is more than 0.005 below ridge since.
FAR_ROOM, FAR_FROM_LINE = 50.0, 0.5

#: A larger coefficient is that of a gene at the end of floating point, 4e305*log(1 + exp(cos(x) - 707)), which cannot be printed
#: in another way or with fewer digits. Not tuned.
LARGEST_COEFFICIENT = 1e200

# --- how a run is divided (phases.py, seeking.py, run.py) -------------------------------------------

#: Share of the run after which shorter formulas complete the front, and cross-validated searches end. Not tuned.
COMPLETION = 0.9
#: Share of the islands' part of a run that evolves on all rows, after held-out rows have decided on sizes. Not tuned.
FINISH = 0.5
#: Very many rows: what comes at the end takes about this many times as long as what came before the search. `time_limit`.
END_TO_START = 2.0
#: Share of the run that is left to the search in any case. Not tuned.
LEAST_SEARCH = 0.5
#: Seconds per value of the user's table that it takes to make the engine's tables of all rows, standardised and as they are:
#: 0.5 to 0.7 s for 300,000 × 50 (`campaign --only "time limits"`).
SECONDS_PER_VALUE = 5e-8
#: The same for the one table that a configuration of the paper works on: 0.34 to 0.41 s for 300,000 × 50.
SECONDS_PER_TABLE_VALUE = SECONDS_PER_VALUE / 2
#: Processor seconds per value of the rows held out and of those at the end that validation and the result take, and columns that
#: the models of a front count for: 0.2 to 0.3 s for 300,000 × 50, 0.1 to 0.2 s for 100,000 × 10, whose 32,000 rows these are.
SECONDS_PER_VALIDATED_VALUE, COLUMNS_OF_MODELS = 7e-8, 20
#: Processor seconds per row and node of the front that its last fit to very many rows takes: 0.7e-9 and 1.0e-9 for 300,000 × 50
#: and 1,000,000 × 10, with other work on the machine.
END_PER_NODE = 1e-9
#: Share of the run that the law search may take before the islands begin, and while its linear-algebra pass is not finished.
#: `ablation` without the law search, 10 s: it takes 8 to 20 % of a run and costs no problem more than 1.2 standard errors.
FIRST_SHARE, SURVEY_SHARE = 0.15, 0.3
#: Evaluations of the law search for one of the islands, by what is left unexplained. `versus`: laws found on RS10D and K11C.
LAW_SHARES = ((1e-4, 2.0), (1e-3, 1.0), (0.02, 0.25))
#: At least this many until it has had a fair chance. `laws`.
FAIR_CHANCE = 0.1
#: What islands leave unexplained counts this many times: their models are long. `laws`.
LONG_MODELS = 10.0
#: Evaluations that are saved up for the law search before it goes on: enough for some restarts side by side. Not tuned.
SAVED_UP = 30_000
#: Seconds between writes of the checkpoint file. Not tuned.
CHECKPOINT_SECONDS = 5.0
#: Seconds that the chosen model may be tuned after the end of a run that was limited by time or interrupted; as long before it,
#: or this share of the limit if that is less, islands end. `time_limit`.
LAST_MOMENT, LAST_SHARE = 0.05, 0.1

# --- the law search (seeking.py) --------------------------------------------------------------------

#: A law asks for ten rows more than three for each fitted number; the shortest law has one.
FEWEST_ROWS_FOR_A_LAW = 13
#: With more rows the law search's own count of fitted numbers is no obstacle to a short law. Not tuned.
SHORT_LAWS_UP_TO = 40
#: Evaluations after which it pauses there, for what it found so far may do. Not tuned.
FIRST_PIECE = 2000
#: The most convincing finds that are simplified within the noise at the end. `laws` with noise.
SIMPLIFIED_AT_THE_END = 2
#: Nodes of the longest models of islands that may be among them: time. Not tuned.
LONGEST_SIMPLIFIED = 45

# --- the island for short formulas (short.py) -------------------------------------------------------
# `sizes`: test R² by size on ASN, CCS, ENC, ENH and tables of a directory; what was tried beside these values stands in
# docs/performance.md.

#: Size of the printed formula above which it keeps no model.
LARGEST_SHORT = 110
#: Its evaluations for one of all other islands together, beside a head start. One of its own takes half as long, so this is about
#: a quarter of the time of a long run; short formulas gain little after the head start.
SHORT_SHARE, SHORT_START = 0.67, 60_000
#: Models of every size that survive; individuals bred in a generation.
SHORT_NICHE, SHORT_POPULATION = 4, 400
#: Largest number of genes, of a gene's nodes, and its largest depth.
SHORT_GENES, SHORT_NODES, SHORT_DEPTH = 6, 11, 5
#: Frequencies of variables, linear combinations and constants; bounds of new constants.
SHORT_LEAVES, SHORT_CONSTANTS = (6.0, 2.0, 1.0), (-3.0, 3.0)
#: Functions and their frequencies, where users set none.
SHORT_FUNCTIONS = {
    "add": 2.0, "sub": 1.0, "mul": 3.0, "div": 2.0, "sqrt": 0.7, "pow2": 0.7, "log": 0.7, "exp": 0.7, "tanh": 0.7, "sin": 0.4,
    "cos": 0.4,
}  # fmt: skip
#: Share of offspring by mutation, crossover has the rest; shares of constants and of weights in it, and of other mutations:
#: subtrees have the rest. `sizes` on ASN, this island alone for 2 s, mean of four seeds, up to 10, 20, 30, 50, 100 nodes: 0.528,
#: 0.633, 0.753, 0.809, 0.848 without "wrap" (and a share of 0.4), with it 0.558, 0.687, 0.774, 0.848, 0.870; others hardly move.
SHORT_MUTATED, SHORT_NUMBERS = 0.5, 0.04
SHORT_MUTATIONS = {
    "wrap": 0.2, "point": 0.12, "add_gene": 0.12, "insert": 0.12, "shrink": 0.08, "shift": 0.08, "delete_gene": 0.064,
    "sparsity": 0.064, "hoist": 0.04,
}  # fmt: skip
#: Points between rows that say how large the values of a subtree are which is wrapped in a function. Not tuned.
TYPICAL_ROWS = 8
#: Leaders of the front that several such islands get.
SHORT_MIGRANTS = 10
#: Sizes of large models: the fittest up to each of these gives its genes to the island for short formulas and has shorter
#: relatives: those of 400 nodes have little to give to 50. `sizes`. Not tuned.
MIDDLE_SIZES = (240, 120)
#: Steps of tuning of an offspring, and of a member of the front at the end.
SHORT_STEPS, SHORT_POLISHING_STEPS = 3, 25

# --- positive targets over decades (log_scale.py) ---------------------------------------------------

#: Decades between the 5 % and 95 % quantiles of a positive target at which formulas of its logarithm are looked for. Not tuned.
DECADES = 1.2
#: Share of the run that this takes; nodes of the largest such formula; how many of them held-out rows compare. Not tuned.
LOG_SHARE, LARGEST_OF_LOGARITHM, LOGARITHM_FINDS = 0.1, 20, 2
#: Share of what a formula leaves unexplained that another way to write it may change, beside rounding. Not tuned.
SAME_FORM = 1e-6
#: A formula of the logarithm is chosen if it is better on more unseen rows than chance explains, in
#: standard deviations of their number. Round number.
MORE_ROWS = 3.0

# --- models tuned once more, and shorter ones (shorter.py) ------------------------------------------

#: Models of the front that are tuned once more when the islands move to all rows; steps and least gain of each. Not tuned.
POLISHED, POLISHING_STEPS, POLISHING_GAIN = 8, 10, 1e-6
#: Models of the front that get shorter relatives; steps and parameters of their tuning. Not tuned.
SHORTENED, SHORTENING_STEPS, SHORTENING_PARAMETERS = 2, 4, 256
#: Prices of a printed node, one after the other, in units of the setting `trim`. `ablation` without shorter relatives: formulas
#: become a quarter longer.
PRICES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
#: With fewer rows what can be left out is a matter of rounding. Not tuned.
FEWEST_ROWS_TO_SHORTEN = 30

# --- linear models (linear.py) ----------------------------------------------------------------------

#: Penalties of ridge regression that are tried; features have unit variance. Half decades: of 1,000 noisy tables of 10 to 19 rows
#: thirds of decades per row were more than 0.1 of R² below `RidgeCV` on fresh rows 12 times, in the mean 0.001 above it. The best
#: on rows left out: on 24 sets of SRBench's kind, 10 splits each, it is more than 0.01 below `RidgeCV` in 2 splits and more than
#: 0.02 below least squares in 8; the least that those rows cannot tell from it in 37 and 2, with 0.005 less in the mean.
PENALTIES = np.logspace(-6.0, 8.0, 29)
#: The same for another loss, in units of its curvature. Not tuned.
STRENGTHS = np.logspace(-7.0, 3.0, 16)
#: With another loss, strengths one after the other that are worse than the best before no weaker one is tried. Round number.
WORSE_STRENGTHS = 4
#: Numbers of features of the linear models in the first population, beside one of all features. `ablation` without them: no
#: difference.
SUBSETS = (1, 2, 3, 5, 8)
#: Share of the sum of squares that is added to each column's so that dependent columns have a solution: rounding.
SINGULAR = 1e-13
#: A find of few rows is handed over with its numbers tuned on all of them where that leaves at most this share of what it left:
#: those of a simplified formula stay as they are. Not tuned.
TUNED_LEAVES = 0.5
#: Steps of tuning when a formula is fitted to other rows. Not tuned.
REFITTING_STEPS = 3
#: Ridge regressions one after the other that approach another loss than squared error; they end when it falls no more. [round]
REWEIGHTINGS = 30
#: The same under the conditions of shapes, where each is a quadratic program. Round number.
SHAPED_REWEIGHTINGS = 6
#: The same for coefficients within a range (ruled.py), and rounds over whole coefficients. Round numbers.
RULED_REWEIGHTINGS, WHOLE_ROUNDS = 10, 5
#: Rows on which arguments of functions are looked at, beside the guard's points. Round number.
RULED_ROWS = 500

# --- cross-validation of the whole search (folds.py, cross_validation.py) ---------------------------

#: Folds of the rows, and folds for ridge regressions, which cost nothing. Not tuned.
FOLDS, RIDGE_FOLDS = 5, 10
#: Share of a run's time that one fold takes; and of its generations (those come on top of the run's own), and at least as many.
#: Not tuned.
FOLD_SHARE, FOLD_GENERATIONS, FEWEST_FOLD_GENERATIONS = 0.1, 1 / 8, 10
#: Models of folds, and guesses, that an island begins with. Not tuned.
FIRST_MODELS = 10
#: With fewer different rows there is no cross-validation. Not tuned.
FEWEST_ROWS_TO_CROSS_VALIDATE = 20

# --- shapes (keeper.py) ---------------------------------------------------------------------------
#: Boxes that every model of the result is tried with, and columns of the sum that stands in where nothing else keeps
#: the shapes. Not tuned.
FEWER_BOXES, LARGEST_FALLBACK = 10_000, 50
#: Formulas of the size that was chosen before shapes were asked are enough where one of them leaves at most this many times as
#: much unexplained. Not tuned.
SHAPED_LEAVES = 1.2
#: A gene with coefficients under shapes that moves no value by more than this share of the target's range is left out. Not tuned.
UNSEEN = 1e-6

# --- how large a formula may be (validation.py, few_rows.py) ----------------------------------------
# In standard errors of a difference of mean squared errors, unless said otherwise. Together they are held against `small_data`
# (not below ridge regression) and `versus` (training and test R² differ by at most 0.07); no one of them was tuned alone.

#: A larger model must be better than a smaller one by this.
CLEARLY_BETTER = 0.25
#: A find of the law search takes the place of the mean or a line when it is better on this share of unseen rows, its median
#: squared error less than such a share of theirs. Round numbers.
NEARLY_EVERY_ROW, FAR_LESS = 0.9, 0.05
#: Nodes of the longest find that may have poles there. The numbers of a long one have seen the rows left out: on 560_bodyfat
#: (10 s) one of 122 nodes agreed with all of them (R² 0.99997) and was at -9005 on fresh rows. Round number.
LONGEST_WITH_POLES = 45
#: Few noisy rows: the smallest size is taken whose error in cross-validation is within this of the least. On fronts of
#: `srbench` (10 s, one seed) 1.5 gave 651_fri_c0 0.926 where 1 gives 0.973, 228_elusage 0.675 (0.777), 634_fri_c2 0.966 (0.955).
ONE_STANDARD_ERROR = 1.0
#: R² on unseen rows by which formulas may do worse than smaller ones and still be considered, by the search and by `choose`.
#: `sizes` on 560_bodyfat (10 s, one seed): size 24 had -1.7e15 there, and such a model was chosen. Not tuned.
CONTRADICTED = 0.02
#: Times what the fittest model leaves unexplained that a model may leave to be asked whether it is within noise: time. Not tuned.
NEARLY_AS_FIT = 3.0
#: Where short formulas are wanted, a shorter one is given up when another is better by this.
CLEARLY_WORSE = 1.5
#: Where a find leaves nothing but noise, another model must be better than it on unseen rows by this: of twenty formulas the best
#: is better by two by luck. `laws` with noise: p*V/(g - 1), m*B*cos(t).
SURELY_BETTER = 3.0
#: By this the best of the islands' many formulas may beat a find by luck. `laws` with noise: relmass and nguyen5.
LUCKY = 1.0
#: A model must be better than the best linear model by this, and than the constant.
BETTER_THAN_LINEAR, BETTER_THAN_CONSTANT = 1.5, 2.0
#: Of few noisy rows it must be better than both by this. In 500 noisy tables of 10 to 119 rows (0.3 s) 21 formulas were better by
#: less: on fresh rows five were 0.06 to 0.37 of R² below ridge regression, nine 0.05 to 0.25 above.
BETTER_IN_NOISE = 2.5
#: Ridge regression must be better than the mean by this on unseen rows. Little is enough, as it shrinks to the mean by itself: of
#: noise alone, 30 × 3 to 1,000 × 20, 2 to 9 of 100 tables say that it is.
RIDGE_BETTER_THAN_MEAN = 0.5
#: Very few rows: ratio of a positive column's largest and least value from which on its logarithm enters a shrunk line, and
#: standard errors by which the line of the columns as they are must be better than that on rows left out, or the share of its
#: error that it must leave there. `raw_tables`, burtin (12 or 13 rows, concentrations): R² of all test rows -6.36 with the
#: columns as they are, 0.64 with logarithms. Not tuned.
DECADES_OF_A_COLUMN, LINES_APART, LINE_SAYS_ALL = 1000.0, 2.0, 0.25
#: Or, of few rows, explain this share of the rows it is fitted to, shrunk as it is. Of 4,500 noisy tables of 20 to 119 rows the
#: mean or the line was more than 0.1 of R² below `RidgeCV` on fresh rows 3 times with 0.07 (worst 0.19), never with this (0.09);
#: R² on average is the same to 0.0001, and of noise alone the mean is left in 62 % (66 % with 0.07).
RIDGE_SAYS = 0.05
#: Share of rows left out, one at a time, that the line of one column must explain to be preferred to ridge regression of very few
#: rows. Of 400 noisy tables of 6 to 19 rows the better of both was more than 0.1 of R² below `RidgeCV` 58 times, ridge regression
#: 6 times; of 800 of 10 to 19 rows 14 times both with this and without the line of one column.
ONE_COLUMN = 0.8
#: Few noisy rows: share by which the error of a formula must be less than that of a line, or that of formulas larger than the
#: chosen one to be listed, or they are not worth their risk. `sizes` on the 22 sets of few rows (10 s, seeds 0 to 3, one set of
#: runs, looked at): means up to 10, 20, 30, 50, 100 nodes 0.603, 0.718, 0.748, 0.734, 0.748 with all that refitting speaks for,
#: 0.600, 0.727, 0.762, 0.763, 0.766 with this, within 0.003 of it with shares of 0.05 to 0.2.
WORTH_IT = 0.15
#: Few rows that a model predicts this well (R²) are no matter of luck: they are decided on like many.
CLEAR_SIGNAL = 0.9
#: Nodes of formulas that people can read, and what such a one may cost in R² on unseen rows, the shorter first; how many times as
#: much it may leave unexplained there as the longer one. `sizes`, column "default", and `srbench`.
READABLE, READABLE_LEAVES = ((50, 0.005), (80, 0.01)), 10.0
#: What a small formula may cost at the end of the run, R² on folds without which models are fitted again: their structures have
#: seen all rows, which flatters large ones by about 0.01 (larger.py). How many times as large the models are that it is held
#: against, and rows that are asked: time. `sizes` on CCS, 6 or 10 s, five times that it was given up: test R² by -0.008, 0.002,
#: 0.019, 0.030 and 0.051 more; the first two had seven times as many nodes. Other values were not tried.
GIVEN_UP, LARGER, MOST_ROWS_IN_FOLDS = 0.02, (1.5, 2.2, 3.3, 5.0), 2000
#: Models whose sizes differ by no more than this factor count as neighbours. Of the decisions of eleven runs (6 or 10 s) this
#: changes two: CCS, seed 0, 75 nodes with test R² 0.842 where larger models have 0.88; ENC, seed 1, 39 nodes with 0.969 (0.978).
NEIGHBOURS = 1.1
#: Room above the size that was decided on for the search on all rows, as a factor. Not tuned.
ROOM = 1.25
#: Fewer different rows decide nothing. Not tuned.
FEWEST_ROWS_TO_VALIDATE = 10
#: What a node of a formula costs, and being found at all, in natural units of information: a search sees thousands of formulas. A
#: node is one of about ten choices, and ln 10 is 2.3.
NODE_COST, LUCK = 2.3, 5.0
#: Formulas with evidence of their own that are fitted again without each fold, the most evident first; share by which their error
#: on it must be less. Not tuned.
MOST_ASKED, EVIDENT = 5, 0.2
#: Formulas with fitted numbers for more than this share of the rows pass through them by their number. Not tuned.
MOST_FITTED = 0.5

# --- guesses (guesses.py) -------------------------------------------------------------------------

#: Factors of all numbers of a guess that tuning starts from beside its own, and starts with every number drawn anew. Not tuned.
GUESS_FACTORS, GUESS_STARTS = (0.1, 10.0), 12
#: Rows on which all starts are tuned, and the best that are tuned on all rows. Not tuned.
GUESS_ROWS, GUESS_KEPT = 300, 3
#: Tuning of every start. Not tuned.
GUESS_TUNING = Refinement(iterations=40, tries=8, decay=0.0, gain=1e-6, max_parameters=200)

# --- forms (forms/) -------------------------------------------------------------------------------
# Held against `python -m benchmarks forms`; no one of them was tuned alone.

#: Rows on which candidates are tuned, candidates of a batch, and how many of a size are kept.
FORM_ROWS, FORM_BATCH, FORM_KEPT = 200, 64, 3
#: Best shapes of every function that are tried together, by the number of functions.
FORM_COMBINED = (40, 14, 6, 4)
#: Candidates without progress after which all begins anew.
FORM_PATIENCE = 6_000
#: What a candidate leaves unexplained on some rows that may be exact, and how many sizes are tuned on all rows.
FORM_EXACT, FORM_TUNED = 1e-9, 12
#: Tuning of every candidate, and of shapes, whose numbers are far off.
FORM_QUICK = Refinement(iterations=12, tries=4, damping=1e-2, gain=1e-3, decay=0.0, max_parameters=60)
FORM_LONGER = Refinement(iterations=40, tries=8, damping=1e-2, gain=1e-5, decay=0.0, max_parameters=60)
#: How a child comes about: the other parent's function, one of the catalogue, one of it added, else changes of a tree.
FORM_CHILDREN = {"other": 0.15, "shape": 0.1, "added": 0.15, "changed": 0.6}
#: Changes of a tree: a part from another one, a new part, a part of it alone, a part less, a function around a part, a number
#: more, other numbers. And the chance of a second change.
FORM_CHANGES = {
    "other": 0.25, "new": 0.2, "inner": 0.05, "less": 0.1, "around": 0.2, "number": 0.1, "numbers": 0.1,
}  # fmt: skip
FORM_TWICE = 0.3
#: Digits of what stands in the gaps, for people: the formula itself has more.
FORM_DIGITS = 5

# --- what formulas are made of (building.py) --------------------------------------------------------

#: Genes for which it is remembered whether they keep the rules: in runs of 6 s each was asked for about six times. Changes no
#: answer.
GENES_KNOWN = 4096

# --- the result (result.py) -------------------------------------------------------------------------

#: Training R² at which the target counts as explained to numerical precision.
EXPLAINED = 1.0 - 1e-13
#: Models that leave no more than this many times as much unexplained as another are as good. `versus`: sizes.
ALIKE = 1.01
#: Bounds of predictions below this are finite for any last bits of interval arithmetic. A round number below the largest.
SURELY_FINITE = 1e300

"""Every constant of expressions, in one table: what it does, and what speaks for it.

*Not tuned* means: a round number, and other values were not tried. Numbers of an operator (`operators.py`, `long_spellings.py`)
stand in its row.
"""

from __future__ import annotations

import math

# --- text (reading.py, form.py, readable.py, directions.py, engine_text.py) -------------------------

#: Characters of a formula, and how deep it may be nested. Not tuned.
LONGEST, DEEPEST = 5_000, 100
#: Characters of the text that a sentence shows on each side of a mistake. Not tuned.
AROUND = 60
#: Nodes of an unknown function unless the form says otherwise. Not tuned.
MOST_NODES = 20
#: Shorter names are never taken for a misspelt one. Not tuned.
SHORTEST_MISTAKE = 3
#: The definition of bent repeats its argument; beyond this many nodes of it the operator is printed by name instead,
#: because nested repetitions would double the text at every level. Not tuned.
SPELT_OUT = 30
#: Expressions whose simpler form and size, and numbers whose simplicity is kept: the rules of rewriting ask for the same ones
#: again and again, mostly soon. A thousand of 50 nodes are 10 MB. [time]
LATELY = 1000
#: A formula with at most this many nodes is written out, unless a combination has many columns. Not tuned.
SHORT_FORMULA = 40
#: A combination of more columns than this is named in any formula. Not tuned.
FEW_COLUMNS = 5
#: The linear part of the formula itself, outside of all functions, is named from more columns than this on: where a long formula
#: has other terms too, and elsewhere. Not tuned.
OUTSIDE_LONG, OUTSIDE = 2, 14
#: Whole exponents that the engine has as operators, and the most square roots in a row that are clearer than a logarithm.
MOST_POWER, MOST_HALVES = 32, 9

# --- numbers (numbers.py, jacobian.py) --------------------------------------------------------------

#: Relative distance by which sums and products of a few short numbers miss a short number: rounding.
NOISE = 1e-13
#: Relative distance below which what a fit leaves of a short number is shown as that number. Not tuned.
ALMOST = 1e-6
#: Digits up to which formats for people show a number as it is, and how many they show of a longer one. Numbers of a finished
#: model have no more than the first, or all of theirs (`explain/digits.py`). Not tuned.
WHOLE, FEW = 12, 4
#: The largest numerator of a named fraction. Not tuned.
MOST = 24
#: A fraction or multiple of π must be this close to be taken instead, relative to the value. Not tuned.
CLOSE = 1e-3
#: Units in which a number may be simple, and the largest denominator there. Not tuned.
UNITS = ((1.0, 12), (math.pi, 8), (math.sqrt(2.0), 8), (math.sqrt(3.0), 8), (math.sqrt(math.pi), 8))
#: Rows differentiated at a time, so that the values of all nodes stay small: memory. Not tuned.
CHUNK = 8192

#: Relative difference that is rounding, for whoever compares numbers, predictions or what is left unexplained. Not tuned.
ROUNDING = 1e-12
#: Larger exponents, of either sign, are taken for approximations: combined variables have none (`laws/`), nor has a result unless
#: a law has it, a rule allows it or the user names the power (`search/building.py`). `readability`: none beyond it. Not tuned.
LARGEST_EXPONENT = 6.0

# --- rewriting (rewriting/) -------------------------------------------------------------------------

#: Relative difference up to which two numbers are taken for the same. Not tuned.
ALIKE = 1e-6
#: Passes over a formula until nothing changes; formulas that need more have not been seen.
MOST_PASSES = 10
#: Exponents beyond this stay where they are, since without them a value could be too large for a number, unless the coefficient
#: is as extreme and makes up for it; and the largest with a finite exponential, with a margin (exp ends at 709).
MOST_OUT_OF_EXP, LARGEST_EXPONENTIAL = 300.0, 700.0
#: Far in the tail of a softplus or a logistic: exp(-38) is less than a unit of the last place of a double-precision 1.
FAR = 38.0
#: Where a softplus of x, or a logistic 1/(1 + exp(-x)), is exp(x) but for 1e-10 of it; beyond, log(1 + exp(x)) loses digits as it
#: is printed, and 1/(1 + exp(30 - x)) stands beside a coefficient of 1e13.
FAR_BELOW = -23.0
#: Most rearrangements of sums one after the other, and the size of a formula beyond which none is tried: time. Not tuned.
MOST_REARRANGEMENTS, LONG = 4, 30
#: Sums of more terms than this are left alone, and none becomes longer than this by multiplying out: time. Not tuned.
MOST_TERMS, MOST_MULTIPLIED = 8, 16
#: Most changes of tied numbers one after the other: time. Not tuned.
MOST_CHANGES = 6

"""Every tuning constant of the numbers per group, in one table: what it does, and what speaks for it.

Cases with planted numbers stand in `tests/groups/`: with these values the choice is right there. *Not tuned* means: a round
number, and other values were not tried.
"""

from __future__ import annotations

# --- which numbers are a group's own (choice.py) ----------------------------------------------------

#: Parts into which the rows of every group are shared out for the held-out loss. Not tuned.
FOLDS = 4
#: Share of the held-out loss that a further number per group must save. Not tuned.
SAVED = 0.01
#: Standard errors by which the loss must be less: the usual two. Not tuned.
CLEAR = 2.0
#: Numbers per group that are tried at most in one form, and how many of its numbers are tried in full after a linear screening:
#: time. Not tuned.
MOST_OWN, TRIED = 3, 3
#: Rows that the pooled number is worth: when a first number per group is tried, and what held-out rows choose from afterwards. A
#: grid of powers of ten, so wide that its ends are "no pooling" and "nothing but pooling". Not tuned.
FIRST_WORTHS, WORTHS = (0.01, 3.0), (1e-6, 0.01, 0.3, 3.0, 30.0, 300.0)
#: Rows that decisions are made on, and steps of a fit without the held-out ones, which starts at that of all rows: time. Not
#: tuned.
MOST_ROWS, FEW_STEPS = 4000, 5

#: The largest exponent of a group's own: x**40 is a step, not a power. Not tuned.
LARGEST_EXPONENT = 10.0

# --- the joint fit (own.py) -------------------------------------------------------------------------

#: Steps of a fit, halvings of a step that does not help, and the gain below which a fit has ended. Not tuned.
STEPS, HALVINGS, ENOUGH = 12, 6, 1e-9
#: Relative size below which a direction of the common numbers is not determined: rounding. Not tuned.
DEPENDENT = 1e-11
#: What stands in the place of 0 where something is divided by it.
TINY = 1e-300

# --- numbers that say the same (redundant.py) -------------------------------------------------------

#: Share of a number's own curvature that must be left when groups have their numbers. Not tuned.
DETERMINED = 1e-6
#: Growth of the loss that counts as none: of itself, and of the target's sum of squares. Not tuned.
SAME, NOTHING = 1e-4, 1e-9
#: Part of a number in directions that are not determined above which it is tried to be fixed, and steps of the fit without it,
#: which starts far off. Not tuned.
WEAK, FIXED_STEPS = 0.1, 40
#: Rows that the pooled number is worth here: next to nothing, since the penalty is what a redundant number evades.
FREE = 1e-6

# --- forms of the front (regroup.py) ----------------------------------------------------------------

#: Forms of the front that are looked at, and the numbers that the largest of them may have: time. Not tuned.
MOST_FORMS, MOST_NUMBERS = 8, 12
#: A constant in an exponential is written as a factor up to this size of it: larger ones make factors of many digits. Not tuned.
LARGEST_FACTORED = 50.0
#: Digits of a number per group, counted from the first that differs between groups: more than the rows determine. Not tuned.
OWN_DIGITS = 7

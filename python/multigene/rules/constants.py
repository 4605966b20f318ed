"""Constants of the rules of building. None was set by a benchmark."""

#: How far a number may be from a whole one, or beyond a range, by rounding alone; relative where it is larger than 1.
ROUNDING = 1e-12
#: Terms of a sum or factors of a product that are compared with a function's definition in every order; more in theirs alone.
MOST_ORDERS = 4

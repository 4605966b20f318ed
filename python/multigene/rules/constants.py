"""Constants of the rules of building. None was set by a benchmark."""

#: Terms of a sum or factors of a product that are compared with a function's definition in every order; more in theirs alone.
MOST_ORDERS = 4

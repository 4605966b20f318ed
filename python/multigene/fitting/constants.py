"""Constants of a fit. None was set by a benchmark: they are round numbers."""

#: Shares of a time limit for a search on the largest group alone and for the numbers of groups.
ALONE_SHARE, NUMBERS_SHARE = 0.3, 0.2
#: Rows that a group must have for a search of its own.
ALONE_ROWS = 20

"""Constants of a fit. None was set by a benchmark: they are round numbers."""

#: Shares of a time limit for a search on the largest group alone and for the numbers of groups.
ALONE_SHARE, NUMBERS_SHARE = 0.3, 0.2
#: Rows that a group must have for a search of its own.
ALONE_ROWS = 20
#: Share of the time limit after which no more is asked about outliers: 0.14 s for 120 × 3, 2.4 s for 1,000 × 10.
OUTLIERS_SHARE = 0.3
#: Share of the time limit for the search without outliers, and times that the typical error of the other rows must be larger with
#: all rows for outliers to be left out.
WITHOUT_OUTLIERS, CLEARLY_LARGER = 0.5, 1.2

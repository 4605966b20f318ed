"""From parameters of an estimator to settings."""

from __future__ import annotations

import pytest

from multigene import MultigeneRegressor
from multigene.settings.resolve import resolved


def sizes(**parameters):
    """Population, tournament and elites of an estimator."""
    selection = resolved(MultigeneRegressor(**parameters)).selection
    return selection.population_size, selection.tournament_size, selection.elites


def test_halving_the_population_halves_tournament_and_elites():
    """As Table 2 of the paper does."""
    assert sizes(configuration="baseline") == (100, 10, 15)
    assert sizes(configuration="baseline", settings={"population_size": 50}) == (50, 5, 8)
    assert sizes(configuration="UB", settings={"population_size": 100}) == (100, 10, 16)
    assert sizes(configuration="baseline", settings={"population_size": 200}) == (200, 20, 30)
    assert sizes(settings={"population_size": 25}) == (25, 2, 4)


def test_what_is_given_is_taken():
    assert sizes(configuration="UB", settings={"population_size": 100, "elites": 3}) == (100, 10, 3)
    assert sizes(configuration="UB", settings={"population_size": 100, "tournament_size": 3}) == (100, 3, 16)
    assert sizes(configuration="UB", settings={"tournament_size": 3}) == (50, 3, 8)
    assert sizes(configuration="UB", settings={"population_size": 500, "elites": 0}) == (500, 50, 0)


def test_the_smallest_populations_have_a_tournament_and_an_elite():
    assert sizes(settings={"population_size": 2}) == (2, 2, 1)
    assert sizes(settings={"population_size": 5}) == (5, 2, 1)


@pytest.mark.parametrize("size", [1, 0, -3, 2.5, "many", True])
def test_no_population(size):
    with pytest.raises(ValueError, match="population_size="):
        resolved(MultigeneRegressor(settings={"population_size": size}))

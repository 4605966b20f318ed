"""Parameters of the estimator as one value, and what is said of those that it does not have."""

from __future__ import annotations

import pytest

from multigene import MultigeneRegressor


@pytest.mark.parametrize("name", ["population_size", "max_genes", "max_depth", "max_nodes"])
def test_limits_of_individuals_are_settings(name):
    with pytest.raises(TypeError, match=f"no parameter '{name}'.*settings={{'{name}': 5}}"):
        MultigeneRegressor(**{name: 5})


def test_a_misspelt_parameter_gets_the_nearest():
    with pytest.raises(TypeError, match="'timelimit'; did you mean 'time_limit'"):
        MultigeneRegressor(timelimit=5)


def test_a_subclass_has_parameters_of_its_own():
    class Own(MultigeneRegressor):
        def __init__(self, patience=3):
            super().__init__(generations=2)
            self.patience = patience

    assert Own(patience=4).patience == 4

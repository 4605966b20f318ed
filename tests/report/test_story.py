"""The page's first sentence."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene.report.story import Unseen, sentence


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (4.66, "; a linear model's is 4.66."),
        (2.6, "; a linear model does about as well."),
        (2.3, "; a linear model does about as well."),
        (math.nan, "the typical error is 2.46."),
    ],
)
def test_a_line_that_was_scored_on_other_rows_is_not_compared_by_digits(line: float, said: str) -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = MultigeneRegressor(generations=1, random_state=0).fit(X, X[:, 0] + X[:, 1] ** 2).fitted_
    unseen = Unseen("held-out", 0.9, 2.46, math.nan)
    shown = sentence(model, model.front.listed[-1], unseen, line, (1.0, 1.0), "")
    assert shown.startswith("On rows that the search did not see")
    assert shown.endswith(said)


def test_picks_of_the_page_are_what_choose_takes_by_their_names(model, content) -> None:
    chosen = pickle.loads(pickle.dumps(model))
    for pick in content.picks:
        chosen.choose({"recommended": "default"}.get(pick["name"], pick["name"]))
        assert content.models[pick["model"]]["size"] == chosen.formula_.size, pick
        assert content.models[pick["model"]]["text"] == str(chosen.formula_), pick

"""Laws that are found part by part."""

from __future__ import annotations

import numpy as np
import pytest

from multigene._engine import Workers
from multigene.laws.progress import to_the_end
from multigene.laws.seekers import Seekers
from multigene.settings import Seeking

RNG = np.random.default_rng(1)
X = RNG.uniform((0.1, -3.0, 1.0, 1.0), (2.0, 3.0, 5.0, 3.0), (400, 4))
Y = np.sqrt(9.0 * X[:, 0] + np.exp(X[:, 2] - X[:, 3])) - np.exp(X[:, 1])


def search(y=Y, **options):
    return Seekers(
        X,
        y,
        np.arange(len(y)),
        np.random.default_rng(0),
        Workers(1),
        Seeking(**{"survey": True, "parts": True, **options}),
        alone=True,
    )


def test_a_part_is_found_and_then_the_rest():
    seekers = search()
    to_the_end(seekers.parts.pieces(seekers.progress, 10**9, lambda: False))
    law = seekers.law
    assert law is not None
    assert law.grade == "exact"
    np.testing.assert_allclose(law.individual.predict(X), Y, rtol=1e-9, atol=1e-9)


def test_parts_are_a_switch():
    assert search(parts=False).parts is None


def test_splits_are_seen_when_they_are_needed_and_not_before():
    seekers = search()
    assert not seekers.parts.seen
    assert seekers.surveying
    assert seekers.parts.splits
    assert seekers.parts.seen


def test_splits_that_are_done_are_not_done_again():
    seekers = search(X[:, 0] * np.cos(X[:, 1]) + np.tanh(X[:, 2] - 2.0) * 0.3)
    seekers.progress.split = len(seekers.parts.splits)
    assert seekers.progress.split > 0
    again = search(X[:, 0] * np.cos(X[:, 1]) + np.tanh(X[:, 2] - 2.0) * 0.3)
    again.restore(seekers.state())
    assert again.progress.split == seekers.progress.split
    to_the_end(again.parts.pieces(again.progress, 10**9, lambda: pytest.fail("nothing is left to do")))
    assert again.evaluations == seekers.evaluations


def test_a_split_that_was_cut_is_begun_anew():
    seekers = search()
    to_the_end(seekers.parts.pieces(seekers.progress, 10**9, lambda: True))
    assert seekers.progress.split == 0
    assert seekers.law is None

"""The survey as a phase: what is long waits for what is shorter, and goes on after a break."""

from __future__ import annotations

import json

import numpy as np

from multigene._engine import Workers
from multigene.formula import Formula
from multigene.laws import law as laws
from multigene.laws.seekers import Seekers
from multigene.settings.settings import Seeking


def decay(n=300):
    """A law that a polynomial of degree ten comes close to, down to rounding."""
    X = np.random.default_rng(0).uniform(0.0, 5.0, (n, 3))
    return X, X[:, 0] * X[:, 1] * np.exp(-0.3 * X[:, 2])


def seekers(X, y):
    return Seekers(X, y, np.arange(len(y)), np.random.default_rng(0), Workers(1), Seeking())


def test_a_long_polynomial_is_not_looked_at_before_the_short_law(monkeypatch):
    seen, as_law = [], laws.as_law

    def recorded(find, *rest):
        seen.append(find.individual.complexity)
        return as_law(find, *rest)

    monkeypatch.setattr(laws, "as_law", recorded)
    search = seekers(*decay())
    search.seek(100_000)
    assert str(Formula(search.law.expression, ["a", "b", "c"])) == "a*b*exp(-0.3*c)"
    assert max(seen) < 20
    assert max(search.finds.by_size) > 50  # it was found, and would do where nothing shorter is


def test_a_long_law_is_told_at_the_end_of_the_survey():
    X = np.random.default_rng(0).uniform(1.0, 5.0, (300, 2))
    a, b = X.T
    search = seekers(X, 1.3 + 2.1 * a + 0.7 * a * b - 1.9 * b**2 + 0.31 * a**3 - 0.57 * a**2 * b**2)
    search.survey.run(search.progress, 10**9, lambda: False)
    assert search.law is not None
    assert not search.progress.waiting


def test_what_waits_is_kept_over_a_break():
    X, y = decay()
    search = seekers(X, y)
    search.survey.run(search.progress, 1, lambda: False)  # one stage: the probes
    assert search.law is None
    assert len(search.progress.waiting) == 1
    again = seekers(X, y)
    again.restore(json.loads(json.dumps(search.state())))
    assert again.progress.waiting == search.progress.waiting


def test_what_was_prepared_for_a_stage_outlasts_a_break_and_goes_at_the_end():
    X = np.random.default_rng(0).normal(size=(300, 4))
    search = seekers(X, X[:, 0] + np.random.default_rng(1).normal(size=300))
    while search.survey.suggestions.monomials is None:  # stage by stage, until the catalogue is asked
        search.survey.run(search.progress, search.progress.evaluations + 1, lambda: False)
    prepared = search.survey.suggestions.monomials
    assert search.progress.surveyed < search.survey.length
    search.survey.run(search.progress, search.progress.evaluations + 1, lambda: False)
    assert search.survey.suggestions.monomials is prepared
    search.survey.run(search.progress, 10**9, lambda: False)
    assert search.survey.suggestions.monomials is None

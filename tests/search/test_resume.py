"""A run that is stopped after any of its steps goes on as if nobody had stopped it."""

import json

import numpy as np
import pytest

from multigene import MultigeneRegressor
from multigene.search import run


class Stopped(Exception):
    """As a kill would: nothing is put together, nothing is saved but what is there."""


def noisy(seed, n=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.sin(2.0 * X[:, 0]) * X[:, 1] + X[:, 2] + 0.1 * rng.normal(size=n)


def few(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2))
    return X, X[:, 0] * X[:, 1] + 0.3 * np.exp(X[:, 0] / 2.0) + 0.05 * rng.normal(size=30)


CASES = {
    "no improvement expected": (
        noisy(986, 200),
        {"search": "accuracy", "generations": 20, "loss": "absolute"},
    ),
    "restarts and the survey of the law search": (noisy(481), {"generations": 3}),
    "a pause in very few rows": (few(1), {"generations": 3}),
    "a function that has its argument twice": (
        noisy(602),
        {
            "search": "accuracy",
            "generations": 12,
            "functions": {"add": None, "mul": None, "f": "x*sin(x)"},
        },
    ),
}


def known(state):
    """What a state says, but for the clock."""
    content = json.loads(state)
    del content["digest"]
    for record in content["history"]:
        del record["seconds"]
    return content


@pytest.mark.parametrize("case", CASES)
def test_after_any_step_the_next_is_that_of_the_undisturbed_run(case, tmp_path, monkeypatch):
    (X, y), options = CASES[case]
    path, states, to_be_stopped = tmp_path / "state", [], False

    def save(self, every):
        state = self.state()
        if state is None:
            return
        states.append(state)
        # Whoever goes on may tell once more where the run stands.
        if to_be_stopped and every > 0.0 and known(state) != known(begun):
            raise Stopped

    def front():
        model = MultigeneRegressor(**options, random_state=0, n_jobs=1)
        return model.fit(X, y, checkpoint=path).equations_.to_json()

    monkeypatch.setattr(run.Run, "_save", save)
    whole, undisturbed = front(), list(states)
    to_be_stopped = True
    for begun, following in zip(undisturbed, [*undisturbed[1:], None], strict=True):
        path.write_bytes(begun)
        states.clear()
        try:
            assert front() == whole
        except Stopped:
            assert following is not None
        if following is not None:
            assert known(states[-1]) == known(following)

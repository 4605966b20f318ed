"""A few outliers do not cost the formula: what is left out is told, and nothing else is changed by looking for them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

import multigene
from multigene import MultigeneRegressor
from multigene.fitting import fitting

QUICK = {"generations": 6, "random_state": 0, "n_jobs": 1, "search": "accuracy"}


def table(seed: int, n: int = 120) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, a target in noise, and the target without it."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 3))
    truth = (X[:, 0] ** 2 + X[:, 1], X[:, 0] * X[:, 1] + X[:, 2], np.exp(X[:, 0]) - X[:, 2])[seed % 3]
    return X, truth + 0.05 * truth.std() * rng.standard_normal(n), truth


@pytest.mark.parametrize("seed", range(6))
def test_outliers_cost_next_to_nothing(seed):
    X, y, truth = table(seed)
    rng = np.random.default_rng(100 + seed)
    wrong = np.sort(rng.choice(len(y), 3 + seed, replace=False))  # 2 to 7 of 100
    spoilt = y.copy()
    spoilt[wrong] += rng.choice([-1.0, 1.0], len(wrong)) * rng.uniform(15.0, 200.0, len(wrong)) * truth.std()
    kept = np.setdiff1d(np.arange(len(y)), wrong)
    with pytest.warns(UserWarning, match=rf"{len(wrong)} of 120 rows look like outliers .*loss='squared'"):
        model = MultigeneRegressor(**QUICK).fit(X, spoilt)
    clean = MultigeneRegressor(**QUICK).fit(X[kept], y[kept])
    assert model.outliers_ == wrong.tolist()
    assert str(model.formula_) == str(clean.formula_)
    assert model.r2_ == clean.r2_  # of the rows that were kept
    assert f"on the training rows without {len(wrong)} outliers," in str(model)
    fresh, _, told = table(seed + 300)
    assert np.var(told - model.predict(fresh)) < 0.05 * np.var(told)


def test_without_outliers_nothing_changes(monkeypatch):
    X, y, _ = table(1)
    found = MultigeneRegressor(**QUICK).fit(X, y)
    assert found.outliers_ == []
    assert "outliers" not in found.fitted_.data
    explicit = MultigeneRegressor(**QUICK, loss="squared").fit(X, y)
    assert found.equations_.equals(explicit.equations_)
    monkeypatch.setattr(fitting, "outliers_of", lambda *_: pytest.fail("not asked for"))
    for options in ({"loss": "squared"}, {"loss": "huber"}, {"configuration": "UB"}):
        MultigeneRegressor(**({"generations": 1, "random_state": 0, "n_jobs": 1} | options)).fit(X, y)


def test_a_law_is_found_in_spite_of_slips():
    rng = np.random.default_rng(3)
    X = rng.uniform(1.0, 3.0, (200, 3))
    y = X[:, 0] * X[:, 1] / X[:, 2]
    y[[5, 50, 80]] = -999.0
    with pytest.warns(UserWarning, match="3 of 200 rows look like outliers"):
        model = MultigeneRegressor(generations=5, random_state=0, n_jobs=1).fit(X, y)
    assert model.stopped_by_ == "law"
    assert str(model.formula_) == "x0*x1/x2"


@pytest.mark.parametrize("suspected", [[4, 9, 30], [6]])
def test_rows_that_the_formula_tells_come_back(monkeypatch, suspected):
    X, y, _ = table(1)
    y = X[:, 0] * X[:, 1]
    rows = np.array(suspected)
    monkeypatch.setattr(fitting, "outliers_of", lambda *_: rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MultigeneRegressor(generations=4, random_state=0, n_jobs=1).fit(X, y)
    assert model.outliers_ == []
    assert model.fitted_.data["rows"] == 120
    assert str(model.formula_) == "x0*x1"


def test_outliers_are_kept_in_files_and_told_on_the_command_line(tmp_path):
    from typer.testing import CliRunner

    from multigene.cli import app

    X, y, _ = table(2)
    y[[7, 70]] = [500.0, -400.0]
    lines = ["a,b,c,y", *(",".join(map(str, [*row, value])) for row, value in zip(X, y, strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    command = f"fit {tmp_path}/t.csv --target y --generations 3 --search accuracy --seed 0 --json --save {tmp_path}/m.json"
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        done = CliRunner().invoke(app, command.split())
    assert "2 of 120 rows look like outliers" in done.stderr
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["train"]["rows"] == 118
    assert told["train"]["r2"] > 0.9
    again = multigene.load(tmp_path / "m.json")
    assert again.outliers_ == [7, 70]
    assert "without 2 outliers" in str(again)
    broken = json.loads((tmp_path / "m.json").read_text())
    broken["data"]["outliers"] = [-1]
    (tmp_path / "b.json").write_text(json.dumps(broken))
    with pytest.raises(ValueError, match="row"):
        multigene.load(tmp_path / "b.json")


def test_outliers_stay_where_leaving_them_out_does_not_help_the_others():
    """Rows beside a pole are far from all others, and what tells them tells the others best."""
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 5.0, (400, 3))
    y = X[:, 2] + 1.0 / (X[:, 0] - X[:, 1]) + 0.01 * rng.standard_normal(400)
    assert len(fitting.outliers_of(X, y))
    model = MultigeneRegressor(random_state=0, n_jobs=1, generations=10).fit(X, y)
    assert model.outliers_ == []
    assert np.median(np.abs(model.predict(X) - y)) < 0.02


def test_a_search_that_was_stopped_is_not_followed_by_another():
    X, y, _ = table(0)
    y[[7, 70]] = [500.0, -400.0]
    seen = []

    def stop(progress):
        seen.append(progress)
        return True

    with pytest.warns(UserWarning, match="2 of 120 rows look like outliers"):
        model = MultigeneRegressor(**QUICK).fit(X, y, callback=stop)
    assert len(seen) == 1
    assert model.stopped_by_ == "callback"


def test_a_time_limit_holds_for_both_searches():
    X, y, truth = table(0)
    y[[7, 70]] = [500.0, -400.0]
    begun = time.process_time()
    with pytest.warns(UserWarning, match="2 of 120 rows look like outliers"):
        model = MultigeneRegressor(
            time_limit=2.0, random_state=0, n_jobs=1, settings={"clock": "processor"}
        ).fit(X, y)
    assert time.process_time() - begun < 2.6
    assert np.var(truth - model.predict(X)) < 0.05 * np.var(truth)
    assert model.fitted_.settings.stopping.seconds == 2.0


def test_looking_for_outliers_leaves_the_time_to_the_search():
    """Of many columns some are looked at, and where a tenth of the limit is over, no more is asked."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 300))
    y = X[:, 0] + 0.5 * X[:, 1] + 0.1 * rng.standard_normal(300)
    y[[7, 70]] = [500.0, -400.0]
    begun = time.process_time()
    assert fitting.outliers_of(X, y).tolist() == [7, 70]
    needed = time.process_time() - begun
    asked = []

    def over():
        asked.append(len(asked))
        return len(asked) == 3

    begun = time.process_time()
    assert fitting.outliers_of(X, y, over=over).tolist() == []
    assert asked == [0, 1, 2]
    assert time.process_time() - begun < needed


def test_warm_starts_go_on_with_both_searches(monkeypatch):
    X, y, _ = table(1)
    monkeypatch.setattr(fitting, "outliers_of", lambda *_: np.array([4, 9, 30]))  # ordinary rows
    model = MultigeneRegressor(**QUICK, warm_start=True).set_params(generations=2)
    generations = []
    for _ in range(3):
        generations.append(model.fit(X, y).n_generations_)
    assert model.outliers_ == []
    assert generations == [2, 4, 6]


def test_rows_far_beyond_floating_points_square_root_are_no_error():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 2))
    y = X[:, 0] + 0.1 * rng.standard_normal(100)
    y[[6, 50]] = [500.0, -400.0]
    X[6, 1] = 1e157
    assert fitting.outliers_of(X, y).tolist() in ([], [50])


def test_a_short_limit_leaves_time_to_find_outliers_in_a_new_process():
    """Learners are imported first, which takes longer than looking at a few rows."""
    program = """
import numpy as np
from multigene import MultigeneRegressor
rng = np.random.default_rng(0)
X = rng.uniform(-2.0, 2.0, (120, 3))
y = X[:, 0] ** 2 + X[:, 1] + 0.05 * rng.standard_normal(120)
y[[7, 70]] = [500.0, -400.0]
model = MultigeneRegressor(time_limit=1.5, random_state=0, n_jobs=1, settings={"clock": "processor"}).fit(X, y)
print(model.outliers_)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "[7, 70]", done.stderr

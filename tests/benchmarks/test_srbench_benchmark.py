"""SRBench's protocol: its split, its sample, its ranks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

pytest.importorskip("sympy")
from benchmarks import srbench
from benchmarks.tables import Table


def test_ten_different_seeds():
    assert len(set(srbench.SEEDS)) == 10


def test_the_split_is_that_of_scikit_learn():
    table = Table("t", np.arange(40.0).reshape(20, 2), np.arange(20.0))
    expected = train_test_split(table.X, table.y, train_size=0.75, test_size=0.25, random_state=860)
    for ours, theirs in zip(srbench.split(table, 860), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_large_sets_are_sampled_and_tested_on_all_their_test_rows():
    table = Table("t", np.arange(20_000.0)[:, None], np.arange(20_000.0))
    X_train, X_test, y_train, y_test = srbench.split(table, 860)
    assert len(y_train) == 10_000
    assert len(y_test) == 5_000
    assert not set(y_train) & set(y_test)
    np.testing.assert_array_equal(X_train[:, 0], y_train)
    np.testing.assert_array_equal(X_test[:, 0], y_test)


def test_a_run_is_scored_in_the_units_of_the_target():
    rng = np.random.default_rng(0)
    X = rng.normal(50.0, 5.0, (120, 2))
    table = Table("t", X, 1000.0 + 3.0 * X[:, 0] + rng.standard_normal(120))
    result = srbench.one(table, srbench.SEEDS[0], 0.3, "processor")
    assert result["r2_test"] > 0.9
    assert result["model_size"] >= 3
    assert result["random_state"] == srbench.SEEDS[0]


def results(rows):
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "r2_test", "model_size"])


def test_ranks_are_by_the_median_of_each_set():
    ours = results([("a", "multigene", 0.9, 10), ("b", "multigene", -3.0, 20), ("own", "multigene", 0.5, 5)])
    others = results(
        [
            ("a", "Operon", 0.95, 50),
            ("a", "Operon", 0.85, 40),
            ("a", "Operon", 0.80, 30),
            ("a", "FEAT", 0.92, 9),
            ("b", "Operon", -1.0, 50),
            ("b", "FEAT", 0.1, 9),
            ("unknown", "FEAT", 1.0, 9),
        ]
    )
    ranked = srbench.ranks(ours, others).set_index(["dataset", "algorithm"])
    assert ranked.loc[("a", "Operon"), "r2_test"] == 0.85
    assert [ranked.loc[("a", name), "rank"] for name in ("FEAT", "multigene", "Operon")] == [1, 2, 3]
    assert [ranked.loc[("b", name), "rank"] for name in ("FEAT", "multigene", "Operon")] == [1, 2.5, 2.5]
    assert set(ranked.index.get_level_values(0)) == {"a", "b"}


def test_published_results_need_their_columns(tmp_path):
    (tmp_path / "p.csv").write_text("dataset,r2\na,0.5\n")
    with pytest.raises(SystemExit, match="algorithm, r2_test"):
        srbench.published(tmp_path / "p.csv")


def test_a_whole_run(tmp_path, monkeypatch):
    from rich.console import Console

    def one(table, seed, seconds, clock):
        return {"dataset": table.name, "algorithm": "multigene", "random_state": seed, "r2_test": 0.75, "model_size": 7,
                "seconds": seconds, "stopped_by": "time", "formula": "x0"}  # fmt: skip

    monkeypatch.setattr(srbench, "one", one)
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("x,y\n1,2\n2,3\n")
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "p.csv").write_text("dataset,algorithm,r2_test\na,Operon,0.8\n")
    options = ["--data", str(tmp_path), "--published", str(tmp_path / "published" / "p.csv"), "--seeds", "2"]
    console = Console(width=150)
    with console.capture() as capture:
        console.print(srbench.run([*options, "--csv", str(tmp_path / "published" / "ours.csv")]))
    shown = capture.get()
    assert "20 s (processor), one core, 2 seed(s)" in shown
    assert "2 of 2" in shown
    assert "0.8000 Operon" in shown
    assert len(pd.read_csv(tmp_path / "published" / "ours.csv")) == 4

"""R² by size: which model stands for a limit, what is counted, what is written; with programs that cost no time."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

pytest.importorskip("sympy")
from benchmarks import sizes, tables
from benchmarks.sizes import Candidate, Front, Result, Rows


@pytest.fixture
def rows():
    X = np.arange(12.0).reshape(6, 2)
    return Rows(X[:4], X[:4, 0], X[4:], X[4:, 0])


@pytest.fixture
def directory(tmp_path_factory):
    """Three tables; the target stands last, first and in the middle."""
    place = tmp_path_factory.mktemp("tables")
    (place / "last.csv").write_text("a,b,c\n" + "\n".join(f"{i},{i * i},{3 * i}" for i in range(10)))
    (place / "named.tsv").write_text("target\ta\n" + "\n".join(f"{i + 1}\t{i}" for i in range(10)))
    with gzip.open(place / "packed.tsv.gz", "wt") as file:
        file.write("a\ty\tb\n" + "\n".join(f"{i}\t{-i}\t1" for i in range(10)))
    (place / "notes.txt").write_text("not a table")
    return place


def test_the_best_on_training_rows_within_the_limit_stands_for_it(rows):
    models = [
        Candidate(9, 0.5, 0.4),
        Candidate(10, 0.4, 0.9),
        Candidate(25, 0.8, 0.1),
        Candidate(300, 0.9, 0.2),
    ]
    chosen = {limit: sizes.best(models, limit, rows).size for limit in sizes.LIMITS}
    assert chosen == {"10": 9, "20": 9, "30": 25, "50": 25, "100": 25, "any": 300}


def test_the_mean_stands_where_no_model_is_short_enough(rows):
    mean = sizes.best([Candidate(12, 0.9, 0.9)], "10", rows)
    assert mean.size == 1
    assert mean.train == 0.0
    assert mean.test < 0.0


def test_predictions_that_are_no_numbers_are_worth_nothing():
    assert sizes.r2(np.arange(3.0), [0.0, np.nan, 2.0]) == -np.inf


def test_tables_of_a_directory(directory):
    found = {table.name: table for table in tables.tables(directory)}
    assert sorted(found) == ["last", "named", "packed"]
    np.testing.assert_array_equal(found["last"].y, 3.0 * np.arange(10))
    np.testing.assert_array_equal(found["named"].y, 1.0 + np.arange(10))
    np.testing.assert_array_equal(found["packed"].y, -np.arange(10.0))
    assert [found[name].X.shape[1] for name in ("last", "named", "packed")] == [2, 1, 2]


def test_a_table_of_text_is_refused_by_name(tmp_path):
    (tmp_path / "words.csv").write_text("colour,y\nred,1\nblue,2\n")
    with pytest.raises(SystemExit, match=r"'colour' of words.csv"):
        tables.tables(tmp_path)
    with pytest.raises(SystemExit, match="holds no table"):
        tables.tables(tmp_path / "nowhere")


def test_splits_differ_by_seed_and_leave_no_row_out(directory):
    table = tables.tables(directory)[0]
    first, again, second = (sizes.divided(table, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.X_train, again.X_train)
    assert not np.array_equal(first.y_train, second.y_train)
    np.testing.assert_array_equal(np.sort(np.r_[first.y_train, first.y_test]), np.sort(table.y))
    assert len(first.y_train) == 7


def results(method, figures):
    """One run of the set `s` with these test R² for the limits, then the default's."""
    limits = (*sizes.LIMITS, sizes.DEFAULT)
    return [
        Result("s", 0, method, limit, 5, 0.5, test, 1.0) for limit, test in zip(limits, figures, strict=True)
    ]


def test_cells_are_won_by_the_figures_shown():
    ours = results("multigene", (0.5, 0.60004, 0.7, 0.8, -5.0, 0.9, 0.9))
    theirs = results("pyoperon", (0.4, 0.6, 0.8, 0.7, -1.0, 0.91, 0.1))
    assert sizes.won(sizes.medians(ours + theirs), "multigene", "pyoperon") == (2, 2, 2)
    assert list(sizes.verdicts(ours + theirs)) == [
        "multigene against pyoperon: 2 of 6 cells won, 2 level, 2 lost"
    ]


def test_what_is_written_is_read_again(tmp_path):
    rows_written = results("multigene", (0.5, -np.inf, 0.7, 0.8, 0.125, 0.9, 0.9))
    sizes.write(tmp_path / "a.csv", rows_written)
    assert sizes.read(tmp_path / "a.csv") == rows_written


def text_of(group):
    """What is printed."""
    from rich.console import Console

    console = Console(width=200)
    with console.capture() as capture:
        console.print(group)
    return capture.get()


def test_a_whole_run_and_its_comparison_with_an_earlier_one(directory, tmp_path, monkeypatch):
    def program(size, quality):
        def fit(rows, seconds, seed, share):
            assert seconds == 2.0
            model = Candidate(size, quality, quality - 0.1 * seed)
            return Front([model], model, seconds)

        return fit

    monkeypatch.setattr(sizes, "METHODS", {"multigene": program(15, 0.9), "pyoperon": program(5, 0.8)})
    options = [
        "--problems",
        "",
        "--data",
        str(directory),
        "--seeds",
        "3",
        "--seconds",
        "2",
        "--csv",
        str(tmp_path / "a.csv"),
    ]
    shown = text_of(sizes.run(options))
    assert "mean of 3" in shown
    assert "0.800 (15)" in shown  # the median of 0.9, 0.8, 0.7
    assert "multigene against pyoperon: 15 of 18 cells won, 0 level, 3 lost" in shown
    assert len(sizes.read(tmp_path / "a.csv")) == 3 * 3 * 2 * 7

    monkeypatch.setattr(sizes, "METHODS", {"multigene": program(15, 0.95)})
    (directory / "more.csv").write_text(
        (directory / "last.csv").read_text()
    )  # a set that the earlier run did not have
    options = [
        "--problems",
        "",
        "--data",
        str(directory),
        "--seconds",
        "2",
        "--methods",
        "multigene",
        "--seeds",
        "3",
    ]
    shown = text_of(sizes.run([*options, "--before", str(tmp_path / "a.csv")]))
    assert "mean of 3" in shown
    assert "multigene against before: 15 of 18 cells won, 3 level, 0 lost" in shown


def test_runs_of_other_programs_are_not_repeated(directory, tmp_path, monkeypatch):
    asked = []

    def fit(name, quality):
        def run(rows, seconds, seed, share):
            asked.append((name, seed))
            return Front([Candidate(5, quality, quality)], Candidate(5, quality, quality), seconds)

        return run

    monkeypatch.setattr(sizes, "METHODS", {"multigene": fit("ours", 0.9), "pyoperon": fit("theirs", 0.8)})
    options = ["--problems", "", "--data", str(directory), "--csv", str(tmp_path / "a.csv")]
    sizes.run([*options, "--seeds", "1"])
    asked.clear()
    shown = text_of(sizes.run([*options, "--seeds", "2", "--rivals", str(tmp_path / "a.csv")]))
    assert sorted(asked) == [("ours", 0)] * 3 + [("ours", 1)] * 3 + [("theirs", 1)] * 3
    assert "multigene against pyoperon: 18 of 18 cells won, 0 level, 0 lost" in shown
    assert len(sizes.read(tmp_path / "a.csv")) == 3 * 2 * 2 * 7


def test_the_default_has_a_front_by_printed_size():
    rng = np.random.default_rng(0)
    X = rng.uniform(1.0, 3.0, (90, 2))
    y = X[:, 0] / X[:, 1] + 0.05 * rng.standard_normal(90)
    front = sizes.multigene(Rows(X[:60], y[:60], X[60:], y[60:]), 0.3, 0, 1.0)
    assert all(model.size >= 1 and model.train <= 1.0 for model in front.models)
    assert front.default.size in {model.size for model in front.models}


def test_an_unknown_method_is_refused(capsys):
    with pytest.raises(SystemExit):
        sizes.options_of(["--methods", "magic"])
    assert "there is no method 'magic'; choose from multigene, pyoperon" in capsys.readouterr().err

"""Laws under further conditions, what is claimed of them, and the front door of the benchmarks."""

from __future__ import annotations

import csv
import sys
import types

import numpy as np
import pytest

pytest.importorskip("sympy")
from benchmarks import law_claims, law_report, laws
from benchmarks.__main__ import main
from benchmarks.law_sets import DEVELOPMENT, Law, NoRows, with_irrelevant
from benchmarks.random_laws import RandomLaw

NEWTON = next(law for law in DEVELOPMENT if law.name == "newton")


# --- rows -----------------------------------------------------------------------------------------


def test_rows_of_a_law_that_is_finite_are_those_of_one_draw():
    X, y = NEWTON.rows(5, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    expected = np.column_stack([rng.uniform(1, 5, 5) for _ in range(3)])
    np.testing.assert_array_equal(X, expected)
    np.testing.assert_allclose(y, 6.674 * X[:, 0] * X[:, 1] / X[:, 2] ** 2, rtol=1e-15)


def test_rows_without_a_finite_value_are_drawn_again():
    X, y = Law("root", "sqrt(a) + 1/b", {"a": (-1, 1), "b": (0, 1)}).rows(300, np.random.default_rng(0))
    assert len(y) == 300
    assert np.all(np.isfinite(y))
    assert np.all(X[:, 0] >= 0.0)


def test_a_law_without_values_says_so():
    with pytest.raises(NoRows, match="has finite values on 0 of"):
        Law("never", "sqrt(a)", {"a": (-2, -1)}).rows(10, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("bounds", "expected", "negative"),
    [
        ((1, 100), (1, 100), 0.0),
        ((-4, -1), (0.2, 20), 1.0),
        ((-1, 3), (0.15, 15), 0.25),
        ((0, 2), (0.1, 10), 0.0),
    ],
)
def test_log_uniform_rows_span_their_decades(bounds, expected, negative):
    X, _ = Law("line", "a", {"a": bounds}, decades=2.0).rows(4000, np.random.default_rng(0))
    sizes = np.abs(X[:, 0])
    assert expected[0] <= sizes.min() < 1.1 * expected[0]
    assert 0.9 * expected[1] < sizes.max() <= expected[1]
    assert np.mean(X < 0.0) == pytest.approx(negative, abs=0.03)
    assert np.median(np.log10(sizes)) == pytest.approx(np.mean(np.log10(expected)), abs=0.05)


def test_irrelevant_columns_look_like_the_others_and_change_nothing():
    law = with_irrelevant(next(law for law in DEVELOPMENT if law.name == "relmass"), 4)
    assert list(law.ranges)[3:] == ["irrelevant1", "irrelevant2", "irrelevant3", "irrelevant4"]
    assert law.ranges["irrelevant2"] == law.ranges["v"]
    assert law.units["irrelevant3"] == law.units["c"]
    X, y = law.rows(50, np.random.default_rng(0))
    np.testing.assert_allclose(y, X[:, 0] / np.sqrt(1 - X[:, 1] ** 2 / X[:, 2] ** 2))


# --- claims ---------------------------------------------------------------------------------------


def test_a_claim_that_holds():
    truth = np.geomspace(1e-6, 1e6, 1000)
    assert law_claims.checked(truth * (1 + 1e-9), truth, ("m", "v")) == law_claims.Claim(False, False, 0)


def test_a_claim_that_is_wrong_on_small_values_only():
    """x*exp(z) for x*(exp(z) - 1): R² sees nothing of it."""
    truth = np.geomspace(1e-6, 1e6, 1000)
    claim = law_claims.checked(truth + 1.0, truth, ())
    assert (claim.false_by_r2, claim.false_by_rows) == (False, True)


def test_a_claim_that_is_wrong_on_few_large_values_only():
    truth = np.geomspace(1e-6, 1e6, 1000)
    predicted = truth.copy()
    predicted[-10:] *= 1.1
    claim = law_claims.checked(predicted, truth, ())
    assert (claim.false_by_r2, claim.false_by_rows) == (True, False)


def test_a_claim_that_is_no_number_is_false():
    claim = law_claims.checked([np.nan, 1.0], np.array([0.0, 1.0]), ("irrelevant1", "m", "irrelevant7"))
    assert claim == law_claims.Claim(True, True, 2)


def test_claims_are_counted():
    claims = [
        None,
        law_claims.Claim(False, True, 2),
        law_claims.Claim(True, True, 1),
        law_claims.Claim(False, False, 0),
    ]
    assert law_claims.counts(claims) == ("3", "1", "2", "3")


# --- the benchmark of laws ------------------------------------------------------------------------


@pytest.fixture
def asked(monkeypatch):
    """Two random laws; whoever is asked knows the law, with a slip where the name says so."""
    made = [
        RandomLaw("random-0", "x1 + x2*x3", dict.fromkeys(("x1", "x2", "x3"), (1.0, 2.0)), nodes=5),
        RandomLaw("random-3", "2*x1 + 1", {"x1": (-1.0, 1.0)}, nodes=21),
    ]

    def knows(law, X, y, seed, condition):
        slip = 0.1 if law.name == "random-3" else 0.0
        return laws.Answer(law.formula, 5, lambda X: law.values(X) + slip, None, True, tuple(law.ranges))

    monkeypatch.setattr(laws, "METHODS", {"known": knows})
    monkeypatch.setattr(laws, "SET", "random")
    monkeypatch.setattr(laws, "SEEDS", 2)
    monkeypatch.setattr(laws, "random_laws", lambda number, held_out=False, first=0: made)
    monkeypatch.setattr(RandomLaw, "size", 5)
    monkeypatch.setenv("LAWS_METHOD", "known")
    return monkeypatch


def test_a_whole_run_by_size_and_variables(asked, tmp_path):
    from rich.console import Console

    asked.setenv("LAWS_IRRELEVANT", "2")
    asked.setattr(laws, "CSV", str(tmp_path / "laws.csv"))
    console = Console(width=240)
    with console.capture() as capture:
        console.print(laws.run())
    lines = {
        line.split("│")[1].strip(): line.split("│")[2:] for line in capture.get().splitlines() if "│" in line
    }
    assert [
        lines[name][0].strip()
        for name in ("all", "5-9 nodes", "20-25 nodes", "1 variable(s)", "3 variable(s)")
    ] == [
        "2/4",
        "2/2",
        "0/2",
        "0/2",
        "2/2",
    ]
    assert [cell.strip() for cell in lines["all"][7:11]] == ["4", "2", "2", "8"]
    with (tmp_path / "laws.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == law_report.FIELDS
    assert [(row["law"], row["solved"], row["false_by_rows"], row["irrelevant"]) for row in rows] == [
        ("random-0", "1", "0", "2"),
        ("random-0", "1", "0", "2"),
        ("random-3", "0", "1", "2"),
        ("random-3", "0", "1", "2"),
    ]


def test_conditions_combine(asked):
    asked.setenv("LAWS_IRRELEVANT", "0,5")
    asked.setenv("LAWS_LOG_UNIFORM", "0,3")
    assert [str(condition) for condition in laws.conditions()] == [
        "known, noise 0",
        "known, noise 0, 3 decades",
        "known, noise 0, 5 irrelevant columns",
        "known, noise 0, 5 irrelevant columns, 3 decades",
    ]


# --- the front door -------------------------------------------------------------------------------


def test_options_after_the_name_go_to_the_benchmark(monkeypatch, capsys):
    module = types.ModuleType("benchmarks.sizes")
    module.run = lambda arguments=(): f"asked for {list(arguments)}"
    monkeypatch.setitem(sys.modules, "benchmarks.sizes", module)
    main(["sizes", "--seeds", "2"])
    assert "asked for ['--seeds', '2']" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["size"], ["nodes", "--seeds", "2"], ["sizes", "nodes", "--seeds", "2"]]
)
def test_what_is_not_known_is_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert "error" in capsys.readouterr().err

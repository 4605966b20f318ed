"""One trajectory, looked at on its way: the same run as `fit` makes, at every mark, by both rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from study_commands import study_of

from multigene import MultigeneRegressor
from multigene.settings.resolve import resolved
from multigene.study import authors, paper, problem_named
from multigene.study.ceiling import _drawn, ceiling, summary_ceiling
from multigene.study.compact import read_compact
from multigene.study.design import read_design
from multigene.study.errors import StudyError
from multigene.study.limits import Limit
from multigene.study.methods import method_named
from multigene.study.runner import LocalProcesses, run_study
from multigene.study.statistics import results
from multigene.study.store import Store
from multigene.study.trajectory import Marks, follow
from multigene.study.views import View, fitted_machine, runs_at

MARKS = Marks((2, 5, 12))


def model_of(codename: str, generations: int, **settings: object) -> MultigeneRegressor:
    return MultigeneRegressor(
        codename, generations=generations, random_state=3, n_jobs=1, settings=settings or None
    )


@pytest.mark.parametrize("codename", ["baseline", "UB", "GC"])
def test_the_final_checkpoint_is_what_fit_finds(codename):
    split = problem_named("K11C").sample(3)
    model = model_of(codename, 12).fit(split.X_train, split.y_train)
    run = follow(split, resolved(model), 3, 12, MARKS)
    np.testing.assert_array_equal(run.model.predict(split.X_test), model.predict(split.X_test))
    last = [c for c in run.checkpoints if c.at == "12 generations" and c.rule == "best"]
    assert [c.train_r2 for c in last] == [pytest.approx(model.r2_, abs=1e-9)]
    assert run.generations == 12


def test_earlier_checkpoints_are_shorter_runs_and_guarded_ones_are_guarded_runs():
    split = problem_named("K11C").sample(3)
    run = follow(split, resolved(model_of("UB", 12)), 3, 12, MARKS)
    by_mark = {(c.at, c.rule): c for c in run.checkpoints}
    assert [label for label, rule in by_mark if rule == "best"] == [
        "2 generations",
        "5 generations",
        "12 generations",
    ]
    for generations in (2, 5):
        for rule, settings in (("best", {}), ("guarded", {"guarded": True})):
            shorter = model_of("UB", generations, **settings).fit(split.X_train, split.y_train)
            found = by_mark[f"{generations} generations", rule]
            assert found.train_r2 == pytest.approx(shorter.r2_, abs=1e-9)
            assert found.size == shorter.n_nodes_
    best = [c.train_r2 for c in run.checkpoints if c.rule == "best"]
    assert best == sorted(best)


def test_marks_after_an_early_end_have_the_final_model():
    split = problem_named("S2D").sample(0)
    settings = resolved(model_of("baseline", 1000, target_r2=0.5))
    run = follow(split, settings, 0, 1000, Marks((1000,), (10_000.0,)))
    assert run.generations < 1000
    assert {c.at for c in run.checkpoints} == {"1000 generations", "10000 processor seconds"}
    assert all(c.train_r2 >= 0.5 for c in run.checkpoints if c.rule == "best")


DESIGN = """
problems = ["S2D", "K11C"]
methods = ["baseline", "UB", "UB-random"]
seeds = 3
[[limits]]
generations = 6
checkpoints = [2, 4, 6]
"""


def test_views_of_a_store(tmp_path):
    study = study_of(tmp_path, DESIGN)
    with Store.create(tmp_path / "study.db") as store:
        assert run_study(study, store, LocalProcesses(study, 1))["done"] == 18
        frame = store.checkpoints()
        assert set(frame["at"]) == {"2 generations", "4 generations", "6 generations"}
        assert set(frame["rule"]) == {"best", "guarded"}
        whole = results(store)
        last = results(store, view=View("6 generations"))
        assert [c.test_median for c in last.cells] == pytest.approx([c.test_median for c in whole.cells])
        assert last.limits() == ["6 generations"]
        assert results(store, view=View("2 generations", "guarded")).limits() == ["2 generations, guarded"]
        by_clock = runs_at(store, View("clock", machine=1e-6))
        assert set(by_clock["at"]) == {"2 generations"}
        assert set(runs_at(store, View("clock"))["at"]) == {"6 generations"}
        assert 0.1 <= fitted_machine(store) <= 2.0
        with pytest.raises(StudyError, match="there is no checkpoint '3 generations'"):
            runs_at(store, View("3 generations"))
        with pytest.raises(StudyError, match="rule"):
            runs_at(store, View("2 generations", "lucky"))
        assert Store.open(store.path).design().limits == study.design.limits


def test_random_birth_is_another_run_than_one_hot(tmp_path):
    split = problem_named("K11C").sample(0)
    made = [method_named(name).build(0, Limit(generations=3)) for name in ("UB", "UB-random")]
    first, second = (m.fit(split.X_train, split.y_train).r2_ for m in made)
    assert first != second


def test_the_shipped_clock_is_the_one_fitted_to_the_published_runs(tmp_path):
    published = Path(__file__).parents[2] / "docs" / "study" / "paper-effort.csv.gz"
    with Store.create(tmp_path / "paper.db") as store:
        read_compact(published, store)
        fitted = fitted_machine(store)
    [clock] = read_design("paper-clock").limits
    assert clock.machine == pytest.approx(fitted, rel=0.03)  # the grid that it is fitted on has steps of 5 %


def test_the_authors_clock():
    assert authors.generations("K11C", "baseline", 420) == round(420 * 2.582)
    assert authors.generations("K11C", "UB", 420, 0.5) == round(0.5 * 420 * 1.218)
    assert authors.rate("K11C", "UB-random") == authors.rate("K11C", "UB")
    between = [authors.rate(p, "UB") for p in ("K11C", "CCS", "UB5D", "ASN", "MM")]
    assert min(between) < authors.rate("ENH", "UB") < max(between)
    with pytest.raises(StudyError, match="no configuration 'multigene'"):
        authors.rate("K11C", "multigene")
    limit = Limit(authors_seconds=420, machine=0.5)
    assert limit.label == "420 s of the authors' program"
    assert limit.on("K11C", "UB").generations == authors.generations("K11C", "UB", 420, 0.5)
    assert not method_named("multigene").honours(limit)
    assert method_named("UB").honours(limit)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"authors_seconds": 420, "generations": 3}, "a limit of its own"),
        ({"authors_seconds": -1}, "makes no sense"),
        ({"generations": 3, "checkpoints": [0]}, "positive numbers"),
        ({"generations": 3, "checkpoints": 7}, "positive numbers"),
    ],
)
def test_limits_that_make_no_sense(limit, said):
    with pytest.raises(StudyError, match=said):
        Limit(**limit)


def test_an_exact_repetition_agrees_often_but_not_always():
    many, few = ceiling(30, 200), ceiling(8, 200)
    assert many.verdicts == few.verdicts == 52
    assert few.mean < many.mean < 50
    assert many.low <= many.mean <= many.high
    assert "of 52" in str(many)


def test_the_ceiling_draws_what_the_paper_prints():
    """Medians of draws are the printed ones, and extremes of 30 draws are near the printed extremes."""
    cell = paper.cells()["MM", "UB"]
    drawn = 1.0 + _drawn(cell, 30, 2000, np.random.default_rng(0))
    assert np.median(drawn) == pytest.approx(cell.test_median, abs=1e-3)
    for printed, extreme in ((cell.test_min, drawn.min(axis=1)), (cell.test_max, drawn.max(axis=1))):
        assert np.log(1.0 - np.median(extreme)) == pytest.approx(np.log(1.0 - printed), abs=0.25)


def test_the_ceiling_of_the_summary():
    many, few = summary_ceiling(30, 200), summary_ceiling(8, 200)
    assert many.verdicts == few.verdicts == 36
    assert few.mean < many.mean <= 36
    assert few.low <= few.mean <= few.high

"""Designs, users' own problems and methods: what is accepted, what is refused and how."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from study_fakes import FakeGP, design_text

from multigene.settings.paper import CODENAMES, configuration
from multigene.study import methods
from multigene.study.design import Design, build_study, design_from, read_design, shipped
from multigene.study.errors import StudyError
from multigene.study.execution import perform
from multigene.study.limits import NO_LIMIT, Limit
from multigene.study.methods import describe, method_named, own_method
from multigene.study.own_problems import CsvProblem, own_problem
from multigene.study.problems import PAPER
from multigene.study.statistics import smallest_p


def test_shipped_designs() -> None:
    science = ("dimensions", "inner-weights", "rotation", "steps", "update-rules")
    expected = (
        "paper",
        "paper-clock",
        "paper-effort",
        "quick",
        *(f"science-{name}" for name in science),
        "smoke",
    )
    assert shipped() == expected
    for name, compared in (
        ("paper", CODENAMES),
        ("paper-clock", CODENAMES),
        ("paper-effort", (*CODENAMES, *methods.RANDOM_BIRTH)),
    ):
        design = read_design(name)
        assert set(design.problems) == set(PAPER)
        assert design.methods == compared
        assert (len(design.seeds), design.alpha, design.comparisons) == (30, 0.05, 11)
        assert len(build_study(design, prepare=False).runs) == 15 * len(compared) * 30
    assert read_design("paper").limits == (Limit(seconds=420),)
    [effort] = read_design("paper-effort").limits
    assert effort.generations == 1000
    assert {100, 200, 350, 500, 700, 1000} <= set(effort.checkpoints)
    [clock] = read_design("paper-clock").limits
    assert clock.authors_seconds == 420
    for name in science:
        design = read_design(f"science-{name}")
        assert len(design.seeds) >= 20
        assert len(design.problems) >= 6
        build_study(replace(design, problems=("RS2D",)))  # every method can be made
    quick = read_design("quick")
    assert set(quick.problems) == set(PAPER)
    assert quick.methods == CODENAMES
    assert smallest_p(len(quick.seeds)) < quick.alpha / quick.comparisons  # verdicts are possible
    assert [limit.label for limit in quick.limits] == ["200 generations", "1 processor second"]


def test_designs_survive_the_store(tmp_path: Path) -> None:
    (tmp_path / "design.toml").write_text(design_text())
    for design in (read_design("quick"), read_design(tmp_path / "design.toml")):
        assert design_from(design.to_dict(), Path("/")) == design


def _design(**changes: object) -> Design:
    return design_from({"problems": ["S2D"], "methods": ["linear"], **changes}, Path())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"problms": []}, "unknown key 'problms'; did you mean 'problems'"),
        ({"problems": []}, "has no problems"),
        ({"problems": "S2D"}, "must be a list of names"),
        ({"problems": ["S2D", "S2D"]}, "twice: 'S2D'"),
        ({"seeds": 0}, "seeds is 0"),
        ({"seeds": [1, -1]}, "seeds is"),
        ({"alpha": 2}, "alpha is 2"),
        ({"comparisons": 0}, "comparisons is 0"),
        ({"limits": [{}]}, "a limit needs"),
        ({"limits": [{"generations": 0}]}, "0 generations makes no sense"),
        ({"limits": [{"seconds": -1}]}, "-1 seconds makes no sense"),
        ({"limits": [{"minutes": 1}]}, "a limit is a table"),
        ({"method": {"x": 1}}, r"written as \[method.x\]"),
    ],
)
def test_bad_designs_get_a_sentence(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(StudyError, match=sentence):
        _design(**changes)


def test_unreadable_designs(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"no design 'quik'.*did you mean 'quick'"):
        read_design("quik")
    (tmp_path / "bad.toml").write_text("seeds = = 3")
    with pytest.raises(StudyError, match="not a readable TOML"):
        read_design(tmp_path / "bad.toml")


def test_methods_that_end_by_themselves_run_once_per_seed() -> None:
    limits = [{"generations": 5}, {"seconds": 1.5}]
    own = {"gp": {"regressor": "study_fakes:FakeGP", "limits": {"generations": "generations"}}}
    study = build_study(_design(methods=["linear", "gp"], method=own, limits=limits, seeds=2))
    assert [(run.method, run.limit, run.seed) for run in study.runs] == [
        ("linear", NO_LIMIT, 0),
        ("gp", "5 generations", 0),
        ("linear", NO_LIMIT, 1),
        ("gp", "5 generations", 1),
    ]
    with pytest.raises(StudyError, match="'gp' can be limited by generations only"):
        build_study(_design(methods=["gp"], method=own, limits=[{"seconds": 1}]))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seeds": 0}, "seeds is 0; give how many"),
        ({"seeds": [True]}, "seeds is "),
        ({"seeds": 10**20}, "at most 1,000,000"),
        ({"seeds": [2**32]}, "below 2\\^32"),
        ({"alpha": "x"}, "alpha is 'x'; give a number"),
        ({"comparisons": 1.5}, "comparisons is 1.5; give a whole number"),
        ({"title": 5}, "title is 5; give a text"),
        ({"baseline": 5}, "baseline is 5; give the name"),
        ({"baseline": "liner"}, "no method to be the baseline, 'liner'; did you mean 'linear'"),
        ({"limits": 5}, r"limits is 5; write each limit as a table \[\[limits\]\]"),
        ({"limits": [{"seconds": True}]}, "True seconds makes no sense"),
        ({"problem": 5}, r"problem is 5; write it as a table with a name, \[problem.NAME\]"),
        ({"problem": {"x": {"csv": 5}}}, "problem.x.csv is 5; give a text"),
        ({"problem": {"x": {"class": 5}}}, "problem.x.class is 5; give a text"),
        ({"method": {"x": {"regressor": 5}}}, "method.x.regressor is 5; give a text"),
        ({"method": {"x": {"regressor": "a:b", "limits": 5}}}, "method.x.limits is 5; give a table"),
        ({"method": {"x": {"configuration": "XX"}}}, "There is no configuration 'XX'"),
        ({"method": {"x": {"settings": {"elites": -1}}}}, "elites=-1 is too small"),
        ({"method": {"x": {"n_jobs": 2}}}, "'n_jobs' is the study's to set"),
        ({"problem": {"x": {"csv": "a", "target": "y", "training_share": "x"}}}, "training_share is 'x'"),
        ({"problem": {"x": {"csv": "a", "target": "y", "features": 5}}}, "features is 5; give a list"),
    ],
)
def test_values_of_the_wrong_kind_get_a_sentence(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(StudyError, match=sentence):
        build_study(_design(**changes))


def test_limits_by_the_processors_clock() -> None:
    limit = Limit(seconds=2, clock="processor")
    assert limit.label == "2 processor seconds"
    assert limit.amounts == {"processor seconds": 2}
    assert method_named("UB").honours(limit)
    # Others know the wall clock only: by processor seconds they cannot be stopped, so they are not asked to.
    other = {"regressor": "study_fakes:FakeGP", "limits": {"seconds": "time_limit"}}
    assert not own_method("other", other).honours(limit)
    both = own_method("both", {**other, "limits": {"generations": "generations", "seconds": "time_limit"}})
    model = both.build(0, Limit(7, 3, "processor"))
    assert (model.generations, model.time_limit) == (7, None)
    with pytest.raises(StudyError, match="no clock 'sun'; take 'wall' or 'processor'"):
        Limit(seconds=2, clock="sun")  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="two limits called '5 generations'"):
        _design(limits=[{"generations": 5}, {"generations": 5, "clock": "processor"}])


def test_a_run_by_the_processors_clock() -> None:
    problem = build_study(_design()).problems["S2D"]
    settings = {"clock": "wall", "target_r2": None}  # the limit's clock is taken
    method = own_method("mine", {"configuration": "UB", "settings": settings})
    before = time.process_time()
    outcome = perform(problem, method, Limit(seconds=0.3, clock="processor"), 0)
    spent = time.process_time() - before
    assert outcome.error is None, outcome.traceback
    assert 0.3 <= outcome.seconds <= spent
    assert outcome.history[-1][0] >= 0.3  # its seconds are the processor's too
    assert method.build(0, Limit(seconds=1)).settings == settings
    whole = own_method("whole", {"settings": configuration("UB")})
    assert whole.build(0, Limit(seconds=1, clock="processor")).settings.stopping.clock == "processor"


def test_names_in_any_case_become_the_known_ones() -> None:
    study = build_study(_design(problems=["s2d", "su-i"], methods=["LINEAR"], baseline="Linear"))
    assert study.design.problems == ("S2D", "SU-I")
    assert study.design.methods == ("linear",)
    assert study.design.baseline == "linear"


@pytest.mark.parametrize(
    ("name", "table", "sentence"),
    [
        ("a", {"regressor": "sklearn.linear_model:Lars2"}, "has no 'Lars2'; did you mean"),
        ("a", {"regressor": "no_such_module:X"}, "cannot be imported"),
        ("a", {"regressor": "nodots"}, "is not an import path"),
        (
            "a",
            {"regressor": "sklearn.linear_model:Ridge", "parameters": {"alfa": 1}},
            "does not take the parameters",
        ),
        ("a", {"regressor": "sklearn.preprocessing:StandardScaler"}, "not a regressor"),
        ("a", {"regressor": "sklearn.linear_model:Ridge", "limit": {}}, "unknown key 'limit'"),
        ("a", {"regressor": "sklearn.linear_model:Ridge", "limits": {"hours": "x"}}, "limits 'hours'"),
    ],
)
def test_bad_methods_get_a_sentence(name: str, table: dict[str, object], sentence: str) -> None:
    with pytest.raises(StudyError, match=sentence):
        own_method(name, table).build(0, None)


def test_unknown_methods_and_gm() -> None:
    with pytest.raises(StudyError, match="no method 'randomforest'; did you mean 'random forest'"):
        method_named("randomforest")
    with pytest.raises(StudyError, match=r"no configuration GM.*GB or GC"):
        method_named("GM")


def test_ready_regressors_run_and_describe_themselves() -> None:
    problem = build_study(_design()).problems["S2D"]
    for name in ("linear", "ridge", "random forest", "gradient boosting"):
        method = method_named(name)
        outcome = perform(problem, method, None, 0)
        assert outcome.error is None, outcome.traceback
        assert 0.8 < outcome.test_r2 <= 1
        assert outcome.test_rmse > 0
        assert {"python", "numpy", "scikit-learn"} <= set(outcome.versions)
        assert outcome.machine["cores"]
    assert "*x1" in str(perform(problem, method_named("linear"), None, 0).formula)
    assert method_named("random forest").build(7, None).random_state == 7


def test_own_settings_reach_the_products_regressor(monkeypatch: pytest.MonkeyPatch) -> None:
    import multigene

    taken: dict[str, object] = {}

    def regressor(**parameters: object) -> FakeGP:
        taken.update(parameters)
        return FakeGP()

    monkeypatch.setattr(multigene, "MultigeneRegressor", regressor, raising=False)
    method = own_method("mine", {"configuration": "UB", "population": 70})
    method.build(3, Limit(generations=9))
    assert taken == {
        **{"configuration": "UB", "population": 70, "generations": 9},
        **{"time_limit": None, "random_state": 3, "n_jobs": 1},
    }
    assert (
        method.specification()
        != own_method("mine", {"configuration": "UB", "population": 71}).specification()
    )


def test_the_products_regressor_is_given_the_columns_names(monkeypatch: pytest.MonkeyPatch) -> None:
    import multigene

    seen: list[list[str]] = []

    class Named(FakeGP):
        def fit(self, X: pd.DataFrame, y: np.ndarray) -> FakeGP:
            seen.append(list(X.columns))
            return super().fit(X.to_numpy(), y)

    monkeypatch.setattr(
        multigene, "MultigeneRegressor", lambda **given: Named(given["generations"]), raising=False
    )
    problem = build_study(_design(problems=["SU"])).problems["SU"]
    assert perform(problem, method_named("UB"), Limit(generations=2), 0).generations == 2
    assert seen == [["angle_rad", "velocity_rad_s"]]


def test_a_fitted_model_is_described() -> None:
    split = build_study(_design()).problems["S2D"].sample(0)
    model = FakeGP(generations=1000, features=2).fit(split.X_train, split.y_train)
    about = describe(model, split.feature_names)
    assert (about.size, about.depth, about.genes, about.lcf_share, about.generations) == (8, 2, 2, 0.5, 1000)
    assert about.formula == model.formula_
    assert len(about.history) <= methods.HISTORY_POINTS
    best = [point[2] for point in about.history]
    assert best == sorted(best)
    assert about.history[0][1] == 10
    assert about.history[-1][1] == 10_000
    model.history_ = pd.DataFrame(
        {"seconds": [0.1, 0.2, 0.3], "fitness": [-np.inf, 0.5, 0.4], "evaluations": [5, 10, 15]}
    )
    assert describe(model, split.feature_names).history == ((0.2, 10, 0.5), (0.3, 15, 0.5))


def test_csv_with_random_and_with_given_split(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    rows = [f"{i},{i * i},{'train' if i < 6 else 'Test'},{2 * i}" for i in range(10)]
    path.write_text("\n".join(["a,b,part,y", *rows]) + "\n")
    random = CsvProblem("mine", path, "y", features=["a", "b"])
    assert random.sample(0).X_train.shape == (7, 2)
    assert not np.array_equal(random.sample(0).y_test, random.sample(1).y_test)
    given = own_problem("mine", {"csv": str(path), "target": "y", "split": "part"})
    for seed in (0, 1):
        split = given.sample(seed)
        assert split.feature_names == ("a", "b")
        np.testing.assert_array_equal(split.y_train, 2.0 * np.arange(6))
        np.testing.assert_array_equal(split.X_test[:, 0], np.arange(6.0, 10.0))
    before = given.specification()
    path.write_text(path.read_text().replace("9,81", "9,80"))
    assert own_problem("mine", {"csv": str(path), "target": "y", "split": "part"}).specification() != before


@pytest.mark.parametrize(
    ("content", "table", "sentence"),
    [
        ("a,y\n1,2\n", {"target": "z"}, "no column 'z'"),
        ("pressure,y\n1,2\n", {"target": "presure"}, "no column 'presure'; did you mean 'pressure'"),
        ("a,y\n1,2\nx,3\n", {"target": "y"}, "has 'x' in column 'a', row 2"),
        ("a,y\n1,\n2,3\n", {"target": "y"}, "in column 'y', row 1"),
        ("y\n1\n2\n", {"target": "y"}, "must be columns other than the target"),
        ("a,p,y\n1,train,2\n1,dev,2\n", {"target": "y", "split": "p"}, "has the value 'dev'"),
        ("a,p,y\n1,train,2\n1,train,2\n", {"target": "y", "split": "p"}, "rows of both kinds"),
        ("", {"target": "y"}, "not a readable CSV"),
        ("a,y\n1,2\n", {"target": "y", "training_share": 1.5}, "between 0 and 1"),
        ("a,y\n1,2\n", {}, "no target"),
        ("a,y\n1,2\n", {"target": "y", "splt": "p"}, "unknown key 'splt'; did you mean 'split'"),
    ],
)
def test_bad_csv_gets_a_sentence(
    tmp_path: Path, content: str, table: dict[str, object], sentence: str
) -> None:
    (tmp_path / "mine.csv").write_text(content)
    with pytest.raises(StudyError, match=sentence):
        own_problem("mine", {"csv": str(tmp_path / "mine.csv"), **table}).prepare()


def test_a_users_class_as_problem() -> None:
    table = {"class": "study_fakes:Parabola", "parameters": {"rows": 20}, "title": "a parabola"}
    study = build_study(_design(problems=[], problem={"own": table}))
    assert study.problems["own"].sample(0).X_train.shape == (20, 2)
    assert study.problems["own"].title == "a parabola"
    for bad, sentence in (
        ({"class": "study_fakes:Parabola", "parameters": {"row": 1}}, "does not take the parameters"),
        ({"class": "study_fakes:Record"}, "does not take the parameters"),
        ({"class": "builtins:dict"}, "no method sample"),
        ({"class": "study_fakes:Parabola", "parameters": {"rows": -3}}, "cannot be sampled|shapes"),
        ({}, 'needs either csv = "file.csv"'),
    ):
        with pytest.raises(StudyError, match=sentence):
            build_study(_design(problems=[], problem={"own": bad}))


def test_public_names_load_on_demand() -> None:
    import multigene.study as package

    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing  # type: ignore[attr-defined]


def test_the_design_in_the_guide_is_a_design(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "study.md").read_text(encoding="utf-8")
    text = guide.split("```toml\n")[1].split("```")[0]
    (tmp_path / "design.toml").write_text(text, encoding="utf-8")
    design = read_design(tmp_path / "design.toml")
    assert design.problems == ("CCS", "mixes", "law")
    assert len(design.methods) == 7
    assert [limit.label for limit in design.limits] == ["1000 generations", "60 processor seconds"]

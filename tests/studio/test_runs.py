"""Runs of the studio without a browser: begin, watch, steer, pause, go on, change, save; and the Python that repeats them."""

from __future__ import annotations

import shutil
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("starlette", reason="needs multigene[studio]")
pytest.importorskip("httpx2", reason="needs httpx2 for the test client")

from studio_client import opened, wait

from multigene.data.losses import KINDS
from multigene.data.training_rows import TrainingRows
from multigene.model_file import loads
from multigene.report.numbers import spoken_number


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(-2.0, 2.0, (400, 3)), columns=["a", "b", "the c"])
    frame["y"] = np.exp(frame["a"]) * frame["b"] + np.sin(2 * frame["the c"]) + 0.3 * rng.normal(size=400)
    path = tmp_path_factory.mktemp("tables") / "table.csv"
    frame.to_csv(path, index=False)
    return path


QUESTION = {"data": 1, "target": "y", "generations": 40, "search": "accuracy", "holdout": 0.2, "seed": 3}


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "t.csv is empty"), (bytes(range(256)) * 20, "t.csv is not utf-8 text (line 2); save it")],
)
def test_a_file_that_cannot_be_read_is_called_by_its_name(tmp_path, content, said):
    _, client = opened(tmp_path / "work")
    answer = client.post("/api/data?name=t.csv", content=content)
    assert answer.status_code == 400
    assert said in answer.text
    assert str(tmp_path) not in answer.text


def test_a_table_is_described_and_gets_derived_columns(tmp_path, table):
    _, client = opened(tmp_path / "work", table)
    seen = client.get("/api/data/1").json()
    assert seen["rows"] == 400
    assert [c["name"] for c in seen["columns"]] == ["a", "b", "the c", "y"]
    assert sum(seen["columns"][0]["counts"]) == 400
    again = client.post("/api/data/1/derive", json={"name": "area", "formula": "a*b + `the c`"}).json()
    assert again["columns"][-1]["name"] == "area"
    assert client.post("/api/data/1/derive", json={"name": "area", "formula": "a"}).status_code == 400
    assert (
        "finite"
        in client.post("/api/data/1/derive", json={"name": "z", "formula": "log(a)"}).json()["trouble"]
    )


def test_another_file_is_predicted_without_the_derived_columns(tmp_path, table):
    studio, client = opened(tmp_path / "work", table)
    for name, formula in (("e", "exp(a)"), ("f", "e*b")):
        assert client.post("/api/data/1/derive", json={"name": name, "formula": formula}).status_code == 200
    number = client.post("/api/runs", json=QUESTION | {"features": ["f"], "generations": 3}).json()["number"]
    wait(client, number, "done")
    assert "f is e*b." in client.get(f"/api/runs/{number}/explorer").json()["content"]["meanings"]
    raw = pd.read_csv(table).drop(columns="y")
    told = client.post(f"/api/runs/{number}/predict?name=new.csv", content=raw.to_csv(index=False))
    frame = pd.read_csv(pd.io.common.StringIO(told.text))
    wanted = studio.runs[number].model().predict((np.exp(raw["a"]) * raw["b"]).to_numpy()[:, None])
    assert np.allclose(frame["predicted y"], wanted)
    refused = client.post(f"/api/runs/{number}/predict?name=new.csv", content=raw[["a"]].to_csv(index=False))
    assert refused.status_code == 400
    assert "derived column 'f' cannot be computed" in refused.json()["trouble"]


def test_a_steered_run_and_the_python_that_repeats_its_front(tmp_path, table):
    studio, client = opened(tmp_path / "work", table)
    number = client.post("/api/runs", json=QUESTION).json()["number"]
    run = studio.runs[number]
    for action, value in (("ban", "the c"), ("pin", "a*b"), ("price", 2.0)):
        client.post(f"/api/runs/{number}/steer", json={"action": action, "value": value})
    assert (
        client.post(f"/api/runs/{number}/steer", json={"action": "ban", "value": "nothing"}).status_code
        == 400
    )
    said = wait(client, number, "done")
    assert [a["action"] for a in said["actions"]] == ["ban", "pin", "price"]
    names: dict = {}
    exec(client.get(f"/api/runs/{number}/save/python").text, names)
    pd.testing.assert_frame_equal(names["model"].equations_, run.fitted.equations())
    assert (tmp_path / "work" / "runs" / "0001" / "run.py").exists()


def written(client, number, row) -> str:
    """The formula of a row of the front as the page asks for it."""
    found = client.get(f"/api/runs/{number}/front/{row['size']}").json()
    return next(each["formula"] for each in found if (each["size"], each["r2"]) == (row["size"], row["r2"]))


def test_a_run_is_steered_while_it_looks_for_a_law_and_the_python_repeats_that(tmp_path, table):
    studio, client = opened(tmp_path / "work", table)
    asked = QUESTION | {"search": "both", "generations": 20}
    number = client.post("/api/runs", json=asked).json()["number"]
    for action, value in (("ban", "the c"), ("pin", "a*b")):
        client.post(f"/api/runs/{number}/steer", json={"action": action, "value": value})
    said = wait(client, number, "done")
    steps = [a["step"] for a in said["actions"]]  # the search goes on between two requests
    assert steps[0] == 1, "the law search has not begun"
    assert steps == sorted(steps)
    assert all("the c" not in written(client, number, row) for row in said["front"])
    names: dict = {}
    exec(client.get(f"/api/runs/{number}/save/python").text, names)
    pd.testing.assert_frame_equal(names["model"].equations_, studio.runs[number].fitted.equations())


def test_another_loss_is_asked_for_measured_and_repeated(tmp_path, table):
    twice = tmp_path / "twice.csv"  # enough rows to hold some out: no cross-validation of the search
    frame = pd.read_csv(table)
    pd.concat([frame, frame.assign(y=frame["y"] + 0.1)]).to_csv(twice, index=False)
    studio, client = opened(tmp_path / "work", twice)
    assert set(client.get("/api/state").json()["losses"]) == set(KINDS)
    number = client.post("/api/runs", json=QUESTION | {"loss": "huber:0.5", "generations": 2}).json()[
        "number"
    ]
    said = wait(client, number, "done")
    model = studio.runs[number].model()
    assert said["measure"] == model.loss.measure != "R²"
    assert said["r2"] == model.explained
    [summary] = client.get("/api/state").json()["runs"]
    test = studio.runs[number].asked.test
    expected = model.loss.explained(
        test["y"].to_numpy(), model.individual.predict(test[["a", "b", "the c"]].to_numpy())
    )
    assert summary["test"] == pytest.approx(expected, rel=1e-5)
    names: dict = {}
    exec(client.get(f"/api/runs/{number}/save/python").text, names)
    assert names["model"].loss == "huber:0.5"
    pd.testing.assert_frame_equal(names["model"].equations_, model.equations())
    _, again = opened(tmp_path / "work", twice)
    assert again.get("/api/state").json()["runs"] == [summary]
    for wrong in ("quantile", "nothing", 3):
        assert client.post("/api/runs", json=QUESTION | {"loss": wrong}).status_code == 400


def test_guesses_are_listed_and_never_name_a_file(tmp_path, table):
    studio, client = opened(tmp_path / "work", table)
    asked = QUESTION | {"generations": 2, "guesses": ["b*exp(0.9*a)"]}
    number = client.post("/api/runs", json=asked).json()["number"]
    wait(client, number, "done")
    assert any("exp(" in formula for formula in studio.runs[number].fitted.equations()["formula"])
    assert "guesses=['b*exp(0.9*a)']" in client.get(f"/api/runs/{number}/save/python").text
    for wrong in (["/etc/passwd.json"], [str(table)], ["nothing*a"], "a", [3]):
        assert client.post("/api/runs", json=asked | {"guesses": wrong}).status_code == 400


def test_a_form_shapes_and_size_reach_the_search_and_the_python(tmp_path, table):
    studio, client = opened(tmp_path / "work", table)
    asked = QUESTION | {"generations": 2, "search": "both"}
    given = {"form": "f(a)*b + p", "shapes": ["increasing in b"]}
    formed = client.post("/api/runs", json=asked | given).json()["number"]
    wait(client, formed, "done")
    assert studio.runs[formed].model().known.texts == ["increasing in b"]
    shaped = asked | {
        "shapes": ["increasing in b"],
        "max_size": 25,
        "prefer": "simple",
        "features": ["a", "b"],
    }
    number = client.post("/api/runs", json=shaped).json()["number"]
    wait(client, number, "done")
    model = studio.runs[number].model()
    assert model.parameters.shapes == ["increasing in b"]
    assert max(each.complexity for each in model.front.listed) <= 25
    assert model.choice == "simple"
    for each, words in ((formed, ["form='f(a)*b + p'"]), (number, ["max_size=25", "model.choose('simple')"])):
        names: dict = {}
        text = client.get(f"/api/runs/{each}/save/python").text
        assert all(word in text for word in words)
        exec(text, names)
        pd.testing.assert_frame_equal(names["model"].equations_, studio.runs[each].model().equations())
        assert str(names["model"].formula_) == str(studio.runs[each].model().formula)
    # A run of another session has what it was asked.
    again, _ = opened(tmp_path / "work")
    assert again.runs[number].question == studio.runs[number].question


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("form", "f(a, «zz»)*b", "'zz' is no column"),
        ("form", "f(a«»", ""),
        ("guesses", ["a*«nothing»"], "no column"),
        ("shapes", ["increasing in zz"], "'zz', which is no column"),
        ("shapes", ["nonsense"], "not understood"),
        ("units", {"a": "m"}, "no entry for the feature 'b'"),
        ("units", {"a": "m", "b": "nonsense", "the c": "s"}, "nonsense"),
        ("loss", "abs(y - q)", ""),
        ("max_size", 0.5, ""),
        ("prefer", "best", "no preference"),
        ("functions", ["rm"], "no function"),
        ("generations", 0, "above 0"),
        ("holdout", 2, "between 0 and 1"),
        ("seed", -1, "whole number"),
    ],
)
def test_a_mistake_names_its_field_and_marks_the_place(tmp_path, table, field, value, said):
    studio, client = opened(tmp_path / "work", table)
    plain = str(value).replace("«", "").replace("»", "")
    given = plain if isinstance(value, str) else [plain[2:-2]] if isinstance(value, list) else value
    answer = client.post("/api/runs", json=QUESTION | {"search": "both", field: given})
    assert answer.status_code == 400
    told = answer.json()
    assert told["field"] == field
    assert said in told["trouble"]
    if "«" in str(value) and "«»" not in str(value):
        assert (value if isinstance(value, str) else value[0]) in told["trouble"]
    assert studio.runs == {}


@pytest.mark.parametrize(
    "change",
    [
        {"form": "f(a)", "guesses": ["a"]},
        {"form": 3},
        {"shapes": "increasing in a"},
        {"units": ["m"]},
        {"units": {"a": 3}},
    ],
)
def test_what_does_not_go_together_is_told_before_the_search(tmp_path, table, change):
    studio, client = opened(tmp_path / "work", table)
    answer = client.post("/api/runs", json=QUESTION | {"search": "both"} | change)
    assert answer.status_code == 400
    assert answer.json()["trouble"]
    assert studio.runs == {}


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_formulas_of_a_running_search_are_measured_on_rows_that_it_does_not_see(tmp_path, table, loss):
    studio, client = opened(tmp_path / "work", table)
    asked = QUESTION | {"loss": loss, "generations": None, "seconds": 600}
    number = client.post("/api/runs", json=asked).json()["number"]
    run, seen = studio.runs[number], {"unseen": None}
    while seen["unseen"] is None:
        seen = client.get(f"/api/runs/{number}/live").json()
        assert seen["state"] == "running"
    client.post(f"/api/runs/{number}/ask", json={"what": "stop"})
    wait(client, number, "done")
    said = client.get(f"/api/runs/{number}/live").json()
    model, X, y = run.model(), *run.asked.arrays(run.asked.test)
    prediction = model.predict(X)
    measured = model.metrics(TrainingRows.of(X, y, None, model.loss))
    assert said["unseen"]["r2"] == float(f"{measured.get('explained', measured['r2']):.6g}")
    half = np.sort(np.abs(y - prediction))[int(np.ceil(0.5 * len(y))) - 1]
    assert said["unseen"]["half"] == float(f"{half:.4g}")
    assert f"{len(y)} test rows are predicted to within {spoken_number(half, 3)}" in said["unseen"]["said"]
    assert np.allclose(said["unseen"]["actual"], y, rtol=1e-4)
    assert np.allclose(said["unseen"]["predicted"], prediction, rtol=1e-4)
    assert [row["size"] for row in said["front"]] == [each.complexity for each in model.front.listed]
    for row, listed in zip(said["front"], model.front.listed, strict=True):
        exact = model.loss.explained(y, listed.member.individual.predict(X))
        assert row["test"] == pytest.approx(exact, rel=1e-5)
        assert written(client, number, row) == str(listed.formula)
    nearest = client.get(f"/api/runs/{number}/front/100000").json()
    assert nearest[0]["size"] == said["front"][-1]["size"], (
        "instead of what the front has lost, the next smaller one"
    )


def test_models_of_two_runs_stand_side_by_side(tmp_path, table):
    studio, client = opened(tmp_path / "work", table)
    few = QUESTION | {"generations": 2}
    changes = (
        {},
        {"features": ["a", "b"]},
        {"seed": 4},
        {"target": "a", "features": ["b", "y"]},
        {"holdout": 0},
    )
    for change in changes:
        wait(client, client.post("/api/runs", json=few | change).json()["number"], "done")
    seen = client.get("/api/runs/1/beside/2").json()
    assert "80 rows that neither search has seen" in seen["said"]
    test = studio.runs[1].asked.test
    for said, number in zip(seen["common"], (1, 2), strict=True):
        run = studio.runs[number]
        residual = test["y"].to_numpy() - run.model().predict(run.asked.arrays(test)[0])
        r2 = 1.0 - residual @ residual / np.sum((test["y"] - test["y"].mean()) ** 2)
        assert said["r2"] == pytest.approx(r2, rel=1e-5)
        assert said["mae"] == pytest.approx(np.abs(residual).mean(), rel=1e-5)
        assert said["rows"] == 80
    assert [each["text"] for each in seen["runs"]] != ["", ""]
    assert all("<math" in each["panels"]["formula"] for each in seen["runs"])
    both = client.get("/api/runs/1/beside/3").json()  # other test rows: those of both count
    assert 0 < both["common"][0]["rows"] < 80
    assert client.get("/api/runs/1/beside/4").json()["common"] == []
    assert "at least one" in client.get("/api/runs/1/beside/5").json()["said"]
    assert client.get("/api/runs/1/beside/9").status_code == 404


def test_pause_restart_of_the_studio_and_going_on(tmp_path, table):
    _, client = opened(tmp_path / "work", table)
    number = client.post("/api/runs", json=QUESTION | {"generations": None, "seconds": 600}).json()["number"]
    client.post(f"/api/runs/{number}/ask", json={"what": "pause"})
    said = wait(client, number, "paused")
    assert said["has_model"]
    again, other = opened(tmp_path / "work")
    assert [r["state"] for r in other.get("/api/state").json()["runs"]] == ["paused"]
    before = again.runs[number].used
    other.post(f"/api/runs/{number}/ask", json={"what": "resume"})
    other.post(f"/api/runs/{number}/ask", json={"what": "stop"})
    wait(other, number, "done")
    assert again.runs[number].used > before
    assert len(again.runs[number].fitted.front) > 0
    assert other.post(f"/api/runs/{number}/ask", json={"what": "resume"}).status_code == 400


def test_a_run_goes_on_after_the_studio_was_killed(tmp_path, table):
    studio, client = opened(tmp_path / "work", table)
    number = client.post("/api/runs", json=QUESTION | {"generations": None, "seconds": 600}).json()["number"]
    for _ in range(3_000):
        if (studio.runs[number].folder / "checkpoint").exists():
            break
        time.sleep(0.1)
    shutil.copytree(
        tmp_path / "work", tmp_path / "left"
    )  # what a killed studio leaves: its files, and no last word
    client.post(f"/api/runs/{number}/ask", json={"what": "stop"})
    again, other = opened(tmp_path / "left")
    assert [r["state"] for r in other.get("/api/state").json()["runs"]] == ["paused"]
    other.post(f"/api/runs/{number}/ask", json={"what": "resume"})
    other.post(f"/api/runs/{number}/ask", json={"what": "stop"})
    wait(other, number, "done")
    assert len(again.runs[number].fitted.front) > 0
    wait(client, number, "done")


def test_models_are_explored_changed_and_saved(tmp_path, table):
    studio, client = opened(tmp_path / "work", table)
    number = client.post("/api/runs", json=QUESTION).json()["number"]
    wait(client, number, "done")
    run = studio.runs[number]
    seen = client.get(f"/api/runs/{number}/explorer").json()
    assert 'id="equation"' in seen["markup"]
    model = max(seen["content"]["models"], key=lambda m: len(m["terms"]))
    cost = client.post(
        f"/api/runs/{number}/change",
        json={"what": "remove", "index": model["row"], "place": model["terms"][0]["place"]},
    ).json()
    assert cost["after"] < cost["before"]
    assert run.fitted.choice == "pruned"
    assert run.fitted.metrics(run.fitted.rows)["r2"] == pytest.approx(cost["after"])
    client.post(f"/api/runs/{number}/change", json={"what": "choose", "index": 2})
    assert run.fitted.choice == "index"
    assert (
        loads(client.get(f"/api/runs/{number}/save/model").content).formula.text()
        == run.fitted.formula.text()
    )
    assert client.get(f"/api/runs/{number}/save/excel").text.startswith("=")
    assert "<!DOCTYPE html>" in client.get(f"/api/runs/{number}/save/report").text
    predicted = client.post(f"/api/runs/{number}/predict?name=new.csv", content=table.read_bytes())
    frame = pd.read_csv(pd.io.common.StringIO(predicted.text))
    assert np.allclose(frame["predicted y"], run.fitted.predict(frame[run.asked.features].to_numpy()))
    assert not list((tmp_path / "work" / "data").iterdir())
    # A column that the formula uses must be there; others may be missing, as for `multigene predict`.
    used = run.fitted.raw_variables
    without = frame.drop(columns=used[0]).to_csv(index=False)
    refused = client.post(f"/api/runs/{number}/predict?name=new.csv", content=without)
    assert refused.status_code == 400
    assert repr(used[0]) in refused.json()["trouble"]
    enough = client.post(f"/api/runs/{number}/predict?name=new.csv", content=frame[used].to_csv(index=False))
    again = pd.read_csv(pd.io.common.StringIO(enough.text))
    assert np.allclose(again["predicted y"], frame["predicted y"])
    # Other numbers in the formula, and what is no list of them.
    explored = client.get(f"/api/runs/{number}/explorer").json()["content"]
    shown = explored["models"][explored["chosen"]]
    values = [1.01 * v for v in shown["compute"]["numbers"]]
    asked = {"what": "numbers", "index": shown["row"], "values": values}
    done = client.post(f"/api/runs/{number}/change", json=asked).json()
    assert done["after"] < done["before"]
    assert studio.runs[number].model().choice == "moved"
    for wrong in ([1.0] * 99, ["<b>"], "1", [True], None):
        assert client.post(f"/api/runs/{number}/change", json=asked | {"values": wrong}).status_code == 400


@pytest.mark.parametrize(
    "change",
    [{"target": "z"}, {"seconds": -1, "generations": None}, {"generations": None, "seconds": None}, {"holdout": 2}, {"seed": -1},
     {"functions": ["rm"]}, {"features": "a"}, {"data": 7}, {"search": "magic"}],
)  # fmt: skip
def test_questions_that_cannot_be_asked_are_told(tmp_path, table, change):
    studio, client = opened(tmp_path / "work", table)
    answer = client.post("/api/runs", json=QUESTION | change)
    assert answer.status_code in (400, 404)
    assert answer.json()["trouble"]
    assert studio.runs == {}
    assert not list((tmp_path / "work" / "runs").iterdir())


def raw_table(folder):
    rng = np.random.default_rng(0)
    n = 240
    frame = pd.DataFrame(
        {
            "site": rng.choice(["north", "south", "west"], n),
            "opened": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 400, n), "D"),
            "dose": rng.uniform(0.0, 5.0, n),
        }
    )
    frame["growth"] = (1.0 + (frame["site"] == "north")) * frame["dose"] + 0.1 * rng.normal(size=n)
    frame.loc[:11, "dose"] = np.nan
    path = folder / "raw.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    "change", [{}, {"groups": "site"}, {"missing": "drop", "features": ["dose", "opened"]}]
)
def test_text_dates_gaps_and_groups_are_asked_and_repeated(tmp_path, change):
    studio, client = opened(tmp_path / "work", raw_table(tmp_path))
    question = {
        "data": 1,
        "target": "growth",
        "features": ["site", "opened", "dose"],
        "generations": 3,
        "seconds": None,
        "search": "accuracy",
    }
    number = client.post("/api/runs", json=question | change).json()["number"]
    wait(client, number, "done", "failed")
    run = studio.runs[number]
    assert run.state == "done", run.trouble
    assert len(run.asked.whole) == (228 if change.get("missing") == "drop" else 240)
    said = client.get(f"/api/runs/{number}/live").json()
    assert all(row["test"] is not None for row in said["front"] if row["r2"] > 0.5)
    X, y = run.asked.arrays(run.asked.test)
    assert said["unseen"]["r2"] == pytest.approx(
        run.model().loss.explained(y, run.model().individual.predict(X)), abs=1e-6
    )
    place: dict = {}
    exec(run.python(), place)
    assert str(place["model"].formula_) == str(run.model().formula)
    assert client.get(f"/api/runs/{number}/explorer").json()["content"]["raw"] == len(run.asked.features)
    rows = (tmp_path / "raw.csv").read_bytes()
    predicted = client.post(f"/api/runs/{number}/predict?name=raw.csv", content=rows)
    if change.get("missing") == "drop":
        assert "no gaps" in predicted.json()["trouble"] or predicted.status_code == 200
    else:
        assert "predicted growth" in predicted.text
    # another session finds the run as it was
    again, _ = opened(tmp_path / "work")
    assert str(again.runs[number].model().formula) == str(run.model().formula)
    assert again.runs[number].summary()["test"] == run.summary()["test"]


def test_the_last_column_cannot_be_banned_and_text_is_banned_whole(tmp_path):
    studio, client = opened(tmp_path / "work", raw_table(tmp_path))
    number = client.post(
        "/api/runs", json={"data": 1, "target": "growth", "features": ["site", "dose"], "seconds": 60}
    ).json()["number"]
    run = studio.runs[number]
    client.post(f"/api/runs/{number}/steer", json={"action": "ban", "value": "site"})
    asked = [value for what, value in [*run.waiting, *((a["action"], a["value"]) for a in run.actions)]]
    assert asked
    assert all("site" in value for value in asked)
    refused = client.post(f"/api/runs/{number}/steer", json={"action": "ban", "value": "dose"})
    assert refused.status_code == 400
    assert "last column" in refused.json()["trouble"]
    client.post(f"/api/runs/{number}/ask", json={"what": "stop"})
    wait(client, number, "done", "failed")

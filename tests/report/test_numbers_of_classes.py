"""Every number that pages of classifiers and of groups show, computed anew: by scikit-learn from the probabilities, by NumPy from
what the model says of every group. Numbers are read from the text of the page."""

from __future__ import annotations

import re
from functools import cache
from html import unescape

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score

from multigene import MultigeneClassifier, MultigeneRegressor
from multigene.report import collect
from multigene.report.html import explorer
from multigene.report.numbers import spoken_number, spoken_r2

QUICK = {"generations": 3, "search": "accuracy", "random_state": 0, "n_jobs": 1}


def plain(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", html)))


def row_of(html: str, start: str) -> list[str]:
    """Texts of the cells of a table's row that begins with these words."""
    for row in re.findall(r"<tr.*?</tr>", html, re.DOTALL):
        cells = [plain(each).strip() for each in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        if cells[0].startswith(start):
            return cells
    raise AssertionError(f"{start!r} is not in the table")


def percent(share: float) -> str:
    return f"{100.0 * float(f'{share:.6g}'):.1f} %"


def said_as(number: float, digits: int = 4) -> str:
    return spoken_number(float(f"{number:.6g}"), digits)


def plants(n: int, seed: int, kinds: int) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(0.5, 3.0, (n, 3)), columns=["length <cm>", "width", "age"])
    score = X["length <cm>"] * X["width"] + 0.6 * rng.normal(size=n)
    names = ["daisy", "rose", "tulip"][:kinds]
    return X, pd.Series([names[k] for k in np.digitize(score, [2.5, 4.5][: kinds - 1])], name="kind")


CASES = ["two", "three daisy", "three rose", "three tulip", "two without test rows"]


@cache
def fitted_classes(kinds: int):
    return MultigeneClassifier(**QUICK).fit(*plants(600, 0, kinds)).fitted_


@cache
def shown(name: str):
    """A page of a class: its markup and data, the model, and the rows that its last set has."""
    classes = fitted_classes(2 if name.startswith("two") else 3)
    model = classes.of(None if name.startswith("two") else name.split()[1])
    X, y = plants(600, 0, len(classes.classes))
    test = (None, None)
    if "without" not in name:
        X, y = plants(200, 1, len(classes.classes))
        test = (X, classes.is_of(y.to_numpy(), model).astype(float))
    markup, data = explorer(collect(model, X_test=test[0], y_test=test[1], classes=classes))
    return markup, data, model, X.to_numpy(), classes.is_of(y.to_numpy(), model)


@pytest.mark.parametrize("name", CASES)
def test_rows_told_right_cards_tables_and_picks(name):
    markup, data, model, X, of_class = shown(name)
    last = data["sets"][-1]["name"]
    for place, said in enumerate(data["models"]):
        shares = model.loss.prediction(model.front.listed[said["row"]].member.individual.predict(X))
        right = accuracy_score(of_class, shares > 0.5)
        area, loss = roc_auc_score(of_class, shares), log_loss(of_class, np.clip(shares, 1e-15, 1 - 1e-15))
        card = plain(re.split('<div class="card', said["panels"]["cards"])[-3 if last == "test" else -2])
        assert f"{percent(right)} right" in card
        assert f"ROC area {said_as(area)} log loss {said_as(loss)} rows {len(X):,}" in card
        cells = row_of(said["panels"]["errors"], "selected")
        brier = said_as(brier_score_loss(of_class, shares))
        assert cells[1:4] == [percent(right), said_as(area), said_as(loss)]
        assert float(cells[4]) == pytest.approx(float(brier), rel=2e-4)
        for pick in (each for each in data["picks"] if each["model"] == place):
            text = plain(re.search(rf'data-pick="{pick["name"]}".*?</button>', markup, re.DOTALL)[0])
            assert f"{percent(right)} right ROC area {said_as(area)}" in text
        for title, those in (("of the class", of_class), ("of the others", ~of_class)):
            taken = int((shares[those] > 0.5).sum())
            found = row_of(said["panels"]["classes"], title)
            told = taken if title == "of the class" else int(those.sum()) - taken
            assert found[1:3] == [str(int(those.sum()) - taken), str(taken)]
            assert found[3] == percent(told / those.sum())


@pytest.mark.parametrize("name", CASES)
def test_the_sentence_and_where_it_errs(name):
    _, data, model, X, of_class = shown(name)
    chosen = data["models"][data["chosen"]]
    shares = model.predict(X)
    right = f"{100 * float(f'{accuracy_score(of_class, shares > 0.5):.6g}'):.1f}".removesuffix(".0")
    assert chosen["sentence"].startswith(f"{right} of 100 ")
    larger = 100 * max(of_class.mean(), 1 - of_class.mean())
    assert f"taking all for the larger class {larger:.1f}".removesuffix(".0") in chosen["sentence"]
    wrong = (shares > 0.5) != of_class
    for each in chosen["segments"]:
        column = X[:, each["feature"]]
        here = (column >= each["low"] * (1 - 1e-5)) & (column <= each["high"] * (1 + 1e-5))
        assert here.sum() == each["rows"]
        assert each["bias"] == pytest.approx(wrong[here].mean(), rel=1e-4, abs=1e-9)
        if each["bias"]:
            assert percent(wrong[here].mean()) in plain(chosen["panels"]["segments"])


@cache
def grouped():
    rng = np.random.default_rng(2)
    rates = {"A": 0.3, "B & C": 0.5, "<D>": 0.2, "E": 0.7}
    group = rng.choice(list(rates), 400)
    X = pd.DataFrame({"time": rng.uniform(0, 5, 400), "dose": rng.uniform(1, 5, 400), "patient": group})
    y = X["dose"] * np.exp(-X["patient"].map(rates) * X["time"]) + 0.05 * rng.normal(size=400)
    return MultigeneRegressor(**QUICK).fit(X, y.rename("level"), groups="patient"), X, y.to_numpy()


def test_numbers_of_every_group_are_those_of_the_model():
    model, X, y = grouped()
    _, data = explorer(collect(model.fitted_))
    chosen = data["models"][data["chosen"]]
    table = model.groups_
    assert chosen["groups"]["numbers"]
    for group in X["patient"].unique():
        cells = row_of(chosen["panels"]["groups"], group)
        assert cells[1] == str((X["patient"] == group).sum())
        for k, number in enumerate(chosen["groups"]["numbers"]):
            [exact] = table[(table["group"] == group) & (table["number"] == number)].to_dict("records")
            assert cells[2 + 2 * k] == said_as(exact["estimate"], 5)
            if cells[3 + 2 * k]:
                assert cells[3 + 2 * k] == f"{said_as(exact['lower'])} to {said_as(exact['upper'])}"
    prediction = model.predict(X)
    exact = 1.0 - np.sum((y - prediction) ** 2) / np.sum((y - y.mean()) ** 2)
    assert "R² " + spoken_r2(float(f"{exact:.6g}")) in plain(chosen["panels"]["cards"])

"""Pages of a classifier: rows told right, ROC and calibration are those of its probabilities, and the run is repeated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss, roc_auc_score

from multigene import MultigeneClassifier
from multigene.report import collect
from multigene.report.html import explorer, for_script
from multigene.report.probabilities import measured, references
from multigene.report.statistics import Rows


def table(n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["size", "age", "idle"])
    likely = 1.0 / (1.0 + np.exp(-2.0 * X["size"] * X["age"] - X["size"]))
    return X, pd.Series(np.where(rng.uniform(size=n) < likely, "sick", "well"), name="state")


@pytest.fixture(scope="module")
def classifier() -> MultigeneClassifier:
    X, y = table()
    model = MultigeneClassifier(
        generations=6, search="accuracy", random_state=0, n_jobs=1, class_weight="balanced"
    )
    return model.fit(X, y)


@pytest.fixture(scope="module")
def content(classifier):
    X, y = table(120, seed=1)
    fitted = classifier.fitted_
    return collect(
        fitted.of(),
        X_test=X,
        y_test=fitted.is_of(y.to_numpy(), fitted.of()).astype(float),
        classes=fitted,
    )


def test_what_is_said_is_what_scikit_learn_says_of_the_probabilities(classifier, content):
    X, y = table(120, seed=1)
    model = classifier.fitted_.of()
    for place, listed in ((i, each) for i, each in enumerate(model.front.listed)):
        said = next((m for m in content.models if m["row"] == place), None)
        if said is None:
            continue
        shares = model.loss.prediction(listed.member.individual.predict(X.to_numpy()))
        labels = (y == "well").to_numpy()
        errors = said["errors"]["test"]
        assert errors["accuracy"] == pytest.approx(accuracy_score(labels, shares > 0.5), rel=1e-5)
        assert errors["area"] == pytest.approx(roc_auc_score(labels, shares), rel=1e-5)
        assert errors["log_loss"] == pytest.approx(log_loss(labels, shares), rel=1e-4)
        assert errors["table"] == confusion_matrix(labels, shares > 0.5).tolist()
        assert said["classes"][-1]["name"] == "test"
        assert sum(count for _, _, count in said["classes"][-1]["calibration"]) == len(y)


def test_the_page_speaks_of_rows_told_right_and_of_logistic_regression(content):
    markup, _ = explorer(content)
    right = 100 * content.models[content.chosen]["errors"]["test"]["accuracy"]
    assert f"{right:.1f}".removesuffix(".0") + " of 100 unseen rows are told right" in markup
    assert "logistic regression of all columns" in markup
    assert "linear in all columns" not in markup
    assert "Residuals" not in markup
    for chart in ("chart-roc", "chart-calibration", "chart-shares"):
        assert f'id="{chart}"' in markup


def test_the_python_of_the_page_repeats_the_run(classifier, content, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = table()
    place = {"X": X, "y": y}
    exec(content.reproduce["python"], place)
    assert str(place["model"]) == str(classifier)
    assert (tmp_path / "report.html").exists()
    assert "--target state --task classification" in content.reproduce["shell"]
    assert "--class-weight balanced" in content.reproduce["shell"]


def test_rows_of_one_class_have_no_area():
    rows = Rows("test", np.zeros((4, 1)), np.ones(4))
    said = measured(rows, np.full(4, 0.9))
    assert said["area"] is None
    assert said["accuracy"] == 1.0
    assert said["table"] == [[0, 0], [0, 4]]
    assert set(references(rows)) == {"mean"}


def test_importance_under_another_loss_is_what_its_measure_loses(content):
    chosen = content.models[content.chosen]
    assert chosen["importance"]
    assert all(grown == lost for _, grown, lost in chosen["importance"])


def test_a_formula_without_mistakes_has_no_table_of_them(content):
    chosen = content.models[content.chosen]
    perfect = {**chosen, "segments": [{**each, "bias": 0.0} for each in chosen["segments"]]}
    pages = [
        for_script(replace(content, models=[one], chosen=0))["models"][0]["panels"]["segments"]
        for one in (chosen, perfect)
    ]
    assert chosen["segments"]
    assert "Where it errs most" in pages[0]
    assert "Where it errs most" not in pages[1]

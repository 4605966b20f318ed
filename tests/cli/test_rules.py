"""`multigene fit --rule`: what every formula keeps."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
from cli_cases import run


def fitted(here, *rules):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"dose": rng.uniform(0, 5, 60), "age": rng.uniform(20, 60, 60)})
    table["effect"] = 3 * table["dose"] / (1 + table["dose"]) + 0.1 * rng.normal(size=60)
    table.to_csv(here / "ruled.csv", index=False)
    stated = [word for rule in rules for word in ("--rule", rule)]
    told = ("--target", "effect", "--generations", "3", "--save", "ruled.json")
    return run("fit", "ruled.csv", *told, *stated)


def test_rules_hold_and_are_kept_in_the_file(here):
    result = fitted(here, "must use age", "exp at most once", "whole exponents")
    assert result.exit_code == 0, result.stderr
    document = json.loads((here / "ruled.json").read_text())
    kept = document["settings"]["search"]["rules"]
    assert kept == ["must use age", "exp at most once", "whole exponents"]
    assert "age" in run("show", "ruled.json", "--format", "text").stdout


def test_mistakes_get_one_line(here):
    for rules, message in (
        (["must use does"], "must use «does»: 'does' is no column; did you mean 'dose'?"),
        (["tan only of dose"], "'tan' is no function"),
        (["never dose", "must use dose"], "contradict each other"),
    ):
        result = fitted(here, *rules)
        assert result.exit_code == 2
        assert message in result.stderr.replace("\n", " ")
        assert "Traceback" not in result.stderr

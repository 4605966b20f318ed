"""`multigene fit --shape` and `multigene verify`."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
from cli_cases import run


def fitted(here, *shapes, name="shaped.json"):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"dose": rng.uniform(0, 5, 60), "age": rng.uniform(20, 60, 60)})
    table["effect"] = 3 * table["dose"] / (1 + table["dose"]) + 0.1 * rng.normal(size=60)
    table.to_csv(here / "shaped.csv", index=False)
    stated = [word for shape in shapes for word in ("--shape", shape)]
    return run(
        "fit",
        "shaped.csv",
        "--target",
        "effect",
        "--generations",
        "3",
        "--search",
        "accuracy",
        "--save",
        name,
        *stated,
    )


def test_a_model_is_verified_again(here):
    said = fitted(here, "increasing in dose", "0 <= effect <= 5").stdout
    assert "shapes:    increasing in dose: " in said
    assert "shapes:    increasing in dose: " in run("show", "shaped.json").stdout
    result = run("verify", "shaped.json")
    assert result.exit_code == 0
    assert "  increasing in dose: proven" in result.stdout
    wider = json.loads(run("verify", "shaped.json", "shaped.csv", "--json").stdout)
    assert [each["shape"] for each in wider["shapes"]] == ["increasing in dose", "0 <= effect <= 5"]
    front = json.loads(run("verify", "shaped.json", "--front", "--json").stdout)
    assert all(each["status"] != "violated" for model in front for each in model["shapes"])


def test_a_model_that_was_changed_is_found_out(here):
    fitted(here, "increasing in dose")
    document = json.loads((here / "shaped.json").read_text())
    for member in document["front"]:
        member["coefficients"] = [-c for c in member["coefficients"]]
    (here / "changed.json").write_text(json.dumps(document))
    result = run("verify", "changed.json")
    assert result.exit_code == 1
    assert "increasing in dose: violated" in result.stdout


def test_mistakes_get_one_line(here):
    for shapes, message in (
        (["increasing in dos"], "did you mean 'dose'"),
        (["increasing in dose", "decreasing in dose"], "contradict each other"),
    ):
        result = fitted(here, *shapes)
        assert result.exit_code == 2
        assert message in result.stderr
    fitted(here, name="plain.json")
    result = run("verify", "plain.json")
    assert result.exit_code == 2
    assert "has no shapes to verify" in result.stderr
    assert run("verify", "plain.json", "--points", "0").exit_code == 2

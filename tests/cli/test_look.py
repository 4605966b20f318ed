"""`multigene look`."""

from __future__ import annotations

import json

from cli_cases import run


def test_look_says_what_the_columns_are(here):
    (here / "looked.csv").write_text("Report\na [mm];b;y\n1,5;north;2\n2,5;south;3\n3,5;north;4\n")
    said = run("look", "looked.csv").stdout
    assert "looked.csv: 3 rows, 3 columns" in said
    assert "left out 1 title line" in said
    found = json.loads(run("look", "looked.csv", "--target", "y", "--json").stdout)
    assert [column["kind"] for column in found["columns"]] == ["number", "category", "number"]
    assert found["columns"][0]["unit"] == "mm"


def test_look_at_a_column_that_is_not_there(here):
    (here / "looked.csv").write_text("a,y\n1,2\n2,3\n")
    result = run("look", "looked.csv", "--target", "z")
    assert result.exit_code == 2
    assert "has no column 'z'" in result.stderr

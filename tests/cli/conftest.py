"""A directory of good and bad files and a model, for tests of commands."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("typer")
from cli_cases import QUICK, run

from multigene.cli.demo import k11c


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """A directory of good and bad files, and a model."""
    home = tmp_path_factory.mktemp("cli")
    good = k11c(60, 0)
    good.to_csv(home / "good.csv", index=False)
    k11c(20, 1).to_csv(home / "test.csv", index=False)
    good.assign(name="abc").to_csv(home / "text.csv", index=False)
    holes = good.copy()
    holes.loc[16, "x2"] = np.nan
    holes.to_csv(home / "holes.csv", index=False)
    good.assign(x2=[np.inf, *good["x2"][1:]]).to_csv(home / "infinite.csv", index=False)
    good.rename(columns={"y": "price"}).to_csv(home / "unnamed_target.csv", index=False)
    good.assign(target=1.0).to_csv(home / "two_targets.csv", index=False)
    good[["y"]].to_csv(home / "lonely.csv", index=False)
    lines = (home / "good.csv").read_text().splitlines()
    (home / "commas.csv").write_text('a,y\n"1,5","2,5"\n"3,5","4,5"\n')
    (home / "headless.csv").write_text("\n".join(lines[1:]))
    (home / "long_row.csv").write_text("\n".join([*lines[:5], "1,2,3,4", *lines[5:]]))
    (home / "short_row.csv").write_text("\n".join([*lines[:5], "1,2", *lines[5:]]))
    (home / "repeated.csv").write_text("a,a,y\n1,2,3\n4,5,6\n")
    (home / "header_only.csv").write_text("x1,x2,y\n")
    (home / "empty.csv").write_text("")
    (home / "latin.csv").write_bytes("größe,y\n1,2\n3,4\n".encode("latin-1"))
    (home / "binary.csv").write_bytes(bytes(range(256)) * 4)
    (home / "damaged.parquet").write_bytes(b"PAR1 and nothing more")
    (home / "damaged.xlsx").write_bytes(b"PK\x03\x04 and nothing more")
    (home / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    (home / "damaged.csv.gz").write_bytes(b"\x1f\x8b\x08 and nothing more")
    (home / "bad.toml").write_text("crossover = = 1")
    (home / "wrong.toml").write_text("[genes]\nmax_dept = 5\n")
    (home / "settings.toml").write_text("tournament_size = 3\n[genes]\nmax_depth = 4\n")
    (home / "empty.json").write_text("")
    (home / "other.json").write_text('{"a": 1}')
    good.to_excel(home / "good.xlsx", index=False, sheet_name="first")
    good.to_parquet(home / "good.parquet")
    assert run("fit", home / "good.csv", *QUICK, "--save", home / "model.json").exit_code == 0
    newer = json.loads((home / "model.json").read_text()) | {"version": 99}
    (home / "newer.json").write_text(json.dumps(newer))
    (home / "cut.json").write_text((home / "model.json").read_text()[:500])
    (home / "folder").mkdir()
    return home


@pytest.fixture
def here(place, monkeypatch):
    monkeypatch.chdir(place)
    return place

"""The compact file: what is written comes back, a study goes on from it, and what is none is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from multigene.study.cli import app
from multigene.study.compact import read_compact, write_compact
from multigene.study.design import build_study, read_design
from multigene.study.errors import StudyError
from multigene.study.runner import LocalProcesses, run_study
from multigene.study.statistics import results
from multigene.study.store import Store
from multigene.study.views import View

DESIGN = """
title = "Two toys"
problems = ["S2D", "SU"]
methods = ["baseline", "UB"]
seeds = 2

[[limits]]
generations = 6
checkpoints = [2, 6]
"""


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("design") / "toys.toml"
    path.write_text(DESIGN)
    return path


@pytest.fixture(scope="module")
def finished(design: Path) -> Path:
    """A store whose seed 0 is finished."""
    path = design.parent / "half.db"
    study = build_study(read_design(design).restricted(seeds=1))
    with Store.create(path) as store:
        run_study(study, store, LocalProcesses(study, 1))
    return path


@pytest.fixture(scope="module")
def compact(finished: Path) -> Path:
    path = finished.parent / "half.csv.gz"
    with Store.open(finished) as store:
        assert write_compact(store, path) == 4
    return path


def test_scores_and_checkpoints_come_back(finished: Path, compact: Path, tmp_path: Path):
    with Store.open(finished) as ours, Store.create(tmp_path / "other.db") as theirs:
        assert read_compact(compact, theirs) == 4
        assert read_compact(compact, theirs) == 0  # there already
        numbers = ["train_r2", "test_r2", "seconds", "generations", "size", "lcf_share", "depth"]
        for frame in (lambda s: s.frame(numbers), lambda s: s.checkpoints()):
            a, b = frame(ours), frame(theirs)
            assert len(a) == len(b) > 0
            assert (a.drop(columns=numbers) == b.drop(columns=numbers)).all(axis=None)
            for name in ("train_r2", "test_r2"):
                left = 1.0 - a[name].to_numpy()
                assert 1.0 - b[name].to_numpy() == pytest.approx(left, rel=1e-6, abs=1e-15)
            assert np.allclose(a[numbers[2:]].astype(float), b[numbers[2:]].astype(float), rtol=1e-3)
        view = View("2 generations", "guarded")
        assert [c.problem for c in results(ours, view=view).cells] == [
            c.problem for c in results(theirs, view=view).cells
        ]


def test_the_same_runs_make_the_same_file(finished: Path, compact: Path, tmp_path: Path):
    with Store.open(finished) as store:
        write_compact(store, tmp_path / "again.csv.gz")
    assert (tmp_path / "again.csv.gz").read_bytes() == compact.read_bytes()


def test_a_study_goes_on_from_the_file_alone(design: Path, compact: Path, tmp_path: Path):
    """Only the second seed is run; the commands do what the functions do."""
    run = CliRunner().invoke
    store = tmp_path / "on.db"
    done = run(
        app, ["run", str(design), "--from", str(compact), "--store", str(store), "--jobs", "1", "--quiet"]
    )
    assert done.exit_code == 0, done.output
    assert "4 finished runs" in done.output
    with Store.open(store) as opened:
        frame = opened.frame(("formula",))
    assert len(frame) == 8
    assert set(frame[frame["formula"].isna()]["seed"]) == {0}  # formulas are not in the compact file
    assert set(frame[frame["formula"].notna()]["seed"]) == {1}
    assert run(app, ["export", str(store), "--output", str(tmp_path / "all.csv.gz")]).exit_code == 0
    again = run(app, ["import", str(tmp_path / "all.csv.gz"), "--store", str(tmp_path / "new.db")])
    assert again.exit_code == 0, again.output
    assert "8 finished runs" in again.output
    tables = run(app, ["tables", str(tmp_path / "new.db"), "--at", "2 generations", "--format", "csv"])
    assert tables.exit_code == 0, tables.output
    page, drawn = tmp_path / "page.html", tmp_path / "drawn"
    made = run(app, ["page", str(tmp_path / "new.db"), "--at", "2 generations", "-o", str(page)])
    assert made.exit_code == 0, made.output
    assert "2 generations" in page.read_text("utf-8")
    made = run(app, ["figures", str(tmp_path / "new.db"), "--at", "2 generations", "-o", str(drawn)])
    assert made.exit_code == 0, made.output
    assert all("2-generations" in path.name for path in drawn.iterdir())


def test_what_is_no_compact_file_is_refused_in_a_sentence(compact: Path, tmp_path: Path):
    with Store.create(tmp_path / "s.db") as store:
        for name, content in (
            ("text", b"problem,method\n"),
            ("empty", gzip.compress(b"")),
            ("other", gzip.compress(b'# {"format": "something else", "version": 1}\n')),
            ("cut", compact.read_bytes()[:-40]),
        ):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(StudyError, match="multigene study export"):
                read_compact(tmp_path / name, store)
        with pytest.raises(StudyError, match="cannot be read"):
            read_compact(tmp_path / "missing.csv.gz", store)


def test_runs_of_other_settings_do_not_mix(compact: Path, tmp_path: Path):
    text = gzip.decompress(compact.read_bytes()).decode()
    (tmp_path / "other.csv.gz").write_bytes(
        gzip.compress(
            text.replace('\\\\"UB\\\\"', '\\\\"UC\\\\"', 1).replace(r'"\"UB\""', r'"\"UC\""').encode()
        )
    )
    with Store.create(tmp_path / "s.db") as store:
        with pytest.raises(StudyError, match="other settings"):
            read_compact(tmp_path / "other.csv.gz", store)
        assert store.counts()["done"] == 0

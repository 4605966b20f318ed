"""The study's command line: a whole small study, and a sentence with exit code 2 for everything a user can get wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from study_commands import command, environment
from study_fakes import design_text
from typer.testing import CliRunner, Result

from multigene.study import cluster
from multigene.study.cli import app
from multigene.study.store import Store


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("cli")
    (directory / "design.toml").write_text(design_text(seeds=6))
    store = directory / "study.db"
    done = call("run", directory / "design.toml", "--store", store, "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert "36 runs done, 0 failed" in done.output
    return store


def test_status_tables_figures_page(finished: Path, tmp_path: Path) -> None:
    status = call("status", finished)
    assert status.exit_code == 0
    assert "fakes: 36 done, 0 running, 0 waiting, 0 failed" in status.output
    shown = call("tables", finished)
    assert shown.exit_code == 0
    assert "SU (reconstruction), 5 generations" in shown.output
    assert "verdicts agree with the paper's" in shown.output
    for format, sign in (("markdown", "| mode |"), ("latex", r"\toprule"), ("csv", "problem,method,limit")):
        assert sign in call("tables", finished, "--format", format).output
        written = tmp_path / format
        assert call("tables", finished, "--format", format, "--output", written).exit_code == 0
        assert sign in written.read_text()
    one = call("tables", finished, "-f", "csv", "--problem", "SU", "--limit", "5 generations").output
    assert len(one.splitlines()) == 4
    drawn = call("figures", finished, "--output", tmp_path / "figures", "--format", "png")
    assert drawn.exit_code == 0
    assert len(list((tmp_path / "figures").glob("*.png"))) == 4
    assert call("page", finished, "--output", tmp_path / "study.html").exit_code == 0
    assert "<title>fakes</title>" in (tmp_path / "study.html").read_text()


def test_every_command_takes_the_store_as_run_does(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = call("status", finished).output
    assert call("status", "--store", finished).output == said
    assert call("status", f"--store={finished}").output == said
    monkeypatch.chdir(finished.parent)
    assert call("status").output == said  # study.db, where `run` puts it
    assert call("tables", "--format", "csv", "--store", finished).exit_code == 0
    assert call("status", finished, "--store", finished).exit_code == 2


def test_lists() -> None:
    assert "SU-I" in call("problems").output
    listed = call("methods").output
    assert "random forest" in listed
    assert "paper-effort" in listed


def test_own_csv_and_own_limits(tmp_path: Path) -> None:
    rows = "\n".join(f"{i},{i % 7},{i + 2 * (i % 7)},{'train' if i % 3 else 'test'}" for i in range(60))
    (tmp_path / "mine.csv").write_text(f"a,b,y,part\n{rows}\n")
    (tmp_path / "design.toml").write_text(design_text(seeds=9))
    arguments = [
        "run",
        tmp_path / "design.toml",
        "--csv",
        tmp_path / "mine.csv",
        "--target",
        "y",
        "--split",
        "part",
    ]
    arguments += [
        "--store",
        tmp_path / "s.db",
        "--seeds",
        2,
        "--generations",
        3,
        "--method",
        "UB",
        "--method",
        "plain",
    ]
    done = call(*arguments, "--jobs", 1)
    assert done.exit_code == 0, done.output
    with Store.open(tmp_path / "s.db") as store:
        frame = store.frame(("test_r2",))
    assert set(frame["problem"]) == {"mine"}
    assert set(frame["run_limit"]) == {"3 generations", "no limit"}
    assert frame[frame.method == "plain"]["test_r2"].tolist() == pytest.approx([1.0, 1.0])
    assert (
        call("tables", tmp_path / "s.db").exit_code == 0
    )  # without a baseline there are no verdicts, but tables


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "quik"], "did you mean 'quick'?"),
        (["run", "smoke", "--problem", "RS5"], "there is no problem 'RS5'; did you mean 'RS5D'"),
        (["run", "smoke", "--method", "UBB"], "there is no method 'UBB'; did you mean"),
        (["run", "smoke", "--csv", "{tmp}/mine.csv"], "--csv needs --target"),
        (["run", "smoke", "--csv", "{tmp}/mine.csv", "--target", "z"], "has no column 'z'"),
        (["run", "smoke", "--csv", "{tmp}/missing.csv", "--target", "y"], "not a readable CSV"),
        (["run", "smoke", "--csv", "{tmp}/binary.csv", "--target", "y"], "not a readable CSV"),
        (["run", "{tmp}/design.toml", "--store", "{tmp}/broken.db"], "damaged"),
        (["run", "{tmp}/design.toml", "--seconds", "-1"], "-1.0 seconds makes no sense"),
        (
            ["run", "{tmp}/design.toml", "--store", "{tmp}/s.db", "--scheduler", "tcp://127.0.0.1:1"],
            "no Dask scheduler",
        ),
        (
            ["run", "{tmp}/design.toml", "--store", "{tmp}/s.db", "--scheduler", "nonsense://x"],
            "no Dask scheduler",
        ),
        (["run", "{tmp}/design.toml", "--scheduler", "foo bar"], "no Dask scheduler can have the address"),
        (["run", "{tmp}/design.toml", "--scheduler", ""], "no Dask scheduler can have the address ''"),
        (["run", "{tmp}/design.toml", "--clock", "processor"], "needs --seconds or --generations"),
        (["run", "{tmp}/design.toml", "--seconds", "1", "--clock", "sun"], "there is no clock 'sun'"),
        (["run", "smoke", "--csv", "{tmp}/text.csv", "--target", "y"], "has 'red' in column 'a', row 2"),
        (["run", "smoke", "--csv", "{tmp}/gaps.csv", "--target", "y"], "has nothing in column 'a', row 1"),
        (["resume", "{tmp}/none.db"], "there is no store"),
        (["status", "{tmp}/broken.db"], "damaged"),
        (["tables", "{done}", "--format", "mardown"], "did you mean 'markdown'?"),
        (["tables", "{done}", "--limit", "6 generations"], "did you mean '5 generations'?"),
        (["tables", "{done}", "--problem", "SUI"], "did you mean 'SU'"),
        (["tables", "{done}", "--output", "/proc/x/y"], "terminal"),
        (["figures", "{done}", "--format", "jpg", "--output", "{tmp}/f"], "did you mean 'png'"),
        (["page", "{done}", "--output", "/proc/x/y.html"], "cannot be written"),
    ],
)
def test_mistakes_get_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 0.5)
    (tmp_path / "mine.csv").write_text("a,y\n1,2\n3,4\n")
    (tmp_path / "text.csv").write_text("a,y\n1,2\nred,4\n")
    (tmp_path / "gaps.csv").write_text("a,y\n,2\n3,4\n")
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)))
    (tmp_path / "broken.db").write_bytes(b"garbage" * 3000)
    (tmp_path / "design.toml").write_text(design_text())
    before = finished.read_bytes()
    filled = [argument.format(tmp=tmp_path, done=finished) for argument in arguments]
    if "/proc/x/y" in filled:
        filled += ["--format", "csv"]
        sentence = "cannot be written"
    result = call(*filled)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert result.stderr.startswith("multigene study: ")
    assert len(result.stderr.strip().splitlines()) == 1
    assert finished.read_bytes() == before
    assert (tmp_path / "broken.db").read_bytes() == b"garbage" * 3000


def test_no_traceback_in_a_real_process(tmp_path: Path) -> None:
    done = subprocess.run(
        command("run", "smoke", "--problem", "RS5"),
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("multigene study: there is no problem 'RS5'")


def test_a_changed_table_is_not_mixed_with_the_old_one(tmp_path: Path) -> None:
    store, table = tmp_path / "with space" / "my store.db", tmp_path / "mine.csv"
    table.write_text("a,y\n" + "\n".join(f"{i},{2 * i}" for i in range(20)) + "\n")
    arguments = ["run", "smoke", "--csv", table, "--target", "y", "--method", "linear", "--seeds", 2]
    arguments += ["--store", store, "--jobs", 1, "--quiet"]
    assert call(*arguments).exit_code == 0
    before = store.read_bytes()
    table.write_text(table.read_text().replace("19,38", "19,39"))
    for again in (arguments, ["resume", store, "--jobs", 1, "--quiet"]):
        result = call(*again)
        assert result.exit_code == 2
        assert "already holds runs of the problem 'mine' with other settings" in result.stderr
    table.unlink()
    assert call("resume", store).exit_code == 2
    assert store.read_bytes() == before


def test_failed_runs_end_with_one_and_can_be_retried(tmp_path: Path) -> None:
    text = 'problems = ["S2D"]\nseeds = 2\n[method.moody]\nregressor = "study_fakes:Moody"\n'
    (tmp_path / "design.toml").write_text(text)
    arguments = ["run", tmp_path / "design.toml", "--store", tmp_path / "s.db", "--jobs", 1, "--quiet"]
    first = call(*arguments)
    assert first.exit_code == 1
    assert "1 x RuntimeError: bad mood today, seed 1" in first.stderr
    assert call(*arguments).exit_code == 1  # the failed run is not repeated
    assert call("resume", tmp_path / "s.db", "--jobs", 1, "--retry-failed").exit_code == 1
    with Store.open(tmp_path / "s.db") as store:
        assert store.counts() == {"waiting": 0, "running": 0, "done": 1, "failed": 1}
    assert "1 x RuntimeError" in call("status", tmp_path / "s.db").output


def test_the_module_imports_no_engine() -> None:
    code = "import sys, multigene.study.cli; print('sklearn' in sys.modules, 'matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False False"

"""The command line as a process: help, completion, pipes and signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")
from cli_cases import QUICK, process, run

import multigene
import multigene.model_file
from multigene.cli.demo import k11c


def test_demo(here):
    result = run("demo", "-g", "5", "--threads", "1")
    assert result.exit_code == 0
    for part in ("27.22", "y = ", "training:  R²", "test:      R²", "What to try next"):
        assert part in result.stdout


def test_help_has_examples(here):
    for command in ("fit", "predict", "show", "export", "compare", "settings"):
        result = run(command, "--help")
        assert result.exit_code == 0
        assert f"multigene {command} " in result.stdout
    assert "study" in run("--help").stdout


def test_version():
    assert run("--version").stdout.strip() == f"multigene {multigene.__version__}"


def test_no_arguments_show_the_help():
    result = run()
    assert result.exit_code == 2
    assert (result.stdout + result.stderr).count("Usage:") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(shell):
    words = {"bash": {"COMP_WORDS": "multigene ex", "COMP_CWORD": "1"}}.get(
        shell, {"_TYPER_COMPLETE_ARGS": "multigene ex", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    )
    environment = os.environ | words | {"_MULTIGENE_COMPLETE": f"complete_{shell}"}
    done = subprocess.run(
        [sys.executable, "-m", "multigene"], env=environment, capture_output=True, timeout=300
    )
    assert b"export" in done.stdout


def test_without_the_extra_one_sentence_says_what_to_install(tmp_path):
    (tmp_path / "typer.py").write_text("raise ImportError('no typer')")
    done = process("--version", env=os.environ | {"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 2
    assert done.stderr.decode().strip().splitlines() == [
        "multigene: the command line needs more packages: pip install 'multigene[cli]'"
    ]


# --- pipes and signals, in real processes ---------------------------------------------------------


def test_pipes_in_and_out(here):
    data = Path("good.csv").read_bytes()
    fitted = process("fit", "-", "--save", "-", "-q", *QUICK, input=data)
    assert fitted.returncode == 0, fitted.stderr
    assert str(multigene.model_file.loads(fitted.stdout).formula) == str(
        multigene.load("model.json").formula_
    )
    shown = process("show", "-", input=fitted.stdout)
    assert shown.stdout.decode() == run("show", "model.json").stdout
    predicted = process("predict", "model.json", "-", "-o", "-", input=data)
    assert predicted.stdout.decode() == run("predict", "model.json", "good.csv").stdout
    assert process("fit", "-", input=b"").returncode == 2


def test_a_pipe_of_parquet(here):
    result = run("fit", "-", "-q", *QUICK, stdin=Path("good.parquet").read_bytes())
    assert result.stdout.splitlines()[0] == run("fit", "good.csv", "-q", *QUICK).stdout.splitlines()[0]


def test_nothing_but_results_when_it_is_no_terminal(here):
    done = process("fit", "good.csv", "-t", "y", *QUICK)
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are those of Unix")
@pytest.mark.parametrize("command", ["--help", "fit --help", "study run --help", "settings"])
def test_nobody_who_reads_is_the_usual_exit_code_and_no_word(command):
    """`multigene --help | head -1` ended with 1, as if it had failed."""
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "multigene", *command.split()]
    done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert done.returncode == 141
    assert done.stderr == b""


def unread(pipe) -> int:
    """Bytes in a pipe that nobody has read yet."""
    import fcntl
    import termios

    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder)


def read_all(terminal: int, said: bytearray) -> None:
    """What a terminal shows, until its other side is closed."""
    while True:
        try:
            said += os.read(terminal, 4096)
        except OSError:
            return


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_keep_the_best_formula(here, tmp_path, name):
    import pty

    noisy = k11c(600, 0)  # noise, so that no law ends the search before the signal does
    noisy["y"] += np.random.default_rng(0).normal(scale=noisy["y"].std() / 3, size=len(noisy))
    noisy.to_csv(tmp_path / "noisy.csv", index=False)
    terminal, side = pty.openpty()
    command = ["fit", str(tmp_path / "noisy.csv"), "--time", "60", "--seed", "0"]
    command += ["--save", str(tmp_path / "m.json")]
    # Whoever runs the tests may ignore the signal (nohup does), which the program would inherit and rightly respect.
    before = signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "multigene", *command], stdout=subprocess.PIPE, stderr=side
        )
    finally:
        signal.signal(getattr(signal, name), before)
    os.close(side)
    said = bytearray()
    reader = threading.Thread(target=read_all, args=(terminal, said))  # a terminal is read all the time
    reader.start()
    while b"generation 2" not in said:
        assert child.poll() is None, said
        time.sleep(0.01)
    child.send_signal(getattr(signal, name))
    out = child.stdout.read()
    assert child.wait(timeout=300) == 0
    reader.join()
    os.close(terminal)
    child.stdout.close()
    assert out.startswith(b"y = ")
    assert f"stopped by {'Ctrl-C' if name == 'SIGINT' else name}".encode() in said
    assert b"Traceback" not in said
    assert multigene.load(tmp_path / "m.json").stopped_by_ == "interrupt"


def test_a_choice_that_cannot_be_made_does_not_lose_the_model(here, tmp_path):
    result = run("fit", "good.csv", *QUICK, "--choose", "999", "--save", tmp_path / "m.json")
    assert result.exit_code == 2
    assert "999" in result.stderr
    assert result.stdout.startswith("y = ")
    assert multigene.load(tmp_path / "m.json").choice_ == "default"


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
def test_ctrl_c_without_a_model_is_130(here):
    with subprocess.Popen(
        [sys.executable, "-m", "multigene", "fit", "good.csv", "--test", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        child.stdin.write(b"x1,x2,y\n")
        child.stdin.flush()
        while unread(child.stdin):  # until it waits for data
            assert child.poll() is None
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        err = child.stderr.read()
    assert child.returncode == 130
    assert err.decode().strip() == "multigene: interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are those of Unix")
def test_a_reader_that_goes_away_is_no_error(here, tmp_path):
    k11c(200_000, 0).to_csv(tmp_path / "large.csv", index=False)
    child = subprocess.Popen(
        [sys.executable, "-m", "multigene", "predict", "model.json", str(tmp_path / "large.csv"), "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout.readline() == b"prediction\n"
    child.stdout.close()
    err = child.stderr.read()
    child.stderr.close()
    assert child.wait(timeout=300) == 141
    assert err == b""


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="needs a user who may not write everywhere"
)
def test_a_place_that_may_not_be_written(here, tmp_path):
    tmp_path.chmod(0o500)
    result = run("fit", "good.csv", *QUICK, "--save", tmp_path / "m.json")
    assert result.exit_code == 2
    assert "permission denied" in result.stderr


@pytest.mark.parametrize("target", ["y", "kind"])
def test_a_disk_that_takes_nothing_more_does_not_cost_the_model(here, tmp_path, monkeypatch, target):
    """It is written to the temporary directory, and the formula is printed."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    table = pd.read_csv("good.csv")
    table.assign(kind=np.where(table["y"] > 0.5, "high", "low")).to_csv("kinds.csv", index=False)
    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kind = "regression" if target == "y" else "classification"
    result = run("fit", "kinds.csv", "-t", target, "--task", kind, *QUICK, "--save", "m.json")
    assert result.exit_code == 2
    assert "training:" in result.stdout
    assert "no space left on device" in result.stderr
    [kept] = tmp_path.glob("*.json")
    assert result.stderr.rstrip().endswith(f"The model is in {kept}.")
    assert multigene.load(kept)
    assert not list(here.glob("*.part"))


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are those of Unix")
def test_nobody_who_reads_standard_error_costs_no_model(here):
    """As in `multigene fit … 2>&1 | head -1`: remarks are lost then, and nothing else."""
    before, after = os.pipe()
    os.close(before)
    command = [sys.executable, "-m", "multigene", "fit", "good.csv", *QUICK, "--save", "unheard.json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=after, timeout=120)
    os.close(after)
    assert done.returncode == 0
    assert multigene.load(here / "unheard.json")


def test_closed_standard_output(here):
    """`multigene … >&-`: there is no such stream at all, and nobody who wants to see it."""
    command = f"{sys.executable} -m multigene fit good.csv -g 1 --threads 1 --save model.json >&- 2>&-"
    done = subprocess.run(["bash", "-c", command], cwd=here, timeout=120)
    assert done.returncode == 0
    assert multigene.load(here / "model.json")


def test_warnings_are_notes(here):
    """What is wrong is said, not where in the program a warning was raised."""
    pytest.importorskip("pint")
    table = pd.read_csv("good.csv")
    table.assign(y=20.0 + np.sin(9.0 * table["x1"])).to_csv("waves.csv", index=False)
    done = process("fit", "waves.csv", "-g", "1", "--threads", "1", "--units", "x1=kg,x2=s,y=m")
    said = done.stderr.decode()
    assert done.returncode == 0, said
    assert "note: No formula was found that agrees with the units" in said
    assert "Warning" not in said

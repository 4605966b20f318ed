"""JavaScript, R, Octave and Julia: all models in one run of the interpreter."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
from export_cases import cases, check, tool

from multigene.expression.tree import Array, variables


def _results(folder: Path) -> list[Array]:
    models, _, X, _ = cases()
    return list(np.fromfile(folder / "values").reshape(len(models), len(X)))


def _prepare(folder: Path) -> None:
    cases().X.T.tofile(folder / "columns")  # one column after the other


def test_javascript(tmp_path: Path) -> None:
    node = tool("node", "nodejs")
    models, formulas, X, _ = cases()
    _prepare(tmp_path)
    functions = ",\n".join(
        f"(() => {{ 'use strict';\n{each.to('js')}\nreturn predict; }})()" for each in formulas
    )
    used = json.dumps([variables(model) for model in models])
    (tmp_path / "models.js").write_text(
        f"const models = [{functions}];\nconst used = {used};\nconst fs = require('fs'), rows = {len(X)};\n"
        "const bytes = fs.readFileSync('columns');\n"
        "const x = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);\n"
        "const out = new Float64Array(models.length * rows);\n"
        "models.forEach((f, m) => { for (let r = 0; r < rows; r++)"
        " out[m * rows + r] = f(...used[m].map(c => x[c * rows + r])); });\n"
        "fs.writeFileSync('values', Buffer.from(out.buffer));\n"
    )
    subprocess.run([node, "models.js"], cwd=tmp_path, check=True, timeout=120)
    check(_results(tmp_path))


def test_r(tmp_path: Path) -> None:
    interpreter = tool("Rscript", "r-base-core")
    models, formulas, X, _ = cases()
    _prepare(tmp_path)
    functions = ",\n".join(f"local({{\n{each.to('r', name='value')}\nvalue }})" for each in formulas)
    used = ", ".join(f"c({', '.join(str(i + 1) for i in variables(model))})" for model in models)
    (tmp_path / "models.R").write_text(
        f"options(warn = 2)\nmodels <- list({functions})\nused <- list({used})\n"
        f"x <- matrix(readBin('columns', 'double', {X.size}), ncol = {X.shape[1]})\n"
        "columns <- lapply(seq_len(ncol(x)), function(i) x[, i])\nout <- file('values', 'wb')\n"
        "for (m in seq_along(models)) writeBin(rep_len("
        "as.double(do.call(models[[m]], columns[used[[m]]])), nrow(x)), out)\nclose(out)\n"
    )
    subprocess.run([interpreter, "--vanilla", "models.R"], cwd=tmp_path, check=True, timeout=180)
    check(_results(tmp_path))


def test_octave(tmp_path: Path) -> None:
    interpreter = tool("octave-cli", "octave")
    models, formulas, X, _ = cases()
    _prepare(tmp_path)
    for number, formula in enumerate(formulas):
        (tmp_path / f"model_{number}.m").write_text(formula.to("octave", name=f"model_{number}"))
    (tmp_path / "run_all.m").write_text(
        f"in = fopen('columns'); X = fread(in, [{len(X)}, {X.shape[1]}], 'double');\n"
        "out = fopen('values', 'w');\n"
        f"for m = 0:{len(models) - 1}\n  fwrite(out, feval(sprintf('model_%d', m), X), 'double');\n"
        "end\nfclose(out);\n"
    )
    command = [interpreter, "--no-gui", "--norc", "--quiet", "run_all.m"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=180)
    check(_results(tmp_path))


def test_julia(tmp_path: Path) -> None:
    interpreter = tool("julia", "none in Debian 12; see julialang.org")
    models, formulas, X, _ = cases()
    _prepare(tmp_path)
    modules = "\n".join(
        f"module M{n}\n{each.to('julia', name='value')}\nend" for n, each in enumerate(formulas)
    )
    calls = "\n".join(
        f"write(out, Float64[M{n}.value({', '.join(f'x[r, {i + 1}]' for i in variables(model))}) "
        f"for r in 1:{len(X)}])"
        for n, model in enumerate(models)
    )
    (tmp_path / "models.jl").write_text(
        f'{modules}\nx = Array{{Float64}}(undef, {len(X)}, {X.shape[1]})\nread!("columns", x)\n'
        f'out = open("values", "w")\n{calls}\nclose(out)\n'
    )
    subprocess.run([interpreter, "models.jl"], cwd=tmp_path, check=True, timeout=400)
    check(_results(tmp_path))

"""C and Rust: all models compiled into one program, run, compared."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
from export_cases import cases, check, tool

from multigene.expression.tree import Array, variables


def _run(program: Path, folder: Path) -> list[Array]:
    models, _, X, _ = cases()
    X.tofile(folder / "rows")
    subprocess.run([program, folder / "rows", folder / "values"], check=True, timeout=120)
    return list(np.fromfile(folder / "values").reshape(len(models), len(X)))


def test_c(tmp_path: Path) -> None:
    compiler = tool("gcc", "gcc")
    models, formulas, X, _ = cases()
    width = X.shape[1]
    # The helpers of each formula get names of their own, as they would in files of their own.
    sources = [
        formula.to("c", name=f"model_{number}").replace("mg_", f"mg{number}_")
        for number, formula in enumerate(formulas)
    ]
    loops = []
    for number, model in enumerate(models):
        arguments = ", ".join(f"x[r * {width} + {index}]" for index in variables(model))
        loops.append(
            f"for (int r = 0; r < {len(X)}; r++) {{ "
            f"v = model_{number}({arguments}); fwrite(&v, 8, 1, out); }}"
        )
    main = (
        f"#include <stdio.h>\nstatic double x[{X.size}];\n"
        'int main(int argc, char **argv) {\n double v; FILE *in = fopen(argv[argc - 2], "rb");\n'
        f' if (fread(x, 8, {X.size}, in) != {X.size}) return 1;\n FILE *out = fopen(argv[argc - 1], "wb");\n'
        + "\n".join(loops)
        + "\n return fclose(out);\n}\n"
    )
    (tmp_path / "models.c").write_text("\n".join([*sources, main]))
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    command = [compiler, *flags, "models.c", "-o", "models", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    check(_run(tmp_path / "models", tmp_path))


def test_rust(tmp_path: Path) -> None:
    compiler = tool("rustc", "rustc")
    models, formulas, X, _ = cases()
    width = X.shape[1]
    modules = [
        f"mod m{number} {{\n{formula.to('rust', name='value')}\n}}\n"
        for number, formula in enumerate(formulas)
    ]
    loops = []
    for number, model in enumerate(models):
        arguments = ", ".join(f"x[_r * {width} + {index}]" for index in variables(model))
        loops.append(
            f"for _r in 0..{len(X)} {{ "
            f"let v = m{number}::value({arguments}); out.extend_from_slice(&v.to_le_bytes()); }}"
        )
    main = (
        "fn main() {\n let paths: Vec<String> = std::env::args().collect();\n"
        " let bytes = std::fs::read(&paths[1]).unwrap();\n let x: Vec<f64> = bytes.chunks(8)"
        ".map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();\n"
        " let mut out: Vec<u8> = Vec::new();\n"
        + "\n".join(loops)
        + "\n std::fs::write(&paths[2], out).unwrap();\n}\n"
    )
    (tmp_path / "models.rs").write_text("\n".join([*modules, main]))
    command = [
        compiler,
        "--edition=2021",
        "-D",
        "warnings",
        "-A",
        "unused_parens",
        "models.rs",
        "-o",
        "models",
    ]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=180)
    check(_run(tmp_path / "models", tmp_path))

"""The house plan, read off the sources: who imports whom, how long files and functions are."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "multigene"
BINDING = ROOT / "crates" / "multigene-python" / "src"
CORE = ROOT / "crates" / "multigene-core" / "src"

#: Folders and top modules from the front door down to the engine. A module imports from its own folder or from what stands below
#: it, never from above: imports inside functions and for type checkers count as well.
ORDER = [
    "__main__",
    "cli",
    "studio",
    "study",
    "estimators",
    "estimator",
    "answers",
    "fitting",
    "guesses",
    "report",
    "model_file",
    "model_check",
    "classes",
    "fitted",
    "groups",
    "explain",
    "search",
    "laws",
    "evolution",
    "settings",
    "formula",
    "export",
    "shapes",
    "rules",
    "expression",
    "data",
    "files",
    "words",
    "_engine",
]
RANK = {name: rank for rank, name in enumerate(ORDER)}
#: The public names are at home below; the twin is for tests alone.
UNRANKED = {"__init__", "_reference"}
SOURCES = sorted(p for p in PACKAGE.rglob("*.py"))


def module_of(path: Path) -> str:
    """The folder of a file, or the top module that it is."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(path: Path) -> list[str]:
    """Modules of the package that a file imports, dotted, without the package's own name; lazily or not."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        assert not (isinstance(node, ast.ImportFrom) and node.level), f"{path.name} has a relative import"
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "multigene":
            base = (node.module or "").split(".")[1:]
            found += [".".join([*base, alias.name]) for alias in node.names if alias.name != "__version__"]
        elif isinstance(node, ast.Import):
            found += [a.name.partition(".")[2] for a in node.names if a.name.startswith("multigene.")]
    return found


def imported(path: Path) -> set[str]:
    """Folders and top modules that a file imports."""
    return {name.split(".")[0] for name in imports(path)}


def file_of(dotted: str) -> Path | None:
    """The file behind an imported name: the module itself, or the one that the name is taken from."""
    parts = dotted.split(".")
    for length in (len(parts), len(parts) - 1):
        place = PACKAGE.joinpath(*parts[:length])
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if length and path.is_file():
                return path
    return None


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_dependency_runs_one_way(path):
    me = module_of(path)
    if me in UNRANKED:
        return
    assert me in RANK, f"{me} has no place in the order of folders; give it one"
    for other in imported(path) - {me}:
        assert other in RANK, f"{me} imports {other}, which has no place in the order of folders"
        assert RANK[other] > RANK[me], f"{me} imports {other}, which stands above it"


def test_every_folder_and_module_has_a_place():
    present = {module_of(path) for path in SOURCES} | {"_engine"}
    assert present - UNRANKED == set(ORDER)


def test_no_module_imports_itself_in_a_circle():
    """Within a folder too: modules can be put in an order in which each needs only those before it."""
    needs = {path: {f for name in imports(path) if (f := file_of(name)) and f != path} for path in SOURCES}
    done: set[Path] = set()
    while ready := [path for path in SOURCES if path not in done and needs[path] <= done]:
        done |= set(ready)
    circle = [str(p.relative_to(PACKAGE)) for p in SOURCES if p not in done]
    assert not circle, f"these import each other in a circle, or need one that does: {circle}"


@pytest.mark.parametrize("folder", sorted({p.parent for p in SOURCES} - {PACKAGE}), ids=lambda p: p.name)
def test_every_folder_says_what_it_is_for(folder):
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    assert text.count(".") >= 3, f"{folder.name}/__init__.py says too little"


def test_the_top_holds_a_handful_of_modules():
    top = {p.stem for p in PACKAGE.glob("*.py")} - UNRANKED
    assert len(top) <= 10, sorted(top)


def private_names(path: Path) -> set[str]:
    """Private attributes and methods that the classes of a file have."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    own = {n.attr for n in nodes if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self"}
    names = own | {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    return {name for name in names if name.startswith("_") and not name.endswith("_") and "repr" not in name}


#: What an estimator keeps to itself, today or at a time when others read it; `fitted_` is the way in.
FITTED = private_names(PACKAGE / "estimator.py") | {
    "_member", "_front", "_names", "_target_name", "_settings", "_rows", "_data_summary", "_uncertainty", "_choose",
    "_resolved_settings",
}  # fmt: skip


def private_accesses(source: str) -> list[str]:
    """Places that touch private attributes of a fitted model that is not the object itself."""
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Attribute) and node.attr in FITTED and ast.unparse(node.value) != "self")
        or (isinstance(node, ast.Constant) and node.value in FITTED)
    ]


#: Whoever can see an estimator or a fitted model.
SEE_MODELS = [
    p for p in SOURCES if RANK.get(module_of(p), len(RANK)) <= RANK["explain"] and p.name != "estimator.py"
]


@pytest.mark.parametrize("path", SEE_MODELS, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_nobody_touches_private_attributes_of_an_estimator(path):
    """Report, plots, files and commands read a `FittedModel`; `getattr(model, "_front")` counts as well."""
    assert private_accesses(path.read_text()) == []


def test_private_accesses_are_seen():
    assert {"_fitted", "_state"} <= FITTED
    assert private_accesses("model._member.individual")
    assert private_accesses("getattr(model, '_front', None)")
    assert private_accesses("estimator._settings = 1")
    assert not private_accesses("self._rows = 1; model.fitted_.rows")


def foreign_private_accesses(path: Path) -> list[str]:
    """Private attributes that a file reads although no class of it has them."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    own = private_names(path) | {
        name.id
        for cls in nodes
        if isinstance(cls, ast.ClassDef)
        for field in cls.body
        if isinstance(field, ast.AnnAssign | ast.Assign)
        for name in ast.walk(field)
        if isinstance(name, ast.Name)
    }
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and not node.attr.startswith("_repr_")  # the notebook's interface
        and node.attr not in own | {"_exit", "_program"}  # of `os` and of another program
        and ast.unparse(node.value) not in ("self", "cls", "super()")
    ]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_nobody_touches_private_attributes_of_another_module(path):
    assert foreign_private_accesses(path) == []


def test_parameters_are_those_of_the_estimator():
    """The signature is written for readers; everybody else asks `Parameters`."""
    import inspect
    from dataclasses import fields

    from multigene import MultigeneRegressor
    from multigene.settings.parameters import Parameters

    signature = inspect.signature(MultigeneRegressor).parameters.values()
    assert [(p.name, p.default) for p in signature] == [(f.name, f.default) for f in fields(Parameters)]


def test_nobody_imports_the_twin():
    for path in SOURCES:
        assert "_reference" not in imported(path), path.name


def test_the_loop_neither_prints_nor_saves_nor_looks_at_a_clock():
    for name in ("loop", "selection", "pareto"):
        source = (PACKAGE / "evolution" / f"{name}.py").read_text()
        names = {
            n.names[0].name.split(".")[0] for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Import)
        }
        assert not names & {"time", "os", "sys", "pathlib", "logging", "rich"}
        assert "print(" not in source
        assert "open(" not in source


def test_the_binding_is_thin():
    """Signatures, plain options, errors: at most 500 lines in all, comments included."""
    files = {p.stem: len(p.read_text().splitlines()) for p in BINDING.glob("*.rs")}
    assert set(files) == {"lib", "convert", "loss", "population", "model", "workers"}
    assert sum(files.values()) <= 500


def test_calls_on_rows_release_the_interpreter_lock():
    """`Individual.fit` and `gene_values` once held it."""
    calls = {}
    for path in BINDING.glob("*.rs"):
        for function in re.split(r"\n(?= *(?:pub )?fn )", path.read_text())[1:]:
            head, _, body = function.partition("{\n")
            if "py: Python" in head and re.search(r"Matrix|Vector|&Dataset", head):
                calls[re.findall(r"fn (\w+)", head)[0]] = re.search(r"compute\(|\.detach\(|\.run\(", body)
    assert {"predict", "gene_values", "fit", "gradient", "tune", "evaluate", "sweep"} <= set(calls)
    assert not [name for name, released in calls.items() if not released]


def test_the_core_is_pure():
    """No Python, no files, no clock, no global randomness in the engine."""
    for path in CORE.rglob("*.rs"):
        source = path.read_text()
        for forbidden in (
            "pyo3",
            "std::fs",
            "std::time",
            "SystemTime",
            "Instant::",
            "rand::rng()",
            "thread_rng",
            "println!",
        ):
            assert forbidden not in source, f"{path.name} uses {forbidden}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_module_says_what_it_is(path):
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree) or not tree.body, f"{path.name} has no docstring"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_sizes(path):
    """Files of 400 lines at most, functions of 50 (docstring and signature not counted)."""
    source = path.read_text()
    assert len(source.splitlines()) <= 400, f"{path.name} is long; split it"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            if body:
                length = body[-1].end_lineno - body[0].lineno + 1
                assert length <= 50, f"{path.name}: {node.name} has {length} lines"


#: A file that a comment or docstring names, with a folder, perhaps with a name in it after a colon.
CITED = re.compile(r"`([\w-]+(?:/[\w-]+)+\.(?:py|rs|md|js|json|toml))(?::[\w.]+)?`")


def test_comments_cite_files_that_exist():
    folders = ("python", "crates", "tests", "benchmarks", "examples", "docs")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    known = [f"/{path.relative_to(ROOT)}" for path in files]
    missing = []
    for path in files:
        if path.suffix in (".py", ".rs", ".js") and "target" not in path.parts:
            cited = set(CITED.findall(path.read_text("utf-8")))
            missing += [f"{path}: {c}" for c in cited if not any(k.endswith(f"/{c}") for k in known)]
    assert missing == []


def bare_numbers(path: Path) -> list[str]:
    """Names at the top of a module whose values are numbers as they stand, or tuples of them."""

    def is_number(value: ast.expr) -> bool:
        if isinstance(value, ast.UnaryOp | ast.BinOp):
            operands = [value.operand] if isinstance(value, ast.UnaryOp) else [value.left, value.right]
            return all(map(is_number, operands))
        if isinstance(value, ast.Tuple):
            return bool(value.elts) and all(map(is_number, value.elts))
        return isinstance(value, ast.Constant) and type(value.value) in (int, float)

    assigned = (node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Assign))
    return [ast.unparse(node.targets[0]) for node in assigned if is_number(node.value)]


#: Packages with a table of constants.
TABLES = sorted(path.parent for path in PACKAGE.rglob("constants.py"))
#: What may stand elsewhere: sizes of pictures, with their drawing; and numbers that stand for something that is no number.
DRAWINGS = ("first_chart.py", "notebook.py", "trees.py")
CODES = {"(NUMBERS, PLACES)", "(EXPONENT, ONE_LESS)", "ANY_SIZE", "RIDGE", "(ERF_STEP, ERF_TERMS)", "VERSION"}


@pytest.mark.parametrize("folder", TABLES, ids=lambda p: p.name)
def test_constants_stand_in_the_table_of_their_package(folder):
    modules = [p for p in folder.rglob("*.py") if p.name != "constants.py" and p.name not in DRAWINGS]
    assert {
        str(p.relative_to(PACKAGE)): names for p in modules if (names := set(bare_numbers(p)) - CODES)
    } == {}


def test_no_drawer_for_odds_and_ends():
    for path in [*SOURCES, *CORE.rglob("*.rs"), *BINDING.glob("*.rs")]:
        assert not {"utils", "helpers", "manager", "common", "misc"} & set(path.with_suffix("").parts[-2:]), (
            path
        )


def test_public_functions_are_documented():
    for path in SOURCES:
        for node in ast.parse(path.read_text()).body:
            named = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            if named:
                assert ast.get_docstring(node), f"{path.name}: {node.name} has no docstring"
            if (
                named and isinstance(node, ast.ClassDef) and not node.bases
            ):  # what overrides is documented where it overrides
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
                        assert ast.get_docstring(method), (
                            f"{path.name}: {node.name}.{method.name} has no docstring"
                        )


def test_the_stub_documents_the_whole_engine():
    import multigene._engine as engine

    stub = ast.parse((PACKAGE / "_engine.pyi").read_text())
    described = {n.name: n for n in stub.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    real = {name for name in dir(engine) if not name.startswith("_")}
    assert set(described) == real
    for name, node in described.items():
        assert ast.get_docstring(node), name
        if isinstance(node, ast.ClassDef):
            methods = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}
            assert {m for m in methods if not m.startswith("_")} == {
                m for m in vars(getattr(engine, name)) if not m.startswith("_")
            }
            for method, inner in methods.items():
                assert method.startswith("__") or ast.get_docstring(inner), f"{name}.{method}"


def test_at_most_16_parameters():
    import inspect

    from multigene import MultigeneRegressor

    assert len(inspect.signature(MultigeneRegressor).parameters) <= 16


def test_the_citation_names_the_version_of_the_package():
    import re
    import tomllib

    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert re.findall(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M) == [version]


def test_import_is_light():
    """`import multigene` loads none of the heavy libraries; the estimator only what scikit-learn itself loads, and
    no search, which the first fit loads."""
    import subprocess
    import sys

    def loaded(code: str) -> set[str]:
        names = "numpy, pandas, sklearn, scipy, rich, matplotlib, sympy, plotly, polars, multigene.fitting, multigene.search.run"
        show = f"; import sys; print(*[m for m in '{names}'.split(', ') if m in sys.modules])"
        return set(
            subprocess.run(
                [sys.executable, "-c", code + show], capture_output=True, text=True, check=True
            ).stdout.split()
        )

    assert loaded("import multigene") == set()
    assert loaded("import multigene.evolution.loop, multigene.settings") == {"numpy"}
    assert loaded("from multigene import MultigeneRegressor") == loaded("import sklearn.base")
    pytest.importorskip("typer")
    assert not {"sklearn", "matplotlib", "sympy", "plotly"} & loaded("import multigene.cli")


def test_a_fit_on_the_command_line_needs_no_scikit_learn(tmp_path):
    """Its import takes longer than finding many a law does."""
    import subprocess
    import sys

    pytest.importorskip("typer")
    table = tmp_path / "table.csv"
    table.write_text("a,b,y\n" + "".join(f"{a},{b},{a / b}\n" for a in range(1, 12) for b in range(1, 8)))
    code = (
        "import sys; from multigene.cli import app\n"
        f"try: app(['fit', {str(table)!r}, '--target', 'y', '--time', '5'])\n"
        "except SystemExit as end: print(end.code, [m for m in ('sklearn', 'scipy.stats', 'sympy') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.startswith("y = a/b"), told
    assert told.splitlines()[-1] == "0 []", told

"""Everything that the program is built of or needs at run time may be shipped with it: permissive licences only."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: Licences that ask for no more than a notice.
PERMISSIVE = {
    "MIT", "MIT-CMU", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib",
    "Unlicense", "Unicode-3.0", "CC0-1.0", "PSF-2.0", "Python-2.0", "0BSD", "HPND",
}  # fmt: skip
#: Of compiled code that a wheel brings along and nothing is linked to: the run time of GCC may be shipped with anything.
EXCEPTIONS = {"GPL-3.0-or-later WITH GCC-exception-3.1", "GPL-3.0-with-GCC-exception"}
#: As older packages call them.
OLDER = {
    "MIT License": "MIT", "BSD License": "BSD-3-Clause", "Apache Software License": "Apache-2.0", "BSD": "BSD-3-Clause",
    "Apache License 2.0": "Apache-2.0", "Python Software Foundation License": "PSF-2.0", "3-Clause BSD License": "BSD-3-Clause",
    "Apache License, Version 2.0": "Apache-2.0", "new BSD": "BSD-3-Clause",
    "Apache License v2.0": "Apache-2.0", "BSD 3-Clause": "BSD-3-Clause",
}  # fmt: skip


def allowed(licence: str) -> bool:
    """Is a licence, by its SPDX expression, permissive, or can one that is be chosen?"""
    text = licence.strip().replace("/", " OR ")
    while found := re.search(r"\(([^()]*)\)", text):
        text = text.replace(found[0], "MIT" if allowed(found[1]) else "unknown")
    return all(
        any(OLDER.get(part.strip(), part.strip()) in PERMISSIVE | EXCEPTIONS for part in each.split(" OR "))
        for each in text.split(" AND ")
    )


def test_what_is_allowed():
    assert allowed("(MIT OR Apache-2.0) AND Unicode-3.0")
    assert allowed("MIT/Apache-2.0")
    assert allowed("MIT OR Apache-2.0 OR LGPL-2.1-or-later")
    assert not allowed("GPL-3.0-or-later")
    assert not allowed("MIT AND AGPL-3.0-only")
    assert not allowed("")


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_licences_of_the_engine():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("the sources of the engine's dependencies are not here")
    packages = json.loads(done.stdout)["packages"]
    assert len(packages) > 20
    assert [p["name"] for p in packages if not allowed(p["license"] or "")] == []


def _licence(name: str) -> str:
    found = metadata.metadata(name)
    named = [
        c.rsplit(" :: ", 1)[-1] for c in found.get_all("Classifier") or [] if c.startswith("License :: ")
    ]
    stated = found.get("License-Expression") or found.get("License") or ""
    short = stated if stated and len(stated) < 150 else ""
    return short or " AND ".join(named)


def test_licences_of_what_is_needed_at_run_time():
    """All extras included, as far as they are installed."""
    needed = [
        re.split(r"[\s<>=!~;\[(]", each, maxsplit=1)[0] for each in metadata.requires("multigene") or []
    ]
    wrong = {}
    for name in sorted(set(needed) - {"multigene"}):
        try:
            licence = _licence(name)
        except metadata.PackageNotFoundError:
            continue
        if not allowed(licence):
            wrong[name] = licence
    assert wrong == {}

"""A formula that is broken into lines is still the formula: what a narrow page shows, computed, against the model."""

from __future__ import annotations

import re
from importlib import resources

import numpy as np
import pytest
from browser import MISSING, chromium

from multigene._engine import Individual
from multigene.expression.genes import model_expression
from multigene.formula import Formula
from multigene.report.shown_formula import written

pytest.importorskip("selenium", reason="needs selenium to drive the browser")
if MISSING:
    pytest.skip(MISSING, allow_module_level=True)

NAMES = ["velocity", "thickness", "frequency", "angle"]

#: Genes with fractions, sums and products that are wider than a phone.
WIDE = {
    "a fraction": ["v*exp(-18*t**3/sqrt(f) - 0.99/(f*t))/(f + 3*a)"],
    "a sum above": ["(v*f - t*a + 2.5*t*f*v)/(a + f*t)"],
    "between factors": ["sin(v + t + 7*f)*tanh(a*t + v)/(1.25 + f*v)"],
    "nested": ["v/(1.5 + t/(2.5 + (f + v + 3.5*a)/(a + f*t + v*a)))"],
    "several": ["v/(a + f)", "(t + a + 2*v)/(f*v)", "t**2"],
}

#: What the lines say, from top to bottom, as an expression that Python computes.
AS_PYTHON = """
const tell = e => { const inside = [...e.children].map(tell), name = e.localName;
  if (name === "mfrac") return `((${inside[0]})/(${inside[1]}))`;
  if (name === "msup") return e.children[0].textContent === "e" ? `exp(${inside[1]})` : `((${inside[0]})**(${inside[1]}))`;
  if (name === "msqrt") return `sqrt(${inside.join("")})`;
  if (inside.length && name !== "msub") return inside.join("");
  return {"⋅": "*", "−": "-", "\\u2061": ""}[e.textContent] ?? e.textContent; };
return [[...document.querySelectorAll("#place math")].map(tell).join(""), document.querySelectorAll("#place math").length,
  document.getElementById("place").scrollWidth - document.getElementById("place").clientWidth]
"""


@pytest.fixture(scope="module")
def driver():
    with chromium(width=500) as found:
        yield found


@pytest.mark.parametrize("name", WIDE)
def test_lines_say_what_the_formula_says(tmp_path, driver, name):
    letters = {column[0]: f"x{place}" for place, column in enumerate(NAMES)}
    genes = [re.sub(r"\b[vtfa]\b", lambda found: letters[found[0]], gene) for gene in WIDE[name]]
    individual = Individual(genes, 77.5, [107.5, -2.25, 3.0][: len(genes)])
    X = np.random.default_rng(0).uniform(0.5, 1.5, (50, len(NAMES)))
    shown = written(Formula(model_expression(individual), NAMES, "level"), 17)
    module = (resources.files("multigene.report") / "templates" / "modules" / "mathematics.js").read_text(
        "utf-8"
    )
    page = tmp_path / "page.html"
    page.write_text(
        f'<meta charset="utf-8"><div id="place" style="width: 20rem; padding: 0; overflow-x: auto">{shown.mathml}</div>'
        f'<script type="module">{module}; new Mathematics().add(document.getElementById("place"));</script>',
        encoding="utf-8",
    )
    driver.get(page.as_uri())
    said, lines, wide = driver.execute_script(AS_PYTHON)
    assert lines > 1
    assert wide <= 1
    columns = dict(zip(NAMES, X.T, strict=True)) | {f.__name__: f for f in (np.exp, np.sqrt, np.sin, np.tanh)}
    computed = eval(said.split("=")[1], columns)
    assert np.allclose(computed, individual.predict(X), rtol=1e-12, atol=0.0), said

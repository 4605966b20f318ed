"""The chart library, cut down to the charts that pages draw."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import multigene
from multigene.report.library import DRAWN, TRIED, chart_library, cut_down

PACKAGE = Path(multigene.__file__).parent
KIND = re.compile(r'moduleType:"trace",name:"(\w+)"')


@pytest.fixture(scope="module")
def whole() -> str:
    offline = pytest.importorskip("plotly.offline")
    return str(offline.get_plotlyjs())


def test_the_library_is_cut_down_to_what_is_drawn(whole):
    cut = chart_library()
    if not TRIED.search(whole, 0, 100):
        pytest.skip(
            "this version of Plotly is not cut down: draw the pages with it in a browser, then add it to TRIED"
        )
    assert len(cut) < len(whole) / 3
    assert {"scatter", *DRAWN} <= set(KIND.findall(cut))
    assert not {"scattermap", "surface", "choropleth", "sankey"} & set(KIND.findall(cut))
    assert "Licensed under the MIT license" in cut
    assert cut.endswith(whole[-700:])  # notices of what it is made of


def test_versions_that_were_not_tried_stay_whole(whole, monkeypatch):
    other = re.sub(r"plotly\.js v[\d.]+", "plotly.js v99.0.0", whole, count=1)
    monkeypatch.setattr("plotly.offline.get_plotlyjs", lambda: other)
    assert chart_library.__wrapped__() == other


def test_every_kind_of_chart_that_pages_draw_is_in_it(whole):
    scripts = [path.read_text("utf-8") for path in PACKAGE.rglob("templates/modules/*.js")]
    types = {kind for text in scripts for kind in re.findall(r'type: "(\w+)"', text)}
    assert types & set(KIND.findall(whole)) == {"scatter", *DRAWN}


SCRIPT = """/* notice */
"use strict";var Plotly=(()=>{var D=Object.defineProperty;var E=(e,t)=>()=>(e&&(t=e(e=0)),t);\
var W=(e,t)=>()=>(t||e((t={exports:{}}).exports,t),t.exports),X=(e,t)=>{for(var r in t)D(e,r,{get:t[r],enumerable:!0})};\
var core=W((e,t)=>{t.exports={list:[],register(l){this.list.push(...l)},sum:shared(2)}});function shared(e){return e+"}".length}\
function alone(e){return/[}]/.test(e)}\
var space={};X(space,{value:()=>made});var made,other,init=E(()=>{"use strict";made=`${1}{`,other=2});\
var odd={};X(odd,{value:()=>late});var late,later=E(()=>{late=alone("}")});\
REGISTERED\
var all=W((e,t)=>{var c=core();c.register([CALLS]);t.exports=c});return all();})();
/* notices */
window.Plotly = Plotly;
"""
KINDS = ["bar", "contour", *(f"kind{i}" for i in range(10))]


def script(uses: str = "init(),made") -> str:
    """A small script built like the library."""
    registered = "".join(
        f'var trace_{k}=W((e,t)=>{{t.exports={{moduleType:"trace",name:"{k}",uses:({uses if k == "bar" else "later()"})}}}});'
        f"var lib_{k}=W((e,t)=>{{t.exports=trace_{k}()}});"
        for k in KINDS
    )
    calls = ",".join(f"lib_{k}()" for k in KINDS)
    return SCRIPT.replace("REGISTERED", registered).replace("CALLS", calls)


def test_parts_that_nothing_asks_for_are_left_out():
    cut = cut_down(script(), ["bar"])
    assert "c.register([lib_bar()])" in cut
    assert "trace_kind3" not in cut
    assert "trace_contour" not in cut
    assert "function shared" in cut  # named by what is kept
    assert "init=E(" in cut
    assert "later=E(" not in cut
    assert "var late;" in cut  # its name stays, without a value, as it would have been
    assert cut.startswith("/* notice */")
    assert cut.endswith("window.Plotly = Plotly;\n")
    assert "later=E(" in cut_down(script("later()"), ["bar"])
    assert "function alone" in cut_down(script("later()"), ["bar"])


@pytest.mark.parametrize(
    "source",
    [
        "",
        "var x = 1;",
        script().replace("var Plotly=(()=>{", "var Plotly=function(){"),
        script().replace("trace_bar()", "(trace_bar())("),
        script().replace('name:"bar"', 'name:"bars"'),
        script().replace("c.register(", "c.add("),
        script().replace("var E=(e,t)=>()=>", "var E=(e,t)=>e,F=").replace("W=(e,t)=>()=>", "W=(e,t)=>"),
        script().replace("X(space,", "X(nowhere,"),
    ],
)
def test_a_script_that_is_built_in_another_way_stays_whole(source):
    assert cut_down(source) == source

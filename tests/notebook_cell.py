"""A page with two cells that show a widget, for tests and pictures: it talks to the widget as anywidget's front ends do."""

from __future__ import annotations

import base64
import json
from typing import Any

PAGE = """<!DOCTYPE html><body data-jp-theme-light="%(light)s"><p id="around">%(said)s</p><div id="cell"></div>
<script type="module">
const answers = %(answers)s, listeners = new Set();
const model = {
  on: (_, listener) => listeners.add(listener), off: (_, listener) => listeners.delete(listener),
  send: ({kind}) => { window.asked = [...(window.asked ?? []), kind]; const [message, packed] = answers[kind];
    const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
    setTimeout(() => listeners.forEach(l => l(message, [new DataView(bytes.buffer)])), 5); }};
const widget = await import("data:text/javascript;base64," + "%(script)s");
await widget.default.render({model, el: document.getElementById("cell")});
const second = document.createElement("div"); document.body.append(second);
await widget.default.render({model, el: second});
document.body.dataset.ready = "yes";
</script></body>"""


def asked(widget: Any, kind: str) -> tuple[dict[str, Any], Any]:
    """What the widget sends when its page asks for something."""
    sent: list[tuple[dict[str, Any], Any]] = []
    widget.send = lambda content, buffers=None: sent.append((content, buffers))
    widget._answered(widget, {"kind": kind}, [])
    [(content, buffers)] = sent
    return content, buffers


def cells(widget: Any, said: str = "around", light: bool = False) -> str:
    """The page; what the kernel would send is in it."""
    answers = {}
    for kind in ("content", "library"):
        content, buffers = asked(widget, kind)
        answers[kind] = [content, base64.b64encode(buffers[0]).decode()]
    return PAGE % {
        "answers": json.dumps(answers).replace("</", "<\\/"),
        "script": base64.b64encode(str(widget._esm).encode()).decode(),
        "said": said,
        "light": str(light).lower(),
    }


def shown(driver: Any) -> bool:
    """Are both cells drawn?"""
    cell = driver.execute_script("return document.querySelector('#cell > div')?.dataset.ready")
    return bool(cell == "yes" and driver.execute_script("return document.body.dataset.ready") == "yes")

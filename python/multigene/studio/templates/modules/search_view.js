// Search, live: the front grows, the best formula in words; pause, go on, stop; pin, ban, offer, price of size.
import {axis, layout} from "./charts.js";
import {fixed, nodes, r2} from "./format.js";
import {ask, attempt, library, make, place, say} from "./requests.js";

const PHASES = {prepare: "preparing", evolve: "evolving", seek: "looking for a law", "cross-validate": "cross-validating the whole search", explore: "exploring", finish: "finishing on all rows"};
// What a phase is for, and what may be done in it.
const MEANING = {seek: "Short formulas are tried first: if one explains everything, it is the law, and the search ends. Steering works already.", "cross-validate": "There are few rows, so the whole search runs on parts of them first: that tells how large a formula may be. Formulas shown are those of the present part."};
function at(run) { return (PHASES[run.phase] ?? run.phase) + (run.part ? `, part ${run.part[0]} of ${run.part[1]}` : ""); }
const SAID = {running: "running", paused: "paused", done: "done", failed: "failed"};

function colours() { const style = getComputedStyle(document.documentElement); return new Proxy({}, {get: (_, name) => style.getPropertyValue("--" + name).trim()}); }

export function searchView(session) {
  if (!session.run) { location.hash = session.state.runs.length ? "runs" : "data"; return; }
  const number = session.run, form = text => make("input", {type: "text", id: text});
  let current = null, hovered = null, over = false;
  const title = make("h2", {id: "run-title"}, `Run ${number}`), status = make("p", {id: "run-state", className: "big-number"}), detail = make("p", {id: "run-detail", className: "quietly"}), bar = make("i"), trouble = make("p", {className: "note", hidden: true});
  const formula = make("p", {id: "best-formula", className: "best", tabIndex: 0, role: "region", "aria-label": "Best formula so far"}), score = make("p", {id: "best-r2", className: "big-number"}), under = make("p", {id: "hovered", className: "best quietly", tabIndex: 0, role: "region", "aria-label": "Formula under the pointer"}, "Point at the front to read a formula.");
  const button = (id, text, what) => make("button", {type: "button", id, onclick: () => attempt(async () => update(await ask(`/api/runs/${number}/ask`, {what})))}, text);
  const pause = button("pause", "Pause", "pause"), resume = button("resume", "Go on", "resume"), stop = button("stop", "Stop", "stop"), look = make("button", {type: "button", className: "primary", id: "look", onclick: () => { location.hash = "model"; }}, "Look at the model");
  const steer = (action, value) => attempt(async () => { update(await ask(`/api/runs/${number}/steer`, {action, value})); say("It is taken up at the next round."); });
  const ban = make("select", {id: "ban"}), typed = form("offered"), price = make("input", {type: "range", id: "price", min: 0, max: 20, step: .5, value: 0}), priceSaid = make("output", {}, "0");
  price.addEventListener("input", () => { priceSaid.textContent = price.value; }); price.addEventListener("change", () => steer("price", Number(price.value)));
  const actions = make("ol", {className: "actions-list", id: "actions"}), python = make("a", {href: `/api/runs/${number}/save/python`, id: "python"}, "the run as Python");
  const steering = make("div", {className: "box", id: "steering"}, make("h2", {}, "Steer"),
    make("label", {className: "field"}, make("span", {}, "A formula to try, in terms of the columns"), typed),
    make("p", {className: "actions"}, make("button", {type: "button", id: "offer", onclick: () => steer("offer", typed.value)}, "Send in"), make("button", {type: "button", id: "pin", onclick: () => steer("pin", typed.value || hovered || "")}, "Pin"), make("button", {type: "button", id: "edit-best", onclick: () => { typed.value = (hovered ?? current?.formula ?? ""); typed.focus(); }}, "Edit the shown one")),
    make("label", {className: "field"}, make("span", {}, "Ban a column or function"), ban), make("p", {className: "actions"}, make("button", {type: "button", id: "do-ban", onclick: () => steer("ban", ban.value)}, "Ban")),
    make("label", {className: "field"}, make("span", {}, "Price of size ", priceSaid), price), make("h3", {}, "What was done"), actions, make("p", {className: "quietly"}, "Also ", python, "."));
  const chart = make("div", {className: "plot tall", id: "live-front", role: "img", "aria-label": "Accuracy against size of the formulas found so far"});
  place("view").replaceChildren(make("main", {className: "page"}, make("div", {className: "columns"},
    make("div", {}, make("div", {className: "box"}, title, status, make("div", {className: "progress"}, bar), detail, trouble, make("p", {className: "actions"}, pause, resume, stop, look)),
      make("div", {className: "box"}, make("h2", {}, "Best so far"), score, formula), make("figure", {className: "chart"}, make("h3", {}, "Accuracy against size"), chart, under)),
    steering)));
  library();
  function draw() {
    if (!current?.front.length) return;
    library().then(Charts => {
      if (!chart.isConnected) return;
      const colour = colours(), rows = current.front.filter(f => f.r2 > -.1), sizes = rows.map(f => f.size), wide = Math.max(...sizes) / Math.max(1, Math.min(...sizes)) > 25;
      Charts.react(chart, [{type: "scatter", mode: "lines+markers", x: sizes, y: rows.map(f => f.r2), customdata: rows.map(f => current.front.indexOf(f)), line: {shape: "hv", color: colour.train, width: 1.5}, marker: {size: 9, color: colour.train}, hovertemplate: `%{x} nodes, ${current.measure} %{y:.4f}<extra></extra>`}],
        layout(colour, {xaxis: axis(colour, "nodes of the formula", wide ? {type: "log"} : {rangemode: "tozero"}), yaxis: axis(colour, `${current.measure} on the rows searched`), width: chart.clientWidth, height: chart.clientHeight}), {displayModeBar: false});
      if (!chart.dataset.ready) { chart.dataset.ready = "yes"; chart.on("plotly_hover", event => { const row = current.front[event.points[0].customdata]; hovered = row.formula; under.textContent = `${nodes(row.size)}: ${row.formula ?? "…"}`; }); }
    });
  }
  function update(run) {
    current = run;
    title.textContent = `Run ${run.number}: ${run.target}`;
    const asked = run.state === "running" && run.wanted ? `${run.wanted === "pause" ? "pausing" : "stopping"} after this round` : SAID[run.state];
    status.textContent = asked;
    const share = run.generations ? run.generation / run.generations : run.limit ? run.seconds / run.limit : 0;
    bar.style.width = `${100 * Math.min(1, run.state === "done" ? 1 : share)}%`;
    const left = run.limit && run.state === "running" ? `, about ${Math.max(0, Math.round(run.limit - run.seconds))} s left` : "";
    detail.textContent = `${run.state === "running" ? at(run) + ", " : ""}${run.seconds} s${run.generation ? `, ${run.generation} generations` : ""}${left}. ${run.state === "running" ? MEANING[run.phase] ?? "" : ""} ${run.note ?? ""}`;
    trouble.hidden = !run.trouble; trouble.textContent = run.trouble;
    score.textContent = run.r2 === null ? "–" : `${run.measure} ${r2(run.r2)}`;
    formula.textContent = run.formula ? `${run.target} = ${run.formula}` : "…";
    pause.disabled = stop.disabled = run.state !== "running" || !!run.wanted; resume.disabled = run.state !== "paused"; look.disabled = !run.has_model;
    if (run.state === "paused") stop.disabled = false;
    for (const e of steering.querySelectorAll("input, button, select")) e.disabled = run.state !== "running";
    if (!ban.options.length) ban.append(make("optgroup", {label: "Columns"}, ...run.features.map(f => make("option", {value: f}, f))), make("optgroup", {label: "Functions"}, ...session.state.functions.map(f => make("option", {value: f}, f))));
    actions.replaceChildren(...run.actions.map(a => make("li", {}, `step ${a.step}: ${a.action} ${a.value ?? ""}`)), ...run.waiting.map(([action, value]) => make("li", {}, `next round: ${action} ${value ?? ""}`)));
    session.enable(run.has_model);
    draw();
  }
  async function follow() {
    let after = -1;
    while (title.isConnected) {
      try { const run = await ask(`/api/runs/${number}/live?after=${after}`); if (!title.isConnected) return; after = run.version; update(run); if (run.state !== "running" && !over) { over = true; say(`The run is ${run.state}.`); await session.refresh(); } if (run.state === "running") over = false; }
      catch (error) { status.textContent = "The studio does not answer."; await new Promise(done => setTimeout(done, 1500)); after = -1; }
      await new Promise(done => setTimeout(done, current?.front.some(f => f.formula === null) ? 200 : 60));
    }
  }
  const clock = setInterval(() => { if (!title.isConnected) clearInterval(clock); else if (current?.state === "running") { current.seconds = Math.round(10 * current.seconds + 10) / 10; update(current); } }, 1000);
  follow();
}

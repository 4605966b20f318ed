// Runs: all of the workspace in a table, and the models of two of them side by side.
import {fixed, percentage, r2} from "./format.js";
import {drawCurves} from "./live_charts.js";
import {Mathematics} from "./mathematics.js";
import {ask, attempt, make, place} from "./requests.js";

const HEADINGS = ["Run", "Data", "Target", "State", "Time", "Nodes", "Training", "Test", "Formula", ""];
const number = (text, more = {}) => make("td", {className: "num", ...more}, text);

function table(runs, go) {
  const row = run => make("tr", {}, make("th", {scope: "row"}, `Run ${run.number}`), make("td", {className: "name", title: run.data}, run.data), make("td", {className: "name", title: run.target}, run.target), make("td", {}, run.state), number(`${run.seconds} s`), number(run.size ?? "–"),
    number(r2(run.r2), {title: `${run.measure} on the training rows`}), number(r2(run.test), {title: `${run.measure} on the test rows`}), make("td", {className: "name", title: run.formula}, run.formula),
    make("td", {className: "go"}, make("button", {type: "button", "aria-label": `Search of run ${run.number}`, onclick: () => go(run, "search")}, "Search"), " ", make("button", {type: "button", disabled: run.size === null, "aria-label": `Model of run ${run.number}`, onclick: () => go(run, "model")}, "Model")));
  return make("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Runs"}, make("table", {id: "run-table"}, make("thead", {}, make("tr", {}, ...HEADINGS.map((h, i) => make("th", {scope: "col", className: i > 3 && i < 8 ? "num" : ""}, h)))), make("tbody", {}, ...runs.map(row))));
}

// Each model as the report's panels have it; both on the same rows.
function besides(seen, mathematics) {
  const half = run => {
    const box = make("section", {className: "box side", "aria-label": run.title}, make("h3", {}, run.title)), panels = make("div");
    panels.innerHTML = run.panels.first + run.panels.formula + `<div class="cards">${run.panels.cards}</div>` + run.panels.directions; // written by the server's templates, which escape every name
    panels.querySelectorAll("[id]").forEach(e => { if (e.id === "equation") e.dataset.formula = "yes"; e.removeAttribute("id"); });
    panels.querySelectorAll("[aria-labelledby]").forEach(e => e.removeAttribute("aria-labelledby"));
    box.append(panels);
    return box;
  };
  const sides = seen.runs.map(half), only = (a, b) => a.variables.filter(v => !b.variables.includes(v)).join(", ") || "none", [a, b] = seen.runs;
  const classes = seen.common.some(e => e.classes), headings = classes ? ["", "Told right", "Area below ROC", "Log loss"] : ["", "R²", "RMSE", "MAE", "Half within"], values = e => classes ? [percentage(e.classes.accuracy), fixed(e.classes.area), fixed(e.classes.log_loss)] : [r2(e.r2), fixed(e.rmse), fixed(e.mae), fixed(e.half)];
  const errors = seen.common.length ? make("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Both on the same rows"}, make("table", {id: "common-table"}, make("thead", {}, make("tr", {}, ...headings.map((h, i) => make("th", {scope: "col", className: i ? "num" : ""}, h)))), make("tbody", {}, ...seen.common.map(e => make("tr", {}, make("th", {scope: "row"}, `Run ${e.number}`), ...values(e).map(v => number(v))))))) : null;
  const chart = seen.common.length && !classes ? make("figure", {className: "chart"}, make("h3", {}, "Share of rows predicted to within an error"), make("div", {className: "plot", id: "common-curves", role: "img", "aria-label": "Error curves of both models"})) : null;
  return {parts: [make("p", {className: "in-words", id: "common-said"}, seen.said), make("div", {className: "pair"}, errors, chart), make("p", {className: "quietly"}, `Columns only in run ${a.number}: ${only(a, b)}. Columns only in run ${b.number}: ${only(b, a)}.`), make("div", {className: "pair"}, ...sides)],
    settle() { sides.forEach((side, i) => side.querySelectorAll("[data-formula]").forEach(e => mathematics.add(e, seen.runs[i].text))); if (chart) drawCurves(place("common-curves"), seen); }};
}

export function runsView(session) {
  const runs = session.state.runs, go = (run, where) => { session.run = run.number; session.enable(run.size !== null); location.hash = where; };
  const ready = runs.filter(r => r.size !== null), mathematics = new Mathematics(), result = make("div", {id: "beside-runs"});
  const select = (id, name, chosen) => make("select", {id, "aria-label": name}, ...ready.map(r => make("option", {value: r.number, selected: r === chosen}, `run ${r.number}: ${r.target}, ${r.size} nodes`)));
  const first = select("first-run", "First run", ready[ready.length - 2]), second = select("second-run", "Second run", ready[ready.length - 1]);
  const compare = () => attempt(async () => { const seen = await ask(`/api/runs/${first.value}/beside/${second.value}`), {parts, settle} = besides(seen, mathematics); result.replaceChildren(...parts); settle(); result.scrollIntoView({block: "nearest"}); });
  place("view").replaceChildren(make("main", {className: "page"}, make("h2", {}, "Runs"), make("p", {}, `In ${session.state.folder}: data, models, reports and Python as plain files.`), runs.length ? table(runs, go) : make("p", {}, "There are none yet."), ...session.state.lost.map(text => make("p", {className: "note"}, text)),
    ready.length > 1 ? make("section", {"aria-label": "Two models side by side"}, make("h2", {className: "between"}, "Two models side by side"), make("p", {className: "toolbar"}, first, make("span", {}, "beside"), second, make("button", {type: "button", id: "compare", onclick: compare}, "Compare")), result) : null));
  addEventListener("resize", function again() { if (!result.isConnected) removeEventListener("resize", again); else mathematics.fitAll(); });
}

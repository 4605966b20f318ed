// Runs: all of the workspace side by side.
import {r2} from "./format.js";
import {make, place} from "./requests.js";

export function runsView(session) {
  const runs = session.state.runs, go = (run, where) => { session.run = run.number; session.enable(run.size !== null); location.hash = where; };
  const row = run => make("tr", {}, make("th", {scope: "row"}, `Run ${run.number}`), make("td", {className: "name"}, run.data), make("td", {className: "name"}, run.target), make("td", {}, run.state), make("td", {className: "num"}, `${run.seconds} s`),
    make("td", {className: "num"}, run.size ?? "–"), make("td", {className: "num"}, r2(run.r2)), make("td", {className: "num"}, r2(run.test)), make("td", {className: "name", title: run.formula}, run.formula),
    make("td", {}, make("p", {className: "toolbar"}, make("button", {type: "button", onclick: () => go(run, "search")}, "Search"), make("button", {type: "button", disabled: run.size === null, onclick: () => go(run, "model")}, "Model"))));
  place("view").replaceChildren(make("main", {className: "page"}, make("h2", {}, "Runs"), make("p", {}, `In ${session.state.folder}: data, models, reports and Python as plain files.`),
    runs.length ? make("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Runs"}, make("table", {id: "run-table"}, make("thead", {}, make("tr", {}, ...["Run", "Data", "Target", "State", "Time", "Nodes", "R² training", "R² test", "Formula", ""].map((h, i) => make("th", {scope: "col", className: i > 3 && i < 8 ? "num" : ""}, h)))), make("tbody", {}, ...runs.map(row)))) : make("p", {}, "There are none yet.")));
}

// Data: drop a table or take one that is open; its columns; derived columns by a formula.
import {counted} from "./format.js";
import {clear, show as showMistake} from "./mistakes.js";
import {ask, attempt, make, place, say, send} from "./requests.js";

function spark(counts) {
  if (!counts.length) return "–";
  const most = Math.max(...counts), svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${counts.length * 4} 24`); svg.setAttribute("class", "spark"); svg.setAttribute("aria-hidden", "true"); svg.setAttribute("preserveAspectRatio", "none");
  counts.forEach((count, i) => {
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect"), height = 24 * count / most;
    Object.entries({x: i * 4, y: 24 - height, width: 3.4, height}).forEach(([key, value]) => bar.setAttribute(key, value));
    svg.append(bar);
  });
  return svg;
}

export function dataView(session) {
  const view = place("view"), input = make("input", {type: "file", id: "file", "aria-label": "Table to open", accept: ".csv,.tsv,.txt,.dat,.parquet,.xlsx", className: "hidden", onchange: () => take(input.files[0])});
  const drop = make("div", {className: "drop", id: "drop"}, make("p", {}, "Drop a table here: CSV, Excel or Parquet."), make("label", {htmlFor: "file"}, make("button", {type: "button", onclick: () => input.click()}, "Choose a file …")), input);
  drop.addEventListener("dragover", event => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", event => { event.preventDefault(); drop.classList.remove("over"); take(event.dataTransfer.files[0]); });
  const open = make("p", {className: "toolbar"}, ...session.state.data.map(d => make("button", {type: "button", className: "table-choice", "data-table": d.number, onclick: () => show(d.number)}, d.name)));
  const table = make("div", {id: "table"});
  view.replaceChildren(make("main", {className: "page"}, session.state.data.length > 1 ? make("h2", {}, "Open tables") : null, session.state.data.length > 1 ? open : null, table, drop));
  async function take(file) {
    if (!file) return;
    const seen = await attempt(() => send("/api/data", file));
    if (seen) { await session.refresh(); session.use(seen); dataView(session); say(`${seen.name} is open.`); }
  }
  async function show(number) { const seen = await attempt(() => ask(`/api/data/${number}`)); if (seen) { session.use(seen); shown(seen); } }
  function shown(seen) {
    open.querySelectorAll("button").forEach(b => b.setAttribute("aria-pressed", String(Number(b.dataset.table) === seen.number)));
    const body = seen.columns.map(c => make("tr", {},
      make("th", {scope: "row", className: "name", title: c.name}, c.name), make("td", {}, c.kind + (c.unit ? ` [${c.unit}]` : "")), make("td", {}, spark(c.counts)), make("td", {}, c.values),
      make("td", {className: "num"}, c.gaps.toLocaleString("en")), make("td", {className: "num"}, c.distinct.toLocaleString("en")), make("td", {className: "num"}, c.outliers.toLocaleString("en"))));
    const name = make("input", {type: "text", id: "derived-name"}), formula = make("input", {type: "text", id: "derived-formula", placeholder: "length*width or log(`air gap`)"});
    table.replaceChildren(
      make("h2", {id: "table-name"}, `${seen.name}: ${counted(seen.rows, "row")}, ${counted(seen.columns.length, "column")}`),
      ...seen.remarks.map(r => make("p", {className: "quietly"}, r)),
      make("div", {className: "scroll", tabIndex: 0, role: "region", "aria-label": "Columns"}, make("table", {},
        make("thead", {}, make("tr", {}, ...["Column", "Kind", "Distribution", "Least … median … greatest", "Gaps", "Distinct", "Outliers"].map((h, i) => make("th", {scope: "col", className: i > 3 ? "num" : ""}, h)))), make("tbody", {}, ...body))),
      make("form", {className: "box", style: "margin-top:1rem", onsubmit: async event => {
        event.preventDefault();
        const sheet = event.currentTarget;
        clear(sheet);
        const again = await attempt(() => ask(`/api/data/${seen.number}/derive`, {name: name.value, formula: formula.value}), error => showMistake(sheet, error.field, error.message));
        if (again) { session.use(again); shown(again); say(`Column ${name.value} was added.`); }
      }}, make("h3", {}, "Derived column"), make("div", {className: "choices-row"}, make("label", {className: "field"}, make("span", {}, "Name"), name), make("label", {className: "field"}, make("span", {}, "Formula of numeric columns"), formula)), make("button", {type: "submit", id: "derive"}, "Add column")),
      make("p", {className: "actions"}, make("button", {type: "button", className: "primary", id: "to-question", onclick: () => { location.hash = "question"; }}, "Ask a question …")));
  }
  if (session.table) shown(session.table); else if (session.state.data.length) show(session.state.data[session.state.data.length - 1].number);
}

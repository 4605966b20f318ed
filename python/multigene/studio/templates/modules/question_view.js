// Question: what is to be explained, by what, how long, how.
import {ask, attempt, make, place, say} from "./requests.js";

const NUMERIC = ["number", "yes or no"];

export function questionView(session) {
  const table = session.table;
  if (!table) { location.hash = "data"; return; }
  const columns = table.columns.filter(c => NUMERIC.includes(c.kind)), last = session.question ?? {};
  const guess = last.target && columns.some(c => c.name === last.target) ? last.target : (columns.find(c => ["y", "target"].includes(c.name.toLowerCase())) ?? columns.filter(c => !table.derived.some(d => d.name === c.name)).pop() ?? columns[columns.length - 1])?.name;
  const target = make("select", {id: "target", onchange: drawFeatures}, ...columns.map(c => make("option", {value: c.name, selected: c.name === guess}, c.name)));
  const features = make("div", {className: "checks", id: "features"});
  function drawFeatures() { features.replaceChildren(...columns.filter(c => c.name !== target.value).map(c => make("label", {}, make("input", {type: "checkbox", name: "feature", value: c.name, checked: !last.features?.length || last.features.includes(c.name)}), c.name))); }
  drawFeatures();
  const seconds = make("input", {type: "number", id: "seconds", min: 1, step: 1, value: last.seconds ?? 30}), generations = make("input", {type: "number", id: "generations", min: 1, step: 1, value: last.generations ?? "", placeholder: "by time"});
  const search = make("select", {id: "search-for"}, ...[["both", "a law if there is one, else an approximation"], ["laws", "a law, exact to numerical precision"], ["accuracy", "an approximation"]].map(([value, text]) => make("option", {value, selected: value === last.search}, text)));
  const share = make("input", {type: "range", id: "holdout", min: 0, max: .5, step: .05, value: last.holdout ?? .2}), shareSaid = make("output", {}, ""), seed = make("input", {type: "number", id: "seed", min: 0, value: last.seed ?? 0});
  const saidShare = () => { shareSaid.textContent = `${Math.round(share.value * 100)} % of the rows`; }; share.addEventListener("input", saidShare); saidShare();
  const functions = make("div", {className: "checks", id: "functions"}, ...session.state.functions.map(f => make("label", {}, make("input", {type: "checkbox", name: "function", value: f, checked: !last.functions?.length || last.functions.includes(f)}), f)));
  const units = make("textarea", {id: "units", rows: 2, placeholder: "mass=kg, speed=m/s, energy=J", value: Object.entries(last.units ?? {}).map(e => e.join("=")).join(", ")});
  const checked = name => [...document.querySelectorAll(`input[name=${name}]:checked`)].map(e => e.value);
  async function begin(event) {
    event.preventDefault();
    const chosen = checked("function"), picked = checked("feature");
    const given = {data: table.number, target: target.value, features: picked, seconds: Number(seconds.value) || null, generations: Number(generations.value) || null, search: search.value, holdout: Number(share.value), seed: Number(seed.value),
      functions: chosen.length === session.state.functions.length ? [] : chosen, units: Object.fromEntries(units.value.split(/[,\n]/).map(t => t.split("=").map(s => s.trim())).filter(p => p.length === 2 && p[0]))};
    const run = await attempt(() => ask("/api/runs", given));
    if (run) { session.question = given; session.run = run.number; say("The search has begun."); location.hash = "search"; }
  }
  const field = (title, ...inside) => make("label", {className: "field"}, make("span", {}, title), ...inside);
  place("view").replaceChildren(make("main", {className: "page"}, make("h2", {}, `A question to ${table.name}`), make("form", {onsubmit: begin}, make("div", {className: "columns"},
    make("div", {},
      make("div", {className: "box"}, make("h2", {}, "What explains what"), field("Target", target), make("fieldset", {className: "field", style: "border:0;padding:0;margin:.7rem 0"}, make("legend", {}, "Columns to explain it with"), features)),
      make("details", {className: "box"}, make("summary", {}, "Functions"), make("p", {className: "quietly"}, "What formulas may be built of; with all of them checked the search takes its own choice."), functions),
      make("details", {className: "box"}, make("summary", {}, "Units"), field("Unit of every column and of the target; only formulas that agree with them are reported", units))),
    make("div", {className: "box"}, make("h2", {}, "How"), field("Look for", search), field("Seconds", seconds), field("Generations, instead of seconds: the run can be repeated exactly", generations), field("Held out as test rows", share, shareSaid), field("Seed", seed),
      make("p", {className: "actions"}, make("button", {type: "submit", className: "primary", id: "start"}, "Start")))))));
  document.getElementById("target").focus({preventScroll: true});
}

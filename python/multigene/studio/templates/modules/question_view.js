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
  const [lastLoss, lastNumber] = (last.loss ?? "squared").split(/:(.*)/), known = lastLoss in session.state.losses;
  const loss = make("select", {id: "loss", onchange: drawLoss}, ...[...Object.entries(session.state.losses), ["own", "a loss of one's own"]].map(([value, text]) => make("option", {value, selected: value === (known ? lastLoss : "own")}, text)));
  const lossNumber = make("input", {type: "text", id: "loss-number", value: known ? lastNumber ?? "" : last.loss ?? ""}), lossSaid = make("span", {}), lossField = make("label", {className: "field"}, lossSaid, lossNumber);
  const LOSS_NUMBERS = {quantile: ["Level between 0 and 1", "0.9"], huber: ["Distance at which an error is an outlier, if you know it", ""], own: ["Expression of y, the target, and p, the prediction", "abs(y - p)**1.5"]};
  function drawLoss() { const asked = LOSS_NUMBERS[loss.value]; lossField.hidden = !asked; if (asked) { lossSaid.textContent = asked[0]; lossNumber.placeholder = asked[1]; } search.disabled = loss.value !== "squared"; if (search.disabled) search.value = "both"; }
  const saidLoss = () => loss.value === "own" ? lossNumber.value || LOSS_NUMBERS.own[1] : LOSS_NUMBERS[loss.value] && (lossNumber.value || LOSS_NUMBERS[loss.value][1]) ? `${loss.value}:${lossNumber.value || LOSS_NUMBERS[loss.value][1]}` : loss.value;
  drawLoss();
  const units = make("textarea", {id: "units", rows: 2, placeholder: "mass=kg, speed=m/s, energy=J", value: Object.entries(last.units ?? {}).map(e => e.join("=")).join(", ")});
  const guesses = make("textarea", {id: "guesses", rows: 3, placeholder: "2*a*exp(-b)\nlog(`air gap`)*a", value: (last.guesses ?? []).join("\n")});
  const checked = name => [...document.querySelectorAll(`input[name=${name}]:checked`)].map(e => e.value);
  async function begin(event) {
    event.preventDefault();
    const chosen = checked("function"), picked = checked("feature");
    const given = {data: table.number, target: target.value, features: picked, seconds: Number(seconds.value) || null, generations: Number(generations.value) || null, search: search.value, guesses: guesses.value.split("\n").map(t => t.trim()).filter(Boolean), loss: saidLoss(), holdout: Number(share.value), seed: Number(seed.value),
      functions: chosen.length === session.state.functions.length ? [] : chosen, units: Object.fromEntries(units.value.split(/[,\n]/).map(t => t.split("=").map(s => s.trim())).filter(p => p.length === 2 && p[0]))};
    const run = await attempt(() => ask("/api/runs", given));
    if (run) { session.question = given; session.run = run.number; say("The search has begun."); location.hash = "search"; }
  }
  const field = (title, ...inside) => make("label", {className: "field"}, make("span", {}, title), ...inside);
  place("view").replaceChildren(make("main", {className: "page"}, make("h2", {}, `A question to ${table.name}`), make("form", {onsubmit: begin}, make("div", {className: "columns"},
    make("div", {},
      make("div", {className: "box"}, make("h2", {}, "What explains what"), field("Target", target), make("fieldset", {className: "field", style: "border:0;padding:0;margin:.7rem 0"}, make("legend", {}, "Columns to explain it with"), features)),
      make("details", {className: "box"}, make("summary", {}, "Functions"), make("p", {className: "quietly"}, "What formulas may be built of; with all of them checked the search takes its own choice."), functions),
      make("details", {className: "box", open: !!last.guesses?.length}, make("summary", {}, "Formulas you have already"), field("One a line, in terms of the columns: they are tuned, listed on the front and bred from", guesses)),
      make("details", {className: "box"}, make("summary", {}, "Units"), field("Unit of every column and of the target; only formulas that agree with them are reported", units))),
    make("div", {className: "box"}, make("h2", {}, "How"), field("Look for", search), field("What counts as an error", loss), lossField, field("Seconds", seconds), field("Generations, instead of seconds: the run can be repeated exactly", generations), field("Held out as test rows", share, shareSaid), field("Seed", seed),
      make("p", {className: "actions"}, make("button", {type: "submit", className: "primary", id: "start"}, "Start")))))));
  document.getElementById("target").focus({preventScroll: true});
}

// Question: what is to be explained, by what, how long, how, and what is known already.
import {clear, show} from "./mistakes.js";
import {ask, attempt, make, place, say} from "./requests.js";

const NUMERIC = ["number", "yes or no"];
const LOSS_NUMBERS = {quantile: ["Level between 0 and 1", "0.9"], huber: ["Distance at which an error is an outlier, if you know it", ""], own: ["Expression of y, the target, and p, the prediction", "abs(y - p)**1.5"]};
const LOOK_FOR = {both: "a law if there is one, else an approximation", laws: "a law, exact to numerical precision", accuracy: "an approximation"};

// How functions are written; the others by their names.
const SIGNS = {add: "+", sub: "−", mul: "×", div: "÷", pow2: "x²", pow3: "x³", sqrt: "√x", inv: "1/x", sinc: "sin x / x", gauss: "exp(−x²)"};

const field = (title, ...inside) => make("label", {className: "field"}, make("span", {}, title), ...inside);
const options = (entries, chosen) => entries.map(([value, text]) => make("option", {value, selected: value === chosen}, text));
const lines = area => area.value.split("\n").map(t => t.trim()).filter(Boolean);
const checked = name => [...document.querySelectorAll(`input[name=${name}]:checked`)].map(e => e.value);
const folded = (title, open, ...inside) => make("details", {className: "box", open}, make("summary", {}, title), ...inside);
const hint = (...inside) => make("p", {className: "quietly"}, ...inside);

// What counts as an error, with the number or expression that some losses need.
function lossFields(losses, last, changed) {
  const [name, given] = (last ?? "squared").split(/:(.*)/), known = name in losses;
  const select = make("select", {id: "loss", onchange: draw}, ...options([...Object.entries(losses), ["own", "a loss of one's own"]], known ? name : "own"));
  const number = make("input", {type: "text", id: "loss-number", value: known ? given ?? "" : last ?? ""}), said = make("span", {}), more = make("label", {className: "field"}, said, number);
  function draw() { const asked = LOSS_NUMBERS[select.value]; more.hidden = !asked; if (asked) { said.textContent = asked[0]; number.placeholder = asked[1]; } changed(select.value); }
  draw();
  return {parts: [field("What counts as an error", select), more], value() { const typed = number.value || LOSS_NUMBERS[select.value]?.[1]; return select.value === "own" ? typed : typed && LOSS_NUMBERS[select.value] ? `${select.value}:${typed}` : select.value; }};
}

// From simple to accurate, as a slider with four places.
function preferenceField(preferences, last) {
  const names = Object.keys(preferences), said = make("output", {id: "prefer-said"}), slider = make("input", {type: "range", id: "prefer", min: 0, max: names.length - 1, step: 1, value: Math.max(0, names.indexOf(last ?? "default"))});
  const draw = () => { said.textContent = preferences[names[slider.value]]; slider.setAttribute("aria-valuetext", preferences[names[slider.value]]); };
  slider.addEventListener("input", draw); draw();
  return {part: field("Simple ↔ accurate", slider, said), value: () => names[slider.value]};
}

// What was asked last; of another table how it was asked, but nothing that names its columns.
function lastAsked(question, table) {
  if (!question || question.data === table.number) return question ?? {};
  const {seconds, generations, max_size, search, prefer, holdout, seed, functions} = question;
  return {seconds, generations, max_size, search, prefer, holdout, seed, functions};
}

export function questionView(session) {
  const table = session.table;
  if (!table) { location.hash = "data"; return; }
  const columns = table.columns.filter(c => NUMERIC.includes(c.kind)), last = lastAsked(session.question, table), others = table.columns.filter(c => !columns.includes(c)), gaps = table.columns.some(c => c.gaps);
  const explained = table.columns.filter(c => columns.includes(c) || c.classes.length);
  if (!explained.length) { place("view").replaceChildren(make("main", {className: "page"}, make("p", {className: "note"}, `${table.name} has no column of numbers or classes that could be explained.`))); return; }
  const first = last.target && explained.some(c => c.name === last.target) ? last.target : (explained.find(c => ["y", "target"].includes(c.name.toLowerCase())) ?? explained.filter(c => !table.derived.some(d => d.name === c.name)).pop() ?? explained[explained.length - 1])?.name;
  const target = make("select", {id: "target", onchange: drawColumns}, ...options(explained.map(c => [c.name, c.name]), first));
  // A target of classes: one of them is told from the others.
  const label = make("select", {id: "label", onchange: drawKind}), labelField = field("Class that is told from the others: the formula gives its probability", label);
  function drawClasses() {
    const column = explained.find(c => c.name === target.value), known = column.name === last.target && (last.label === "" || column.classes.includes(last.label));
    labelField.hidden = !column.classes.length;
    label.replaceChildren(...options([...column.classes.map(c => [c, c]), ...(columns.includes(column) ? [["", "none: its values are numbers"]] : [])], known ? last.label : column.classes.length === 2 ? column.classes[1] : column.classes[0]));
    drawKind();
  }
  const labelled = () => labelField.hidden ? "" : label.value;
  function drawKind() { const classes = !!labelled(); lossParts.hidden = groupField.hidden = searchField.hidden = classes; search.disabled = classes || lossName !== "squared"; if (search.disabled) search.value = "both"; }
  // What names every row says nothing about others: it is offered, and not taken unasked.
  const sensible = c => c.distinct > 1 && !["text", "empty"].includes(c.kind);
  const told = c => `${c.kind}, ${c.distinct.toLocaleString("en")} values` + (c.gaps ? `, ${c.gaps.toLocaleString("en")} gaps` : "");
  const groups = make("select", {id: "groups"}), missing = make("select", {id: "missing"}, ...options(Object.entries(session.state.gaps), last.missing ?? "fill"));
  function drawGroups() {
    const may = table.columns.filter(c => c.name !== target.value && c.distinct > 1 && c.distinct <= table.rows / 2 && (["category", "yes or no"].includes(c.kind) || c.distinct <= 100)), chosen = groups.value || last.groups || "";
    groups.replaceChildren(...options([["", "no groups"], ...may.map(c => [c.name, `${c.name} (${c.distinct.toLocaleString("en")} groups)`])], may.some(c => c.name === chosen) ? chosen : ""));
  }
  const features = make("div", {className: "checks", id: "features"}), units = make("div", {className: "unit-grid", id: "units"});
  const becomes = hint();
  const every = on => features.querySelectorAll("input").forEach(box => { box.checked = on; });
  function drawColumns() {
    drawClasses();
    const asked = columns.filter(c => c.name !== target.value), offered = table.columns.filter(c => c.name !== target.value);
    features.replaceChildren(...offered.map(c => make("label", {title: told(c)}, make("input", {type: "checkbox", name: "feature", value: c.name, checked: last.offered?.includes(c.name) ? last.features.includes(c.name) : sensible(c)}), c.name, NUMERIC.includes(c.kind) ? null : make("small", {className: "kind"}, c.kind))));
    drawGroups();
    const other = others.find(c => c.name !== target.value);
    becomes.hidden = !other;
    if (other) becomes.replaceChildren("Text and dates become numbers that the formula names: ", make("code", {}, other.kind === "date" ? `days(${other.name} since …)` : `3.2 if ${other.name} == "…"`), ".");
    units.replaceChildren(...[...asked, ...columns.filter(c => c.name === target.value)].map(c => make("label", {}, make("span", {title: c.name}, c.name), make("input", {type: "text", name: "unit", "data-column": c.name, placeholder: c.unit || "none", value: last.units?.[c.name] ?? "", size: 8}))));
  }
  const number = (id, value, more = {}) => make("input", {type: "number", id, min: 1, step: 1, value: value ?? "", ...more});
  const seconds = number("seconds", last.seconds ?? 30), generations = number("generations", last.generations, {placeholder: "by time"}), seed = number("seed", last.seed ?? 0, {min: 0}), size = number("max_size", last.max_size, {placeholder: "any size"});
  const search = make("select", {id: "search-for"}, ...options(Object.entries(LOOK_FOR), last.search)), searchField = field("Look for", search);
  let lossName = "squared";
  const groupField = field("One formula with numbers of its own for every", groups), lossParts = make("div", {});
  const loss = lossFields(session.state.losses, last.loss, name => { lossName = name; drawKind(); });
  lossParts.append(...loss.parts);
  drawColumns();
  const prefer = preferenceField(session.state.preferences, last.prefer);
  const share = make("input", {type: "range", id: "holdout", min: 0, max: .5, step: .05, value: last.holdout ?? .2}), shareSaid = make("output", {}, "");
  const saidShare = () => { shareSaid.textContent = Number(share.value) ? `${Math.round(share.value * 100)} % of the ${table.rows.toLocaleString("en")} rows` : "none: scores come from rows that the search holds out itself"; }; share.addEventListener("input", saidShare); saidShare();
  const functions = make("div", {className: "checks", id: "functions"}, ...session.state.functions.map(f => make("label", {title: f}, make("input", {type: "checkbox", name: "function", value: f, checked: !last.functions?.length || last.functions.includes(f)}), SIGNS[f] ?? f)));
  const some = columns.filter(c => c.name !== first).map(c => /^[A-Za-z_]\w*$/.test(c.name) ? c.name : `\`${c.name}\``), [a, b] = [some[0] ?? "a", some[1] ?? some[0] ?? "b"];
  const area = (id, rows, placeholder, value) => make("textarea", {id, rows, placeholder, value, spellcheck: false});
  const guesses = area("guesses", 3, `2*${a}*exp(-${b})`, (last.guesses ?? []).join("\n")), form = area("form", 2, `f(${a})*exp(-g(${b})) + p`, last.form ?? ""), shapes = area("shapes", 3, `increasing in ${a}\n${first} >= 0`, (last.shapes ?? []).join("\n")), rules = area("rules", 3, `exp only of ${a}\nmust use ${b}`, (last.rules ?? []).join("\n"));
  function asked() {
    const chosen = checked("function"), picked = checked("feature"), typed = [...units.querySelectorAll("input")].map(e => [e.dataset.column, e.value.trim()]);
    const unitsGiven = typed.some(([, unit]) => unit) ? Object.fromEntries(typed.filter(([name, unit]) => unit || picked.includes(name)).filter(([name]) => (name === target.value && !labelled()) || picked.includes(name)).map(([name, unit]) => [name, unit || "dimensionless"])) : {};
    return {data: table.number, target: target.value, label: labelled(), features: picked, groups: labelled() ? "" : groups.value, missing: missing.value, seconds: Number(seconds.value) || null, generations: Number(generations.value) || null, max_size: Number(size.value) || null, search: search.value, prefer: prefer.value(), guesses: lines(guesses), form: form.value.trim(), shapes: lines(shapes), rules: lines(rules), loss: labelled() ? "squared" : loss.value(),
      holdout: Number(share.value), seed: Number(seed.value), functions: chosen.length === session.state.functions.length ? [] : chosen, units: unitsGiven};
  }
  async function begin(event) {
    event.preventDefault();
    clear(sheet);
    const given = asked();
    if (!given.features.length) { show(sheet, "features", "No column is checked; check those that may explain the target."); return; }
    if (!checked("function").length) { show(sheet, "functions", "No function is checked; check those that formulas may be built of."); return; }
    const run = await attempt(() => ask("/api/runs", given), error => show(sheet, error.field, error.message));
    if (run) { session.question = {...given, offered: [...features.querySelectorAll("input")].map(box => box.value)}; session.run = run.number; say("The search has begun."); location.hash = "search"; }
  }
  const sheet = make("form", {onsubmit: begin, noValidate: true}, make("div", {className: "columns"},
    make("div", {},
      make("div", {className: "box"}, make("h2", {}, "What explains what"), field("Target", target), labelField,
        make("fieldset", {className: "field bare"}, make("legend", {}, "Columns to explain it with"), features, table.columns.length > 9 ? make("p", {className: "toolbar"}, make("button", {type: "button", id: "all-columns", onclick: () => every(true)}, "All"), make("button", {type: "button", id: "no-columns", onclick: () => every(false)}, "None")) : null),
        becomes,
        gaps ? field("Gaps are", missing) : null,
        groupField),
      make("h2", {className: "between"}, "What you know"),
      folded("Functions that formulas may use", !!last.functions?.length, hint("With all of them checked the search takes its own choice."), functions),
      folded("Formulas you have already", !!last.guesses?.length, field("One a line, in terms of the columns: they are tuned, listed on the front and bred from", guesses)),
      folded("The form of the formula", !!last.form, field("A frame with unknown functions and numbers; every formula of the front has it", form), hint(make("code", {}, `f(${a})`), " is an unknown function, the same wherever the name stands; another name without brackets, such as ", make("code", {}, "p"), ", is an unknown number; ", make("code", {}, "; f <= 9"), " limits the nodes of f.")),
      folded("Its shape", !!last.shapes?.length, field("One statement a line; no formula of the front breaks it", shapes), hint("increasing, decreasing, convex, concave, even or odd ", make("i", {}, "in a column"), "; symmetric ", make("i", {}, "in two"), `; bounds such as 0 <= ${first} <= 1; a known value such as y(0) = 0; a range such as 0 <= ${a} <= 10 says where it holds.`)),
      folded("What it may be made of", !!last.rules?.length, field("One rule a line; every formula of the front keeps it", rules), hint(make("code", {}, `sin only of ${a}`), ", ", make("code", {}, `${a} only in sin, cos`), ", ", make("code", {}, "exp never of sin"), ", ", make("code", {}, "exp at most 2"), ", ", make("code", {}, `must use ${b}`), ", ", make("code", {}, "never tanh"), ", ", make("code", {}, "log only of values above 1"), ", ", make("code", {}, "whole exponents"), ", ", make("code", {}, "constants between -10 and 10"), ".")),
      folded("Units", !!Object.keys(last.units ?? {}).length, make("div", {className: "field"}, make("span", {}, "With units only formulas that agree with them are reported; a column without one counts as a plain number"), units))),
    make("div", {className: "box aside"}, make("h2", {}, "How"), searchField, prefer.part, field("Nodes at most", size), lossParts, field("Seconds", seconds), field("Generations, instead of seconds: the run can be repeated exactly", generations), field("Held out as test rows", share, shareSaid), field("Seed", seed),
      make("p", {className: "actions"}, make("button", {type: "submit", className: "primary", id: "start"}, "Start")))));
  place("view").replaceChildren(make("main", {className: "page"}, make("h2", {}, `A question to ${table.name}`), sheet));
  document.getElementById("target").focus({preventScroll: true});
}

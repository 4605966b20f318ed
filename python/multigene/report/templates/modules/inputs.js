// Columns as people know them: one control each for a number, a text or a date, which sets the numeric columns made of it.
import {fixed, shortened} from "./format.js";

const DAY = 86400000;
const isoDay = days => { const moment = new Date(days * DAY); return isNaN(moment) ? "" : moment.toISOString().slice(0, 10); };
const WAYS = {
  value: (how, v) => v,
  missing: () => 0,
  elapsed: (how, v) => (v - how.since) / how.days,
  sin: (how, v) => Math.sin(how.rate * (v - how.begin)),
  cos: (how, v) => Math.cos(how.rate * (v - how.begin)),
};

// Every input: name, kind, numeric columns, range, and `apply`, which writes what a value of it means into a row; null is no value.
export function inputsOf(content) {
  const columns = content.columns.slice(1), middle = c => c.median ?? ((c.min ?? 0) + (c.max ?? 0)) / 2, made = new Set(content.sources.flatMap(s => s.features));
  const plain = columns.map((c, j) => ({name: content.features[j], kind: "number", features: [j], min: c.min, max: c.max, value: middle(c), apply: (x, v) => { x[j] = v; }}));
  const raw = content.sources.map(source => {
    const {name, kind, features} = source;
    if (kind === "text") return {name, kind, features, levels: source.levels, value: source.start, apply: (x, v) => features.forEach((j, k) => { x[j] = (source.values[v] ?? source.values[source.values.length - 1])[k]; })};
    const apply = (x, v) => features.forEach((j, k) => { const how = source.how[k]; x[j] = v === null ? how.gap ?? 0 : WAYS[how.as](how, v); });
    const main = Math.max(0, source.how.findIndex(how => ["value", "elapsed"].includes(how.as))), how = source.how[main], c = columns[features[main]];
    const back = v => how.as === "elapsed" ? v * how.days + how.since : v;
    return {name, kind, features, gaps: true, min: back(c.min), max: back(c.max), value: back(middle(c)), apply};
  });
  return [...plain.filter(each => !made.has(each.features[0])), ...raw];
}

// A long name breaks after its underscores.
export function breakable(name) { return name.split(/(?<=_)/).flatMap((part, k) => k ? [document.createElement("wbr"), part] : [part]); }

export function shownValue(input, v) { return v === null ? "no value" : input.kind === "text" ? input.levels[v] ?? "another" : input.kind === "date" ? isoDay(v) : fixed(v, 4); }

// The control of an input as a row of the page; `changed` is called after its value was set.
export function inputRow(input, id, changed) {
  const make = (name, properties) => Object.assign(document.createElement(name), properties), row = make("div", {className: "slider"});
  const label = make("label", {htmlFor: id, title: input.name});
  label.append(...breakable(shortened(input.name, 40)));
  const put = v => { input.value = v; changed(); };
  if (input.kind === "text") {
    const select = make("select", {id, className: "level"});
    [...input.levels, "another, or no value"].forEach((text, i) => select.append(make("option", {value: i, textContent: text, selected: i === input.value})));
    select.addEventListener("change", () => put(Number(select.value)));
    row.append(label, select);
    return row;
  }
  const date = input.kind === "date", slider = make("input", {type: "range", id, min: input.min, max: input.max, step: date ? 1 : "any", value: input.value ?? (input.min + input.max) / 2}), shown = make("input", date ? {type: "date", className: "shown"} : {type: "number", step: "any", className: "shown"});
  const tell = v => { shown.value = v === null ? "" : date ? isoDay(v) : Number(v.toPrecision(5)); slider.setAttribute("aria-valuetext", shownValue(input, v)); };
  tell(input.value);
  shown.setAttribute("aria-label", `${input.name}, value`);
  if (input.gaps) shown.title = "Leave empty for no value";
  slider.addEventListener("input", () => { tell(Number(slider.value)); put(Number(slider.value)); });
  shown.addEventListener("input", () => {
    const v = date ? shown.valueAsNumber / DAY : shown.valueAsNumber;
    if (isFinite(v)) { slider.value = v; put(v); } else if (input.gaps && shown.value === "") put(null);
  });
  row.append(label, slider, shown);
  return row;
}

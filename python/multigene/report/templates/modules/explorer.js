// The explorer: everything on the page follows the selected model. It lives in a report, in the studio and in notebooks; `root`
// is a document or a shadow root that holds the markup of explorer.html.j2, `charts` promises the chart library.
import {calibrationChart, convergenceChart, dependenceChart, drawable, errorChart, fitChart, frontChart, importanceChart, intervalChart, residualChart, responseChart, rocChart, roomy, sharesChart, spreadChart} from "./charts.js";
import {ends, fixed, nodes, percentage, r2, shortened} from "./format.js";
import {breakable, inputRow, inputsOf} from "./inputs.js";
import {Mathematics} from "./mathematics.js";
import {Predictor} from "./what_if.js";

const COLOURS = ["ink", "soft", "line", "grid", "card", "accent", "train", "validation", "test", "bar", "low", "mid", "high"];
const MOST_SLIDERS = 8;

function element(name, className, text) { const e = document.createElement(name); if (className) e.className = className; if (text !== undefined) e.textContent = text; return e; }

export function explore(root, content, charts, {nonce = "", styled = document.documentElement} = {}) {
  const $ = id => root.getElementById(id), all = selector => [...root.querySelectorAll(selector)];
  const mathematics = new Mathematics(), gone = new AbortController(), {signal} = gone;
  let index = content.chosen, format = "python", Charts = null;
  const model = () => content.models[index];

  // --- charts: drawn when they come into view, drawn again when something changed ------------------
  const drawings = new Map(), seen = new Set(), stale = new Set();
  function colours() { const style = getComputedStyle(styled); return Object.fromEntries(COLOURS.map(n => [n, style.getPropertyValue("--" + n).trim()])); }
  const watcher = new IntersectionObserver(entries => entries.forEach(e => {
    if (e.isIntersecting) { seen.add(e.target.id); if (stale.has(e.target.id)) soon(e.target.id); } else seen.delete(e.target.id);
  }), {rootMargin: "200px"});
  function add(id, make) { if ($(id)) { drawings.set(id, make); stale.add(id); watcher.observe($(id)); } }
  function forget(id) { drawings.delete(id); stale.delete(id); seen.delete(id); if ($(id)) { watcher.unobserve($(id)); if (Charts) Charts.purge($(id)); } }
  function draw(id) {
    const place = $(id);
    if (!Charts || !place || !place.clientWidth) return;
    stale.delete(id);
    const [made, wanted, said] = drawings.get(id)(), [traces, arrangement] = drawable(made, wanted);
    if ($(id + "-said")) $(id + "-said").textContent = traces.length ? said : "";
    if (!traces.length) { Charts.purge(place); place.style.height = "4rem"; place.replaceChildren(element("p", "empty", said)); return; }
    if (place.querySelector(".empty")) { place.replaceChildren(); place.style.height = ""; }
    if (id === "chart-importance") place.style.height = Math.max(9, 5 + 1.7 * Math.min(20, model().importance.length)) + "rem";
    place.querySelector(".picture")?.remove(); // what stood there until the chart library was unpacked
    Charts.react(place, traces, roomy(traces, arrangement, place.clientWidth, place.clientHeight), {displayModeBar: false, responsive: false});
    if (id === "chart-front" && !place.dataset.ready) {
      place.dataset.ready = "yes";
      place.on("plotly_click", event => { const i = event.points.map(p => p.customdata).find(v => v !== undefined); if (i !== undefined) select(i); });
    }
  }
  // One chart a task: between two of them the page answers.
  const queue = new Set();
  let drawing = null;
  function soon(id) { queue.add(id); drawing ??= drawQueued(); }
  async function drawQueued() {
    for (const id of queue) { queue.delete(id); await new Promise(done => setTimeout(done)); if (stale.has(id) && drawings.has(id)) draw(id); }
    drawing = null;
  }
  // The charts in view, as soon as may be; everything at once for paper. Promises that it is done.
  function redraw(everything = false) {
    for (const id of drawings.keys()) { stale.add(id); if (everything) draw(id); else if (seen.has(id)) soon(id); }
    return drawing ?? Promise.resolve();
  }

  // --- what follows the selection: written by Python for every model -----------------------------
  function showPanels(m) {
    for (const [name, html] of Object.entries(m.panels)) { const place = $("panel-" + name); if (place) place.innerHTML = html; }
    adoptMathematics(m);
  }
  function adoptMathematics(m) {
    if ($("equation")) mathematics.add($("equation"), `${content.target} = ${m.text}`);
    all(".term-math").forEach(place => mathematics.add(place));
  }

  function showDependence(m) {
    const place = $("dependence");
    if (!place) return;
    for (const id of [...drawings.keys()]) if (id.startsWith("dependence-")) forget(id);
    const values = m.dependence.flatMap(d => [...d.low, ...d.mean, ...d.high]).filter(v => v !== null);
    // One scale for all, and no farther than the target goes: what a formula says far beyond would flatten the rest.
    const {min, max} = content.columns[0], room = .1 * (max - min);
    const low = Math.max(values.reduce((a, b) => Math.min(a, b), Infinity), min - room), high = Math.min(values.reduce((a, b) => Math.max(a, b), -Infinity), max + room), pad = Math.abs(high - low) * .06 || 1;
    place.replaceChildren(...m.dependence.map((d, i) => {
      const box = element("figure", "chart"), plot = element("div", "plot"), name = content.features[d.feature], grid = content.columns[d.feature + 1].grid;
      plot.id = `dependence-${i}`; plot.setAttribute("role", "img");
      plot.setAttribute("aria-label", `${content.target} against ${name}: from ${fixed(d.mean[0])} at ${fixed(grid[0])} to ${fixed(d.mean[d.mean.length - 1])} at ${fixed(grid[grid.length - 1])}`);
      const title = element("h3");
      title.append(...breakable(name));
      box.append(title, plot);
      return box;
    }));
    if (!m.dependence.length) place.append(element("p", "", "The formula is a constant."));
    m.dependence.forEach((d, i) => add(`dependence-${i}`, () => dependenceChart(content, model().dependence[i], colours(), [low - pad, high + pad])));
  }

  function showCode(m) {
    $("code").firstElementChild.textContent = m.exports[format] ?? "This format cannot write the formula.";
    $("copy-shown").dataset.copy = format;
    all(".format").forEach(b => b.setAttribute("aria-pressed", String(b.dataset.format === format)));
  }

  function select(i, announce = true) {
    index = Math.max(0, Math.min(content.models.length - 1, i));
    const m = model(), said = `${nodes(m.size)} · ${content.measure} ${r2(m.r2)}` + (index === content.chosen ? " · recommended" : "");
    $("selected").replaceChildren(element("strong", "", `Model ${index + 1} of ${content.models.length}`), " ", element("span", "", said));
    $("previous").disabled = index === 0;
    $("next").disabled = index === content.models.length - 1;
    $("back").disabled = index === content.chosen;
    all(".pick").forEach(b => b.setAttribute("aria-pressed", String(Number(b.dataset.model) === index)));
    const radio = root.querySelector(`#models input[value="${index}"]`), list = $("models"), row = radio.parentElement;
    radio.checked = true;
    if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = row.offsetTop - list.clientHeight / 2;
    const slider = $("chart-front");
    slider.setAttribute("aria-valuenow", index + 1);
    slider.setAttribute("aria-valuetext", `${nodes(m.size)}, ${content.measure} ${r2(m.r2)}: ${m.text.slice(0, 200)}`);
    markPicture();
    showPanels(m); showDependence(m); showCode(m); showWhatIf(m); showConstants(m); showBeside();
    redraw();
    if (announce) $("announce").textContent = `Model ${index + 1}: ${nodes(m.size)}, ${content.measure} ${r2(m.r2)}. ${m.sentence}`;
    styled.dispatchEvent(new CustomEvent("multigene-select", {detail: index}));
  }

  // Until the chart library is there, the front is a picture: a click on a point, or beside it, selects as in the chart.
  function markPicture() {
    const now = root.querySelector(`.picture [data-model="${index}"]`);
    for (const side of ["cx", "cy"]) if (now) root.querySelector(".picture .chosen").setAttribute(side, now.getAttribute(side));
  }
  root.querySelector(".picture")?.addEventListener("click", event => {
    const far = point => { const box = point.getBoundingClientRect(); return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY); };
    const near = all(".picture [data-model]").map(point => [far(point), Number(point.dataset.model)]).sort((a, b) => a[0] - b[0])[0];
    if (near && near[0] < 25) select(near[1]);
  }, {signal});

  // --- what if: sliders, prediction with interval, and two columns at once ------------------------
  const columns = content.columns.slice(1), inputs = inputsOf(content), at = columns.map(() => 0);
  inputs.forEach(input => input.apply(at, input.value));
  let predictor = null, pair = [];
  function moving(m) {
    const used = m.importance.length ? m.importance.map(r => r[0]) : m.variables.map(name => content.features.indexOf(name));
    return [...new Set(used.map(j => inputs.find(input => input.features.includes(j))))];
  }
  function showWhatIf(m) {
    const place = $("sliders");
    if (!place) return;
    predictor = new Predictor(m.compute, nonce);
    const used = moving(m), rows = used.map(input => inputRow(input, `slider-${inputs.indexOf(input)}`, () => { input.apply(at, input.value); predicted(); }));
    place.replaceChildren(...rows.slice(0, MOST_SLIDERS));
    if (rows.length > MOST_SLIDERS) { const more = element("details"); more.append(element("summary", "", `${rows.length - MOST_SLIDERS} more columns`), ...rows.slice(MOST_SLIDERS)); place.append(more); }
    if (!rows.length) place.append(element("p", "", "The formula is a constant."));
    const ranged = used.filter(input => input.kind !== "text");
    for (const [side, id] of ["response-x", "response-y"].entries()) {
      if (!ranged.includes(pair[side])) pair[side] = ranged[side] ?? ranged[0] ?? null;
      $(id).replaceChildren(...ranged.map(input => { const o = element("option", "", shortened(input.name, 24)); o.title = input.name; o.value = inputs.indexOf(input); o.selected = input === pair[side]; return o; }));
    }
    $("figure-chart-response").hidden = ranged.length < 2;
    predicted();
  }
  // --- numbers of the formula by slider: what they may be by their intervals, and what becomes of the fit ----------
  function showConstants(m) {
    const box = $("constants"), place = $("constant-sliders");
    if (!box) return;
    const {numbers, parts} = m.compute, set = content.sets[content.sets.length - 1];
    box.hidden = !numbers.length || !set || m.variables.some(name => !(content.features.indexOf(name) in set.x));
    $("constants-reset").parentElement.hidden = !parts;
    if (!parts) { place.replaceChildren(); $("constants-said").textContent = `This formula has ${numbers.length} numbers, too many to be moved one by one; select a shorter formula of the front.`; }
    if (box.hidden || !parts) return;
    const rows = set.y.map((_, i) => columns.map((_, j) => set.x[j]?.[i] ?? 0));
    const spoken = () => {
      const predicted = rows.map(row => predictor.predict(row)), mean = set.y.reduce((a, b) => a + b, 0) / set.y.length, average = each => set.y.reduce((sum, y, i) => sum + each(y, predicted[i]), 0) / set.y.length;
      if (content.classes) return `${percentage(average((y, p) => (p > .5) === (y > .5)))} told right, log loss ${fixed(average((y, p) => -Math.log(Math.max(1e-15, y > .5 ? p : 1 - p))))}`;
      const left = average((y, p) => (y - p) ** 2);
      return `R² ${r2(1 - left / average(y => (y - mean) ** 2))}, typical error ${fixed(Math.sqrt(left))}${content.unit}`;
    };
    const before = spoken();
    const said = () => { $("constants-said").textContent = `On the ${set.y.length} ${set.name === "test" ? "test" : "training"} rows drawn: ${spoken()}` + (predictor.numbers === numbers ? "." : `; unmoved ${before}.`); };
    place.replaceChildren(...numbers.map((value, k) => {
      const half = predictor.numberHalfWidth(k), known = half !== null && half > 0 && isFinite(half), reach = known ? Math.min(4 * half, 4 * Math.abs(value) || 4 * half) : Math.abs(value) || 1;
      const row = element("div", "slider constant"), label = element("label", "place", parts[k]), input = element("input"), shown = element("input", "shown"), id = `constant-${k}`;
      Object.assign(input, {type: "range", min: value - reach, max: value + reach, step: "any", value, id});
      Object.assign(shown, {type: "number", step: "any", value: Number(value.toPrecision(6))});
      label.htmlFor = id; label.title = parts[k]; shown.setAttribute("aria-label", `a number of ${parts[k]}`);
      const move = v => { predictor.numbers = predictor.numbers.map((u, i) => i === k ? v : u); said(); predicted(); };
      input.addEventListener("input", () => { shown.value = Number(Number(input.value).toPrecision(6)); move(Number(input.value)); });
      shown.addEventListener("input", () => { if (isFinite(shown.valueAsNumber)) { input.value = shown.valueAsNumber; move(shown.valueAsNumber); } });
      row.append(label, input, shown, element("span", "interval", known ? `95 % ${ends(value, half).join(" to ")}` : ""));
      return row;
    }));
    said();
  }
  $("constants-reset")?.addEventListener("click", () => { predictor.numbers = model().compute.numbers; showConstants(model()); predicted(); }, {signal});

  // --- two models side by side ----------------------------------------------------------------------
  let other = content.picks.map(p => p.model).find(i => i !== content.chosen) ?? 0;
  function showBeside() {
    const box = $("beside");
    if (!box || !box.open) return;
    if (other === index) other = index !== content.chosen ? content.chosen : content.picks.map(p => p.model).find(i => i !== index) ?? (index ? 0 : 1);
    $("beside-with").value = other;
    for (const [id, i] of [["beside-left", index], ["beside-right", other]]) {
      const m = content.models[i], place = $(id), formula = element("div", "formula"), cards = element("div", "cards");
      formula.innerHTML = m.mathml; cards.innerHTML = m.panels.cards; // written by Python, which escapes every name
      formula.tabIndex = 0; formula.setAttribute("role", "region"); formula.setAttribute("aria-label", `Formula of model ${i + 1}`);
      place.replaceChildren(element("h3", "", `Model ${i + 1}: ${nodes(m.size)}`), element("p", "quietly", m.sentence), formula, cards);
      if (m.directions.length) place.append(element("p", "quietly", `with ${m.directions.length} directions; select the model to read them`));
      mathematics.add(formula, `${content.target} = ${m.text}`);
    }
    const [a, b] = [model(), content.models[other]], only = (m, n) => m.variables.filter(v => !n.variables.includes(v)).join(", ") || "none";
    $("beside-said").textContent = `Columns only in model ${index + 1}: ${only(a, b)}. Columns only in model ${other + 1}: ${only(b, a)}.`;
  }
  $("beside")?.addEventListener("toggle", showBeside, {signal});
  $("beside-with")?.addEventListener("change", event => { other = Number(event.target.value); showBeside(); }, {signal});
  let frame = 0;
  function predicted() {
    const value = predictor.predict(at), half = predictor.halfWidth(at), outside = inputs.some(input => input.value !== null && (input.value < input.min || input.value > input.max));
    $("predicted").textContent = `${content.target} = ${fixed(value, 5)}${content.unit}`;
    const range = half !== null && half <= 1e-9 * Math.abs(value) ? "exact to rounding" : half === null || !isFinite(half) ? "" : `95 % of new observations between ${ends(value, half, 4).join(" and ")}`;
    $("predicted-interval").textContent = [range, outside ? "outside the range of the data" : "", model().compute.factor || half === null ? "" : "by the noise alone: the formula has too many numbers to count how well they are known"].filter(Boolean).join("; ");
    stale.add("chart-response");
    if (!frame) frame = requestAnimationFrame(() => { frame = 0; if (seen.has("chart-response")) draw("chart-response"); });
  }
  function response() {
    const points = 33, line = c => Array.from({length: points}, (_, i) => c.min + (c.max - c.min) * i / (points - 1));
    const grids = pair.map(line), x = at.slice();
    const values = grids[1].map(b => grids[0].map(a => { pair[1].apply(x, b); pair[0].apply(x, a); const v = predictor.predict(x); return isFinite(v) ? v : null; }));
    return responseChart(content, grids, values, pair, colours());
  }
  for (const [side, id] of ["response-x", "response-y"].entries()) $(id)?.addEventListener("change", event => { pair[side] = inputs[Number(event.target.value)]; stale.add("chart-response"); draw("chart-response"); }, {signal});

  // --- ways to select, copy and save --------------------------------------------------------------
  $("models").addEventListener("change", event => select(Number(event.target.value)), {signal});
  $("previous").addEventListener("click", () => select(index - 1), {signal});
  $("next").addEventListener("click", () => select(index + 1), {signal});
  $("back").addEventListener("click", () => select(content.chosen), {signal});
  all(".pick").forEach(b => b.addEventListener("click", () => select(Number(b.dataset.model)), {signal}));
  $("chart-front").addEventListener("keydown", event => {
    const last = content.models.length - 1;
    const to = {ArrowRight: index + 1, ArrowUp: index + 1, ArrowLeft: index - 1, ArrowDown: index - 1, Home: 0, End: last, PageUp: index + 5, PageDown: index - 5}[event.key];
    if (to !== undefined) { event.preventDefault(); select(to); }
  }, {signal});
  async function copy(text) {
    try { await navigator.clipboard.writeText(text); return true; } catch (error) {
      const area = element("textarea");
      area.value = text; area.style.position = "fixed"; area.style.opacity = "0";
      document.body.append(area); area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }
  root.addEventListener("click", async event => {
    const button = event.target.closest?.("button.copy");
    if (!button) return;
    const text = button.dataset.from ? $(button.dataset.from).textContent : model().exports[button.dataset.copy];
    const done = await copy(text ?? ""), label = button.textContent;
    if (button.classList.contains("done")) return;
    button.classList.toggle("done", done);
    button.textContent = done ? "Copied" : "Press Ctrl-C";
    $("announce").textContent = done ? "Copied to the clipboard." : "Copying was refused.";
    setTimeout(() => { button.classList.remove("done"); button.textContent = label; }, 1400);
  }, {signal});
  all(".format").forEach(b => b.addEventListener("click", () => { format = b.dataset.format; showCode(model()); }, {signal}));
  $("download").addEventListener("click", () => {
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([model().exports[format] ?? ""], {type: "text/plain"}));
    link.download = "formula" + content.formats[format][1];
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }, {signal});

  // --- window ---------------------------------------------------------------------------------------
  let waiting = 0, before = null;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => { mathematics.fitAll(); redraw(); }, 120); }, {signal});
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw(), {signal});
  addEventListener("beforeprint", () => { before = styled.dataset.theme ?? ""; styled.dataset.theme = "light"; styled.classList.add("printing"); mathematics.squeeze(); redraw(true); }, {signal});
  addEventListener("afterprint", () => { styled.classList.remove("printing"); mathematics.fitAll(); if (before) styled.dataset.theme = before; else delete styled.dataset.theme; redraw(); }, {signal});

  if ($("column-table")) $("column-table").innerHTML = content.column_table; // written by Python, which escapes every name
  add("chart-front", () => frontChart(content, index, colours()));
  add("chart-fit", () => fitChart(content, model(), colours()));
  add("chart-residuals", () => residualChart(content, model(), colours()));
  add("chart-spread", () => spreadChart(content, model(), colours()));
  add("chart-intervals", () => intervalChart(content, model(), colours()));
  add("chart-roc", () => rocChart(content, model(), colours()));
  add("chart-calibration", () => calibrationChart(content, model(), colours()));
  add("chart-shares", () => sharesChart(content, model(), colours()));
  add("chart-errors", () => errorChart(content, index, colours()));
  add("chart-importance", () => importanceChart(content, model(), colours(), $("chart-importance").clientWidth));
  add("chart-response", response);
  add("chart-convergence", () => convergenceChart(content, colours()));
  showDependence(model()); showWhatIf(model()); showConstants(model()); adoptMathematics(model());
  $("previous").disabled = index === 0; $("next").disabled = index === content.models.length - 1;
  const drawn = Promise.resolve(charts).then(library => { Charts = library; return redraw(); });
  return {select, redraw, drawn, selected: () => index, numbers: () => predictor?.numbers ?? null, close() { gone.abort(); watcher.disconnect(); }};
}

export function switchTheme(styled = document.documentElement) { styled.dataset.theme = getComputedStyle(styled).colorScheme === "dark" ? "light" : "dark"; }

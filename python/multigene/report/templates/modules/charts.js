// Charts: each function takes the content, a model and the colours, and returns Plotly's traces, a layout and a sentence that
// says what the chart shows. Nothing here touches the page.
import {SUPERSCRIPTS, fixed, nodes, percentage, r2, shortened} from "./format.js";

const SET_SHAPES = {train: "circle", test: "x"};
const SET_NAMES = {train: "training", test: "test"};

// Plotly reads tags in its texts; names are to be shown as they are.
export function literal(name) { return name.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"); }
function plainly(text) { return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&"); }

function wrapped(text, width = 62, lines = 6) {
  const escaped = text.length > width * lines ? text.slice(0, width * lines) + " …" : text;
  const parts = [];
  let line = "";
  for (const word of escaped.split(" ")) {
    if (line && (line + " " + word).length > width) { parts.push(line); line = word; } else line = line ? line + " " + word : word;
  }
  parts.push(line);
  return parts.join("<br>").replace(/&/g, "&amp;").replace(/<(?!br>)/g, "&lt;");
}

export function short(name, most = 26) { return literal(shortened(name, most)); }

export function axis(colour, title, more = {}) {
  return {title: {text: title, standoff: 8, font: {size: 12, color: colour.soft}}, color: colour.soft, gridcolor: colour.grid, zeroline: false,
    linecolor: colour.line, tickfont: {size: 11, color: colour.soft}, tickangle: 0, ticklabeloverflow: "allow", fixedrange: true, ...more};
}

export function layout(colour, more = {}) {
  return {paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: {family: "system-ui, sans-serif", size: 12, color: colour.ink},
    hovermode: "closest", dragmode: false, showlegend: false,
    legend: {orientation: "h", x: 0, y: 1, yref: "container", yanchor: "top", itemsizing: "constant", itemclick: false, itemdoubleclick: false, font: {size: 11, color: colour.soft}},
    hoverlabel: {bgcolor: colour.card, bordercolor: colour.line, align: "left", font: {color: colour.ink, size: 12, family: "system-ui, sans-serif"}}, ...more};
}

// Plotly's arithmetic overflows near the ends of floating point: an axis whose numbers are that large or small is drawn in units
// of a power of ten, which its title names.
const LARGEST_DRAWN = 1e100, SMALLEST_DRAWN = 1e-100;

export function drawable(traces, arrangement) {
  for (const letter of ["x", "y"]) {
    const axisOf = trace => trace[letter + "axis"] ?? letter;
    for (const name of new Set(traces.map(axisOf))) {
      const mine = traces.filter(t => axisOf(t) === name), key = name.replace(letter, letter + "axis");
      const largest = mine.reduce((most, t) => (t[letter] ?? []).reduce((m, v) => typeof v === "number" && isFinite(v) ? Math.max(m, Math.abs(v)) : m, most), 0);
      if (largest === 0 || (largest <= LARGEST_DRAWN && largest >= SMALLEST_DRAWN)) continue;
      const exponent = Math.floor(Math.log10(largest)), half = Math.trunc(exponent / 2);
      // In two steps, since 10^-310 does not have all its digits.
      const scaled = v => typeof v !== "number" ? v : isFinite(v) ? v / 10 ** half / 10 ** (exponent - half) : null;
      mine.forEach(t => { if (t[letter]) t[letter] = t[letter].map(scaled); if (letter === "x" && t.width) t.width = scaled(t.width); });
      const axis = arrangement[key] ?? {}, power = [...String(exponent)].map(c => SUPERSCRIPTS[c]).join("");
      arrangement = {...arrangement, [key]: {...axis, range: axis.range?.map(scaled), title: {...axis.title, text: axis.title?.text ? `${axis.title.text} (in 10${power})` : `in 10${power}`}}};
    }
  }
  return [traces, arrangement];
}

// Margins by what stands in them: the library would find them by measuring what it has drawn and drawing it again, which took a
// third of its time.
const LEGEND_ROW = 20, MOST_LEGEND_ROWS = 3, LETTER = 6.3;
export function roomy(traces, arrangement, width, height) {
  const {xaxis = {}, yaxis = {}, yaxis2 = {}, showlegend, legend} = arrangement, margin = {l: 12, r: 16, t: 8, b: 8, autoexpand: false};
  const side = (axis, key) => axis.visible === false || axis.overlaying === undefined && key === "y2" ? 0 : markRoom(traces, axis, key) + (axis.title?.text ? 24 : 0);
  margin.l += side(yaxis, "y");
  margin.r = Math.max(margin.r, side(yaxis2, "y2") && 8 + side(yaxis2, "y2"), ...traces.map(t => t.colorbar ? 34 + LETTER * marksLength(extent([t.z.flat()])) : t.textposition === "outside" ? 48 : 0));
  margin.b += 16 + (xaxis.title?.text ? 22 : 0);
  // A legend that would take the place of the chart is left out: what stands below the chart says it.
  const rows = showlegend ? legendRows(traces, width - margin.l - margin.r) : 0, named = rows > 0 && rows <= MOST_LEGEND_ROWS;
  if (named) margin[legend.yanchor === "top" ? "t" : "b"] += LEGEND_ROW * rows + 4;
  const titled = (axis, length) => axis.title?.text ? {...axis, title: {...axis.title, text: short(plainly(axis.title.text), Math.max(8, Math.floor(length / 6.8)))}} : axis;
  return {...arrangement, margin, showlegend: named, xaxis: spaced(traces, titled(xaxis, width - margin.l), width - margin.l - margin.r), yaxis: titled(yaxis, height - margin.t - margin.b), width, height};
}

// On a narrow logarithmic axis powers of ten alone are marked: others would touch.
function spaced(traces, axis, length) {
  if (axis.type !== "log" || !axis.tickvals) return axis;
  const [low, high] = axis.range ?? extent(traces.map(t => t.x)).map(Math.log10);
  return length / (high - low) > 90 ? axis : {...axis, tickvals: axis.tickvals.filter(v => Number.isInteger(Math.log10(v)))};
}

function legendRows(traces, width) {
  const named = new Map(traces.filter(t => t.name && t.showlegend !== false && t.visible !== false).map(t => [t.legendgroup ?? t.name, 38 + LETTER * t.name.length]));
  const widths = [...named.values()], all = widths.reduce((a, b) => a + b, 0);
  return all <= width ? 1 : Math.ceil(widths.length / Math.max(1, Math.floor(width / Math.max(...widths))));
}

function extent(lists) {
  let low = Infinity, high = -Infinity;
  for (const values of lists) for (const v of values ?? []) if (typeof v === "number" && isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
  return low <= high ? [low, high] : [0, 1];
}

// Letters of the longest mark of an axis that goes from low to high, in about five steps.
function marksLength([low, high]) {
  const decimals = Math.max(0, -Math.floor(Math.log10((high - low) / 5 || 1))), largest = Math.max(Math.abs(low), Math.abs(high));
  if (decimals > 3 && largest < 1e-3) return 6; // 2.5×10⁻⁷ or 250n
  const whole = largest >= 1e4 ? 4 : Math.max(1, Math.ceil(Math.log10(largest + 1)));
  return (low < 0) + whole + (decimals ? decimals + 1 : 0);
}

function markRoom(traces, axis, key) {
  if (axis.ticktext) {
    const [low, high] = axis.range ?? extent(traces.filter(t => (t.yaxis ?? "y") === key).map(t => t.y)), seen = axis.ticktext.filter((_, i) => axis.tickvals[i] >= low && axis.tickvals[i] <= high);
    return 8 + (axis.tickfont?.size ?? 11) / 11 * LETTER * Math.max(3, ...seen.map(text => text.length));
  }
  if (axis.tickformat?.endsWith("%")) return 8 + LETTER * 4;
  if (traces.some(t => typeof t.y?.[0] === "string")) return 8 + LETTER * "Jan 2000".length; // dates
  return 8 + Math.min(64, LETTER * marksLength(axis.range ?? extent(traces.filter(t => (t.yaxis ?? "y") === key).map(t => t.y))));
}

function hasSeveral(content) { return content.sets.length > 1; }

// Sizes that are marked on a logarithmic axis.
export const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
// The axis of scores of a front: where the best are close to 1 it is finer there, by the nines that they have. As first_chart.py.
// On a long axis the mark of one half would touch that of 0.
const STRETCHED_FROM = .97, STRETCHED_TO = 1 - 1e-7, LONG = 3.5, SCORES = [0, .5, .9, .99, .999, .9999, .99999, .999999];
// Where few of those are among the scores that are drawn, others between them are marked as well: .95 is 5 hundredths below 1.
const between = parts => [1, 2, 3, 4, 5, 6].flatMap(k => parts.map(part => Number((1 - part * 10 ** -k).toFixed(k + 1))));
export function scoreAxis(best, worst = 0) {
  const finer = best > STRETCHED_FROM, height = v => v === null || !finer ? v : -Math.log10(1 - Math.min(v, STRETCHED_TO));
  const drawn = SCORES.filter(v => v >= worst && v <= best).length;
  const marks = drawn > 2 ? SCORES.filter(v => v !== .5 || height(best) < LONG) : [...SCORES, ...between(drawn ? [5, 2] : [7, 5, 4, 3, 2])];
  return {height, ticks: finer ? {tickvals: marks.map(height), ticktext: marks.map(String)} : {}};
}

export function frontChart(content, index, colour) {
  const models = content.models, sizes = models.map(m => m.size), said = models.map(m => `<b>${nodes(m.size)}</b><br>${wrapped(m.text)}<br>${content.measure} ${r2(m.r2)}`);
  const {height, ticks} = scoreAxis(Math.max(...models.map(m => m.r2 ?? 0)));
  const traces = [], unseen = models.map(m => m.unseen.r2), known = content.unseen && unseen.some(v => v !== null);
  const clear = v => v !== null && v > -0.05 ? v : null;
  if (known) traces.push({type: "scatter", mode: "lines+markers", name: `unseen rows (${content.unseen})`, x: sizes, y: unseen.map(clear).map(height), connectgaps: true, hoverinfo: "skip",
    line: {color: colour.validation, width: 1.2, dash: "dot"}, marker: {color: colour.validation, size: 6, symbol: "diamond"}});
  traces.push({type: "scatter", mode: "lines+markers", name: "training rows", x: sizes, y: models.map(m => height(m.r2)), text: said,
    customdata: models.map((m, i) => i), line: {color: colour.train, width: 1.5, shape: "hv"}, marker: {color: colour.train, size: 8},
    hovertemplate: "%{text}<extra></extra>"});
  const now = models[index], picks = content.picks.filter(p => p.model !== index);
  traces.push({type: "scatter", mode: "markers", name: "picks", showlegend: false, x: picks.map(p => models[p.model].size), y: picks.map(p => height(models[p.model].r2)), hoverinfo: "skip",
    marker: {color: "rgba(0,0,0,0)", size: 14, line: {color: colour.soft, width: 1.5}}});
  traces.push({type: "scatter", mode: "markers", name: "selected", showlegend: false, x: [now.size], y: [height(now.r2)], hoverinfo: "skip",
    marker: {color: colour.accent, size: 15, line: {color: colour.ink, width: 2}}});
  const wide = Math.max(...sizes) / Math.max(1, Math.min(...sizes)) > 25, last = Math.max(...sizes), first = Math.min(...sizes), reach = wide ? Math.log10(last / first) : last;
  const scores = [...models.map(m => Math.max(m.r2 ?? 0, -.05)), ...(known ? unseen.map(clear).filter(v => v !== null) : [])].map(height), low = Math.min(...scores), high = Math.max(...scores), pad = Math.max(.08 * (high - low), .002);
  return [traces, layout(colour, {showlegend: true, clickmode: "event", legend: {...layout(colour).legend, y: 0, yanchor: "bottom"},
    xaxis: axis(colour, "nodes of the formula", {...(wide ? {type: "log", tickvals: SIZES, range: [Math.log10(first) - .06 * reach, Math.log10(last) + .06 * reach]} : {range: [0, 1.06 * last]})}),
    yaxis: axis(colour, content.measure, {range: [low - pad, high + pad], ...ticks})}),
    `Model ${index + 1} of ${models.length}: ${nodes(now.size)}, ${content.measure} ${r2(now.r2)}.`];
}

function pairs(content, model, colour, each) {
  return content.sets.map((set, s) => ({type: "scatter", mode: "markers", name: SET_NAMES[set.name], ...each(set, model.predictions[s], model.residuals[s]),
    marker: {color: colour[set.name], size: set.name === "train" ? 5 : 6, opacity: .62, symbol: SET_SHAPES[set.name]}}));
}

export function fitChart(content, model, colour) {
  const make = (set, p) => ({x: set.y, y: p, hovertemplate: `actual %{x:.5g}<br>predicted %{y:.5g}<extra>${SET_NAMES[set.name]}</extra>`});
  const traces = pairs(content, model, colour, make), all = content.sets.flatMap(s => s.y);
  const low = all.reduce((a, b) => Math.min(a, b), Infinity), high = all.reduce((a, b) => Math.max(a, b), -Infinity);
  traces.unshift({type: "scatter", mode: "lines", x: [low, high], y: [low, high], hoverinfo: "skip", showlegend: false, line: {color: colour.soft, width: 1.2, dash: "dash"}});
  const said = content.sets.map(s => `R² ${r2(model.errors[s.name].r2)} on ${SET_NAMES[s.name]} rows`).join(", ") + ".";
  return [traces, layout(colour, {showlegend: hasSeveral(content), xaxis: axis(colour, "actual " + short(content.target, 40)), yaxis: axis(colour, "predicted")}), said + thinnedNote(content)];
}

function thinnedNote(content) {
  const thin = content.sets.filter(s => s.shown < s.rows);
  return thin.length ? ` ${thin.map(s => s.shown.toLocaleString("en") + " of " + s.rows.toLocaleString("en") + " " + SET_NAMES[s.name] + " rows").join(", ")} drawn.` : "";
}

export function residualChart(content, model, colour) {
  const make = (set, p, left) => ({x: p, y: left, hovertemplate: `predicted %{x:.5g}<br>residual %{y:.4g}<extra>${SET_NAMES[set.name]}</extra>`});
  const said = content.sets.map(s => `RMSE ${fixed(model.errors[s.name].rmse)} on ${SET_NAMES[s.name]} rows`).join(", ") + ".";
  // Residuals at the level of rounding are drawn on an axis of that level, also where all are 0.
  const largest = Math.max(...content.sets.map(s => model.errors[s.name].max)), scale = Math.max(...extent(content.sets.map(s => s.y)).map(Math.abs)), rounding = Number.EPSILON * scale;
  const range = largest < 4 * rounding ? {range: [-4 * rounding, 4 * rounding]} : {};
  return [pairs(content, model, colour, make), layout(colour, {showlegend: hasSeveral(content), xaxis: axis(colour, "predicted " + short(content.target, 40)),
    yaxis: axis(colour, "residual", {zeroline: true, zerolinecolor: colour.soft, zerolinewidth: 1.2, ...range, exponentformat: content.sets.every(s => model.errors[s.name].max < 1e-3) ? "power" : "B"})}), said];
}

export function spreadChart(content, model, colour) {
  const residuals = model.residuals.map(values => values.filter(v => v !== null));
  const all = residuals.flat(), same = Math.max(...all) === Math.min(...all), half = same ? .5 : 0, bins = 31;
  const low = Math.min(...all) - half, high = Math.max(...all) + half, step = (high - low) / bins || 1;
  const centres = Array.from({length: bins}, (_, i) => low + (i + .5) * step);
  const traces = residuals.map((values, i) => {
    const counts = new Array(bins).fill(0);
    values.forEach(v => counts[Math.min(bins - 1, Math.floor((v - low) / step))]++);
    return {type: "scatter", mode: "lines", name: SET_NAMES[content.sets[i].name], x: centres, y: counts.map(c => c / values.length), fill: i ? "none" : "tozeroy",
      fillcolor: "rgba(100,140,200,.18)", line: {shape: "hvh", width: 1.8, color: colour[content.sets[i].name], dash: ["solid", "dash", "dot"][i]},
      hovertemplate: "residual %{x:.4g}<br>%{y:.1%} of rows<extra></extra>"};
  });
  const said = content.sets.map(s => `mean absolute error ${fixed(model.errors[s.name].mae)} on ${SET_NAMES[s.name]} rows`).join(", ") + ".";
  return [traces, layout(colour, {showlegend: hasSeveral(content), xaxis: axis(colour, "residual", {zeroline: true, zerolinecolor: colour.soft}), yaxis: axis(colour, "share of rows", {tickformat: ".0%", rangemode: "tozero"})}),
    said[0].toUpperCase() + said.slice(1)];
}

export function intervalChart(content, model, colour) {
  const s = content.sets.length - 1, set = content.sets[s], p = model.predictions[s], w = model.widths[s];
  if (!w) return [[], layout(colour), "There are no intervals: too few rows, or numbers too large to be squared."];
  const order = set.y.map((_, i) => i).filter(i => p[i] !== null && w[i] !== null).sort((a, b) => p[a] - p[b]), x = order.map((_, i) => i + 1);
  const inside = order.map(i => Math.abs(model.residuals[s][i]) <= w[i]);
  const traces = [
    {type: "scatter", mode: "lines", x, y: order.map(i => p[i] + w[i]), line: {width: 0}, hoverinfo: "skip", showlegend: false},
    {type: "scatter", mode: "lines", name: "95 % interval", x, y: order.map(i => p[i] - w[i]), fill: "tonexty", fillcolor: "rgba(100,140,200,.22)", line: {width: 0}, hoverinfo: "skip"},
    {type: "scatter", mode: "lines", name: "predicted", x, y: order.map(i => p[i]), line: {color: colour.train, width: 1.6}, hoverinfo: "skip"},
    {type: "scatter", mode: "markers", name: "inside", x: x.filter((_, i) => inside[i]), y: order.filter((_, i) => inside[i]).map(i => set.y[i]), marker: {size: 4, color: colour.soft, opacity: .6}, hovertemplate: "actual %{y:.5g}<extra></extra>"},
    {type: "scatter", mode: "markers", name: "outside", x: x.filter((_, i) => !inside[i]), y: order.filter((_, i) => !inside[i]).map(i => set.y[i]), marker: {size: 7, color: colour.test, symbol: "x"}, hovertemplate: "actual %{y:.5g}<extra>outside</extra>"}];
  return [traces, layout(colour, {showlegend: true, xaxis: axis(colour, `${SET_NAMES[set.name]} rows by prediction`), yaxis: axis(colour, short(content.target))}),
    `The interval holds ${percentage(model.coverage[set.name][0])} of ${model.coverage[set.name][1].toLocaleString("en")} ${SET_NAMES[set.name]} rows; crosses are outside.`];
}

export function importanceChart(content, model, colour, width) {
  const rows = model.importance.slice(0, 20).reverse();
  if (!rows.length) return [[], layout(colour), "The formula is a constant: no column matters."];
  const names = rows.map(r => short(content.features[r[0]], Math.min(26, Math.floor(width / 18)))), best = model.importance[0], squared = content.measure === "R²";
  // Labels of negative bars need room before the names of columns.
  const lowest = Math.min(0, ...rows.map(r => r[1])), highest = Math.max(0, ...rows.map(r => r[1]));
  const room = lowest < 0 ? {range: [lowest - .2 * (highest - lowest), highest]} : {rangemode: "tozero"};
  return [[{type: "bar", orientation: "h", y: rows.map((_, i) => i), x: rows.map(r => r[1]), marker: {color: colour.bar}, text: rows.map(r => fixed(r[1], 3)), textposition: "outside", cliponaxis: false,
    textfont: {color: colour.ink, size: 11}, customdata: rows.map(r => literal(content.features[r[0]])), hovertemplate: "%{customdata}: %{text}<extra></extra>"}],
    layout(colour, {bargap: .35, xaxis: axis(colour, squared ? `growth of the typical error${literal(content.unit)}` : `fall of ${content.measure}`, room),
      yaxis: axis(colour, "", {tickvals: rows.map((_, i) => i), ticktext: names, range: [-.6, rows.length - .4], showgrid: false, tickfont: {size: 12, color: colour.ink}})}),
    !squared ? `${content.features[best[0]]} matters most: without it ${content.measure} on the training rows would fall by ${fixed(best[1], 3)}, from ${r2(model.r2)}.` : `${content.features[best[0]]} matters most: without it the typical error on the training rows would grow by ${fixed(best[1], 3)}${content.unit}, from ${fixed(model.errors.train.rmse, 3)}.`];
}

// --- probabilities of a class -------------------------------------------------------------------
const SET_DASHES = {train: "solid", test: "dash"};
function square(colour, across, up, more = {}) { return layout(colour, {xaxis: axis(colour, across, {range: [-.02, 1.02], tickformat: ".0%", nticks: 6}), yaxis: axis(colour, up, {range: [-.02, 1.02], tickformat: ".0%", nticks: 6}), ...more}); }
function diagonal(colour) { return {type: "scatter", mode: "lines", x: [0, 1], y: [0, 1], hoverinfo: "skip", showlegend: false, line: {color: colour.soft, width: 1.2, dash: "dash"}}; }

export function rocChart(content, model, colour) {
  const traces = model.classes.map(c => ({type: "scatter", mode: "lines", name: SET_NAMES[c.name], x: c.roc.map(p => p[0]), y: c.roc.map(p => p[1]), line: {color: colour[c.name], width: 2.4, dash: SET_DASHES[c.name]}, hovertemplate: `%{y:.1%} of the class found<br>%{x:.1%} of the others taken for it<extra>${SET_NAMES[c.name]}</extra>`}));
  const said = model.classes.map((c, i) => `${i ? "area" : "Area"} ${fixed(c.area)} on ${SET_NAMES[c.name]} rows`).join(", ") + ".";
  return [traces.length ? [diagonal(colour), ...traces] : [], square(colour, "others taken for the class", "class found", {showlegend: traces.length > 1}), traces.length ? said : "All rows are of one class."];
}

export function calibrationChart(content, model, colour) {
  const traces = model.classes.map(c => ({type: "scatter", mode: "lines+markers", name: SET_NAMES[c.name], x: c.calibration.map(p => p[0]), y: c.calibration.map(p => p[1]), customdata: c.calibration.map(p => p[2]), line: {color: colour[c.name], width: 1.6, dash: SET_DASHES[c.name]}, marker: {size: 8, symbol: SET_SHAPES[c.name], color: colour[c.name]}, hovertemplate: `%{customdata} rows: predicted %{x:.1%}, of the class %{y:.1%}<extra>${SET_NAMES[c.name]}</extra>`}));
  const last = model.classes[model.classes.length - 1], rows = last?.calibration.reduce((n, p) => n + p[2], 0);
  const off = last ? last.calibration.reduce((sum, p) => sum + p[2] * Math.abs(p[0] - p[1]), 0) / rows : 0;
  return [traces.length ? [diagonal(colour), ...traces] : [], square(colour, "predicted probability", "share of the class", {showlegend: traces.length > 1}), last ? `On average ${percentage(off)} off on ${SET_NAMES[last.name]} rows.` : "All rows are of one class."];
}

export function sharesChart(content, model, colour) {
  const s = content.sets.length - 1, set = content.sets[s], p = model.predictions[s], bins = 20, centres = Array.from({length: bins}, (_, i) => (i + .5) / bins);
  const counted = of => { const rows = p.filter((v, i) => v !== null && (set.y[i] > .5) === of), counts = new Array(bins).fill(0); rows.forEach(v => counts[Math.min(bins - 1, Math.floor(v * bins))]++); return counts.map(c => c / (rows.length || 1)); };
  const bar = (name, of, hue) => ({type: "bar", name, x: centres, y: counted(of), marker: {color: hue, opacity: .62}, width: 1 / bins, hovertemplate: `%{y:.1%} of ${name}<extra></extra>`});
  return [[bar("the others", false, colour.test), bar("the class", true, colour.train)], layout(colour, {barmode: "overlay", bargap: 0, showlegend: true, xaxis: axis(colour, "predicted probability", {range: [0, 1], tickformat: ".0%", nticks: 6}), yaxis: axis(colour, "share of rows", {tickformat: ".0%", rangemode: "tozero"})}), `${SET_NAMES[set.name][0].toUpperCase() + SET_NAMES[set.name].slice(1)} rows.` + thinnedNote(content)];
}

export function dependenceChart(content, curve, colour, range) {
  const column = content.columns[curve.feature + 1], x = column.grid, name = content.features[curve.feature];
  const few = x.length < 8;
  const traces = [
    {type: "scatter", mode: "lines", x, y: curve.high, line: {width: 0, shape: few ? "linear" : "spline"}, hoverinfo: "skip"},
    {type: "scatter", mode: "lines", x, y: curve.low, fill: "tonexty", fillcolor: "rgba(100,140,200,.2)", line: {width: 0}, hoverinfo: "skip"},
    {type: "scatter", mode: few ? "lines+markers" : "lines", x, y: curve.mean, line: {color: colour.train, width: 2.2}, hovertemplate: `${literal(name)} %{x:.4g}<br>mean %{y:.5g}<extra></extra>`}];
  if (column.counts) {
    const mids = column.counts.map((_, i) => (column.edges[i] + column.edges[i + 1]) / 2);
    traces.unshift({type: "bar", x: mids, y: column.counts, yaxis: "y2", marker: {color: colour.bar, opacity: .55}, width: column.edges[1] - column.edges[0], hoverinfo: "skip"});
  }
  return [traces, layout(colour, {bargap: .1, xaxis: axis(colour, "", {anchor: "y2", nticks: 5}), yaxis: axis(colour, "", {domain: [.2, 1], range, nticks: 5}),
    yaxis2: {domain: [0, .15], visible: false, fixedrange: true}}), ""];
}

export function convergenceChart(content, colour) {
  const h = content.history;
  return [[
    {type: "scatter", mode: "lines", name: `best ${content.measure}`, x: h.seconds, y: h.fitness, line: {color: colour.train, width: 2.2, shape: "hv"}, customdata: h.generation, hovertemplate: "%{x:.2f} s, generation %{customdata}<br>R² %{y:.5f}<extra></extra>"},
    {type: "scatter", mode: "lines", name: "its nodes", x: h.seconds, y: h.complexity, yaxis: "y2", line: {color: colour.test, width: 1.3, dash: "dot", shape: "hv"}, hovertemplate: "%{y} nodes<extra></extra>"}],
    layout(colour, {showlegend: true, xaxis: axis(colour, "seconds", {rangemode: "tozero"}), yaxis: axis(colour, `best ${content.measure}`),
      yaxis2: axis(colour, "nodes", {overlaying: "y", side: "right", showgrid: false, rangemode: "tozero", tickmode: "auto", nticks: 5})}),
    `${content.measure} ${r2(h.fitness[h.fitness.length - 1])} after ${fixed(h.seconds[h.seconds.length - 1])} seconds.`];
}

export function errorRows(content, index) {
  const s = content.sets.length - 1, name = content.sets[s].name, row = (title, each, kind) => ({title, kind, errors: each.errors[name], curve: each.curves[s]});
  const model = content.models[index], rows = [row(`selected (${nodes(model.size)})`, model, "selected")];
  if (index !== content.chosen) rows.push(row(`recommended (${nodes(content.models[content.chosen].size)})`, content.models[content.chosen], "recommended"));
  content.references.slice().reverse().forEach(r => rows.push(row({linear: "linear in all columns", mean: "mean of the target"}[r.name], r, r.name)));
  return rows;
}

export function errorChart(content, index, colour) {
  const s = content.sets.length - 1, last = content.models[0].curves[s].length - 1, shares = content.models[0].curves[s].map((_, i) => i / last);
  const rows = errorRows(content, index), at = share => Math.round(share * last);
  const ends = rows.map(r => r.curve[at(.98)]).filter(v => v !== null && isFinite(v)), end = Math.max(...ends, 0) || 1;
  const traces = content.models.map((m, i) => ({type: "scatter", mode: "lines", x: m.curves[s], y: shares, hoverinfo: "skip", name: "others", legendgroup: "others",
    showlegend: i === (index ? 0 : 1), line: {color: colour.bar, width: 1}, opacity: .45})).filter((_, i) => i !== index);
  const style = {selected: {color: colour.accent, width: 3}, recommended: {color: colour.ink, width: 1.6}, linear: {color: colour.test, width: 1.8, dash: "dash"}, mean: {color: colour.soft, width: 1.8, dash: "dot"}};
  rows.slice().reverse().forEach(r => traces.push({type: "scatter", mode: "lines", name: r.kind, x: r.curve, y: shares, line: style[r.kind],
    hovertemplate: `${r.kind}: %{y:.0%} of rows within %{x:.4g}<extra></extra>`}));
  const now = rows[0], line = rows.find(r => r.kind === "linear");
  const said = `Half of the ${SET_NAMES[content.sets[s].name]} rows are predicted to within ${fixed(now.curve[at(.5)])}, nine in ten to within ${fixed(now.curve[at(.9)])}` +
    (line ? `; by a linear model to within ${fixed(line.curve[at(.5)])} and ${fixed(line.curve[at(.9)])}.` : ".");
  return [traces, layout(colour, {showlegend: true, legend: {...layout(colour).legend, traceorder: "reversed"}, xaxis: axis(colour, "absolute error of " + short(content.target, 40), {range: [0, end * 1.02]}), yaxis: axis(colour, "share of rows", {tickformat: ".0%", range: [0, 1.02]})}), said];
}

// Prediction over two columns, the others as the sliders have them: lines of equal prediction.
export function responseChart(content, grids, values, [across, up], colour) {
  const place = (input, v) => input.kind === "date" && v !== null ? new Date(v * 86400000).toISOString().slice(0, 10) : v;
  const [x, y] = [across, up].map((input, i) => grids[i].map(v => place(input, v)));
  return [[
    {type: "contour", x, y, z: values, ncontours: 14, colorscale: [[0, colour.low], [.5, colour.mid], [1, colour.high]], contours: {coloring: "heatmap"}, line: {width: .6, color: colour.soft},
      colorbar: {thickness: 10, outlinewidth: 0, tickfont: {color: colour.soft, size: 11}}, hovertemplate: `${short(across.name)} %{x:.4g}<br>${short(up.name)} %{y:.4g}<br>%{z:.5g}<extra></extra>`},
    {type: "scatter", mode: "markers", x: [place(across, across.value)], y: [place(up, up.value)], hoverinfo: "skip", marker: {color: colour.accent, size: 12, line: {color: colour.card, width: 2}}}],
    layout(colour, {xaxis: axis(colour, short(across.name, 40)), yaxis: axis(colour, short(up.name, 30))}),
    `The dot is where the sliders stand.`];
}

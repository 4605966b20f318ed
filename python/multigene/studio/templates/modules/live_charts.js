// Charts of the studio itself: the front of a search that goes on, its best formula on rows that it does not see, and two models.
import {SIZES, axis, layout, roomy, scoreAxis, sharesChart} from "./charts.js";
import {r2} from "./format.js";
import {library} from "./requests.js";

function colours() { const style = getComputedStyle(document.documentElement); return new Proxy({}, {get: (_, name) => style.getPropertyValue("--" + name).trim()}); }

async function drawn(place, traces, arrangement) {
  const Charts = await library();
  if (!place.isConnected || !place.clientWidth) return false;
  await Charts.react(place, traces, roomy(traces, arrangement, place.clientWidth, place.clientHeight), {displayModeBar: false});
  return true;
}

// Scores below this are off the chart; a formula of one number has 0.
const LOWEST = -.1;

export function drawFront(place, run, shown, pointed) {
  const colour = colours(), rows = run.front.map((f, place) => ({...f, place})).filter(f => f.r2 > LOWEST), sizes = rows.map(f => f.size), tested = rows.filter(f => f.test !== null && f.test > LOWEST);
  if (!rows.length) return;
  const wide = Math.max(...sizes) / Math.max(1, Math.min(...sizes)) > 25, at = run.front[shown], scores = [...rows.map(f => f.r2), ...tested.map(f => f.test)], {height, ticks} = scoreAxis(Math.max(...rows.map(f => f.r2)), Math.min(...scores));
  const traces = [{type: "scatter", mode: "lines+markers", name: "rows searched", x: sizes, y: rows.map(f => height(f.r2)), text: rows.map(f => r2(f.r2)), customdata: rows.map(f => f.place), line: {shape: "hv", color: colour.train, width: 1.5}, marker: {size: 8, color: colour.train}, hovertemplate: `%{x} nodes, ${run.measure} %{text}<extra></extra>`}];
  if (tested.length) traces.push({type: "scatter", mode: "markers", name: "test rows", x: tested.map(f => f.size), y: tested.map(f => height(f.test)), text: tested.map(f => r2(f.test)), customdata: tested.map(f => f.place), marker: {size: 6, color: colour.test, symbol: "diamond-open"}, hovertemplate: `%{x} nodes, ${run.measure} %{text} on test rows<extra></extra>`});
  if (at && at.r2 > LOWEST) traces.push({type: "scatter", mode: "markers", x: [at.size], y: [height(at.r2)], marker: {size: 16, color: "rgba(0,0,0,0)", line: {width: 2, color: colour.ink}}, hoverinfo: "skip", showlegend: false});
  return drawn(place, traces, layout(colour, {showlegend: tested.length > 0, xaxis: axis(colour, "nodes of the formula", wide ? {type: "log", tickvals: SIZES} : {rangemode: "tozero"}), yaxis: axis(colour, run.measure, ticks)})).then(done => {
    if (!done || place.dataset.ready) return;
    place.dataset.ready = "yes";
    place.on("plotly_hover", event => { const row = event.points.map(p => p.customdata).find(v => v !== undefined); if (row !== undefined) pointed(row); });
  });
}

export function drawUnseen(place, run) {
  if (!run.unseen) return;
  const colour = colours(), {actual, predicted} = run.unseen;
  if (run.classes) { return drawn(place, ...sharesChart({sets: [{name: "test", y: actual, rows: actual.length, shown: actual.length}]}, {predictions: [predicted]}, colour).slice(0, 2)); }
  const all = actual.filter(v => v !== null), low = Math.min(...all), high = Math.max(...all), pad = (high - low) * .05 || 1, range = [low - pad, high + pad];
  return drawn(place, [{type: "scatter", mode: "lines", x: range, y: range, line: {color: colour.soft, width: 1, dash: "dot"}, hoverinfo: "skip", showlegend: false},
    {type: "scatter", mode: "markers", x: actual, y: predicted, marker: {size: 5, color: colour.test, opacity: .65}, hovertemplate: "actual %{x}, predicted %{y}<extra></extra>"}],
    layout(colour, {showlegend: false, xaxis: axis(colour, `actual ${run.target}`.slice(0, 60), {range}), yaxis: axis(colour, "predicted", {range})}));
}

export function drawCurves(place, seen) {
  const colour = colours(), end = Math.max(...seen.common.map(e => e.curve[Math.round(.98 * (e.curve.length - 1))] ?? 0)) || 1, style = [{color: colour.train, width: 2.5}, {color: colour.test, width: 2.5, dash: "dash"}];
  drawn(place, seen.common.map((e, i) => ({type: "scatter", mode: "lines", name: `run ${e.number}`, x: e.curve, y: seen.shares, line: style[i], hovertemplate: `run ${e.number}: %{y:.0%} of rows within %{x:.4g}<extra></extra>`})),
    layout(colour, {showlegend: true, xaxis: axis(colour, "absolute error", {range: [0, end * 1.02]}), yaxis: axis(colour, "share of rows", {tickformat: ".0%", range: [0, 1.02]})}));
}

// Model: the report's explorer, with what a file cannot do: take a model into use, leave a term out, prune, predict, save.
import {explore} from "./explorer.js";
import {nodes, r2} from "./format.js";
import {ask, attempt, library, make, place, saved, say, send} from "./requests.js";

let explorer = null, gone = new AbortController();
const CHANGED = {remove: "Without that term", numbers: "With these numbers", prune: "Pruned"};

function told({measure, before, after, nodes: [from, to]}, what) {
  const size = from === to ? (what === "prune" ? `: nothing can be left out for that; ${nodes(to)}` : "") : ` from ${nodes(from)} to ${to}`;
  return `${CHANGED[what]}${size}${size ? ":" : ""} ${measure} on the training rows is ${r2(after)}, before it was ${r2(before)}.`;
}

export async function modelView(session) {
  if (!session.run) { location.hash = "runs"; return; }
  const number = session.run, view = place("view");
  delete document.documentElement.dataset.ready;
  view.replaceChildren(make("main", {className: "page"}, make("p", {}, "The model is being described …")));
  const seen = await attempt(() => ask(`/api/runs/${number}/explorer`));
  if (!seen || location.hash !== "#model") return;
  explorer?.close(); gone.abort(); gone = new AbortController();
  view.innerHTML = seen.markup; // written by the server's templates, which escape every name
  const file = make("input", {type: "file", id: "predict-file", "aria-label": "File to predict", tabIndex: -1, accept: ".csv,.tsv,.txt,.parquet,.xlsx", className: "hidden", onchange: async () => { const text = await attempt(() => send(`/api/runs/${number}/predict`, file.files[0])); if (text) saved("predictions.csv", text); }});
  const loss = make("select", {id: "prune-loss", "aria-label": `Loss of ${seen.content.measure} that pruning may cost`}, ...[.0005, .001, .005, .01, .02, .05].map(v => make("option", {value: v, selected: v === .01}, `at most ${v} of ${seen.content.measure}`)));
  const change = given => attempt(async () => { const run = await ask(`/api/runs/${number}/change`, given); say(run.before === undefined ? "The model was changed." : told(run, given.what)); await session.refresh(); await modelView(session); if (run.before !== undefined) place("problem-free").textContent = told(run, given.what); });
  const selected = () => seen.content.models[explorer.selected()].row;
  const save = (what, text) => make("button", {type: "button", id: `save-${what}`, onclick: () => { make("a", {href: `/api/runs/${number}/save/${what}`, download: ""}).click(); }}, text);
  const tools = make("section", {className: "box", id: "tools", "aria-label": "Decide"}, make("p", {className: "toolbar"},
    make("button", {type: "button", id: "take", onclick: () => change({what: "choose", index: selected()})}, "Take the selected model"),
    make("button", {type: "button", id: "prune", onclick: () => change({what: "prune", index: selected(), max_loss: Number(loss.value)})}, "Prune"), loss,
    save("model", "Save model"), save("report", "Save report"), save("python", "Save Python"), make("button", {type: "button", id: "predict", onclick: () => file.click()}, "Predict another file …"), file), make("p", {id: "problem-free", className: "quietly", role: "status"}));
  place("formula").before(tools);
  const nonce = document.body.dataset.nonce;
  explorer = explore(document, seen.content, library(), {nonce});
  if (seen.movable) document.getElementById("constants-reset")?.after(make("button", {type: "button", id: "keep-numbers", onclick: () => change({what: "numbers", index: selected(), values: explorer.numbers()})}, "Keep these numbers"));
  const remove = () => {
    document.querySelector("#term-table thead tr")?.append(make("td"));
    document.querySelectorAll("#term-table tr[data-term]").forEach(row => row.append(make("td", {className: "go"}, make("button", {type: "button", className: "term-remove", "aria-label": "Leave this term out and fit the rest anew", onclick: () => change({what: "remove", index: selected(), place: Number(row.dataset.term)})}, "leave out"))));
  };
  remove();
  document.documentElement.addEventListener("multigene-select", remove, {signal: gone.signal});
  await explorer.drawn;
  document.documentElement.dataset.ready = "yes";
}

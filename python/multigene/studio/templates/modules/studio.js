// The studio's page: steps by the address's hash, one session, the same in every tab.
import {switchTheme} from "./explorer.js";
import {dataView} from "./data_view.js";
import {modelView} from "./model_view.js";
import {questionView} from "./question_view.js";
import {ask, attempt, library, place, problem} from "./requests.js";
import {runsView} from "./runs_view.js";
import {searchView} from "./search_view.js";

const VIEWS = {data: dataView, question: questionView, search: searchView, model: modelView, runs: runsView};
const TITLES = {data: "Look at the data", question: "Ask", search: "Watch and steer", model: "Understand and decide", runs: "Compare"};
const session = {
  state: null, table: null, question: null, run: Number(sessionStorage.run) || null,
  use(table) { this.table = table; marks(); },
  async refresh() { this.state = await ask("/api/state"); marks(); },
  enable() { if (this.run) sessionStorage.run = this.run; marks(); },
};
function marks() {
  const now = location.hash.slice(1) || "data", model = session.state?.runs.some(r => r.number === session.run && r.size !== null);
  for (const name of Object.keys(VIEWS)) {
    const link = place(`step-${name}`), open = {data: true, question: !!session.table || !!session.state?.data.length, search: !!session.run, model, runs: true}[name];
    if (name === now) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    link.setAttribute("aria-disabled", String(!open));
  }
}
async function show() {
  const name = location.hash.slice(1) in VIEWS ? location.hash.slice(1) : "data";
  problem("");
  delete document.documentElement.dataset.ready;
  await attempt(() => session.refresh());
  if (!session.state) return;
  if (session.run && !session.state.runs.some(r => r.number === session.run)) session.run = null;
  if (!session.table && session.state.data.length && name === "question") session.table = await attempt(() => ask(`/api/data/${session.state.data[session.state.data.length - 1].number}`));
  place("title").textContent = TITLES[name];
  document.title = `${TITLES[name]}: multigene studio`;
  VIEWS[name](session);
  marks();
}
// The chart library is large: it is loaded before it is needed.
addEventListener("load", () => setTimeout(library, 300));
addEventListener("hashchange", show);
place("theme").addEventListener("click", () => { switchTheme(); dispatchEvent(new Event("resize")); });
show();

// Search, live: the front grows, the best formula in words and on unseen rows; pause, go on, stop; pin, ban, offer, price of size.
import {nodes, r2} from "./format.js";
import {drawFront, drawUnseen} from "./live_charts.js";
import {clear, show} from "./mistakes.js";
import {ask, attempt, library, make, place, say} from "./requests.js";

// A formula breaks after operators and brackets, not inside names and numbers; what is copied is the formula alone.
function breakable(text) { return text.split(/(?<=[/(,]|[^*]\*)(?!\*)|(?= [-+])/).flatMap((part, i) => i ? [make("wbr"), part] : [part]); }

const PHASES = {prepare: "preparing", evolve: "evolving", seek: "looking for a law", "cross-validate": "cross-validating the whole search", explore: "exploring", finish: "finishing on all rows"};
// What a phase is for, and what may be done in it.
const MEANING = {seek: "Short formulas are tried first: if one explains everything, it is the law, and the search ends. Steering works already.", "cross-validate": "There are few rows, so the whole search runs on parts of them first: that tells how large a formula may be. Formulas shown are those of the present part.", finish: "How large a formula may be is decided; the search goes on with all training rows."};
const ENDED = {paused: "Paused with a checkpoint: go on whenever you like, even after the studio or the computer was off.", failed: "The search failed; the question can be asked again."};

function at(run) { return (PHASES[run.phase] ?? run.phase) + (run.part ? `, part ${run.part[0]} of ${run.part[1]}` : ""); }
function timed(run) {
  const said = [`${run.seconds} s`];
  if (run.generation) said.push(`${run.generation}${run.generations >= run.generation ? ` of ${run.generations}` : ""} generation${Math.max(run.generations ?? 0, run.generation) === 1 ? "" : "s"}`);
  if (run.limit && run.state === "running") said.push(`about ${Math.max(0, Math.round(run.limit - run.seconds))} s left`);
  return said.join(", ");
}
function stated(run) { return run.state === "running" && run.wanted ? `${run.wanted === "pause" ? "pausing" : "stopping"} after this round` : run.state; }

// What may be done to a search on its way.
function steeringBox(number, session, {update, shown}) {
  const steer = (action, value) => { clear(box); return attempt(async () => { update(await ask(`/api/runs/${number}/steer`, {action, value: await value})); say("It is taken up at the next round."); }, error => show(box, error.field, error.message)); };
  const typed = make("textarea", {id: "offered", rows: 2, spellcheck: false}), ban = make("select", {id: "ban"}), price = make("input", {type: "range", id: "price", min: 0, max: 20, step: .5, value: 0}), priceSaid = make("output", {}, "0");
  price.addEventListener("input", () => { priceSaid.textContent = price.value; }); price.addEventListener("change", () => steer("price", Number(price.value)));
  const button = (id, text, does) => make("button", {type: "button", id, onclick: does}, text), actions = make("ol", {className: "actions-list", id: "actions"});
  const box = make("div", {className: "box", id: "steering"}, make("h2", {}, "Steer"),
    make("label", {className: "field"}, make("span", {}, "A formula to try, in terms of the columns"), typed),
    make("p", {className: "actions"}, button("offer", "Send in", () => steer("offer", typed.value)), button("pin", "Pin", () => steer("pin", typed.value || shown())), button("edit-best", "Edit the shown one", () => attempt(async () => { typed.value = await shown(); typed.focus(); }))),
    make("label", {className: "field"}, make("span", {}, "A column or function that no formula may use"), ban), make("p", {className: "actions"}, button("do-ban", "Ban", () => steer("ban", ban.value))),
    make("label", {className: "field"}, make("span", {}, "Price of size ", priceSaid), price), make("h3", {}, "What was done"), actions, make("p", {className: "quietly"}, "Recorded as ", make("a", {href: `/api/runs/${number}/save/python`, id: "python"}, "Python that repeats the run"), "."));
  return {box, update(run) {
    for (const e of box.querySelectorAll("input, button, select, textarea")) e.disabled = run.state !== "running";
    if (!ban.options.length) ban.append(make("optgroup", {label: "Columns"}, ...run.features.map(f => make("option", {value: f}, f))), make("optgroup", {label: "Functions"}, ...session.state.functions.map(f => make("option", {value: f}, f))));
    const said = [...run.actions.map(a => `step ${a.step}: ${a.action} ${a.value ?? ""}`), ...run.waiting.map(([action, value]) => `next round: ${action} ${value ?? ""}`)];
    actions.replaceChildren(...said.map(text => make("li", {}, text)));
  }};
}

export function searchView(session) {
  if (!session.run) { location.hash = session.state.runs.length ? "runs" : "data"; return; }
  const number = session.run;
  let current = null, pointed = null, over = false; // `pointed` is a row of the front
  const title = make("h2", {id: "run-title"}, `Run ${number}`), status = make("p", {id: "run-state", className: "big-number"}), detail = make("p", {id: "run-detail", className: "quietly"}), bar = make("i"), trouble = make("p", {className: "note", id: "run-trouble", hidden: true});
  const button = (id, text, what) => make("button", {type: "button", id, onclick: () => attempt(async () => update(await ask(`/api/runs/${number}/ask`, {what})))}, text);
  const pause = button("pause", "Pause", "pause"), resume = button("resume", "Go on", "resume"), stop = button("stop", "Stop", "stop"), look = make("button", {type: "button", className: "primary", id: "look", onclick: () => { location.hash = "model"; }}, "Look at the model");
  const region = (id, name, text = "") => make("p", {id, className: "best", tabIndex: 0, role: "region", "aria-label": name}, text);
  const heading = make("h2", {}, "Best so far"), words = make("p", {id: "best-said", className: "in-words"}), seen = make("div", {className: "score"}, make("b", {id: "best-r2"}, "–"), make("span", {}, "on the rows searched")), unseenR2 = make("b", {id: "unseen-r2"}, "–"), unseen = make("div", {className: "score", hidden: true}, unseenR2, make("span", {}, "on test rows, unseen")), formula = region("best-formula", "Best formula so far"), under = region("hovered", "Formula of the front", "Point at the front, or use the arrow keys on it, to read a formula.");
  const chart = make("div", {className: "plot", id: "live-front", role: "slider", tabIndex: 0, "aria-label": "Accuracy against size of the formulas found so far", "aria-orientation": "horizontal", "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0}), fit = make("div", {className: "plot", id: "live-fit", role: "img", "aria-label": "Test rows"}), fitTitle = make("h3", {}, ""), fitBox = make("figure", {className: "chart", hidden: true}, fitTitle, fit);
  const steering = steeringBox(number, session, {update: run => update(run), shown: () => pointed === null ? current?.formula ?? "" : written(current.front[pointed])});
  place("view").replaceChildren(make("main", {className: "page"}, make("div", {className: "columns"}, make("div", {},
    make("div", {className: "box"}, make("div", {className: "heading"}, title, status), make("div", {className: "progress"}, bar), detail, trouble, make("p", {className: "actions"}, pause, resume, stop, look)),
    make("div", {className: "box"}, heading, words, make("div", {className: "scores"}, seen, unseen), formula),
    make("div", {className: "pair"}, make("figure", {className: "chart"}, make("h3", {}, "Accuracy against size"), chart), fitBox), make("div", {className: "box"}, under)), steering.box)));
  library();
  // Formulas of the front are written when they are asked for; what was read once stays.
  const known = new Map(), key = ({size, r2: score}) => `${size} ${score}`;
  async function written(row) {
    if (!known.has(key(row))) for (const found of await ask(`/api/runs/${number}/front/${row.size}`)) known.set(key(found), found.formula);
    return known.get(key(row)) ?? current.formula; // the front has lost it meanwhile
  }
  // A formula of the front is read by pointing at it or with the arrow keys.
  function point(at, announce = false) {
    if (!current?.front.length) return;
    pointed = Math.max(0, Math.min(current.front.length - 1, at));
    const row = current.front[pointed], {size, test, r2: score} = row, said = `${nodes(size)}, ${current.measure} ${r2(score)}${test === null ? "" : `, ${r2(test)} on test rows`}`, text = known.get(key(row));
    under.replaceChildren(make("b", {}, said), make("br"), ...breakable(text ?? "…"));
    chart.setAttribute("aria-valuenow", pointed); chart.setAttribute("aria-valuetext", `${said}: ${text ?? ""}`.slice(0, 300));
    if (text === undefined) written(row).then(() => { if (pointed !== null && row === current.front[pointed] && known.has(key(row))) point(pointed); }, () => {}); // unanswered, the next round asks again
    if (announce) drawFront(chart, current, pointed, point);
  }
  chart.addEventListener("keydown", event => {
    const last = current?.front.length - 1, now = pointed ?? last, to = {ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1, Home: 0, End: last}[event.key];
    if (to !== undefined) { event.preventDefault(); point(to, true); }
  });
  // Drawing takes a tenth of the time at most, so that the page answers: what comes meanwhile is drawn with the next.
  let drawnAt = -Infinity, took = 0, waiting = 0;
  function draw() {
    const wait = drawnAt + Math.max(150, 10 * took) - performance.now();
    if (wait > 0) { waiting ||= setTimeout(() => { waiting = 0; if (title.isConnected) draw(); }, wait); return; }
    const began = drawnAt = performance.now();
    drawNow().then(() => { drawnAt = performance.now(); took = drawnAt - began; });
  }
  // One chart a task: between the two the page answers.
  async function drawNow() {
    fitBox.hidden = !current?.unseen; fitTitle.textContent = current?.classes ? "Test rows by predicted probability" : "Test rows, predicted against actual"; fit.setAttribute("aria-label", fitTitle.textContent);
    if (current?.front.length) chart.setAttribute("aria-valuemax", current.front.length - 1);
    if (current?.front.length) await drawFront(chart, current, pointed, point);
    await new Promise(done => setTimeout(done));
    await drawUnseen(fit, current);
  }
  function tell(run) {
    title.textContent = `Run ${run.number}: ${run.target}`;
    status.textContent = stated(run);
    const share = run.generations ? run.generation / run.generations : run.limit ? run.seconds / run.limit : 0;
    bar.style.width = `${100 * Math.min(1, run.state === "done" ? 1 : share)}%`;
    detail.textContent = [run.state === "running" ? `${at(run)}, ${timed(run)}.` : `${timed(run)}.`, run.state === "running" ? MEANING[run.phase] : ENDED[run.state], run.note].filter(Boolean).join(" ");
  }
  function update(run) {
    // The front has grown or shrunk: what was pointed at keeps its size, or nearly so.
    if (pointed !== null) pointed = run.front.length ? Math.max(0, run.front.findLastIndex(row => row.size <= current.front[pointed].size)) : null;
    current = run;
    tell(run);
    trouble.hidden = !run.trouble; trouble.textContent = run.trouble;
    heading.textContent = run.has_model && run.state !== "running" ? "The model" : "Best so far";
    seen.firstChild.textContent = run.r2 === null ? "–" : `${run.measure} ${r2(run.r2)}`;
    unseen.hidden = !run.unseen; if (run.unseen) unseenR2.textContent = `${run.measure} ${r2(run.unseen.r2)}`;
    words.textContent = run.unseen?.said ?? ""; words.hidden = !run.unseen;
    formula.replaceChildren(...breakable(run.formula ? `${run.target} = ${run.formula}` : "…"));
    pause.disabled = run.state !== "running" || !!run.wanted; stop.disabled = run.state === "paused" ? false : pause.disabled; resume.disabled = run.state !== "paused"; look.disabled = !run.has_model;
    steering.update(run);
    session.enable(run.has_model);
    if (pointed !== null) point(pointed);
    draw();
  }
  async function follow() {
    let after = -1;
    while (title.isConnected) {
      try { const run = await ask(`/api/runs/${number}/live?after=${after}`); if (!title.isConnected) return; after = run.version; update(run); if (run.state !== "running" && !over) { over = true; say(`The run is ${run.state}.`); await session.refresh(); } if (run.state === "running") over = false; }
      catch (error) { status.textContent = "The studio does not answer."; await new Promise(done => setTimeout(done, 1500)); after = -1; }
      await new Promise(done => setTimeout(done, 60));
    }
  }
  addEventListener("resize", function again() { if (!title.isConnected) removeEventListener("resize", again); else if (current) drawNow(); });
  const clock = setInterval(() => { if (!title.isConnected) clearInterval(clock); else if (current?.state === "running") { current.seconds = Math.round(10 * current.seconds + 10) / 10; tell(current); } }, 1000);
  follow();
}

// What the page asks the server, and how it says what went wrong.
export const place = id => document.getElementById(id);
export function make(name, properties = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key in e && key !== "list") e[key] = value;
    else e.setAttribute(key, value);
  }
  e.append(...children.flat().filter(c => c !== null && c !== undefined && c !== false));
  return e;
}
// A sentence with the place that it is about, which the server writes as «place».
export function sentence(text) { return text.split(/«([^»]*)»/).map((part, i) => i % 2 ? make("mark", {}, part || "\u2003") : part); }
export function problem(text) { const box = place("problem"); box.replaceChildren(...sentence(text)); box.hidden = !text; if (text) box.scrollIntoView({block: "nearest"}); }
export function say(text) { place("said").textContent = text; }

export async function ask(address, given) {
  const answer = await fetch(address, given === undefined ? {} : {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(given)});
  return understood(answer);
}
export async function send(address, file) { return understood(await fetch(`${address}?name=${encodeURIComponent(file.name)}`, {method: "POST", body: file})); }
async function understood(answer) {
  const json = (answer.headers.get("content-type") ?? "").includes("json");
  const said = json ? await answer.json() : await answer.text();
  if (!answer.ok) throw Object.assign(new Error(json ? said.trouble : said), {field: json ? said.field : undefined});
  return said;
}
// Run something that may go wrong; the page tells if it did, above or, where `shown` says so, beside the field.
export async function attempt(work, shown = () => false) { problem(""); try { return await work(); } catch (error) { if (!error.field || !shown(error)) problem(error.message); return null; } }
export function saved(name, text) {
  const link = make("a", {href: URL.createObjectURL(new Blob([text])), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
let chartLibrary = null;
export function library() {
  chartLibrary ??= new Promise((done, failed) => document.head.append(make("script", {src: "/files/plotly.js", onload: () => done(window.Plotly), onerror: () => failed(new Error("The chart library did not load."))})));
  return chartLibrary;
}

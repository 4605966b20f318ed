// The explorer in a notebook (anywidget): what it shows, and the chart library once for all of them, come from Python when asked for.
import {explore} from "./explorer.js";
import {gunzipped, libraryFrom} from "./unpack.js";

let chartsOfNotebook = null;

function answer(model, kind) {
  return new Promise((done, failed) => {
    const take = (message, buffers) => {
      if (message.kind !== kind) return;
      model.off("msg:custom", take);
      if (message.trouble) failed(new Error(message.trouble)); else done([message, buffers[0]]);
    };
    model.on("msg:custom", take);
    model.send({kind});
  });
}
async function notebookCharts(model) { const [, packed] = await answer(model, "library"); return libraryFrom(packed); }

// A notebook has a theme of its own, which need not be the system's.
function themeOf(body) { return {true: "light", false: "dark"}[body.dataset.jpThemeLight] ?? (body.classList.contains("vscode-dark") ? "dark" : body.classList.contains("vscode-light") ? "light" : ""); }

export async function render({model, el}) {
  const host = document.createElement("div"), root = host.attachShadow({mode: "open"}), theme = themeOf(document.body);
  if (theme) host.dataset.theme = theme;
  root.textContent = "The model is being described …";
  el.append(host);
  try {
    const [said, content] = await answer(model, "content");
    root.innerHTML = `<style>${said.style}</style>${said.markup}`;
    const explorer = explore(root, JSON.parse(await gunzipped(content)), chartsOfNotebook ??= notebookCharts(model), {styled: host});
    explorer.drawn.then(() => { host.dataset.ready = "yes"; });
    return () => explorer.close();
  } catch (error) { root.textContent = error.message; return undefined; }
}

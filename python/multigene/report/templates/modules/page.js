// The report as a file: unpacks data and chart library, which the page holds, and hands over to the explorer.
import {explore, switchTheme} from "./explorer.js";

async function unpacked(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), c => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

async function library() {
  const script = document.createElement("script");
  script.textContent = await unpacked("library");
  document.head.append(script);
  return window.Plotly;
}

async function start() {
  if (typeof DecompressionStream !== "function") {
    const place = document.getElementById("trouble");
    place.textContent = "This browser is too old to draw the charts (it lacks DecompressionStream); the recommended model is shown without them.";
    place.hidden = false;
    return;
  }
  const explorer = explore(document, JSON.parse(await unpacked("content")), library());
  document.getElementById("theme").addEventListener("click", () => { switchTheme(); explorer.redraw(); });
  await explorer.drawn;
  document.documentElement.dataset.ready = "yes";
}

start();

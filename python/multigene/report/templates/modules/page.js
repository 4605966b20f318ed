// The report as a file: unpacks data and chart library, which the page holds, and hands over to the explorer.
import {explore, switchTheme} from "./explorer.js";
import {bytes, gunzipped, libraryFrom} from "./unpack.js";

function packed(id) { return bytes(document.getElementById(id).textContent); }
// The first screen needs no chart library, which takes the browser a second to take in: it comes when that screen is painted.
function painted() { return new Promise(done => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 500); }); }
async function library() { await painted(); return libraryFrom(packed("library")); }

async function start() {
  if (typeof DecompressionStream !== "function") {
    const place = document.getElementById("trouble");
    place.textContent = "This browser is too old to draw the charts (it lacks DecompressionStream); the recommended model is shown without them.";
    place.hidden = false;
    return;
  }
  const explorer = explore(document, JSON.parse(await gunzipped(packed("content"))), library());
  document.getElementById("theme").addEventListener("click", () => { switchTheme(); explorer.redraw(); });
  document.documentElement.dataset.shown = "yes";
  await explorer.drawn;
  document.documentElement.dataset.ready = "yes";
}

start();

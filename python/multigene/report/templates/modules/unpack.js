// Data and chart library travel compressed, in a page as base64.
export function bytes(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64), made = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) made[i] = text.charCodeAt(i); // a callback per byte takes ten times as long
  return made;
}
function stream(bytes) { return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))); }
export async function gunzipped(bytes) { return stream(bytes).text(); }

// The chart library from its packed source, by a script element: pages forbid eval. As a file of its own it is compiled beside the
// page, which answers meanwhile; where scripts of that kind are forbidden it is part of the page. It has the charts of these pages
// alone: a library of that name that a notebook has already, or loads later, stays its own.
export async function libraryFrom(bytes) {
  const file = new Blob([await stream(bytes).blob()], {type: "text/javascript"}), address = URL.createObjectURL(file), script = document.createElement("script");
  const before = window.Plotly;
  const loaded = await new Promise(done => { script.onload = () => done(true); script.onerror = () => done(false); script.src = address; document.head.append(script); });
  URL.revokeObjectURL(address);
  if (!loaded) { const inside = document.createElement("script"); inside.textContent = await file.text(); document.head.append(inside); }
  const mine = window.Plotly;
  window.Plotly = before;
  return mine;
}

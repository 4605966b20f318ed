// Data and chart library travel compressed, in a page as base64.
export function bytes(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64), made = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) made[i] = text.charCodeAt(i); // a callback per byte takes ten times as long
  return made;
}
export async function gunzipped(bytes) { return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text(); }

// The chart library from its source, by a script element: pages forbid eval.
export function libraryFrom(source) {
  const script = document.createElement("script");
  script.textContent = source;
  document.head.append(script);
  return window.Plotly;
}

// Data and chart library travel compressed.
export async function gunzipped(bytes) { return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text(); }

// The chart library from its source, by a script element: pages forbid eval.
export function libraryFrom(source) {
  const script = document.createElement("script");
  script.textContent = source;
  document.head.append(script);
  return window.Plotly;
}

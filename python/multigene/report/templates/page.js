// The page: unpacks data and chart library, draws what is in view, and lets everything follow the selected model.
(async function () {
  const $ = id => document.getElementById(id);
  const PACKED = typeof DecompressionStream === "function";
  async function unpacked(id) {
    const bytes = Uint8Array.from(atob($(id).textContent), c => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  function trouble(text) { $("trouble").textContent = text; $("trouble").hidden = false; }
  if (!PACKED) { trouble("This browser is too old to draw the charts (it lacks DecompressionStream); the chosen model is shown without them."); return; }

  const content = JSON.parse(await unpacked("content"));
  let index = content.chosen, format = "python", Charts = null;
  const model = () => content.models[index];

  // --- colours ---------------------------------------------------------------------------------
  const NAMES = ["ink", "soft", "line", "grid", "card", "accent", "train", "validation", "test", "bar", "low", "mid", "high"];
  function colours() {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(NAMES.map(n => [n, style.getPropertyValue("--" + n).trim()]));
  }
  function setTheme(name) { document.documentElement.dataset.theme = name; redraw(); }
  $("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    setTheme(dark ? "light" : "dark");
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw());

  // --- charts: drawn when they come into view, drawn again when something changed ----------------
  const drawings = new Map(), seen = new Set(), stale = new Set();
  const watcher = new IntersectionObserver(entries => entries.forEach(e => {
    if (e.isIntersecting) { seen.add(e.target.id); if (stale.has(e.target.id)) draw(e.target.id); } else seen.delete(e.target.id);
  }), {rootMargin: "200px"});
  function add(id, make) { if ($(id)) { drawings.set(id, make); stale.add(id); watcher.observe($(id)); } }
  function draw(id) {
    const place = $(id);
    if (!Charts || !place || !place.clientWidth) return;
    stale.delete(id);
    const [made, wanted, said] = drawings.get(id)(), [traces, arrangement] = drawable(made, wanted);
    if ($(id + "-said")) $(id + "-said").textContent = said;
    if (!traces.length) { Charts.purge(place); place.style.height = "4rem"; place.innerHTML = ""; const p = document.createElement("p"); p.className = "empty"; p.textContent = said; place.append(p); return; }
    if (place.querySelector(".empty")) { place.innerHTML = ""; place.style.height = ""; }
    if (id === "chart-importance") place.style.height = Math.max(9, 5 + 1.7 * Math.min(20, model().importance.length)) + "rem";
    if (id === "chart-directions") place.style.height = Math.max(10, 7 + 2 * Math.min(40, combinations(model()).length)) + "rem";
    Charts.react(place, traces, {...arrangement, width: place.clientWidth, height: place.clientHeight}, {displayModeBar: false, responsive: false});
    if (id === "chart-front" && !place.dataset.ready) {
      place.dataset.ready = "yes";
      place.on("plotly_click", event => { const i = event.points.map(p => p.customdata).find(v => v !== undefined); if (i !== undefined) select(i); });
    }
  }
  function redraw(everything = false) {
    for (const id of drawings.keys()) { stale.add(id); if (everything || seen.has(id)) draw(id); }
  }
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => { fitAll(); redraw(); }, 120); });

  // --- formulas: one piece where it fits, else broken between terms of the outermost sum ------------
  const MATHML = "http://www.w3.org/1998/Math/MathML", formulas = new Map();
  function setMath(place, mathml, text) { formulas.set(place, {mathml, text}); fitMath(place); }
  function fitMath(place) {
    place.classList.remove("broken", "plain");
    place.style.fontSize = "";
    place.innerHTML = formulas.get(place).mathml;
    const row = place.querySelector("math > mrow");
    if (!row || !place.clientWidth || place.scrollWidth <= place.clientWidth + 1) return;
    const pieces = [[]];
    for (const child of [...row.children]) {
      const piece = pieces[pieces.length - 1], sign = child.localName === "mo" && "+−".includes(child.textContent);
      if (sign && piece.length && piece[piece.length - 1].textContent !== "=") { child.setAttribute("form", "infix"); pieces.push([child]); } else piece.push(child);
    }
    if (pieces.length < 2) return;
    place.classList.add("broken");
    place.replaceChildren(...pieces.flatMap(piece => {
      const math = document.createElementNS(MATHML, "math"), inside = document.createElementNS(MATHML, "mrow");
      math.setAttribute("displaystyle", "true");
      inside.append(...piece); math.append(inside);
      return [math, " "];
    }));
  }
  function fitAll() { for (const place of [...formulas.keys()]) if (place.isConnected) fitMath(place); else formulas.delete(place); }
  function squeezed() { // on paper nothing scrolls: what is still too wide is set smaller, or as text
    fitAll();
    for (const [place, {text}] of formulas) {
      if (place.scrollWidth <= place.clientWidth + 1) continue;
      const size = parseFloat(getComputedStyle(place).fontSize) * .96 * place.clientWidth / place.scrollWidth;
      if (size >= 8) place.style.fontSize = size + "px"; else { place.textContent = text; place.classList.add("plain"); }
    }
  }
  let before = null;
  addEventListener("beforeprint", () => { before = document.documentElement.dataset.theme ?? ""; document.documentElement.dataset.theme = "light"; document.documentElement.classList.add("printing"); document.querySelectorAll("#by-gene details").forEach(d => { d.open = true; }); squeezed(); redraw(true); });
  addEventListener("afterprint", () => { document.documentElement.classList.remove("printing"); fitAll(); if (before) document.documentElement.dataset.theme = before; else delete document.documentElement.dataset.theme; redraw(); });

  // --- what follows the selection ---------------------------------------------------------------
  function element(name, className, text) { const e = document.createElement(name); if (className) e.className = className; if (text !== undefined) e.textContent = text; return e; }
  const TITLES = {train: "Training", test: "Test"};

  function typeset(value) {
    const [mantissa, power] = fixed(value).split("·10");
    const exponent = power === undefined ? "" : [...power].map(c => Object.keys(SUPERSCRIPTS).find(k => SUPERSCRIPTS[k] === c)).join("").replace("-", "−");
    return `<mn>${mantissa}</mn>` + (exponent ? `<mo>⋅</mo><msup><mn>10</mn><mn>${exponent}</mn></msup>` : "");
  }

  function showFormula(m) {
    const place = $("by-gene");
    place.replaceChildren();
    const parted = m.long && m.genes.length > 1;
    document.body.classList.toggle("parted", parted);
    if (!parted) { setMath($("equation"), m.mathml, `${content.target} = ${m.text}`); return; }
    const sum = m.genes.map(g => `<mo>${g.coefficient < 0 ? "−" : "+"}</mo>${typeset(Math.abs(g.coefficient))}<mo>⋅</mo><msub><mi>g</mi><mn>${g.number}</mn></msub>`).join("");
    const target = m.mathml.slice(m.mathml.indexOf("<mrow>") + 6, m.mathml.indexOf("<mo>=</mo>"));
    const first = m.intercept < 0 ? `<mo>−</mo>${typeset(-m.intercept)}` : typeset(m.intercept);
    setMath($("equation"), `<math xmlns="${MATHML}" display="block"><mrow>${target}<mo>=</mo>${first}${sum}</mrow></math>`, "");
    m.genes.forEach((g, i) => {
      const box = element("details");
      box.open = i === 0;
      const summary = element("summary");
      summary.append(element("b", "", `g${g.number}`), ` · ${nodes(g.size)}` + (g.share === null ? "" : ` · ${percentage(g.share)} of the prediction`));
      const math = element("div", "math");
      math.tabIndex = 0; math.setAttribute("role", "region"); math.setAttribute("aria-label", `Formula of gene ${g.number}`);
      box.append(summary, math);
      place.append(box);
      setMath(math, g.mathml, g.text);
      box.addEventListener("toggle", () => fitMath(math));
    });
    const whole = element("details"), summary = element("summary", "", "The whole formula in one piece"), math = element("div", "math");
    math.tabIndex = 0; math.setAttribute("role", "region"); math.setAttribute("aria-label", "Whole formula");
    whole.className = "whole";
    whole.addEventListener("toggle", () => { if (whole.open) setMath(math, m.mathml, ""); });
    whole.append(summary, math);
    place.append(whole);
  }

  function showCards(m) {
    const cards = Object.entries(m.errors).map(([name, e]) => card(TITLES[name], "R² " + r2(e.r2),
      [["RMSE", fixed(e.rmse)], ["MAE", fixed(e.mae)], ["largest", fixed(e.max)], ["rows", e.rows.toLocaleString("en")]]));
    if (m.validation !== null) {
      const unseen = card(content.validated_by[0].toUpperCase() + content.validated_by.slice(1), "R² " + r2(m.validation), []);
      unseen.append(element("p", "quietly", "on rows that the search did not see"));
      cards.push(unseen);
    }
    cards.push(card("Size", nodes(m.size), [["genes", m.genes.length], ["columns", `${m.variables.length} of ${content.features.length}`]]));
    $("cards").replaceChildren(...cards);
  }
  function card(title, big, rows) {
    const box = element("div", "card"), list = element("dl");
    rows.forEach(([name, value]) => { const row = element("div"); row.append(element("dt", "", name), element("dd", "", String(value))); list.append(row); });
    box.append(element("h3", "", title), element("p", "big", big), list);
    return box;
  }

  function showGenes(m) {
    const places = [], rows = m.genes.map(g => {
      const row = element("tr"), name = element("th", "", `g${g.number}`), math = element("td", "math"), inside = element("div"), share = element("td", "num", percentage(g.share));
      name.scope = "row"; math.append(inside); places.push([inside, g]);
      if (g.share !== null) { const meter = element("span", "meter"), fill = element("i"); fill.style.width = `${Math.max(0, Math.min(1, g.share)) * 100}%`; meter.setAttribute("aria-hidden", "true"); meter.append(fill); share.append(meter); }
      row.append(name, element("td", "num", fixed(g.coefficient)), element("td", "num", fixed(g.spread)), share, element("td", "num", fixed(g.cost, 3)), math);
      return row;
    });
    if (!rows.length) { const row = element("tr"), cell = element("td", "", "The formula is a constant; it has no genes."); cell.colSpan = 6; row.append(cell); rows.push(row); }
    document.querySelector("#gene-table tbody").replaceChildren(...rows);
    places.forEach(([place, g]) => setMath(place, g.mathml, g.text));
  }

  function showErrors() {
    const place = document.querySelector("#error-table tbody");
    if (!place) return;
    place.replaceChildren(...errorRows(content, index).map(r => {
      const row = element("tr", r.kind), name = element("th", "", r.title), last = r.curve.length - 1;
      name.scope = "row";
      row.append(name, ...[r2(r.errors.r2), fixed(r.errors.mae), fixed(r.curve[Math.round(.5 * last)]), fixed(r.curve[Math.round(.9 * last)])].map(v => element("td", "num", v)));
      return row;
    }));
  }

  function showDependence(m) {
    const place = $("dependence");
    if (!place) return;
    for (const id of [...drawings.keys()]) if (id.startsWith("dependence-")) { drawings.delete(id); stale.delete(id); seen.delete(id); watcher.unobserve($(id)); if (Charts) Charts.purge($(id)); }
    const values = m.dependence.flatMap(d => [...d.low, ...d.mean, ...d.high]).filter(v => v !== null);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity), pad = (high - low) * .06 || 1;
    place.replaceChildren(...m.dependence.map((d, i) => {
      const box = element("figure", "chart"), plot = element("div", "plot"), name = content.features[d.feature];
      plot.id = `dependence-${i}`; plot.setAttribute("role", "img");
      plot.setAttribute("aria-label", `${content.target} against ${name}: from ${fixed(d.mean[0])} at ${fixed(content.columns[d.feature + 1].grid[0])} to ${fixed(d.mean[d.mean.length - 1])} at ${fixed(content.columns[d.feature + 1].grid.slice(-1)[0])}`);
      box.append(element("h3", "", name), plot);
      return box;
    }));
    if (!m.dependence.length) place.append(element("p", "", "The formula is a constant."));
    m.dependence.forEach((d, i) => add(`dependence-${i}`, () => dependenceChart(content, model().dependence[i], colours(), [low - pad, high + pad])));
  }

  function showCode(m) {
    $("code").firstElementChild.textContent = m.exports[format] ?? "This format cannot write the formula.";
    $("copy-shown").dataset.copy = format;
    document.querySelectorAll(".format").forEach(b => b.setAttribute("aria-pressed", String(b.dataset.format === format)));
  }

  function select(i, announce = true) {
    index = Math.max(0, Math.min(content.models.length - 1, i));
    const m = model(), said = `${nodes(m.size)} · R² ${r2(m.r2)}` + (index === content.chosen ? " · chosen" : "");
    $("selected").replaceChildren(element("strong", "", `Model ${index + 1} of ${content.models.length}`), " ", element("span", "", said));
    $("previous").disabled = index === 0;
    $("next").disabled = index === content.models.length - 1;
    $("back").disabled = index === content.chosen;
    const radio = document.querySelector(`#models input[value="${index}"]`), list = $("models");
    radio.checked = true;
    const row = radio.parentElement;
    if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = row.offsetTop - list.clientHeight / 2;
    const slider = $("chart-front");
    slider.setAttribute("aria-valuenow", index + 1);
    slider.setAttribute("aria-valuetext", `${nodes(m.size)}, R² ${r2(m.r2)}: ${m.text.slice(0, 200)}`);
    showFormula(m); showCards(m); showGenes(m); showErrors(); showDependence(m); showCode(m);
    redraw();
    if (announce) $("announce").textContent = `Model ${index + 1}: ${nodes(m.size)}, R² ${r2(m.r2)}.`;
  }

  // --- ways to select ---------------------------------------------------------------------------
  $("models").addEventListener("change", event => select(Number(event.target.value)));
  $("previous").addEventListener("click", () => select(index - 1));
  $("next").addEventListener("click", () => select(index + 1));
  $("back").addEventListener("click", () => select(content.chosen));
  $("chart-front").addEventListener("keydown", event => {
    const last = content.models.length - 1;
    const to = {ArrowRight: index + 1, ArrowUp: index + 1, ArrowLeft: index - 1, ArrowDown: index - 1, Home: 0, End: last, PageUp: index + 5, PageDown: index - 5}[event.key];
    if (to !== undefined) { event.preventDefault(); select(to); }
  });

  // --- copying and saving -----------------------------------------------------------------------
  async function copy(text) {
    try { await navigator.clipboard.writeText(text); return true; } catch (error) {
      const area = element("textarea");
      area.value = text; area.style.position = "fixed"; area.style.opacity = "0";
      document.body.append(area); area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }
  document.addEventListener("click", async event => {
    const button = event.target.closest("button.copy");
    if (!button) return;
    const text = button.dataset.from ? $(button.dataset.from).textContent : model().exports[button.dataset.copy];
    const done = await copy(text ?? ""), label = button.textContent;
    if (button.classList.contains("done")) return;
    button.classList.toggle("done", done);
    button.textContent = done ? "Copied" : "Press Ctrl-C";
    $("announce").textContent = done ? "Copied to the clipboard." : "Copying was refused.";
    setTimeout(() => { button.classList.remove("done"); button.textContent = label; }, 1400);
  });
  document.querySelectorAll(".format").forEach(b => b.addEventListener("click", () => { format = b.dataset.format; showCode(model()); }));
  $("download").addEventListener("click", () => {
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([model().exports[format] ?? ""], {type: "text/plain"}));
    link.download = "formula" + content.formats[format][1];
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

  // --- start ------------------------------------------------------------------------------------
  add("chart-front", () => frontChart(content, index, colours()));
  add("chart-fit", () => fitChart(content, model(), colours()));
  add("chart-residuals", () => residualChart(content, model(), colours()));
  add("chart-spread", () => spreadChart(content, model(), colours()));
  add("chart-intervals", () => intervalChart(content, model(), colours()));
  add("chart-errors", () => errorChart(content, index, colours()));
  add("chart-importance", () => importanceChart(content, model(), colours()));
  add("chart-directions", () => directionChart(content, model(), colours(), $("chart-directions").clientWidth));
  add("chart-convergence", () => convergenceChart(content, colours()));
  select(index, false);
  const script = document.createElement("script");
  script.textContent = await unpacked("library");
  document.head.append(script);
  Charts = window.Plotly;
  redraw();
  document.documentElement.dataset.ready = "yes";
})();

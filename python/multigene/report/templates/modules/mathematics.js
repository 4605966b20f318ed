// Formulas on a page: in one piece where they fit, else broken between the terms of the outermost sum.
const LONG_TARGET = 14; // characters of a target's name that get a line of their own
const SMALLEST = .65; // a term that is still too wide is set smaller, to this share of the size; beyond, the place scrolls
const MATHML = "http://www.w3.org/1998/Math/MathML";

export class Mathematics {
  constructor() { this.places = new Map(); }
  // Take over a place that holds a formula; `text` is what paper shows where nothing else fits.
  add(place, text = "") { this.places.set(place, {mathml: place.innerHTML, text}); this.fit(place); }
  fit(place) {
    const known = this.places.get(place);
    place.classList.remove("broken", "plain");
    place.style.fontSize = "";
    place.innerHTML = known.mathml;
    const row = place.querySelector("math > mrow");
    if (!row || !place.clientWidth || place.scrollWidth <= place.clientWidth + 1) return;
    const pieces = [[]];
    for (const child of [...row.children]) {
      const piece = pieces[pieces.length - 1], sign = child.localName === "mo" && "+−".includes(child.textContent);
      if (piece.length && piece[piece.length - 1].textContent === "=" && piece.map(c => c.textContent).join("").length > LONG_TARGET) { pieces.push([child]); continue; }
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
    if (place.scrollWidth > place.clientWidth + 1) place.style.fontSize = parseFloat(getComputedStyle(place).fontSize) * Math.max(SMALLEST, .97 * place.clientWidth / place.scrollWidth) + "px";
  }
  fitAll() { for (const place of [...this.places.keys()]) if (place.isConnected) this.fit(place); else this.places.delete(place); }
  // On paper nothing scrolls: what is still too wide is set smaller, or as text.
  squeeze() {
    this.fitAll();
    for (const [place, {text}] of this.places) {
      if (place.scrollWidth <= place.clientWidth + 1) continue;
      const size = parseFloat(getComputedStyle(place).fontSize) * .96 * place.clientWidth / place.scrollWidth;
      if (size >= 8 || !text) place.style.fontSize = Math.max(size, 5) + "px"; else { place.textContent = text; place.classList.add("plain"); }
    }
  }
}

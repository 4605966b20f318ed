// Formulas on a page: in one piece where they fit, else broken between the terms of the outermost sum, and within terms that are
// still too wide between factors, between the terms inside brackets, and before the denominator of a fraction.
const LONG_TARGET = 14; // characters of a target's name that get a line of their own
const SMALLEST = .65; // a term that is still too wide is set smaller, to this share of the size; beyond, the place scrolls
const MATHML = "http://www.w3.org/1998/Math/MathML";

const MOST_BREAKS = 60;

// The parts of a row that lines may be broken between: each begins with a sign of its sum, or where a product was broken.
function parted(children, within = false) {
  const pieces = [[]];
  for (const child of children) {
    const piece = pieces[pieces.length - 1], before = piece[piece.length - 1], sign = child.localName === "mo" && "+−".includes(child.textContent);
    const named = !within && pieces.length === 1 && before?.textContent === "=" && piece.map(c => c.textContent).join("").length > LONG_TARGET;
    if (named || child.dataset?.broken || (sign && before && !(before.localName === "mo" && "=([,⋅+−".includes(before.textContent)))) {
      if (sign) child.setAttribute("form", "infix");
      pieces.push([child]);
    } else piece.push(child);
  }
  return pieces;
}
// A fraction in one line, n / d, to be broken before the stroke; brackets stand around what is no single factor.
function unfolded(fraction) {
  const sign = (text, more = {}) => { const mo = document.createElementNS(MATHML, "mo"); mo.textContent = text; Object.assign(mo.dataset, more); return mo; };
  const [above, below] = fraction.children, parts = part => part.localName === "mrow" ? [...part.children] : [part], summed = part => part.some(c => c.localName === "mo" && "+−-".includes(c.textContent));
  const fenced = part => { const row = document.createElementNS(MATHML, "mrow"); row.append(sign("("), ...part, sign(")")); return [row]; };
  const upper = parts(above), lower = parts(below);
  return [...(summed(upper) ? fenced(upper) : upper), sign("/", {broken: "yes"}), ...(lower.length > 1 ? fenced(lower) : lower)];
}
// Open what keeps a piece together: a product of several groups between its factors, else its widest group; false where nothing can be.
function opened(piece, width) {
  const groups = piece.filter(c => ["mrow", "mfrac"].includes(c.localName)), total = piece.reduce((sum, c) => sum + width(c), 0);
  const dots = piece.map((c, i) => [c, i]).filter(([c, i]) => i && c.localName === "mo" && c.textContent === "⋅" && !c.dataset.broken);
  if (groups.length > 1 && dots.length) {
    let left = 0; const ends = piece.map(c => left += width(c));
    const [dot] = dots.sort((a, b) => Math.abs(ends[a[1]] - total / 2) - Math.abs(ends[b[1]] - total / 2))[0];
    dot.dataset.broken = "yes";
    return true;
  }
  const group = groups.sort((a, b) => width(b) - width(a))[0];
  if (!group) return false;
  for (const fence of group.children) if (fence.localName === "mo" && "()[]".includes(fence.textContent)) fence.setAttribute("stretchy", "false");
  piece.splice(piece.indexOf(group), 1, ...(group.localName === "mfrac" ? unfolded(group) : group.children));
  return true;
}
function placed(place, pieces) {
  place.replaceChildren(...pieces.flatMap(piece => {
    const math = document.createElementNS(MATHML, "math"), inside = document.createElementNS(MATHML, "mrow");
    math.setAttribute("displaystyle", "true");
    inside.append(...piece); math.append(inside);
    return [math, " "];
  }));
}

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
    let pieces = parted([...row.children]);
    place.classList.add("broken");
    placed(place, pieces);
    for (let tries = 0; tries < MOST_BREAKS; tries++) {
      const room = place.clientWidth - 2 * parseFloat(getComputedStyle(place).paddingLeft), width = e => e.getBoundingClientRect().width;
      const wide = [...place.children].findIndex(e => width(e) > room), piece = pieces[wide];
      if (wide < 0 || !opened(piece, width)) break;
      pieces = [...pieces.slice(0, wide), ...parted(piece, wide > 0), ...pieces.slice(wide + 1)];
      placed(place, pieces);
    }
    if (pieces.length < 2) { place.classList.remove("broken"); place.innerHTML = known.mathml; }
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

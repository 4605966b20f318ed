// Numbers as people read them; the page's Python writes them alike (report/numbers.py).
export const SUPERSCRIPTS = {"-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹"};

export function fixed(value, digits = 4) {
  if (value === null || value === undefined || !isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e7 || (size > 0 && size < 1e-4)) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${String(Number(mantissa))}·10${[...String(Number(exponent))].map(c => SUPERSCRIPTS[c]).join("")}`.replace("-", "−");
  }
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

// The ends of an interval, with as many digits as tell them apart.
export function ends(value, half, digits = 3) {
  const more = half > 0 && value ? Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(half)) + 2 : digits, enough = Math.max(digits, Math.min(15, more));
  return [fixed(value - half, enough), fixed(value + half, enough)];
}

export function r2(value) {
  if (value === null || value === undefined || !isFinite(value)) return "–";
  const digits = value > 0.9995 && value < 1 ? 7 : 4;
  return Math.max(-9999, value).toFixed(digits).replace(/^-0\.0+$/, "0.0000").replace("-", "−");
}

export function percentage(value) {
  return value === null || value === undefined ? "–" : (100 * value).toFixed(1).replace(/^-0\.0$/, "0.0").replace("-", "−") + " %";
}

export function counted(count, what) { return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`; }
export function nodes(count) { return `${count} node${count === 1 ? "" : "s"}`; }

// A long name is shortened in the middle where it is a label; what it belongs to tells it in full.
export function shortened(name, most) { return name.length <= most ? name : name.slice(0, Math.ceil(most / 2)) + "…" + name.slice(1 - Math.floor(most / 2)); }

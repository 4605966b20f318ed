// Mistakes in a form: the sentence below its field, the place in the field marked.
import {make, place, sentence} from "./requests.js";

// Where in a field's text the marked part of a sentence stands: of several such parts the one with the same text before it.
export function marked(value, text) {
  const found = /«([^»]*)»/.exec(text), before = found ? text.slice(0, found.index) : "";
  const quoted = found ? found[1] : [...text.matchAll(/'([^']*)'/g)].map(m => m[1]).filter(t => t && value.includes(t)).sort((a, b) => b.length - a.length)[0];
  if (quoted === undefined || !value.includes(quoted)) return null;
  const alike = at => { let n = 0; while (n < at && n < before.length && value[at - 1 - n] === before[before.length - 1 - n]) n++; return n; };
  let best = null;
  for (let at = value.indexOf(quoted); at >= 0; at = quoted ? value.indexOf(quoted, at + 1) : at < value.length ? at + 1 : -1) if (best === null || alike(at) > alike(best)) best = at;
  return [best, best + quoted.length];
}

export function clear(form) {
  for (const said of form.querySelectorAll(".mistake")) said.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) { field.removeAttribute("aria-invalid"); field.removeAttribute("aria-describedby"); }
}

// Show what is wrong with a field; false where the form has no such field.
export function show(form, id, text) {
  const field = place(id);
  if (!field || !form.contains(field)) return false;
  const said = make("p", {className: "mistake", id: `${id}-mistake`, role: "alert"}, ...sentence(text));
  (field.closest(".field") ?? field).append(said);
  field.closest("details")?.setAttribute("open", "");
  const control = field.matches("input, select, textarea") ? field : field.querySelector("input, select, textarea");
  control?.setAttribute("aria-invalid", "true"); control?.setAttribute("aria-describedby", said.id);
  control?.focus();
  const range = control?.setSelectionRange && ["text", "textarea"].includes(control.type) ? marked(control.value, text) : null;
  if (range) control.setSelectionRange(...range);
  said.scrollIntoView({block: "nearest"});
  return true;
}

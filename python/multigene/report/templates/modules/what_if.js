// What the formula says anywhere: the source that Python wrote, run here, with its 95 % interval by the delta method.
let made = 0;

// A function from source, by a script element: pages forbid eval, and a script that the page itself adds may run.
function functionOf(source, nonce) {
  const name = `multigene_formula_${made++}`, script = document.createElement("script");
  if (nonce) script.nonce = nonce;
  script.textContent = `window.${name} = (() => { ${source} })();`;
  document.head.append(script);
  script.remove();
  const found = window[name];
  delete window[name];
  return found;
}

export class Predictor {
  constructor(compute, nonce) {
    this.compute = compute;
    this.numbers = compute.numbers; // may be moved
    this.function = functionOf(compute.source, nonce);
  }
  predict(x) { return this.function(x, this.numbers); }
  // Half the width of the 95 % interval of one of the formula's numbers; null where the rows cannot tell.
  numberHalfWidth(k) {
    const {variance, quantile, factor} = this.compute;
    return factor && variance !== null ? quantile * Math.sqrt(variance * factor[k].reduce((sum, v) => sum + v * v, 0)) : null;
  }
  // Half the width of the interval of a new observation; null where the rows cannot tell.
  halfWidth(x) {
    const {variance, quantile, factor, groups} = this.compute, numbers = this.numbers;
    if (variance === undefined || variance === null) return null;
    if (!factor) return quantile * Math.sqrt(variance);
    const slopes = numbers.map((value, k) => {
      const step = 1e-6 * Math.max(Math.abs(value), 1e-8), near = sign => this.function(x, numbers.map((v, i) => i === k ? v + sign * step : v));
      return (near(1) - near(-1)) / (2 * step);
    });
    let spread = 0;
    if (groups) { // numbers of their own that groups have, as half_width of groups/certainty.py
      const code = Math.max(0, Math.min(groups.own.length - 1, Math.trunc(x[groups.place]))), covariance = groups.own[code], shared = groups.shared[code];
      const own = groups.columns.map(j => {
        const step = 1e-6 * Math.max(Math.abs(x[j]), 1e-8), near = sign => this.function(x.map((v, i) => i === j ? v + sign * step : v), numbers);
        return (near(1) - near(-1)) / (2 * step);
      });
      own.forEach((slope, m) => { shared[m].forEach((v, k) => { slopes[k] -= slope * v; }); own.forEach((other, n) => { spread += slope * covariance[m][n] * other; }); });
    }
    for (let r = 0; r < (factor[0] ?? []).length; r++) {
      let along = 0;
      for (let k = 0; k < slopes.length; k++) along += slopes[k] * factor[k][r];
      spread += along * along;
    }
    return quantile * Math.sqrt(variance * (1 + spread));
  }
}

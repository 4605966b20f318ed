//! Sums over rows, with a fixed order of additions so that a result depends on neither threads nor caching.
use crate::dispatch;
use crate::evaluate::loops::{LANES, whole, whole_mut};

/// Sum of all lanes. Out of line: in line, the compiler would cut the loops before it to the narrow vectors of its last steps.
#[inline(never)]
fn total(lanes: &mut [f64; LANES]) -> f64 {
    let mut width = LANES / 2;
    while width > 0 {
        for k in 0..width {
            lanes[k] += lanes[k + width];
        }
        width /= 2;
    }
    lanes[0]
}

#[inline(always)]
fn multiply_add<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn sum_kernel<const FMA: bool>(x: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for chunk in x.as_chunks::<LANES>().0 {
        for k in 0..LANES {
            lanes[k] += chunk[k];
        }
    }
    total(&mut lanes)
}

#[inline(always)]
fn dot_kernel<const FMA: bool>(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (x, y) in x.as_chunks::<LANES>().0.iter().zip(y.as_chunks::<LANES>().0) {
        for k in 0..LANES {
            lanes[k] = multiply_add::<FMA>(x[k], y[k], lanes[k]);
        }
    }
    total(&mut lanes)
}

#[inline(always)]
fn weighted_sum_kernel<const FMA: bool>(x: &[f64], root: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (x, r) in x.as_chunks::<LANES>().0.iter().zip(root.as_chunks::<LANES>().0) {
        for k in 0..LANES {
            lanes[k] = multiply_add::<FMA>(x[k] * r[k], r[k], lanes[k]);
        }
    }
    total(&mut lanes)
}

#[inline(always)]
fn centre_kernel<const FMA: bool>(x: &mut [f64], mean: f64, root: Option<&[f64]>, rows: usize) -> f64 {
    let mut lanes = [0.0; LANES];
    match root {
        None => {
            let whole = rows / LANES * LANES;
            for chunk in x[..whole].as_chunks_mut::<LANES>().0 {
                for k in 0..LANES {
                    chunk[k] -= mean;
                    lanes[k] = multiply_add::<FMA>(chunk[k], chunk[k], lanes[k]);
                }
            }
            for (k, v) in x[whole..rows].iter_mut().enumerate() {
                *v -= mean;
                lanes[k] = multiply_add::<FMA>(*v, *v, lanes[k]);
            }
        }
        Some(root) => {
            for (chunk, r) in x.as_chunks_mut::<LANES>().0.iter_mut().zip(root.as_chunks::<LANES>().0) {
                for k in 0..LANES {
                    chunk[k] = (chunk[k] - mean) * r[k];
                    lanes[k] = multiply_add::<FMA>(chunk[k], chunk[k], lanes[k]);
                }
            }
        }
    }
    total(&mut lanes)
}

#[inline(always)]
fn scale_kernel<const FMA: bool>(x: &mut [f64], factor: f64) {
    for v in whole_mut(x) {
        *v *= factor;
    }
}

#[inline(always)]
fn add_scaled_kernel<const FMA: bool>(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, &x) in whole_mut(y).iter_mut().zip(whole(x)) {
        *y = multiply_add::<FMA>(factor, x, *y);
    }
}

dispatch! {
    /// Σ x.
    pub fn sum(x: &[f64]) -> f64 = sum_kernel;
    /// Σ x·y.
    pub fn dot(x: &[f64], y: &[f64]) -> f64 = dot_kernel;
    /// Σ x·root².
    pub fn weighted_sum(x: &[f64], root: &[f64]) -> f64 = weighted_sum_kernel;
    /// x ← (x − mean)·root; returns Σ x² of the result. Rows beyond `rows` stay as they are (without weights).
    pub fn centre(x: &mut [f64], mean: f64, root: Option<&[f64]>, rows: usize) -> f64 = centre_kernel;
    /// x ← factor·x.
    pub fn scale(x: &mut [f64], factor: f64) = scale_kernel;
    /// y ← y + factor·x.
    pub fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) = add_scaled_kernel;
}

#[inline(always)]
fn multiply_kernel<const FMA: bool>(y: &mut [f64], x: &[f64]) {
    for (y, &x) in whole_mut(y).iter_mut().zip(whole(x)) {
        *y *= x;
    }
}

dispatch! {
    /// y ← x·y, row by row.
    pub fn multiply(y: &mut [f64], x: &[f64]) = multiply_kernel;
}

#[inline(always)]
fn scaled_kernel<const FMA: bool>(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, &x) in whole_mut(y).iter_mut().zip(whole(x)) {
        *y = factor * x;
    }
}

#[inline(always)]
fn add_scaled_four_kernel<const FMA: bool>(y: &mut [f64], factors: [f64; 4], x: [&[f64]; 4]) {
    let y = whole_mut(y);
    let [a, b, c, d] = x.map(|x| &x[..y.len()]);
    for (i, y) in y.iter_mut().enumerate() {
        let sum = multiply_add::<FMA>(factors[0], a[i], *y);
        let sum = multiply_add::<FMA>(factors[1], b[i], sum);
        let sum = multiply_add::<FMA>(factors[2], c[i], sum);
        *y = multiply_add::<FMA>(factors[3], d[i], sum);
    }
}

dispatch! {
    /// y ← factor·x.
    pub fn scaled(y: &mut [f64], factor: f64, x: &[f64]) = scaled_kernel;
    /// y ← y + Σ factor·x of four, as four calls of `add_scaled` do, but passing over y once.
    pub fn add_scaled_four(y: &mut [f64], factors: [f64; 4], x: [&[f64]; 4]) = add_scaled_four_kernel;
}

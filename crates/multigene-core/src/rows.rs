//! Sums over rows, with a fixed order of additions so that a result depends on neither threads nor caching.
use crate::dispatch;
use crate::operator::LANES;

#[inline(always)]
fn total(lanes: [f64; LANES]) -> f64 {
    let mut lanes = lanes;
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
    total(lanes)
}

#[inline(always)]
fn dot_kernel<const FMA: bool>(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (x, y) in x.as_chunks::<LANES>().0.iter().zip(y.as_chunks::<LANES>().0) {
        for k in 0..LANES {
            lanes[k] = multiply_add::<FMA>(x[k], y[k], lanes[k]);
        }
    }
    total(lanes)
}

#[inline(always)]
fn weighted_sum_kernel<const FMA: bool>(x: &[f64], root: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (x, r) in x.as_chunks::<LANES>().0.iter().zip(root.as_chunks::<LANES>().0) {
        for k in 0..LANES {
            lanes[k] = multiply_add::<FMA>(x[k] * r[k], r[k], lanes[k]);
        }
    }
    total(lanes)
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
    total(lanes)
}

#[inline(always)]
fn scale_kernel<const FMA: bool>(x: &mut [f64], factor: f64) {
    for chunk in x.as_chunks_mut::<LANES>().0 {
        for v in chunk {
            *v *= factor;
        }
    }
}

#[inline(always)]
fn add_scaled_kernel<const FMA: bool>(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.as_chunks_mut::<LANES>().0.iter_mut().zip(x.as_chunks::<LANES>().0) {
        for k in 0..LANES {
            y[k] = multiply_add::<FMA>(factor, x[k], y[k]);
        }
    }
}

dispatch! {
    /// Σ x.
    pub fn sum(x: &[f64]) -> f64 = sum_kernel;
}
dispatch! {
    /// Σ x·y.
    pub fn dot(x: &[f64], y: &[f64]) -> f64 = dot_kernel;
}
dispatch! {
    /// Σ x·root².
    pub fn weighted_sum(x: &[f64], root: &[f64]) -> f64 = weighted_sum_kernel;
}
dispatch! {
    /// x ← (x − mean)·root; returns Σ x² of the result. Rows beyond `rows` stay as they are (without weights).
    pub fn centre(x: &mut [f64], mean: f64, root: Option<&[f64]>, rows: usize) -> f64 = centre_kernel;
}
dispatch! {
    /// x ← factor·x.
    pub fn scale(x: &mut [f64], factor: f64) = scale_kernel;
}
dispatch! {
    /// y ← y + factor·x.
    pub fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) = add_scaled_kernel;
}

#[inline(always)]
fn multiply_kernel<const FMA: bool>(y: &mut [f64], x: &[f64]) {
    for (y, x) in y.as_chunks_mut::<LANES>().0.iter_mut().zip(x.as_chunks::<LANES>().0) {
        for k in 0..LANES {
            y[k] *= x[k];
        }
    }
}

dispatch! {
    /// y ← x·y, row by row.
    pub fn multiply(y: &mut [f64], x: &[f64]) = multiply_kernel;
}

#[inline(always)]
fn add_scaled_four_kernel<const FMA: bool>(y: &mut [f64], factors: [f64; 4], x: [&[f64]; 4]) {
    let steps = y.len() / LANES;
    let x = x.map(|x| &x.as_chunks::<LANES>().0[..steps]);
    for (i, y) in y.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut sum = *y;
        for j in 0..4 {
            for k in 0..LANES {
                sum[k] = multiply_add::<FMA>(factors[j], x[j][i][k], sum[k]);
            }
        }
        *y = sum;
    }
}

dispatch! {
    /// y ← y + Σ factor·x of four, as four calls of `add_scaled` do, but passing over y once.
    pub fn add_scaled_four(y: &mut [f64], factors: [f64; 4], x: [&[f64]; 4]) = add_scaled_four_kernel;
}

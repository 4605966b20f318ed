//! Dense kernels of second-order tuning: inner products of many columns, and the damped normal equations.
//!
//! Tuning p weights takes p² / 2 inner products over all rows; nothing else in it costs as much. They are computed in tiles
//! of four by four columns that stay in registers, so that every value read from memory is used four times.
use crate::dispatch;
use crate::vector_math::Level;

/// Columns per side of a tile; matrices are padded to whole tiles.
pub const TILE: usize = 4;
/// Sums kept apart per inner product: one AVX-512 vector. The same at every level, so that AVX2 gives the same bits.
const LANES: usize = 8;
/// A pivot (of a matrix with unit diagonal) below this is rounding, not curvature.
const SMALLEST_PIVOT: f64 = 1e-13;

#[inline(always)]
fn multiply_add<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// Adds the products of M columns with N others, row by row, to LANES sums each. The sums go through memory: were they added
/// up here, the compiler would vectorise across columns instead of along them.
#[inline(always)]
fn tile_kernel<const FMA: bool, const M: usize, const N: usize>(
    a: [&[f64]; M],
    b: [&[f64]; N],
    out: &mut [[[f64; LANES]; N]; M],
) {
    let chunks = a[0].len() / LANES;
    // Equal lengths, said once: no checks inside the loop.
    let a = a.map(|column| &column.as_chunks::<LANES>().0[..chunks]);
    let b = b.map(|column| &column.as_chunks::<LANES>().0[..chunks]);
    let mut sums = [[[0.0; LANES]; N]; M];
    for c in 0..chunks {
        let y: [[f64; LANES]; N] = std::array::from_fn(|j| b[j][c]);
        for i in 0..M {
            let x = a[i][c];
            for j in 0..N {
                for k in 0..LANES {
                    sums[i][j][k] = multiply_add::<FMA>(x[k], y[j][k], sums[i][j][k]);
                }
            }
        }
    }
    *out = sums;
}

dispatch! {
    fn tile_four(a: [&[f64]; 4], b: [&[f64]; 4], out: &mut [[[f64; LANES]; 4]; 4]) = tile_kernel, 4, 4;
    fn tile_two(a: [&[f64]; 2], b: [&[f64]; 2], out: &mut [[[f64; LANES]; 2]; 2]) = tile_kernel, 2, 2;
}

/// Inner products of four columns with four others. All have the same number of rows, a multiple of eight.
pub fn products(level: Level, a: [&[f64]; TILE], b: [&[f64]; TILE]) -> [[f64; TILE]; TILE] {
    let total = |s: &[f64; LANES]| ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    let mut sums = [[[0.0; LANES]; TILE]; TILE];
    if level.supported() == Level::Avx512 {
        tile_four(level, a, b, &mut sums);
    } else {
        // Sixteen registers hold a tile of two by two.
        for (i, j) in [(0, 0), (0, 2), (2, 0), (2, 2)] {
            let mut part = [[[0.0; LANES]; 2]; 2];
            tile_two(level, [a[i], a[i + 1]], [b[j], b[j + 1]], &mut part);
            for (row, part) in sums[i..].iter_mut().zip(part) {
                row[j..j + 2].copy_from_slice(&part);
            }
        }
    }
    sums.each_ref().map(|row| row.each_ref().map(total))
}

/// y ← y − factor·x from entry `from` on (or a little before it: entries left of a diagonal are never read).
#[inline(always)]
fn subtract<const FMA: bool>(y: &mut [f64], factor: f64, x: &[f64], from: usize) {
    let from = from / LANES * LANES;
    for (y, x) in y[from..]
        .as_chunks_mut::<LANES>()
        .0
        .iter_mut()
        .zip(x[from..].as_chunks::<LANES>().0)
    {
        for k in 0..LANES {
            y[k] = multiply_add::<FMA>(-factor, x[k], y[k]);
        }
    }
}

#[inline(always)]
fn project_kernel<const FMA: bool>(matrix: &mut [f64], stride: usize, size: usize, shares: &[f64]) {
    for share in shares.chunks_exact(stride) {
        for i in 0..size {
            subtract::<FMA>(&mut matrix[i * stride..(i + 1) * stride], share[i], share, i);
        }
    }
}

#[inline(always)]
fn factorise_kernel<const FMA: bool>(matrix: &mut [f64], stride: usize, size: usize) -> bool {
    for k in 0..size {
        let (above, below) = matrix.split_at_mut((k + 1) * stride);
        let row = &mut above[k * stride..];
        if row[k].is_nan() || row[k] <= SMALLEST_PIVOT {
            return false;
        }
        let factor = 1.0 / row[k].sqrt();
        for value in &mut row[k..] {
            *value *= factor;
        }
        for (i, other) in (k + 1..size).zip(below.chunks_exact_mut(stride)) {
            subtract::<FMA>(other, row[i], row, i);
        }
    }
    true
}

dispatch! {
    /// matrix ← matrix − Σ share·shareᵀ, upper triangle only. Rows of the matrix and shares lie `stride` apart, a multiple
    /// of eight.
    pub fn project(matrix: &mut [f64], stride: usize, size: usize, shares: &[f64]) = project_kernel;
    /// Upper triangle of a symmetric matrix with diagonal near 1 → its Cholesky factor U, matrix = UᵀU. False if it is not
    /// positive definite as far as rounding can tell.
    pub fn factorise(matrix: &mut [f64], stride: usize, size: usize) -> bool = factorise_kernel;
}

/// Solves UᵀU·x = right side, in place.
pub fn solve(factor: &[f64], stride: usize, right: &mut [f64]) {
    let size = right.len();
    for k in 0..size {
        let row = &factor[k * stride..k * stride + size];
        right[k] /= row[k];
        let x = right[k];
        for (r, u) in right[k + 1..].iter_mut().zip(&row[k + 1..]) {
            *r -= u * x;
        }
    }
    for k in (0..size).rev() {
        let row = &factor[k * stride..k * stride + size];
        let sum: f64 = right[k + 1..].iter().zip(&row[k + 1..]).map(|(x, u)| u * x).sum();
        right[k] = (right[k] - sum) / row[k];
    }
}

#[inline(always)]
fn set_product_kernel<const FMA: bool>(out: &mut [f64], x: &[f64], y: &[f64]) {
    for ((o, x), y) in out.iter_mut().zip(x).zip(y) {
        *o = x * y;
    }
}

#[inline(always)]
fn add_product_kernel<const FMA: bool>(out: &mut [f64], x: &[f64], y: &[f64]) {
    for ((o, x), y) in out.iter_mut().zip(x).zip(y) {
        *o = multiply_add::<FMA>(*x, *y, *o);
    }
}

dispatch! {
    /// out ← x·y, row by row.
    pub fn set_product(out: &mut [f64], x: &[f64], y: &[f64]) = set_product_kernel;
    /// out ← out + x·y, row by row.
    pub fn add_product(out: &mut [f64], x: &[f64], y: &[f64]) = add_product_kernel;
}

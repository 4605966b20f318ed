//! Loops over the rows of a block that the operators are expanded into: they vectorise, and have no remainder.
use crate::vector_math::TRIG_LIMIT;

/// Rows come in multiples of this: four AVX-512 vectors, so that latencies overlap and no loop has a remainder.
pub const LANES: usize = 32;

/// Applies an expression to every row. A macro, not a function with a closure: a closure might stay a call of its own and
/// would then be compiled without the wide vectors of the kernel it is used in. One flat loop: where a loop over chunks
/// stands around, the compiler unrolls the chunk and gathers across chunks, several times slower.
///
/// With a last `$wide`, the expression is valid up to `TRIG_LIMIT`; rows beyond it, rare, are computed one by one by `$wide`.
macro_rules! sweep {
    ($in:ident, $out:ident; |$x:ident| $value:expr) => {
        for (o, &$x) in whole_mut($out).iter_mut().zip(whole($in)) {
            *o = $value;
        }
    };
    ($in:ident, $in2:ident, $out:ident; |$x:ident, $v:ident| $value:expr) => {
        for ((o, &$x), &$v) in whole_mut($out).iter_mut().zip(whole($in)).zip(whole($in2)) {
            *o = $value;
        }
    };
    ($in:ident, $out:ident; |$x:ident| $value:expr, $wide:expr) => {
        let mut excess = 0;
        sweep!($in, $out; |$x| {
            excess |= beyond($x);
            $value
        });
        repair(excess, $in, $out, $wide);
    };
    ($in:ident, $in2:ident, $out:ident; |$x:ident, $v:ident| $value:expr, $wide:expr) => {
        let mut excess = 0;
        sweep!($in, $in2, $out; |$x, $v| {
            excess |= beyond($x);
            $value
        });
        repair(excess, $in, $out, $wide);
    };
}
pub(crate) use sweep;

/// Rows of an argument: a slice, or one value for all rows.
pub trait Rows: Copy {
    /// The first `n` rows, so that the compiler knows how many there are.
    fn head(self, n: usize) -> Self;
    /// Row `i`.
    fn at(self, i: usize) -> f64;
}

impl Rows for &[f64] {
    #[inline(always)]
    fn head(self, n: usize) -> Self {
        &self[..n]
    }
    #[inline(always)]
    fn at(self, i: usize) -> f64 {
        self[i]
    }
}

impl Rows for f64 {
    #[inline(always)]
    fn head(self, _: usize) -> Self {
        self
    }
    #[inline(always)]
    fn at(self, _: usize) -> f64 {
        self
    }
}

/// The same rows, of a length the compiler knows to be a multiple of `LANES`.
#[inline(always)]
pub fn whole(rows: &[f64]) -> &[f64] {
    rows.as_chunks::<LANES>().0.as_flattened()
}

/// The same rows, of a length the compiler knows to be a multiple of `LANES`.
#[inline(always)]
pub fn whole_mut(rows: &mut [f64]) -> &mut [f64] {
    rows.as_chunks_mut::<LANES>().0.as_flattened_mut()
}

/// out ← factor·out, row by row.
#[inline(always)]
pub fn scale(factor: &[f64], out: &mut [f64]) {
    for (o, f) in whole_mut(out).iter_mut().zip(whole(factor)) {
        *o *= f;
    }
}

/// Sets the sign bit for sizes above `TRIG_LIMIT`: as integers the sizes of doubles compare like the doubles, NaN above all.
#[inline(always)]
pub fn beyond(x: f64) -> u64 {
    TRIG_LIMIT.to_bits().wrapping_sub(x.abs().to_bits())
}

/// Computes rows whose argument the trigonometric kernels cannot reduce, if `excess` has seen one.
#[inline(always)]
pub fn repair(excess: u64, x: &[f64], out: &mut [f64], f: fn(f64) -> f64) {
    if excess >> 63 != 0 {
        repair_rows(x, out, f);
    }
}

#[cold]
#[inline(never)]
fn repair_rows(x: &[f64], out: &mut [f64], f: fn(f64) -> f64) {
    for (o, &x) in out.iter_mut().zip(x) {
        if x.abs() > TRIG_LIMIT {
            *o = f(x);
        }
    }
}

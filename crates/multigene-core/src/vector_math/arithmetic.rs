//! The few steps all kernels share: multiply-add, clamping that keeps NaN, polynomials.

/// 1.5 * 2^52. Adding it rounds a double below 2^51 in size to an integer, which then stands in the low bits:
/// cheaper than a conversion, and the only way that every instruction set vectorises.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;

/// The sign bit of a double.
pub(super) const SIGN: u64 = 1 << 63;

/// ln 2 in two parts; the first has 32 bits, so its product with any exponent is exact without FMA too.
pub(super) const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
pub(super) const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// a*b + c, fused if `FMA`; without it two roundings, never a library call.
#[inline(always)]
pub(super) fn multiply_add<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// The smaller of `x` and `bound`; NaN stays NaN (unlike `f64::min`, and in one instruction).
#[inline(always)]
pub(super) fn at_most(x: f64, bound: f64) -> f64 {
    if x > bound { bound } else { x }
}

/// The larger of `x` and `bound`; NaN stays NaN.
#[inline(always)]
pub(super) fn at_least(x: f64, bound: f64) -> f64 {
    if x < bound { bound } else { x }
}

/// The polynomial with coefficients `c`, lowest first: Horner's rule on the even and on the odd powers. That halves the
/// chain of dependent steps for one more multiplication; cutting it further costs more than it hides.
#[inline(always)]
pub(super) fn polynomial<const FMA: bool, const N: usize>(x: f64, c: [f64; N]) -> f64 {
    const { assert!(N >= 2) };
    let x2 = x * x;
    let mut part = [0.0; 2];
    let mut i = N;
    while i > 0 {
        i -= 1;
        part[i % 2] = if i + 2 < N {
            multiply_add::<FMA>(part[i % 2], x2, c[i])
        } else {
            c[i]
        };
    }
    multiply_add::<FMA>(part[1], x, part[0])
}

/// `out[i] = f(x[i])`.
#[inline(always)]
pub(super) fn map(x: &[f64], out: &mut [f64], f: impl Fn(f64) -> f64) {
    assert_eq!(x.len(), out.len(), "the output needs as many elements as the input");
    for (result, &value) in out.iter_mut().zip(x) {
        *result = f(value);
    }
}

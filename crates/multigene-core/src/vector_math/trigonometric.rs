//! Sine, cosine and the sine quotient `sinc`.
//!
//! The argument is brought into [-pi/2, pi/2] by subtracting a multiple of pi/2 that is known to some 157 bits, so
//! that the remainder is relatively accurate even next to a zero of the function. That holds up to [`TRIG_LIMIT`];
//! the slice functions look for larger arguments and compute just those one at a time.

use super::arithmetic::{ROUND, SIGN, at_least, at_most, multiply_add, polynomial};
use super::wide::{cos_wide, sin_wide};
use std::f64::consts::{FRAC_1_PI, FRAC_2_PI, FRAC_PI_2};

/// Up to this size of the argument [`sin`], [`cos`], [`sincos`] and [`sinc`] are accurate; beyond, use `*_slice`.
/// It is such that n = 2x/pi stays below 2^27.
pub const TRIG_LIMIT: f64 = 2.1e8;

/// pi/2 in parts of 53 bits, for fused steps.
const HALF_PI_53: [f64; 3] = [FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
/// pi/2 in parts of 26 bits (the last has 53): their products with n < 2^27 are exact.
const HALF_PI_26: [f64; 5] = [
    1.570_796_310_901_641_8,
    1.589_325_471_229_585_7e-8,
    6.123_233_932_053_594e-17,
    6.368_317_055_225_283e-25,
    1.082_856_673_921_914e-32,
];

/// (sin(r) - r) / r^3 in r^2 on |r| <= pi/2: minimax, degree 7, error 2.8e-19 relative to sin(r). The two lowest
/// coefficients stand apart because they are added last, one after the other, which is the more accurate order.
const SIN: [f64; 2] = [-0.166_666_666_666_666_66, 0.008_333_333_333_333_194];
const SIN_HIGHER: [f64; 6] = [
    -0.000_198_412_698_412_092_15,
    2.755_731_921_113_663_6e-6,
    -2.505_210_687_274_638e-8,
    1.605_893_970_330_474e-10,
    -7.642_991_428_188_117e-13,
    2.721_174_385_713_016e-15,
];

/// (sin(r) - r) / r^3 in r^2 on |r| <= pi/4: minimax, degree 5, error 3.7e-18 relative to sin(r).
const SIN_SHORT: [f64; 6] = [
    -0.166_666_666_666_666_3,
    0.008_333_333_333_322_118,
    -0.000_198_412_698_295_890_64,
    2.755_731_362_122_560_8e-6,
    -2.505_074_773_930_777e-8,
    1.589_622_889_034_723e-10,
];

/// (cos(r) - 1 + r^2/2) / r^4 in r^2 on |r| <= pi/4: minimax, degree 5, error 5.6e-20 relative to cos(r).
const COS_SHORT: [f64; 6] = [
    0.041_666_666_666_666_595,
    -0.001_388_888_888_887_305_6,
    2.480_158_728_885_183_3e-5,
    -2.755_731_417_933_079_6e-7,
    2.087_570_084_625_866e-9,
    -1.135_853_672_947_244_9e-11,
];

/// x - n unit pi/2, where `unit` is a power of two and n unit is below 2^27.
#[inline(always)]
fn remainder<const FMA: bool>(x: f64, n: f64, unit: f64) -> f64 {
    if FMA {
        HALF_PI_53.iter().fold(x, |r, part| n.mul_add(-unit * part, r))
    } else {
        HALF_PI_26.iter().fold(x, |r, part| r - n * (unit * part))
    }
}

/// sin(r) for |r| <= pi/2.
#[inline(always)]
fn sin_reduced<const FMA: bool>(r: f64) -> f64 {
    let z = r * r;
    let higher = multiply_add::<FMA>(polynomial::<FMA, 6>(z, SIN_HIGHER), z, SIN[1]);
    let value = multiply_add::<FMA>(r * z, multiply_add::<FMA>(higher, z, SIN[0]), r);
    // Rounding may carry the value one unit past 1, where no sine lies; others count on that.
    at_most(at_least(value, -1.0), 1.0)
}

/// sin x for |x| <= [`TRIG_LIMIT`].
#[inline(always)]
pub fn sin<const FMA: bool>(x: f64) -> f64 {
    // The sign of x is put back at the end, which also keeps -0.
    let a = x.abs();
    let shifted = multiply_add::<FMA>(a, FRAC_1_PI, ROUND);
    let r = remainder::<FMA>(a, shifted - ROUND, 2.0);
    let sign = (shifted.to_bits() << 63) ^ (x.to_bits() & SIGN);
    f64::from_bits(sin_reduced::<FMA>(r).to_bits() ^ sign)
}

/// cos x for |x| <= [`TRIG_LIMIT`].
#[inline(always)]
pub fn cos<const FMA: bool>(x: f64) -> f64 {
    // cos(r + m pi + pi/2) = -(-1)^m sin(r). The odd constant turns the parity of m into that sign.
    const ODD: f64 = ROUND + 1.0;
    let shifted = multiply_add::<FMA>(x.abs(), FRAC_1_PI, -0.5) + ODD;
    let n = multiply_add::<FMA>(2.0, shifted - ODD, 1.0);
    let r = remainder::<FMA>(x.abs(), n, 1.0);
    f64::from_bits(sin_reduced::<FMA>(r).to_bits() ^ (shifted.to_bits() << 63))
}

/// (sin x, cos x) for |x| <= [`TRIG_LIMIT`], at little more than the cost of one.
#[inline(always)]
pub fn sincos<const FMA: bool>(x: f64) -> (f64, f64) {
    let a = x.abs();
    let shifted = multiply_add::<FMA>(a, FRAC_2_PI, ROUND);
    let r = remainder::<FMA>(a, shifted - ROUND, 1.0);
    let z = r * r;
    let s = multiply_add::<FMA>(r * z, polynomial::<FMA, 6>(z, SIN_SHORT), r);
    let tail = multiply_add::<FMA>(z, polynomial::<FMA, 6>(z, COS_SHORT), -0.5);
    let c = multiply_add::<FMA>(z, tail, 1.0);
    let quadrant = shifted.to_bits();
    let odd = quadrant & 1 != 0;
    let (sine, cosine) = if odd { (c, s) } else { (s, c) };
    // Bit 1 of n turns the sign of the sine; that of the cosine turns for n = 1, 2 (mod 4), bit 1 of n + 1.
    let sine_sign = ((quadrant >> 1) << 63) ^ (x.to_bits() & SIGN);
    let cosine_sign = (quadrant.wrapping_add(1) >> 1) << 63;
    (
        f64::from_bits(sine.to_bits() ^ sine_sign),
        f64::from_bits(cosine.to_bits() ^ cosine_sign),
    )
}

/// sin(x)/x for |x| <= [`TRIG_LIMIT`]; 1 at 0.
#[inline(always)]
pub fn sinc<const FMA: bool>(x: f64) -> f64 {
    let quotient = sin::<FMA>(x) / x;
    if x == 0.0 { 1.0 } else { quotient }
}

/// `out[i] = fast(x[i])`, and `slow(x[i])` where |x[i]| > [`TRIG_LIMIT`] or x[i] is not finite.
#[inline(always)]
fn map_repaired(x: &[f64], out: &mut [f64], fast: impl Fn(f64) -> f64, slow: fn(f64) -> f64) {
    assert_eq!(x.len(), out.len(), "the output needs as many elements as the input");
    // As integers the sizes compare like the doubles (NaN above all); one above the limit leaves a sign bit.
    let mut excess = 0;
    for (result, &value) in out.iter_mut().zip(x) {
        *result = fast(value);
        excess |= TRIG_LIMIT.to_bits().wrapping_sub(value.abs().to_bits());
    }
    if excess & SIGN != 0 {
        repair(x, out, slow);
    }
}

#[cold]
#[inline(never)]
fn repair(x: &[f64], out: &mut [f64], slow: fn(f64) -> f64) {
    for (result, &value) in out.iter_mut().zip(x) {
        if value.abs().to_bits() > TRIG_LIMIT.to_bits() {
            *result = slow(value);
        }
    }
}

/// `out[i] = sin(x[i])` for every x.
#[inline(always)]
pub fn sin_slice<const FMA: bool>(x: &[f64], out: &mut [f64]) {
    map_repaired(x, out, sin::<FMA>, sin_wide);
}

/// `out[i] = cos(x[i])` for every x.
#[inline(always)]
pub fn cos_slice<const FMA: bool>(x: &[f64], out: &mut [f64]) {
    map_repaired(x, out, cos::<FMA>, cos_wide);
}

/// `out[i] = sin(x[i])/x[i]` for every x, 1 at 0; NaN at infinity, as the quotient is.
#[inline(always)]
pub fn sinc_slice<const FMA: bool>(x: &[f64], out: &mut [f64]) {
    map_repaired(x, out, sinc::<FMA>, |value| sin_wide(value) / value);
}

/// `sine[i] = sin(x[i])`, `cosine[i] = cos(x[i])` for every x.
#[inline(always)]
pub fn sincos_slice<const FMA: bool>(x: &[f64], sine: &mut [f64], cosine: &mut [f64]) {
    assert_eq!(x.len(), sine.len(), "the sines need as many elements as the input");
    assert_eq!(x.len(), cosine.len(), "the cosines need as many elements as the input");
    let mut excess = 0;
    for ((s, c), &value) in sine.iter_mut().zip(cosine.iter_mut()).zip(x) {
        (*s, *c) = sincos::<FMA>(value);
        excess |= TRIG_LIMIT.to_bits().wrapping_sub(value.abs().to_bits());
    }
    if excess & SIGN != 0 {
        repair(x, sine, sin_wide);
        repair(x, cosine, cos_wide);
    }
}

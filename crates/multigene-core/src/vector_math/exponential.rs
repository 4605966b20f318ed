//! e^x and what is made of it: `logistic`, `softplus`, `gauss`, `tanh`.
//!
//! All begin alike: x = k ln 2 + r with |r| <= ln(2)/2, a polynomial for e^r - 1, and 2^k put together from bits.

use super::arithmetic::{LN_2_HIGH, LN_2_LOW, ROUND, SIGN, at_least, at_most, multiply_add, polynomial};
use std::f64::consts::LOG2_E;

/// (e^r - 1 - r - r^2/2) / r^3 on |r| <= 0.34661: minimax, degree 8, error 2.5e-17 relative to e^r - 1.
const EXP: [f64; 9] = [
    0.166_666_666_666_666_02,
    0.041_666_666_666_62,
    0.008_333_333_333_388_423,
    0.001_388_888_892_049_961_5,
    0.000_198_412_697_092_436_05,
    2.480_151_636_151_055_5e-5,
    2.755_742_517_913_652e-6,
    2.762_222_105_635_415e-7,
    2.504_586_416_233_237_6e-8,
];

/// (2 atanh(s) - 2s) / s^3 in s^2 on 0 <= s <= 1/3: minimax, degree 9, error 1.4e-18 relative to 2 atanh(s).
const LOG_1P: [f64; 10] = [
    0.666_666_666_666_663_1,
    0.400_000_000_001_572_5,
    0.285_714_285_478_525_56,
    0.222_222_239_698_318_92,
    0.181_817_439_211_982_46,
    0.153_865_600_018_803,
    0.133_009_725_843_048_7,
    0.121_060_938_396_856_08,
    0.083_400_699_371_523_43,
    0.170_186_309_609_387_3,
];

/// Below this e^x is zero, above its counterpart infinite; between, the exponent k fits the bit arithmetic.
const LOWEST: f64 = -746.0;
const HIGHEST: f64 = 710.0;

/// e^r - 1 for |r| <= ln(2)/2, relatively accurate at 0.
#[inline(always)]
fn expm1_reduced<const FMA: bool>(r: f64) -> f64 {
    let r2 = r * r;
    let tail = multiply_add::<FMA>(r, polynomial::<FMA, 9>(r, EXP), 0.5);
    multiply_add::<FMA>(r2, tail, r)
}

/// e^(high + low) for LOWEST <= high <= HIGHEST and a tiny `low` (-0 for none: adding that costs nothing).
#[inline(always)]
fn exp_sum<const FMA: bool>(high: f64, low: f64) -> f64 {
    // The bias makes the low bits of `shifted` hold k + 2 * 1023; each half of it is an exponent field.
    const BIASED: f64 = ROUND + 2046.0;
    let shifted = multiply_add::<FMA>(high, LOG2_E, BIASED);
    let k = shifted - BIASED;
    let r = multiply_add::<FMA>(k, -LN_2_LOW, multiply_add::<FMA>(k, -LN_2_HIGH, high)) + low;
    // 2^k in two factors: the first product is exact, the second rounds once, also into the subnormal range.
    let bits = shifted.to_bits();
    let half = bits >> 1;
    let first = f64::from_bits(half << 52);
    let second = f64::from_bits(bits.wrapping_sub(half) << 52);
    multiply_add::<FMA>(first, expm1_reduced::<FMA>(r), first) * second
}

/// e^x.
#[inline(always)]
pub fn exp<const FMA: bool>(x: f64) -> f64 {
    exp_sum::<FMA>(at_most(at_least(x, LOWEST), HIGHEST), -0.0)
}

/// e^x for |x| <= 700, a little cheaper than [`exp`] because no result is subnormal.
#[inline(always)]
pub(super) fn exp_moderate<const FMA: bool>(x: f64) -> f64 {
    const BIASED: f64 = ROUND + 1023.0;
    let shifted = multiply_add::<FMA>(x, LOG2_E, BIASED);
    let k = shifted - BIASED;
    let r = multiply_add::<FMA>(k, -LN_2_LOW, multiply_add::<FMA>(k, -LN_2_HIGH, x));
    let scale = f64::from_bits(shifted.to_bits() << 52);
    multiply_add::<FMA>(scale, expm1_reduced::<FMA>(r), scale)
}

/// e^(-|x|), the stable half of `logistic` and `softplus`.
#[inline(always)]
fn exp_falling<const FMA: bool>(x: f64) -> f64 {
    exp_sum::<FMA>(-at_most(x.abs(), -LOWEST), -0.0)
}

/// 1 / (1 + e^x), the decreasing logistic curve; relatively accurate also where it is tiny.
#[inline(always)]
pub fn logistic<const FMA: bool>(x: f64) -> f64 {
    let e = exp_falling::<FMA>(x);
    (if x > 0.0 { e } else { 1.0 }) / (1.0 + e)
}

/// ln(1 + e^x), relatively accurate also where it is tiny.
#[inline(always)]
pub fn softplus<const FMA: bool>(x: f64) -> f64 {
    let e = exp_falling::<FMA>(x);
    // ln(1 + e) = 2 atanh(s), written as e minus a correction so that a tiny (even subnormal) e comes out unharmed.
    let s = e / (2.0 + e);
    let z = s * s;
    let rest = multiply_add::<FMA>(-z, polynomial::<FMA, 10>(z, LOG_1P), e);
    let log_1p = multiply_add::<FMA>(-s, rest, e);
    at_least(x, 0.0) + log_1p
}

/// e^(-x^2). The rounding error of x^2 is carried along, else it would cost 700 units in the last place at |x| = 26.
#[inline(always)]
pub fn gauss<const FMA: bool>(x: f64) -> f64 {
    // 28^2 = 784 is past the underflow, and near enough for the bit arithmetic of `exp_sum`.
    let a = at_most(x.abs(), 28.0);
    let square = a * a;
    let error = if FMA {
        a.mul_add(a, -square)
    } else {
        // Dekker's product, the factor cut in two halves of 26 bits.
        let top = f64::from_bits(a.to_bits() & !0x7ff_ffff);
        let rest = a - top;
        (top * top - square) + 2.0 * top * rest + rest * rest
    };
    exp_sum::<FMA>(-square, -error)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh<const FMA: bool>(x: f64) -> f64 {
    // With e = e^(2|x|) - 1 the value is e / (e + 2). From |x| = 20 on it rounds to 1.
    const BIASED: f64 = ROUND + 1023.0;
    let double = at_most(2.0 * x.abs(), 44.0);
    let shifted = multiply_add::<FMA>(double, LOG2_E, BIASED);
    let k = shifted - BIASED;
    let r = multiply_add::<FMA>(k, -LN_2_LOW, multiply_add::<FMA>(k, -LN_2_HIGH, double));
    let scale = f64::from_bits(shifted.to_bits() << 52);
    let e = multiply_add::<FMA>(scale, expm1_reduced::<FMA>(r), scale - 1.0);
    let value = e / (e + 2.0);
    f64::from_bits(value.to_bits() | (x.to_bits() & SIGN))
}

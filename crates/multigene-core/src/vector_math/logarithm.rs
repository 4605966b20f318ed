//! The natural logarithm.

use super::arithmetic::{LN_2_HIGH, LN_2_LOW, multiply_add, polynomial};

/// (2 atanh(s) - 2s) / s^3 in s^2 on |s| <= 0.1716: minimax, degree 6, error 1.3e-18 relative to 2 atanh(s).
const LOG: [f64; 7] = [
    0.666_666_666_666_673_4,
    0.399_999_999_994_139_5,
    0.285_714_287_425_630_04,
    0.222_221_985_538_860_97,
    0.181_835_653_949_337_26,
    0.153_140_215_711_194_4,
    0.147_962_555_652_234_98,
];

/// ln x; NaN below 0, minus infinity at 0.
#[inline(always)]
pub fn log<const FMA: bool>(x: f64) -> f64 {
    // The bits of sqrt(1/2): subtracting them makes the exponent field change at sqrt(2)*2^k instead of at 2^k.
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    let subnormal = x < f64::MIN_POSITIVE;
    let scaled = if subnormal { x * TWO_52 } else { x };
    let offset = if subnormal { TWO_52 + 1023.0 + 52.0 } else { TWO_52 + 1023.0 };
    // x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); k + 1023 is read as the low bits of a double near 2^52.
    let shifted = scaled.to_bits().wrapping_sub(SQRT_HALF).wrapping_add(1023 << 52);
    let k = f64::from_bits((shifted >> 52) | TWO_52.to_bits()) - offset;
    let f = f64::from_bits((shifted & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF)) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    // ln(1 + f) = 2 atanh(s) = f - s (f - series): f is exact, and only the small rest carries the error of s.
    let rest = multiply_add::<FMA>(-z, polynomial::<FMA, 7>(z, LOG), f);
    let small = multiply_add::<FMA>(-s, rest, k * LN_2_LOW);
    let value = multiply_add::<FMA>(k, LN_2_HIGH, f + small);
    // One comparison per select: a test for "positive and finite" becomes a slow classification of the bits.
    let value = if x == f64::INFINITY { x } else { value };
    let otherwise = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    if x > 0.0 { value } else { otherwise }
}

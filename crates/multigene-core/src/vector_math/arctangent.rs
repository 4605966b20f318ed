//! The arctangent.

use super::arithmetic::{SIGN, multiply_add, polynomial};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

/// (atan(t) - t) / t^3 in t^2 on |t| <= tan(pi/8): minimax, degree 10, error 1.3e-18 relative to atan(t).
const ATAN: [f64; 11] = [
    -0.333_333_333_333_332,
    0.199_999_999_999_531_64,
    -0.142_857_142_801_576_55,
    0.111_111_107_816_909_21,
    -0.090_908_977_114_138_7,
    0.076_920_594_633_009_35,
    -0.066_630_962_319_198_74,
    0.058_478_370_904_773_43,
    -0.050_390_881_295_128_115,
    0.038_059_485_050_326_51,
    -0.017_902_074_582_068_894,
];

/// The inverse tangent, between -pi/2 and pi/2.
#[inline(always)]
pub fn atan<const FMA: bool>(x: f64) -> f64 {
    const TAN_PI_8: f64 = 0.414_213_562_373_095_03;
    const TAN_3_PI_8: f64 = 2.414_213_562_373_095;
    /// What pi/2 and pi/4 as doubles lack, relative to them.
    const LACKING: f64 = 3.898_171_832_519_375_5e-17;
    let a = x.abs();
    let middle = a > TAN_PI_8;
    let large = a > TAN_3_PI_8;
    // atan(a) = base + atan(t) with t = a, (a - 1)/(a + 1) or -1/a, all by one division.
    let (numerator, denominator) = if middle { (a - 1.0, a + 1.0) } else { (a, 1.0) };
    let (numerator, denominator) = if large { (-1.0, a) } else { (numerator, denominator) };
    let base = if middle { FRAC_PI_4 } else { 0.0 };
    let base = if large { FRAC_PI_2 } else { base };
    let t = numerator / denominator;
    let z = t * t;
    let bend = multiply_add::<FMA>(t * z, polynomial::<FMA, 11>(z, ATAN), base * LACKING);
    let value = base + (t + bend);
    f64::from_bits(value.to_bits() | (x.to_bits() & SIGN))
}

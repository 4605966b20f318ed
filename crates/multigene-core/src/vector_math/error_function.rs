//! The error function.

use super::arithmetic::{SIGN, at_most, multiply_add, polynomial};
use super::exponential::exp_moderate;

/// erf(a)/a - 1 in a^2 on 0 <= a <= 1: minimax, degree 11, error 7.4e-18 relative to erf(a)/a.
const SMALL: [f64; 12] = [
    0.128_379_167_095_512_56,
    -0.376_126_389_031_835_2,
    0.112_837_916_709_441_85,
    -0.026_866_170_643_111_43,
    0.005_223_977_606_118_302_6,
    -0.000_854_832_592_931_147,
    0.000_120_552_935_769_394_66,
    -1.492_471_230_475_613_8e-5,
    1.644_713_162_472_618_5e-6,
    -1.620_631_428_507_854e-7,
    1.371_098_306_755_849e-8,
    -7.779_474_027_808_369e-10,
];

/// e^(a^2) erfc(a) / t in t = 1/(a + 3) on 1 <= a <= 6: minimax, degree 11. The error in erfc(a) is 1.3e-18, absolute:
/// all that counts in 1 - erfc(a).
const LARGE: [f64; 12] = [
    0.564_205_990_045_606_7,
    1.691_030_370_251_379_6,
    4.853_526_092_333_874,
    11.464_604_037_649_503,
    47.701_290_471_393_79,
    -90.380_490_272_020_04,
    1_167.928_484_295_608_5,
    -4_718.180_406_911_964,
    15_962.555_266_867_023,
    -34_024.152_314_195_29,
    37_660.811_143_156_87,
    -16_934.704_634_058_464,
];

/// The error function, 2/sqrt(pi) times the integral of e^(-u^2) from 0 to x.
#[inline(always)]
pub fn erf<const FMA: bool>(x: f64) -> f64 {
    // From |x| = 6 on the value rounds to 1.
    let a = at_most(x.abs(), 6.0);
    let square = a * a;
    let small = multiply_add::<FMA>(a, polynomial::<FMA, 12>(square, SMALL), a);
    let t = 1.0 / (a + 3.0);
    let tail = exp_moderate::<FMA>(-square) * (t * polynomial::<FMA, 12>(t, LARGE));
    let value = if a < 1.0 { small } else { 1.0 - tail };
    f64::from_bits(value.to_bits() | (x.to_bits() & SIGN))
}

//! Sine and cosine of arguments beyond [`TRIG_LIMIT`](super::TRIG_LIMIT), one at a time.
//!
//! Such arguments are rare but not absent: a sine of an exponential meets them in every other random tree. The reduction
//! is that of Payne and Hanek in whole numbers: of the product of x and 2/pi only the digits next to the binary point
//! are computed, from those digits of 2/pi that decide them.

use super::{Level, sincos};

/// 2/pi in binary, 64 digits each after one word of zeros.
const TWO_OVER_PI: [u64; 20] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

/// pi/2 as a fraction of 2^63.
const HALF_PI: u64 = 0xc90f_daa2_2168_c235;

/// |x| = q pi/2 + r with |r| <= pi/4: q (modulo 4) and r, for finite |x| from 2^-10 on.
fn reduce(x: f64) -> (u64, f64) {
    let bits = x.abs().to_bits();
    let mantissa = u128::from(bits << 12 >> 12 | 1 << 52);
    // |x| = mantissa * 2^exponent. Digits of 2/pi whose products are multiples of 4 are skipped.
    let exponent = (bits >> 52) as usize;
    let skipped = exponent + 64 - 2 - 1075;
    let (word, shift) = (skipped / 64, skipped % 64);
    let digits = |k: usize| {
        let pair = u128::from(TWO_OVER_PI[word + k]) << 64 | u128::from(TWO_OVER_PI[word + k + 1]);
        pair << shift >> 64
    };
    let low = mantissa * digits(2);
    let middle = mantissa * digits(1) + (low >> 64);
    let high = mantissa * digits(0) + (middle >> 64);
    // Two digits before the binary point, 126 after it; the nearest integer is q, what is left lies in [-1/2, 1/2].
    let product = high << 64 | middle << 64 >> 64;
    let q = (product >> 126) as u64 + ((product >> 125) as u64 & 1);
    let fraction = (product << 2) as i128;
    // Times pi/2 with 64 leading digits, so that r is rounded once however small it is.
    let size = fraction.unsigned_abs();
    let zeros = size.leading_zeros().min(127);
    let leading = size << zeros >> 64;
    let r = ((leading * u128::from(HALF_PI)) >> 64) as u64 as f64;
    // leading / 2^64 * HALF_PI / 2^63 * 2^-zeros, the first two divided by 2^64 already.
    let r = r * f64::from_bits((1023 - 63 - u64::from(zeros)) << 52);
    (q, if fraction < 0 { -r } else { r })
}

/// sin x for any |x| beyond the limit; NaN for infinity and NaN.
pub fn sin_wide(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (q, r) = reduce(x);
    let (s, c) = sincos::<{ Level::PLAIN_FMA }>(r);
    let size = if q & 1 == 0 { s } else { c };
    if (q & 2 != 0) != (x < 0.0) { -size } else { size }
}

/// cos x for any |x| beyond the limit; NaN for infinity and NaN.
pub fn cos_wide(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (q, r) = reduce(x);
    let (s, c) = sincos::<{ Level::PLAIN_FMA }>(r);
    let size = if q & 1 == 0 { c } else { s };
    if (q + 1) & 2 != 0 { -size } else { size }
}

//! Elementary functions that vectorise: the arithmetic under the operators of the engine.
//!
//! Each function is scalar in its signature and free of branches, so that a loop over a slice becomes vector
//! code when it is compiled for a [`Level`] (see [`dispatch!`](crate::dispatch)). `FMA` says whether fused
//! multiply-add is an instruction there; if not, products and sums round apart and no library function is called.
//! The same `FMA` gives the same bits at any vector width; the two values of `FMA` differ in the last bits.
//!
//! Greatest error seen on some 10^5 random arguments each, in units in the last place: exp, log, gauss 1.1; erf 1.3;
//! softplus 1.6; sin, cos, sincos, atan 1.9; sinc, logistic 2.3; tanh 2.6. Arguments may be any double, and results
//! run into the subnormal numbers without loss; NaN gives NaN, signed zeros and infinities are kept, and no value
//! leaves the range of its function. The trigonometric functions alone bound their argument, by [`TRIG_LIMIT`], and
//! their slice forms lift that.
//!
//! The coefficients are minimax polynomials, by the exchange algorithm of Remez run with 50 digits; each table states
//! its interval, degree and greatest relative error.

mod arctangent;
mod arithmetic;
mod error_function;
mod exponential;
mod level;
mod logarithm;
mod trigonometric;
mod wide;

pub use arctangent::atan;
pub use error_function::erf;
pub use exponential::{exp, gauss, logistic, softplus, tanh};
pub use level::Level;
pub use logarithm::log;
pub use trigonometric::{TRIG_LIMIT, cos, cos_slice, sin, sin_slice, sinc, sinc_slice, sincos, sincos_slice};
pub use wide::{cos_wide, sin_wide};

use arithmetic::map;

/// Defines the slice form of functions that are valid everywhere.
macro_rules! slices {
    ($($name:ident = $function:ident;)*) => {$(
        #[doc = concat!("`out[i] = ", stringify!($function), "(x[i])`.")]
        #[inline(always)]
        pub fn $name<const FMA: bool>(x: &[f64], out: &mut [f64]) {
            map(x, out, $function::<FMA>);
        }
    )*};
}

slices! {
    exp_slice = exp;
    log_slice = log;
    tanh_slice = tanh;
    logistic_slice = logistic;
    softplus_slice = softplus;
    gauss_slice = gauss;
    erf_slice = erf;
    atan_slice = atan;
}

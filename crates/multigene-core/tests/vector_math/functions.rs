//! The vector functions on slices at a given level, for tests and for `examples/vector_math_rates.rs`.
use multigene_core::dispatch;
use multigene_core::vector_math as vm;

dispatch! {
    pub fn exp(x: &[f64], out: &mut [f64]) = vm::exp_slice;
    pub fn log(x: &[f64], out: &mut [f64]) = vm::log_slice;
    pub fn sin(x: &[f64], out: &mut [f64]) = vm::sin_slice;
    pub fn cos(x: &[f64], out: &mut [f64]) = vm::cos_slice;
    pub fn sinc(x: &[f64], out: &mut [f64]) = vm::sinc_slice;
    pub fn tanh(x: &[f64], out: &mut [f64]) = vm::tanh_slice;
    pub fn logistic(x: &[f64], out: &mut [f64]) = vm::logistic_slice;
    pub fn softplus(x: &[f64], out: &mut [f64]) = vm::softplus_slice;
    pub fn gauss(x: &[f64], out: &mut [f64]) = vm::gauss_slice;
    pub fn erf(x: &[f64], out: &mut [f64]) = vm::erf_slice;
    pub fn atan(x: &[f64], out: &mut [f64]) = vm::atan_slice;
    pub fn sincos(x: &[f64], sine: &mut [f64], cosine: &mut [f64]) = vm::sincos_slice;
}

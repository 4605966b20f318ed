//! The vector functions against tables of correctly rounded values, at special arguments and against `libm`, at every
//! level of vector instructions that the machine has.

use multigene_core::dispatch;
use multigene_core::vector_math::{self as vm, Level};
use std::f64::consts::FRAC_PI_2;

dispatch! {
    fn exp(x: &[f64], out: &mut [f64]) = vm::exp_slice;
    fn log(x: &[f64], out: &mut [f64]) = vm::log_slice;
    fn sin(x: &[f64], out: &mut [f64]) = vm::sin_slice;
    fn cos(x: &[f64], out: &mut [f64]) = vm::cos_slice;
    fn sinc(x: &[f64], out: &mut [f64]) = vm::sinc_slice;
    fn tanh(x: &[f64], out: &mut [f64]) = vm::tanh_slice;
    fn logistic(x: &[f64], out: &mut [f64]) = vm::logistic_slice;
    fn softplus(x: &[f64], out: &mut [f64]) = vm::softplus_slice;
    fn gauss(x: &[f64], out: &mut [f64]) = vm::gauss_slice;
    fn erf(x: &[f64], out: &mut [f64]) = vm::erf_slice;
    fn atan(x: &[f64], out: &mut [f64]) = vm::atan_slice;
    fn sincos(x: &[f64], sine: &mut [f64], cosine: &mut [f64]) = vm::sincos_slice;
}

type Function = fn(Level, &[f64], &mut [f64]);
type Special<'a> = (&'a str, Function, &'a [(f64, f64)]);

fn values(function: Function, level: Level, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    function(level, x, &mut out);
    out
}

/// How many doubles apart two values are; 0 for two NaN, and for zeros only if their signs agree.
fn distance(a: f64, b: f64) -> u64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() && b.is_nan() {
            0
        } else {
            u64::MAX
        };
    }
    let place = |v: f64| {
        let size = (v.to_bits() & !(1 << 63)) as i64;
        if v.is_sign_negative() {
            -1 - size
        } else {
            size
        }
    };
    place(a).abs_diff(place(b))
}

fn table(text: &str) -> (Vec<f64>, Vec<f64>) {
    let number = |field: &str| f64::from_bits(u64::from_str_radix(field, 16).expect("hexadecimal"));
    text.lines()
        .map(|line| line.split_once(',').expect("two fields"))
        .map(|(x, y)| (number(x), number(y)))
        .unzip()
}

/// Fails if a value is more than `allowed` doubles away from the table; prints the worst, for `--nocapture`.
fn check_table(name: &str, text: &str, function: Function, allowed: u64) {
    let (x, expected) = table(text);
    assert!(x.len() > 300, "the table of {name} is cut off");
    for level in Level::available() {
        let found = values(function, level, &x);
        let (worst, i) = (0..x.len())
            .map(|i| (distance(found[i], expected[i]), i))
            .max()
            .expect("a table is not empty");
        println!(
            "{name:9} {level:?}: {worst} at {:e}: {:e}, not {:e}",
            x[i], found[i], expected[i]
        );
        assert!(
            worst <= allowed,
            "{name}({:e}) at {level:?} is {:e}, {worst} doubles from {:e}",
            x[i],
            found[i],
            expected[i]
        );
    }
}

macro_rules! tables {
    ($($test:ident: $function:ident within $allowed:literal;)*) => {$(
        #[test]
        fn $test() {
            let text = include_str!(concat!("data/", stringify!($function), ".csv"));
            check_table(stringify!($function), text, $function, $allowed);
        }
    )*};
}

tables! {
    exp_is_as_in_the_table: exp within 1;
    log_is_as_in_the_table: log within 1;
    sin_is_as_in_the_table: sin within 2;
    cos_is_as_in_the_table: cos within 2;
    sinc_is_as_in_the_table: sinc within 3;
    tanh_is_as_in_the_table: tanh within 3;
    logistic_is_as_in_the_table: logistic within 2;
    softplus_is_as_in_the_table: softplus within 2;
    gauss_is_as_in_the_table: gauss within 2;
    erf_is_as_in_the_table: erf within 2;
    atan_is_as_in_the_table: atan within 2;
}

#[test]
fn sincos_is_as_in_the_tables() {
    check_table(
        "sincos",
        include_str!("data/sin.csv"),
        |level, x, out| {
            sincos(level, x, out, &mut vec![0.0; x.len()]);
        },
        2,
    );
    check_table(
        "sincos",
        include_str!("data/cos.csv"),
        |level, x, out| {
            sincos(level, x, &mut vec![0.0; x.len()], out);
        },
        2,
    );
}

/// Exact values: zeros with their sign, infinities, NaN, overflow and underflow.
#[test]
fn special_values_are_exact() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    let cases: [Special; 9] = [
        (
            "exp",
            exp,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (INF, INF),
                (-INF, 0.0),
                (710.0, INF),
                (-746.0, 0.0),
            ],
        ),
        (
            "log",
            log,
            &[
                (1.0, 0.0),
                (0.0, -INF),
                (-0.0, -INF),
                (INF, INF),
                (-1.0, NAN),
                (-5e-324, NAN),
                (-INF, NAN),
            ],
        ),
        (
            "sin",
            sin,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (INF, NAN),
                (-INF, NAN),
                (FRAC_PI_2, 1.0),
            ],
        ),
        (
            "cos",
            cos,
            &[(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)],
        ),
        (
            "sinc",
            sinc,
            &[(0.0, 1.0), (-0.0, 1.0), (5e-324, 1.0), (INF, NAN)],
        ),
        (
            "tanh",
            tanh,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (INF, 1.0),
                (-INF, -1.0),
                (1e-300, 1e-300),
            ],
        ),
        (
            "logistic",
            logistic,
            &[(0.0, 0.5), (-0.0, 0.5), (INF, 0.0), (-INF, 1.0)],
        ),
        (
            "softplus",
            softplus,
            &[(INF, INF), (-INF, 0.0), (800.0, 800.0)],
        ),
        (
            "gauss",
            gauss,
            &[
                (0.0, 1.0),
                (-0.0, 1.0),
                (INF, 0.0),
                (-INF, 0.0),
                (1e200, 0.0),
            ],
        ),
    ];
    for level in Level::available() {
        for (name, function, pairs) in cases {
            for &(x, expected) in pairs.iter().chain(&[(NAN, NAN), (-NAN, NAN)]) {
                // Nine in a row: a full vector of any width and a rest.
                for found in values(function, level, &[x; 9]) {
                    assert_eq!(
                        distance(found, expected),
                        0,
                        "{name}({x}) at {level:?} is {found}, not {expected}"
                    );
                }
            }
        }
    }
}

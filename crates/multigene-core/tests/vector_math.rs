//! The vector functions against tables of correctly rounded values, at special arguments and against `libm`, at every
//! level of vector instructions that the machine has.

use multigene_core::vector_math::{self as vm, Level};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

#[path = "vector_math/functions.rs"]
mod functions;
use functions::*;

type Function = fn(Level, &[f64], &mut [f64]);

fn values(function: Function, level: Level, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    function(level, x, &mut out);
    out
}

/// How many doubles apart two values are; 0 for two NaN, and for zeros only if their signs agree.
fn distance(a: f64, b: f64) -> u64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() && b.is_nan() { 0 } else { u64::MAX };
    }
    let place = |v: f64| {
        let size = (v.to_bits() & !(1 << 63)) as i64;
        if v.is_sign_negative() { -1 - size } else { size }
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
    let sine: Function = |level, x, out| sincos(level, x, out, &mut vec![0.0; x.len()]);
    let cosine: Function = |level, x, out| sincos(level, x, &mut vec![0.0; x.len()], out);
    check_table("sincos", include_str!("data/sin.csv"), sine, 2);
    check_table("sincos", include_str!("data/cos.csv"), cosine, 2);
}

/// One line per function: zeros with their sign, infinities, overflow and underflow; NaN gives NaN everywhere.
macro_rules! special_values {
    ($($function:ident: $($x:expr => $y:expr),*;)*) => {
        #[test]
        fn special_values_are_exact() {
            $(check_special(stringify!($function), $function, &[$(($x, $y)),*]);)*
        }
    };
}

special_values! {
    exp: 0.0 => 1.0, -0.0 => 1.0, INF => INF, -INF => 0.0, 710.0 => INF, -746.0 => 0.0;
    log: 1.0 => 0.0, 0.0 => -INF, -0.0 => -INF, INF => INF, -1.0 => NAN, -5e-324 => NAN, -INF => NAN;
    sin: 0.0 => 0.0, -0.0 => -0.0, FRAC_PI_2 => 1.0, INF => NAN, -INF => NAN;
    cos: 0.0 => 1.0, -0.0 => 1.0, INF => NAN, -INF => NAN;
    sinc: 0.0 => 1.0, -0.0 => 1.0, 5e-324 => 1.0, -1e-300 => 1.0, INF => NAN;
    tanh: 0.0 => 0.0, -0.0 => -0.0, INF => 1.0, -INF => -1.0, 1e-300 => 1e-300, -5e-324 => -5e-324;
    logistic: 0.0 => 0.5, -0.0 => 0.5, INF => 0.0, -INF => 1.0;
    softplus: INF => INF, -INF => 0.0, 800.0 => 800.0, -746.0 => 0.0;
    gauss: 0.0 => 1.0, -0.0 => 1.0, INF => 0.0, -INF => 0.0, 1e200 => 0.0;
    erf: 0.0 => 0.0, -0.0 => -0.0, INF => 1.0, -INF => -1.0, -7.0 => -1.0;
    atan: 0.0 => 0.0, -0.0 => -0.0, INF => FRAC_PI_2, -INF => -FRAC_PI_2, 1.0 => FRAC_PI_4, 1e300 => FRAC_PI_2;
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

fn check_special(name: &str, function: Function, pairs: &[(f64, f64)]) {
    for level in Level::available() {
        for &(x, expected) in pairs.iter().chain(&[(NAN, NAN), (-NAN, NAN)]) {
            // Nine in a row: a full vector of any width and a rest.
            for found in values(function, level, &[x; 9]) {
                let agrees = distance(found, expected) == 0;
                assert!(agrees, "{name}({x}) at {level:?} is {found}, not {expected}");
            }
        }
    }
}

const ALL: [(&str, Function); 11] = [
    ("exp", exp),
    ("log", log),
    ("sin", sin),
    ("cos", cos),
    ("sinc", sinc),
    ("tanh", tanh),
    ("logistic", logistic),
    ("softplus", softplus),
    ("gauss", gauss),
    ("erf", erf),
    ("atan", atan),
];

/// A value may not depend on where in the slice it stands, nor on the width of the vectors.
#[test]
fn position_and_width_do_not_matter() {
    let x: Vec<f64> = (0..37).map(|i| 0.37 * f64::from(i) - 5.0).collect();
    for (name, function) in ALL {
        for level in Level::available() {
            let whole = values(function, level, &x);
            for start in 0..x.len() {
                for end in start..x.len() {
                    let part = values(function, level, &x[start..end]);
                    let same = part.iter().zip(&whole[start..end]).all(|(a, b)| distance(*a, *b) == 0);
                    assert!(same, "{name} at {level:?} of rows {start}..{end} differs");
                }
            }
        }
        let (avx2, avx512) = (values(function, Level::Avx2, &x), values(function, Level::Avx512, &x));
        assert!(
            avx2.iter().zip(&avx512).all(|(a, b)| distance(*a, *b) == 0),
            "{name} depends on the width"
        );
    }
}

/// Arguments of every size beyond the limit of the vector kernels; `libm` is within one unit of the truth itself.
#[test]
fn huge_arguments_agree_with_libm() {
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    for exponent in 1023 + 27..2047_u64 {
        for _ in 0..50 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let x = f64::from_bits(bits & (1 << 63) | exponent << 52 | bits << 1 >> 13);
            assert!(
                distance(vm::sin_wide(x), libm::sin(x)) <= 2,
                "sin({x:e}) is {:e}",
                vm::sin_wide(x)
            );
            assert!(
                distance(vm::cos_wide(x), libm::cos(x)) <= 2,
                "cos({x:e}) is {:e}",
                vm::cos_wide(x)
            );
        }
    }
    assert!(vm::sin_wide(f64::INFINITY).is_nan() && vm::cos_wide(f64::NEG_INFINITY).is_nan());
}

/// One huge argument among ordinary ones is repaired and leaves its neighbours alone.
#[test]
fn huge_arguments_are_repaired_in_place() {
    let ordinary: Vec<f64> = (0..20).map(|i| 0.5 * f64::from(i)).collect();
    for (function, reference) in [(sin as Function, vm::sin_wide as fn(f64) -> f64), (cos, vm::cos_wide)] {
        for level in Level::available() {
            let undisturbed = values(function, level, &ordinary);
            for (i, huge) in [(0, 3e8), (7, -1e22), (13, 1e300), (19, -2.5e8)] {
                let mut x = ordinary.clone();
                x[i] = huge;
                let mut expected = undisturbed.clone();
                expected[i] = reference(huge);
                assert_eq!(values(function, level, &x), expected, "at {level:?}, x[{i}] = {huge}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "as many elements")]
fn slices_of_unequal_length_are_refused() {
    exp(Level::Plain, &[1.0, 2.0], &mut [0.0]);
}

#[test]
fn levels_are_ordered_and_never_exceed_the_machine() {
    let available = Level::available();
    assert_eq!(available.first(), Some(&Level::Plain));
    assert_eq!(available.last(), Some(&Level::detect()));
    assert!(available.is_sorted());
    for level in [Level::Plain, Level::Avx2, Level::Avx512] {
        assert!(available.contains(&level.supported()));
        assert_eq!(level.supported() == level, available.contains(&level));
    }
}

/// Any bit pattern at all, or a number of ordinary size.
fn argument() -> impl Strategy<Value = f64> {
    prop_oneof![any::<u64>().prop_map(f64::from_bits), -40.0..40.0, -800.0..800.0, -1e8..1e8]
}

type Reference = (&'static str, Function, fn(f64) -> f64, u64);

/// The functions in terms of `libm`, each written so that it is accurate itself, and how far apart the two may be.
const REFERENCES: [Reference; 10] = [
    ("exp", exp, libm::exp, 2),
    ("log", log, libm::log, 2),
    ("sin", sin, libm::sin, 3),
    ("cos", cos, libm::cos, 3),
    ("sinc", sinc, |x| if x == 0.0 { 1.0 } else { libm::sin(x) / x }, 4),
    ("tanh", tanh, libm::tanh, 5),
    (
        "logistic",
        logistic,
        |x| {
            if x > 0.0 {
                libm::exp(-x) / (1.0 + libm::exp(-x))
            } else {
                1.0 / (1.0 + libm::exp(x))
            }
        },
        4,
    ),
    (
        "softplus",
        softplus,
        |x| {
            if x > 0.0 {
                x + libm::log1p(libm::exp(-x))
            } else {
                libm::log1p(libm::exp(x))
            }
        },
        4,
    ),
    ("erf", erf, libm::erf, 3),
    ("atan", atan, libm::atan, 3),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn all_agree_with_libm(x in prop::collection::vec(argument(), 16)) {
        for level in Level::available() {
            for (name, function, reference, allowed) in REFERENCES {
                for (&x, found) in x.iter().zip(values(function, level, &x)) {
                    let expected = reference(x);
                    prop_assert!(
                        distance(found, expected) <= allowed,
                        "{name}({x:e}) at {level:?} is {found:e}, libm says {expected:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn symmetries_hold_exactly(x in argument().prop_filter("a number", |x| !x.is_nan())) {
        for level in Level::available() {
            for (name, function) in ALL {
                let both = values(function, level, &[x, -x]);
                match name {
                    "sin" | "tanh" | "erf" | "atan" => prop_assert_eq!(distance(both[0], -both[1]), 0, "{}", name),
                    "cos" | "sinc" | "gauss" => prop_assert_eq!(distance(both[0], both[1]), 0, "{}", name),
                    _ => {}
                }
                let bounded = both.iter().all(|y| y.abs() <= 1.0 || y.is_nan());
                let within_one = ["sin", "cos", "sinc", "tanh", "logistic", "gauss", "erf"].contains(&name);
                prop_assert!(bounded || !within_one, "{} leaves [-1, 1] at {:e}", name, x);
            }
        }
    }

    #[test]
    fn neighbours_are_in_order(x in argument().prop_filter("a number", |x| !x.is_nan()), steps in 1_u64..1 << 40) {
        // Rising functions may fall by no more than their rounding, also across the seams of the implementation.
        let above = if x >= 0.0 { f64::from_bits(x.to_bits().saturating_add(steps)) } else { x / 2.0 };
        prop_assume!(!above.is_nan());
        for level in Level::available() {
            for (name, function, allowed) in
                [("exp", exp as Function, 2), ("tanh", tanh, 5), ("softplus", softplus, 4), ("erf", erf, 3), ("atan", atan, 4)]
            {
                let y = values(function, level, &[x, above]);
                prop_assert!(
                    y[0] <= y[1] || distance(y[0], y[1]) <= allowed,
                    "{name} falls from {:e} at {x:e} to {:e} at {above:e}, {level:?}", y[0], y[1]
                );
            }
        }
    }

    #[test]
    fn identities_hold(x in -700.0..700.0) {
        for level in Level::available() {
            let at = |function: Function, x: f64| values(function, level, &[x])[0];
            prop_assert!((at(sin, x).powi(2) + at(cos, x).powi(2) - 1.0).abs() < 1e-15);
            prop_assert!((at(log, at(exp, x)) - x).abs() <= 4e-16 * (2.0 + x.abs()));
            prop_assert!((at(logistic, x) + at(logistic, -x) - 1.0).abs() < 1e-15);
            prop_assert!((at(softplus, x) - at(softplus, -x) - x).abs() <= 1e-15 * (1.0 + x.abs()));
            // e^(-x^2) e^(x^2) = 1 with the square of a number of 24 bits, which is exact.
            let short = f64::from((x / 30.0) as f32);
            prop_assert!((at(gauss, short) * at(exp, short * short) - 1.0).abs() < 1e-15);
        }
    }
}

//! Every row of the operator table against plain scalar references.
mod common;

use common::{all_operators, reference, rng, uniform};
use multigene_core::evaluate::forward::{self, unary};
use multigene_core::evaluate::loops::LANES;
use multigene_core::tree::interval::Interval;
use multigene_core::tree::operator::{Notation, Operator, binary_slope, unary_slope};
use multigene_core::vector_math::{Level, TRIG_LIMIT};

const SPECIAL: [f64; 30] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    -f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-160,
    -1e-160,
    1e160,
    -1e160,
    709.7,
    710.0,
    -745.0,
    -746.0,
    0.5 * TRIG_LIMIT,
    TRIG_LIMIT,
    -TRIG_LIMIT,
    1.0001 * TRIG_LIMIT,
    -1.0001 * TRIG_LIMIT,
    1e12,
    -1e22,
    1e300,
    3.0,
];

fn arguments(seed: u64) -> Vec<f64> {
    let mut rng = rng(seed);
    let mut x = SPECIAL.to_vec();
    for scale in [1e-12, 1e-5, 0.1, 1.0, 5.0, 30.0, 1e3, 1e8, 1e11] {
        x.extend((0..60).map(|_| uniform(&mut rng, -scale, scale)));
    }
    x.resize(x.len().div_ceil(LANES) * LANES, 0.25);
    x
}

/// Equal within `relative`, with NaN equal to NaN; at the ends of the range of doubles only the order of magnitude counts.
fn close(got: f64, want: f64, relative: f64) -> bool {
    let extreme = |v: f64| v.abs() > 1e290 || v.abs() < 1e-290;
    match (got.is_nan(), want.is_nan()) {
        (true, true) => true,
        (false, false) if extreme(want) => {
            extreme(got) && (got.abs() > 1.0) == (want.abs() > 1.0) && (got == 0.0 || want == 0.0 || (got > 0.0) == (want > 0.0))
        }
        (false, false) => (got - want).abs() <= relative * want.abs(),
        _ => false,
    }
}

fn tolerance(operator: Operator, x: f64) -> f64 {
    match operator {
        // The reference rounds x² and n multiplications round n times.
        Operator::Gauss => 1e-15 * (1.0 + x * x),
        Operator::Power(n) => 2.5e-16 * (4.0 + f64::from(n).abs()),
        Operator::Bent => 1e-15 * (1.0 + 1.0 / x.abs().max(1e-300)),
        _ => 1.5e-15,
    }
}

#[test]
fn values_equal_the_scalar_reference() {
    let x = arguments(1);
    for operator in all_operators().into_iter().filter(|op| op.arity() == 1) {
        for level in Level::available() {
            let mut out = vec![f64::NAN; x.len()];
            unary(level, operator, &x, &mut out);
            for (&x, &got) in x.iter().zip(&out) {
                let want = reference(operator, x, 0.0);
                let absolute = operator == Operator::Bent && (got - want).abs() <= 3e-16;
                assert!(
                    absolute || close(got, want, tolerance(operator, x)),
                    "{operator:?}({x:e}) = {got:e}, not {want:e} ({level:?})"
                );
            }
        }
    }
}

#[test]
fn two_argument_values_equal_the_scalar_reference_however_arguments_are_given() {
    let (a, mut b) = (arguments(2), arguments(3));
    b.reverse();
    for operator in all_operators().into_iter().filter(|op| op.arity() == 2) {
        for level in Level::available() {
            let mut out = vec![f64::NAN; a.len()];
            forward::binary_rows_rows(level, operator, &a, &b, &mut out);
            for k in 0..a.len() {
                let want = reference(operator, a[k], b[k]);
                assert!(
                    close(out[k], want, 1e-15),
                    "{operator:?}({:e}, {:e}) = {:e}, not {want:e}",
                    a[k],
                    b[k],
                    out[k]
                );
            }
            for same in SPECIAL {
                let mut fixed = vec![f64::NAN; a.len()];
                forward::binary_rows_same(level, operator, &a, same, &mut fixed);
                forward::binary_rows_rows(level, operator, &a, &vec![same; a.len()], &mut out);
                assert!(
                    fixed.iter().zip(&out).all(|(f, o)| close(*f, *o, 0.0)),
                    "{operator:?} with second argument {same}"
                );
                forward::binary_same_rows(level, operator, same, &a, &mut fixed);
                forward::binary_rows_rows(level, operator, &vec![same; a.len()], &a, &mut out);
                assert!(
                    fixed.iter().zip(&out).all(|(f, o)| close(*f, *o, 0.0)),
                    "{operator:?} with first argument {same}"
                );
            }
        }
    }
}

#[test]
fn whole_arrays_of_any_length() {
    for n in [0, 1, 31, 32, 33, 100] {
        let x: Vec<f64> = (0..n).map(|k| k as f64 * 0.1).collect();
        assert_eq!(
            forward::apply("add", &x, Some(&x)).unwrap(),
            x.iter().map(|v| v + v).collect::<Vec<_>>()
        );
        assert_eq!(
            forward::apply("sqrt", &x, None).unwrap(),
            x.iter().map(|v| v.sqrt()).collect::<Vec<_>>()
        );
    }
    assert!(forward::apply("add", &[1.0], Some(&[1.0, 2.0])).is_err());
    assert!(forward::apply("add", &[1.0], None).is_err());
    assert!(forward::apply("sin", &[1.0], Some(&[1.0])).is_err());
}

/// Where the slope jumps or the function is undefined, so that a finite difference says nothing.
fn is_rough(operator: Operator, a: f64, b: f64) -> bool {
    match operator {
        Operator::Sign | Operator::Abs | Operator::Inv => a.abs() < 0.01,
        Operator::Log | Operator::Sqrt => a < 0.01,
        Operator::Min | Operator::Max => (a - b).abs() < 0.01,
        Operator::Div => b.abs() < 0.01,
        Operator::Power(n) => n < 0 && a.abs() < 0.01,
        _ => false,
    }
}

fn assert_is_slope(operator: Operator, at: (f64, f64), x: f64, slope: f64, f: impl Fn(f64) -> f64) {
    let h = 6e-6 * x.abs().max(0.05);
    let (up, down) = (x + h, x - h);
    let difference = (f(up) - f(down)) / (up - down);
    let rounding = 3e-15 * (f(up).abs() + f(down).abs()) / h;
    // The third derivatives of e^(-x²) and its integral grow with x².
    let curved = if matches!(operator, Operator::Gauss | Operator::Erf) {
        1e-5
    } else {
        3e-7
    };
    let allowed = curved * slope.abs() + rounding + 2.0 * h * h + 1e-8 * difference.abs().min(1.0);
    assert!(
        (slope - difference).abs() <= allowed,
        "slope of {operator:?} at {at:?}: {slope:e}, by differences {difference:e}"
    );
}

#[test]
fn slopes_equal_finite_differences() {
    let mut rng = rng(4);
    for operator in all_operators() {
        for scale in [1e-6, 0.02, 1.0, 5.0, 20.0] {
            let a: Vec<f64> = (0..LANES).map(|_| uniform(&mut rng, -scale, scale)).collect();
            let b: Vec<f64> = (0..LANES).map(|_| uniform(&mut rng, -scale, scale)).collect();
            let adjoint: Vec<f64> = (0..LANES).map(|_| uniform(&mut rng, 0.5, 2.0)).collect();
            let value: Vec<f64> = (0..LANES).map(|k| reference(operator, a[k], b[k])).collect();
            let (mut first, mut second) = (vec![0.0; LANES], vec![0.0; LANES]);
            if operator.arity() == 1 {
                unary_slope::<false>(operator, &a, &value, &adjoint, &mut first);
            } else {
                binary_slope::<false, false, &[f64], &[f64]>(operator, &a, &b, &value, &adjoint, &mut first);
                binary_slope::<false, true, &[f64], &[f64]>(operator, &a, &b, &value, &adjoint, &mut second);
            }
            for k in 0..LANES {
                if is_rough(operator, a[k], b[k]) {
                    continue;
                }
                let at = (a[k], b[k]);
                assert_is_slope(operator, at, a[k], first[k] / adjoint[k], |x| reference(operator, x, b[k]));
                if operator.arity() == 2 {
                    assert_is_slope(operator, at, b[k], second[k] / adjoint[k], |x| reference(operator, a[k], x));
                }
            }
        }
    }
}

#[test]
fn slopes_beyond_the_trigonometric_limit() {
    let x: Vec<f64> = (0..LANES)
        .map(|k| (k as f64 - 15.5) * 7.3e8 * 10f64.powi(k as i32 / 4))
        .collect();
    assert!(x.iter().all(|v| v.abs() > TRIG_LIMIT));
    let slope = |operator: Operator| {
        let value: Vec<f64> = x.iter().map(|&x| reference(operator, x, 0.0)).collect();
        let mut out = vec![0.0; LANES];
        unary_slope::<true>(operator, &x, &value, &[1.0; LANES], &mut out);
        out
    };
    for (k, &x) in x.iter().enumerate() {
        assert!(close(slope(Operator::Sin)[k], x.cos(), 1e-15));
        assert!(close(slope(Operator::Cos)[k], -x.sin(), 1e-15));
        assert!(close(slope(Operator::Sinc)[k], (x.cos() - x.sin() / x) / x, 1e-14));
    }
}

#[test]
fn slopes_at_listed_points() {
    let slope = |operator: Operator, x: f64| {
        let value = [reference(operator, x, 0.0); LANES];
        let mut out = [0.0; LANES];
        unary_slope::<true>(operator, &[x; LANES], &value, &[1.0; LANES], &mut out);
        out[0]
    };
    assert_eq!(slope(Operator::Sinc, 0.0), 0.0);
    assert_eq!(slope(Operator::Abs, 0.0), 0.0);
    assert_eq!(slope(Operator::Sign, 0.0), 0.0);
    assert_eq!(slope(Operator::Sign, 3.0), 0.0);
    assert_eq!(slope(Operator::Abs, -3.0), -1.0);
    assert_eq!(slope(Operator::Sqrt, 0.0), f64::INFINITY);
    assert_eq!(slope(Operator::Exp, -800.0), 0.0);
    assert_eq!(slope(Operator::Tanh, 800.0), 0.0);
    assert_eq!(slope(Operator::Logistic, 800.0), 0.0);
    assert_eq!(slope(Operator::Softplus, 800.0), 1.0);
    assert_eq!(slope(Operator::Gauss, f64::MAX), 0.0);
    assert_eq!(slope(Operator::Atan, f64::MAX), 0.0);
    let ties = |operator: Operator| {
        let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
        let v: &[f64] = &[1.0; LANES];
        binary_slope::<true, false, &[f64], f64>(operator, v, 1.0, v, v, &mut first);
        binary_slope::<true, true, &[f64], f64>(operator, v, 1.0, v, v, &mut second);
        first[0] + second[0]
    };
    assert_eq!((ties(Operator::Min), ties(Operator::Max)), (1.0, 1.0));
}

#[test]
fn ranges_contain_every_value() {
    let mut rng = rng(5);
    let mut defined = 0;
    for operator in all_operators() {
        for scale in [1e-3, 1.0, 10.0, 200.0, 1e6, 1e9, 1e200] {
            for _ in 0..60 {
                let mut interval = || {
                    let (a, b) = (uniform(&mut rng, -scale, scale), uniform(&mut rng, -scale, scale));
                    let width = [0.0, 1e-9, 0.01, 1.0, 1.0][common::below(&mut rng, 5)];
                    let from_zero = common::below(&mut rng, 5) == 0;
                    let low = if from_zero { 0.0 } else { a.min(b) };
                    Interval::new(low, low + width * (b - a).abs())
                };
                let (first, second) = (interval(), interval());
                let range = operator.range(first, second);
                if !range.is_finite() {
                    assert!(range.low.is_nan() && range.high.is_nan());
                    continue;
                }
                defined += 1;
                for _ in 0..20 {
                    let mut inside = |r: Interval| match common::below(&mut rng, 4) {
                        0 => r.low,
                        1 => r.high,
                        _ => uniform(&mut rng, r.low, r.high).clamp(r.low, r.high),
                    };
                    let (a, b) = (inside(first), inside(second));
                    let v = forward::apply(&operator.name(), &[a], (operator.arity() == 2).then_some(&[b])).unwrap()[0];
                    assert!(
                        v.is_finite(),
                        "{operator:?}({a}, {b}) = {v} although its range over {first:?} and {second:?} is {range:?}"
                    );
                    let slack = 1e-13
                        * v.abs()
                        * if matches!(operator, Operator::Gauss) {
                            1.0 + (a * a).min(1e4)
                        } else {
                            1.0
                        }
                        + 1e-305;
                    let holds = range.low - slack <= v && v <= range.high + slack;
                    assert!(
                        holds,
                        "{operator:?}({a:e}, {b:e}) = {v:e} is outside {range:?}, its range over {first:?}, {second:?}"
                    );
                }
            }
        }
    }
    assert!(defined > 10_000, "only {defined} ranges were defined");
}

#[test]
fn ranges_that_decide_whether_there_is_a_pole() {
    let of = |operator: Operator, low: f64, high: f64| operator.range(Interval::new(low, high), Interval::UNDEFINED);
    assert_eq!(of(Operator::Sin, 0.0, 1.0).low, 0.0);
    assert!(
        !Operator::Inv
            .range(of(Operator::Sin, 0.0, 1.0), Interval::UNDEFINED)
            .is_finite()
    );
    assert!(!of(Operator::Log, 0.0, 1.0).is_finite());
    assert!(!of(Operator::Sqrt, -1e-9, 1.0).is_finite());
    assert!(!of(Operator::Inv, -1.0, 1.0).is_finite());
    assert!(!of(Operator::Power(-2), -1.0, 1.0).is_finite());
    assert!(!of(Operator::Exp, 0.0, 1000.0).is_finite());
    assert_eq!(of(Operator::Power(2), -2.0, 1.0), Interval::new(0.0, 4.0));
    assert_eq!(of(Operator::Power(3), -2.0, 1.0), Interval::new(-8.0, 1.0));
    assert_eq!(of(Operator::Sin, 0.0, 7.0), Interval::new(-1.0, 1.0));
    assert_eq!(of(Operator::Cos, 1.0, 4.0).low, -1.0);
    assert!(of(Operator::Cos, 1.0, 4.0).high < 0.6);
    for operator in all_operators() {
        let one = Interval::new(1.0, 2.0);
        assert!(
            !operator.range(Interval::UNDEFINED, one).is_finite(),
            "{operator:?} of something undefined"
        );
        if operator.arity() == 2 {
            assert!(
                !operator.range(one, Interval::UNDEFINED).is_finite(),
                "{operator:?} with something undefined"
            );
        }
    }
}

#[test]
fn names_are_read_back() {
    for operator in all_operators() {
        assert_eq!(Operator::parse(&operator.name()), Some(operator));
        match operator.notation() {
            Notation::Infix(symbol, _) => {
                assert_eq!(Operator::parse(symbol), Some(operator));
                assert_eq!((operator.symbol(), operator.arity()), (Some(symbol), 2));
            }
            Notation::Power => assert!(matches!(operator, Operator::Power(_)) && operator.symbol().is_none()),
            Notation::Call => assert!(operator.symbol().is_none()),
        }
    }
    for (name, operator) in [
        ("square", Operator::Power(2)),
        ("cube", Operator::Power(3)),
        ("ln", Operator::Log),
        ("+", Operator::Add),
    ] {
        assert_eq!(Operator::parse(name), Some(operator));
    }
    for name in [
        "", "pow", "pow0", "pow1", "pow33", "pow-33", "pow2.5", "powx", "SIN", "x", "weighted",
    ] {
        assert_eq!(Operator::parse(name), None, "{name:?}");
    }
    let names: std::collections::HashSet<String> = all_operators().iter().map(|op| op.name()).collect();
    assert_eq!(names.len(), all_operators().len());
    assert_eq!(all_operators().len(), Operator::ALL.len() + 63);
}

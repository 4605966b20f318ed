//! The update rules on scripted derivatives.
use super::*;

/// Feeds derivatives (and whether the error grew) to a rule; after each, the weight must be what the script says.
fn follow(rule: Rule, script: &[(f64, bool, f64)]) -> Weights {
    let mut weights = Weights::default();
    weights.push_constant(1.0);
    for (number, &(slope, worse, want)) in script.iter().enumerate() {
        step(&tuning(rule), &mut weights, &[slope], worse);
        let got = weights.values()[0];
        assert!((got - want).abs() < 1e-9, "{rule:?}, step {number}: {got}, not {want}");
    }
    weights
}

#[test]
fn irprop_minus_as_published() {
    let weights = follow(
        Rule::IRpropMinus,
        &[
            (1.0, false, 0.9),    // Δ = 0.1
            (2.0, false, 0.78),   // same sign: Δ = 0.12
            (-1.0, false, 0.78),  // sign change: Δ = 0.06, no step, derivative forgotten
            (-1.0, false, 0.84),  // no memory: Δ stays
            (-3.0, false, 0.912), // Δ = 0.072
            (0.0, false, 0.912),  // no sign, no step; the stored derivative is 0
            (-3.0, false, 0.984), // Δ stays 0.072
            (1.0, true, 0.984),   // sign change: Δ = 0.036
            (f64::NAN, false, 0.984),
            (f64::INFINITY, false, 0.984),
            (1.0, false, 0.948),
            (1e-200, false, 0.9048), // Δ = 0.0432, however small the derivatives are
            (-1e-200, false, 0.9048),
        ],
    );
    assert!((weights.memory(0)[0].step - 0.0216).abs() < 1e-12);
    assert_eq!(weights.memory(0)[0].slope, 0.0);
}

#[test]
fn irprop_plus_takes_a_step_back_where_the_error_grew() {
    follow(
        Rule::IRpropPlus,
        &[
            (1.0, false, 0.9),
            (1.0, false, 0.78),
            (-1.0, true, 0.9),   // back by 0.12; Δ = 0.06
            (-1.0, false, 0.96), // Δ stays
            (1.0, false, 0.96),  // sign change but no growth: stays; Δ = 0.03
            (1.0, true, 0.93),
            (0.0, true, 0.93),
            (-1.0, true, 0.96), // no memory of a sign: an ordinary step
        ],
    );
}

#[test]
fn rprop_of_the_authors_steps_even_where_the_sign_changes() {
    follow(
        Rule::Rprop,
        &[
            (1.0, false, 0.9),
            (1.0, false, 0.78),
            (-1.0, true, 0.84),   // Δ = 0.06, taken at once
            (-1.0, false, 0.912), // the derivative was remembered: Δ = 0.072
            (-1.0, false, 0.9984),
            (0.0, false, 0.9984),
        ],
    );
}

#[test]
fn adam_as_published() {
    // m = 0.1, v = 0.001: a step of the learning rate; then m = 0.29, v = 0.004999 with corrections 0.19 and 0.001999.
    let second = 0.9 - 0.1 * (0.29 / 0.19) / (0.004_999f64 / 0.001_999).sqrt();
    assert!((second - 0.803_481_8).abs() < 1e-7);
    follow(Rule::Adam, &[(1.0, false, 0.9), (2.0, false, second)]);
    // A derivative of 0 still moves the weight by what is remembered: m = 0.09, v = 0.000999.
    let coasting = 0.9 - 0.1 * (0.09 / 0.19) / (0.000_999f64 / 0.001_999).sqrt();
    follow(Rule::Adam, &[(1.0, false, 0.9), (0.0, false, coasting)]);
    // But nothing moves a weight that never had a derivative.
    assert_eq!(follow(Rule::Adam, &[(0.0, false, 1.0)]).memory(0)[0].step, 0.0);
}

#[test]
fn steps_stay_within_their_bounds() {
    for rule in [Rule::IRpropMinus, Rule::IRpropPlus, Rule::Rprop] {
        let mut weights = Weights::default();
        weights.push_constant(0.0);
        for _ in 0..60 {
            step(&tuning(rule), &mut weights, &[1.0], false);
        }
        assert_eq!(weights.memory(0)[0].step, 50.0);
        for k in 0..200 {
            step(
                &tuning(rule),
                &mut weights,
                &[if (k / 2) % 2 == 0 { -1.0 } else { 1.0 }],
                false,
            );
        }
        assert!(weights.memory(0)[0].step >= 1e-6 && weights.memory(0)[0].step < 1.0);
    }
}

#[test]
fn huge_derivatives_leave_nothing_infinite() {
    for rule in RULES {
        let mut weights = Weights::default();
        weights.push_constant(f64::MAX);
        for slope in [-1e300, -f64::MAX, 1e300, -1e-320, f64::NAN, -1e200] {
            step(&tuning(rule), &mut weights, &[slope], true);
            let memory = weights.memory(0)[0];
            assert!(weights.values()[0].is_finite(), "{rule:?}");
            assert!(
                memory.step.is_finite() && memory.slope.is_finite() && memory.extra.is_finite(),
                "{rule:?}: {memory:?}"
            );
        }
    }
}

//! Outer coefficients against a plain Householder reference; what happens to columns that do not help.
mod common;

use common::{columns, rng, uniform};
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::tree::gene::{Function, Node};
use multigene_core::tree::individual::{Gene, Individual};
use multigene_core::tree::operator::Operator;
use multigene_core::tree::weights::Weights;
use multigene_core::vector_math::Level;
use proptest::prelude::*;

/// Least squares by Householder reflections on [1, columns] with rows scaled by the roots of the weights.
fn householder(columns: &[Vec<f64>], y: &[f64], weights: Option<&[f64]>) -> Vec<f64> {
    let n = y.len();
    let root = |k: usize| weights.map_or(1.0, |w| w[k].sqrt());
    let mut a: Vec<Vec<f64>> = std::iter::once(vec![1.0; n]).chain(columns.iter().cloned()).collect();
    a.iter_mut()
        .for_each(|c| c.iter_mut().enumerate().for_each(|(k, v)| *v *= root(k)));
    let mut b: Vec<f64> = y.iter().enumerate().map(|(k, v)| v * root(k)).collect();
    let p = a.len();
    for j in 0..p {
        let length = a[j][j..].iter().map(|v| v * v).sum::<f64>().sqrt();
        let mut v = a[j][j..].to_vec();
        v[0] += length.copysign(v[0]);
        let square: f64 = v.iter().map(|x| x * x).sum();
        let reflect = |column: &mut [f64]| {
            let dot: f64 = v.iter().zip(&column[j..]).map(|(x, y)| x * y).sum();
            column[j..].iter_mut().zip(&v).for_each(|(c, x)| *c -= 2.0 * dot / square * x);
        };
        a[j..].iter_mut().for_each(|column| reflect(column));
        reflect(&mut b);
    }
    let mut c = vec![0.0; p];
    for i in (0..p).rev() {
        let sum: f64 = (i + 1..p).map(|k| a[k][i] * c[k]).sum();
        c[i] = (b[i] - sum) / a[i][i];
    }
    c
}

/// An individual whose genes are the features themselves.
fn linear(features: usize) -> Individual {
    let mut individual = Individual::empty(Weights::default());
    individual.genes = (0..features as u32).map(|f| Gene::new(vec![Node::Variable(f)])).collect();
    individual
}

fn fit_of(individual: &mut Individual, data: &Dataset) {
    individual.evaluate(
        Context {
            data,
            library: &[],
            fit_genes: true,
            dependent_below: 1e-10,
        },
        &mut Workspace::default(),
    );
}

fn fit(x: &[Vec<f64>], y: &[f64], weights: Option<&[f64]>, level: Level) -> Individual {
    let data = Dataset::new(x.to_vec(), y, weights, level).unwrap();
    let mut individual = linear(x.len());
    fit_of(&mut individual, &data);
    individual
}

fn r_squared_rest(individual: &Individual, x: &[Vec<f64>], y: &[f64], weights: Option<&[f64]>) -> f64 {
    let data = Dataset::features(x.to_vec(), y.len(), Level::detect());
    let prediction = individual.predict(&data, &mut Workspace::default());
    let w = |k: usize| weights.map_or(1.0, |w| w[k]);
    let mean = (0..y.len()).map(|k| w(k) * y[k]).sum::<f64>() / (0..y.len()).map(w).sum::<f64>();
    let left: f64 = (0..y.len()).map(|k| w(k) * (y[k] - prediction[k]).powi(2)).sum();
    left / (0..y.len()).map(|k| w(k) * (y[k] - mean).powi(2)).sum::<f64>()
}

#[test]
fn genes_that_are_constant_but_for_rounding_get_nothing() {
    let mut rng = rng(5);
    let x: Vec<f64> = (0..300).map(|_| uniform(&mut rng, 0.1, 6.0)).collect();
    let y: Vec<f64> = x.iter().map(|v| v + uniform(&mut rng, -1.0, 1.0)).collect();
    for scale in [1e-20, 1.0, 1e12] {
        let data = Dataset::new(vec![x.iter().map(|v| v * scale).collect()], &y, None, Level::detect()).unwrap();
        let apply = |operator| Node::Apply(Function::Base(operator));
        let square_of_root = [Node::Variable(0), apply(Operator::Sqrt), apply(Operator::Power(2))];
        let rest = |last: &[Node]| [&[Node::Variable(0)], &square_of_root[..], last].concat();
        let mut individual = Individual::empty(Weights::default());
        individual.genes = vec![
            Gene::new(rest(&[apply(Operator::Div), apply(Operator::Log)])),
            Gene::new(rest(&[apply(Operator::Sub)])),
            Gene::new(vec![Node::Variable(0)]),
        ];
        fit_of(&mut individual, &data);
        assert_eq!(
            (individual.coefficients[0], individual.coefficients[1]),
            (0.0, 0.0),
            "{scale}"
        );
        assert!((individual.coefficients[2] * scale - 1.0).abs() < 0.1, "{scale}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn equals_householder(seed in any::<u64>(), rows in 12usize..400, features in 1usize..8, weighted in any::<bool>()) {
        let mut rng = rng(seed);
        let x = columns(&mut rng, rows, features);
        let y: Vec<f64> = (0..rows).map(|k| 5.0 + x[0][k] + uniform(&mut rng, -1.0, 1.0)).collect();
        let weights: Vec<f64> = (0..rows).map(|_| uniform(&mut rng, 0.1, 3.0)).collect();
        let weights = weighted.then_some(&weights[..]);
        let want = householder(&x, &y, weights);
        for level in Level::available() {
            let got = fit(&x, &y, weights, level);
            prop_assert!((got.intercept - want[0]).abs() < 1e-9 * (1.0 + want[0].abs()));
            for (c, w) in got.coefficients.iter().zip(&want[1..]) {
                prop_assert!((c - w).abs() < 1e-9, "{} not {}", c, w);
            }
            let left = r_squared_rest(&got, &x, &y, weights);
            prop_assert!((got.unexplained - left).abs() < 1e-11);
        }
    }

    #[test]
    fn dependent_columns_get_nothing_and_do_no_harm(seed in any::<u64>(), rows in 10usize..200) {
        let mut rng = rng(seed);
        let base = columns(&mut rng, rows, 2);
        let sum: Vec<f64> = (0..rows).map(|k| 2.0 * base[0][k] - base[1][k] + 7.0).collect();
        let x = vec![base[0].clone(), vec![3.7; rows], base[0].clone(), base[1].clone(), sum, vec![0.0; rows]];
        let y: Vec<f64> = (0..rows).map(|k| base[0][k] * base[1][k] + base[0][k]).collect();
        let got = fit(&x, &y, None, Level::detect());
        let want = householder(&base, &y, None);
        prop_assert_eq!((got.coefficients[1], got.coefficients[2], got.coefficients[4], got.coefficients[5]), (0.0, 0.0, 0.0, 0.0));
        prop_assert!((got.coefficients[0] - want[1]).abs() < 1e-8 && (got.coefficients[3] - want[2]).abs() < 1e-8);
        prop_assert!(got.unexplained.is_finite());
    }

    #[test]
    fn scales_do_not_matter(seed in any::<u64>(), a in -300i32..=300, b in -300i32..=300, t in -300i32..=300) {
        let mut rng = rng(seed);
        let rows = 60;
        let x = columns(&mut rng, rows, 2);
        let y: Vec<f64> = (0..rows).map(|k| x[0][k] - 2.0 * x[1][k] + uniform(&mut rng, -1.0, 1.0)).collect();
        let scale = |v: &[f64], e: i32| v.iter().map(|v| v * 10f64.powi(e)).collect::<Vec<f64>>();
        let got = fit(&[scale(&x[0], a), scale(&x[1], b)], &scale(&y, t), None, Level::detect());
        let plain = fit(&x, &y, None, Level::detect());
        if (t - a).abs() < 295 && (t - b).abs() < 295 {
            prop_assert!((got.unexplained - plain.unexplained).abs() < 1e-9);
            prop_assert!((got.coefficients[0] / 10f64.powi(t - a) / plain.coefficients[0] - 1.0).abs() < 1e-9);
            prop_assert!((got.coefficients[1] / 10f64.powi(t - b) / plain.coefficients[1] - 1.0).abs() < 1e-9);
        }
        prop_assert!(!got.unexplained.is_nan() && got.coefficients.iter().all(|c| c.is_finite()) && got.intercept.is_finite());
    }
}

#[test]
fn nearly_perfect_fits_stay_at_rounding_level() {
    let mut rng = rng(1);
    for offset in [0.0, 1.0, 1e3] {
        let mut x = columns(&mut rng, 500, 4);
        // Correlated, but not dependent.
        x[3] = (0..500).map(|k| x[0][k] + 0.01 * x[3][k]).collect();
        let y: Vec<f64> = (0..500)
            .map(|k| offset + 3.0 * x[0][k] - 0.5 * x[1][k] + 10.0 * x[2][k] + x[3][k])
            .collect();
        let got = fit(&x, &y, None, Level::detect());
        let level = 1e-28 * (1.0 + offset * offset);
        assert!(got.unexplained < level, "offset {offset}: 1 − R² = {:e}", got.unexplained);
        assert!((got.coefficients[2] - 10.0).abs() < 1e-9);
        assert!(r_squared_rest(&got, &x, &y, None) < 10.0 * level);
    }
}

#[test]
fn a_constant_target_gives_the_constant() {
    let x = columns(&mut rng(2), 300, 2);
    for constant in [0.0, 0.1, -7.3e250, 1e-300] {
        for weights in [None, Some(vec![0.7; 300])] {
            let got = fit(&x, &vec![constant; 300], weights.as_deref(), Level::detect());
            assert!((got.intercept - constant).abs() <= 1e-15 * constant.abs());
            assert_eq!((got.coefficients, got.unexplained), (vec![0.0, 0.0], 0.0));
        }
    }
    let one = fit(&[vec![1.0]], &[5.0], None, Level::detect());
    assert_eq!((one.intercept, one.coefficients, one.unexplained), (5.0, vec![0.0], 0.0));
}

#[test]
fn constant_columns_of_any_length_count_as_constant() {
    for rows in [1, 33, 1000, 100_003] {
        for constant in [0.1, -1.0 / 3.0, 1e9 + 0.1, 1e-200] {
            let mut rng = rng(3);
            let wave: Vec<f64> = (0..rows).map(|k| (k as f64).sin()).collect();
            let y: Vec<f64> = (0..rows).map(|k| wave[k] + uniform(&mut rng, -0.1, 0.1)).collect();
            let ramp: Vec<f64> = (0..rows).map(|k| 0.5 + (k % 7) as f64).collect();
            for weights in [None, Some(&ramp[..])] {
                let got = fit(&[vec![constant; rows], wave.clone()], &y, weights, Level::detect());
                assert_eq!(got.coefficients[0], 0.0, "{constant} in {rows} rows");
                assert!(got.intercept.abs() < 1.5);
            }
        }
    }
}

#[test]
fn small_variation_on_a_large_mean_is_still_signal() {
    let mut rng = rng(4);
    let rows = 20_000;
    let small: Vec<f64> = (0..rows).map(|_| uniform(&mut rng, 0.0, 1e-3)).collect();
    let x: Vec<f64> = small.iter().map(|v| 1e6 + v).collect();
    let y: Vec<f64> = small.iter().map(|v| 3.0 * v).collect();
    let got = fit(&[x], &y, None, Level::detect());
    assert!(
        (got.coefficients[0] - 3.0).abs() < 1e-4 && got.unexplained < 1e-10,
        "{:?} {:e}",
        got.coefficients,
        got.unexplained
    );
}

#[test]
fn values_that_are_not_finite_make_unfit_not_a_panic() {
    let x = vec![vec![-1.0, 0.0, 1.0, 2.0, 3.0]];
    let y = [1.0, 2.0, 4.0, 3.0, 5.0];
    let data = Dataset::new(x, &y, None, Level::detect()).unwrap();
    let mut individual = linear(1);
    for operator in [Operator::Log, Operator::Inv, Operator::Sqrt] {
        individual
            .genes
            .push(Gene::new(vec![Node::Variable(0), Node::Apply(Function::Base(operator))]));
        fit_of(&mut individual, &data);
        assert_eq!(
            (individual.unexplained, individual.fitness()),
            (f64::INFINITY, f64::NEG_INFINITY)
        );
        assert!(individual.is_evaluated() && individual.coefficients.iter().all(|c| *c == 0.0));
        individual.genes.pop();
        individual.unexplained = f64::NAN;
        fit_of(&mut individual, &data);
        assert!(individual.unexplained < 1.0);
    }
}

#[test]
fn models_without_the_outer_fit_add_their_genes() {
    let mut rng = rng(5);
    let x = columns(&mut rng, 100, 2);
    let weights: Vec<f64> = (0..100).map(|_| uniform(&mut rng, 0.0, 2.0)).collect();
    for y in [
        (0..100)
            .map(|k| x[0][k] + x[1][k] + uniform(&mut rng, -1.0, 1.0) + 0.5)
            .collect::<Vec<f64>>(),
        vec![2.0; 100],
    ] {
        for weights in [None, Some(&weights[..])] {
            let data = Dataset::new(x.clone(), &y, weights, Level::detect()).unwrap();
            let mut individual = linear(2);
            individual.evaluate(
                Context {
                    data: &data,
                    library: &[],
                    fit_genes: false,
                    dependent_below: 1e-10,
                },
                &mut Workspace::default(),
            );
            assert_eq!((individual.intercept, &individual.coefficients), (0.0, &vec![1.0, 1.0]));
            if data.target().norm > 0.0 {
                let want = r_squared_rest(&individual, &x, &y, weights);
                assert!((individual.unexplained - want).abs() < 1e-10);
            } else {
                assert!(individual.unexplained.is_finite());
            }
        }
    }
}

#[test]
fn data_that_cannot_be_used_is_refused_with_a_sentence() {
    let new = |x: Vec<Vec<f64>>, y: &[f64], w: Option<&[f64]>| Dataset::new(x, y, w, Level::detect()).unwrap_err().to_string();
    assert!(new(vec![], &[], None).contains("no rows"));
    assert!(new(vec![vec![1.0]], &[1.0, 2.0], None).contains("Feature 0 has 1 rows"));
    assert!(new(vec![vec![1.0, f64::NAN]], &[1.0, 2.0], None).contains("NaN in row 1"));
    assert!(new(vec![], &[1.0, f64::INFINITY], None).contains("inf in row 1"));
    assert!(new(vec![], &[1.0, 2.0], Some(&[1.0])).contains("1 row weights but 2 rows"));
    assert!(new(vec![], &[1.0, 2.0], Some(&[1.0, -1.0])).contains("not negative"));
    assert!(new(vec![], &[1.0, 2.0], Some(&[0.0, 0.0])).contains("All row weights are zero"));
    assert!(new(vec![], &[f64::MAX; 40], None).contains("too large"));
    // Their sum is 0, but their length is no double.
    let balanced: Vec<f64> = (0..32).map(|k| if k < 16 { 1e308 } else { -1e308 }).collect();
    assert!(new(vec![], &balanced, None).contains("too large"));
}

#[test]
fn what_is_known_of_other_rows_can_be_forgotten() {
    let (first, second) = (common::dataset(1, 100, 3, false), common::dataset(2, 37, 3, true));
    let (mut moved, mut fresh) = (linear(3), linear(3));
    fit_of(&mut moved, &first);
    moved.forget();
    assert!(!moved.is_evaluated());
    fit_of(&mut moved, &second);
    fit_of(&mut fresh, &second);
    assert_eq!(
        (moved.intercept, moved.coefficients, moved.unexplained),
        (fresh.intercept, fresh.coefficients, fresh.unexplained)
    );
}

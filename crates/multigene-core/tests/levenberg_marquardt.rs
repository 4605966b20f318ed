//! Second-order tuning: derivatives against finite differences, the projected equations against explicit projection,
//! convergence to known weights, and what it promises: never worse, within its limits, the same every time.
use std::sync::atomic::AtomicBool;

use multigene_core::dataset::Dataset;
use multigene_core::functions::FunctionSet;
use multigene_core::gene::{Function, Node};
use multigene_core::gradient::{Tape, Tunable};
use multigene_core::grow::{Birth, LeafFrequencies, Limits, Primitives, SlotRng, Synchronisation};
use multigene_core::individual::{Context, Gene, Individual, Workspace};
use multigene_core::operator::Operator;
use multigene_core::text;
use multigene_core::tune::jacobian::{Equations, Point, jacobian};
use multigene_core::tune::levenberg_marquardt::{
    Ending, GeneChoice, LevenbergMarquardt, Outcome, levenberg_marquardt, levenberg_marquardt_until,
};
use multigene_core::tune::linear_algebra;
use multigene_core::tune::parameters::Parameters;
use multigene_core::vector_math::Level;
use multigene_core::weights::Weights;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

/// A model of these genes, every node with a row of its own.
fn model(genes: &[&str]) -> Individual {
    let mut individual = Individual::empty(Weights::default());
    for gene in genes {
        let (nodes, weights) = text::parse(gene, &[]).expect(gene);
        let mut adopt = |node: Node| {
            node.row()
                .map_or(node, |row| node.with_row(individual.weights.push_copy(&weights, row)))
        };
        let nodes = nodes.into_iter().map(&mut adopt).collect();
        individual.genes.push(Gene::new(nodes));
    }
    individual
}

fn rng(seed: u64) -> SlotRng {
    SlotRng::seed_from_u64(seed)
}

/// Uniform features in -2..2 (the last one in 0.5..2.5) and the target made of them.
fn dataset_at(level: Level, rows: usize, features: usize, weighted: bool, seed: u64, target: impl Fn(&[f64]) -> f64) -> Dataset {
    let mut rng = rng(seed);
    let mut columns = vec![Vec::new(); features];
    let (mut targets, mut weights) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let mut x: Vec<f64> = (0..features).map(|_| rng.random::<f64>() * 4.0 - 2.0).collect();
        x[features - 1] = 0.5 + rng.random::<f64>() * 2.0;
        targets.push(target(&x));
        weights.push(rng.random::<f64>() * 3.0);
        columns.iter_mut().zip(x).for_each(|(column, x)| column.push(x));
    }
    Dataset::new(columns, &targets, weighted.then_some(&weights), level).expect("valid data")
}

fn dataset(rows: usize, features: usize, weighted: bool, seed: u64, target: impl Fn(&[f64]) -> f64) -> Dataset {
    dataset_at(Level::detect(), rows, features, weighted, seed, target)
}

fn context(data: &Dataset) -> Context<'_> {
    Context {
        data,
        library: &[],
        fit_genes: true,
    }
}

fn all_parameters(individual: &Individual) -> Parameters {
    let mut parameters = Parameters::default();
    parameters.choose(individual, GeneChoice::All, Tunable::ALL, usize::MAX, &mut rng(0));
    parameters
}

/// Sum of the genes times their present coefficients.
fn predict(individual: &Individual, data: &Dataset) -> Vec<f64> {
    individual.predict(data, &mut Workspace::default())
}

const VARIED: [&str; 4] = [
    "sin([0: 0.4 + 1.7*x0 + -0.3*x1]) * exp([1: 0.1 + -0.3*x1])",
    "weighted(0.5, 1.5, tanh(x0 * 0.7)) * x1",
    "{1.5: x2^0.5 x1^2.0} + cos(x0 + 0.3)",
    "[0: 0.2 + 0.9*x0 + 0.0*x1 + -0.4*x2] / (x2 + 1.25)",
];

#[test]
fn derivatives_equal_finite_differences() {
    for (rows, weighted) in [(37, false), (700, true), (1500, false)] {
        let data = dataset(rows, 3, weighted, 1, |x| x[0] + x[1] * x[2] + (3.0 * x[0]).sin());
        let mut individual = model(&VARIED);
        individual.evaluate(context(&data), &mut Workspace::default());
        assert!(individual.coefficients.iter().all(|&c| c != 0.0));
        let parameters = all_parameters(&individual);
        assert_eq!(parameters.len(), individual.weights.values().len());
        let point = Point {
            individual: &individual,
            parameters: &parameters,
            context: context(&data),
            tunable: Tunable::ALL,
        };
        let found = jacobian(point, &mut Tape::default());
        for (column, &place) in found.iter().zip(&parameters.places) {
            let moved = |step: f64| {
                let mut moved = individual.clone();
                moved.weights.values_mut()[place] += step;
                predict(&moved, &data)
            };
            let step = 1e-5;
            let size = column.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            for (row, (up, down)) in moved(step).iter().zip(moved(-step)).enumerate() {
                let expected = (up - down) / (2.0 * step);
                let error = (column[row] - expected).abs();
                assert!(
                    error < 1e-6 * size,
                    "weight {place}, row {row}: {} but {expected}",
                    column[row]
                );
            }
        }
    }
}

/// Columns without their parts along the earlier ones, by modified Gram–Schmidt twice over.
fn orthonormal(columns: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut column in columns {
        let before = dot(&column, &column);
        remove(&mut column, &basis);
        remove(&mut column, &basis);
        let square = dot(&column, &column);
        if square > 1e-16 * before {
            column.iter_mut().for_each(|v| *v /= square.sqrt());
            basis.push(column);
        }
    }
    basis
}

fn remove(column: &mut [f64], basis: &[Vec<f64>]) {
    for b in basis {
        let part = dot(column, b);
        column.iter_mut().zip(b).for_each(|(v, b)| *v -= part * b);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Derivatives outside the span of genes and intercept, the residual, in units of the standardised target; and the lengths of
/// the derivatives before projection, the measure of rounding.
fn explicit(individual: &Individual, parameters: &Parameters, data: &Dataset) -> (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) {
    let n = data.rows();
    let root = |k: usize| data.root_weights().map_or(1.0, |root| root[k]);
    let norm = data.target().norm;
    let mut workspace = Workspace::default();
    let mut span = vec![(0..n).map(root).collect::<Vec<f64>>()];
    for gene in 0..individual.genes.len() {
        let raw = individual.raw_column(gene, context(data), &mut workspace);
        span.push((0..n).map(|k| raw[k] * root(k)).collect());
    }
    let basis = orthonormal(span);
    let point = Point {
        individual,
        parameters,
        context: context(data),
        tunable: Tunable::ALL,
    };
    let mut columns = jacobian(point, &mut workspace.tape);
    let mut lengths = Vec::new();
    for column in &mut columns {
        column.iter_mut().enumerate().for_each(|(k, v)| *v *= root(k) / norm);
        lengths.push(dot(column, column).sqrt());
        remove(column, &basis);
        remove(column, &basis);
    }
    let mut residual = data.target().values[..n].to_vec();
    remove(&mut residual, &basis);
    remove(&mut residual, &basis);
    (columns, residual, lengths)
}

#[test]
fn equations_equal_explicit_projection() {
    for level in Level::available() {
        for (rows, weighted) in [(61, false), (61, true), (800, true), (2100, false)] {
            let data = dataset_at(level, rows, 3, weighted, 2, |x| x[0] * x[1] + x[2].ln() + (2.0 * x[0]).sin());
            let mut individual = model(&VARIED);
            let mut workspace = Workspace::default();
            individual.evaluate(context(&data), &mut workspace);
            let parameters = all_parameters(&individual);
            let point = Point {
                individual: &individual,
                parameters: &parameters,
                context: context(&data),
                tunable: Tunable::ALL,
            };
            let mut equations = Equations::default();
            equations.prepare(&parameters, context(&data));
            assert!(equations.assemble(point, &workspace.residual, &mut workspace.tape, &AtomicBool::new(false)));
            let (columns, residual, lengths) = explicit(&individual, &parameters, &data);
            for i in 0..parameters.len() {
                let descent = dot(&columns[i], &residual);
                assert!(
                    (equations.descent[i] - descent).abs() < 1e-12 * lengths[i],
                    "{level:?}, descent {i}"
                );
                for j in i..parameters.len() {
                    let curvature = dot(&columns[i], &columns[j]);
                    let error = (equations.curvature[i * equations.stride + j] - curvature).abs();
                    assert!(
                        error < 1e-12 * lengths[i] * lengths[j],
                        "{level:?}, {rows} rows, entry {i}, {j}: off by {error:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn weights_that_the_outer_coefficients_absorb_are_idle() {
    // Scale and offset of the whole gene, the scale of a product, the bias of a bare linear combination.
    let data = dataset(200, 3, true, 3, |x| x[0] * x[2]);
    let mut individual = model(&["weighted(0.5, 1.5, sin(x0))", "{1.5: x2^0.5}", "[0: 7.0 + 1.0*x0 + 1.0*x1]"]);
    let mut workspace = Workspace::default();
    individual.evaluate(context(&data), &mut workspace);
    let parameters = all_parameters(&individual);
    let point = Point {
        individual: &individual,
        parameters: &parameters,
        context: context(&data),
        tunable: Tunable::ALL,
    };
    let mut equations = Equations::default();
    equations.prepare(&parameters, context(&data));
    equations.assemble(point, &workspace.residual, &mut workspace.tape, &AtomicBool::new(false));
    // In the order of nodes and terms: a, b; scale, exponent; bias, two slopes.
    assert_eq!(equations.idle, [true, true, true, false, true, false, false]);
    let outcome = tune_with(
        &mut model(&["weighted(0.5, 1.5, sin(x0))"]),
        GeneChoice::All,
        &data,
        &LevenbergMarquardt::default(),
    );
    assert_eq!(outcome.ending, Ending::NothingToTune);
}

#[test]
fn factorisation_solves_and_refuses() {
    let (size, stride) = (13, 16);
    let mut rng = rng(4);
    let columns: Vec<Vec<f64>> = (0..size)
        .map(|_| (0..40).map(|_| rng.random::<f64>() - 0.5).collect())
        .collect();
    let columns: Vec<Vec<f64>> = columns
        .into_iter()
        .map(|c| c.iter().map(|v| v / dot(&c, &c).sqrt()).collect())
        .collect();
    let truth: Vec<f64> = (0..size).map(|_| rng.random::<f64>() - 0.5).collect();
    for level in Level::available() {
        let mut matrix = vec![0.0; size * stride];
        let mut right = vec![0.0; size];
        for i in 0..size {
            for j in 0..size {
                let entry = dot(&columns[i], &columns[j]);
                right[i] += entry * truth[j];
                if j >= i {
                    matrix[i * stride + j] = entry;
                }
            }
        }
        let mut singular = matrix.clone();
        assert!(linear_algebra::factorise(level, &mut matrix, stride, size));
        linear_algebra::solve(&matrix, stride, &mut right);
        for (found, expected) in right.iter().zip(&truth) {
            assert!((found - expected).abs() < 1e-10);
        }
        // The same column twice: no curvature along their difference.
        for i in 0..size {
            singular[i * stride + size - 1] = if i == size - 1 {
                1.0
            } else {
                singular[i.min(size - 2) * stride + size - 2]
            };
        }
        singular[(size - 2) * stride + size - 1] = 1.0;
        assert!(!linear_algebra::factorise(level, &mut singular, stride, size));
    }
}

#[test]
fn tiles_are_the_same_at_every_width_of_vectors() {
    let mut rng = rng(5);
    let columns: Vec<Vec<f64>> = (0..8).map(|_| (0..96).map(|_| rng.random::<f64>() - 0.5).collect()).collect();
    let of = |from: usize| std::array::from_fn(|i| columns[from + i].as_slice());
    for level in Level::available() {
        let tile = linear_algebra::products(level, of(0), of(4));
        for i in 0..4 {
            for j in 0..4 {
                assert!((tile[i][j] - dot(&columns[i], &columns[4 + j])).abs() < 1e-13);
            }
        }
        if level > Level::Plain {
            assert_eq!(tile, linear_algebra::products(Level::detect(), of(0), of(4)));
        }
    }
}

fn tune_with(individual: &mut Individual, genes: GeneChoice, data: &Dataset, settings: &LevenbergMarquardt) -> Outcome {
    levenberg_marquardt(
        individual,
        genes,
        context(data),
        settings,
        &mut Workspace::default(),
        &mut rng(9),
    )
}

#[test]
fn exact_laws_are_polished_to_rounding() {
    for weighted in [false, true] {
        let law = |x: &[f64]| 3.0 * (1.7 * x[0] + 0.4).sin() + 2.0 * (-0.3 * x[1] * x[1]).exp();
        let data = dataset(400, 2, weighted, 6, law);
        let mut individual = model(&["sin([0: 0.1 + 1.4*x0])", "exp(x1**2 * -0.6)"]);
        let outcome = tune_with(&mut individual, GeneChoice::All, &data, &LevenbergMarquardt::polish());
        assert!(
            individual.unexplained < 1e-28,
            "{:e} after {outcome:?}",
            individual.unexplained
        );
        let expected = [0.4, 1.7, -0.3];
        for (found, expected) in individual.weights.values().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-13, "{found} for {expected}");
        }
        assert!((individual.coefficients[0] - 3.0).abs() < 1e-12 && (individual.coefficients[1] - 2.0).abs() < 1e-12);
        assert!(individual.intercept.abs() < 1e-12);
    }
}

#[test]
fn generated_problems_converge_to_their_weights() {
    // Truth, a start nearby.
    let problems = [
        (
            vec!["tanh([0: 0.3 + 1.2*x0 + -0.8*x1])"],
            vec!["tanh([0: 0.0 + 1.0*x0 + -0.5*x1])"],
        ),
        (
            vec!["x0 / (x2 + 1.3)", "cos(x1 * 2.1)"],
            vec!["x0 / (x2 + 2.5)", "cos(x1 * 1.8)"],
        ),
        (vec!["{1.0: x2^1.5 x1^2.0} + sin(x0)"], vec!["{2.0: x2^1.0 x1^1.5} + sin(x0)"]),
        (
            vec!["exp([0: 0.0 + 0.5*x0 + 0.2*x2]) * x1", "gauss([1: 0.5 + 1.0*x1])"],
            vec!["exp([0: 0.0 + 0.1*x0 + 0.1*x2]) * x1", "gauss([1: 0.2 + 0.7*x1])"],
        ),
        (
            vec!["weighted(1.5, 0.7, sin(x0)) * x1 + x2"],
            vec!["weighted(1.0, 1.0, sin(x0)) * x1 + x2"],
        ),
    ];
    for (truth, start) in &problems {
        for weighted in [false, true] {
            let features = dataset(300, 3, false, 7, |_| 0.0);
            let mut law = model(truth);
            law.coefficients = (0..truth.len()).map(|i| 2.0 + i as f64).collect();
            law.intercept = 0.5;
            let target = predict(&law, &features);
            let columns = (0..3).map(|j| features.column(j)[..300].to_vec()).collect();
            let weights: Vec<f64> = (0..300).map(|k| 0.2 + f64::from(k % 7)).collect();
            let data = Dataset::new(columns, &target, weighted.then_some(&weights), Level::detect()).unwrap();
            let mut individual = model(start);
            let outcome = tune_with(&mut individual, GeneChoice::All, &data, &LevenbergMarquardt::polish());
            assert!(
                individual.unexplained < 1e-25,
                "{truth:?}: {:e}, {outcome:?}",
                individual.unexplained
            );
        }
    }
}

#[test]
fn one_gene_is_tuned_and_the_others_stay() {
    let data = dataset(300, 3, false, 8, |x| (1.7 * x[0]).sin() + (0.9 * x[1]).cos());
    let mut individual = model(&["sin(x0 * 1.5)", "cos(x1 * 0.8)"]);
    individual.evaluate(context(&data), &mut Workspace::default());
    let before = individual.clone();
    let outcome = tune_with(&mut individual, GeneChoice::One(1), &data, &LevenbergMarquardt::default());
    assert_eq!(outcome.parameters, 1);
    assert!(outcome.steps > 0 && individual.unexplained < before.unexplained);
    assert_eq!(individual.weights.values()[0], 1.5);
    assert!((individual.weights.values()[1] - 0.9).abs() < 0.02);
    let column = |individual: &Individual, i: usize| individual.genes[i].column.clone().unwrap();
    assert!(
        std::sync::Arc::ptr_eq(&column(&individual, 0), &column(&before, 0)),
        "the other gene is not evaluated again"
    );
}

#[test]
fn shared_rows_move_all_genes_that_use_them() {
    // Synchronised mode: two genes and two nodes of one of them use the same linear combination.
    let law = |x: &[f64]| {
        let z = 0.3 + 0.8 * x[0] - 0.4 * x[1];
        z.sin() * z + 2.0 * (-z * z).exp()
    };
    let data = dataset(300, 2, true, 10, law);
    let mut individual = Individual::empty(Weights::default());
    let row = individual.weights.push(0, [(u32::MAX, 0.1), (0, 0.7), (1, -0.3)]);
    let apply = |operator| Node::Apply(Function::Base(operator));
    let leaf = Node::Combination(row);
    individual
        .genes
        .push(Gene::new(vec![leaf, apply(Operator::Sin), leaf, apply(Operator::Mul)]));
    individual.genes.push(Gene::new(vec![leaf, apply(Operator::Gauss)]));
    for choice in [GeneChoice::One(0), GeneChoice::One(1), GeneChoice::All] {
        let mut tuned = individual.clone();
        let outcome = tune_with(&mut tuned, choice, &data, &LevenbergMarquardt::polish());
        assert_eq!(outcome.parameters, 3);
        assert!(tuned.unexplained < 1e-25, "{choice:?}: {:e}, {outcome:?}", tuned.unexplained);
    }
}

#[test]
fn models_without_outer_coefficients_are_tuned_too() {
    let data = dataset(300, 2, true, 11, |x| 2.5 * (1.3 * x[0]).sin() + 1.5 + 0.5 * x[1]);
    let mut individual = model(&["weighted(1.0, 2.0, sin(x0 * 1.1))", "x1 * 0.2"]);
    let context = Context {
        fit_genes: false,
        ..context(&data)
    };
    let (settings, mut workspace) = (LevenbergMarquardt::polish(), Workspace::default());
    let outcome = levenberg_marquardt(
        &mut individual,
        GeneChoice::All,
        context,
        &settings,
        &mut workspace,
        &mut rng(0),
    );
    assert!(individual.unexplained < 1e-25, "{:e}, {outcome:?}", individual.unexplained);
    assert_eq!(individual.coefficients, [1.0, 1.0]);
}

#[test]
fn decay_prefers_small_slopes() {
    // x1 is nearly x0, so the slopes are free along their difference.
    let mut rng = rng(12);
    let x0: Vec<f64> = (0..300).map(|_| rng.random::<f64>() * 4.0 - 2.0).collect();
    let x1: Vec<f64> = x0.iter().map(|x| x + 0.005 * (rng.random::<f64>() - 0.5)).collect();
    let target: Vec<f64> = x0
        .iter()
        .map(|x| (1.2 * x).tanh() + 0.3 * (rng.random::<f64>() - 0.5))
        .collect();
    let data = Dataset::new(vec![x0, x1], &target, None, Level::detect()).unwrap();
    let tuned = |decay: f64| {
        let mut individual = model(&["tanh([0: 0.1 + 4.0*x0 + -3.0*x1])"]);
        let settings = LevenbergMarquardt {
            decay,
            ..LevenbergMarquardt::polish()
        };
        tune_with(&mut individual, GeneChoice::All, &data, &settings);
        let squares: f64 = individual.weights.values()[1..].iter().map(|w| w * w).sum();
        (individual.unexplained, squares)
    };
    let (free, decayed, strong) = (tuned(0.0), tuned(1e-3), tuned(1e-1));
    assert!(
        free.0 <= decayed.0 && decayed.0 <= strong.0,
        "{free:?} {decayed:?} {strong:?}"
    );
    assert!(
        strong.1 < decayed.1 && decayed.1 < 0.5 * free.1,
        "{free:?} {decayed:?} {strong:?}"
    );
    assert!(decayed.0 < 1.05 * free.0);
    // The stationary point of error · (1 + decay · Σ w²) is at least as good as where either weight is a little different.
    let mut individual = model(&["tanh([0: 0.1 + 4.0*x0 + -3.0*x1])"]);
    let settings = LevenbergMarquardt {
        decay: 1e-2,
        ..LevenbergMarquardt::polish()
    };
    tune_with(&mut individual, GeneChoice::All, &data, &settings);
    let objective = |step: [f64; 2]| {
        let mut moved = individual.clone();
        moved.weights.values_mut()[1] += step[0];
        moved.weights.values_mut()[2] += step[1];
        moved.touch(0);
        moved.evaluate(context(&data), &mut Workspace::default());
        moved.unexplained * (1.0 + 1e-2 * moved.weights.values()[1..].iter().map(|w| w * w).sum::<f64>())
    };
    for step in [
        [1e-3, 0.0],
        [-1e-3, 0.0],
        [0.0, 1e-3],
        [0.0, -1e-3],
        [1e-3, -1e-3],
        [-1e-3, 1e-3],
    ] {
        assert!(objective(step) > objective([0.0, 0.0]), "{step:?}");
    }
}

#[test]
fn decay_leaves_no_floor_on_exact_data() {
    let data = dataset(300, 2, false, 13, |x| (1.7 * x[0] + 0.4 - 0.6 * x[1]).sin());
    let mut individual = model(&["sin([0: 0.2 + 1.5*x0 + -0.5*x1])"]);
    let settings = LevenbergMarquardt {
        decay: 1e-4,
        ..LevenbergMarquardt::polish()
    };
    tune_with(&mut individual, GeneChoice::All, &data, &settings);
    assert!(individual.unexplained < 1e-25, "{:e}", individual.unexplained);
}

#[test]
fn weights_stay_within_the_bound() {
    let data = dataset(300, 2, false, 14, |x| (7.0 * x[0]).tanh() + (3.0 * x[1]).tanh());
    let tuned = |bound: f64, start: [&str; 2]| {
        let mut individual = model(&start);
        tune_with(
            &mut individual,
            GeneChoice::All,
            &data,
            &LevenbergMarquardt {
                bound,
                ..LevenbergMarquardt::polish()
            },
        );
        individual
    };
    let near = ["tanh(x0 * 4.0)", "tanh(x1 * 2.0)"];
    let free = tuned(f64::INFINITY, near);
    assert!((free.weights.values()[0] - 7.0).abs() < 1e-9);
    let bounded = tuned(5.0, near);
    assert_eq!(bounded.weights.values()[0], 5.0, "held at the bound");
    // The other weight goes on to where it is best with the first held.
    let mut other = model(&["tanh(x0 * 5.0)", "tanh(x1 * 2.0)"]);
    tune_with(&mut other, GeneChoice::One(1), &data, &LevenbergMarquardt::polish());
    let (found, expected) = (bounded.weights.values()[1], other.weights.values()[1]);
    assert!((found - expected).abs() < 1e-6, "{found}, {expected}");
    // What starts outside comes back, and does not go out again.
    let mut outside = model(&["tanh(x0 * 9.0)", "tanh(x1 * 6.0)"]);
    let settings = LevenbergMarquardt {
        bound: 5.0,
        ..LevenbergMarquardt::polish()
    };
    let outcome = tune_with(&mut outside, GeneChoice::One(1), &data, &settings);
    assert!(outside.weights.values()[1].abs() < 4.0, "{outcome:?}");
}

#[test]
fn races_and_iterations_end_tuning() {
    let data = dataset(300, 2, false, 15, |x| (1.7 * x[0] + 0.4).sin() + 0.2 * x[1].powi(3));
    let start = ["sin([0: 0.9 + 1.1*x0])"];
    let tuned = |settings: LevenbergMarquardt| {
        let mut individual = model(&start);
        let outcome = tune_with(&mut individual, GeneChoice::One(0), &data, &settings);
        (individual, outcome)
    };
    let usual = LevenbergMarquardt::default();
    let (one, raced) = tuned(LevenbergMarquardt {
        race: Some(1e-6),
        ..usual
    });
    assert_eq!((raced.ending, raced.steps), (Ending::Raced, 1));
    let (two, capped) = tuned(LevenbergMarquardt {
        max_iterations: 1,
        ..usual
    });
    assert_eq!((capped.ending, capped.steps), (Ending::OutOfIterations, 1));
    assert_eq!(one.weights, two.weights);
    let (full, converged) = tuned(LevenbergMarquardt {
        race: Some(1.0),
        max_iterations: 50,
        ..usual
    });
    assert_eq!(converged.ending, Ending::Converged);
    assert!(converged.steps > 1 && full.unexplained < one.unexplained);
    let (again, idle) = {
        let mut again = full.clone();
        let outcome = tune_with(&mut again, GeneChoice::One(0), &data, &usual);
        (again, outcome)
    };
    assert_eq!(
        (idle.ending, idle.steps, idle.evaluations),
        (Ending::Converged, 0, 0),
        "what is tuned is left alone"
    );
    assert_eq!(again.weights, full.weights);
}

#[test]
fn stops_when_told() {
    let data = dataset(300, 2, false, 16, |x| (1.7 * x[0]).sin());
    let mut individual = model(&["sin(x0 * 1.5)"]);
    let stop = AtomicBool::new(true);
    let (settings, mut workspace) = (LevenbergMarquardt::default(), Workspace::default());
    let outcome = levenberg_marquardt_until(
        &mut individual,
        GeneChoice::All,
        context(&data),
        &settings,
        &mut workspace,
        &mut rng(0),
        &stop,
    );
    assert_eq!(outcome.ending, Ending::Interrupted);
    assert_eq!(individual.weights.values(), [1.5]);
    assert!(individual.is_evaluated());
}

#[test]
fn unfit_and_weightless_models_are_left_alone() {
    let data = dataset(100, 2, false, 17, |x| x[0]);
    let mut unfit = model(&["log(x0 * 2.0)"]);
    assert_eq!(
        tune_with(&mut unfit, GeneChoice::All, &data, &LevenbergMarquardt::default()).ending,
        Ending::Unfit
    );
    let mut weightless = model(&["sin(x0)"]);
    assert_eq!(
        tune_with(&mut weightless, GeneChoice::All, &data, &LevenbergMarquardt::default()).ending,
        Ending::NothingToTune
    );
    // A derivative that is infinite somewhere moves nothing, and does not keep other weights from moving.
    let columns = vec![vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]];
    let target = [0.0, 1.1, 1.4, 1.7, 2.1, 2.2, 2.6, 2.0];
    let data = Dataset::new(columns, &target, None, Level::detect()).unwrap();
    let mut individual = model(&["sqrt([0: 0.0 + 1.0*x0]) + sin(x0 * 0.9)"]);
    let outcome = tune_with(&mut individual, GeneChoice::All, &data, &LevenbergMarquardt::polish());
    assert_eq!(individual.weights.values()[..1], [0.0]);
    assert!(outcome.steps > 0 && individual.weights.values()[2] != 0.9, "{outcome:?}");
    assert!(individual.unexplained.is_finite());
}

#[test]
fn at_most_so_many_weights_of_whole_nodes() {
    let gene = (0..30)
        .map(|i| format!("sin([0: 0.{i} + 1.1*x0 + 0.{i}*x1 + 0.2*x2])"))
        .collect::<Vec<_>>()
        .join(" + ");
    let data = dataset(200, 3, false, 18, |x| x[0] * x[1] + x[2]);
    let mut individual = model(&[&gene]);
    individual.evaluate(context(&data), &mut Workspace::default());
    let chosen = |most: usize, seed: u64| {
        let mut parameters = Parameters::default();
        parameters.choose(&individual, GeneChoice::One(0), Tunable::ALL, most, &mut rng(seed));
        parameters.places
    };
    assert_eq!(chosen(200, 0).len(), 120);
    assert_eq!(chosen(120, 0), (0..120).collect::<Vec<_>>());
    let some = chosen(42, 0);
    assert_eq!(some.len(), 40, "ten nodes of four weights");
    assert!(
        some.chunks(4)
            .all(|row| row[0] % 4 == 0 && row.windows(2).all(|pair| pair[1] == pair[0] + 1))
    );
    assert_ne!(some, chosen(42, 1), "which nodes is drawn");
    assert_eq!(
        chosen(3, 0).len(),
        3,
        "a node with more weights than allowed is tuned in part"
    );
    assert!(chosen(0, 0).is_empty());
    let before = individual.weights.values().to_vec();
    let settings = LevenbergMarquardt {
        max_parameters: 42,
        ..LevenbergMarquardt::default()
    };
    let outcome = tune_with(&mut individual, GeneChoice::One(0), &data, &settings);
    let moved = before.iter().zip(individual.weights.values()).filter(|(a, b)| a != b).count();
    assert!(
        outcome.parameters == 40 && outcome.steps > 0 && moved <= 40 && moved > 20,
        "{outcome:?}, {moved} moved"
    );
}

#[test]
fn large_data_is_taken_in_windows() {
    // More rows than a window holds must give the step of one window.
    let law = |x: &[f64]| (1.7 * x[0] + 0.4).sin() + x[1] * x[2];
    let data = dataset(5000, 3, true, 19, law);
    let mut individual = model(&["sin([0: 0.2 + 1.5*x0])", "x1 * x2"]);
    tune_with(&mut individual, GeneChoice::All, &data, &LevenbergMarquardt::polish());
    assert!(individual.unexplained < 1e-25, "{:e}", individual.unexplained);
}

#[test]
fn large_offsets_do_not_spoil_the_step() {
    // Years, as they come: derivatives have means far above their spread.
    let mut rng = rng(20);
    let x: Vec<f64> = (0..2000).map(|_| 2000.0 + 10.0 * rng.random::<f64>()).collect();
    let target: Vec<f64> = x.iter().map(|x| (0.9 * (x - 2005.0)).sin() + 1e-3 * x).collect();
    let data = Dataset::new(vec![x], &target, None, Level::detect()).unwrap();
    let mut individual = model(&["sin([0: -1604.2 + 0.8*x0])", "x0"]);
    let outcome = tune_with(&mut individual, GeneChoice::All, &data, &LevenbergMarquardt::polish());
    assert!(individual.unexplained < 1e-20, "{:e}, {outcome:?}", individual.unexplained);
}

fn primitives(features: usize, product: f64) -> Primitives {
    let functions: Vec<Function> = Operator::PAPER
        .iter()
        .chain(&[Operator::Div, Operator::Log, Operator::Sqrt, Operator::Inv])
        .map(|&o| Function::Base(o))
        .collect();
    Primitives {
        functions: FunctionSet {
            frequencies: vec![1.0; functions.len()],
            functions,
            library: Vec::new(),
        },
        n_features: features,
        leaves: LeafFrequencies {
            variable: 2.0,
            combination: 4.0,
            product,
            constant: 1.0,
        },
        constants: (-10.0, 10.0),
        birth: Birth::Sparse(0.5),
        synchronisation: Synchronisation::Unsynchronised,
        weighted: 0.2,
        initial_depth: 5,
        mutation_depth: 4,
        limits: Limits {
            max_genes: 4,
            max_nodes: 30,
            max_depth: 6,
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn never_worse_and_always_finite(
        seed in any::<u64>(), slot in 0usize..20, rows in 3usize..600, weighted in any::<bool>(), all in any::<bool>(),
        fit_genes in any::<bool>(), decay in prop_oneof![Just(0.0), Just(1e-4)], bound in prop_oneof![Just(f64::INFINITY), Just(12.0)],
    ) {
        let data = dataset(rows, 3, weighted, seed, |x| (x[0] * 2.0).sin() + x[1] * x[2] + x[2].sqrt());
        let context = Context { fit_genes, ..context(&data) };
        let mut workspace = Workspace::default();
        let mut individual = primitives(3, 1.0).individual(slot, &mut rng(seed));
        individual.evaluate(context, &mut workspace);
        let before = individual.clone();
        let genes = if all { GeneChoice::All } else { GeneChoice::One(seed as usize % individual.genes.len()) };
        let settings = LevenbergMarquardt { decay, bound, max_parameters: 24, ..LevenbergMarquardt::default() };
        let tune = |individual: &mut Individual, workspace: &mut Workspace| {
            levenberg_marquardt(individual, genes, context, &settings, workspace, &mut rng(seed))
        };
        // The same whatever the buffers held before, and whatever was cached.
        let mut twin = individual.detach(&[]);
        let outcome = tune(&mut individual, &mut workspace);
        let residual = workspace.residual.clone();
        prop_assert_eq!(outcome, tune(&mut twin, &mut Workspace::default()));
        prop_assert_eq!(individual.unexplained.to_bits(), twin.unexplained.to_bits());

        if outcome.ending == Ending::Unfit {
            prop_assert!(before.unexplained.is_infinite());
            return Ok(());
        }
        prop_assert!(individual.weights.values().iter().all(|w| w.is_finite()));
        prop_assert!(individual.coefficients.iter().all(|c| c.is_finite()) && individual.intercept.is_finite());
        let grown = before.weights.values().iter().zip(individual.weights.values()).any(|(a, b)| b.abs() > a.abs().max(bound));
        prop_assert!(!grown, "a weight beyond the bound");
        let slack = if decay > 0.0 { 1.0 + decay * before.weights.values().iter().map(|w| w * w).sum::<f64>() } else { 1.0 };
        prop_assert!(individual.unexplained <= before.unexplained * slack, "{} after {}", individual.unexplained, before.unexplained);
        if outcome.steps == 0 {
            prop_assert_eq!(&individual.weights, &before.weights);
        }
        // What is left behind is what evaluating anew gives.
        let mut anew = individual.detach(&[]);
        anew.evaluate(context, &mut workspace);
        prop_assert_eq!(anew.unexplained.to_bits(), individual.unexplained.to_bits());
        prop_assert_eq!(&anew.coefficients, &individual.coefficients);
        if fit_genes {
            prop_assert_eq!(&anew.gram, &individual.gram);
        }
        prop_assert_eq!(&residual, &workspace.residual);
    }
}

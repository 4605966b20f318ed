//! Derivatives and normal equations against slow, explicit computations.
use super::*;

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

/// The normal equations of an individual that was just evaluated.
fn assembled(individual: &Individual, parameters: &Parameters, data: &Dataset, workspace: &mut Workspace) -> Equations {
    let point = Point {
        individual,
        parameters,
        context: context(data),
        tunable: Tunable::ALL,
    };
    let mut equations = Equations::default();
    equations.prepare(parameters, context(data));
    assert!(equations.assemble(point, workspace, &AtomicBool::new(false)));
    equations
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
            let equations = assembled(&individual, &parameters, &data, &mut workspace);
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
    let equations = assembled(&individual, &parameters, &data, &mut workspace);
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

//! Losses other than squared error, through the seam that they share with it: outer fit, derivatives, tuning.
//!
//! Every loss that users name is checked row by row; fit and tuning with Huber's, the logistic one and Poisson's.
mod common;

use std::sync::Arc;

use common::{below, of_texts, rng, uniform};
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::evaluate::gradient::Tunable;
use multigene_core::evaluate::loss::{Loss, named};
use multigene_core::evaluate::losses::{Gamma, Huber, Logistic, Poisson, Quantile, Relative};
use multigene_core::evaluate::outer_fit::{Context, Workspace};
use multigene_core::tree::individual::Individual;
use multigene_core::tune::gradient;
use multigene_core::tune::levenberg_marquardt::{GeneChoice, LevenbergMarquardt, levenberg_marquardt};
use multigene_core::vector_math::Level;

/// (y − p)², as any other loss.
#[derive(Debug)]
struct Squared;

impl Loss for Squared {
    fn value(&self, y: f64, p: f64) -> f64 {
        (y - p).powi(2)
    }
    fn working(&self, y: f64, _: f64) -> (f64, f64) {
        (1.0, y)
    }
    fn constant(&self, y: &[f64], weights: &[f64]) -> f64 {
        y.iter().zip(weights).map(|(y, w)| y * w).sum::<f64>() / weights.iter().sum::<f64>()
    }
}

struct Rows {
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl Rows {
    /// Three features; a linear target with outliers, or classes by its sign.
    fn new(seed: u64, n: usize, classes: bool, weighted: bool) -> Self {
        let rng = &mut rng(seed);
        let x: Vec<Vec<f64>> = (0..3).map(|_| (0..n).map(|_| uniform(rng, -2.0, 2.0)).collect()).collect();
        let mut target = |k: usize| {
            let linear = 0.7 + 1.3 * x[0][k] - 0.8 * x[1][k] + 0.2 * (2.0 * x[2][k]).sin() + uniform(rng, -1.5, 1.5);
            if classes {
                return f64::from(u8::from(linear > 0.0));
            }
            linear + if k.is_multiple_of(11) { 25.0 } else { 0.0 }
        };
        let y = (0..n).map(&mut target).collect();
        let weights = weighted.then(|| (0..n).map(|_| below(rng, 4) as f64).collect());
        Self { x, y, weights }
    }

    fn data(&self) -> Dataset {
        Dataset::new(self.x.clone(), &self.y, self.weights.as_deref(), Level::detect()).unwrap()
    }

    fn with(&self, loss: impl Loss + 'static) -> Dataset {
        self.data().with_loss(Some(Arc::new(loss)), &self.y).unwrap()
    }

    fn weight(&self, k: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[k])
    }

    /// Σ weight·loss at coefficients of 1, x0, x1, x2.
    fn total(&self, loss: &dyn Loss, c: &[f64; 4]) -> f64 {
        let p = |k: usize| c[0] + (0..3).map(|j| c[j + 1] * self.x[j][k]).sum::<f64>();
        (0..self.y.len()).map(|k| self.weight(k) * loss.value(self.y[k], p(k))).sum()
    }

    /// An independent solution: Newton's method on numerical derivatives, with step halving.
    fn newton(&self, loss: &dyn Loss) -> [f64; 4] {
        let mut c = [0.0; 4];
        for _ in 0..60 {
            let h = 1e-4;
            let at = |moves: &[(usize, f64)]| {
                let mut moved = c;
                moves.iter().for_each(|&(i, by)| moved[i] += by);
                self.total(loss, &moved)
            };
            let gradient: [f64; 4] = std::array::from_fn(|i| (at(&[(i, h)]) - at(&[(i, -h)])) / (2.0 * h));
            let second = |i: usize, j: usize| {
                (at(&[(i, h), (j, h)]) - at(&[(i, h), (j, -h)]) - at(&[(i, -h), (j, h)]) + at(&[(i, -h), (j, -h)]))
                    / (4.0 * h * h)
            };
            let step = eliminated(std::array::from_fn(|i| std::array::from_fn(|j| second(i, j))), gradient);
            let before = self.total(loss, &c);
            let mut share = 1.0;
            let next = |share: f64| -> [f64; 4] { std::array::from_fn(|i| c[i] - share * step[i]) };
            while self.total(loss, &next(share)) > before && share > 1e-6 {
                share *= 0.5;
            }
            c = next(share);
        }
        c
    }
}

/// Gaussian elimination with pivoting.
fn eliminated(mut a: [[f64; 4]; 4], mut b: [f64; 4]) -> [f64; 4] {
    for k in 0..4 {
        let pivot = (k..4).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..4 {
            let factor = a[i][k] / a[k][k];
            let row = a[k];
            a[i].iter_mut().zip(row).for_each(|(entry, above)| *entry -= factor * above);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..4).rev() {
        let sum: f64 = (k + 1..4).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    b
}

fn linear() -> Individual {
    of_texts(&["x0".into(), "x1".into(), "x2".into()])
}

fn curved() -> Individual {
    of_texts(&[
        "sin([0: 0.3 + 1.1*x0 + -0.4*x1])".into(),
        "tanh([1: 0.1 + 0.9*x1 + 0.5*x2]) * x0".into(),
        "x1".into(),
    ])
}

fn evaluated(mut individual: Individual, data: &Dataset) -> (Individual, Workspace) {
    let mut workspace = Workspace::default();
    individual.evaluate(Context::of(data), &mut workspace);
    (individual, workspace)
}

#[test]
fn linear_genes_have_the_coefficients_of_an_independent_solution() {
    for (seed, classes, weighted) in [(1, false, false), (2, false, true), (3, true, false), (4, true, true)] {
        let rows = Rows::new(seed, 220, classes, weighted);
        let (data, loss): (Dataset, &dyn Loss) = if classes {
            (rows.with(Logistic), &Logistic)
        } else {
            (rows.with(Huber(1.0)), &Huber(1.0))
        };
        let (model, _) = evaluated(linear(), &data);
        let expected = rows.newton(loss);
        let got = [
            model.intercept,
            model.coefficients[0],
            model.coefficients[1],
            model.coefficients[2],
        ];
        let (best, found) = (rows.total(loss, &expected), rows.total(loss, &got));
        assert!(found <= best * (1.0 + 1e-9), "seed {seed}: {found} but {best} is possible");
        for (got, expected) in got.iter().zip(expected) {
            assert!(
                (got - expected).abs() < 1e-4,
                "seed {seed}: {got} but {expected} by Newton's method"
            );
        }
        // R² is the share of the best constant's loss that is explained.
        let y: Vec<f64> = rows.y.clone();
        let weights: Vec<f64> = (0..y.len()).map(|k| rows.weight(k)).collect();
        let null = rows.total(loss, &[loss.constant(&y, &weights), 0.0, 0.0, 0.0]);
        assert!((model.unexplained - found / null).abs() < 1e-9);
    }
}

/// Each loss with targets that it knows.
fn table() -> Vec<(Box<dyn Loss>, [f64; 3])> {
    vec![
        (Box::new(Huber(0.7)), [-1.0, 0.2, 3.0]),
        (Box::new(Quantile { level: 0.9, near: 1e-3 }), [-1.0, 0.2, 3.0]),
        (Box::new(Quantile { level: 0.5, near: 0.5 }), [-1.0, 0.2, 3.0]),
        (Box::new(Relative), [0.1, 1.0, 30.0]),
        (Box::new(Poisson), [0.0, 1.0, 17.0]),
        (Box::new(Gamma), [0.1, 1.0, 17.0]),
        (Box::new(Logistic), [0.0, 0.3, 1.0]),
    ]
}

#[test]
fn working_squares_have_the_slope_of_the_loss_and_no_less_curvature() {
    for (loss, targets) in table() {
        for y in targets {
            for p in [-1.9, -0.31, 0.043, 0.9, 2.3] {
                let (at, h) = (|p: f64| loss.value(y, p), 1e-5);
                assert!(at(p) >= 0.0, "{loss:?} at {y}, {p} is negative");
                let slope = (at(p + h) - at(p - h)) / (2.0 * h);
                let (w, z) = loss.working(y, p);
                assert!(w > 0.0);
                let found = -2.0 * w * (z - p);
                assert!(
                    (found - slope).abs() < 1e-5 * (1.0 + slope.abs()),
                    "{loss:?} at {y}, {p}: {found} but {slope}"
                );
                let h = 1e-3;
                let curvature = (at(p + h) - 2.0 * at(p) + at(p - h)) / (h * h);
                let smooth = !matches!(format!("{loss:?}").as_str(), text if text.contains("0.001"));
                assert!(
                    !smooth || 2.0 * w >= curvature * (1.0 - 1e-3) - 1e-3,
                    "{loss:?} at {y}, {p}: {w} but {curvature}"
                );
            }
        }
    }
}

#[test]
fn the_best_constant_is_no_worse_than_its_neighbours() {
    for (loss, targets) in table() {
        let (y, weights) = ([targets[0], targets[1], targets[1], targets[2]], [1.0, 2.0, 0.5, 1.5]);
        let best = loss.constant(&y, &weights);
        let at = |p: f64| loss.total(&y, &weights, &[p; 4]);
        for by in [-0.5, -1e-2, 1e-2, 0.5] {
            assert!(
                at(best) <= at(best + by) * (1.0 + 1e-3),
                "{loss:?}: {best} but {by} further is better"
            );
        }
    }
}

#[test]
fn squared_error_as_a_loss_is_squared_error() {
    for weighted in [false, true] {
        let rows = Rows::new(7, 150, false, weighted);
        let (plain, seam) = (rows.data(), rows.with(Squared));
        for model in [linear(), curved()] {
            let (direct, mut by_rows) = evaluated(model.clone(), &plain);
            let (other, mut by_loss) = evaluated(model, &seam);
            assert!((direct.unexplained - other.unexplained).abs() < 1e-12);
            let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + a.abs());
            assert!(close(direct.intercept, other.intercept));
            assert!(
                direct
                    .coefficients
                    .iter()
                    .zip(&other.coefficients)
                    .all(|(a, b)| close(*a, *b))
            );
            gradient(&direct, Context::of(&plain), Tunable::ALL, &mut by_rows);
            gradient(&other, Context::of(&seam), Tunable::ALL, &mut by_loss);
            assert!(by_rows.gradient.iter().zip(&by_loss.gradient).all(|(a, b)| close(*a, *b)));
        }
    }
}

#[test]
fn derivatives_are_those_of_the_loss() {
    for (classes, fit_genes) in [(false, true), (true, true), (true, false)] {
        let rows = Rows::new(11, 180, classes, true);
        let data = if classes { rows.with(Logistic) } else { rows.with(Huber(1.0)) };
        let context = Context {
            fit_genes,
            dependent_below: 1e-10,
            ..Context::of(&data)
        };
        let mut workspace = Workspace::default();
        let mut model = curved();
        model.evaluate(context, &mut workspace);
        gradient(&model, context, Tunable::ALL, &mut workspace);
        let found = workspace.gradient.clone();
        for (place, slope) in found.iter().enumerate() {
            let at = |h: f64| {
                let mut moved = model.clone();
                moved.weights.values_mut()[place] += h;
                moved.forget();
                moved.evaluate(context, &mut Workspace::default());
                moved.unexplained
            };
            let expected = 0.5 * (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!(
                (slope - expected).abs() < 1e-6,
                "weight {place}: {slope} but {expected} by differences"
            );
        }
    }
}

#[test]
fn tuning_lowers_the_loss_to_where_its_derivatives_vanish() {
    for classes in [false, true] {
        let rows = Rows::new(13, 300, classes, true);
        let data = if classes { rows.with(Logistic) } else { rows.with(Huber(1.0)) };
        let (context, mut workspace) = (Context::of(&data), Workspace::default());
        let mut model = curved();
        model.evaluate(context, &mut workspace);
        let before = model.unexplained;
        let steepest = |workspace: &Workspace| workspace.gradient.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
        gradient(&model, context, Tunable::ALL, &mut workspace);
        let at_first = steepest(&workspace);
        let settings = LevenbergMarquardt::polish();
        levenberg_marquardt(&mut model, GeneChoice::All, context, &settings, &mut workspace, &mut rng(1));
        assert!(model.unexplained < before - 1e-3, "{before} → {}", model.unexplained);
        gradient(&model, context, Tunable::ALL, &mut workspace);
        let left = steepest(&workspace);
        assert!(left < 1e-3 * at_first, "a derivative of {left} is left of {at_first}");
    }
}

#[test]
fn whole_weights_count_rows() {
    let rows = Rows::new(17, 90, true, true);
    let weights = rows.weights.clone().unwrap();
    let repeated = |column: &[f64]| -> Vec<f64> {
        let copies = column.iter().zip(&weights);
        copies.flat_map(|(x, w)| std::iter::repeat_n(*x, *w as usize)).collect()
    };
    let twice = Rows {
        x: rows.x.iter().map(|column| repeated(column)).collect(),
        y: repeated(&rows.y),
        weights: None,
    };
    let (a, _) = evaluated(curved(), &rows.with(Logistic));
    let (b, _) = evaluated(curved(), &twice.with(Logistic));
    assert!((a.unexplained - b.unexplained).abs() < 1e-9);
    assert!((a.intercept - b.intercept).abs() < 1e-6);
}

#[test]
fn what_a_loss_does_not_know_is_refused_or_unfit() {
    assert!(named("squared", &[]).unwrap().is_none());
    assert!(named("sinister", &[]).is_err());
    let rows = Rows::new(19, 50, true, false);
    // One class alone: its best constant is infinite.
    let alone = Rows {
        y: vec![1.0; 50],
        x: rows.x.clone(),
        weights: None,
    };
    let refused = alone.data().with_loss(Some(Arc::new(Logistic)), &alone.y);
    assert!(refused.unwrap_err().to_string().contains("Logistic"));
    let fixed = rows.data().with_fixed(vec![rows.x[0].clone()]).unwrap();
    assert!(fixed.with_loss(Some(Arc::new(Huber(1.0))), &rows.y).is_err());
    let (unfit, _) = evaluated(of_texts(&["log(x0)".into()]), &rows.with(Logistic));
    assert!(unfit.unexplained.is_infinite());
}

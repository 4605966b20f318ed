//! Iteratively reweighted least squares: any loss as a sequence of weighted squared errors, each solved as squared error is.
//!
//! In come standardised columns and a loss; out go outer coefficients of least loss and the last of the weighted squared errors,
//! which has the loss's own derivatives at that point. Tuning works on it as it does on squared error.
use std::sync::Arc;

use crate::evaluate::column::Column;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::least_squares::{Gram, PIVOT, solve};
use crate::evaluate::loss::Objective;
use crate::tree::individual::Individual;

/// At most this many reweightings: separable classes have no finite best coefficients.
const REWEIGHTINGS: usize = 50;
/// In a population, where coefficients begin with those of a similar model and the next tuning goes on from them: at most this
/// many, and no further one after a gain below this share of the loss. Exact ones in every evaluation took three quarters of a
/// search by absolute error and found nothing better.
const ROUGHLY: (usize, f64) = (6, 1e-3);
/// A step that raises the loss is halved so often before it is given up.
const HALVINGS: usize = 20;

/// A weighted squared error that looks like the loss at given predictions.
#[derive(Clone, Debug)]
pub struct Working {
    /// The same features with working responses and weights.
    pub data: Dataset,
    /// The genes' columns, standardised by the working weights.
    columns: Vec<Arc<Column>>,
    gram: Gram,
}

/// Where the search for coefficients begins: those of a similar model.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// c1 … ck.
    pub coefficients: &'a [f64],
    /// c0.
    pub intercept: f64,
}

/// Outer coefficients and what they predict.
#[derive(Clone, Debug)]
pub struct OuterFit {
    /// c1 … ck.
    pub coefficients: Vec<f64>,
    /// c0.
    pub intercept: f64,
    /// One prediction per row.
    pub prediction: Vec<f64>,
    /// Share of the best constant's loss that is left.
    pub unexplained: f64,
}

impl OuterFit {
    /// Predictions of these coefficients on raw columns.
    fn new(coefficients: Vec<f64>, intercept: f64, raw: &[Vec<f64>], objective: &Objective) -> Self {
        let mut prediction = vec![intercept; objective.y.len()];
        for (&c, column) in coefficients.iter().zip(raw).filter(|&(&c, _)| c != 0.0) {
            prediction.iter_mut().zip(column).for_each(|(p, x)| *p += c * x);
        }
        let unexplained = objective.unexplained(&prediction);
        Self {
            coefficients,
            intercept,
            prediction,
            unexplained,
        }
    }

    /// Half-way between two fits.
    fn between(&self, other: &Self, raw: &[Vec<f64>], objective: &Objective) -> Self {
        let mean = |(a, b): (&f64, &f64)| 0.5 * (a + b);
        let coefficients = self.coefficients.iter().zip(&other.coefficients).map(mean).collect();
        Self::new(coefficients, 0.5 * (self.intercept + other.intercept), raw, objective)
    }
}

/// The coefficients of least loss, beginning with those given or with the best constant, whichever is better; None where a value
/// is not finite. `roughly` is enough in a population.
pub fn fit(
    columns: &[&Column],
    data: &Dataset,
    objective: &Objective,
    start: Start,
    roughly: bool,
) -> Option<(OuterFit, Working)> {
    let (most, least_gain) = if roughly {
        ROUGHLY
    } else {
        (REWEIGHTINGS, objective.loss.gain())
    };
    let raw: Vec<Vec<f64>> = columns.iter().map(|column| data.raw(column)).collect();
    let mut best = OuterFit::new(vec![0.0; raw.len()], objective.constant, &raw, objective);
    if start.coefficients.len() == raw.len() && start.coefficients.iter().any(|&c| c != 0.0) {
        let given = OuterFit::new(start.coefficients.to_vec(), start.intercept, &raw, objective);
        if given.unexplained < best.unexplained {
            best = given;
        }
    }
    for _ in 0..most {
        let working = Working::at(&best.prediction, &raw, data, objective)?;
        let (coefficients, intercept) = working.solve();
        let mut step = OuterFit::new(coefficients, intercept, &raw, objective);
        for _ in 0..HALVINGS {
            if step.unexplained <= best.unexplained {
                break;
            }
            step = best.between(&step, &raw, objective);
        }
        let gain = best.unexplained - step.unexplained;
        if gain >= 0.0 {
            best = step;
        }
        if gain.is_nan() || gain <= least_gain * best.unexplained {
            break;
        }
    }
    let working = Working::at(&best.prediction, &raw, data, objective)?;
    Some((best, working))
}

/// Genes added up as they are.
pub fn add_up(columns: &[&Column], data: &Dataset, objective: &Objective) -> Option<(OuterFit, Working)> {
    let raw: Vec<Vec<f64>> = columns.iter().map(|column| data.raw(column)).collect();
    let sum = OuterFit::new(vec![1.0; raw.len()], 0.0, &raw, objective);
    let working = Working::at(&sum.prediction, &raw, data, objective)?;
    Some((sum, working))
}

impl Working {
    fn at(prediction: &[f64], raw: &[Vec<f64>], data: &Dataset, objective: &Objective) -> Option<Self> {
        let Objective {
            loss, y, weights, scale, ..
        } = objective;
        let (weights, response) = loss.working_rows(y, weights, prediction);
        let data = data.reweighted(&weights, &response, *scale)?;
        let columns: Option<Vec<Arc<Column>>> = raw
            .iter()
            .map(|column| data.standardise(data.padded_rows(column)).map(Arc::new))
            .collect();
        Some(Self {
            gram: Gram::unknown(raw.len()),
            columns: columns?,
            data,
        })
    }

    /// Coefficients and intercept of the weighted least squares.
    fn solve(&self) -> (Vec<f64>, f64) {
        let columns: Vec<&Column> = self.columns.iter().map(Arc::as_ref).collect();
        let mut gram = self.gram.clone();
        gram.complete(&columns, &self.data);
        let fit = solve(&gram, &columns, &self.data, PIVOT.sqrt(), &mut Vec::new());
        self.data.target().in_user_units(&fit.coefficients, &columns)
    }

    /// What predictions leave of the working responses, standardised: what squared error leaves in the workspace.
    pub fn residual(&self, prediction: &[f64], residual: &mut Vec<f64>) {
        let target = self.data.target();
        residual.clear();
        residual.extend_from_slice(&target.values);
        let root = self.data.root_weights().unwrap_or(&[]);
        for ((r, p), root) in residual.iter_mut().zip(prediction).zip(root) {
            *r -= root * (p - target.mean) / target.norm;
        }
    }

    /// The individual as the weighted squared error sees it: its genes with the working columns and their inner products.
    pub fn seen(&self, individual: &Individual) -> Individual {
        let mut seen = individual.clone();
        for (gene, column) in seen.genes.iter_mut().zip(&self.columns) {
            gene.column = Some(Arc::clone(column));
        }
        let columns: Vec<&Column> = self.columns.iter().map(Arc::as_ref).collect();
        seen.gram = self.gram.clone();
        seen.gram.complete(&columns, &self.data);
        seen
    }
}

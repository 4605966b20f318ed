//! What is minimised. Squared error is the fast path, built into `least_squares`; every other loss is a [`Loss`].
//!
//! A loss says three things of a row: what a prediction costs, which weighted squared error looks like it there, and what the
//! best constant is. The rest follows: the outer coefficients by iteratively reweighted least squares (`working`), R² as the
//! share of the best constant's loss that is explained, gradients and Levenberg–Marquardt steps from the same weighted squares.
//!
//! To add a loss: implement [`Loss`] in `losses` for a small struct with its numbers, if it has any; give it a line in [`named`]
//! and a row in `data/losses.py`, which says what users call it and how it is linked to the target. A loss of a probability or a
//! rate takes the linear predictor as its prediction (logistic: log odds, Poisson: log rate); whoever predicts applies the
//! inverse link.
use std::fmt::Debug;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::evaluate::losses::{Gamma, Huber, Logistic, Poisson, Quantile, Relative};

/// What a prediction p of a row with target y costs, in units in which squared error costs (y − p)²: twice the negative
/// logarithm of a likelihood, up to what does not depend on p. Never negative.
pub trait Loss: Debug + Send + Sync {
    /// The loss of a row.
    fn value(&self, y: f64, p: f64) -> f64;

    /// Working weight w ≥ 0 and response z of a row: −w·(z − p) is half the derivative of the loss by p, and w·(z − p')² is as
    /// curved as the loss, or more.
    fn working(&self, y: f64, p: f64) -> (f64, f64);

    /// The constant of least loss, given targets and row weights.
    fn constant(&self, y: &[f64], weights: &[f64]) -> f64;

    /// Reweighting ends when the loss falls by no more than this share of itself.
    fn gain(&self) -> f64 {
        1e-10
    }

    /// Σ weight·loss over rows. One call for all rows: nothing is dispatched row by row.
    fn total(&self, y: &[f64], weights: &[f64], p: &[f64]) -> f64 {
        let row = |((&y, &weight), &p): ((&f64, &f64), &f64)| if weight > 0.0 { weight * self.value(y, p) } else { 0.0 };
        y.iter().zip(weights).zip(p).map(row).sum()
    }

    /// Weights (times those of the rows) and responses of all rows.
    fn working_rows(&self, y: &[f64], weights: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let row = |((&y, &weight), &p): ((&f64, &f64), &f64)| {
            let (w, z) = self.working(y, p);
            if weight > 0.0 { (weight * w, z) } else { (0.0, p) }
        };
        y.iter().zip(weights).zip(p).map(row).unzip()
    }
}

/// The loss of this name with its numbers; None for squared error, which needs no [`Loss`].
pub fn named(name: &str, numbers: &[f64]) -> Result<Option<Arc<dyn Loss>>> {
    let loss: Arc<dyn Loss> = match (name, numbers) {
        ("squared", []) => return Ok(None),
        ("huber", &[distance]) if distance > 0.0 => Arc::new(Huber(distance)),
        ("quantile", &[level, near]) if 0.0 < level && level < 1.0 && near > 0.0 => Arc::new(Quantile { level, near }),
        ("relative", []) => Arc::new(Relative),
        ("poisson", []) => Arc::new(Poisson),
        ("gamma", []) => Arc::new(Gamma),
        ("logistic", []) => Arc::new(Logistic),
        _ => return Err(Error::new(format!("There is no loss {name:?} with the numbers {numbers:?}."))),
    };
    Ok(Some(loss))
}

/// What predictions of rows cost by the loss of this name, and weights and responses of the squared error that looks like it there.
pub fn rows(name: &str, numbers: &[f64], y: &[f64], p: &[f64]) -> Result<[Vec<f64>; 3]> {
    let Some(loss) = named(name, numbers)? else {
        let squares = y.iter().zip(p).map(|(y, p)| (y - p).powi(2)).collect();
        return Ok([squares, vec![1.0; y.len()], y.to_vec()]);
    };
    let values = y.iter().zip(p).map(|(&y, &p)| loss.value(y, p)).collect();
    let (weights, responses) = y.iter().zip(p).map(|(&y, &p)| loss.working(y, p)).unzip();
    Ok([values, weights, responses])
}

/// The constant of least loss, by the loss of this name.
pub fn constant(name: &str, numbers: &[f64], y: &[f64], weights: &[f64]) -> Result<f64> {
    let mean = || y.iter().zip(weights).map(|(y, w)| y * w).sum::<f64>() / weights.iter().sum::<f64>();
    Ok(named(name, numbers)?.map_or_else(mean, |loss| loss.constant(y, weights)))
}

/// A loss that somebody else computes, for all rows at once: given the name of a method of [`Loss`] and its arrays, the answer's
/// arrays. No answer is not a number here, which makes a model unfit.
pub struct Foreign<F>(pub F);

impl<F> Debug for Foreign<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("The loss given")
    }
}

impl<F: Fn(&str, &[&[f64]]) -> Option<Vec<Vec<f64>>>> Foreign<F> {
    fn number(&self, method: &str, arrays: &[&[f64]]) -> f64 {
        (self.0)(method, arrays).map_or(f64::NAN, |answer| answer[0][0])
    }
}

impl<F: Fn(&str, &[&[f64]]) -> Option<Vec<Vec<f64>>> + Send + Sync> Loss for Foreign<F> {
    fn value(&self, y: f64, p: f64) -> f64 {
        self.total(&[y], &[1.0], &[p])
    }

    fn working(&self, y: f64, p: f64) -> (f64, f64) {
        let (w, z) = self.working_rows(&[y], &[1.0], &[p]);
        (w[0], z[0])
    }

    fn gain(&self) -> f64 {
        1e-5 // every step is a call
    }

    fn constant(&self, y: &[f64], weights: &[f64]) -> f64 {
        self.number("constant", &[y, weights])
    }

    fn total(&self, y: &[f64], weights: &[f64], p: &[f64]) -> f64 {
        self.number("total", &[y, weights, p])
    }

    fn working_rows(&self, y: &[f64], weights: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let unknown = || (vec![f64::NAN; y.len()], p.to_vec());
        match (self.0)("working", &[y, weights, p]).map(<[Vec<f64>; 2]>::try_from) {
            Some(Ok([w, z])) if w.len() == y.len() && z.len() == y.len() => (w, z),
            _ => unknown(),
        }
    }
}

/// A loss on given rows.
#[derive(Clone, Debug)]
pub struct Objective {
    /// The loss.
    pub loss: Arc<dyn Loss>,
    /// Targets as they are.
    pub y: Vec<f64>,
    /// Row weights with a mean of 1.
    pub weights: Vec<f64>,
    /// The best constant.
    pub constant: f64,
    /// Its loss; 1 where it has none, so that it can be divided by.
    pub scale: f64,
}

impl Objective {
    /// Prepares a loss for these rows; an error where it has no finite value.
    pub fn new(loss: Arc<dyn Loss>, y: Vec<f64>, weights: Vec<f64>) -> Result<Self> {
        let constant = loss.constant(&y, &weights);
        let total = loss.total(&y, &weights, &vec![constant; y.len()]);
        if !(constant.is_finite() && total.is_finite()) {
            return Err(Error::new(format!(
                "{loss:?} of the best constant is {total}; the target has values that this loss does not know."
            )));
        }
        let scale = if total > 0.0 { total } else { 1.0 };
        Ok(Self {
            loss,
            y,
            weights,
            constant,
            scale,
        })
    }

    /// Share of the best constant's loss that predictions leave.
    pub fn unexplained(&self, p: &[f64]) -> f64 {
        self.loss.total(&self.y, &self.weights, p) / self.scale
    }
}

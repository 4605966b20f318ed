//! What is minimised. Squared error is the fast path, built into `least_squares`; every other loss is a [`Loss`].
//!
//! A loss says three things of a row: what a prediction costs, which weighted squared error looks like it there, and what the
//! best constant is. The rest follows: the outer coefficients by iteratively reweighted least squares (`working`), R² as the
//! share of the best constant's loss that is explained, gradients and Levenberg–Marquardt steps from the same weighted squares.
//!
//! To add a loss: implement [`Loss`] in `losses` for a small struct with its numbers, if it has any; give it a line in [`named`]
//! and one in `settings/losses.py`, which says what users call it and how it is linked to the target. A loss of a probability or a rate takes the linear predictor as its prediction (logistic: log
//! odds, Poisson: log rate); whoever predicts applies the inverse link.
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

//! The losses that users can name, one struct each; `loss` says what a loss is, and [`named`](super::loss::named) lists them.
use std::fmt::Debug;

use crate::dispatch;
use crate::evaluate::loss::Loss;
use crate::vector_math::{Level, logistic, softplus};

/// Working weights are at least this share of the largest curvature, so that a row that is fitted well still counts.
const LEAST_WEIGHT: f64 = 1e-10;
/// Linear predictors are cut here: e³⁰⁰ is as good as infinite, and its square can still be written down.
const LARGEST_PREDICTOR: f64 = 300.0;
/// A ratio of prediction and target below this costs as the square that continues the squared logarithm there.
const LEAST_RATIO: f64 = 0.05;
/// Steps towards the best constant.
const CONSTANT_STEPS: usize = 500;

fn mean(y: &[f64], weights: &[f64]) -> f64 {
    y.iter().zip(weights).map(|(y, w)| y * w).sum::<f64>() / weights.iter().sum::<f64>()
}

/// The value below which a share of the weight lies.
fn weighted_quantile(y: &[f64], weights: &[f64], share: f64) -> f64 {
    let mut order: Vec<usize> = (0..y.len()).filter(|&k| weights[k] > 0.0).collect();
    order.sort_by(|&i, &j| y[i].total_cmp(&y[j]));
    let wanted = share * weights.iter().sum::<f64>();
    let mut passed = 0.0;
    let found = order.iter().find(|&&k| {
        passed += weights[k];
        passed >= wanted
    });
    found.or(order.last()).map_or(f64::NAN, |&k| y[k])
}

/// (y − p)² up to a distance δ, 2δ·|y − p| − δ² beyond: outliers pull with a constant force.
#[derive(Debug)]
pub struct Huber(pub f64);

impl Loss for Huber {
    fn value(&self, y: f64, p: f64) -> f64 {
        let r = (y - p).abs();
        if r <= self.0 { r * r } else { self.0 * (2.0 * r - self.0) }
    }
    fn working(&self, y: f64, p: f64) -> (f64, f64) {
        ((self.0 / (y - p).abs()).min(1.0), y)
    }
    fn constant(&self, y: &[f64], weights: &[f64]) -> f64 {
        let mut p = weighted_quantile(y, weights, 0.5);
        for _ in 0..CONSTANT_STEPS {
            let (w, z) = self.working_rows(y, weights, &vec![p; y.len()]);
            let next = mean(&z, &w);
            if next == p {
                break;
            }
            p = next;
        }
        p
    }
}

/// |y − p| weighed by `level` above the prediction and 1 − `level` below; a square within `near` of it, to have derivatives.
/// Level ½ is the absolute error.
#[derive(Debug)]
pub struct Quantile {
    /// Share of targets that lie below the best prediction.
    pub level: f64,
    /// Distance below which the loss is a square.
    pub near: f64,
}

impl Quantile {
    fn side(&self, r: f64) -> f64 {
        if r >= 0.0 { self.level } else { 1.0 - self.level }
    }
}

impl Loss for Quantile {
    fn value(&self, y: f64, p: f64) -> f64 {
        let (r, side) = ((y - p).abs(), self.side(y - p));
        let smooth = if r <= self.near {
            r * r / self.near
        } else {
            2.0 * r - self.near
        };
        2.0 * side * smooth
    }
    fn working(&self, y: f64, p: f64) -> (f64, f64) {
        (2.0 * self.side(y - p) / (y - p).abs().max(self.near), y)
    }
    fn constant(&self, y: &[f64], weights: &[f64]) -> f64 {
        weighted_quantile(y, weights, self.level)
    }
}

/// ln²(p/y): errors count in proportion to the target, which must be positive. Continued as a square where p is far below y, so
/// that a prediction that is not positive costs much, and not everything.
#[derive(Debug)]
pub struct Relative;

impl Loss for Relative {
    fn value(&self, y: f64, p: f64) -> f64 {
        let ratio = p / y;
        if ratio >= LEAST_RATIO {
            return ratio.ln().powi(2);
        }
        let (at, beyond) = (LEAST_RATIO.ln(), ratio - LEAST_RATIO);
        at * at + 2.0 * at / LEAST_RATIO * beyond + (1.0 - at) / LEAST_RATIO.powi(2) * beyond * beyond
    }
    fn working(&self, y: f64, p: f64) -> (f64, f64) {
        let ratio = p / y;
        let kept = ratio.max(LEAST_RATIO);
        // Half the first and second derivative by the ratio; the curvature where it is positive and no less than at Gauss–Newton.
        let curvature = (1.0 - kept.ln()).max(1.0) / (kept * kept);
        let slope = kept.ln() / kept + (ratio - kept) * curvature;
        let w = curvature / (y * y);
        (w, p - slope / y / w)
    }
    fn constant(&self, y: &[f64], weights: &[f64]) -> f64 {
        let logarithms: Vec<f64> = y.iter().map(|y| y.ln()).collect();
        let mut p = mean(&logarithms, weights).exp();
        // Targets far above their geometric mean are on the continued part.
        for _ in 0..CONSTANT_STEPS {
            let (w, z) = self.working_rows(y, weights, &vec![p; y.len()]);
            let next = mean(&z, &w);
            if next.is_nan() || next <= 0.0 || (next - p).abs() <= 1e-15 * p {
                break;
            }
            p = next;
        }
        p
    }
}

/// Deviance of a count y whose rate is eᵖ.
#[derive(Debug)]
pub struct Poisson;

impl Loss for Poisson {
    fn value(&self, y: f64, p: f64) -> f64 {
        let p = p.clamp(-LARGEST_PREDICTOR, LARGEST_PREDICTOR);
        let saturated = if y > 0.0 { y * y.ln() - y } else { 0.0 };
        (2.0 * (saturated - y * p + p.exp())).max(0.0)
    }
    fn working(&self, y: f64, p: f64) -> (f64, f64) {
        let rate = p.clamp(-LARGEST_PREDICTOR, LARGEST_PREDICTOR).exp();
        let w = rate.max(LEAST_WEIGHT);
        (w, p + (y - rate) / w)
    }
    fn constant(&self, y: &[f64], weights: &[f64]) -> f64 {
        mean(y, weights).ln()
    }
}

/// Deviance of a positive y of constant relative spread whose mean is eᵖ.
#[derive(Debug)]
pub struct Gamma;

impl Loss for Gamma {
    fn value(&self, y: f64, p: f64) -> f64 {
        let ratio = y * (-p.clamp(-LARGEST_PREDICTOR, LARGEST_PREDICTOR)).exp();
        (2.0 * (ratio - 1.0 - ratio.ln())).max(0.0)
    }
    fn working(&self, y: f64, p: f64) -> (f64, f64) {
        let ratio = y * (-p.clamp(-LARGEST_PREDICTOR, LARGEST_PREDICTOR)).exp();
        let w = ratio.max(0.1);
        (w, p + (ratio - 1.0) / w)
    }
    fn constant(&self, y: &[f64], weights: &[f64]) -> f64 {
        mean(y, weights).ln()
    }
}

/// Log odds become what each row costs.
#[inline(always)]
fn logistic_costs_kernel<const FMA: bool>(y: &[f64], p: &mut [f64]) {
    for (p, &y) in p.iter_mut().zip(y) {
        *p = 2.0 * (softplus::<FMA>(*p) - y * *p);
    }
}

/// Row weights become working weights, log odds working responses.
#[inline(always)]
fn logistic_working_kernel<const FMA: bool>(y: &[f64], weights: &mut [f64], p: &mut [f64]) {
    for ((p, weight), &y) in p.iter_mut().zip(weights).zip(y) {
        let mean = logistic::<FMA>(-*p);
        let curvature = mean * logistic::<FMA>(*p);
        let w = if curvature > LEAST_WEIGHT { curvature } else { LEAST_WEIGHT };
        *p += if *weight > 0.0 { (y - mean) / w } else { 0.0 };
        *weight = if *weight > 0.0 { *weight * w } else { 0.0 };
    }
}

dispatch! {
    fn logistic_costs(y: &[f64], p: &mut [f64]) = logistic_costs_kernel;
    fn logistic_working(y: &[f64], weights: &mut [f64], p: &mut [f64]) = logistic_working_kernel;
}

/// −2·log-likelihood of a class y ∈ {0, 1} (or a share of rows between) whose log odds are p.
#[derive(Debug)]
pub struct Logistic;

impl Loss for Logistic {
    fn value(&self, y: f64, p: f64) -> f64 {
        2.0 * (p.max(0.0) + (-p.abs()).exp().ln_1p() - y * p)
    }
    fn working(&self, y: f64, p: f64) -> (f64, f64) {
        let mean = 1.0 / (1.0 + (-p).exp());
        let w = (mean * (1.0 - mean)).max(LEAST_WEIGHT);
        (w, p + (y - mean) / w)
    }
    fn total(&self, y: &[f64], weights: &[f64], p: &[f64]) -> f64 {
        let mut costs = p.to_vec();
        logistic_costs(Level::detect(), y, &mut costs);
        let row = |(&weight, &cost): (&f64, &f64)| if weight > 0.0 { weight * cost } else { 0.0 };
        weights.iter().zip(&costs).map(row).sum()
    }
    fn working_rows(&self, y: &[f64], weights: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut working, mut response) = (weights.to_vec(), p.to_vec());
        logistic_working(Level::detect(), y, &mut working, &mut response);
        (working, response)
    }
    /// Newton's method: after a step that gained so little, the next one would gain its square.
    fn gain(&self) -> f64 {
        1e-7
    }
    fn constant(&self, y: &[f64], weights: &[f64]) -> f64 {
        let mean = mean(y, weights);
        (mean / (1.0 - mean)).ln()
    }
}

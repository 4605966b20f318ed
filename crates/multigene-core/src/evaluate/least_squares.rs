//! Outer coefficients: y ≈ c0 + c1·gene1 + … by least squares on centred columns of unit length.
//!
//! Normal equations by a Cholesky factorisation that leaves out dependent columns (their coefficient is 0), one or two
//! refinements from the explicit residual when the fit is nearly perfect. Columns that depend on others nearly, but not quite,
//! are looked at row by row where that is asked for (`dependent`). Never an exception, never a NaN.
use crate::evaluate::column::Column;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::dependent::Basis;
use crate::evaluate::rows;

/// The Gram matrix alone can tell a column from the others if its part outside them is longer than the root of this.
pub const PIVOT: f64 = 1e-9;
/// Below this share of unexplained variance the solution is refined from the residual.
const REFINE_BELOW: f64 = 1e-5;
/// So it is where a pivot is smaller than this and the fit is to be as good as an SVD's: small pivots multiply each other's errors.
const REFINE_PIVOT: f64 = 1e-5;

/// Inner products of an individual's columns; NaN where not computed yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gram {
    size: usize,
    products: Vec<f64>,
    with_target: Vec<f64>,
}

impl Gram {
    /// For `size` columns, nothing known.
    pub fn unknown(size: usize) -> Self {
        Self {
            size,
            products: vec![f64::NAN; size * size],
            with_target: vec![f64::NAN; size],
        }
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.size
    }

    /// True for no columns.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Inner product of columns i and j.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.products[i * self.size + j]
    }

    /// Inner product of column i with the target.
    pub fn target(&self, i: usize) -> f64 {
        self.with_target[i]
    }

    /// Sets the product of columns i and j.
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        self.products[i * self.size + j] = value;
        self.products[j * self.size + i] = value;
    }

    /// Sets the product of column i with the target.
    pub fn set_target(&mut self, i: usize, value: f64) {
        self.with_target[i] = value;
    }

    /// Forgets what is known of column i.
    pub fn forget(&mut self, i: usize) {
        for j in 0..self.size {
            self.set(i, j, f64::NAN);
        }
        self.with_target[i] = f64::NAN;
    }

    /// Computes what is not known yet.
    pub fn complete(&mut self, columns: &[&Column], data: &Dataset) {
        let level = data.level();
        for i in 0..self.size {
            if self.with_target[i].is_nan() {
                self.with_target[i] = rows::dot(level, &columns[i].values, &data.target().values);
            }
            for j in 0..=i {
                if self.get(i, j).is_nan() {
                    self.set(i, j, rows::dot(level, &columns[i].values, &columns[j].values));
                }
            }
        }
    }
}

/// Cholesky factor of a Gram matrix with dependent columns left out.
#[derive(Clone, Debug)]
pub struct Factor {
    size: usize,
    lower: Vec<f64>,
    kept: Vec<bool>,
    least: f64,
}

impl Factor {
    /// Factorises; columns whose pivot falls below `pivot` are left out.
    pub fn new(gram: &Gram, pivot: f64) -> Self {
        let size = gram.len();
        let mut lower = vec![0.0; size * size];
        let mut kept = vec![false; size];
        let mut least = f64::INFINITY;
        for i in 0..size {
            for j in 0..i {
                if kept[j] {
                    let sum: f64 = (0..j).map(|k| lower[i * size + k] * lower[j * size + k]).sum();
                    lower[i * size + j] = (gram.get(i, j) - sum) / lower[j * size + j];
                }
            }
            let rest = gram.get(i, i) - (0..i).map(|k| lower[i * size + k].powi(2)).sum::<f64>();
            if rest > pivot {
                kept[i] = true;
                least = least.min(rest);
                lower[i * size + i] = rest.sqrt();
            } else {
                lower[i * size..i * size + i].fill(0.0);
            }
        }
        Self {
            size,
            lower,
            kept,
            least,
        }
    }

    /// The smallest pivot of a column kept.
    pub fn least_pivot(&self) -> f64 {
        self.least
    }

    /// Number of columns kept.
    pub fn rank(&self) -> usize {
        self.kept.iter().filter(|&&kept| kept).count()
    }

    /// Was column i kept?
    pub fn keeps(&self, i: usize) -> bool {
        self.kept[i]
    }

    /// Solves for the coefficients of the kept columns, in place; 0 for the others.
    pub fn solve(&self, right: &mut [f64]) {
        self.forward(right);
        self.backward(right);
    }

    /// Solves L·z = right side, in place (entries of left-out columns become 0).
    pub fn forward(&self, right: &mut [f64]) {
        for i in 0..self.size {
            if self.kept[i] {
                let sum: f64 = (0..i).map(|k| self.lower[i * self.size + k] * right[k]).sum();
                right[i] = (right[i] - sum) / self.lower[i * self.size + i];
            } else {
                right[i] = 0.0;
            }
        }
    }

    /// Solves Lᵀ·c = right side, in place.
    pub fn backward(&self, right: &mut [f64]) {
        for i in (0..self.size).rev() {
            if self.kept[i] {
                let sum: f64 = (i + 1..self.size).map(|k| self.lower[k * self.size + i] * right[k]).sum();
                right[i] = (right[i] - sum) / self.lower[i * self.size + i];
            }
        }
    }
}

/// Coefficients of the standardised columns, and what they leave unexplained.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// One per column, in units of standardised columns and target.
    pub coefficients: Vec<f64>,
    /// Unexplained share of the target's variance: 1 − R².
    pub unexplained: f64,
    /// Number of coefficients that are not 0 by dependence.
    pub rank: usize,
}

/// Fits the target by the columns; `residual` receives what is left, row by row. A column whose part outside the others is no
/// longer than `below` depends on them.
pub fn solve(gram: &Gram, columns: &[&Column], data: &Dataset, below: f64, residual: &mut Vec<f64>) -> Fit {
    let level = data.level();
    let basis = Basis::new(gram, columns, data, below);
    let mut coefficients: Vec<f64> = (0..gram.len()).map(|i| gram.target(i)).collect();
    basis.solve(&mut coefficients, &data.target().values, data);
    let mut unexplained = leave(&coefficients, columns, data, residual);
    let delicate = below * below < PIVOT && basis.least_pivot() < REFINE_PIVOT;
    for _ in 0..2 {
        if unexplained >= REFINE_BELOW && !delicate {
            break;
        }
        let mut correction: Vec<f64> = columns
            .iter()
            .map(|column| rows::dot(level, &column.values, residual))
            .collect();
        basis.solve(&mut correction, residual, data);
        let better: Vec<f64> = coefficients.iter().zip(&correction).map(|(c, d)| c + d).collect();
        let refined = leave(&better, columns, data, residual);
        if refined < unexplained {
            (coefficients, unexplained) = (better, refined);
        } else {
            leave(&coefficients, columns, data, residual);
            break;
        }
    }
    Fit {
        coefficients,
        unexplained,
        rank: basis.rank(),
    }
}

/// Residual of standardised target and columns; returns its squared length.
pub fn leave(coefficients: &[f64], columns: &[&Column], data: &Dataset, residual: &mut Vec<f64>) -> f64 {
    residual.clear();
    residual.extend_from_slice(&data.target().values);
    let mut terms = coefficients
        .iter()
        .zip(columns)
        .filter(|&(c, _)| *c != 0.0)
        .map(|(c, column)| (-c, column.values.as_slice()));
    while let Some(first) = terms.next() {
        match (terms.next(), terms.next(), terms.next()) {
            (Some(second), Some(third), Some(fourth)) => {
                let (factors, columns) = ([first.0, second.0, third.0, fourth.0], [first.1, second.1, third.1, fourth.1]);
                rows::add_scaled_four(data.level(), residual, factors, columns);
            }
            (second, third, _) => {
                for (factor, column) in [Some(first), second, third].into_iter().flatten() {
                    rows::add_scaled(data.level(), residual, factor, column);
                }
            }
        }
    }
    rows::dot(data.level(), residual, residual)
}

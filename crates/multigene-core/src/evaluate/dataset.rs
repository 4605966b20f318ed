//! The rows a search sees: feature columns, target, row weights. Checked once, then only read.
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result};
use crate::evaluate::aligned::Aligned;
use crate::evaluate::column::{Column, pad, safe_norm};
use crate::evaluate::loops::LANES;
use crate::evaluate::loss::{Loss, Objective};
use crate::evaluate::rows;
use crate::tree::individual::Individual;
use crate::vector_math::Level;

/// Features by column, padded to whole steps of the kernels, and the standardised target.
#[derive(Clone, Debug)]
pub struct Dataset {
    rows: usize,
    padded: usize,
    features: Arc<Features>,
    target: Column,
    root_weights: Option<Aligned>,
    /// What is minimised where it is not squared error.
    objective: Option<Arc<Objective>>,
    fixed: Vec<Aligned>,
    share: f64,
    count: usize,
    /// Which features are printed as (x − mean)/scale, where sizes are those of printed formulas.
    shifted: Option<Arc<[bool]>>,
    level: Level,
}

/// Feature columns, shared by data sets that differ in target or weights.
#[derive(Debug)]
struct Features {
    columns: Vec<Aligned>,
    /// ln|x| of the columns that product leaves have asked for.
    logs: Vec<OnceLock<Aligned>>,
    /// The largest absolute value of all columns.
    largest: OnceLock<f64>,
}

/// Rows in whole steps of the kernels.
pub fn padded(rows: usize) -> usize {
    rows.div_ceil(LANES) * LANES
}

impl Features {
    fn new(columns: Vec<Vec<f64>>, padded: usize) -> Arc<Self> {
        Arc::new(Self {
            logs: columns.iter().map(|_| OnceLock::new()).collect(),
            largest: OnceLock::new(),
            columns: columns.into_iter().map(|c| pad(c, padded)).collect(),
        })
    }
}

impl Dataset {
    /// Features by column, one target value per row, and optional row weights.
    pub fn new(columns: Vec<Vec<f64>>, target: &[f64], weights: Option<&[f64]>, level: Level) -> Result<Self> {
        let rows = target.len();
        if rows == 0 {
            return Err(Error::new("The data has no rows; give at least one."));
        }
        for (j, column) in columns.iter().enumerate() {
            if column.len() != rows {
                return Err(Error::new(format!(
                    "Feature {j} has {} rows but the target has {rows}.",
                    column.len()
                )));
            }
            if let Some(i) = column.iter().position(|v| !v.is_finite()) {
                return Err(Error::new(format!(
                    "Feature {j} is {} in row {i}; remove or fill such rows first.",
                    column[i]
                )));
            }
        }
        if let Some(i) = target.iter().position(|v| !v.is_finite()) {
            return Err(Error::new(format!(
                "The target is {} in row {i}; remove or fill such rows first.",
                target[i]
            )));
        }
        let padded = padded(rows);
        let root_weights = weights.map(|w| root_weights(w, rows, padded)).transpose()?;
        let mut dataset = Self {
            root_weights,
            ..Self::features(columns, rows, level)
        };
        dataset.target = dataset
            .standardise(pad(target.to_vec(), padded))
            .ok_or_else(|| Error::new("The target's values are too large to add up; divide them by a constant first."))?;
        Ok(dataset)
    }

    /// Feature columns alone, for prediction: no target is needed and no value is refused.
    pub fn features(columns: Vec<Vec<f64>>, rows: usize, level: Level) -> Self {
        let padded = padded(rows);
        let target = Column {
            values: Aligned::zeros(padded),
            mean: 0.0,
            norm: 0.0,
        };
        Self {
            rows,
            padded,
            features: Features::new(columns, padded),
            target,
            root_weights: None,
            objective: None,
            fixed: Vec::new(),
            share: 1.0,
            count: rows,
            shifted: None,
            level,
        }
    }

    /// The same rows with columns that every model has for free: they are projected out of the target and of every gene, so that
    /// least squares on what is left is least squares with them (law seekers: ln|x| beside genes of ln|y|).
    pub fn with_fixed(mut self, columns: Vec<Vec<f64>>) -> Result<Self> {
        if columns.is_empty() {
            return Ok(self);
        }
        let before = self.target.norm;
        for column in columns {
            if column.len() != self.rows {
                return Err(Error::new(format!(
                    "A fixed column has {} rows but the target has {}.",
                    column.len(),
                    self.rows
                )));
            }
            let column = self
                .standardise(pad(column, self.padded))
                .ok_or_else(|| Error::new("A fixed column is not finite."))?;
            if column.norm > 0.0 {
                self.fixed.push(column.values);
            }
        }
        let mut left = self.target.values.clone();
        let square = self.project(&mut left);
        self.share = square;
        let norm = square.sqrt();
        if norm > 0.0 {
            rows::scale(self.level, &mut left, 1.0 / norm);
        }
        self.target = Column {
            values: left,
            mean: self.target.mean,
            norm: before * norm,
        };
        Ok(self)
    }

    /// The same rows with a loss of targets `y` as they are; None for squared error.
    pub fn with_loss(mut self, loss: Option<Arc<dyn Loss>>, y: &[f64]) -> Result<Self> {
        let Some(loss) = loss else { return Ok(self) };
        if !self.fixed.is_empty() || y.len() != self.rows {
            return Err(Error::new(format!(
                "{loss:?} needs one target per row, and no fixed columns; those go with squared error alone."
            )));
        }
        let weights = match &self.root_weights {
            Some(root) => root[..self.rows].iter().map(|root| root * root).collect(),
            None => vec![1.0; self.rows],
        };
        self.objective = Some(Arc::new(Objective::new(loss, y.to_vec(), weights)?));
        Ok(self)
    }

    /// What is minimised; None for squared error.
    pub fn objective(&self) -> Option<&Objective> {
        self.objective.as_deref()
    }

    /// The same features with other weights and targets, under squared error. `scale` is what squared residuals, times the
    /// weights, are measured by. None where a value is not finite or no weight is positive.
    pub fn reweighted(&self, weights: &[f64], y: &[f64], scale: f64) -> Option<Self> {
        let mut data = Self {
            objective: None,
            root_weights: Some(root_weights(weights, self.rows, self.padded).ok()?),
            ..self.clone()
        };
        let mut target = data.standardise(pad(y.to_vec(), self.padded))?;
        let norm = (scale * self.rows as f64 / weights.iter().sum::<f64>()).sqrt();
        rows::scale(self.level, &mut target.values, target.norm / norm);
        data.target = Column { norm, ..target };
        Some(data)
    }

    /// The values from which a column was standardised; its mean where a row has no weight.
    pub fn raw(&self, column: &Column) -> Vec<f64> {
        let value = |k: usize| match &self.root_weights {
            Some(root) if root[k] > 0.0 => column.mean + column.norm * column.values[k] / root[k],
            Some(_) => column.mean,
            None => column.mean + column.norm * column.values[k],
        };
        (0..self.rows).map(value).collect()
    }

    /// Rows as the kernels take them.
    pub fn padded_rows(&self, values: &[f64]) -> Aligned {
        pad(values.to_vec(), self.padded)
    }

    /// Removes the fixed columns' part from a centred column; returns the square of what is left.
    pub fn project(&self, values: &mut [f64]) -> f64 {
        // Twice: once leaves rounding of the size of the part removed.
        for _ in 0..2 {
            for fixed in &self.fixed {
                let part = rows::dot(self.level, fixed, values);
                rows::add_scaled(self.level, values, -part, fixed);
            }
        }
        rows::dot(self.level, values, values)
    }

    /// The columns that every model has for free, orthonormal.
    pub fn fixed(&self) -> &[Aligned] {
        &self.fixed
    }

    /// Share of the target's variance that the fixed columns leave.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of different observations, by which criteria measure the price of a parameter: rows, unless set otherwise.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The same rows, only this many of them different; None for all.
    pub fn with_count(mut self, count: Option<usize>) -> Self {
        self.count = count.unwrap_or(self.rows).clamp(1, self.rows.max(1));
        self
    }

    /// The same rows; complexity is the size of the printed formula, in which these features are (x − mean)/scale.
    pub fn with_shifted(mut self, shifted: Option<Vec<bool>>) -> Self {
        self.shifted = shifted.map(Arc::from);
        self
    }

    /// Complexity of a model of these rows: the size of its printed formula where rows say what that is.
    pub fn complexity(&self, individual: &Individual) -> usize {
        match &self.shifted {
            Some(shifted) => individual.printed_size(shifted),
            None => individual.complexity(),
        }
    }

    /// Number of rows rounded up to whole kernel steps.
    pub fn padded(&self) -> usize {
        self.padded
    }

    /// Number of features.
    pub fn n_features(&self) -> usize {
        self.features.columns.len()
    }

    /// Feature `j`, padded.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.features.columns[j]
    }

    /// ln|x| of feature `j`, padded; computed when first asked for.
    pub fn log_column(&self, j: usize) -> &[f64] {
        self.features.logs[j].get_or_init(|| {
            let mut logs = self.features.columns[j].clone();
            logs.iter_mut().for_each(|x| *x = x.abs().ln());
            logs
        })
    }

    /// The standardised target.
    pub fn target(&self) -> &Column {
        &self.target
    }

    /// Roots of the row weights, if rows are weighted.
    pub fn root_weights(&self) -> Option<&[f64]> {
        self.root_weights.as_deref()
    }

    /// Vector width the kernels use.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Smallest and largest value of feature `j`.
    pub fn range(&self, j: usize) -> (f64, f64) {
        let rows = &self.features.columns[j][..self.rows];
        rows.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
            (low.min(v), high.max(v))
        })
    }

    /// The largest absolute value of all features.
    pub fn largest(&self) -> f64 {
        let of = |column: &Aligned| column.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        *self
            .features
            .largest
            .get_or_init(|| self.features.columns.iter().map(of).fold(0.0, f64::max))
    }

    /// Takes out what the rounding of a large mean left in centred values; returns that and their squared length.
    fn centre_again(&self, values: &mut [f64]) -> (f64, f64) {
        let (level, n) = (self.level, self.rows as f64);
        match &self.root_weights {
            None => {
                let rest = rows::sum(level, values) / n;
                (rest, rows::centre(level, values, rest, None, self.rows))
            }
            Some(root) => {
                let rest = rows::dot(level, values, root) / n;
                rows::add_scaled(level, values, -rest, root);
                (rest, rows::dot(level, values, values))
            }
        }
    }

    /// Prepares a raw column for least squares; `None` when a value is not finite.
    pub fn standardise(&self, values: impl Into<Aligned>) -> Option<Column> {
        let mut values = values.into();
        values[self.rows..].fill(0.0);
        let (level, n) = (self.level, self.rows as f64);
        let mean = match &self.root_weights {
            None => rows::sum(level, &values) / n,
            Some(root) => rows::weighted_sum(level, &values, root) / n,
        };
        if !mean.is_finite() {
            return None;
        }
        let square = rows::centre(level, &mut values, mean, self.root_weights.as_deref(), self.rows);
        let (mut mean, mut square) = (mean, square);
        if square.sqrt() < 1e-5 * mean.abs() * n.sqrt() {
            let (rest, again) = self.centre_again(&mut values);
            (mean, square) = (mean + rest, again);
        }
        if !self.fixed.is_empty() {
            let before = square;
            square = self.project(&mut values);
            if square <= 1e-20 * before {
                values.fill(0.0);
                return Some(Column { values, mean, norm: 0.0 });
            }
        }
        let norm = if (1e-280..1e280).contains(&square) {
            square.sqrt()
        } else {
            safe_norm(&values)?
        };
        // What is left of a constant after centring is rounding, not signal.
        if norm <= 4.0 * f64::EPSILON * mean.abs() * n.sqrt() {
            values.fill(0.0);
            return Some(Column { values, mean, norm: 0.0 });
        }
        if norm < f64::MIN_POSITIVE {
            values.iter_mut().for_each(|v| *v /= norm)
        } else {
            rows::scale(level, &mut values, 1.0 / norm)
        }
        Some(Column { values, mean, norm })
    }
}

/// Roots of the weights, scaled to a mean weight of 1 so that sums of weights count rows.
fn root_weights(weights: &[f64], rows: usize, padded: usize) -> Result<Aligned> {
    if weights.len() != rows {
        return Err(Error::new(format!(
            "There are {} row weights but {rows} rows.",
            weights.len()
        )));
    }
    if let Some(i) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
        return Err(Error::new(format!(
            "The weight of row {i} is {}; weights must be finite and not negative.",
            weights[i]
        )));
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return Err(Error::new("All row weights are zero; at least one must be positive."));
    }
    let mean = weights.iter().map(|w| w / largest).sum::<f64>() / rows as f64;
    let mut roots: Vec<f64> = weights.iter().map(|w| (w / largest / mean).sqrt()).collect();
    roots.resize(padded, 0.0);
    Ok(roots.into())
}

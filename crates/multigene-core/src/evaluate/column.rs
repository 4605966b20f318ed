//! Columns of rows: padded for the kernels, and prepared for least squares.
use crate::evaluate::aligned::Aligned;

/// A column prepared for least squares: centred by its weighted mean, times the root of the row weights, of unit length.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The prepared values; 0 beyond the last row.
    pub values: Aligned,
    /// Weighted mean of the raw values.
    pub mean: f64,
    /// Length of the centred values; 0 for a constant column.
    pub norm: f64,
}

impl Column {
    /// Of a target: from coefficients of standardised columns to those of raw columns, and the intercept.
    pub fn in_user_units(&self, standardised: &[f64], columns: &[&Self]) -> (Vec<f64>, f64) {
        let raw = |(c, column): (&f64, &&Self)| if *c == 0.0 { 0.0 } else { c * (self.norm / column.norm) };
        let coefficients: Vec<f64> = standardised.iter().zip(columns).map(raw).collect();
        let means = coefficients.iter().zip(columns).map(|(c, column)| c * column.mean);
        let intercept = self.mean - means.sum::<f64>();
        (coefficients, intercept)
    }
}

/// Rows beyond the last repeat it, so that padding never makes a value non-finite by itself.
pub fn pad(mut column: Vec<f64>, padded: usize) -> Aligned {
    let last = column.last().copied().unwrap_or(0.0);
    column.resize(padded, last);
    column.into()
}

/// Length of a vector whose squares overflow or vanish; `None` when a value is not finite.
pub fn safe_norm(values: &[f64]) -> Option<f64> {
    let largest = values
        .iter()
        .fold(0.0f64, |m, v| if v.is_nan() { f64::INFINITY } else { m.max(v.abs()) });
    if !largest.is_finite() {
        return None;
    }
    if largest == 0.0 {
        return Some(0.0);
    }
    let norm = largest * values.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt();
    norm.is_finite().then_some(norm)
}

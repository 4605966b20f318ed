//! Genes that are constant but for rounding: the values of log(x/√x²) are 0 and the last digits of floating point. Least squares
//! would give such a gene a coefficient of 1e15 and explain noise by rounding, which no printed formula says and no other machine
//! repeats.
//!
//! The values of a function hardly change when its arguments move in their last digits; rounding errors change altogether. In: a
//! gene whose values differ so little that they may be rounding errors. Out: whether they are.
use crate::evaluate::aligned::Aligned;
use crate::evaluate::column::Column;
use crate::evaluate::dataset::Dataset;
use crate::evaluate::forward::{Scratch, evaluate};
use crate::evaluate::program::Program;
use crate::tree::weights::Weights;

/// Genes whose values differ by more than this share of the largest feature (or of 1) are not tested.
const SUSPICIOUS: f64 = 1e-11;
/// Rows of the test.
const ROWS: usize = 64;
/// By how much arguments are moved, relative to themselves: some hundred units in the last place.
const STEP: f64 = 1e-13;
/// Rounding moves by about 1.4 times its own spread; a function by no more than the step over the range of its arguments.
const MOVED: f64 = 0.3;

/// May the column be nothing but rounding, by the spread of its values?
pub fn is_suspicious(column: &Column, data: &Dataset) -> bool {
    column.norm > 0.0 && column.norm <= SUSPICIOUS * data.largest().max(1.0) * (data.rows() as f64).sqrt()
}

/// Is the gene constant but for rounding?
pub fn is_rounding(program: &Program, weights: &Weights, data: &Dataset, scratch: &mut Scratch) -> bool {
    let count = data.rows().min(ROWS);
    let mut values = |step: f64| {
        let moved = |j: usize, k: usize| data.column(j)[k * data.rows() / count] * (1.0 + step * part(j, k));
        let columns = (0..data.n_features()).map(|j| (0..count).map(|k| moved(j, k)).collect());
        let some = Dataset::features(columns.collect(), count, data.level());
        let mut found = Aligned::zeros(some.padded());
        evaluate(program, weights, &some, scratch, &mut found);
        found[..count].to_vec()
    };
    let (before, after) = (values(0.0), values(STEP));
    let mean = before.iter().sum::<f64>() / count as f64;
    let spread: f64 = before.iter().map(|v| (v - mean).powi(2)).sum();
    let moves = before.iter().zip(&after).map(|(v, w)| (v - w).powi(2));
    moves.filter(|move_| move_.is_finite()).sum::<f64>() > MOVED * MOVED * spread
}

/// A share of the step, between -1 and 1 and never 0, that differs from row to row and from column to column.
fn part(column: usize, row: usize) -> f64 {
    ((31 * row + 17 * column) % 8) as f64 / 3.5 - 1.0
}

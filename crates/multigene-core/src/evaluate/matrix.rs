//! Matrices as callers have them, a row per observation: their columns, and models on them.
use ndarray::{Array2, ArrayView2, Axis, s};

use crate::error::Result;
use crate::evaluate::aligned::Aligned;
use crate::evaluate::dataset::{Dataset, padded};
use crate::evaluate::outer_fit::Workspace;
use crate::tree::individual::Individual;
use crate::vector_math::Level;

/// Rows evaluated at a time, so that predicting a million rows needs no second copy of them.
const CHUNK: usize = 1 << 13;

/// Rows whose columns are copied at a time: a block of them stays in the processor's cache.
const BLOCK: usize = 1 << 8;

/// Columns of a matrix.
pub fn columns(x: ArrayView2<'_, f64>) -> Vec<Vec<f64>> {
    columns_used(x, &vec![true; x.ncols()])
}

/// Columns of a matrix that are used; the others are empty.
fn columns_used(x: ArrayView2<'_, f64>, used: &[bool]) -> Vec<Vec<f64>> {
    if x.strides()[1] != 1 {
        let column = |(j, &used): (usize, &bool)| if used { x.column(j).to_vec() } else { Vec::new() };
        return used.iter().enumerate().map(column).collect();
    }
    // By blocks of rows: whoever goes through such a matrix by whole columns waits for the memory.
    let places: Vec<usize> = (0..used.len()).filter(|&j| used[j]).collect();
    let room = |&used: &bool| Vec::with_capacity(if used { Aligned::room(padded(x.nrows())) } else { 0 });
    let mut columns: Vec<Vec<f64>> = used.iter().map(room).collect();
    for block in x.axis_chunks_iter(Axis(0), BLOCK) {
        for &j in &places {
            columns[j].extend(block.column(j));
        }
    }
    columns
}

impl Individual {
    /// Prediction for every row of a matrix of features.
    pub fn predict_rows(&self, x: ArrayView2<'_, f64>) -> Result<Vec<f64>> {
        let used = self.used(x.ncols())?;
        let chunk = |start: usize| {
            let rows = x.slice(s![start..x.nrows().min(start + CHUNK), ..]);
            self.predict(&features(rows, &used), &mut Workspace::default())
        };
        Ok((0..x.nrows()).step_by(CHUNK).flat_map(chunk).collect())
    }

    /// Values of every gene, rows × genes, for a matrix of features.
    pub fn gene_rows(&self, x: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let genes = self.gene_values(&features(x, &self.used(x.ncols())?));
        Ok(Array2::from_shape_fn((x.nrows(), genes.len()), |(row, gene)| {
            genes[gene][row]
        }))
    }

    /// Which of these features the model uses; refused where one is missing.
    fn used(&self, n_features: usize) -> Result<Vec<bool>> {
        self.check_features(n_features)?;
        let mut used = vec![false; n_features];
        self.features().for_each(|feature| used[feature as usize] = true);
        Ok(used)
    }
}

fn features(x: ArrayView2<'_, f64>, used: &[bool]) -> Dataset {
    Dataset::features(columns_used(x, used), x.nrows(), Level::detect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_of_a_matrix_have_the_same_columns() {
        let x = Array2::from_shape_fn((5, 3), |(i, j)| (10 * i + j) as f64);
        let turned = x.t().as_standard_layout().into_owned();
        assert_eq!(columns(x.view()), columns(turned.t()));
        assert_eq!(
            columns_used(x.view(), &[false, true, false])[1],
            columns_used(turned.t(), &[false, true, false])[1]
        );
        assert_eq!(columns(x.slice(s![..;2, 1..]))[0], [1.0, 21.0, 41.0]);
    }

    #[test]
    fn rows_in_chunks_are_the_rows() {
        let model = Individual::parse(&["x1*x1".into()], 1.0, vec![2.0]).unwrap();
        let x = Array2::from_shape_fn((2 * CHUNK + 3, 2), |(i, j)| if j == 0 { f64::NAN } else { i as f64 });
        let expected: Vec<f64> = (0..x.nrows()).map(|i| 1.0 + 2.0 * (i * i) as f64).collect();
        assert_eq!(model.predict_rows(x.view()).unwrap(), expected);
        assert_eq!(model.gene_rows(x.view()).unwrap()[(3, 0)], 9.0);
        assert!(model.predict_rows(x.slice(s![.., ..1])).is_err());
    }
}

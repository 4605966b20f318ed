//! What the law seekers' catalogue asks of the engine.
use multigene_core::column_sets::Beam;
use multigene_core::vector_math::Level;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What a set leaves of the target, its cost, its members.
type Set = (f64, f64, Vec<usize>);

#[pyfunction]
pub fn column_sets(
    py: Python<'_>,
    columns: PyReadonlyArray2<'_, f64>,
    cost: PyReadonlyArray1<'_, f64>,
    target: PyReadonlyArray1<'_, f64>,
    width: usize,
    largest: usize,
    exact: f64,
) -> PyResult<Vec<Set>> {
    let (columns, cost, target) = (columns.as_slice()?, cost.as_slice()?, target.as_slice()?);
    if columns.len() != cost.len() * target.len() {
        let (n, rows) = (cost.len(), target.len());
        return Err(PyValueError::new_err(format!(
            "{} values are not {n} columns of {rows} rows.",
            columns.len()
        )));
    }
    let beam = Beam { width, largest, exact };
    let sets = py.detach(|| multigene_core::column_sets::column_sets(columns, cost, target, beam, Level::detect()));
    Ok(sets.into_iter().map(|set| (set.left, set.cost, set.members)).collect())
}

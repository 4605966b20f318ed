//! Arrays, genes and errors across the boundary.
use multigene_core::error::Error;
use multigene_core::tree::gene::{Function, Node};
use multigene_core::tree::individual::Individual;
use multigene_core::tree::operator::Operator;
use multigene_core::tree::weights::{BIAS, OWN_VALUE};
use numpy::ndarray::ArrayView2;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Arguments and results.
pub type Vector<'py> = PyReadonlyArray1<'py, f64>;
pub type Matrix<'py> = PyReadonlyArray2<'py, f64>;
pub type Array<'py> = Bound<'py, PyArray1<f64>>;

/// What went wrong here or in the engine. Engine errors are the caller's: a `ValueError` with the same sentence.
pub struct Failure(PyErr);
pub type Fallible<T> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(PyValueError::new_err(error.to_string()))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

/// Columns of a matrix.
pub fn columns(x: ArrayView2<'_, f64>) -> Vec<Vec<f64>> {
    columns_used(x, &vec![true; x.ncols()])
}

/// Columns of a matrix that are used; the others are empty.
pub fn columns_used(x: ArrayView2<'_, f64>, used: &[bool]) -> Vec<Vec<f64>> {
    if x.strides()[1] != 1 {
        let column = |(j, &used): (usize, &bool)| if used { x.column(j).to_vec() } else { Vec::new() };
        return used.iter().enumerate().map(column).collect();
    }
    // Row by row: whoever goes through such a matrix by columns waits for the memory.
    let places: Vec<usize> = (0..used.len()).filter(|&j| used[j]).collect();
    let room = |&used: &bool| Vec::with_capacity(if used { x.nrows() } else { 0 });
    let mut columns: Vec<Vec<f64>> = used.iter().map(room).collect();
    for row in x.rows() {
        for &j in &places {
            columns[j].push(row[j]);
        }
    }
    columns
}

/// A gene as postfix tokens that Python understands; `_engine.pyi` lists them.
pub fn tokens(py: Python<'_>, model: &Individual, gene: usize) -> PyResult<Vec<Py<PyAny>>> {
    let weight = |row: u32, wanted: u32| model.weights.row(row).weight_of(wanted).unwrap_or(0.0);
    let leaf = |name: &str, row: u32| {
        let terms: Vec<(u32, f64)> = model.weights.row(row).iter().filter(|&(f, _)| f != BIAS).collect();
        (name, weight(row, BIAS), terms).into_py_any(py)
    };
    let mut tokens = Vec::new();
    for node in &model.genes[gene].nodes {
        tokens.push(match *node {
            Node::Constant(row) => ("c", model.weights.constant(row)).into_py_any(py),
            Node::Variable(j) => ("x", j).into_py_any(py),
            Node::Combination(row) => leaf("lcf", row),
            Node::Product(row) => leaf("product", row),
            Node::Apply(Function::Base(Operator::Power(n))) => ("pow", n).into_py_any(py),
            Node::Weighted(Function::Base(Operator::Power(n)), _) => ("pow", n).into_py_any(py),
            Node::Apply(Function::Base(operator)) | Node::Weighted(Function::Base(operator), _) => {
                (operator.name(),).into_py_any(py)
            }
            _ => Err(PyValueError::new_err("models have no users' operators left")),
        }?);
        if let Node::Weighted(_, row) = *node {
            tokens.push(("weights", weight(row, BIAS), weight(row, OWN_VALUE)).into_py_any(py)?);
        }
    }
    Ok(tokens)
}

//! Arrays and errors across the boundary.
use multigene_core::error::Error;
use multigene_core::evaluate::dataset::Dataset;
use multigene_core::tree::gene::{Function, Node};
use multigene_core::tree::individual::Individual;
use multigene_core::tree::operator::Operator;
use multigene_core::tree::weights::{BIAS, OWN_VALUE};
use multigene_core::vector_math::Level;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Engine errors are the caller's: a `ValueError` with the same sentence.
pub fn value_error(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Columns of rows `rows` of a matrix.
pub fn columns(x: &PyReadonlyArray2<'_, f64>, rows: std::ops::Range<usize>) -> Vec<Vec<f64>> {
    let x = x.as_array();
    x.columns()
        .into_iter()
        .map(|column| column.slice(numpy::ndarray::s![rows.clone()]).to_vec())
        .collect()
}

/// A training set.
pub fn dataset(
    x: &PyReadonlyArray2<'_, f64>,
    y: &PyReadonlyArray1<'_, f64>,
    weights: Option<&PyReadonlyArray1<'_, f64>>,
) -> PyResult<Dataset> {
    let weights = weights.map(|w| w.as_array().to_vec());
    let n = x.as_array().nrows();
    Dataset::new(columns(x, 0..n), &y.as_array().to_vec(), weights.as_deref(), Level::detect()).map_err(value_error)
}

/// A gene as postfix tokens that Python understands: `("x", j)`, `("c", value)`, `("lcf", bias, [(j, w), …])`,
/// `("product", scale, [(j, w), …])`, `("pow", n)`, `("sin",)`, and `("weights", a, b)` after a weighted node.
pub fn tokens<'py>(py: Python<'py>, model: &Individual, gene: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut tokens = Vec::new();
    let sum = |row: u32, wanted: u32| -> f64 {
        let row = model.weights.row(row);
        row.iter().filter(|&(f, _)| f == wanted).map(|(_, w)| w).sum()
    };
    let leaf = |name: &str, row: u32| {
        let terms: Vec<(u32, f64)> = model.weights.row(row).iter().filter(|&(f, _)| f != BIAS).collect();
        (name, sum(row, BIAS), terms).into_pyobject(py).map(Bound::into_any)
    };
    let apply = |function: Function| match function {
        Function::Base(Operator::Power(n)) => ("pow", n).into_pyobject(py).map(Bound::into_any),
        Function::Base(operator) => (operator.name(),).into_pyobject(py).map(Bound::into_any),
        Function::Custom(..) => Err(PyValueError::new_err("models have no users' operators left")),
    };
    for node in &model.genes[gene].nodes {
        tokens.push(match *node {
            Node::Constant(row) => ("c", model.weights.constant(row)).into_pyobject(py)?.into_any(),
            Node::Variable(j) => ("x", j).into_pyobject(py)?.into_any(),
            Node::Combination(row) => leaf("lcf", row)?,
            Node::Product(row) => leaf("product", row)?,
            Node::Apply(function) | Node::Weighted(function, _) => apply(function)?,
        });
        if let Node::Weighted(_, row) = *node {
            let weights = ("weights", sum(row, BIAS), sum(row, OWN_VALUE));
            tokens.push(weights.into_pyobject(py)?.into_any());
        }
    }
    Ok(tokens)
}

//! Losses for Python: those of the engine by name, and those of users, which are Python objects.
use std::sync::Arc;

use multigene_core::evaluate::loss::{Foreign, Loss, constant, named, rows};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::convert::{Array, Vector, compute, refused};

type Named = (String, Vec<f64>);

/// A loss by name with its numbers, or an object with `total`, `working` and `constant`; None for squared error.
pub fn given(loss: Bound<PyAny>) -> PyResult<Option<Arc<dyn Loss>>> {
    if let Ok((name, numbers)) = loss.extract::<Named>() {
        return named(&name, &numbers).map_err(refused);
    }
    let object = loss.unbind();
    let call = move |method: &str, arrays: &[&[f64]]| Python::attach(|py| answer(object.bind(py), method, arrays));
    Ok(Some(Arc::new(Foreign(call))))
}

/// What a method of an object says of arrays: arrays, or a number as an array of one.
fn answer(object: &Bound<PyAny>, method: &str, arrays: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
    let arrays = arrays.iter().map(|values| PyArray1::from_slice(object.py(), values));
    let answer = object.call_method1(method, PyTuple::new(object.py(), arrays).ok()?).ok()?;
    let number = answer.extract().map(|number| vec![vec![number]]).ok();
    let arrays = |arrays: Vec<Vector>| arrays.iter().map(|array| array.as_array().to_vec()).collect();
    number.or_else(|| answer.extract().map(arrays).ok())
}

#[pyfunction]
pub fn loss_rows<'py>(py: Python<'py>, loss: Named, y: Vector, p: Vector) -> PyResult<[Array<'py>; 3]> {
    let (y, p) = (y.as_array().to_vec(), p.as_array().to_vec());
    Ok(compute(py, || rows(&loss.0, &loss.1, &y, &p))?.map(|column| column.into_pyarray(py)))
}

#[pyfunction]
pub fn loss_constant(py: Python, loss: Named, y: Vector, weights: Vector) -> PyResult<f64> {
    let (y, weights) = (y.as_array().to_vec(), weights.as_array().to_vec());
    compute(py, || constant(&loss.0, &loss.1, &y, &weights))
}

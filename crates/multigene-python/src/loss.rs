//! Losses for Python: those of the engine by name, and those of users, which are Python objects.
use std::sync::Arc;

use multigene_core::evaluate::loss::{Foreign, Loss, constant, named, rows};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::convert::{Array, Fallible, Vector};

type Named = (String, Vec<f64>);

/// A loss by name with its numbers, or an object with `total`, `working` and `constant`; None for squared error.
pub fn given(loss: Bound<'_, PyAny>) -> Fallible<Option<Arc<dyn Loss>>> {
    if let Ok((name, numbers)) = loss.extract::<Named>() {
        return Ok(named(&name, &numbers)?);
    }
    let object = loss.unbind();
    let call = move |method: &str, arrays: &[&[f64]]| {
        Python::attach(|py| {
            let arrays = PyTuple::new(py, arrays.iter().map(|values| PyArray1::from_slice(py, values))).ok()?;
            let answer = object.bind(py).call_method1(method, arrays).ok()?;
            let number = answer.extract::<f64>().map(|number| vec![vec![number]]);
            let arrays = || {
                Some(
                    answer
                        .extract::<Vec<Vector>>()
                        .ok()?
                        .iter()
                        .map(|a| a.as_array().to_vec())
                        .collect(),
                )
            };
            number.ok().or_else(arrays)
        })
    };
    Ok(Some(Arc::new(Foreign(call))))
}

#[pyfunction]
pub fn loss_rows<'py>(py: Python<'py>, loss: Named, y: Vector, p: Vector) -> Fallible<(Array<'py>, Array<'py>, Array<'py>)> {
    let (y, p) = (y.as_array().to_vec(), p.as_array().to_vec());
    let [values, weights, responses] = py
        .detach(|| rows(&loss.0, &loss.1, &y, &p))?
        .map(|column| column.into_pyarray(py));
    Ok((values, weights, responses))
}

#[pyfunction]
pub fn loss_constant(py: Python<'_>, loss: Named, y: Vector, weights: Vector) -> Fallible<f64> {
    let (y, weights) = (y.as_array().to_vec(), weights.as_array().to_vec());
    Ok(py.detach(|| constant(&loss.0, &loss.1, &y, &weights))?)
}

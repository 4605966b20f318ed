//! Losses for Python: those of the engine by name, and those of users, which are Python objects.
use std::sync::Arc;

use multigene_core::evaluate::loss::{Loss, named};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::convert::{Array, Vector, value_error};

/// A loss by name with its numbers, or an object with `total`, `working` and `constant`; None for squared error.
pub fn given(loss: Bound<'_, PyAny>) -> PyResult<Option<Arc<dyn Loss>>> {
    match loss.extract::<(String, Vec<f64>)>() {
        Ok((name, numbers)) => named(&name, &numbers).map_err(value_error),
        Err(_) => Ok(Some(Arc::new(OwnLoss(loss.unbind())))),
    }
}

type Named = (String, Vec<f64>);
type Rows<'py> = (Array<'py>, Array<'py>, Array<'py>);

#[pyfunction]
pub fn loss_rows<'py>(py: Python<'py>, loss: Named, y: Vector<'py>, p: Vector<'py>) -> PyResult<Rows<'py>> {
    let (y, p) = (y.as_array(), p.as_array());
    let Some(loss) = named(&loss.0, &loss.1).map_err(value_error)? else {
        let squares = y.iter().zip(p).map(|(y, p)| (y - p).powi(2)).collect::<Vec<f64>>();
        return Ok((
            squares.into_pyarray(py),
            vec![1.0; y.len()].into_pyarray(py),
            y.to_vec().into_pyarray(py),
        ));
    };
    let values = y.iter().zip(p).map(|(&y, &p)| loss.value(y, p)).collect::<Vec<f64>>();
    let (w, z): (Vec<f64>, Vec<f64>) = y.iter().zip(p).map(|(&y, &p)| loss.working(y, p)).unzip();
    Ok((values.into_pyarray(py), w.into_pyarray(py), z.into_pyarray(py)))
}

#[pyfunction]
pub fn loss_constant(loss: Named, y: Vector<'_>, weights: Vector<'_>) -> PyResult<f64> {
    let (y, weights) = (y.as_array().to_vec(), weights.as_array().to_vec());
    let mean = || y.iter().zip(&weights).map(|(y, w)| y * w).sum::<f64>() / weights.iter().sum::<f64>();
    let loss = named(&loss.0, &loss.1).map_err(value_error)?;
    Ok(loss.map_or_else(mean, |loss| loss.constant(&y, &weights)))
}

/// A loss whose rows Python computes, all at once. What raises there is not a number here, which makes a model unfit.
#[derive(Debug)]
struct OwnLoss(Py<PyAny>);

impl OwnLoss {
    fn number(&self, name: &str, arrays: &[&[f64]]) -> f64 {
        Python::attach(|py| {
            let arrays: Vec<_> = arrays.iter().map(|values| PyArray1::from_slice(py, values)).collect();
            let called = match arrays.as_slice() {
                [y, weights] => self.0.call_method1(py, name, (y, weights)),
                [y, weights, p] => self.0.call_method1(py, name, (y, weights, p)),
                _ => return f64::NAN,
            };
            called.and_then(|value| value.extract(py)).unwrap_or(f64::NAN)
        })
    }
}

impl Loss for OwnLoss {
    fn value(&self, y: f64, p: f64) -> f64 {
        self.total(&[y], &[1.0], &[p])
    }

    fn working(&self, y: f64, p: f64) -> (f64, f64) {
        let (w, z) = self.working_rows(&[y], &[1.0], &[p]);
        (w[0], z[0])
    }

    fn gain(&self) -> f64 {
        1e-5 // every step calls Python
    }

    fn constant(&self, y: &[f64], weights: &[f64]) -> f64 {
        self.number("constant", &[y, weights])
    }

    fn total(&self, y: &[f64], weights: &[f64], p: &[f64]) -> f64 {
        self.number("total", &[y, weights, p])
    }

    fn working_rows(&self, y: &[f64], weights: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>) {
        Python::attach(|py| {
            let array = |values: &[f64]| PyArray1::from_slice(py, values);
            let arrays = (array(y), array(weights), array(p));
            let called = self.0.call_method1(py, "working", arrays);
            let read = |pair: Py<PyAny>| -> PyResult<(Vec<f64>, Vec<f64>)> {
                let (w, z): (PyReadonlyArray1<'_, f64>, PyReadonlyArray1<'_, f64>) = pair.extract(py)?;
                Ok((w.as_array().to_vec(), z.as_array().to_vec()))
            };
            let unknown = || (vec![f64::NAN; y.len()], p.to_vec());
            match called.and_then(read) {
                Ok((w, z)) if w.len() == y.len() && z.len() == y.len() => (w, z),
                _ => unknown(),
            }
        })
    }
}

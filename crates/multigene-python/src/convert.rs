//! Arrays, settings, errors and attributes across the boundary; work without the interpreter lock.
use multigene_core::error::{Error, Result};
use multigene_core::settings::read;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

/// Arguments and results.
pub type Vector<'py> = PyReadonlyArray1<'py, f64>;
pub type Matrix<'py> = PyReadonlyArray2<'py, f64>;
pub type Array<'py> = Bound<'py, PyArray1<f64>>;

/// A part of `multigene.settings`, read into the engine's struct `T` of the same fields. A new setting is a field there and one
/// in Python, and nothing in between.
pub struct Read<T>(pub T);

impl<'py, T: DeserializeOwned> FromPyObject<'_, 'py> for Read<T> {
    type Error = PyErr;

    fn extract(part: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text: String = part.getattr("json")?.extract()?;
        read(&text).map(Self).map_err(refused)
    }
}

/// Errors of the engine are the caller's: a `ValueError` with the same sentence.
pub fn refused(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Computes without the interpreter lock.
pub fn compute<T: Send>(py: Python, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(work).map_err(refused)
}

/// Attributes that the engine's value of a class knows.
macro_rules! attributes {
    ($class:ident($value:ident) { $($name:ident: $type:ty = $answer:expr,)* }) => {
        #[pymethods]
        impl $class {$(
            #[getter]
            fn $name(&self) -> $type {
                let $value = &self.0;
                $answer
            }
        )*}
    };
}
pub(crate) use attributes;

//! Python binding: module `multigene._engine`.
use pyo3::prelude::*;

#[pymodule]
mod _engine {}

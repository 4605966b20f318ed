//! `Workers` for Python: threads whose calls end at the deadline, and on Ctrl-C.
use std::sync::atomic::AtomicBool;

use multigene_core::error::Result as CoreResult;
use multigene_workers::Workers as Threads;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::convert::Fallible;

/// A pool of threads with a deadline.
#[pyclass(frozen, module = "multigene._engine")]
pub struct Workers(Threads);

#[pymethods]
impl Workers {
    #[new]
    #[pyo3(signature = (n_jobs, processor = false))]
    fn new(n_jobs: usize, processor: bool) -> Fallible<Self> {
        Ok(Self(Threads::new(n_jobs, processor)?))
    }

    fn part(&self, n_jobs: usize) -> Fallible<Self> {
        Ok(Self(self.0.part(n_jobs)?))
    }

    fn call(&self, py: Python<'_>, function: Py<PyAny>) -> PyResult<Py<PyAny>> {
        py.detach(|| self.0.install(|| Python::attach(|py| function.call0(py))))
    }

    fn watch(&self) -> bool {
        self.0.watch()
    }

    fn give_up(&self) {
        self.0.give_up();
    }

    fn set_deadline(&self, seconds: Option<f64>) {
        self.0.set_deadline(seconds);
    }

    #[getter]
    fn n_jobs(&self) -> usize {
        self.0.n_jobs()
    }
}

impl Workers {
    /// Runs `work` on the pool without the interpreter lock. On Ctrl-C it is told to stop; that is raised when it has.
    pub fn run<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&AtomicBool) -> CoreResult<R> + Send) -> Fallible<R> {
        let mut signal = None;
        let interrupted = || {
            signal = signal.take().or(Python::attach(|py| py.check_signals().err()));
            signal.is_some()
        };
        let result = py.detach(|| self.0.run(interrupted, work));
        match signal {
            Some(signal) => Err(signal.into()),
            None if self.0.given_up() => Err(PyRuntimeError::new_err("The workers of this call were given up.").into()),
            None => Ok(result?),
        }
    }
}

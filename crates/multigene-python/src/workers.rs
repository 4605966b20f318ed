//! `Workers` for Python: threads whose calls end at the deadline, and on Ctrl-C.
use std::sync::atomic::AtomicBool;

use multigene_core::error::Result;
use multigene_workers::Workers as Threads;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::convert::{attributes, refused};

/// A pool of threads with a deadline.
#[pyclass(frozen, module = "multigene._engine")]
pub struct Workers(Threads);

#[pymethods]
impl Workers {
    #[new]
    #[pyo3(signature = (n_jobs, processor = false))]
    fn new(n_jobs: usize, processor: bool) -> PyResult<Self> {
        Threads::new(n_jobs, processor).map(Self).map_err(refused)
    }

    fn part(&self, n_jobs: usize) -> PyResult<Self> {
        self.0.part(n_jobs).map(Self).map_err(refused)
    }

    fn call(&self, py: Python, function: Py<PyAny>) -> PyResult<Py<PyAny>> {
        py.detach(|| self.0.install(|| Python::attach(|py| function.call0(py))))
    }

    fn watch(&self) -> Option<f64> {
        self.0.watch()
    }

    fn give_up(&self) {
        self.0.give_up();
    }

    fn set_deadline(&self, seconds: Option<f64>) {
        self.0.set_deadline(seconds);
    }
}

attributes!(Workers(threads) {
    n_jobs: usize = threads.n_jobs(),
});

impl Workers {
    /// Runs `work` on the pool without the interpreter lock. On Ctrl-C it is told to stop; that is raised when it has.
    pub fn run<R: Send>(&self, py: Python, work: impl FnOnce(&AtomicBool) -> Result<R> + Send) -> PyResult<R> {
        let mut signal = None;
        let interrupted = || {
            signal = signal.take().or(Python::attach(|py| py.check_signals().err()));
            signal.is_some()
        };
        let result = py.detach(|| self.0.run(interrupted, work));
        match signal {
            Some(signal) => Err(signal),
            None if self.0.given_up() => Err(PyRuntimeError::new_err("The workers of this call were given up.")),
            None => result.map_err(refused),
        }
    }
}

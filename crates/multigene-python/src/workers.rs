//! Threads of a run, and how long native calls may take: they end early at the deadline and on Ctrl-C.
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// How often a running call looks at the clock and for signals.
const WATCH: Duration = Duration::from_millis(10);

/// A pool of threads with a deadline.
#[pyclass(frozen, module = "multigene._engine")]
pub struct Workers {
    pool: rayon::ThreadPool,
    deadline: Mutex<Option<Instant>>,
}

#[pymethods]
impl Workers {
    #[new]
    fn new(n_jobs: usize) -> PyResult<Self> {
        if n_jobs == 0 {
            return Err(PyValueError::new_err("n_jobs is 0; at least one thread is needed."));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_jobs).build();
        Ok(Self {
            pool: pool.map_err(|e| PyRuntimeError::new_err(e.to_string()))?,
            deadline: Mutex::new(None),
        })
    }

    #[getter]
    fn n_jobs(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Native calls end within a moment after so many seconds from now; None for no limit.
    #[pyo3(signature = (seconds))]
    fn set_deadline(&self, seconds: Option<f64>) {
        let deadline = seconds
            .and_then(|s| Duration::try_from_secs_f64(s.max(0.0)).ok())
            .and_then(|d| Instant::now().checked_add(d));
        *self.deadline.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = deadline;
    }
}

impl Workers {
    /// Runs `work` on the pool without the interpreter lock. It is told to stop at the deadline and on Ctrl-C; the latter is
    /// raised after it has stopped.
    pub fn run<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&AtomicBool) -> R + Send) -> PyResult<R> {
        let deadline = *self.deadline.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let passed = || deadline.is_some_and(|d| Instant::now() >= d);
        let stop = AtomicBool::new(passed());
        let (result, interrupt) = py.detach(|| {
            let (sender, receiver) = channel();
            let stop = &stop;
            self.pool.in_place_scope(|scope| {
                scope.spawn(move |_| drop(sender.send(work(stop))));
                let mut interrupt = None;
                loop {
                    match receiver.recv_timeout(WATCH) {
                        Ok(result) => return (Some(result), interrupt),
                        Err(RecvTimeoutError::Disconnected) => return (None, interrupt),
                        Err(RecvTimeoutError::Timeout) => {
                            let signal = Python::attach(|py| py.check_signals().err());
                            interrupt = interrupt.or(signal);
                            if interrupt.is_some() || passed() {
                                stop.store(true, Ordering::Relaxed);
                            }
                        }
                    }
                }
            })
        });
        match (interrupt, result) {
            (Some(signal), _) => Err(signal),
            (None, Some(result)) => Ok(result),
            (None, None) => Err(PyRuntimeError::new_err("a worker thread ended without a result")),
        }
    }
}

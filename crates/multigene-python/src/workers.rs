//! Threads of a run, and how long native calls may take: they end early at the deadline and on Ctrl-C.
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use multigene_core::error::Result as CoreResult;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::convert::value_error;

/// How often a running call looks at the clock and for signals.
const WATCH: Duration = Duration::from_millis(10);

/// When native calls are to end: at a moment, or when the process has used so much processor time.
#[derive(Clone, Copy)]
enum Deadline {
    Wall(Instant),
    Processor(f64),
}

/// A pool of threads with a deadline.
#[pyclass(frozen, module = "multigene._engine")]
pub struct Workers {
    pool: rayon::ThreadPool,
    /// Shared with the parts.
    deadline: Arc<Mutex<Option<Deadline>>>,
    /// Do deadlines count processor time?
    processor: bool,
    /// Seen by native calls of a function that runs on these threads (`call`).
    stop: AtomicBool,
    given_up: AtomicBool,
}

#[pymethods]
impl Workers {
    #[new]
    #[pyo3(signature = (n_jobs, processor = false))]
    fn new(n_jobs: usize, processor: bool) -> PyResult<Self> {
        Self::with_deadline(n_jobs, processor, Arc::default())
    }

    fn part(&self, n_jobs: usize) -> PyResult<Self> {
        Self::with_deadline(n_jobs, self.processor, Arc::clone(&self.deadline))
    }

    /// Native calls of the function on these workers stay on its thread: going to and fro between two threads at every call
    /// takes time, and the system tends to keep both on one processor.
    fn call(&self, py: Python<'_>, function: Py<PyAny>) -> PyResult<Py<PyAny>> {
        py.detach(|| self.pool.install(|| Python::attach(|py| function.call0(py))))
    }

    fn watch(&self, py: Python<'_>) -> bool {
        let passed = self.passed(py);
        if passed {
            self.stop.store(true, Relaxed);
        }
        passed
    }

    fn give_up(&self) {
        self.given_up.store(true, Relaxed);
        self.stop.store(true, Relaxed);
    }

    #[getter]
    fn n_jobs(&self) -> usize {
        self.pool.current_num_threads()
    }

    fn set_deadline(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<()> {
        let left = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
        let deadline = match left {
            Some(left) if self.processor => Some(Deadline::Processor(processor_time(py)? + left.as_secs_f64())),
            left => left.and_then(|left| Instant::now().checked_add(left)).map(Deadline::Wall),
        };
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
        Ok(())
    }
}

impl Workers {
    fn with_deadline(n_jobs: usize, processor: bool, deadline: Arc<Mutex<Option<Deadline>>>) -> PyResult<Self> {
        if n_jobs == 0 {
            return Err(PyValueError::new_err("n_jobs is 0; at least one thread is needed."));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_jobs).build();
        let pool = pool.map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
        let (stop, given_up) = (AtomicBool::new(false), AtomicBool::new(false));
        Ok(Self {
            pool,
            deadline,
            processor,
            stop,
            given_up,
        })
    }

    /// Has the deadline passed, or has the work been given up?
    fn passed(&self, py: Python<'_>) -> bool {
        let deadline = *self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        self.given_up.load(Relaxed)
            || match deadline {
                None => false,
                Some(Deadline::Wall(moment)) => Instant::now() >= moment,
                Some(Deadline::Processor(seconds)) => processor_time(py).is_ok_and(|now| now >= seconds),
            }
    }

    /// Runs `work` on the pool without the interpreter lock. It is told to stop at the deadline, on Ctrl-C and when it is
    /// given up; the latter two are raised after it has stopped, and so is its own error.
    pub fn run<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&AtomicBool) -> CoreResult<R> + Send) -> PyResult<R> {
        let result = if self.pool.current_thread_index().is_some() {
            self.watch(py);
            py.detach(|| work(&self.stop))
        } else {
            self.run_watched(py, work)?
        };
        if self.given_up.load(Relaxed) {
            return Err(PyRuntimeError::new_err("The workers of this call were given up."));
        }
        result.map_err(value_error)
    }

    /// Runs `work` on the pool while this thread looks at the clock and for signals.
    fn run_watched<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&AtomicBool) -> R + Send) -> PyResult<R> {
        let stop = &AtomicBool::new(self.passed(py));
        let mut interrupt = None;
        let result = py.detach(|| {
            let (sender, receiver) = channel();
            self.pool.in_place_scope(|scope| {
                scope.spawn(move |_| drop(sender.send(work(stop))));
                loop {
                    match receiver.recv_timeout(WATCH) {
                        Err(RecvTimeoutError::Timeout) => {
                            let passed = Python::attach(|py| {
                                interrupt = interrupt.take().or(py.check_signals().err());
                                self.passed(py)
                            });
                            if interrupt.is_some() || passed {
                                stop.store(true, Relaxed);
                            }
                        }
                        ended => return ended.ok(),
                    }
                }
            })
        });
        let ended = || PyRuntimeError::new_err("a worker thread ended without a result");
        interrupt.map_or_else(|| result.ok_or_else(ended), Err)
    }
}

/// Processor time of the process so far, in seconds, by the clock that Python's runs are measured with.
fn processor_time(py: Python<'_>) -> PyResult<f64> {
    py.import("time")?.call_method0("process_time")?.extract()
}

//! Threads of a run, and how long native calls may take: they end early at the deadline and on Ctrl-C.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// How often a running call looks at the clock and for signals.
const WATCH: Duration = Duration::from_millis(10);

/// A pool of threads with a deadline.
#[pyclass(frozen, module = "multigene._engine")]
pub struct Workers {
    pool: rayon::ThreadPool,
    /// Shared with the parts.
    deadline: Arc<Mutex<Option<Instant>>>,
    /// Seen by native calls of a function that runs on these threads (`call`).
    stop: AtomicBool,
    given_up: AtomicBool,
}

#[pymethods]
impl Workers {
    #[new]
    fn new(n_jobs: usize) -> PyResult<Self> {
        Self::with_deadline(n_jobs, Arc::default())
    }

    /// Threads of their own for calls that run beside others, with the same deadline.
    fn part(&self, n_jobs: usize) -> PyResult<Self> {
        Self::with_deadline(n_jobs, Arc::clone(&self.deadline))
    }

    /// Calls a function of Python on one of the threads. Its native calls on these workers stay there: going to and fro between
    /// two threads at every call takes time, and the system tends to keep both on one processor.
    fn call(&self, py: Python<'_>, function: Py<PyAny>) -> PyResult<Py<PyAny>> {
        py.detach(|| self.pool.install(|| Python::attach(|py| function.call0(py))))
    }

    /// Native calls of a function that runs on these threads are told if the deadline has passed.
    fn watch(&self) {
        if self.passed() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Native calls that run end within a moment and raise, later ones raise at once: nobody waits for their results.
    fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
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
    fn with_deadline(n_jobs: usize, deadline: Arc<Mutex<Option<Instant>>>) -> PyResult<Self> {
        if n_jobs == 0 {
            return Err(PyValueError::new_err("n_jobs is 0; at least one thread is needed."));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_jobs).build();
        Ok(Self {
            pool: pool.map_err(|e| PyRuntimeError::new_err(e.to_string()))?,
            deadline,
            stop: AtomicBool::new(false),
            given_up: AtomicBool::new(false),
        })
    }

    /// Has the deadline passed, or has the work been given up?
    fn passed(&self) -> bool {
        let deadline = *self.deadline.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.given_up() || deadline.is_some_and(|d| Instant::now() >= d)
    }

    fn given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Runs `work` on the pool without the interpreter lock. It is told to stop at the deadline, on Ctrl-C and when it is
    /// given up; the latter two are raised after it has stopped.
    pub fn run<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&AtomicBool) -> R + Send) -> PyResult<R> {
        let (result, interrupt) = if self.pool.current_thread_index().is_some() {
            self.watch();
            (Some(py.detach(|| work(&self.stop))), None)
        } else {
            self.run_watched(py, work)
        };
        match (interrupt, result) {
            (Some(signal), _) => Err(signal),
            (None, _) if self.given_up() => Err(PyRuntimeError::new_err("The workers of this call were given up.")),
            (None, Some(result)) => Ok(result),
            (None, None) => Err(PyRuntimeError::new_err("a worker thread ended without a result")),
        }
    }

    /// Runs `work` on the pool while this thread looks at the clock and for signals.
    fn run_watched<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&AtomicBool) -> R + Send) -> (Option<R>, Option<PyErr>) {
        let stop = AtomicBool::new(self.passed());
        py.detach(|| {
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
                            if interrupt.is_some() || self.passed() {
                                stop.store(true, Ordering::Relaxed);
                            }
                        }
                    }
                }
            })
        })
    }
}

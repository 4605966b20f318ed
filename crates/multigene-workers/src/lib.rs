//! Threads of a run, and how long calls on them may take: they end early at the deadline, and when the caller asks for it.
//!
//! The engine itself looks at no clock. A flag tells work on these threads to end; verbs of a population look at it between
//! individuals.
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use multigene_core::error::{Error, Result};

/// How often a running call looks at the clock.
const WATCH: Duration = Duration::from_millis(10);

/// How long workers that are no longer needed are waited for, and how often they are looked at. They end at once unless something
/// keeps them, which is not waited for.
const FAREWELL: Duration = Duration::from_millis(100);
const FAREWELL_LOOK: Duration = Duration::from_micros(100);

/// When calls are to end: at a moment, or when the process has used this much processor time.
#[derive(Clone, Copy, Debug)]
enum Deadline {
    Wall(Instant),
    Processor(Duration),
}

/// A pool of threads with a deadline.
#[derive(Debug)]
pub struct Workers {
    pool: Threads,
    /// Shared with the parts.
    deadline: Arc<Mutex<Option<Deadline>>>,
    /// Do deadlines count processor time?
    processor: bool,
    /// Seen by calls of a function that runs on these threads ([`Workers::install`]).
    stop: AtomicBool,
    given_up: AtomicBool,
}

impl Workers {
    /// This many threads; with `processor` a deadline counts processor time.
    pub fn new(n_jobs: usize, processor: bool) -> Result<Self> {
        Self::with_deadline(n_jobs, processor, Arc::default())
    }

    /// Threads of their own with the same deadline.
    pub fn part(&self, n_jobs: usize) -> Result<Self> {
        Self::with_deadline(n_jobs, self.processor, Arc::clone(&self.deadline))
    }

    fn with_deadline(n_jobs: usize, processor: bool, deadline: Arc<Mutex<Option<Deadline>>>) -> Result<Self> {
        if n_jobs == 0 {
            return Err(Error::new("n_jobs is 0; at least one thread is needed."));
        }
        Ok(Self {
            pool: Threads::new(n_jobs)?,
            deadline,
            processor,
            stop: AtomicBool::new(false),
            given_up: AtomicBool::new(false),
        })
    }

    /// Number of threads.
    pub fn n_jobs(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// From now on calls end within a moment after this many seconds; None for no limit.
    pub fn set_deadline(&self, seconds: Option<f64>) {
        let left = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
        let deadline = left.and_then(|left| match self.processor {
            true => processor_time().checked_add(left).map(Deadline::Processor),
            false => Instant::now().checked_add(left).map(Deadline::Wall),
        });
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// Calls that run end within a moment, later ones at once: nobody waits for their results.
    pub fn give_up(&self) {
        self.given_up.store(true, Relaxed);
        self.stop.store(true, Relaxed);
    }

    /// Has the work been given up?
    pub fn given_up(&self) -> bool {
        self.given_up.load(Relaxed)
    }

    /// Seconds to the deadline, None without one; at 0.0 calls of a function that runs on these threads are told.
    pub fn watch(&self) -> Option<f64> {
        let left = self.left();
        if left == Some(0.0) {
            self.stop.store(true, Relaxed);
        }
        left
    }

    /// Seconds to the deadline, 0.0 where the work has been given up.
    fn left(&self) -> Option<f64> {
        if self.given_up() {
            return Some(0.0);
        }
        let deadline = *self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        deadline.map(|deadline| match deadline {
            Deadline::Wall(moment) => moment.saturating_duration_since(Instant::now()).as_secs_f64(),
            Deadline::Processor(used) => used.saturating_sub(processor_time()).as_secs_f64(),
        })
    }

    /// Has the deadline passed, or has the work been given up?
    fn passed(&self) -> bool {
        self.left() == Some(0.0)
    }

    /// Runs a function on one of the threads. What it calls on these workers stays there: going to and fro between two threads
    /// at every call takes time, and the system tends to keep both on one processor.
    pub fn install<R: Send>(&self, function: impl FnOnce() -> R + Send) -> R {
        self.pool.install(function)
    }

    /// Runs `work` on the pool. It is told to stop at the deadline, when it is given up, and when `interrupted`, which the waiting
    /// thread asks every few milliseconds, says so.
    pub fn run<R: Send>(
        &self,
        interrupted: impl FnMut() -> bool,
        work: impl FnOnce(&AtomicBool) -> Result<R> + Send,
    ) -> Result<R> {
        if self.pool.current_thread_index().is_none() {
            return self.run_watched(interrupted, work);
        }
        self.watch();
        work(&self.stop)
    }

    fn run_watched<R: Send>(
        &self,
        mut interrupted: impl FnMut() -> bool,
        work: impl FnOnce(&AtomicBool) -> Result<R> + Send,
    ) -> Result<R> {
        let stop = &AtomicBool::new(self.passed());
        let (sender, receiver) = channel();
        self.pool.in_place_scope(|scope| {
            scope.spawn(move |_| drop(sender.send(work(stop))));
            loop {
                match receiver.recv_timeout(WATCH) {
                    Ok(result) => return result,
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(Error::new("A worker thread ended without a result."));
                    }
                    Err(RecvTimeoutError::Timeout) if interrupted() || self.passed() => stop.store(true, Relaxed),
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    }
}

/// A pool whose threads have ended when it is dropped: Rayon's end later, and what they hold of memory adds up over many runs.
#[derive(Debug)]
struct Threads {
    /// Present until it is dropped.
    pool: Option<rayon::ThreadPool>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    fn new(n_jobs: usize) -> Result<Self> {
        let mut handles = Vec::with_capacity(n_jobs);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_jobs)
            .spawn_handler(|worker| {
                handles.push(thread::Builder::new().spawn(|| worker.run())?);
                Ok(())
            })
            .build()
            .map_err(|error| Error::new(error.to_string()))?;
        Ok(Self {
            pool: Some(pool),
            handles,
        })
    }
}

impl Deref for Threads {
    type Target = rayon::ThreadPool;

    fn deref(&self) -> &rayon::ThreadPool {
        self.pool.as_ref().expect("the pool is there until it is dropped")
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        drop(self.pool.take());
        let until = Instant::now() + FAREWELL;
        for handle in self.handles.drain(..) {
            while !handle.is_finished() && Instant::now() < until {
                thread::sleep(FAREWELL_LOOK);
            }
            if handle.is_finished() {
                drop(handle.join());
            }
        }
    }
}

/// Processor time of the process so far: the clock of Python's `time.process_time`.
fn processor_time() -> Duration {
    ProcessTime::try_now().map_or(Duration::ZERO, |now| now.as_duration())
}

//! Calls on workers end at the deadline, when they are interrupted and when they are given up.
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use multigene_core::error::Result;
use multigene_workers::Workers;

/// Work without an end but the flag.
fn until_told(stop: &AtomicBool) -> Result<&'static str> {
    while !stop.load(Relaxed) {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok("told")
}

/// Work that uses the processor until it is told to stop.
fn busy(stop: &AtomicBool) -> Result<u64> {
    let mut turns = 0;
    while !stop.load(Relaxed) {
        turns += 1;
    }
    Ok(turns)
}

/// Threads of this process.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("a list of threads").count()
}

#[test]
#[cfg(target_os = "linux")]
fn threads_have_ended_when_their_workers_are_dropped() {
    // Other tests begin and end threads as well: of many trials most find fewer threads at once.
    let ended = (0..20)
        .filter(|_| {
            let workers = Workers::new(8, false).unwrap();
            workers.run(|| false, |_| Ok(())).unwrap();
            let before = threads();
            drop(workers);
            threads() + 8 <= before
        })
        .count();
    assert!(ended >= 15, "{ended} of 20");
}

#[test]
fn no_threads_are_an_error() {
    assert!(Workers::new(0, false).unwrap_err().to_string().contains("n_jobs is 0"));
}

#[test]
fn a_deadline_ends_work() {
    let workers = Workers::new(1, false).unwrap();
    workers.set_deadline(Some(0.02));
    assert_eq!(workers.run(|| false, until_told), Ok("told"));
    // It stays passed, until another is set.
    workers.set_deadline(Some(0.0));
    assert_eq!(workers.run(|| false, |stop| Ok(stop.load(Relaxed))), Ok(true));
    workers.set_deadline(None);
    assert_eq!(workers.run(|| false, |stop| Ok(stop.load(Relaxed))), Ok(false));
}

#[test]
fn a_deadline_of_processor_time_ends_work() {
    let workers = Workers::new(1, true).unwrap();
    workers.set_deadline(Some(0.02));
    assert!(workers.run(|| false, busy).unwrap() > 0);
}

#[test]
fn parts_share_the_deadline() {
    let workers = Workers::new(2, false).unwrap();
    let part = workers.part(1).unwrap();
    workers.set_deadline(Some(0.02));
    assert_eq!((part.n_jobs(), part.run(|| false, until_told)), (1, Ok("told")));
}

#[test]
fn who_waits_may_interrupt() {
    let workers = Workers::new(1, false).unwrap();
    assert_eq!(workers.run(|| true, until_told), Ok("told"));
}

#[test]
fn calls_inside_see_the_deadline_at_their_start() {
    let workers = Workers::new(1, false).unwrap();
    workers.set_deadline(Some(0.0));
    let inside = workers.install(|| workers.run(|| false, until_told));
    assert_eq!(inside, Ok("told"));
}

#[test]
fn work_given_up_ends() {
    let workers = Workers::new(1, false).unwrap();
    workers.give_up();
    assert_eq!((workers.run(|| false, until_told), workers.given_up()), (Ok("told"), true));
    assert_eq!(workers.install(|| workers.run(|| false, until_told)), Ok("told"));
}

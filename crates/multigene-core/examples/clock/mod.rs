//! The clock of the measurements.

/// Seconds that this thread has spent on a processor (Linux), so that other work on the machine counts less.
pub fn processor_seconds() -> f64 {
    std::thread::yield_now(); // brings the account up to date
    let account = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux keeps accounts of threads");
    let nanoseconds = account.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
    nanoseconds.expect("nanoseconds come first") / 1e9
}

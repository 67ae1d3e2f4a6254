//! Asks the scheduler for short slices of the processor.
//!
//! Owns: the call of the system, with the `unsafe` that it takes. Never does: change a thread's priority, policy or share of the
//! processor. Invariants: a program computes the same with and without it.
//! Why: where threads are more than processors, one that wakes up waits until the slice of the one that runs is over, 3 ms by
//! default. What a burst of records costs an order of others is this wait, not the work (`docs/benchmarks.md`, copy trading).
//! Known limits: Linux 6.12 and later; others ignore what is asked or refuse it, and the answer says so.

use std::io;
use std::time::Duration;

/// Gives this thread, and those that it starts later, slices of this length; what the system says that they have now, which
/// is zero where it does not know.
///
/// # Errors
/// What the system says to it.
#[cfg(target_os = "linux")]
pub fn shorten(slice: Duration) -> io::Result<Duration> {
    let mut attributes = read()?;
    attributes.sched_runtime = u64::try_from(slice.as_nanos()).unwrap_or(u64::MAX);
    #[allow(unsafe_code)]
    // SAFETY: the call reads the struct, whose field `size` tells its length, and writes that field at most.
    let done = unsafe { libc::syscall(libc::SYS_sched_setattr, THIS_THREAD, &raw mut attributes, NO_FLAGS) };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Duration::from_nanos(read()?.sched_runtime))
}

/// The same, where there is no such call.
///
/// # Errors
/// Always: it is not supported.
#[cfg(not(target_os = "linux"))]
pub fn shorten(_slice: Duration) -> io::Result<Duration> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
const THIS_THREAD: libc::pid_t = 0;
#[cfg(target_os = "linux")]
const NO_FLAGS: libc::c_uint = 0;

/// What the scheduler knows of this thread.
#[cfg(target_os = "linux")]
fn read() -> io::Result<libc::sched_attr> {
    let size = size_of::<libc::sched_attr>() as u32;
    let mut attributes = libc::sched_attr {
        size,
        sched_policy: 0,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: 0,
        sched_deadline: 0,
        sched_period: 0,
    };
    #[allow(unsafe_code)]
    // SAFETY: the call writes at most `size` bytes, which the struct has, and all of its fields are numbers.
    let done = unsafe { libc::syscall(libc::SYS_sched_getattr, THIS_THREAD, &raw mut attributes, size, NO_FLAGS) };
    if done == 0 { Ok(attributes) } else { Err(io::Error::last_os_error()) }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The shortest that Linux knows.
    const SHORTEST: Duration = Duration::from_micros(100);

    #[test]
    fn a_thread_and_those_that_it_starts_have_what_the_system_says() {
        let priority = |attributes: libc::sched_attr| (attributes.sched_policy, attributes.sched_nice);
        let before = priority(read().unwrap());
        let slice = shorten(SHORTEST).unwrap();
        // An older system knows of no slice.
        assert!(slice == SHORTEST || slice == Duration::ZERO, "{slice:?}");
        assert_eq!(priority(read().unwrap()), before);
        let started = std::thread::spawn(|| read().unwrap().sched_runtime).join().unwrap();
        assert_eq!(u128::from(started), slice.as_nanos());
    }
}

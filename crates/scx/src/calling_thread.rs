//! What a thread asks of Linux for itself: its processors, and to be woken when it is due.

use crate::MOST_PROCESSORS;
use std::io;

/// A set of the machine's processors, of any number.
pub(crate) struct ProcessorSet(libc::cpu_set_t);

impl ProcessorSet {
    /// The processors on which a thread may execute; thread 0 is the calling one.
    pub(crate) fn of(thread: libc::pid_t) -> io::Result<Self> {
        // SAFETY: a set is plain words, all zero for none; the call stays within it.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            if libc::sched_getaffinity(thread, size_of::<libc::cpu_set_t>(), &mut set) != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(ProcessorSet(set))
        }
    }

    /// The set of one processor.
    pub(crate) fn only(processor: u32) -> Self {
        // SAFETY: a set is plain words, all zero for none; the call stays within it.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(processor as usize, &mut set);
            ProcessorSet(set)
        }
    }

    fn has(&self, processor: u32) -> bool {
        // SAFETY: the caller's numbers are below `CPU_SETSIZE`, so the call stays within the set.
        unsafe { libc::CPU_ISSET(processor as usize, &self.0) }
    }

    /// The set with a bit for each processor, or the first processor that has none.
    fn bits(&self) -> Result<u64, u32> {
        match (MOST_PROCESSORS..libc::CPU_SETSIZE as u32).find(|processor| self.has(*processor)) {
            Some(high) => Err(high),
            None => Ok((0..MOST_PROCESSORS).fold(0, |all, at| all | u64::from(self.has(at)) << at)),
        }
    }

    /// Has the calling thread execute on these processors alone.
    pub(crate) fn allow(&self) {
        // SAFETY: the call stays within the set.
        let failed = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &self.0) };
        assert_eq!(failed, 0, "the thread may have these processors: {}", io::Error::last_os_error());
    }
}

/// The processors on which a thread may execute, a bit each. Without a bit for one of them, it is refused.
pub(crate) fn affinity(thread: libc::pid_t) -> io::Result<u64> {
    ProcessorSet::of(thread)?.bits().map_err(|high| {
        let why = format!(
            "thread {thread} may execute on processor {high}, and schedulers in the kernel take processors below \
             {MOST_PROCESSORS}; bind it to others (taskset)"
        );
        io::Error::new(io::ErrorKind::InvalidInput, why)
    })
}

/// Has the kernel wake the calling thread when it is due: threads of no real-time class are else woken up to 50 us
/// late.
pub(crate) fn wake_exactly() {
    // SAFETY: it takes no memory. One nanosecond is the least.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
    }
}

/// Has the calling thread sleep until the monotonic clock shows `at`, or a signal comes.
pub(crate) fn sleep_until(at: u64) {
    let until = libc::timespec {
        tv_sec: (at / 1_000_000_000) as libc::time_t,
        tv_nsec: (at % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: `until` outlives the call.
    unsafe {
        libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &until, std::ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_with_a_processor_that_has_no_bit_is_none_of_bits() {
        for (highest, bits) in [(0, Ok(1)), (63, Ok(1 | 1 << 63)), (64, Err(64)), (1023, Err(1023))] {
            let mut set = ProcessorSet::only(highest);
            // SAFETY: the call stays within the set.
            unsafe { libc::CPU_SET(0, &mut set.0) };
            assert_eq!(set.bits(), bits, "processors 0 and {highest}");
        }
    }

    /// A thread that binds itself for a moment has all of its processors afterwards.
    #[test]
    fn a_set_is_given_back_as_it_was() {
        let before = ProcessorSet::of(0).expect("a thread may ask for its own processors");
        let first = (0..libc::CPU_SETSIZE as u32).find(|at| before.has(*at)).expect("it executes on one");
        ProcessorSet::only(first).allow();
        assert_eq!(ProcessorSet::of(0).unwrap().bits(), ProcessorSet::only(first).bits());
        before.allow();
        let after = ProcessorSet::of(0).unwrap();
        assert!((0..libc::CPU_SETSIZE as u32).all(|at| before.has(at) == after.has(at)));
    }
}

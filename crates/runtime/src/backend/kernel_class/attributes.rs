//! The scheduling attributes that the kernel gives a task's thread, and in words why it refuses them.

use crate::machine::refusal::Refusal;
use crate::machine::sys::{self, Tid};
use schedlab_lab::KernelParameters;
use std::io;

/// Gives `thread` the parameters that its task needs.
pub(crate) fn give(thread: Tid, parameters: KernelParameters) -> Result<(), Refusal> {
    match parameters {
        KernelParameters::Fifo(priority) => sys::set_fifo(thread, priority).map_err(Refusal::Priority),
        // What each thread is at first.
        KernelParameters::Ordinary => Ok(()),
        KernelParameters::Deadline { budget, relative_deadline, period } => {
            let lengths = [budget.as_ns(), relative_deadline.as_ns(), period.as_ns()];
            sys::set_deadline(thread, lengths).map_err(refused)
        }
    }
}

/// The refusal, in words, of a reservation that the kernel does not give.
fn refused(error: io::Error) -> Refusal {
    match error.raw_os_error() {
        Some(libc::EBUSY) => Refusal::Admission(error),
        Some(libc::EPERM) => Refusal::RootDomain(error),
        _ => Refusal::Reservation(error),
    }
}

/// Lets `thread` use `processors`, which are `allowed` to the process.
///
/// The kernel refuses to set the affinity of a thread with a reservation; so nothing is set where nothing changes.
pub(crate) fn place(thread: Tid, processors: &[usize], allowed: &[usize]) -> Result<(), Refusal> {
    if processors == allowed {
        return Ok(());
    }
    let failed = |error| Refusal::System { what: "binding a thread to its processors", error };
    sys::allow_processors(thread, processors).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_refuses_is_said_in_words() {
        let text = |code| refused(io::Error::from_raw_os_error(code)).to_string();
        assert!(text(libc::EBUSY).contains("admission"), "{}", text(libc::EBUSY));
        assert!(text(libc::EPERM).contains("cpuset"), "{}", text(libc::EPERM));
        assert!(text(libc::EINVAL).contains("sched_deadline_period"), "{}", text(libc::EINVAL));
    }
}

//! Scheduling classes of Linux's threads, where several stand beside each other.

use crate::named::named;

named! {
    /// Scheduling class of a task's thread under the kernel's own scheduler. An earlier one goes before later ones.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ThreadClass {
        /// `SCHED_DEADLINE`: a budget in each period, the earliest deadline first.
        Deadline: "deadline",
        /// `SCHED_FIFO`: fixed priorities.
        #[default]
        Fifo: "fifo",
        /// `SCHED_OTHER`: the time that the others leave.
        Ordinary: "ordinary",
    }
}

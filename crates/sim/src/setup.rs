//! The input of a simulation, and the summary of its result.

use crate::charges::Charges;
use schedlab_model::{Instant, Overrun, Platform, Task};

/// Everything that a simulation depends on, besides policies, protocol and source of jobs.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The tasks; each one's cluster exists on the platform.
    pub tasks: Vec<Task>,
    /// The machine.
    pub platform: Platform,
    /// The overheads, as times that the machine takes for itself.
    pub charges: Charges,
    /// The treatment of jobs that exceed their WCETs.
    pub overruns: Overrun,
    /// End of the experiment: no job arrives at or after it, and jobs that are not complete by then are unfinished.
    pub horizon: Instant,
}

/// The summary of a finished simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Jobs that arrived before the horizon.
    pub jobs_arrived: u64,
    /// Jobs that received all their cost by the horizon.
    pub jobs_completed: u64,
    /// Jobs that were late, including unfinished ones whose deadline is not after the horizon.
    pub jobs_missed: u64,
    /// Instants at which something happened.
    pub instants: u64,
    /// True if the watcher stopped the simulation before its horizon.
    pub stopped: bool,
}

//! What a domain needs of the run around it.

use crate::engine::enforcer::Enforcer;
use crate::machine::clock::Clock;
use crate::timers::alarm::Alarm;

/// What a domain needs of the run.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub clock: &'a Clock,
    /// What makes decisions true for the threads of tasks.
    pub threads: &'a dyn Enforcer,
    pub alarms: &'a [Alarm],
    /// By processor of the system: the machine's.
    pub processors: &'a [usize],
    /// The real-time priority of tasks' threads; none in a run without privilege.
    pub priority: Option<u8>,
}

//! The parts of a run that a domain uses.

use crate::engine::enforcer::Enforcer;
use crate::machine::clock::Clock;
use crate::timers::alarm::Alarm;

/// The parts of a run that a domain uses.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub clock: &'a Clock,
    /// The enforcer, which makes decisions true for the threads of tasks.
    pub threads: &'a dyn Enforcer,
    pub alarms: &'a [Alarm],
    /// By processor of the system: the machine's number of it.
    pub processors: &'a [usize],
    /// The real-time priority of tasks' threads; none in a run without privilege.
    pub priority: Option<u8>,
}

//! What to do about a locking protocol that refuses a scenario.
//!
//! Other protocols and schedulers are tried before they are named: who follows a hint is not refused again.

use crate::joining;
use crate::placement::place;
use crate::scenario::Scenario;
use schedlab_lock::{LockError, ALL_PROTOCOLS};

/// One of each kind that protocols tell apart.
const SCHEDULERS: [&str; 5] = ["P-EDF", "P-RM", "G-EDF", "G-RM", "PD2"];

/// How many protocols are named at most.
const NAMED: usize = 3;

impl Scenario {
    /// What would be allowed instead of what `error` refuses.
    pub(crate) fn ways_out(&self, error: &LockError) -> String {
        let mut ways: Vec<String> = error.allowed().map(str::to_owned).into_iter().collect();
        if error.is_of_scheduler() {
            ways.extend(self.another_scheduler().map(|name| format!("a scheduler such as {name}")));
        }
        let others = if error.is_of_protocol() { self.other_protocols() } else { Vec::new() };
        if !others.is_empty() {
            ways.push(format!("a protocol such as {}", others.join(", ")));
        }
        ways.join(", or ")
    }

    /// The first that takes the scenario with its protocol.
    fn another_scheduler(&self) -> Option<&'static str> {
        let mut scenario = self.clone();
        SCHEDULERS.into_iter().find(|name| {
            scenario.scheduler.name = (*name).to_owned();
            scenario.is_taken()
        })
    }

    /// The first that take the scenario under its scheduler. To use no protocol is the last resort, and always possible, but under a
    /// scheduler that follows holders.
    fn other_protocols(&self) -> Vec<&'static str> {
        let mut scenario = self.clone();
        let (none, others) = ALL_PROTOCOLS.split_first().expect("there are protocols");
        let mut taking = others.iter().map(|protocol| protocol.name).filter(|name| {
            scenario.protocol = (*name).to_owned();
            scenario.is_taken()
        });
        let mut named: Vec<&str> = taking.by_ref().take(NAMED).collect();
        let follows_holders = self.known_scheduler().is_some_and(|scheduler| scheduler.follows_holders());
        if named.is_empty() && !follows_holders {
            named.push(none.name);
        }
        named
    }

    /// Whether nothing is wrong with the scenario under its scheduler and protocol. Other faults depend on none of those that are tried.
    fn is_taken(&self) -> bool {
        let known = self.known_protocol().zip(self.known_scheduler());
        let (Some((protocol, scheduler)), Ok((tasks, _))) = (known, place(self)) else { return false };
        joining::faults(self).is_empty()
            && self.try_protocol(protocol, &scheduler, &self.model_platform(), &tasks).is_ok()
    }
}

//! What can be named: schedulers, locking protocols and tests, those of the library and those that a user adds.
//!
//! A scenario file names shipped ones only, so that any installation reads it. [`Catalog::under`] and
//! [`Catalog::sharing`] put a scenario under an added one, and [`Prepared::of`](crate::Prepared::of) looks names up here.

use crate::error::PrepareError;
use crate::findings::all_tests;
use schedlab_analysis::Test;
use schedlab_lock::{find_protocol, Protocol, UnknownProtocol, ALL_PROTOCOLS};
use schedlab_policy::{all_schedulers, find, Scheduler};
use schedlab_scenario::{Errors, Scenario};

/// Everything that a scenario or a question may name.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    schedulers: Vec<Scheduler>,
    protocols: Vec<Protocol>,
    tests: Vec<&'static Test>,
}

/// Why a catalogue does not take an entry, or has none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// This kind has the name already.
    #[error("there is a {kind} \"{name}\" already")]
    Taken {
        /// Which kind.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// No file could hold this name.
    #[error("{0:?} is no name; allowed: text without slashes and control characters, not empty")]
    NoName(String),
    /// The scenario is not for what was named, or no shipped entry has the name; nor has one of these, which were added.
    #[error("{errors}{}", of_your_own(.added))]
    Refused {
        /// What is said of the shipped ones.
        errors: Errors,
        /// The names of those that were added.
        added: Vec<String>,
    },
}

/// What follows the names of shipped ones in an error.
fn of_your_own(added: &[String]) -> String {
    match added {
        [] => String::new(),
        added => format!("; and {} of your own", added.join(", ")),
    }
}

impl Catalog {
    /// What the library has.
    pub fn shipped() -> Catalog {
        Catalog::default()
    }

    /// With a scheduler of the user's own.
    pub fn with_scheduler(mut self, scheduler: Scheduler) -> Result<Catalog, CatalogError> {
        for name in scheduler.names() {
            vacant("scheduler", name, self.scheduler(name).is_some())?;
        }
        self.schedulers.push(scheduler);
        Ok(self)
    }

    /// Without the added scheduler of this name, if there is one.
    pub fn without_scheduler(mut self, name: &str) -> Catalog {
        self.schedulers.retain(|known| !known.name.eq_ignore_ascii_case(name));
        self
    }

    /// With a locking protocol of the user's own.
    pub fn with_protocol(mut self, protocol: Protocol) -> Result<Catalog, CatalogError> {
        vacant("locking protocol", protocol.name, self.protocol(protocol.name).is_some())?;
        self.protocols.push(protocol);
        Ok(self)
    }

    /// With a test of the user's own.
    pub fn with_test(mut self, test: &'static Test) -> Result<Catalog, CatalogError> {
        vacant("test", test.name, self.test(test.name).is_some())?;
        self.tests.push(test);
        Ok(self)
    }

    /// Every scheduler, the added ones last.
    pub fn schedulers(&self) -> impl Iterator<Item = Scheduler> + '_ {
        all_schedulers().into_iter().chain(self.schedulers.iter().cloned())
    }

    /// Every locking protocol, the added ones last.
    pub fn protocols(&self) -> impl Iterator<Item = &Protocol> {
        ALL_PROTOCOLS.iter().chain(&self.protocols)
    }

    /// Every test that is asked where it speaks of the scheduler, the added ones last.
    pub fn tests(&self) -> impl Iterator<Item = &'static Test> + '_ {
        all_tests().chain(self.added_tests().iter().copied())
    }

    /// The tests that were added.
    pub fn added_tests(&self) -> &[&'static Test] {
        &self.tests
    }

    /// The scheduler of this name or alias, in any case.
    pub fn scheduler(&self, name: &str) -> Option<Scheduler> {
        self.added_scheduler(name).cloned().or_else(|| find(name).ok())
    }

    /// The locking protocol of this name, in any case.
    pub fn protocol(&self, name: &str) -> Option<Protocol> {
        self.added_protocol(name).or_else(|| find_protocol(name).ok()).copied()
    }

    /// The test of this name.
    pub fn test(&self, name: &str) -> Option<&'static Test> {
        self.tests().find(|test| test.name == name)
    }

    /// `scenario` under the scheduler of this name.
    pub fn under(&self, scenario: Scenario, name: &str) -> Result<Scenario, CatalogError> {
        let made = match self.added_scheduler(name) {
            Some(own) => scenario.with_own_scheduler(&own.name, own.scope),
            None => scenario.with_scheduler(name),
        };
        let is_known = || self.scheduler(name).is_some();
        let names = || self.schedulers.iter().map(|added| added.name.clone()).collect();
        made.map_err(|errors| refused(errors, is_known(), names))
    }

    /// `scenario` with the locking protocol of this name.
    pub fn sharing(&self, scenario: Scenario, name: &str) -> Result<Scenario, CatalogError> {
        let made = match self.added_protocol(name) {
            Some(own) => scenario.with_own_protocol(own.name),
            None => scenario.with_protocol(name),
        };
        let is_known = || self.protocol(name).is_some();
        let names = || self.protocols.iter().map(|added| added.name.to_owned()).collect();
        made.map_err(|errors| refused(errors, is_known(), names))
    }

    /// The scheduler of `scenario`.
    pub(crate) fn scheduler_of(&self, scenario: &Scenario) -> Result<Scheduler, PrepareError> {
        let name = scenario.scheduler_name();
        match self.added_scheduler(name) {
            Some(own) => Ok(own.clone()),
            None => find(name).map_err(PrepareError::Scheduler),
        }
    }

    /// The locking protocol of `scenario`.
    pub(crate) fn protocol_of(&self, scenario: &Scenario) -> Result<Protocol, PrepareError> {
        let name = scenario.protocol_name();
        let unknown = || PrepareError::Protocol(UnknownProtocol { name: name.to_owned() });
        self.protocol(name).ok_or_else(unknown)
    }

    fn added_scheduler(&self, name: &str) -> Option<&Scheduler> {
        let wanted = name.trim();
        let is_it = |known: &&Scheduler| known.names().any(|known| known.eq_ignore_ascii_case(wanted));
        self.schedulers.iter().find(is_it)
    }

    fn added_protocol(&self, name: &str) -> Option<&Protocol> {
        let wanted = name.trim();
        self.protocols.iter().find(|known| known.name.eq_ignore_ascii_case(wanted))
    }
}

/// Whether an entry of this kind may have `name`.
fn vacant(kind: &'static str, name: &str, is_taken: bool) -> Result<(), CatalogError> {
    let name = name.to_owned();
    if name.trim().is_empty()
        || name.trim() != name
        || name.contains(|one: char| one.is_control() || one == '/')
    {
        return Err(CatalogError::NoName(name));
    }
    match is_taken {
        true => Err(CatalogError::Taken { kind, name }),
        false => Ok(()),
    }
}

/// What is known is refused for what it is; what is unknown might have been one of `added`.
fn refused(errors: Errors, is_known: bool, added: impl Fn() -> Vec<String>) -> CatalogError {
    CatalogError::Refused { errors, added: if is_known { Vec::new() } else { added() } }
}

//! The catalogue of everything that can be named: schedulers, locking protocols, tests, distributions of task sets,
//! invariants and overheads, both shipped ones and those that a user adds.
//!
//! A scenario file names shipped ones only, so that any installation reads it. [`Catalog::under`],
//! [`Catalog::sharing`] and [`Catalog::charging`] put a scenario under an added one, and
//! [`Prepared::of`](crate::Prepared::of) looks names up here. Batches take their questions and generators from here.

use crate::prepare::error::PrepareError;
use schedlab_analysis::blocking::{METHODS, TARDINESS};
use schedlab_analysis::registry::{self, TESTS};
use schedlab_analysis::Test;
use schedlab_lock::{find_protocol, Protocol, UnknownProtocol, ALL_PROTOCOLS};
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::Invariant;
use schedlab_policy::{all_schedulers, find, Scheduler, UnknownScheduler};
use schedlab_report::invariants::OwnInvariant;
use schedlab_scenario::{shipped, shipped_names, Errors, OverheadProfile, Scenario};
use schedlab_workload::generate::{
    periods, utilization, FormMeaning, Generator, Named, Own, OwnDistributions, Spec,
};
use schedlab_workload::SpecError;

/// Iterates over the tests of clusters, then the methods for locks, then the bounds on tardiness with locks.
pub(crate) fn all_tests() -> impl Iterator<Item = &'static Test> {
    let of_methods = METHODS.iter().chain(PROGRAMS).map(|method| &method.test);
    TESTS.iter().copied().chain(of_methods).chain(TARDINESS.iter().copied())
}

/// Everything that a scenario, a question or a specification may name.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    schedulers: Vec<Scheduler>,
    protocols: Vec<Protocol>,
    tests: Vec<&'static Test>,
    distributions: OwnDistributions,
    invariants: Vec<OwnInvariant>,
    overheads: Vec<(String, OverheadProfile)>,
}

/// The reason why a catalogue refuses an entry or a scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// An entry of this kind has the name already.
    #[error("there is a {kind} \"{name}\" already")]
    Taken {
        /// The kind of entry.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The text cannot be a name, because no file could have it.
    #[error("{0:?} is no name; allowed: text without slashes and control characters, not empty")]
    NoName(String),
    /// The text cannot be a name, because it could not be told from other words beside it.
    #[error("{0:?} is no name; allowed: one word without colons")]
    NoWord(String),
    /// The scenario does not allow the named entry, or no shipped entry has the name, nor any that was added.
    #[error("{errors}{}", of_your_own(.added))]
    Refused {
        /// The errors of the scenario or of the shipped entries.
        errors: Errors,
        /// The names of the entries that were added; empty if the name is known.
        added: Vec<String>,
    },
}

impl From<Errors> for CatalogError {
    fn from(errors: Errors) -> Self {
        CatalogError::Refused { errors, added: Vec::new() }
    }
}

/// Returns the part of an error that follows the names of shipped entries.
fn of_your_own(added: &[String]) -> String {
    match added {
        [] => String::new(),
        added => format!("; and {} of your own", added.join(", ")),
    }
}

impl Catalog {
    /// Returns the catalogue of the library, without added entries.
    pub fn shipped() -> Catalog {
        Catalog::default()
    }

    /// Adds a scheduler of the user's own.
    pub fn with_scheduler(mut self, scheduler: Scheduler) -> Result<Catalog, CatalogError> {
        for name in scheduler.names() {
            vacant("scheduler", name, self.scheduler(name).is_some())?;
        }
        self.schedulers.push(scheduler);
        Ok(self)
    }

    /// Removes the added scheduler of this name, if there is one.
    pub fn without_scheduler(mut self, name: &str) -> Catalog {
        self.schedulers.retain(|known| !known.name.eq_ignore_ascii_case(name));
        self
    }

    /// Adds a locking protocol of the user's own.
    pub fn with_protocol(mut self, protocol: Protocol) -> Result<Catalog, CatalogError> {
        vacant("locking protocol", protocol.name, self.protocol(protocol.name).is_some())?;
        self.protocols.push(protocol);
        Ok(self)
    }

    /// Adds a test of the user's own.
    pub fn with_test(mut self, test: &'static Test) -> Result<Catalog, CatalogError> {
        // Batches also know tests that are never asked about a scenario, such as sums of others.
        let is_taken = self.test(test.name).is_some() || registry::find(test.name).is_some();
        vacant("test", test.name, is_taken)?;
        self.tests.push(test);
        Ok(self)
    }

    /// Adds a distribution of utilizations of the user's own.
    pub fn with_utilizations(mut self, own: Own<f64>) -> Result<Catalog, CatalogError> {
        vacant_word(
            "distribution of utilizations",
            own.name,
            self.utilizations().any(|known| known == own.name),
        )?;
        self.distributions.utilizations.push(own);
        Ok(self)
    }

    /// Adds a distribution of periods of the user's own.
    pub fn with_periods(mut self, own: Own<u64>) -> Result<Catalog, CatalogError> {
        vacant_word("distribution of periods", own.name, self.periods().any(|known| known == own.name))?;
        self.distributions.periods.push(own);
        Ok(self)
    }

    /// Adds an invariant of the user's own, for which every trace is checked.
    pub fn with_invariant(mut self, own: OwnInvariant) -> Result<Catalog, CatalogError> {
        vacant("invariant", own.name, self.invariants().any(|known| known.name() == own.name))?;
        self.invariants.push(own);
        Ok(self)
    }

    /// Adds overheads of the user's own.
    pub fn with_overheads(mut self, name: &str, profile: OverheadProfile) -> Result<Catalog, CatalogError> {
        vacant_word("profile of overheads", name, self.overheads(name).is_some())?;
        self.overheads.push((name.to_owned(), profile));
        Ok(self)
    }

    /// Iterates over the schedulers with a policy, the added ones last. Scheduling classes of the kernel are not among
    /// them.
    pub fn schedulers(&self) -> impl Iterator<Item = Scheduler> + '_ {
        all_schedulers().into_iter().chain(self.schedulers.iter().cloned())
    }

    /// Iterates over the locking protocols, the added ones last.
    pub fn protocols(&self) -> impl Iterator<Item = &Protocol> {
        ALL_PROTOCOLS.iter().chain(&self.protocols)
    }

    /// Iterates over the tests of scenarios, the added ones last. Each is asked where it speaks of the scheduler.
    pub fn tests(&self) -> impl Iterator<Item = &'static Test> + '_ {
        all_tests().chain(self.added_tests().iter().copied())
    }

    /// Returns the tests that were added.
    pub(crate) fn added_tests(&self) -> &[&'static Test] {
        &self.tests
    }

    /// Iterates over the first words of all distributions of utilizations, the added ones last.
    pub fn utilizations(&self) -> impl Iterator<Item = &str> {
        let added = self.distributions.utilizations.iter().map(|own| own.name);
        first_words(utilization::NAMES, utilization::written()).chain(added)
    }

    /// Iterates over the first words of all distributions of periods, the added ones last.
    pub fn periods(&self) -> impl Iterator<Item = &str> {
        let added = self.distributions.periods.iter().map(|own| own.name);
        first_words(periods::NAMES, periods::written()).chain(added)
    }

    /// Iterates over the invariants, the added ones last.
    pub fn invariants(&self) -> impl Iterator<Item = Invariant> + '_ {
        Invariant::ALL.iter().copied().chain(self.invariants.iter().map(|own| Invariant::Own(own.name)))
    }

    /// Returns the invariants that were added.
    pub(crate) fn added_invariants(&self) -> &[OwnInvariant] {
        &self.invariants
    }

    /// Returns the overheads of this name, if there are any.
    pub fn overheads(&self, name: &str) -> Option<OverheadProfile> {
        let added = self.overheads.iter().find(|(known, _)| known == name);
        added.map(|(_, profile)| profile.clone()).or_else(|| shipped(name))
    }

    /// Returns the scheduler of this name, or an error that lists the known ones.
    pub(crate) fn scheduler_or_known(&self, name: &str) -> Result<Scheduler, String> {
        let added: Vec<String> = self.schedulers.iter().map(|added| added.name.clone()).collect();
        let unknown = |error: UnknownScheduler| format!("{error}{}", of_your_own(&added));
        self.added_scheduler(name).cloned().map_or_else(|| find(name).map_err(unknown), Ok)
    }

    /// Iterates over the names of all overheads, the added ones last.
    pub(crate) fn overheads_names(&self) -> impl Iterator<Item = &str> {
        let shipped = shipped_names().map(|name| -> &str { name });
        shipped.chain(self.overheads.iter().map(|(name, _)| name.as_str()))
    }

    /// Returns the generator of task sets that `spec` describes.
    pub fn generator(&self, spec: &Spec) -> Result<Generator, SpecError> {
        Generator::parse_with(spec, &self.distributions)
    }

    /// Returns the scheduler of this name or alias, in any case of letters.
    pub fn scheduler(&self, name: &str) -> Option<Scheduler> {
        self.added_scheduler(name).cloned().or_else(|| find(name).ok())
    }

    /// Returns the locking protocol of this name, in any case of letters.
    pub fn protocol(&self, name: &str) -> Option<Protocol> {
        self.added_protocol(name).or_else(|| find_protocol(name).ok()).copied()
    }

    /// Returns the test of this name.
    pub fn test(&self, name: &str) -> Option<&'static Test> {
        self.tests().find(|test| test.name == name)
    }

    /// Puts `scenario` under the scheduler of this name.
    pub fn under(&self, scenario: Scenario, name: &str) -> Result<Scenario, CatalogError> {
        let made = match self.added_scheduler(name) {
            Some(own) => scenario.with_own_scheduler(&own.name, own.scope),
            None => scenario.with_scheduler(name),
        };
        let names = self.schedulers.iter().map(|added| added.name.clone());
        made.map_err(|errors| refused(errors, self.scheduler(name).is_some(), names))
    }

    /// Puts `scenario` under the locking protocol of this name.
    pub fn sharing(&self, scenario: Scenario, name: &str) -> Result<Scenario, CatalogError> {
        let made = match self.added_protocol(name) {
            Some(own) => scenario.with_own_protocol(own.name),
            None => scenario.with_protocol(name),
        };
        let names = self.protocols.iter().map(|added| added.name.to_owned());
        made.map_err(|errors| refused(errors, self.protocol(name).is_some(), names))
    }

    /// Charges `scenario` the overheads of this name; the statistic stays.
    pub fn charging(&self, scenario: Scenario, name: &str) -> Result<Scenario, CatalogError> {
        let made = match self.overheads.iter().find(|(known, _)| known == name) {
            Some((_, profile)) => scenario.with_overhead_profile(profile.clone()),
            None => scenario.with_overheads(name),
        };
        let names = self.overheads.iter().map(|(added, _)| added.clone());
        made.map_err(|errors| refused(errors, self.overheads(name).is_some(), names))
    }

    /// Returns the scheduler of `scenario`, or an error if there is none of its name.
    pub(crate) fn scheduler_of(&self, scenario: &Scenario) -> Result<Scheduler, PrepareError> {
        let name = scenario.scheduler_name();
        match self.added_scheduler(name) {
            Some(own) => Ok(own.clone()),
            None => find(name).map_err(PrepareError::Scheduler),
        }
    }

    /// Returns the locking protocol of `scenario`, or an error if there is none of its name.
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

/// Checks that an entry of this kind may have `name`.
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

/// Checks that an entry of this kind may have `name`, which stands among other words in specifications.
fn vacant_word(kind: &'static str, name: &str, is_taken: bool) -> Result<(), CatalogError> {
    match name.contains(char::is_whitespace) || name.contains(':') {
        true => Err(CatalogError::NoWord(name.to_owned())),
        false => vacant(kind, name, is_taken),
    }
}

/// Iterates over the first words of specifications of distributions: names, or the first words of forms.
fn first_words<'a>(
    names: &'static [Named],
    forms: impl Iterator<Item = FormMeaning> + 'a,
) -> impl Iterator<Item = &'a str> {
    let first = |(form, _): FormMeaning| form.split_whitespace().next().unwrap_or(form);
    names.iter().map(|(name, ..)| *name).chain(forms.map(first))
}

/// Wraps the errors of a refused entry. If its name is not known, lists `added` too, any of which might have been
/// meant.
fn refused(errors: Errors, is_known: bool, added: impl Iterator<Item = String>) -> CatalogError {
    CatalogError::Refused { errors, added: added.filter(|_| !is_known).collect() }
}

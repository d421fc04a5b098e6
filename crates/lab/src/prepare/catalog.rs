//! What can be named: schedulers, locking protocols, tests, distributions of task sets, invariants and overheads,
//! those of the library and those that a user adds.
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

/// The tests of clusters, then the methods for locks, and bounds on tardiness with them.
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
    /// Other words could stand beside this name.
    #[error("{0:?} is no name; allowed: one word without colons")]
    NoWord(String),
    /// The scenario is not for what was named, or no shipped entry has the name; nor has one of these, which were
    /// added.
    #[error("{errors}{}", of_your_own(.added))]
    Refused {
        /// What is said of the shipped ones.
        errors: Errors,
        /// The names of those that were added.
        added: Vec<String>,
    },
}

impl From<Errors> for CatalogError {
    fn from(errors: Errors) -> Self {
        CatalogError::Refused { errors, added: Vec::new() }
    }
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
        // Batches can ask tests that no scenario is asked about, such as sums of others.
        let is_taken = self.test(test.name).is_some() || registry::find(test.name).is_some();
        vacant("test", test.name, is_taken)?;
        self.tests.push(test);
        Ok(self)
    }

    /// With a distribution of utilizations of the user's own.
    pub fn with_utilizations(mut self, own: Own<f64>) -> Result<Catalog, CatalogError> {
        vacant_word(
            "distribution of utilizations",
            own.name,
            self.utilizations().any(|known| known == own.name),
        )?;
        self.distributions.utilizations.push(own);
        Ok(self)
    }

    /// With a distribution of periods of the user's own.
    pub fn with_periods(mut self, own: Own<u64>) -> Result<Catalog, CatalogError> {
        vacant_word("distribution of periods", own.name, self.periods().any(|known| known == own.name))?;
        self.distributions.periods.push(own);
        Ok(self)
    }

    /// With an invariant of the user's own, which every trace is asked to satisfy.
    pub fn with_invariant(mut self, own: OwnInvariant) -> Result<Catalog, CatalogError> {
        vacant("invariant", own.name, self.invariants().any(|known| known.name() == own.name))?;
        self.invariants.push(own);
        Ok(self)
    }

    /// With overheads of the user's own.
    pub fn with_overheads(mut self, name: &str, profile: OverheadProfile) -> Result<Catalog, CatalogError> {
        vacant_word("profile of overheads", name, self.overheads(name).is_some())?;
        self.overheads.push((name.to_owned(), profile));
        Ok(self)
    }

    /// Every scheduler of a policy, the added ones last. The kernel's classes are apart.
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
    pub(crate) fn added_tests(&self) -> &[&'static Test] {
        &self.tests
    }

    /// The first words of every distribution of utilizations, the added ones last.
    pub fn utilizations(&self) -> impl Iterator<Item = &str> {
        let added = self.distributions.utilizations.iter().map(|own| own.name);
        first_words(utilization::NAMES, utilization::written()).chain(added)
    }

    /// The first words of every distribution of periods, the added ones last.
    pub fn periods(&self) -> impl Iterator<Item = &str> {
        let added = self.distributions.periods.iter().map(|own| own.name);
        first_words(periods::NAMES, periods::written()).chain(added)
    }

    /// Every invariant, the added ones last.
    pub fn invariants(&self) -> impl Iterator<Item = Invariant> + '_ {
        Invariant::ALL.iter().copied().chain(self.invariants.iter().map(|own| Invariant::Own(own.name)))
    }

    /// The invariants that were added.
    pub(crate) fn added_invariants(&self) -> &[OwnInvariant] {
        &self.invariants
    }

    /// The overheads of this name.
    pub fn overheads(&self, name: &str) -> Option<OverheadProfile> {
        let added = self.overheads.iter().find(|(known, _)| known == name);
        added.map(|(_, profile)| profile.clone()).or_else(|| shipped(name))
    }

    /// The scheduler of this name, or an error that says which are known.
    pub(crate) fn scheduler_or_known(&self, name: &str) -> Result<Scheduler, String> {
        let added: Vec<String> = self.schedulers.iter().map(|added| added.name.clone()).collect();
        let unknown = |error: UnknownScheduler| format!("{error}{}", of_your_own(&added));
        self.added_scheduler(name).cloned().map_or_else(|| find(name).map_err(unknown), Ok)
    }

    /// The names of all overheads, the added ones last.
    pub(crate) fn overheads_names(&self) -> impl Iterator<Item = &str> {
        let shipped = shipped_names().map(|name| -> &str { name });
        shipped.chain(self.overheads.iter().map(|(name, _)| name.as_str()))
    }

    /// The generator of task sets that `spec` describes.
    pub fn generator(&self, spec: &Spec) -> Result<Generator, SpecError> {
        Generator::parse_with(spec, &self.distributions)
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
        let names = self.schedulers.iter().map(|added| added.name.clone());
        made.map_err(|errors| refused(errors, self.scheduler(name).is_some(), names))
    }

    /// `scenario` with the locking protocol of this name.
    pub fn sharing(&self, scenario: Scenario, name: &str) -> Result<Scenario, CatalogError> {
        let made = match self.added_protocol(name) {
            Some(own) => scenario.with_own_protocol(own.name),
            None => scenario.with_protocol(name),
        };
        let names = self.protocols.iter().map(|added| added.name.to_owned());
        made.map_err(|errors| refused(errors, self.protocol(name).is_some(), names))
    }

    /// `scenario` with the overheads of this name. The statistic stays.
    pub fn charging(&self, scenario: Scenario, name: &str) -> Result<Scenario, CatalogError> {
        let made = match self.overheads.iter().find(|(known, _)| known == name) {
            Some((_, profile)) => scenario.with_overhead_profile(profile.clone()),
            None => scenario.with_overheads(name),
        };
        let names = self.overheads.iter().map(|(added, _)| added.clone());
        made.map_err(|errors| refused(errors, self.overheads(name).is_some(), names))
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

/// As [`vacant`], of a name that stands among other words.
fn vacant_word(kind: &'static str, name: &str, is_taken: bool) -> Result<(), CatalogError> {
    match name.contains(char::is_whitespace) || name.contains(':') {
        true => Err(CatalogError::NoWord(name.to_owned())),
        false => vacant(kind, name, is_taken),
    }
}

/// What specifications of distributions begin with: names, or the first words of forms.
fn first_words<'a>(
    names: &'static [Named],
    forms: impl Iterator<Item = FormMeaning> + 'a,
) -> impl Iterator<Item = &'a str> {
    let first = |(form, _): FormMeaning| form.split_whitespace().next().unwrap_or(form);
    names.iter().map(|(name, ..)| *name).chain(forms.map(first))
}

/// What is known is refused for what it is; what is unknown might have been one of `added`.
fn refused(errors: Errors, is_known: bool, added: impl Iterator<Item = String>) -> CatalogError {
    CatalogError::Refused { errors, added: added.filter(|_| !is_known).collect() }
}

//! Scenarios, as Python sees them.

use crate::catalog::sentence;
use crate::errors::{bad_input, narrow, place_of_set};
use crate::length::Length;
use crate::losses::{harmless, ignored};
use crate::plain::{plain, Plain};
use crate::policy::{scheduler_of, Raised};
use crate::rows::read_tasks;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use schedlab_lab::deploy::deploy;
use schedlab_lab::results::task_rows;
use schedlab_lab::{Catalog, Overrides, Prepared};
use schedlab_model::{Instant, OverheadKind};
use schedlab_policy::{Make, Scheduler, Scope, Throttling};
use schedlab_scenario::foreign::{self, Wanted};
use schedlab_scenario::interchange::Imported;
use schedlab_scenario::{Clusters, Export, Scenario};
use schedlab_sim::Charges;
use schedlab_workload::generate::{Accesses, Utilities};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

/// A scenario; immutable.
#[pyclass(frozen, name = "Scenario", module = "schedlab._native")]
pub(crate) struct PyScenario {
    /// Values of the scenario.
    pub scenario: Scenario,
    /// Catalogue of everything that the scenario may name.
    pub catalog: Arc<Catalog>,
    /// Exception of a policy in Python, until it is raised here.
    pub failure: Raised,
}

/// Text, losses, services and proofs of an export.
type Exported = (String, Vec<String>, Vec<(String, String)>, Option<Plain>);

fn clusters_of(size: i128) -> PyResult<Clusters> {
    narrow("cluster_size", size, "from 1 to 65535").map(Clusters::OfSize)
}

/// Refuses `content`, with which `file` begins, if it is known to be something else than what is `wanted`.
#[pyfunction]
pub(crate) fn refuse_foreign(file: &str, content: Vec<u8>, wanted: &str) -> PyResult<()> {
    let (_, wanted) = Wanted::NAMED
        .iter()
        .find(|(name, _)| *name == wanted)
        .expect("the package asks for what it can read");
    foreign::refuse(file, &content, *wanted).map_err(bad_input)
}

/// Returns the sentence on the unsupported concept that a field of this name asks for, in the table at `path`.
#[pyfunction]
pub(crate) fn missing_concept(path: &str, name: &str) -> Option<&'static str> {
    schedlab_scenario::missing_concept(path, name)
}

/// Reads runtime and period.
fn throttling_of((runtime, period): (Length, Length)) -> PyResult<Throttling> {
    Ok(Throttling { runtime: runtime.duration("throttling")?, period: period.duration("throttling")? })
}

fn processors_of(number: i128) -> PyResult<u16> {
    narrow("processors", number, "from 1 to 65535")
}

#[pymethods]
impl PyScenario {
    /// Reads the scenario in a file of schedlab or of another tool, and returns the losses that change no answer, too.
    /// Losses of the kinds `ignore` are no errors.
    #[staticmethod]
    fn read(path: &str, ignore: Vec<String>) -> PyResult<(Self, Vec<String>)> {
        let read = Scenario::read_ignoring(Path::new(path), &ignored(&ignore)?);
        read.map(PyScenario::imported).map_err(bad_input)
    }

    /// Reads a text as `read` does a file. The text refers to no other file; `file` is its name in errors.
    #[staticmethod]
    fn read_text(content: Vec<u8>, file: &str, ignore: Vec<String>) -> PyResult<(Self, Vec<String>)> {
        let no_files = |_: &str| Err("this text cannot refer to files".to_owned());
        let read = Scenario::import(file, content, &no_files, &ignored(&ignore)?);
        read.map(PyScenario::imported).map_err(bad_input)
    }

    /// Reads the scenario in a text; `file` is its name in errors.
    #[staticmethod]
    fn parse(text: &str, file: &str) -> PyResult<Self> {
        Scenario::parse(file, text).map(PyScenario::shipped).map_err(bad_input)
    }

    /// A scenario of a task set given as rows, which may name clusters.
    #[staticmethod]
    fn from_tasks(
        rows: Vec<Bound<'_, PyDict>>,
        name: String,
        processors: i128,
        scheduler: &str,
        cluster_size: Option<i128>,
    ) -> PyResult<Self> {
        let mut scenario = Scenario { title: name, ..Scenario::new(read_tasks(&rows)?) };
        scenario.platform.processors = processors_of(processors)?;
        if let Some(clusters) = cluster_size.map(clusters_of).transpose()? {
            scenario.platform.clusters = clusters;
        }
        scenario = scenario.with_scheduler(scheduler).map_err(bad_input)?;
        scenario.check().map_err(bad_input)?;
        Ok(PyScenario::shipped(scenario))
    }

    /// Returns this scenario with other settings.
    #[pyo3(signature = (*, name=None, processors=None, cluster_size=None, copies=None, scheduler=None,
        protocol=None, schemes=None, placement=None, priorities=None, overheads=None, statistic=None, horizon=None,
        quantum=None, throttling=None, seed=None, ignore=None, settings=None, scale=None))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn replace(
        &self,
        name: Option<String>,
        processors: Option<i128>,
        cluster_size: Option<i128>,
        copies: Option<i128>,
        scheduler: Option<String>,
        protocol: Option<String>,
        schemes: Option<BTreeMap<String, String>>,
        placement: Option<String>,
        priorities: Option<String>,
        overheads: Option<String>,
        statistic: Option<String>,
        horizon: Option<Length>,
        quantum: Option<Length>,
        throttling: Option<(Length, Length)>,
        seed: Option<i128>,
        ignore: Option<Vec<String>>,
        settings: Option<Vec<(String, String)>>,
        scale: Option<(u64, u64)>,
    ) -> PyResult<Self> {
        let length = |length: Option<Length>, field| length.map(|one| one.duration(field)).transpose();
        let seed_of = |seed| narrow("seed", seed, "from 0 to 2^64 - 1");
        let changes = Overrides {
            settings: settings.unwrap_or_default(),
            scale,
            title: name,
            quantum: length(quantum, "quantum")?,
            clusters: cluster_size.map(clusters_of).transpose()?,
            processors: processors.map(processors_of).transpose()?,
            copies: copies.map(|copies| narrow("copies", copies, "from 1")).transpose()?,
            priorities,
            placement,
            scheduler,
            throttling: throttling.map(throttling_of).transpose()?,
            protocol,
            schemes: schemes.unwrap_or_default(),
            workload: None,
            overheads,
            ignored: ignored(&ignore.unwrap_or_default())?,
            statistic,
            seed: seed.map(seed_of).transpose()?,
            horizon: length(horizon, "horizon")?,
        };
        self.made(changes.apply(self.scenario.clone(), &self.catalog))
    }

    /// Refuses resources whose kind is unknown although a real run would have to know it.
    fn check_real_objects(&self) -> PyResult<()> {
        self.scenario.check_real_objects().map_err(bad_input)
    }

    /// Returns this scenario with critical sections drawn by the rule `accesses`: set number `index` of `seed`.
    fn with_accesses(&self, accesses: &str, seed: i128, index: i128) -> PyResult<Self> {
        let (seed, index) = place_of_set(seed, index)?;
        let accesses: Accesses = accesses.parse().map_err(bad_input)?;
        self.made(self.scenario.clone().with_accesses(&accesses, seed, index))
    }

    /// Returns this scenario with time/utility functions drawn by the rule `utility`: set number `index` of `seed`.
    fn with_utility(&self, utility: &str, seed: i128, index: i128) -> PyResult<Self> {
        let (seed, index) = place_of_set(seed, index)?;
        let utilities: Utilities = utility.parse().map_err(bad_input)?;
        self.made(self.scenario.clone().with_utilities(&utilities, seed, index))
    }

    /// Returns this scenario with the costs of all jobs times `numerator / denominator`.
    fn with_costs_times(&self, numerator: u64, denominator: u64) -> PyResult<Self> {
        self.made(self.scenario.clone().with_costs_times(numerator, denominator))
    }

    /// The scenario as `toml`, `csv`, `schedcat` or `simso`, or as settings of Linux's own schedulers (`rt-app`,
    /// `sched_deadline`, `systemd`, `threads`, `threads.h`, `threads.hpp`): the text, the losses of that format, the
    /// services of systemd, a file name and its text each, and for settings the proofs. Settings that are not proved
    /// are refused unless they are `unproved`.
    fn export(&self, py: Python<'_>, format: &str, unproved: bool) -> PyResult<Exported> {
        let written = match Export::named(format).map_err(bad_input)? {
            Export::Toml => return Ok((self.scenario.to_toml(), Vec::new(), Vec::new(), None)),
            Export::Format(format) => format.write(&self.scenario).map_err(bad_input)?,
            Export::Launcher(launcher) => {
                let found = self.watch(py, || deploy(&self.scenario, &self.catalog, launcher, unproved))?;
                let found = found.map_err(bad_input)?;
                return Ok((found.text, found.lost, found.services, Some(plain(&found.proof))));
            }
        };
        Ok((written.value, written.lost, Vec::new(), None))
    }

    /// The canonical text of the scenario.
    fn to_toml(&self) -> String {
        self.scenario.to_toml()
    }

    /// The task set, one row per task.
    fn tasks(&self) -> Plain {
        plain(&task_rows(&self.scenario.tasks))
    }

    /// What answers about the scenario leave out although they could be too good without it, a line each.
    #[getter]
    fn left_out(&self) -> Vec<String> {
        self.scenario.all_left_out()
    }

    /// Conditions that the scenario puts on every promise about it, a line each.
    #[getter]
    fn rests_on(&self) -> Vec<String> {
        self.scenario.rests_on().iter().map(ToString::to_string).collect()
    }

    /// Fields that were set from outside, such as by a command line.
    #[getter]
    fn what_if(&self) -> Plain {
        plain(&self.scenario.what_if.all())
    }

    /// The scenario's name.
    #[getter]
    fn name(&self) -> &str {
        &self.scenario.title
    }

    /// Number of processors.
    #[getter]
    fn processors(&self) -> u16 {
        self.scenario.platform.processors
    }

    /// The scheduler's name.
    #[getter]
    fn scheduler(&self) -> &str {
        self.scenario.scheduler_name()
    }

    /// Description of which job goes first under the scheduler, in a sentence.
    #[getter]
    fn scheduler_description(&self) -> String {
        let known = self.catalog.scheduler(self.scenario.scheduler_name());
        known.as_ref().map(sentence).unwrap_or_default()
    }

    /// Name of the partitioned scheduler that the scenario's clustered one equals, if each cluster has one processor.
    #[getter]
    fn same_as_partitioned(&self) -> Option<String> {
        let scheduler = self.catalog.scheduler(self.scenario.scheduler_name())?;
        let Make::Clustered { order, preemptive } = scheduler.make else { return None };
        let is_alone = self.scenario.model_platform().clusters.iter().all(|cluster| cluster.cpus.len() == 1);
        let is_same = is_alone && self.is_clustered() && self.scenario.platform.processors > 1;
        is_same.then(|| Scheduler::of_order(order, preemptive, Scope::Partitioned).name)
    }

    /// Returns whether the scenario's scheduler has clusters, whose size the platform states.
    #[getter]
    fn is_clustered(&self) -> bool {
        self.catalog
            .scheduler(self.scenario.scheduler_name())
            .is_some_and(|one| one.scope == Scope::Clustered)
    }

    /// Returns whether simulations know the scheduler: one that only real runs know is Linux's own, without a model.
    #[getter]
    fn is_modelled(&self) -> bool {
        self.catalog.scheduler(self.scenario.scheduler_name()).is_none_or(|one| one.is_modelled())
    }

    /// Schedulers and protocols of the user's own, which no file can name, such as `scheduler EDZL`.
    #[getter]
    fn own(&self) -> Vec<String> {
        let names = [("scheduler", &self.scenario.scheduler.own), ("protocol", &self.scenario.own_protocol)];
        names.iter().filter_map(|(kind, own)| Some(format!("{kind} {}", own.as_ref()?))).collect()
    }

    /// Returns whether the catalogue has a scheduler of this name.
    fn has_scheduler(&self, name: &str) -> bool {
        self.catalog.scheduler(name).is_some()
    }

    /// Returns whether the catalogue has a locking protocol of this name.
    fn has_protocol(&self, name: &str) -> bool {
        self.catalog.protocol(name).is_some()
    }

    /// Returns this scenario under a class derived from `schedlab.Policy`, which the catalogue then has.
    fn with_policy(&self, policy: &Bound<'_, PyAny>) -> PyResult<Self> {
        let scheduler = scheduler_of(policy, &self.failure)?;
        let name = scheduler.name.clone();
        // A class that was edited and defined anew takes its own place.
        let others = Catalog::clone(&self.catalog).without_scheduler(&name);
        let catalog = others.with_scheduler(scheduler).map_err(bad_input)?;
        let scenario = catalog.under(self.scenario.clone(), &name).map_err(bad_input)?;
        Ok(PyScenario { scenario, catalog: Arc::new(catalog), failure: self.failure.clone() })
    }

    /// The locking protocol's name.
    #[getter]
    fn protocol(&self) -> &str {
        self.scenario.protocol_name()
    }

    /// The name of the overheads.
    #[getter]
    fn overheads(&self) -> &str {
        let choice = &self.scenario.overheads;
        choice.name.as_deref().unwrap_or(&choice.profile.title)
    }

    /// Statistic of the measured overheads that is charged, such as `max`.
    #[getter]
    fn overheads_statistic(&self) -> &'static str {
        self.scenario.overheads.statistic_name()
    }

    /// Sources of the overheads, and which of them were fitted; empty if there are none.
    #[getter]
    pub(crate) fn overheads_source(&self) -> String {
        let source = &self.scenario.overheads.profile.source;
        match self.scenario.charged().decisions {
            Some(known) => format!("{source}; decisions: {}", known.in_words()),
            None => source.clone(),
        }
    }

    /// The overheads that the source has no value for; the scenario's scheduler is not charged for them.
    #[getter]
    fn overheads_unknown(&self) -> Vec<&'static str> {
        self.scenario.unknown_overheads().into_iter().map(OverheadKind::name).collect()
    }

    /// The tasks that fit nowhere and are placed best-effort.
    #[getter]
    fn overflowed(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let prepared = self.watch(py, || Prepared::for_analysis(&self.scenario, &self.catalog))?;
        Ok(prepared.map_err(bad_input)?.overflowed_names())
    }

    /// The overheads that have a value and that the scenario's requests for locks would take, which no simulation
    /// charges.
    #[getter]
    fn overheads_not_simulated(&self) -> Vec<&'static str> {
        if self.scenario.resources.is_empty() {
            return Vec::new();
        }
        let (charged, statistic) = (self.scenario.charged(), self.scenario.overheads.statistic);
        let tasks = self.scenario.tasks.len();
        let takes = |kind: &OverheadKind| !charged.overheads.evaluate(*kind, statistic, tasks, 0).is_zero();
        let is_missing = |kind: &OverheadKind| !Charges::include(*kind);
        OverheadKind::ALL.into_iter().filter(is_missing).filter(takes).map(OverheadKind::name).collect()
    }

    /// By task: the time from which on and the time until which it may arrive; the end is `None` if it stays.
    #[getter]
    fn presence_ns(&self) -> Vec<(u64, Option<u64>)> {
        let leave = |at: Instant| (at < Instant::NEVER).then(|| at.as_ns());
        self.scenario.tasks.iter().map(|task| (task.join.as_ns(), leave(task.leave))).collect()
    }

    /// The reason why the scheduler or its protocol refuses the scenario, as a reader would refuse a file of it.
    #[getter]
    fn refusal(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let prepared = self.watch(py, || Prepared::for_analysis(&self.scenario, &self.catalog))?;
        Ok(prepared.err().filter(|error| error.is_as_read()).map(|error| error.to_string()))
    }

    /// True if no horizon is given and 20 longest periods would have too many jobs.
    #[getter]
    fn horizon_is_shortened(&self) -> bool {
        self.scenario.has_shortened_horizon()
    }

    /// The lines of `left_out` about the file that was read, without those about the scheduler.
    #[getter]
    fn left_out_of_file(&self) -> Vec<String> {
        self.scenario.left_out.clone()
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.scenario.seed
    }

    /// End of the experiment.
    #[getter]
    fn horizon_ns(&self) -> u64 {
        self.scenario.horizon.as_ns()
    }
}

impl PyScenario {
    /// Makes a scenario that names shipped things only, and lists the losses that change no answer.
    fn imported(read: Imported<Scenario>) -> (PyScenario, Vec<String>) {
        (PyScenario::shipped(read.value), harmless(&read.losses))
    }

    /// Makes a scenario that names shipped things only.
    fn shipped(scenario: Scenario) -> PyScenario {
        PyScenario { scenario, catalog: Arc::default(), failure: Raised::default() }
    }

    /// Makes a scenario with other values and the same catalogue.
    pub(crate) fn with(&self, scenario: Scenario) -> PyScenario {
        PyScenario { scenario, catalog: Arc::clone(&self.catalog), failure: self.failure.clone() }
    }

    /// Wraps a scenario that was made of this one.
    fn made(&self, made: Result<Scenario, impl Display>) -> PyResult<PyScenario> {
        made.map(|made| self.with(made)).map_err(bad_input)
    }

    /// Reads the scenario in a text, with this catalogue.
    pub(crate) fn parse_with(text: &str, catalog: Catalog) -> PyResult<PyScenario> {
        let scenario = Scenario::parse("scenario", text).map_err(bad_input)?;
        Ok(PyScenario { scenario, catalog: Arc::new(catalog), failure: Raised::default() })
    }

    /// Does `work` without Python's lock. An exception that a policy in Python raised meanwhile takes precedence over
    /// the result.
    pub(crate) fn watch<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        let found = py.detach(work);
        self.failure.take().map_or(Ok(found), Err)
    }

    /// Prepares everything that a simulation shares.
    pub(crate) fn prepare(&self, py: Python<'_>) -> PyResult<Prepared> {
        self.watch(py, || Prepared::of(&self.scenario, &self.catalog))?.map_err(bad_input)
    }
}

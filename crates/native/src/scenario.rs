//! Scenarios, as Python sees them.

use crate::errors::{bad_input, narrow, place_of_set};
use crate::length::Length;
use crate::plain::plain;
use crate::policy::{scheduler_of, Failure};
use crate::rows::read_tasks;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use schedlab_lab::resolve::resolve;
use schedlab_lab::results::task_rows;
use schedlab_lab::{Catalog, Prepared};
use schedlab_model::{Instant, Statistic};
use schedlab_policy::{Scheduler, Scope};
use schedlab_scenario::interchange::schedcat_overheads::read_all;
use schedlab_scenario::interchange::{csv::Unit, Format};
use schedlab_scenario::launch::{services, Launcher};
use schedlab_scenario::{Clusters, Scenario};
use schedlab_workload::generate::{Accesses, Utilities};
use std::path::Path;
use std::sync::Arc;

/// A scenario; immutable.
#[pyclass(frozen, name = "Scenario", module = "schedlab._native")]
pub(crate) struct PyScenario {
    /// Its values.
    pub scenario: Scenario,
    /// What it may name.
    pub catalog: Arc<Catalog>,
    /// What a policy in Python raised, until it is raised here.
    pub failure: Failure,
}

/// What `Scenario.replace` may change.
struct Settings {
    name: Option<String>,
    processors: Option<i128>,
    cluster_size: Option<i128>,
    copies: Option<i128>,
    scheduler: Option<String>,
    protocol: Option<String>,
    placement: Option<String>,
    priorities: Option<String>,
    overheads: Option<String>,
    horizon: Option<Length>,
    statistic: Option<String>,
    quantum: Option<Length>,
    seed: Option<i128>,
}

fn clusters_of(size: i128) -> PyResult<Clusters> {
    narrow("cluster_size", size, "from 1 to 65535").map(Clusters::OfSize)
}

impl Settings {
    fn apply(self, mut scenario: Scenario, catalog: &Catalog) -> PyResult<Scenario> {
        if let Some(name) = self.name {
            scenario.title = name;
        }
        if let Some(quantum) = self.quantum {
            scenario.platform.quantum = quantum.duration("quantum")?;
        }
        if let Some(clusters) = self.cluster_size.map(clusters_of).transpose()? {
            scenario.platform.clusters = clusters;
        }
        if let Some(processors) = self.processors {
            let processors = narrow("processors", processors, "from 1 to 65535")?;
            scenario = scenario.with_processors(processors).map_err(bad_input)?;
        }
        if let Some(copies) = self.copies {
            let copies = narrow("copies", copies, "from 1")?;
            scenario = scenario.with_copies(copies).map_err(bad_input)?;
        }
        // Before the scheduler: a rule for priorities is what some of them need.
        if let Some(name) = self.priorities {
            scenario = scenario.with_priorities(&name).map_err(bad_input)?;
        }
        if let Some(text) = self.placement {
            scenario = scenario.with_placement(&text).map_err(bad_input)?;
        }
        if let Some(name) = self.scheduler {
            scenario = catalog.under(scenario, &name).map_err(bad_input)?;
        }
        if let Some(name) = self.protocol {
            scenario = catalog.sharing(scenario, &name).map_err(bad_input)?;
        }
        if let Some(name) = self.overheads {
            scenario = match tables(&name) {
                Some(names) => with_tables(scenario, &names)?,
                None => with_overheads(scenario, &name, catalog)?,
            };
        }
        if let Some(name) = self.statistic {
            scenario = scenario.with_statistic_named(&name).map_err(bad_input)?;
        }
        if let Some(seed) = self.seed {
            scenario = scenario.with_seed(narrow("seed", seed, "from 0 to 2^64 - 1")?).map_err(bad_input)?;
        }
        if let Some(horizon) = self.horizon {
            let horizon = Instant::ZERO + horizon.duration("horizon")?;
            scenario = scenario.with_horizon(horizon).map_err(bad_input)?;
        }
        scenario.check().map_err(bad_input)?;
        Ok(scenario)
    }
}

/// SchedCAT's tables: names that end in `.csv`, separated by commas.
fn tables(names: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    names.iter().all(|name| name.ends_with(".csv")).then_some(names)
}

fn with_tables(scenario: Scenario, names: &[&str]) -> PyResult<Scenario> {
    let read = |name: &&str| std::fs::read(name).map_err(|why| bad_input(format!("{name}: {why}")));
    let files: Vec<Vec<u8>> = names.iter().map(read).collect::<PyResult<_>>()?;
    let profile = read_all(names.iter().copied().zip(files)).map_err(bad_input)?.value;
    // What holds measured means only is not asked for largest values that it does not have.
    let largest = profile.all.values().any(|measured| measured.max.is_some());
    let scenario = scenario.with_overhead_profile(profile).map_err(bad_input)?;
    Ok(if largest { scenario } else { scenario.with_statistic(Statistic::Mean) })
}

/// SchedCAT's tables of overheads as an overheads file, and what of them nothing is charged for.
#[pyfunction]
pub(crate) fn import_overheads(files: Vec<(String, Vec<u8>)>) -> PyResult<(String, Vec<String>)> {
    let files = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone()));
    let read = read_all(files).map_err(bad_input)?;
    Ok((read.value.to_toml(), read.lost))
}

/// A name of the catalogue goes before a file of that name.
fn with_overheads(scenario: Scenario, name: &str, catalog: &Catalog) -> PyResult<Scenario> {
    match catalog.overheads(name).is_none() && Path::new(name).is_file() {
        true => scenario.with_overheads_file(Path::new(name)).map_err(bad_input),
        false => catalog.charging(scenario, name).map_err(bad_input),
    }
}

#[pymethods]
impl PyScenario {
    /// The scenario in a file.
    #[staticmethod]
    fn read(path: &str) -> PyResult<Self> {
        Scenario::read(Path::new(path)).map(PyScenario::shipped).map_err(bad_input)
    }

    /// The scenario in a text; `file` is named in errors.
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
        scenario.platform.processors = narrow("processors", processors, "from 1 to 65535")?;
        if let Some(clusters) = cluster_size.map(clusters_of).transpose()? {
            scenario.platform.clusters = clusters;
        }
        scenario = scenario.with_scheduler(scheduler).map_err(bad_input)?;
        scenario.check().map_err(bad_input)?;
        Ok(PyScenario::shipped(scenario))
    }

    /// This scenario with other settings.
    #[pyo3(signature = (*, name=None, processors=None, cluster_size=None, copies=None, scheduler=None,
        protocol=None, placement=None, priorities=None, overheads=None, statistic=None, horizon=None, quantum=None, seed=None))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
    fn replace(
        &self,
        name: Option<String>,
        processors: Option<i128>,
        cluster_size: Option<i128>,
        copies: Option<i128>,
        scheduler: Option<String>,
        protocol: Option<String>,
        placement: Option<String>,
        priorities: Option<String>,
        overheads: Option<String>,
        statistic: Option<String>,
        horizon: Option<Length>,
        quantum: Option<Length>,
        seed: Option<i128>,
    ) -> PyResult<Self> {
        let settings = Settings {
            name,
            processors,
            cluster_size,
            copies,
            scheduler,
            protocol,
            placement,
            priorities,
            overheads,
            statistic,
            horizon,
            quantum,
            seed,
        };
        settings.apply(self.scenario.clone(), &self.catalog).map(|scenario| self.with(scenario))
    }

    /// This scenario with critical sections drawn by the rule `accesses`: set number `index` of `seed`.
    fn with_accesses(&self, accesses: &str, seed: i128, index: i128) -> PyResult<Self> {
        let (seed, index) = place_of_set(seed, index)?;
        let accesses: Accesses = accesses.parse().map_err(bad_input)?;
        self.scenario
            .clone()
            .with_accesses(&accesses, seed, index)
            .map_err(bad_input)
            .map(|made| self.with(made))
    }

    /// This scenario with time/utility functions drawn by the rule `utility`: set number `index` of `seed`.
    fn with_utility(&self, utility: &str, seed: i128, index: i128) -> PyResult<Self> {
        let (seed, index) = place_of_set(seed, index)?;
        let utilities: Utilities = utility.parse().map_err(bad_input)?;
        self.scenario
            .clone()
            .with_utilities(&utilities, seed, index)
            .map_err(bad_input)
            .map(|made| self.with(made))
    }

    /// The scenario in the bytes of another tool's `file`, and what of it schedlab has no place for.
    #[staticmethod]
    fn convert(content: Vec<u8>, file: &str) -> PyResult<(Self, Vec<String>)> {
        let format = match file.rsplit_once('.').map(|(_, ending)| ending) {
            Some("csv") => Format::Csv(Unit::Written),
            // SimSo's files have this element at their root, SchedCAT's have `taskset`.
            Some("xml") if content.windows(11).any(|part| part == b"<simulation") => Format::SimSo,
            Some("xml") => Format::SchedCat,
            Some("json") => Format::RtApp,
            _ => return Err(bad_input(format!("{file}: unknown ending; allowed: .toml, .csv, .xml, .json"))),
        };
        let read = format.read(file, content).map_err(bad_input)?;
        Ok((PyScenario::shipped(read.value), read.lost))
    }

    /// The scenario as `toml`, `csv`, `schedcat` or `simso`, or as settings of Linux's own schedulers (`rt-app`,
    /// `sched_deadline`, `systemd`), and what of it that format has no place for.
    fn export(&self, format: &str) -> PyResult<(String, Vec<String>)> {
        let format = match format {
            "toml" => return Ok((self.scenario.to_toml(), Vec::new())),
            "csv" => Format::Csv(Unit::Written),
            "schedcat" => Format::SchedCat,
            "simso" => Format::SimSo,
            "rt-app" => return self.launch(Launcher::RtApp),
            "sched_deadline" => return self.launch(Launcher::SchedDeadline),
            "systemd" => return self.launch(Launcher::Systemd),
            other => {
                let allowed = "toml, csv, schedcat, simso, rt-app, sched_deadline, systemd";
                return Err(bad_input(format!("no format is called \"{other}\"; allowed: {allowed}")));
            }
        };
        let written = format.write(&self.scenario).map_err(bad_input)?;
        Ok((written.value, written.lost))
    }

    /// The services of systemd that run the scenario: a file name and its text each.
    fn services(&self) -> PyResult<Vec<(String, String)>> {
        let resolved = resolve(&self.scenario).map_err(bad_input)?;
        Ok(services(&resolved.scenario).map_err(bad_input)?.value)
    }

    /// The canonical file.
    fn to_toml(&self) -> String {
        self.scenario.to_toml()
    }

    /// The task set, one row per task.
    fn tasks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &task_rows(&self.scenario.tasks))
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

    /// What goes first under the scheduler, in a sentence.
    #[getter]
    fn scheduler_description(&self) -> String {
        let known = self.catalog.scheduler(self.scenario.scheduler_name());
        known.as_ref().map(sentence).unwrap_or_default()
    }

    /// Whether simulations know the scheduler: one that only real runs know is Linux's own, without a model.
    #[getter]
    fn is_modelled(&self) -> bool {
        let known = self.catalog.scheduler(self.scenario.scheduler_name());
        known.is_none_or(|scheduler| scheduler.is_modelled())
    }

    /// What no file can name: the scheduler and the protocol of the user's own, such as `scheduler EDZL`.
    #[getter]
    fn own(&self) -> Vec<String> {
        let names = [("scheduler", &self.scenario.scheduler.own), ("protocol", &self.scenario.own_protocol)];
        names.iter().filter_map(|(kind, own)| Some(format!("{kind} {}", own.as_ref()?))).collect()
    }

    /// Whether the catalogue has a scheduler of this name.
    fn has_scheduler(&self, name: &str) -> bool {
        self.catalog.scheduler(name).is_some()
    }

    /// Whether the catalogue has a locking protocol of this name.
    fn has_protocol(&self, name: &str) -> bool {
        self.catalog.protocol(name).is_some()
    }

    /// This scenario under a class derived from `schedlab.Policy`, which the catalogue then has.
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

    /// Which of the measured overheads are charged, such as `max`.
    #[getter]
    fn overheads_statistic(&self) -> &'static str {
        self.scenario.overheads.statistic_name()
    }

    /// Where the overheads were measured or published, and which were fitted; empty if there are none.
    #[getter]
    fn overheads_source(&self) -> String {
        let source = &self.scenario.overheads.profile.source;
        match self.scenario.charged().decisions {
            Some(known) => format!("{source}; decisions: {}", known.in_words()),
            None => source.clone(),
        }
    }

    /// The overheads that the source has no value for; the scenario's scheduler is not charged for them.
    #[getter]
    fn overheads_unknown(&self) -> Vec<&'static str> {
        self.scenario.charged().unknown(self.scenario.overheads.statistic).map(|kind| kind.name()).collect()
    }

    /// By task: from when to when it may arrive; the end is `None` if it stays.
    #[getter]
    fn presence_ns(&self) -> Vec<(u64, Option<u64>)> {
        let leave = |at: Instant| (at < Instant::NEVER).then(|| at.as_ns());
        self.scenario.tasks.iter().map(|task| (task.join.as_ns(), leave(task.leave))).collect()
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.scenario.seed
    }

    /// When the experiment ends.
    #[getter]
    fn horizon_ns(&self) -> u64 {
        self.scenario.horizon.as_ns()
    }
}

impl PyScenario {
    /// A scenario that names what is shipped.
    fn shipped(scenario: Scenario) -> PyScenario {
        PyScenario { scenario, catalog: Arc::default(), failure: Failure::default() }
    }

    /// Other values, with the same catalogue.
    pub(crate) fn with(&self, scenario: Scenario) -> PyScenario {
        PyScenario { scenario, catalog: Arc::clone(&self.catalog), failure: self.failure.clone() }
    }

    /// The scenario in a text, with this catalogue.
    pub(crate) fn parse_with(text: &str, catalog: Catalog) -> PyResult<PyScenario> {
        let scenario = Scenario::parse("scenario", text).map_err(bad_input)?;
        Ok(PyScenario { scenario, catalog: Arc::new(catalog), failure: Failure::default() })
    }

    /// Does `work` without Python's lock; what a policy in Python raised meanwhile goes before what was found.
    pub(crate) fn watch<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        let found = py.detach(work);
        self.failure.take().map_or(Ok(found), Err)
    }

    /// All that a simulation shares.
    pub(crate) fn prepare(&self, py: Python<'_>) -> PyResult<Prepared> {
        self.watch(py, || Prepared::of(&self.scenario, &self.catalog))?.map_err(bad_input)
    }

    fn launch(&self, launcher: Launcher) -> PyResult<(String, Vec<String>)> {
        let resolved = resolve(&self.scenario).map_err(bad_input)?;
        let written = launcher.write(&resolved.scenario).map_err(bad_input)?;
        Ok((written.value, written.lost))
    }
}

/// A scheduler in one sentence.
fn sentence(scheduler: &Scheduler) -> String {
    let place = match scheduler.scope {
        Scope::Partitioned => "each processor has its own ready queue",
        Scope::Clustered => "the processors of each cluster share a ready queue",
        Scope::Global => "all processors share one ready queue",
    };
    format!("{place}; {}", scheduler.description)
}

//! Changes that a command line or a program makes in a scenario. Only this file defines their order.

use crate::prepare::catalog::{Catalog, CatalogError};
use schedlab_model::{Duration, Instant};
use schedlab_policy::Throttling;
use schedlab_scenario::interchange::Ignored;
use schedlab_scenario::{refuse_both, Clusters, Scenario, Workload};
use std::collections::BTreeMap;
use std::path::Path;

/// Changes to a scenario. A field that is `None` or empty changes nothing.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Overrides {
    /// Values of fields by their paths, as in `task.odom.wcet` and `5ms`.
    pub settings: Vec<(String, String)>,
    /// Factor of all costs: numerator and denominator.
    pub scale: Option<(u64, u64)>,
    pub title: Option<String>,
    pub quantum: Option<Duration>,
    pub clusters: Option<Clusters>,
    pub processors: Option<u16>,
    pub copies: Option<usize>,
    pub priorities: Option<String>,
    pub placement: Option<String>,
    pub scheduler: Option<String>,
    pub throttling: Option<Throttling>,
    pub protocol: Option<String>,
    /// Names of schemes, by the name of the object.
    pub schemes: BTreeMap<String, String>,
    /// The workload of all tasks, and their working set in bytes.
    pub workload: Option<(Workload, Option<u64>)>,
    /// A name of the catalogue, a file, or SchedCAT's tables with commas between them.
    pub overheads: Option<String>,
    /// Parts of overhead tables that may be ignored.
    pub ignored: Ignored,
    pub statistic: Option<String>,
    pub seed: Option<u64>,
    pub horizon: Option<Duration>,
}

impl Overrides {
    /// Makes these changes in `scenario`, looking names up in `catalog`. Fails if the result is no valid scenario.
    pub fn apply(self, mut scenario: Scenario, catalog: &Catalog) -> Result<Scenario, CatalogError> {
        self.refuse_what_is_said_twice()?;
        let processors_before = scenario.platform.processors;
        scenario = scenario.with_settings(&self.settings)?;
        if let Some(factor) = self.scale {
            scenario = scenario.with_scale(factor)?;
        }
        if let Some(title) = self.title {
            scenario.title = title;
        }
        if let Some(quantum) = self.quantum {
            scenario.platform.quantum = quantum;
        }
        if let Some(clusters) = self.clusters {
            scenario.platform.clusters = clusters;
        }
        if let Some(processors) = self.processors {
            scenario = scenario.with_processors(processors)?;
            let before = Some(processors_before.to_string());
            scenario.suppose("platform.processors", processors.to_string(), before);
        }
        if let Some(copies) = self.copies {
            scenario = scenario.with_copies(copies)?;
        }
        // Some schedulers need a rule for priorities, so it comes before the scheduler.
        if let Some(name) = self.priorities {
            scenario = scenario.with_priorities(&name)?;
        }
        if let Some(text) = self.placement {
            scenario = scenario.with_placement(&text)?;
        }
        if let Some(name) = self.scheduler {
            scenario = catalog.under(scenario, &name)?;
        }
        if self.throttling.is_some() {
            scenario.scheduler.throttling = self.throttling;
        }
        if let Some(name) = self.protocol {
            scenario = catalog.sharing(scenario, &name)?;
        }
        for (object, scheme) in &self.schemes {
            scenario = scenario.with_scheme(object, scheme)?;
        }
        if let Some((workload, working_set)) = self.workload {
            scenario = scenario.with_workload(workload, working_set)?;
        }
        if let Some(name) = self.overheads {
            scenario = with_overheads(scenario, &name, &self.ignored, catalog)?;
        }
        if let Some(name) = self.statistic {
            scenario = scenario.with_statistic_named(&name)?;
        }
        if let Some(seed) = self.seed {
            scenario = scenario.with_seed(seed)?;
        }
        if let Some(horizon) = self.horizon {
            scenario = scenario.with_horizon(Instant::ZERO + horizon)?;
        }
        scenario.check()?;
        if self.processors.is_some() || scenario.platform.processors != processors_before {
            scenario.heeds_places_as_on(processors_before)?;
        }
        Ok(scenario)
    }

    /// Refuses a setting whose field another of these changes sets, too.
    fn refuse_what_is_said_twice(&self) -> Result<(), CatalogError> {
        let with_paths = [
            (self.processors.is_some(), "processors", "platform.processors"),
            (self.clusters.is_some(), "cluster_size", "platform.cluster_size"),
            (self.clusters.is_some(), "cluster_size", "platform.clusters"),
            (self.quantum.is_some(), "quantum", "platform.quantum"),
            (self.priorities.is_some(), "priorities", "scheduler.priorities"),
            (self.placement.is_some(), "placement", "scheduler.placement"),
            (self.scheduler.is_some(), "scheduler", "scheduler.name"),
            (self.throttling.is_some(), "throttling", "scheduler.throttling"),
            (self.protocol.is_some(), "protocol", "protocol"),
            (self.overheads.is_some(), "overheads", "overheads.use"),
            (self.overheads.is_some(), "overheads", "overheads.all"),
            (self.statistic.is_some(), "statistic", "overheads.statistic"),
            (self.title.is_some(), "name", "title"),
            (self.seed.is_some(), "seed", "seed"),
            (self.horizon.is_some(), "horizon", "horizon"),
        ];
        for (_, option, path) in with_paths.iter().filter(|(is_given, _, _)| *is_given) {
            refuse_both(&self.settings, option, path)?;
        }
        for object in self.schemes.keys() {
            refuse_both(&self.settings, "scheme", &format!("resource.{object}.scheme"))?;
        }
        Ok(())
    }
}

/// Charges `scenario` the overheads called `name`: tables if all names end in `.csv`, else an entry of the catalogue,
/// else a file.
fn with_overheads(
    scenario: Scenario,
    name: &str,
    ignored: &Ignored,
    catalog: &Catalog,
) -> Result<Scenario, CatalogError> {
    let names: Vec<&str> = name.split(',').map(str::trim).collect();
    if names.iter().all(|name| name.ends_with(".csv")) {
        return Ok(scenario.with_overhead_tables(&names, ignored)?);
    }
    match catalog.overheads(name).is_none() && Path::new(name).is_file() {
        true => Ok(scenario.with_overheads_file(Path::new(name))?),
        false => catalog.charging(scenario, name),
    }
}

//! Statements of a scenario that its scheduler does not heed: a global scheduler puts every task everywhere, a
//! clustered one in a cluster as a whole, and only Linux's own classes know throttling. A file may state them
//! all the same, because it is read under other schedulers, too; answers mention it.

use crate::aspect::loss;
use crate::error::Errors;
use crate::scenario::{Scenario, TaskSpec};
use schedlab_policy::{Scope, Throttling};

/// A statement of a scenario that its scheduler does not heed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unheeded {
    /// These tasks state a part of the machine.
    Places(Vec<String>),
    /// A processor stops when it has run threads for the runtime of a period.
    Throttling(Throttling),
}

impl Unheeded {
    /// One word for the statement, in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Unheeded::Places(_) => "places",
            Unheeded::Throttling(_) => "throttling",
        }
    }

    /// Says what is not heeded by `scheduler`.
    pub(crate) fn line(&self, scheduler: &str) -> String {
        match self {
            Unheeded::Places(tasks) => {
                let what = format!("the scenario: places, which {scheduler} does not heed,");
                loss(&what, tasks, false).unwrap_or(what)
            }
            Unheeded::Throttling(throttling) => {
                let Throttling { runtime, period } = throttling;
                format!(
                    "the scenario: throttling ({runtime} of each {period}), which {scheduler} does not heed"
                )
            }
        }
    }
}

impl Scenario {
    /// Lists the statements that the scenario's scheduler does not heed.
    pub fn unheeded(&self) -> Vec<Unheeded> {
        let tasks = self.unheeded_places();
        let places = (!tasks.is_empty()).then_some(Unheeded::Places(tasks));
        let throttling = self.scheduler.throttling.filter(Throttling::ever_stops);
        // Under SCHED_DEADLINE it says what the kernel admits.
        let is_heeded = self.known_scheduler().is_some_and(|known| known.kernel_class().is_some());
        let throttling = throttling.filter(|_| !is_heeded);
        places.into_iter().chain(throttling.map(Unheeded::Throttling)).collect()
    }

    /// Lists the statements that the scenario's scheduler does not heed, a line each.
    pub(crate) fn unheeded_lines(&self) -> impl Iterator<Item = String> + '_ {
        self.unheeded().into_iter().map(|one| one.line(self.scheduler_name()))
    }

    /// The scenario's throttling, if its scheduler knows it.
    pub fn heeded_throttling(&self) -> Option<Throttling> {
        let stated = self.scheduler.throttling?;
        self.known_scheduler().is_some_and(|known| known.may_be_throttled()).then_some(stated)
    }

    /// Refuses this scenario if a task's place is a part of the machine that the scheduler does not heed, but would be
    /// heeded on the scenario's former number of `processors`: with more processors, the answer would be about other
    /// tasks.
    pub fn heeds_places_as_on(&self, processors: u16) -> Result<(), Errors> {
        let Some(name) = self.unheeded_places().into_iter().next() else { return Ok(()) };
        let mut before = self.clone();
        before.platform.processors = processors;
        if !before.unheeded_places().is_empty() {
            return Ok(());
        }
        let why = format!(
            "leave task \"{name}\" on a part of the machine, which {} does not heed",
            self.scheduler_name()
        );
        let allowed = "a partitioned scheduler, or, for an rt-app file, --ignore affinity";
        Err(Errors::refused(None, "processors", self.platform.processors, &why, allowed))
    }

    /// The names of the tasks that state a part of the machine which the scheduler does not heed.
    pub(crate) fn unheeded_places(&self) -> Vec<String> {
        let Ok(scheduler) = schedlab_policy::find(&self.scheduler.name) else {
            return Vec::new();
        };
        let keeps_pieces = scheduler.keeps_pieces();
        let is_lost = |task: &&TaskSpec| {
            !keeps_pieces && (!task.pieces.is_empty() || self.is_unheeded(task, scheduler.scope))
        };
        self.tasks.iter().filter(is_lost).map(|task| task.name.clone()).collect()
    }

    fn is_unheeded(&self, task: &TaskSpec, scope: Scope) -> bool {
        let platform = &self.platform;
        let is_part = |cpus: &[u16]| !cpus.is_empty() && cpus.len() < usize::from(platform.processors);
        let names_part = |named: u16| {
            let clusters = platform.clusters.lists(platform.processors);
            clusters.get(usize::from(named)).is_some_and(|cpus| is_part(cpus))
        };
        let in_larger = |only: u16| {
            let clusters = platform.clusters.lists(platform.processors);
            clusters.iter().any(|cpus| cpus.contains(&only) && cpus.len() > 1)
        };
        match scope {
            Scope::Partitioned => false,
            Scope::Clustered if task.cluster.is_some() => false,
            Scope::Clustered => task.processor.map_or_else(|| is_part(&task.affinity), in_larger),
            Scope::Global => {
                is_part(&task.affinity)
                    || task.processor.is_some_and(|only| is_part(&[only]))
                    || task.cluster.is_some_and(names_part)
            }
        }
    }
}

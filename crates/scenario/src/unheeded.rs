//! Places of tasks that the scheduler does not heed: a global one puts every task everywhere, and a clustered one in a
//! cluster as a whole. A file may state them all the same, because it is read under other schedulers, too; answers
//! mention it.

use crate::aspect::loss;
use crate::error::Errors;
use crate::scenario::{Scenario, TaskSpec};
use schedlab_policy::Scope;

impl Scenario {
    /// Lists what was left out when the scenario was read, and which places its scheduler does not heed, a line each.
    pub fn all_left_out(&self) -> Vec<String> {
        let what = format!("the scenario: places, which {} does not heed,", self.scheduler_name());
        self.left_out.iter().cloned().chain(loss(&what, &self.unheeded(), false)).collect()
    }

    /// Refuses this scenario if a task's place is a part of the machine that the scheduler does not heed, but would be
    /// heeded on the scenario's former number of `processors`: with more processors, the answer would be about other
    /// tasks.
    pub fn heeds_places_as_on(&self, processors: u16) -> Result<(), Errors> {
        let Some(name) = self.unheeded().into_iter().next() else { return Ok(()) };
        let mut before = self.clone();
        before.platform.processors = processors;
        if !before.unheeded().is_empty() {
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
    pub(crate) fn unheeded(&self) -> Vec<String> {
        let Ok(scheduler) = schedlab_policy::find(&self.scheduler.name) else { return Vec::new() };
        let is_lost = |task: &&TaskSpec| self.is_unheeded(task, scheduler.scope);
        self.tasks.iter().filter(is_lost).map(|task| task.name.clone()).collect()
    }

    fn is_unheeded(&self, task: &TaskSpec, scope: Scope) -> bool {
        let platform = &self.platform;
        let is_part = |cpus: &[u16]| !cpus.is_empty() && cpus.len() < usize::from(platform.processors);
        let names_part = |named: u16| {
            let clusters = platform.clusters.lists(platform.processors);
            clusters.get(usize::from(named)).is_some_and(|cpus| is_part(cpus))
        };
        match scope {
            Scope::Partitioned => false,
            Scope::Clustered => is_part(&task.affinity) && task.processor.is_none() && task.cluster.is_none(),
            Scope::Global => {
                is_part(&task.affinity)
                    || task.processor.is_some_and(|only| is_part(&[only]))
                    || task.cluster.is_some_and(names_part)
            }
        }
    }
}

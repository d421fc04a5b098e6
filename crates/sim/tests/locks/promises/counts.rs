//! Promises that say how many jobs may do something at once.

use super::Promises;
use schedlab_model::*;

impl Promises<'_> {
    /// P-PCP: for each task at most as many as there are processors could run before it though less urgent.
    pub(super) fn few_pass_each_task(&self) {
        let point = |task: usize| (self.tasks[task].fixed_priority, task);
        let uses = |task: usize, resource: ResourceId| {
            self.tasks[task].program.iter().any(|step| matches!(step, Step::Request(r, _) if *r == resource))
        };
        for task in 0..self.tasks.len() {
            let passes = |job: JobId, resource: ResourceId| {
                point(job.task.index()) > point(task)
                    && (0..self.tasks.len()).any(|user| uses(user, resource) && point(user) <= point(task))
            };
            let held = self.jobs.iter().flat_map(|(job, seen)| seen.holds.iter().map(|held| (*job, held.0)));
            let count = held.filter(|(job, resource)| passes(*job, *resource)).count();
            assert!(count <= self.processors, "{count} may pass task {task}");
        }
    }

    /// MrsP: each processor has at most one request for each resource, so that a request waits for one of each other.
    pub(super) fn one_asks_on_each_processor(&self) {
        for resource in (0..self.resources.len() as u32).map(ResourceId) {
            let mut asking = Vec::new();
            for (job, seen) in &self.jobs {
                let waits = seen.waits.as_ref().is_some_and(|wait| wait.resource == resource);
                if waits || seen.holds.iter().any(|held| held.0 == resource) {
                    let home = self.tasks[job.task.index()].cluster;
                    assert!(
                        !asking.contains(&home),
                        "{job} asks for {resource}, as another of its processor does"
                    );
                    asking.push(home);
                }
            }
        }
    }

    /// The partitioned OMLP: at most one job of each processor holds resources.
    pub(super) fn one_contends_on_each_processor(&self) {
        for cpu in 0..self.processors as u16 {
            let here = self.jobs.values().filter(|seen| seen.cluster == ClusterId(cpu));
            let count = here.filter(|seen| !seen.holds.is_empty()).count();
            assert!(count <= 1, "{count} jobs of one processor hold resources");
        }
    }
}

//! Who executes while time passes: the most urgent, and holders as their protocol promises.

use super::{Promises, Seen};
use schedlab_lock::Preemption;
use schedlab_model::*;

impl Promises<'_> {
    pub(super) fn time_passes(&self) {
        for (job, seen) in &self.jobs {
            // An agent that is on its way to a section is boosted there.
            let is_home = seen.cluster == self.tasks[job.task.index()].cluster;
            if seen.holds.is_empty() && seen.waits.is_none() && seen.asked.is_none() && is_home {
                assert_eq!(seen.effective, seen.base, "{job} holds nothing and asks for nothing");
            }
            for (resource, ..) in &seen.holds {
                self.holder_is_urgent(*job, seen, *resource);
            }
            if self.is_ideal && seen.is_ready && seen.cpu.is_none() {
                self.is_rightly_passed_over(*job, seen);
            }
        }
        match self.name() {
            "ppcp" => self.few_pass_each_task(),
            "omlp-partitioned" => self.one_contends_on_each_processor(),
            "mrsp" if self.is_ideal => self.one_asks_on_each_processor(),
            _ => {}
        }
    }

    /// A holder has the priority that the protocol gives it.
    fn holder_is_urgent(&self, job: JobId, seen: &Seen, resource: ResourceId) {
        let is_its_own = self.is_its_own(resource);
        let ceiling_rule = matches!(self.name(), "ipcp" | "mrsp")
            || (matches!(self.name(), "mpcp" | "mpcp-all") && !is_its_own);
        if ceiling_rule {
            for (other, user) in &self.jobs {
                let uses = |step: &Step| matches!(step, Step::Request(r, _) if *r == resource);
                let is_here = self.tasks[other.task.index()].cluster == seen.cluster;
                if is_here && self.tasks[other.task.index()].program.iter().any(uses) {
                    assert!(
                        !user.base.is_higher_than(seen.effective),
                        "{job} is below the ceiling of {resource}"
                    );
                }
            }
        }
        let inherits = self.protocol.preemption == Preemption::Inherited && self.name() != "omlp-clustered";
        if inherits || (self.name() == "dpcp" && !is_its_own) {
            for (other, rival, _) in self.rivals(job, resource) {
                let here =
                    !(self.name() == "fmlp-long" && self.are_partitions) || rival.cluster == seen.cluster;
                let is_fine = !here || !rival.effective.is_higher_than(seen.effective);
                assert!(
                    is_fine,
                    "{job} holds {resource} and is less urgent than {other}, which waits for it"
                );
            }
        }
        let remote = matches!(self.name(), "dpcp" | "dflp") && !self.is_local[resource.index()];
        if remote {
            let clusters = self
                .tasks
                .iter()
                .map(|task| task.cluster.index())
                .max()
                .unwrap_or(0)
                .max(self.processors - 1);
            assert_eq!(
                seen.cluster.index(),
                resource.index() % (clusters + 1),
                "{job} holds {resource} elsewhere"
            );
        }
    }

    /// `job` could execute, and others do: they are at least as urgent, or cannot be preempted.
    fn is_rightly_passed_over(&self, job: JobId, seen: &Seen) {
        let holds = self.holds_its_own(seen);
        // A job that displaces one that cannot be preempted waits for that one, even if another could be preempted.
        let mut here =
            self.jobs.values().filter(|other| other.cpu.is_some() && other.cluster == seen.cluster);
        let is_delayed = here.any(|other| other.np > 0);
        for (other, running) in
            self.jobs.iter().filter(|(_, other)| other.cpu.is_some() && other.cluster == seen.cluster)
        {
            let is_fine = is_delayed || !seen.effective.is_higher_than(running.effective);
            assert!(is_fine, "{other} executes and {job} is more urgent");
            if !holds {
                continue;
            }
            if self.protocol.preemption == Preemption::Boosted {
                assert!(self.holds_its_own(running), "{other} executes and {job} holds a resource");
            }
            if matches!(self.name(), "fmlp+" | "dflp") {
                let first = |seen: &Seen| seen.holds.iter().map(|held| held.2).min();
                assert!(first(running) <= first(seen), "{other} executes and {job} asked before it");
            }
            assert_ne!(self.name(), "omlp-clustered", "{job} holds a resource and {other} executes");
        }
        if self.name() == "mrsp" && holds {
            for (resource, ..) in &seen.holds {
                let mut spinning = self.rivals(job, *resource).filter(|(_, rival, _)| rival.cpu.is_some());
                assert!(spinning.next().is_none(), "{job} is preempted and no other helps");
            }
        }
    }
}

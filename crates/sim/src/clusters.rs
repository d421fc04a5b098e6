//! The policies of all clusters: who hears of what, who has to decide, and what was decided.

use schedlab_model::{at, at_mut, BitSet, ClusterId, CpuId, Event, Instant, JobId, Jobs, Occupant, Priority};
use schedlab_policy::{Decisions, Policy};

/// What a cluster decided.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decided {
    Nothing,
    /// This processor looks at its link: mostly a job is complete, and another one takes its place.
    Look(CpuId, Occupant),
    /// All that is in the list, which is to be cleared then.
    Several,
}

/// One policy for each cluster, and those that were told something.
#[derive(Default)]
pub(crate) struct Clusters<P> {
    policies: Vec<P>,
    /// Which have been told something and have not decided.
    touched: BitSet,
    /// What a policy decided, until all of it is carried out.
    pub decisions: Decisions,
}

impl<P> Clusters<P> {
    /// Other policies, none of which has been told anything, in the memory of these clusters. There is room for
    /// decisions about so many processors and tasks.
    pub(crate) fn renewed<Q>(mut self, policies: Vec<Q>, processors: usize, tasks: usize) -> Clusters<Q> {
        self.touched.renew(policies.len());
        self.decisions.renew(processors, tasks);
        self.with(policies)
    }

    /// The same with these policies.
    pub(crate) fn with<Q>(self, policies: Vec<Q>) -> Clusters<Q> {
        Clusters { policies, touched: self.touched, decisions: self.decisions }
    }
}

impl<P: Policy> Clusters<P> {
    pub(crate) fn len(&self) -> usize {
        self.policies.len()
    }

    /// What the policy of `cluster` says of a job that is about to become ready.
    #[inline(always)]
    pub(crate) fn priority(&self, cluster: ClusterId, job: JobId, jobs: &Jobs) -> Priority {
        at(&self.policies, cluster.index()).priority(job, jobs)
    }

    /// Tells the policy of `cluster`, which decides then.
    #[inline(always)]
    pub(crate) fn tell(&mut self, cluster: ClusterId, now: Instant, event: Event, jobs: &Jobs) {
        at_mut(&mut self.policies, cluster.index()).note(now, event, jobs);
        self.touch(cluster);
    }

    /// Tells the policy of `cluster` what needs no decision.
    #[inline(always)]
    pub(crate) fn inform(&mut self, cluster: ClusterId, now: Instant, event: Event, jobs: &Jobs) {
        // All tasks' clusters exist. Written so, what is nothing to a policy does not even take a look whether it is
        // there.
        if let Some(policy) = self.policies.get_mut(cluster.index()) {
            policy.note(now, event, jobs);
        }
    }

    /// The policy of `cluster` has to decide.
    #[inline(always)]
    pub(crate) fn touch(&mut self, cluster: ClusterId) {
        self.touched.insert(cluster.index());
    }

    /// True if a cluster has to decide.
    #[inline(always)]
    pub(crate) fn are_touched(&self) -> bool {
        !self.touched.is_empty()
    }

    /// The cluster that decides next.
    #[inline(always)]
    pub(crate) fn take_touched(&mut self) -> Option<ClusterId> {
        self.touched.take_first().map(|cluster| ClusterId(cluster as u16))
    }

    /// The policy of `cluster` decides.
    #[inline(always)]
    pub(crate) fn decide(&mut self, cluster: ClusterId, now: Instant, jobs: &Jobs) -> Decided {
        let policy = at_mut(&mut self.policies, cluster.index());
        policy.decide(now, jobs, &mut self.decisions);
        match self.decisions.parts() {
            ([], [], [cpu]) => {
                let cpu = *cpu;
                self.decisions.clear_looks();
                Decided::Look(cpu, policy.linked(cpu).into())
            }
            ([], [], []) => Decided::Nothing,
            _ => Decided::Several,
        }
    }

    /// What the policy of `cluster` says of a completion that is all that happens.
    #[inline(always)]
    pub(crate) fn take_over(
        &mut self,
        cluster: ClusterId,
        job: JobId,
        cpu: CpuId,
        jobs: &Jobs,
    ) -> Option<Occupant> {
        at_mut(&mut self.policies, cluster.index()).take_over(job, cpu, jobs)
    }

    /// The job that is linked to `cpu`, a processor of `cluster`.
    #[inline(always)]
    pub(crate) fn linked(&self, cluster: ClusterId, cpu: CpuId) -> Option<JobId> {
        at(&self.policies, cluster.index()).linked(cpu)
    }
}

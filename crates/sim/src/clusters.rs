//! The policies of all clusters: their notification of events, and their decisions.

use schedlab_model::{at, at_mut, BitSet, ClusterId, CpuId, Event, Instant, JobId, Jobs, Occupant, Priority};
use schedlab_policy::{Decisions, Policy};

/// The outcome of a cluster's decision.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decided {
    Nothing,
    /// This processor looks at its link: most often because a job is complete and another one takes its place.
    Look(CpuId, Occupant),
    /// All decisions in the list, which is to be cleared after they are carried out.
    Several,
}

/// One policy for each cluster, and the set of clusters that have to decide.
#[derive(Default)]
pub(crate) struct Clusters<P> {
    policies: Vec<P>,
    /// Clusters that were notified of an event and have not decided since.
    touched: BitSet,
    /// The decisions of a policy, until all of them are carried out.
    pub decisions: Decisions,
}

impl<P> Clusters<P> {
    /// Replaces the policies by others, none of which has to decide, in the same memory. Reserves room for decisions
    /// about this many processors and tasks.
    pub(crate) fn renewed<Q>(mut self, policies: Vec<Q>, processors: usize, tasks: usize) -> Clusters<Q> {
        self.touched.renew(policies.len());
        self.decisions.renew(processors, tasks);
        self.with(policies)
    }

    /// Replaces the policies, and keeps everything else.
    pub(crate) fn with<Q>(self, policies: Vec<Q>) -> Clusters<Q> {
        Clusters { policies, touched: self.touched, decisions: self.decisions }
    }
}

impl<P: Policy> Clusters<P> {
    pub(crate) fn len(&self) -> usize {
        self.policies.len()
    }

    /// Returns the priority that the policy of `cluster` gives a job that is about to become ready.
    #[inline(always)]
    pub(crate) fn priority(&self, cluster: ClusterId, job: JobId, jobs: &Jobs) -> Priority {
        at(&self.policies, cluster.index()).priority(job, jobs)
    }

    /// Notifies the policy of `cluster`, which then has to decide.
    #[inline(always)]
    pub(crate) fn tell(&mut self, cluster: ClusterId, now: Instant, event: Event, jobs: &Jobs) {
        at_mut(&mut self.policies, cluster.index()).note(now, event, jobs);
        self.touch(cluster);
    }

    /// Notifies the policy of `cluster` of an event that needs no decision.
    #[inline(always)]
    pub(crate) fn inform(&mut self, cluster: ClusterId, now: Instant, event: Event, jobs: &Jobs) {
        // All tasks' clusters exist. With `get_mut`, the compiler can remove the whole call for policies that ignore
        // the event.
        if let Some(policy) = self.policies.get_mut(cluster.index()) {
            policy.note(now, event, jobs);
        }
    }

    /// Notes that the policy of `cluster` has to decide.
    #[inline(always)]
    pub(crate) fn touch(&mut self, cluster: ClusterId) {
        self.touched.insert(cluster.index());
    }

    /// True if a cluster has to decide.
    #[inline(always)]
    pub(crate) fn are_touched(&self) -> bool {
        !self.touched.is_empty()
    }

    /// Takes the cluster that decides next.
    #[inline(always)]
    pub(crate) fn take_touched(&mut self) -> Option<ClusterId> {
        self.touched.take_first().map(|cluster| ClusterId(cluster as u16))
    }

    /// Lets the policy of `cluster` decide.
    #[inline(always)]
    pub(crate) fn decide(&mut self, cluster: ClusterId, now: Instant, jobs: &Jobs) -> Decided {
        let policy = at_mut(&mut self.policies, cluster.index());
        policy.decide(now, jobs, &mut self.decisions);
        if !self.decisions.moves().is_empty() {
            return Decided::Several;
        }
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

    /// Asks the policy of `cluster` which job takes `cpu` over after a completion that is all that happens.
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

    /// Returns the job that is linked to `cpu`, a processor of `cluster`.
    #[inline(always)]
    pub(crate) fn linked(&self, cluster: ClusterId, cpu: CpuId) -> Option<JobId> {
        at(&self.policies, cluster.index()).linked(cpu)
    }
}

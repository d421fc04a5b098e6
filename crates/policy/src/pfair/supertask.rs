//! Supertasks: tasks that compete as one, and share the quanta that they get by an order of their own.
//!
//! M. Moir and S. Ramamurthy, "Pfair scheduling of fixed and migrating periodic tasks on multiple resources", RTSS
//! 1999; P. Holman and J. Anderson, "Guaranteeing Pfair supertasks by reweighting", RTSS 2001, and "Using supertasks to
//! improve processor utilization in multiprocessor real-time systems", ECRTS 2003. A supertask never suspends: it
//! takes its quanta whether or not a component can use them. Two components A = (3,10) and B = (1,10) in a supertask of
//! weight 3/5 that is alone, with quanta of 2:
//!
//! ```text
//! fully preemptive  AAAB......  what A leaves of a quantum is B's
//! quantum-based     AAA...B...  who has the quantum has all of it, used or not
//! ```

use crate::clustered::Clustered;
use crate::decisions::Decisions;
use crate::setup::{ClusterSetup, ComponentScheduling, SetupError, Supertask, SupertaskError};
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Event, Instant, Invariant, JobId, Jobs, Priority};

/// State of a supertask's components.
#[derive(Clone, Debug)]
struct Inside {
    /// Policy of the components, on one processor that exists only while the supertask runs.
    policy: Clustered,
    scheduling: ComponentScheduling,
    /// Component of the current quantum, if it is chosen where the quantum begins.
    holder: Option<JobId>,
}

/// The supertasks of one cluster. They compete under the numbers that follow those of the tasks.
#[derive(Clone, Debug)]
pub(super) struct Supertasks {
    tasks: u32,
    /// By task: its supertask, counted from 0.
    of: Vec<Option<usize>>,
    inside: Vec<Inside>,
    /// Id of the processor inside the supertask, to which only the supertask links components.
    inner_cpu: CpuId,
    ignored: Decisions,
}

impl Supertasks {
    /// The supertasks of `setup`, or an error if they are ill-formed.
    pub(super) fn new(setup: &ClusterSetup<'_>) -> Result<Self, SetupError> {
        let of = members(setup)?;
        let inner_cpu = *setup.cpus.first().ok_or(SetupError::NoProcessor)?;
        let alone = ClusterSetup { cpus: &[inner_cpu], supertasks: &[], ..*setup };
        let inside = |supertask: &Supertask| Inside {
            policy: Clustered::new(supertask.order, true, &alone),
            scheduling: supertask.scheduling,
            holder: None,
        };
        Ok(Supertasks {
            tasks: setup.tasks.len() as u32,
            of,
            inside: setup.supertasks.iter().map(inside).collect(),
            inner_cpu,
            ignored: Decisions::with_capacity(1, setup.tasks.len()),
        })
    }

    /// Invariants that a Pfair scheduler promises. A component that arrives later may use the rest of its supertask's
    /// quantum.
    pub(super) fn promises(&self) -> &'static [Invariant] {
        if self.inside.is_empty() {
            &[Invariant::UnusedQuantaAreWasted]
        } else {
            &[]
        }
    }

    /// The numbers under which supertasks compete.
    pub(super) fn numbers(&self) -> core::ops::Range<u32> {
        self.tasks..self.tasks + self.inside.len() as u32
    }

    /// True if `number` is that of a supertask.
    #[inline]
    pub(super) fn has(&self, number: u32) -> bool {
        number >= self.tasks
    }

    /// The priority of a component's job among the components; `None` for other jobs.
    pub(super) fn priority(&self, job: JobId, jobs: &Jobs) -> Option<Priority> {
        Some(self.inside[self.of[job.task.index()]?].policy.priority(job, jobs))
    }

    /// Takes note of an event about a component; false if it is about no component.
    #[inline]
    pub(super) fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) -> bool {
        let Some(job) = event.job() else { return false };
        let Some(index) = self.of[job.task.index()] else { return false };
        let inside = &mut self.inside[index];
        let ends = matches!(event, Event::Completed(_) | Event::Suspended(_) | Event::Aborted(_));
        if ends && inside.holder == Some(job) {
            inside.holder = None;
        }
        inside.policy.note(now, event, jobs);
        true
    }

    /// Lets each supertask choose among its components.
    #[inline]
    pub(super) fn decide(&mut self, now: Instant, jobs: &Jobs) {
        for inside in &mut self.inside {
            inside.policy.decide(now, jobs, &mut self.ignored);
            self.ignored.clear();
        }
    }

    /// Begins a quantum of the supertask `number` and returns the job that runs.
    pub(super) fn begin_quantum(&mut self, number: u32) -> Option<JobId> {
        let inside = &mut self.inside[(number - self.tasks) as usize];
        inside.holder = inside.policy.linked(self.inner_cpu);
        inside.holder
    }

    /// Returns the job that runs in a quantum of the supertask `number`.
    pub(super) fn running(&self, number: u32) -> Option<JobId> {
        let inside = &self.inside[(number - self.tasks) as usize];
        match inside.scheduling {
            ComponentScheduling::QuantumBased => inside.holder,
            ComponentScheduling::FullyPreemptive => inside.policy.linked(self.inner_cpu),
        }
    }
}

/// By task: the supertask of which it is a component.
pub(super) fn members(setup: &ClusterSetup<'_>) -> Result<Vec<Option<usize>>, SetupError> {
    let mut of = vec![None; setup.tasks.len()];
    for (index, supertask) in setup.supertasks.iter().enumerate() {
        let refused = |error| Err(SetupError::Supertask { supertask: index, error });
        if supertask.components.is_empty() {
            return refused(SupertaskError::Empty);
        }
        for &task in &supertask.components {
            let here = setup.tasks.get(task.index()).is_some_and(|found| found.cluster == setup.cluster);
            if !here {
                return refused(SupertaskError::Unknown(task));
            }
            if of[task.index()].is_some() {
                return refused(SupertaskError::Twice(task));
            }
            of[task.index()] = Some(index);
        }
    }
    Ok(of)
}

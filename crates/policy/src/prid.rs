//! PriD and PriD\[k\]: the tasks of the largest utilizations go first, then EDF. J. Goossens, S. Funk and S. Baruah,
//! *Priority-driven scheduling of periodic task systems on multiprocessors*, Real-Time Systems 25, 2003.
//!
//! Under PriD\[k\], which is the paper's EDF(k), the k - 1 tasks of the largest utilizations have the highest priority,
//! ties by job id; other jobs go by absolute deadline. PriD\[1\] is global EDF. PriD takes the k with which the paper's
//! test asks for the fewest processors, whatever the machine has ([`schedlab_model::LargestFirst`] has the test and the
//! ties). So a heavy task is not delayed by light ones of short deadlines (Dhall's effect), as under EDF-US, and tasks
//! are heavy by comparison with each other, not by a threshold. Priorities do not change while a job is live. A
//! decision takes what one of global EDF takes: O(m + log n) for each job that begins, of n ready jobs.
//!
//! Dhall's effect with costs and periods (2, 10) for A and B and (10, 11) for C on two processors, by hand from the
//! rule. k = 1 asks for 0 + ceil(0.4 / (1/11)) = 5 processors, k = 2 for 1 + ceil(0.2 / 0.8) = 2, k = 3 for 3:
//!
//! ```text
//! PriD  P0  CCCCCCCCCC     PriD[1]  P0  AACCCCCCCC
//!       P1  AABB......              P1  BB........
//! ```

use crate::clustered::Clustered;
use crate::decisions::Decisions;
use crate::only_execute;
use crate::order::EDF;
use crate::scheduler::{Declared, Scheduler, Scope};
use crate::setup::{ClusterSetup, SetupError};
use crate::Policy;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{
    CpuId, Event, Instant, Invariant, JobId, Jobs, LargestFirst, Occupant, OrderClass, Priority, Theorem,
};

/// Name of the scheduler that chooses k.
const NAME: &str = "PriD";

/// `PriD`: k asks for the fewest processors.
pub(crate) fn prid() -> Scheduler {
    let described =
        "the largest utilizations go first, as many as let the test ask for the fewest processors, then the \
                     earliest deadline";
    Scheduler {
        aliases: vec![format!("G-{NAME}")],
        ..scheduler(NAME, described, LargestFirst::FewestProcessors)
    }
}

/// `PriD[k]`: k is given.
pub(crate) fn prid_of(parameter: &str) -> Option<Scheduler> {
    let k: u32 = parameter.trim().parse().ok().filter(|k| *k > 0)?;
    let described = match k - 1 {
        0 => "the earliest deadline goes first".into(),
        1 => "the task of the largest utilization goes first, then the earliest deadline".into(),
        first => {
            format!("the {first} tasks of the largest utilizations go first, then the earliest deadline")
        }
    };
    Some(scheduler(&format!("{NAME}[{k}]"), &described, LargestFirst::Given { k }))
}

fn scheduler(name: &str, described: &str, largest: LargestFirst) -> Scheduler {
    let made = Scheduler::of_policy(name, Scope::Global, described, move |setup| {
        Ok(Box::new(ByLargest::new(largest, setup)?))
    });
    let class = OrderClass::Theorem(Theorem::LargestTasksFirst(largest));
    made.declaring(Declared { class, preemptive: true })
}

/// Global EDF in which jobs of chosen tasks have the highest priority.
#[derive(Clone, Debug)]
struct ByLargest {
    edf: Clustered,
    /// By task: true if its jobs go first.
    first: Vec<bool>,
}

impl ByLargest {
    /// An idle cluster, or an error if some jobs do more than execute.
    fn new(largest: LargestFirst, setup: &ClusterSetup<'_>) -> Result<Self, SetupError> {
        only_execute::plain(setup)?;
        Ok(ByLargest { edf: Clustered::new(EDF, true, setup), first: largest.choose(setup.tasks) })
    }
}

impl Policy for ByLargest {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        match self.first[job.task.index()] {
            true => Priority::new(0, job),
            false => self.edf.priority(job, jobs),
        }
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        self.edf.note(now, event, jobs);
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.edf.decide(now, jobs, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.edf.linked(cpu)
    }

    fn take_over(&mut self, job: JobId, cpu: CpuId, jobs: &Jobs) -> Option<Occupant> {
        self.edf.take_over(job, cpu, jobs)
    }

    fn promises(&self) -> &'static [Invariant] {
        self.edf.promises()
    }
}

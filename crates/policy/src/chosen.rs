//! The jobs that a policy chooses anew at each decision: their links, and the timer of the next decision.

use crate::chosen_links::ChosenLinks;
use crate::decisions::Decisions;
use crate::setup::ClusterSetup;
use crate::timer::Timer;
use alloc::vec::Vec;
use schedlab_model::{CpuId, Instant, JobId, Jobs};

/// The chosen jobs of one cluster, at most as many as it has processors.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    jobs: Vec<JobId>,
    links: ChosenLinks,
    timer: Timer,
}

impl Chosen {
    /// No chosen job, and no timer.
    pub(crate) fn new(setup: &ClusterSetup<'_>) -> Self {
        Chosen {
            jobs: Vec::with_capacity(setup.cpus.len()),
            links: ChosenLinks::new(setup.cpus, setup.platform.processors().into(), setup.tasks.len()),
            timer: Timer::default(),
        }
    }

    /// Unlinks a job that cannot execute any longer.
    pub(crate) fn forget(&mut self, job: JobId) {
        self.links.remove(job);
    }

    /// Notes that the timer went off.
    pub(crate) fn timer_went_off(&mut self) {
        self.timer.went_off();
    }

    /// Chooses these jobs and no others.
    pub(crate) fn renew(&mut self, jobs: impl IntoIterator<Item = JobId>) {
        self.jobs.clear();
        self.jobs.extend(jobs);
    }

    /// Chooses one job more.
    pub(crate) fn push(&mut self, job: JobId) {
        self.jobs.push(job);
    }

    /// Returns the number of chosen jobs.
    pub(crate) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Links the chosen jobs, and sets the timer to the next decision.
    pub(crate) fn tell(&mut self, next: Option<Instant>, jobs: &Jobs, out: &mut Decisions) {
        self.links.keep(&self.jobs, out);
        self.links.add(&self.jobs, jobs, out);
        self.timer.set(next, out);
    }

    /// Returns the job that is linked to `cpu`.
    pub(crate) fn on(&self, cpu: CpuId) -> Option<JobId> {
        self.links.on(cpu)
    }
}

//! Priority donation: a job that waits for or holds a resource is always among the most urgent of its cluster.
//!
//! B. B. Brandenburg and J. H. Anderson, "Real-time resource-sharing under clustered scheduling: mutex, reader-writer,
//! and k-exclusion locks", EMSOFT 2011, section 3. Let c be the number of processors of a cluster.
//!
//! * D1: a job asks only while it is among the c most urgent pending jobs of its cluster, and does not donate.
//! * D2: a job whose release displaces one with an incomplete request from among the c donates to that job.
//! * D3: the recipient has the donor's priority.
//! * D4: a job whose release displaces a donor takes its place.
//! * D5: the donor is suspended while its recipient is ready.
//! * D6: the donor stops when the recipient's request is complete, when the recipient is among the c again, or by D4.
//!
//! A donor may complete while its recipient waits. Then the job that is now among the c takes its place, or that
//! job's own donor, if it has one, which is free by D6: so there always is a donor, and donors have no requests.

use crate::contract::{Effect, Turn};
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{ClusterId, JobId, JobState, Jobs, Platform, TaskId};

/// Donors and their recipients, and the jobs that are held back for that.
#[derive(Clone, Debug)]
pub(crate) struct Donations {
    /// By cluster: its number of processors.
    processors: Vec<usize>,
    /// By task: the job to which its job donates.
    recipient: Vec<Option<JobId>>,
    /// By task: whether its job has asked for something, and has not released it yet.
    requesting: Vec<bool>,
    /// By task: whether its job is held back.
    is_held: Vec<bool>,
    /// By task: whether its job was among the most urgent of its cluster at the last update.
    was_high: Vec<bool>,
}

impl Donations {
    /// Initial state, in which no job donates.
    pub(crate) fn new(platform: &Platform, tasks: usize) -> Self {
        Donations {
            processors: platform.clusters.iter().map(|cluster| cluster.cpus.len()).collect(),
            recipient: vec![None; tasks],
            requesting: vec![false; tasks],
            is_held: vec![false; tasks],
            was_high: vec![false; tasks],
        }
    }

    /// True if `job` is among the most urgent of its cluster by base priorities.
    fn is_high(&self, job: JobId, jobs: &Jobs) -> bool {
        let job = jobs.get(job);
        let here = jobs.live().filter(|other| other.cluster == job.cluster);
        here.filter(|other| other.base.is_higher_than(job.base)).count()
            < self.processors[job.cluster.index()]
    }

    /// Returns whether `job` may ask, by rule D1.
    pub(crate) fn may_ask(&self, job: JobId, jobs: &Jobs) -> bool {
        self.recipient[job.task.index()].is_none() && self.is_high(job, jobs)
    }

    fn donor_of(&self, job: JobId, jobs: &Jobs) -> Option<JobId> {
        let task = self.recipient.iter().position(|recipient| *recipient == Some(job))?;
        Some(jobs.of_task(TaskId(task as u32)).id)
    }

    /// Lets `donor` donate to `to`, by rules D2 to D5.
    fn donate(&mut self, donor: JobId, to: JobId, turn: &mut Turn<'_>) {
        self.recipient[donor.task.index()] = Some(to);
        turn.set_priority(to, turn.jobs.get(donor).base);
        if turn.jobs.get(to).state == JobState::Ready {
            self.hold_donor(donor, turn);
        }
    }

    fn hold_donor(&mut self, donor: JobId, turn: &mut Turn<'_>) {
        if !self.is_held[donor.task.index()] && turn.jobs.get(donor).state == JobState::Ready {
            self.is_held[donor.task.index()] = true;
            turn.out.push(Effect::Hold(donor));
        }
    }

    /// Ends the donation of `donor`, by rule D6.
    fn stop(&mut self, donor: JobId, turn: &mut Turn<'_>) {
        self.recipient[donor.task.index()] = None;
        if core::mem::take(&mut self.is_held[donor.task.index()]) {
            turn.out.push(Effect::Admit(donor));
        }
    }

    /// Handles the release of `job`.
    pub(crate) fn released(&mut self, job: JobId, turn: &mut Turn<'_>) {
        let jobs = turn.jobs;
        let (task, cluster) = (job.task.index(), jobs.get(job).cluster);
        (self.recipient[task], self.requesting[task], self.is_held[task]) = (None, false, false);
        self.was_high[task] = self.is_high(job, jobs);
        if let Some(displaced) = self.changed(cluster, job, jobs) {
            self.was_high[displaced.task.index()] = false;
            if self.requesting[displaced.task.index()] {
                self.donate(job, displaced, turn);
            } else if let Some(recipient) = self.recipient[displaced.task.index()] {
                self.stop(displaced, turn);
                self.donate(job, recipient, turn);
            }
        }
    }

    /// Returns the job other than `job` that rose among the most urgent, or fell from them.
    fn changed(&self, cluster: ClusterId, job: JobId, jobs: &Jobs) -> Option<JobId> {
        let mut others = jobs.live().filter(|other| other.cluster == cluster && other.id != job);
        let changed = |id: JobId| self.is_high(id, jobs) != self.was_high[id.task.index()];
        others.find(|other| changed(other.id)).map(|other| other.id)
    }

    /// Handles that `job` is complete or was given up.
    pub(crate) fn gone(&mut self, job: JobId, turn: &mut Turn<'_>) {
        let jobs = turn.jobs;
        let orphan = self.recipient[job.task.index()].take();
        self.is_held[job.task.index()] = false;
        self.complete(job, turn);
        let Some(risen) = self.changed(jobs.get(job).cluster, job, jobs) else { return };
        self.was_high[risen.task.index()] = true;
        let donor =
            if self.requesting[risen.task.index()] { self.donor_of(risen, jobs) } else { Some(risen) };
        if self.requesting[risen.task.index()] {
            turn.restore(risen);
            if let Some(donor) = donor {
                self.stop(donor, turn);
            }
        }
        if let (Some(orphan), Some(donor)) = (orphan.filter(|orphan| *orphan != risen), donor) {
            self.donate(donor, orphan, turn);
        }
    }

    /// Notes that `job` asks for something.
    pub(crate) fn ask(&mut self, job: JobId) {
        self.requesting[job.task.index()] = true;
    }

    /// Handles that the request of `job`, if it had one, is complete.
    pub(crate) fn complete(&mut self, job: JobId, turn: &mut Turn<'_>) {
        if core::mem::take(&mut self.requesting[job.task.index()]) {
            if let Some(donor) = self.donor_of(job, turn.jobs) {
                turn.restore(job);
                self.stop(donor, turn);
            }
        }
    }

    /// Handles that `job` may execute again: its donor may not, and neither may `job` itself if it donates to a job
    /// that is ready.
    pub(crate) fn resumed(&mut self, job: JobId, turn: &mut Turn<'_>) {
        let jobs = turn.jobs;
        if let Some(donor) = self.donor_of(job, jobs) {
            self.hold_donor(donor, turn);
        }
        if self.recipient[job.task.index()]
            .is_some_and(|recipient| jobs.get(recipient).state == JobState::Ready)
        {
            self.hold_donor(job, turn);
        }
    }
}

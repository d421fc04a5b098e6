//! Assignment of chosen jobs to processors: jobs stay where they are, so that there are no needless migrations.
//!
//! As in [`crate::Clustered`]: a job whose last processor is free goes there, another one to the first free processor.
//! A job that is still scheduled on a processor keeps it, and the job that was linked there moves.

use crate::decisions::Decisions;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{CpuId, JobId, Jobs};

const UNLINKED: u16 = u16::MAX;

/// Links of a cluster: by processor, the job that is linked there.
#[derive(Clone, Debug)]
pub(crate) struct ChosenLinks {
    cpus: Vec<CpuId>,
    jobs: Vec<Option<JobId>>,
    /// By processor of the platform: its place in the cluster.
    place: Vec<u16>,
    /// By task: the place where its job is linked.
    linked_at: Vec<u16>,
    /// Chosen jobs that have no processor yet.
    waiting: Vec<JobId>,
}

impl ChosenLinks {
    /// Links of a cluster of a platform of `processors` processors, for `tasks` tasks.
    pub(crate) fn new(cpus: &[CpuId], processors: usize, tasks: usize) -> Self {
        let mut place = vec![UNLINKED; processors];
        for (index, cpu) in cpus.iter().enumerate() {
            place[cpu.index()] = index as u16;
        }
        ChosenLinks {
            cpus: cpus.to_vec(),
            jobs: vec![None; cpus.len()],
            place,
            linked_at: vec![UNLINKED; tasks],
            waiting: Vec::with_capacity(cpus.len()),
        }
    }

    pub(crate) fn on(&self, cpu: CpuId) -> Option<JobId> {
        self.jobs[usize::from(self.place[cpu.index()])]
    }

    pub(crate) fn is_linked(&self, job: JobId) -> bool {
        self.linked_at[job.task.index()] != UNLINKED
    }

    /// Returns the place, among the processors of the cluster, where the job is linked.
    pub(crate) fn place(&self, job: JobId) -> Option<usize> {
        Some(self.linked_at[job.task.index()]).filter(|place| *place != UNLINKED).map(usize::from)
    }

    /// Returns the number of processors without a job.
    pub(crate) fn idle(&self) -> usize {
        self.jobs.iter().filter(|job| job.is_none()).count()
    }

    /// Unlinks the job, and returns the processor that it leaves, if there is one.
    pub(crate) fn remove(&mut self, job: JobId) -> Option<CpuId> {
        match core::mem::replace(&mut self.linked_at[job.task.index()], UNLINKED) {
            UNLINKED => None,
            index => {
                self.jobs[usize::from(index)] = None;
                Some(self.cpus[usize::from(index)])
            }
        }
    }

    /// Unlinks all jobs that are not `chosen`.
    pub(crate) fn keep(&mut self, chosen: &[JobId], out: &mut Decisions) {
        for processor in 0..self.jobs.len() {
            if let Some(job) = self.jobs[processor].filter(|job| !chosen.contains(job)) {
                self.remove(job);
                out.look(self.cpus[processor]);
            }
        }
    }

    /// Links those jobs of `chosen` that are not linked; there are at most as many of them as idle processors.
    pub(crate) fn add(&mut self, chosen: &[JobId], jobs: &Jobs, out: &mut Decisions) {
        self.waiting.clear();
        for &job in chosen {
            if self.is_linked(job) {
                continue;
            }
            match jobs.get(job).last_cpu.and_then(|cpu| self.place_of(cpu)) {
                Some(index) if self.jobs[index].is_none() => self.link(job, index, out),
                _ => self.waiting.push(job),
            }
        }
        for next in 0..self.waiting.len() {
            let job = self.waiting[next];
            let free = self.jobs.iter().position(Option::is_none).expect("no more are chosen than are idle");
            match jobs.get(job).scheduled_on.and_then(|cpu| self.place_of(cpu)) {
                Some(index) if index != free => {
                    let other = self.jobs[index].expect("an idle processor was its last one");
                    self.remove(other);
                    self.link(job, index, out);
                    self.link(other, free, out);
                }
                Some(_) | None => self.link(job, free, out),
            }
        }
    }

    fn place_of(&self, cpu: CpuId) -> Option<usize> {
        Some(self.place[cpu.index()]).filter(|index| *index != UNLINKED).map(usize::from)
    }

    fn link(&mut self, job: JobId, processor: usize, out: &mut Decisions) {
        self.jobs[processor] = Some(job);
        self.linked_at[job.task.index()] = processor as u16;
        out.look(self.cpus[processor]);
    }
}

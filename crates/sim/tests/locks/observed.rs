//! What a trace says about locks.

use schedlab_model::*;
use schedlab_trace::{Record, SuspendReason, Timeline};
use std::collections::{BTreeMap, BTreeSet};

/// An outermost critical section: whose, and the how many-th of the job; zero is none.
type OutermostSection = (JobId, u32);

/// What a trace says about locks.
#[derive(Default)]
pub struct Observed {
    /// By resource: the most units held at once.
    pub most_held: BTreeMap<ResourceId, u32>,
    /// By job: the sections of less urgent jobs that executed on its processor while it was pending.
    pub blocked_by: BTreeMap<JobId, BTreeSet<OutermostSection>>,
    /// Suspensions for resources.
    pub denied: usize,
    pub unfinished: BTreeSet<JobId>,
    /// The longest spin.
    pub max_spin: u64,
    /// By task: the longest time from a request that was not granted at once to its grant.
    pub longest_wait: BTreeMap<TaskId, u64>,
    waits_since: BTreeMap<JobId, Instant>,
    /// Grants to waiting jobs: all, those to the longest waiting, those to the one with the highest base priority.
    pub grants: [usize; 3],
    /// Who was preempted while it spun or held something.
    pub preempted_inside: BTreeSet<JobId>,
    /// Who could execute and held something while another on its processor executed that held nothing.
    pub passed_over: BTreeSet<(JobId, ResourceId)>,
    waiting: BTreeMap<ResourceId, Vec<JobId>>,
    holds: BTreeMap<JobId, Vec<ResourceId>>,
    suspended: BTreeSet<JobId>,
    held: BTreeMap<ResourceId, u32>,
    depth: BTreeMap<JobId, (u32, u32)>,
    pending: BTreeMap<JobId, Priority>,
    running: BTreeMap<CpuId, JobId>,
    spins_since: BTreeMap<JobId, Instant>,
}

impl Observed {
    pub fn new(timeline: &Timeline, tasks: &[Task]) -> Self {
        let mut all = Observed::default();
        let mut last = Instant::ZERO;
        for (at, record) in &timeline.records {
            if *at > last {
                all.time_passes(tasks);
            }
            last = *at;
            all.note(*at, record);
        }
        all
    }

    fn time_passes(&mut self, tasks: &[Task]) {
        for running in self.running.values() {
            let (depth, sections) = self.depth[running];
            let spins = self.spins_since.contains_key(running);
            let section = if depth > 0 { sections } else { u32::from(spins) * (sections + 1) };
            for (job, priority) in &self.pending {
                let here = tasks[job.task.index()].cluster == tasks[running.task.index()].cluster;
                let stopped = here && job != running && !self.suspended.contains(job);
                if stopped && self.holds[running].is_empty() {
                    self.passed_over.extend(self.holds[job].last().map(|resource| (*job, *resource)));
                }
                if here && job != running && priority.is_higher_than(self.pending[running]) {
                    self.blocked_by.entry(*job).or_default().insert((*running, section));
                }
            }
        }
    }

    fn note(&mut self, at: Instant, record: &Record) {
        match record {
            Record::Ready { job, priority, .. } => {
                self.pending.insert(*job, *priority);
                self.depth.insert(*job, (0, 0));
                self.holds.insert(*job, Vec::new());
            }
            Record::Dispatch { cpu, job } => {
                self.running.insert(*cpu, *job);
            }
            Record::Preempt { job, .. } => {
                self.running.retain(|_, running| running != job);
                if self.depth[job].0 > 0 || self.spins_since.contains_key(job) {
                    self.preempted_inside.insert(*job);
                }
            }
            Record::Resume { job } => {
                self.suspended.remove(job);
                // It was not granted what it waits for: it asks again.
                self.waiting.values_mut().for_each(|waiting| waiting.retain(|other| other != job));
            }
            Record::Suspend { job, reason } => {
                self.running.retain(|_, running| running != job);
                self.suspended.insert(*job);
                if let SuspendReason::Resource(resource) = reason {
                    self.denied += 1;
                    self.waits_since.insert(*job, at);
                    self.waiting.entry(*resource).or_default().push(*job);
                }
            }
            Record::Complete { job } => {
                self.running.retain(|_, running| running != job);
                self.pending.remove(job);
                assert_eq!(self.depth[job].0, 0);
            }
            Record::Spin { job, resource } => {
                self.waiting.entry(*resource).or_default().push(*job);
                self.spins_since.insert(*job, at);
                self.waits_since.insert(*job, at);
            }
            Record::Acquire { job, resource, units } => self.acquire(at, *job, *resource, *units),
            Record::Release { job, resource, units } => {
                *self.held.get_mut(resource).unwrap() -= units;
                self.depth.get_mut(job).unwrap().0 -= 1;
                self.holds.get_mut(job).unwrap().pop();
            }
            Record::End => self.unfinished = self.pending.keys().copied().collect(),
            _ => {}
        }
    }

    fn acquire(&mut self, at: Instant, job: JobId, resource: ResourceId, units: u32) {
        self.holds.get_mut(&job).unwrap().push(resource);
        let waiting = self.waiting.entry(resource).or_default();
        if let Some(place) = waiting.iter().position(|other| *other == job) {
            let base = self.pending[&job];
            let highest = !waiting.iter().any(|other| self.pending[other].is_higher_than(base));
            self.grants[0] += 1;
            self.grants[1] += usize::from(place == 0);
            self.grants[2] += usize::from(highest);
            waiting.remove(place);
        }
        let held = self.held.entry(resource).or_default();
        *held += units;
        let most = self.most_held.entry(resource).or_default();
        *most = (*most).max(*held);
        let (depth, sections) = self.depth.get_mut(&job).unwrap();
        *sections += u32::from(*depth == 0);
        *depth += 1;
        if let Some(since) = self.waits_since.remove(&job) {
            let longest = self.longest_wait.entry(job.task).or_default();
            *longest = (*longest).max((at - since).as_ns());
        }
        if let Some(since) = self.spins_since.remove(&job) {
            self.max_spin = self.max_spin.max((at - since).as_ns());
        }
    }
}

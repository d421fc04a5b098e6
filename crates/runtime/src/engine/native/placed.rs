//! The names of the processors that the kernel chose.

use crate::record::inputs::EngineInput;
use schedlab_model::{CpuId, Instant, JobId, Platform};
use schedlab_trace::{about, Record};
use std::collections::BTreeMap;

/// Decisions in which each processor has the name of the one that the kernel chose for its job, where these inputs say
/// which that is. A name belongs to one processor at a time, and changes only where no job stays.
pub(crate) fn placed(
    records: Vec<(Instant, Record)>,
    platform: &Platform,
    inputs: &[(Instant, JobId, EngineInput)],
) -> Vec<(Instant, Record)> {
    let mut places: BTreeMap<JobId, Vec<(Instant, CpuId)>> = BTreeMap::new();
    for (at, job, what) in inputs {
        if let EngineInput::Executes(cpu) = what {
            places.entry(*job).or_default().push((*at, *cpu));
        }
    }
    if places.is_empty() {
        return records;
    }
    let processors = usize::from(platform.processors());
    let mut cluster_of = vec![0; processors];
    for (cluster, members) in platform.clusters.iter().enumerate() {
        members.cpus.iter().for_each(|cpu| cluster_of[cpu.index()] = cluster);
    }
    let names = (0..processors as u16).map(CpuId).collect();
    let mut naming = Naming { places, cluster_of, names, on: vec![None; processors] };
    let mut named = Vec::with_capacity(records.len());
    for instant in records.chunk_by(|(one, _), (other, _)| one == other) {
        naming.take(instant, &mut named);
    }
    named
}

/// The names so far.
struct Naming {
    /// By job: where the kernel executed it, by time.
    places: BTreeMap<JobId, Vec<(Instant, CpuId)>>,
    /// By processor: its cluster.
    cluster_of: Vec<usize>,
    /// By processor of the engine: its name.
    names: Vec<CpuId>,
    /// By processor of the engine: the job there, with the name at its dispatch.
    on: Vec<Option<JobId>>,
}

impl Naming {
    /// Takes all records of an instant: first the names of processors that get a job, then the records.
    fn take(&mut self, instant: &[(Instant, Record)], named: &mut Vec<(Instant, Record)>) {
        let after = self.after(instant);
        let before = self.names.clone();
        let gets = |cpu: usize| after[cpu].is_some() && after[cpu] != self.on[cpu];
        let mut free: Vec<bool> = (0..after.len()).map(|cpu| after[cpu].is_none() || gets(cpu)).collect();
        for cpu in (0..after.len()).filter(|cpu| gets(*cpu)) {
            let job = after[cpu].expect("it gets a job");
            let wanted = self.place(job, instant[0].0);
            let owner = wanted.and_then(|wanted| self.names.iter().position(|name| *name == wanted));
            let owner = owner.filter(|owner| free[*owner] && self.cluster_of[*owner] == self.cluster_of[cpu]);
            if let Some(owner) = owner {
                self.names.swap(cpu, owner);
                free[cpu] = false;
            }
        }
        let begin = named.len();
        for (at, record) in instant {
            named.push((*at, self.named(*record, &before)));
        }
        if self.names != before {
            // A processor's former job leaves before another processor that has its name now gets one.
            let leaves = |record: &Record| matches!(record, Record::Preempt { job, .. } if self.on.contains(&Some(*job)));
            named[begin..].sort_by_key(|(_, record)| !leaves(record));
        }
        self.on = after;
    }

    /// By processor of the engine: the job there after these records.
    fn after(&self, instant: &[(Instant, Record)]) -> Vec<Option<JobId>> {
        let mut after = self.on.clone();
        for (_, record) in instant {
            match *record {
                Record::Dispatch { cpu, job } => after[cpu.index()] = Some(job),
                Record::Preempt { job, .. }
                | Record::Complete { job }
                | Record::Suspend { job, .. }
                | Record::Abort { job } => {
                    for there in after.iter_mut().filter(|there| **there == Some(job)) {
                        *there = None;
                    }
                }
                about![
                    Arrival, Ready, GiveUp, Miss, Link, Resume, Move, urgencies, requests, attempts, machine
                ] => {}
            }
        }
        after
    }

    /// The processor on which the kernel executed the job next, or last if it did not any more.
    fn place(&self, job: JobId, at: Instant) -> Option<CpuId> {
        let places = self.places.get(&job)?;
        let next = places.partition_point(|(other, _)| *other < at);
        places.get(next).or(places.last()).map(|(_, cpu)| *cpu)
    }

    /// The record with the names of processors: those of before the instant where a job leaves that was there already.
    fn named(&self, record: Record, before: &[CpuId]) -> Record {
        let now = |cpu: CpuId| self.names[cpu.index()];
        match record {
            Record::Preempt { cpu, job } if self.on[cpu.index()] == Some(job) => {
                Record::Preempt { cpu: before[cpu.index()], job }
            }
            Record::Preempt { cpu, job } => Record::Preempt { cpu: now(cpu), job },
            Record::Dispatch { cpu, job } => Record::Dispatch { cpu: now(cpu), job },
            Record::Link { cpu, job } => Record::Link { cpu: now(cpu), job },
            about![lives, Suspend, Resume, Move, urgencies, requests, attempts, machine] => record,
        }
    }
}

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
    let stays = stays(&records, &places);
    let wishes = stays.iter().filter_map(|((at, _), stay)| Some((*at, stay.wish?))).collect();
    let mut naming = Naming { stays, wishes, cluster_of, names, on: vec![None; processors] };
    let mut named = Vec::with_capacity(records.len());
    for instant in records.chunk_by(|(one, _), (other, _)| one == other) {
        naming.take(instant, &mut named);
    }
    named
}

/// From a dispatch of a job to the end of its execution there.
#[derive(Clone, Copy)]
struct Stay {
    end: Instant,
    /// The processor on which the kernel executed the job in that time, if it did.
    wish: Option<CpuId>,
}

/// All stays, by the time and the job of the dispatch. `places` says where the kernel executed each job, by time.
fn stays(
    records: &[(Instant, Record)],
    places: &BTreeMap<JobId, Vec<(Instant, CpuId)>>,
) -> BTreeMap<(Instant, JobId), Stay> {
    let (mut begun, mut stays) = (BTreeMap::new(), BTreeMap::new());
    let mut end = |job: JobId, begin: Instant, end: Instant| {
        let own = places.get(&job).map_or(&[][..], Vec::as_slice);
        let next = own.partition_point(|(at, _)| *at < begin);
        let wish = own.get(next).filter(|(at, _)| *at < end).map(|(_, cpu)| *cpu);
        stays.insert((begin, job), Stay { end, wish });
    };
    for (at, record) in records {
        match *record {
            Record::Dispatch { job, .. } => drop(begun.insert(job, *at)),
            Record::Preempt { job, .. }
            | Record::Complete { job }
            | Record::Suspend { job, .. }
            | Record::Abort { job } => {
                if let Some(begin) = begun.remove(&job) {
                    end(job, begin, *at);
                }
            }
            about![
                Arrival, Ready, GiveUp, Miss, Link, Resume, Move, urgencies, requests, attempts, machine
            ] => {}
        }
    }
    begun.into_iter().for_each(|(job, begin)| end(job, begin, Instant::NEVER));
    stays
}

/// The names so far.
struct Naming {
    stays: BTreeMap<(Instant, JobId), Stay>,
    /// When a stay begins whose job the kernel executed on this processor, by time.
    wishes: Vec<(Instant, CpuId)>,
    /// By processor: its cluster.
    cluster_of: Vec<usize>,
    /// By processor of the engine: its name.
    names: Vec<CpuId>,
    /// By processor of the engine: the job there.
    on: Vec<Option<JobId>>,
}

impl Naming {
    /// Takes all records of an instant: first the names of processors that get a job, then the records.
    fn take(&mut self, instant: &[(Instant, Record)], named: &mut Vec<(Instant, Record)>) {
        let (at, after, before) = (instant[0].0, self.after(instant), self.names.clone());
        let gets = |cpu: &usize| after[*cpu].is_some() && after[*cpu] != self.on[*cpu];
        let mut free: Vec<bool> = (0..after.len()).map(|cpu| after[cpu].is_none() || gets(&cpu)).collect();
        // Where a job ends at this instant, and not by a decision, it may end after another processor has got a job.
        let is_stopped =
            |job| instant.iter().any(|(_, it)| matches!(it, Record::Preempt { job: it, .. } if *it == job));
        let ends: Vec<bool> = (0..after.len())
            .map(|cpu| self.on[cpu].is_some_and(|job| after[cpu] != Some(job) && !is_stopped(job)))
            .collect();
        let gets_one: Vec<bool> = (0..after.len()).map(|cpu| gets(&cpu)).collect();
        let may_swap = |one: usize, other: usize| {
            one == other || !(ends[one] && gets_one[other] || ends[other] && gets_one[one])
        };
        let mut waiting = Vec::new();
        for cpu in (0..after.len()).filter(gets).collect::<Vec<usize>>() {
            let stay = after[cpu].and_then(|job| self.stays.get(&(at, job)).copied());
            let wish = stay.and_then(|stay| stay.wish);
            match wish.is_some_and(|wish| self.name(cpu, wish, &free, &may_swap)) {
                true => free[cpu] = false,
                false => waiting.push((cpu, stay.map_or(at, |stay| stay.end))),
            }
        }
        for (cpu, end) in waiting {
            // A name that no other job wants meanwhile, if there is one.
            let from = self.wishes.partition_point(|(begin, _)| *begin <= at);
            let is_wanted = |name: CpuId| {
                self.wishes[from..].iter().take_while(|(begin, _)| *begin < end).any(|(_, it)| *it == name)
            };
            let names = self.names.iter().zip(&free).filter(|(_, free)| **free).map(|(name, _)| *name);
            let unwanted = names.filter(|name| !is_wanted(*name)).collect::<Vec<CpuId>>();
            let _ = unwanted.contains(&self.names[cpu])
                || unwanted.iter().any(|name| self.name(cpu, *name, &free, &may_swap));
            free[cpu] = false;
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

    /// Gives a processor this name, if the one that has it is free, of the same cluster, and may swap with it.
    fn name(
        &mut self,
        cpu: usize,
        wanted: CpuId,
        free: &[bool],
        may_swap: &impl Fn(usize, usize) -> bool,
    ) -> bool {
        let owner = self.names.iter().position(|name| *name == wanted);
        let owner = owner.filter(|owner| free[*owner] && self.cluster_of[*owner] == self.cluster_of[cpu]);
        let owner = owner.filter(|owner| may_swap(cpu, *owner));
        owner.inspect(|owner| self.names.swap(cpu, *owner)).is_some()
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

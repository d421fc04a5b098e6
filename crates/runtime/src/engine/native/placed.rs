//! The names of the processors that the kernel chose.

mod moves;

use self::moves::Sections;
use crate::record::inputs::EngineInput;
use schedlab_model::{CpuId, Instant, JobId, Platform};
use schedlab_trace::{about, Record};
use std::collections::BTreeMap;

/// Decisions in which each processor has the name of the one that the kernel chose for its job, where these inputs say
/// which that is. A name belongs to one processor at a time. Where a job stays, it changes only if jobs `may_move` and
/// the kernel executes the job on another processor than that of the name: the records say that the job moves.
pub(crate) fn placed(
    records: Vec<(Instant, Record)>,
    platform: &Platform,
    inputs: &[(Instant, JobId, EngineInput)],
    may_move: bool,
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
    let none = vec![None; processors];
    let mut naming = Naming {
        stays,
        wishes,
        places,
        may_move,
        cluster_of,
        names,
        on: none.clone(),
        begun: vec![Instant::ZERO; processors],
        linked: none.clone(),
        shown: none,
        sections: Sections::default(),
    };
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
    /// By job: where the kernel executed it, by time.
    places: BTreeMap<JobId, Vec<(Instant, CpuId)>>,
    /// True if a job that stays may be moved.
    may_move: bool,
    /// By processor: its cluster.
    cluster_of: Vec<usize>,
    /// By processor of the engine: its name.
    names: Vec<CpuId>,
    /// By processor of the engine: the job there.
    on: Vec<Option<JobId>>,
    /// By processor of the engine: when the job there was dispatched.
    begun: Vec<Instant>,
    /// By processor of the engine: the job that is linked to it. A job stays linked while it is suspended.
    linked: Vec<Option<JobId>>,
    /// By name of a processor: the job that is linked to it in the records so far.
    shown: Vec<Option<JobId>>,
    /// The sections that jobs are in.
    sections: Sections,
}

/// An instant whose names are chosen.
struct Turn<'a> {
    at: Instant,
    records: &'a [(Instant, Record)],
    /// By processor of the engine: its name before.
    before: Vec<CpuId>,
    /// By processor of the engine: the job there afterwards.
    after: Vec<Option<JobId>>,
    /// By processor of the engine: true if it gets a job.
    gets: Vec<bool>,
    /// By processor of the engine: true if its job ends, and not by a decision. It may end after another processor has
    /// got a job.
    ends: Vec<bool>,
}

impl Turn<'_> {
    /// True if these processors may swap their names.
    fn may_swap(&self, one: usize, other: usize) -> bool {
        one == other || !(self.ends[one] && self.gets[other] || self.ends[other] && self.gets[one])
    }
}

impl Naming {
    /// Takes all records of an instant: first the names of processors that get a job, then the records.
    fn take(&mut self, instant: &[(Instant, Record)], named: &mut Vec<(Instant, Record)>) {
        let turn = self.turn(instant);
        self.choose(&turn);
        let moved = self.moved(&turn);
        let begin = named.len();
        for (at, record) in instant {
            self.link(*at, record, named);
            named.push((*at, self.named(*record, &turn.before)));
        }
        if self.names != turn.before {
            self.leave(&moved, &turn, named);
            // A processor's former job leaves before another processor that has its name now gets one.
            let leaves = |record: &Record| matches!(record, Record::Preempt { job, .. } if self.on.contains(&Some(*job)));
            named[begin..].sort_by_key(|(_, record)| !leaves(record));
            self.arrive(&moved, &turn, named);
            self.unlink(turn.at, &turn.before, named);
        }
        for (begun, _) in self.begun.iter_mut().zip(&turn.gets).filter(|(_, gets)| **gets) {
            *begun = turn.at;
        }
        self.sections.take(instant);
        self.on = turn.after;
    }

    /// What is known of an instant by its records.
    fn turn<'a>(&self, records: &'a [(Instant, Record)]) -> Turn<'a> {
        let after = self.after(records);
        let gets = (0..after.len()).map(|cpu| after[cpu].is_some() && after[cpu] != self.on[cpu]).collect();
        let is_stopped =
            |job| records.iter().any(|(_, it)| matches!(it, Record::Preempt { job: it, .. } if *it == job));
        let ends = (0..after.len())
            .map(|cpu| self.on[cpu].is_some_and(|job| after[cpu] != Some(job) && !is_stopped(job)))
            .collect();
        Turn { at: records[0].0, records, before: self.names.clone(), after, gets, ends }
    }

    /// Chooses the names of the processors that get a job, and of those whose jobs move.
    fn choose(&mut self, turn: &Turn<'_>) {
        let at = turn.at;
        let mut free: Vec<bool> =
            turn.after.iter().zip(&turn.gets).map(|(job, gets)| job.is_none() || *gets).collect();
        let mut waiting = Vec::new();
        for cpu in (0..free.len()).filter(|cpu| turn.gets[*cpu]) {
            let stay = turn.after[cpu].and_then(|job| self.stays.get(&(at, job)).copied());
            let wish = stay.and_then(|stay| stay.wish);
            match wish.is_some_and(|wish| self.name(cpu, wish, &free, turn) || self.displace(cpu, wish, turn))
            {
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
                || unwanted.iter().any(|name| self.name(cpu, *name, &free, turn));
            free[cpu] = false;
        }
        self.put_on_idle(turn);
    }

    /// Notes what a record of the engine says of links. A job that comes back from a suspension is linked still, and
    /// its processor may have got another name meanwhile: then the records say so before its dispatch.
    fn link(&mut self, at: Instant, record: &Record, named: &mut Vec<(Instant, Record)>) {
        match *record {
            Record::Link { cpu, job } => {
                self.linked[cpu.index()] = job;
                self.shown[self.names[cpu.index()].index()] = job;
            }
            Record::Dispatch { cpu, job } if self.linked[cpu.index()] == Some(job) => {
                let name = self.names[cpu.index()];
                let shown = self.shown[name.index()].replace(job);
                if shown != Some(job) {
                    named.push((at, Record::Link { cpu: name, job: Some(job) }));
                }
            }
            Record::Dispatch { .. } => {}
            about![lives, Preempt, Suspend, Resume, Move, urgencies, requests, attempts, machine] => {}
        }
    }

    /// Where processors have other names than `before`: says of each such name that no job is linked to it any more,
    /// if the one that was is linked to another processor or to none.
    fn unlink(&mut self, at: Instant, before: &[CpuId], named: &mut Vec<(Instant, Record)>) {
        for ((name, _), linked) in
            self.names.iter().zip(before).zip(&self.linked).filter(|((now, was), _)| now != was)
        {
            let shown = &mut self.shown[name.index()];
            if shown.is_some() && shown != linked {
                *shown = None;
                named.push((at, Record::Link { cpu: *name, job: None }));
            }
        }
    }

    /// Gives a processor this name, if the one that has it is free, of the same cluster, and may swap with it.
    fn name(&mut self, cpu: usize, wanted: CpuId, free: &[bool], turn: &Turn<'_>) -> bool {
        let owner = self.owner(cpu, wanted).filter(|owner| free[*owner] && turn.may_swap(cpu, *owner));
        owner.inspect(|owner| self.names.swap(cpu, *owner)).is_some()
    }

    /// The processor that has this name, if it is of the cluster of `cpu`.
    fn owner(&self, cpu: usize, name: CpuId) -> Option<usize> {
        let owner = self.names.iter().position(|it| *it == name);
        owner.filter(|owner| self.cluster_of[*owner] == self.cluster_of[cpu])
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

#[cfg(test)]
mod tests;

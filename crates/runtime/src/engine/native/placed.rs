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
    let none = vec![None; processors];
    let mut naming =
        Naming { stays, wishes, cluster_of, names, on: none.clone(), linked: none.clone(), shown: none };
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
    /// By processor of the engine: the job that is linked to it. A job stays linked while it is suspended.
    linked: Vec<Option<JobId>>,
    /// By name of a processor: the job that is linked to it in the records so far.
    shown: Vec<Option<JobId>>,
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
            self.link(*at, record, named);
            named.push((*at, self.named(*record, &before)));
        }
        if self.names != before {
            // A processor's former job leaves before another processor that has its name now gets one.
            let leaves = |record: &Record| matches!(record, Record::Preempt { job, .. } if self.on.contains(&Some(*job)));
            named[begin..].sort_by_key(|(_, record)| !leaves(record));
            self.unlink(at, &before, named);
        }
        self.on = after;
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

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::TaskId;
    use schedlab_trace::SuspendReason;

    fn job(task: u32) -> JobId {
        JobId::new(TaskId(task), 0)
    }

    fn link(cpu: u16, task: Option<u32>) -> Record {
        Record::Link { cpu: CpuId(cpu), job: task.map(job) }
    }

    fn dispatch(cpu: u16, task: u32) -> Record {
        Record::Dispatch { cpu: CpuId(cpu), job: job(task) }
    }

    fn suspend(task: u32) -> Record {
        Record::Suspend { job: job(task), reason: SuspendReason::Itself }
    }

    fn timed(all: &[(u64, Record)]) -> Vec<(Instant, Record)> {
        all.iter().map(|(at, record)| (Instant::from_ns(*at), *record)).collect()
    }

    /// The engine has the last job of the three on its second processor, and the kernel executes it on the first one,
    /// where the first job was linked until it suspended itself. As that comes back, it is linked to the second one.
    #[test]
    fn a_job_that_comes_back_is_linked_where_its_processor_has_another_name() {
        let records = timed(&[
            (0, link(0, Some(0))),
            (0, dispatch(0, 0)),
            (0, link(1, Some(1))),
            (0, dispatch(1, 1)),
            (10, suspend(0)),
            (11, suspend(1)),
            (20, link(1, Some(2))),
            (20, dispatch(1, 2)),
            (30, Record::Resume { job: job(0) }),
            (30, dispatch(0, 0)),
        ]);
        let executes = |at: u64, task: u32, cpu: u16| {
            (Instant::from_ns(at), job(task), EngineInput::Executes(CpuId(cpu)))
        };
        let inputs = [executes(1, 0, 0), executes(1, 1, 1), executes(21, 2, 0)];
        let mut expected = records[..6].to_vec();
        expected.extend(timed(&[
            (20, link(0, Some(2))),
            (20, dispatch(0, 2)),
            (20, link(1, None)),
            (30, Record::Resume { job: job(0) }),
            (30, link(1, Some(0))),
            (30, dispatch(1, 0)),
        ]));
        assert_eq!(placed(records, &Platform::global(2), &inputs), expected);
    }
}

//! Jobs that stay, and that the records so far show on a processor on which the kernel does not execute them.
//!
//! The kernel may have a job take the processor of another one that ends just after the one whose processor the engine
//! gives it. Each later job on these processors would be shown on the wrong one of them until one is idle.

use super::{Naming, Turn};
use schedlab_model::{CpuId, Instant, JobId};
use schedlab_trace::{about, Record};
use std::collections::BTreeMap;

/// By job that is in sections, or asks for one: how many, one within another.
#[derive(Default)]
pub(super) struct Sections(BTreeMap<JobId, u32>);

impl Sections {
    /// Notes the sections that begin and end by these records.
    pub(super) fn take(&mut self, records: &[(Instant, Record)]) {
        for (_, record) in records {
            match *record {
                Record::NpEnter { job } | Record::Request { job, .. } => *self.0.entry(job).or_default() += 1,
                Record::NpExit { job } | Record::Release { job, .. } => {
                    let depth = self.0.remove(&job).unwrap_or(0);
                    self.0.extend(depth.checked_sub(1).filter(|depth| *depth > 0).map(|depth| (job, depth)));
                }
                Record::Complete { job } | Record::Abort { job } => drop(self.0.remove(&job)),
                about![
                    Arrival, Ready, GiveUp, Miss, places, Priority, Budget, Spin, Delay, Acquire, attempts,
                    machine
                ] => {}
            }
        }
    }
}

impl Naming {
    /// Gives a processor, which gets a job, the name `wanted`, if that belongs to one whose job stays and executes
    /// elsewhere. That job moves: where it executes, if the one there may move, too, and so on; the last one has the
    /// name that is left.
    pub(super) fn displace(&mut self, mut cpu: usize, mut wanted: CpuId, turn: &Turn<'_>) -> bool {
        // A job that ends may end after this one is dispatched.
        let had = turn.before.iter().position(|name| *name == wanted);
        if had.is_some_and(|had| had != cpu && turn.ends[had]) {
            return false;
        }
        let mut is_named = false;
        // Each time, a job gets the name of the processor on which it executes, and keeps it: so this ends.
        while let Some(owner) = self.owner(cpu, wanted).filter(|owner| *owner != cpu) {
            let Some(place) = self.elsewhere(owner, turn) else { break };
            self.names.swap(cpu, owner);
            (cpu, wanted, is_named) = (owner, place, true);
        }
        is_named
    }

    /// Moves jobs that stay to the processors on which they execute, where those are idle.
    pub(super) fn put_on_idle(&mut self, turn: &Turn<'_>) {
        for cpu in 0..self.names.len() {
            let place = self.elsewhere(cpu, turn);
            let owner = place.and_then(|place| self.owner(cpu, place));
            if let Some(owner) = owner.filter(|owner| turn.after[*owner].is_none()) {
                self.names.swap(cpu, owner);
            }
        }
    }

    /// Where the kernel executes the job of a processor that stays there and may move, if that has another name.
    fn elsewhere(&self, cpu: usize, turn: &Turn<'_>) -> Option<CpuId> {
        let job = self.on[cpu].filter(|job| self.may_move && turn.after[cpu] == Some(*job))?;
        let stay = self.stays.get(&(self.begun[cpu], job))?;
        let own = self.places.get(&job).map_or(&[][..], Vec::as_slice);
        let last = own[..own.partition_point(|(at, _)| *at <= turn.at)].last();
        let seen = last.filter(|(at, _)| *at >= self.begun[cpu]).map(|(_, place)| *place);
        let place = seen.or(stay.wish).filter(|place| *place != self.names[cpu])?;
        let is_about = |record: &Record| {
            record.job() == Some(job) || matches!(record, Record::Link { cpu: it, .. } if it.index() == cpu)
        };
        let is_left_alone = self.linked[cpu] == Some(job) && !self.sections.0.contains_key(&job);
        (is_left_alone && !turn.records.iter().any(|(_, record)| is_about(record))).then_some(place)
    }

    /// The processors of the engine whose jobs move, and these.
    pub(super) fn moved(&self, turn: &Turn<'_>) -> Vec<(usize, JobId)> {
        let stays = |cpu: usize| self.on[cpu].filter(|job| turn.after[cpu] == Some(*job));
        let is_moved = |cpu: &usize| self.names[*cpu] != turn.before[*cpu];
        (0..self.names.len()).filter(is_moved).filter_map(|cpu| Some((cpu, stays(cpu)?))).collect()
    }

    /// Records that jobs that move leave the processors of their former names.
    pub(super) fn leave(
        &self,
        moved: &[(usize, JobId)],
        turn: &Turn<'_>,
        named: &mut Vec<(Instant, Record)>,
    ) {
        let preempt = |&(cpu, job): &(usize, JobId)| Record::Preempt { cpu: turn.before[cpu], job };
        named.extend(moved.iter().map(|it| (turn.at, preempt(it))));
    }

    /// Records that jobs that move are dispatched again, after all else of the instant: their processors are free then.
    pub(super) fn arrive(
        &mut self,
        moved: &[(usize, JobId)],
        turn: &Turn<'_>,
        named: &mut Vec<(Instant, Record)>,
    ) {
        for (cpu, job) in moved {
            let (name, job) = (self.names[*cpu], *job);
            self.shown[name.index()] = Some(job);
            named.push((turn.at, Record::Link { cpu: name, job: Some(job) }));
            named.push((turn.at, Record::Dispatch { cpu: name, job }));
        }
    }
}

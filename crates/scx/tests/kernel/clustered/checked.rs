//! Judges a run: at no time does a job wait while its cluster executes one that goes after it, but for a bounded delay.
//!
//! Which thread executes where is known by the kernel's own switches. When jobs are ready is known by the records; the
//! caller compares those with what the tasks were to do.

use super::running::Observed;
use schedlab_scx::{ClusterSettings, KernelEvent, KernelRecord, TaskPlan};
use std::collections::{BTreeMap, BTreeSet};

/// The priority of a job: its point, then its task.
type Priority = (u128, u32);

/// What a processor executes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Seat {
    /// No task.
    Other,
    /// This task, and which job of it if that is not complete.
    Task { index: u32, job: Option<Priority> },
}

/// The longest time for which a job waited although it should have executed, and how much was tried.
#[derive(Debug, Default)]
pub struct Judged {
    /// In ns, with the task of the job, and the time of the run at its end.
    pub longest: (u64, u32, u64),
    /// Times that a job was switched to.
    pub begun: u64,
    /// Times that a job was switched away from before it was complete, to another job.
    pub preempted: u64,
    /// Most jobs of a cluster that were ready at once.
    pub most_ready: usize,
}

/// Computes a job's priority as the Rust engine does.
pub fn priority(plan: &TaskPlan, index: u32, arrival: u64) -> Priority {
    (u128::from(arrival) * u128::from(plan.parts) + u128::from(plan.after), index)
}

/// An event of a run.
#[derive(Clone, Copy, Debug)]
enum Event {
    Record(KernelRecord),
    Switch { processor: u32, to: i32 },
}

/// Judges the clusters of a run by these plans, the first of index 1.
pub fn judge(observed: &Observed, settings: &ClusterSettings, plans: &[TaskPlan]) -> Judged {
    let records = observed.records.iter().map(|record| (record.at, Event::Record(*record)));
    let switches = observed.switches.iter();
    let switches = switches.map(|it| (it.at, Event::Switch { processor: it.processor, to: it.to }));
    let mut events: Vec<(u64, Event)> = records.chain(switches).collect();
    events.sort_by_key(|(at, _)| *at);
    let mut sweep = Sweep {
        observed,
        settings,
        plans,
        ready: BTreeMap::new(),
        seats: BTreeMap::new(),
        waits: BTreeMap::new(),
        sections: BTreeSet::new(),
        judged: Judged::default(),
    };
    for (at, event) in events {
        sweep.take(event);
        sweep.look(at);
    }
    sweep.judged
}

struct Sweep<'a> {
    observed: &'a Observed,
    settings: &'a ClusterSettings,
    plans: &'a [TaskPlan],
    /// Jobs that are ready, by index.
    ready: BTreeMap<u32, Priority>,
    seats: BTreeMap<u32, Seat>,
    /// Since when a job has waited although it should execute, by index.
    waits: BTreeMap<u32, u64>,
    /// Tasks in a section that delays a preemption.
    sections: BTreeSet<u32>,
    judged: Judged,
}

impl Sweep<'_> {
    fn take(&mut self, event: Event) {
        match event {
            Event::Record(record) => self.note(record),
            Event::Switch { processor, to } => {
                let index = self.observed.threads.iter().position(|thread| *thread == to);
                let before = self.seats.get(&processor).copied();
                let now = match index.map(|index| index as u32 + 1) {
                    None => Seat::Other,
                    Some(index) => Seat::Task { index, job: self.ready.get(&index).copied() },
                };
                if let Seat::Task { job: Some(_), .. } = now {
                    self.judged.begun += 1;
                    if let Some(Seat::Task { index, job: Some(job) }) = before {
                        self.judged.preempted += u64::from(self.ready.get(&index) == Some(&job));
                    }
                }
                self.seats.insert(processor, now);
            }
        }
    }

    fn note(&mut self, record: KernelRecord) {
        let index = record.index;
        let plan = &self.plans[index as usize - 1];
        match record.what {
            KernelEvent::Arrived { arrival } => {
                self.ready.insert(index, priority(plan, index, arrival));
                self.sit(index, None);
            }
            // A thread whose next job has come meanwhile goes on with that, if it does not give way.
            KernelEvent::Running => self.sit(index, self.ready.get(&index).copied()),
            KernelEvent::Completed { .. } | KernelEvent::Suspended | KernelEvent::SectionSlept { .. } => {
                self.ready.remove(&index);
            }
            KernelEvent::SectionKept { .. } => {
                self.sections.insert(index);
            }
            KernelEvent::SectionLeft { .. } | KernelEvent::SectionBroken { .. } => {
                self.sections.remove(&index);
            }
            KernelEvent::Resumed
            | KernelEvent::SectionWoke { .. }
            | KernelEvent::Stopped { .. }
            | KernelEvent::Overran { .. }
            | KernelEvent::TooEarly { .. }
            | KernelEvent::Strayed
            | KernelEvent::Given { .. } => {}
        }
    }

    /// The thread of `index`, if it executes, does so for this job.
    fn sit(&mut self, index: u32, job: Option<Priority>) {
        for seat in self.seats.values_mut() {
            if matches!(seat, Seat::Task { index: there, .. } if *there == index) {
                *seat = Seat::Task { index, job };
            }
        }
    }

    /// Notes which jobs wait although they should execute, and for how long that lasted where it is over.
    fn look(&mut self, at: u64) {
        let mut unjust = BTreeSet::new();
        for (cluster, members) in (0..).zip(&self.settings.clusters) {
            let seats = self.seats.iter().filter(|(processor, _)| members >> **processor & 1 == 1);
            let seats: Vec<Seat> = seats.map(|(_, seat)| *seat).collect();
            let executes =
                |index| seats.iter().any(|seat| matches!(seat, Seat::Task { index: it, .. } if *it == index));
            let ready =
                self.ready.iter().filter(|(index, _)| self.plans[**index as usize - 1].cluster == cluster);
            let ready: Vec<(u32, Priority)> = ready.map(|(index, priority)| (*index, *priority)).collect();
            self.judged.most_ready = self.judged.most_ready.max(ready.len());
            // Processors that a job of this priority may take.
            let gives_way = |seat: &Seat, waiting: Priority| match seat {
                Seat::Other | Seat::Task { job: None, .. } => true,
                Seat::Task { index, job: Some(job) } => {
                    self.settings.preemptive && *job > waiting && !self.sections.contains(index)
                }
            };
            unjust.extend(ready.iter().filter(|(index, _)| !executes(*index)).filter_map(
                |(index, priority)| seats.iter().any(|seat| gives_way(seat, *priority)).then_some(*index),
            ));
        }
        for index in &unjust {
            self.waits.entry(*index).or_insert(at);
        }
        for (index, since) in std::mem::take(&mut self.waits) {
            let lasted = (at - since, index, at.saturating_sub(self.observed.zero));
            if lasted.0 > self.judged.longest.0 {
                self.judged.longest = lasted;
            }
            if unjust.contains(&index) {
                self.waits.insert(index, since);
            }
        }
    }
}

/// Checks that each task's records are those of its jobs, one after the other, with these arrivals; returns the
/// number of jobs that are complete.
pub fn check_jobs(observed: &Observed, arrivals: &[Vec<u64>]) -> u64 {
    let mut complete = 0;
    for (index, arrivals) in (1..).zip(arrivals) {
        let own = observed.records.iter().filter(|record| record.index == index);
        let (mut next, mut live, mut executes) = (1, false, None);
        for record in own {
            match record.what {
                KernelEvent::Arrived { arrival } => {
                    assert!(!live && record.job == next, "{record:?}");
                    assert_eq!(arrival, arrivals[next as usize - 1], "{record:?}");
                    assert!(
                        record.at >= observed.zero + arrival,
                        "no job begins before its arrival: {record:?}"
                    );
                    live = true;
                }
                KernelEvent::Completed { .. } => {
                    assert!(live && record.job == next, "{record:?}");
                    (live, next, complete) = (false, next + 1, complete + 1);
                }
                KernelEvent::Running => {
                    assert_ne!(executes, Some(true), "{record:?}");
                    executes = Some(true);
                }
                KernelEvent::Stopped { .. } => {
                    // It may have executed as it became a task's.
                    assert_ne!(executes, Some(false), "{record:?}");
                    executes = Some(false);
                }
                KernelEvent::Suspended
                | KernelEvent::Resumed
                | KernelEvent::SectionKept { .. }
                | KernelEvent::SectionLeft { .. }
                | KernelEvent::SectionBroken { .. }
                | KernelEvent::SectionSlept { .. }
                | KernelEvent::SectionWoke { .. }
                | KernelEvent::Overran { .. }
                | KernelEvent::TooEarly { .. }
                | KernelEvent::Strayed
                | KernelEvent::Given { .. } => {}
            }
        }
    }
    complete
}

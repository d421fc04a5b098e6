//! The passages of threads that the kernel executes by links.
//!
//! Such a thread does not notice when it is stopped in its job's code, nor when it goes on: the kernel's context
//! switches say so. A thread that only others interrupt, though it is linked, was not stopped.

use super::Outcome;
use crate::machine::context_switches::Switched;
use crate::record::tracer::Passage;
use schedlab_model::{CpuId, Instant, JobId, TaskId};
use schedlab_trace::{about, Record};
use std::collections::BTreeMap;

/// The state of one task's thread.
#[derive(Clone, Copy, Default)]
struct ThreadState {
    /// The job that the thread has begun, until it is complete.
    job: Option<JobId>,
    /// The processor on which the kernel executes the thread.
    on: Option<CpuId>,
    /// The processor on which the job executes as of the last passage.
    shown: Option<CpuId>,
}

/// The passages so far, and what they follow from.
#[derive(Default)]
struct Walk {
    threads: BTreeMap<TaskId, ThreadState>,
    /// By job: the processor where it is to execute, as decided.
    decided: BTreeMap<JobId, CpuId>,
    passages: Vec<(Instant, JobId, Passage)>,
}

impl Walk {
    fn decide(&mut self, at: Instant, record: Record) {
        match record {
            Record::Dispatch { cpu, job } => {
                self.decided.insert(job, cpu);
                self.look(at, job.task);
            }
            Record::Preempt { job, .. } => {
                self.decided.remove(&job);
                self.look(at, job.task);
            }
            Record::Complete { job } | Record::Suspend { job, .. } | Record::Abort { job } => {
                self.decided.remove(&job);
                let thread = self.threads.entry(job.task).or_default();
                (thread.job, thread.shown) = (None, None);
            }
            about![
                Arrival, Ready, GiveUp, Miss, Link, Resume, Move, urgencies, requests, attempts, machine
            ] => {}
        }
    }

    fn switch(&mut self, at: Instant, task: TaskId, on: Option<CpuId>) {
        self.threads.entry(task).or_default().on = on;
        self.look(at, task);
    }

    fn pass(&mut self, at: Instant, job: JobId, passage: Passage) {
        let thread = self.threads.entry(job.task).or_default();
        thread.job = Some(job);
        thread.shown = match passage {
            Passage::Passed(cpu) => Some(cpu),
            Passage::Stopped => None,
        };
        self.passages.push((at, job, passage));
    }

    /// Adds the passage of the thread of `task` that follows from what is known now, if any does.
    fn look(&mut self, at: Instant, task: TaskId) {
        let thread = self.threads.entry(task).or_default();
        let Some(job) = thread.job else { return };
        let decided = self.decided.get(&job).copied();
        if decided.is_some() && thread.on == decided && thread.shown != decided {
            thread.shown = decided;
            self.passages.extend(decided.map(|cpu| (at, job, Passage::Passed(cpu))));
        } else if thread.shown.is_some() && thread.shown != decided && thread.on != thread.shown {
            thread.shown = None;
            self.passages.push((at, job, Passage::Stopped));
        }
    }
}

impl Outcome {
    /// Adds, to the passages that threads recorded, those that follow from the kernel's switches.
    pub(crate) fn add_linked_passages(&mut self) {
        let mut walk = Walk::default();
        let mut decisions = self.decisions.iter().peekable();
        let mut own = self.passages.iter().peekable();
        let switches = self.switches.iter().flat_map(|(switches, _)| switches);
        let at_of = |switch: &Switched| Instant::from_ns(switch.at.saturating_sub(self.zero));
        for switch in switches {
            let at = at_of(switch);
            walk.up_to(Some(at), &mut decisions, &mut own);
            let Some(task) = self.task_of(switch) else { continue };
            walk.switch(at, task, self.cpu(switch.processor).filter(|_| switch.to));
        }
        walk.up_to(None, &mut decisions, &mut own);
        self.passages = walk.passages;
    }
}

/// Decisions or passages that are still to come.
type Next<'a, T> = std::iter::Peekable<std::slice::Iter<'a, T>>;

impl Walk {
    /// Takes decisions and passages up to `end`, by time; decisions first.
    fn up_to(
        &mut self,
        end: Option<Instant>,
        decisions: &mut Next<'_, (Instant, Record)>,
        own: &mut Next<'_, (Instant, JobId, Passage)>,
    ) {
        let is_in = |at: Instant| end.is_none_or(|end| at <= end);
        loop {
            let decided = decisions.peek().map(|(at, _)| *at);
            let passed = own.peek().map(|(at, ..)| *at);
            match (decided.filter(|at| is_in(*at)), passed.filter(|at| is_in(*at))) {
                (None, None) => return,
                (Some(first), second) if second.is_none_or(|second| first <= second) => {
                    let (at, record) = decisions.next().expect("it was looked at");
                    self.decide(*at, *record);
                }
                (_, _) => {
                    let (at, job, passage) = own.next().expect("it was looked at");
                    self.pass(*at, *job, *passage);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first job begins at 11 on processor 0, a thread of the machine interrupts it from 20 to 25, the second job
    /// has its processor from 40 on, and from 60 on it executes on processor 1. At 70 it is complete.
    #[test]
    fn stops_and_moves_are_the_kernels() {
        let [one, two] = [0, 1].map(|task| JobId::new(TaskId(task), 0));
        let [here, there] = [0, 1].map(CpuId);
        let decided = |at, record| (Instant::from_ns(at), record);
        let decisions = vec![
            decided(10, Record::Dispatch { cpu: here, job: one }),
            decided(40, Record::Preempt { cpu: here, job: one }),
            decided(40, Record::Dispatch { cpu: here, job: two }),
            decided(60, Record::Dispatch { cpu: there, job: one }),
            decided(70, Record::Complete { job: one }),
            decided(90, Record::End),
        ];
        let switch = |at: u64, thread, processor, to| Switched {
            at: 1_000 + at,
            thread,
            process: 1,
            processor,
            to,
            preempted: !to,
        };
        let switches = vec![
            switch(9, 10, 3, true),
            switch(20, 10, 3, false),
            switch(20, 7, 3, true),
            switch(25, 7, 3, false),
            switch(25, 10, 3, true),
            switch(42, 10, 3, false),
            switch(42, 11, 3, true),
            switch(63, 10, 5, true),
            switch(75, 10, 5, false),
        ];
        let passed = |at: u64, job, cpu| (Instant::from_ns(at), job, Passage::Passed(cpu));
        let mut outcome = Outcome {
            decisions,
            zero: 1_000,
            processors: vec![3, 5],
            threads: vec![10, 11],
            switches: Some((switches, 0)),
            passages: vec![passed(11, one, here), passed(43, two, here)],
            ..Outcome::default()
        };
        outcome.add_linked_passages();
        let stopped = (Instant::from_ns(42), one, Passage::Stopped);
        let expected = vec![passed(11, one, here), stopped, passed(43, two, here), passed(63, one, there)];
        assert_eq!(outcome.passages, expected);
    }
}

//! The records that the trace of a real run holds besides its schedule: the decisions, and what the machine did.

use crate::machine::context_switches::Switched;
use crate::record::outcome::Outcome;
use schedlab_model::{CpuId, Duration, Instant, TaskId};
use schedlab_trace::{about, Record, RunRecord, Thread};
use std::collections::BTreeMap;

/// The record of a decision, as a trace has it beside the schedule that threads made of it.
pub(crate) fn decision(record: Record) -> Record {
    match record {
        Record::Dispatch { cpu, job } => Record::Run(RunRecord::Dispatch { cpu, job }),
        Record::Preempt { cpu, job } => Record::Run(RunRecord::Preempt { cpu, job }),
        about![Link, Suspend, Resume, Move, lives, urgencies, requests, attempts, machine] => record,
    }
}

impl Outcome {
    /// The records of what the machine did, kind by kind, each by time. What happened before time zero or after the end
    /// bears the nearest time.
    pub(crate) fn machine_records(&self) -> Vec<(Instant, Record)> {
        let end = self.end();
        let at = |ns: u64| Instant::from_ns(ns.saturating_sub(self.zero)).min(end);
        let mut all = Vec::new();
        for stolen in self.stolen.iter().flatten() {
            let Some(cpu) = self.cpu(stolen.processor) else { continue };
            let record = RunRecord::Stolen { cpu, since: stolen.from.min(end), length: stolen.length };
            all.push((stolen.to.min(end), record));
        }
        if self.stolen.is_some() {
            // The kernel counts this, even where nothing was stolen.
            let cpus = (0..self.processors.len() as u16).map(CpuId);
            let record = |cpu| RunRecord::Stolen { cpu, since: end, length: Duration::ZERO };
            all.extend(cpus.map(|cpu| (end, record(cpu))));
        }
        let still = self.stood_still.iter();
        all.extend(
            still.map(|(from, to)| ((*to).min(end), RunRecord::Standstill { since: (*from).min(end) })),
        );
        if let Some((switches, missing)) = &self.switches {
            all.extend(switches.iter().filter_map(|switch| Some((at(switch.at), self.switch(switch)?))));
            let afterwards = self.executed_afterwards(switches).into_iter().zip(0..);
            let went_on = afterwards.filter(|(length, _)| !length.is_zero());
            all.extend(
                went_on.map(|(length, task)| (end, RunRecord::Afterwards { task: TaskId(task), length })),
            );
            all.push((end, RunRecord::Switches { missing: *missing }));
        }
        all.into_iter().map(|(at, record)| (at, Record::Run(record))).collect()
    }

    /// The system's number of a processor of the machine.
    pub(super) fn cpu(&self, processor: usize) -> Option<CpuId> {
        let place = self.processors.iter().position(|known| *known == processor)?;
        Some(CpuId(place as u16))
    }

    pub(super) fn task_of(&self, switch: &Switched) -> Option<TaskId> {
        let place = self.threads.iter().position(|thread| *thread == switch.thread)?;
        Some(TaskId(place as u32))
    }

    fn switch(&self, switch: &Switched) -> Option<RunRecord> {
        let cpu = self.cpu(switch.processor)?;
        let thread = self.task_of(switch).map_or(Thread::Other(switch.thread as u32), Thread::Task);
        Some(match (switch.to, switch.preempted) {
            (true, _) => RunRecord::SwitchIn { cpu, thread },
            (false, false) => RunRecord::SwitchOut { cpu, thread },
            (false, true) => RunRecord::SwitchOutReady { cpu, thread },
        })
    }

    /// By task: how long the kernel ran its thread after the end of the run, as a job's code goes on to its own end.
    fn executed_afterwards(&self, switches: &[Switched]) -> Vec<Duration> {
        let end = self.zero + self.end().as_ns();
        let mut by_task = vec![0; self.threads.len()];
        let mut open: BTreeMap<(TaskId, usize), u64> = BTreeMap::new();
        let mut ran = |(task, _): (TaskId, usize), from: u64, to: u64| {
            by_task[task.index()] += to.saturating_sub(from.max(end));
        };
        for switch in switches {
            let Some(task) = self.task_of(switch) else { continue };
            let there = (task, switch.processor);
            if switch.to {
                open.insert(there, switch.at);
            } else if let Some(since) = open.remove(&there) {
                ran(there, since, switch.at);
            }
        }
        // A thread that is still there stayed, if the kernel reported every switch.
        if let (true, Some(last)) = (self.switches_are_whole(), switches.last()) {
            open.into_iter().for_each(|(there, since)| ran(there, since, last.at));
        }
        by_task.into_iter().map(Duration::from_ns).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::stolen::Steal;
    use schedlab_model::JobId;

    /// Of a task whose thread, 10, is decided to run from 20 to 60 on the machine's processor 5. Thread 7 is there
    /// before time zero. The run ends at 80; the task's thread is there from 70 to 85, and from 90 until the last
    /// switch, elsewhere, at 100.
    fn outcome(missing: u64) -> Outcome {
        let (cpu, job) = (CpuId(1), JobId::new(TaskId(0), 0));
        let at = Instant::from_ns;
        let switch = |at, thread, processor, to| Switched {
            at,
            thread,
            process: 1,
            processor,
            to,
            preempted: !to && at < 1_060,
        };
        let switches = vec![
            switch(900, 7, 5, true),
            switch(1_025, 7, 5, false),
            switch(1_025, 10, 5, true),
            switch(1_061, 10, 5, false),
            switch(1_070, 10, 5, true),
            switch(1_085, 10, 5, false),
            switch(1_090, 10, 5, true),
            switch(1_100, 7, 3, true),
        ];
        Outcome {
            decisions: vec![
                (at(20), Record::Dispatch { cpu, job }),
                (at(60), Record::Preempt { cpu, job }),
                (at(80), Record::End),
            ],
            zero: 1_000,
            processors: vec![3, 5],
            threads: vec![10],
            switches: Some((switches, missing)),
            stolen: Some(vec![Steal {
                processor: 3,
                from: at(10),
                to: at(90),
                length: Duration::from_ns(7),
            }]),
            stood_still: vec![(at(30), at(40))],
            ..Outcome::default()
        }
    }

    #[test]
    fn a_trace_says_what_was_decided_and_what_the_machine_did() {
        let ns = |all: Vec<(Instant, Record)>| all.into_iter().map(|(at, record)| (at.as_ns(), record));
        let (cpus, job) = ([CpuId(0), CpuId(1)], JobId::new(TaskId(0), 0));
        let (own, other) = (Thread::Task(TaskId(0)), Thread::Other(7));
        let switch_in = |cpu, thread| RunRecord::SwitchIn { cpu, thread };
        let switch_out = |thread| RunRecord::SwitchOut { cpu: cpus[1], thread };
        let stolen = |cpu, since, length| RunRecord::Stolen {
            cpu,
            since: Instant::from_ns(since),
            length: Duration::from_ns(length),
        };
        let expected = [
            (0, switch_in(cpus[1], other)),
            (20, RunRecord::Dispatch { cpu: cpus[1], job }),
            (25, RunRecord::SwitchOutReady { cpu: cpus[1], thread: other }),
            (25, switch_in(cpus[1], own)),
            (40, RunRecord::Standstill { since: Instant::from_ns(30) }),
            (60, RunRecord::Preempt { cpu: cpus[1], job }),
            (61, switch_out(own)),
            (70, switch_in(cpus[1], own)),
            (80, stolen(cpus[0], 10, 7)),
            (80, stolen(cpus[0], 80, 0)),
            (80, stolen(cpus[1], 80, 0)),
            (80, switch_out(own)),
            (80, switch_in(cpus[1], own)),
            (80, switch_in(cpus[0], other)),
            (80, RunRecord::Afterwards { task: TaskId(0), length: Duration::from_ns(5 + 10) }),
            (80, RunRecord::Switches { missing: 0 }),
        ];
        let mut expected: Vec<_> = expected.map(|(at, record)| (at, Record::Run(record))).to_vec();
        expected.push((80, Record::End));
        assert_eq!(ns(outcome(0).trace()).collect::<Vec<_>>(), expected);
        // Where switches are missing, a thread that is there at the last one may have left before.
        let length = Duration::from_ns(5);
        let five = Record::Run(RunRecord::Afterwards { task: TaskId(0), length });
        assert!(ns(outcome(1).trace()).any(|(_, record)| record == five));
        let unasked = Outcome { switches: None, stolen: None, stood_still: Vec::new(), ..outcome(0) };
        assert_eq!(unasked.trace().len(), 3, "what is not known is not said");
    }
}

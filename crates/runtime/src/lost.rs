//! Processor time that decisions gave to tasks and that the machine took: by the kernel's word alone.

use crate::agreement::{decided, ran, run_itself, Span};
use crate::sys::Tid;
use crate::witness::Switched;
use crate::Outcome;
use schedlab_model::{Instant, TaskId};
use std::collections::BTreeMap;

/// An interval in which a decision let a task's thread execute on a processor, and it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The task.
    pub task: TaskId,
    /// The machine's processor.
    pub processor: usize,
    /// From when on.
    pub from: Instant,
    /// Until when.
    pub to: Instant,
    /// Who ran instead; the kernel's number 0 is nobody: the task's thread was on its way.
    pub thread: Tid,
    /// Of which process that is.
    pub process: Tid,
    /// True if that one got the processor after the decision, while the task's thread was ready.
    pub intruded: bool,
}

impl Lost {
    /// How long, in nanoseconds.
    pub fn ns(&self) -> u64 {
        (self.to - self.from).as_ns()
    }
}

/// A thread on a processor, by the monotonic clock.
#[derive(Clone, Copy)]
struct Ran {
    from: u64,
    to: u64,
    thread: Tid,
    process: Tid,
}

impl Ran {
    /// Whoever came by this switch is there until `to`.
    fn of(begin: &Switched, to: u64) -> Self {
        Ran { from: begin.at, to, thread: begin.thread, process: begin.process }
    }

    fn nobody(from: u64, to: u64) -> Self {
        Ran { from, to, thread: 0, process: 0 }
    }
}

/// What ran on a processor, by time.
struct Lane(Vec<Ran>);

impl Lane {
    /// Kernels do not write idle threads' switches: between a thread that leaves and the next one that comes there is nobody, if
    /// no switches are missing (`whole`). Whoever was there last stayed then.
    fn of(processor: usize, switches: &[Switched], whole: bool) -> Self {
        let mut spans = Vec::new();
        let mut since: Option<&Switched> = None;
        let mut left = None;
        for switch in switches.iter().filter(|switch| switch.processor == processor) {
            match (switch.to, since.take()) {
                (true, _) => {
                    if let Some(from) = left.take().filter(|left| whole && *left < switch.at) {
                        spans.push(Ran::nobody(from, switch.at));
                    }
                    since = Some(switch);
                }
                (false, Some(begin)) if begin.thread == switch.thread => {
                    spans.push(Ran::of(begin, switch.at));
                    left = Some(switch.at);
                }
                (false, _) => left = None,
            }
        }
        if whole {
            let stays = since.map(|begin| Ran::of(begin, u64::MAX));
            spans.extend(stays.or(left.map(|left| Ran::nobody(left, u64::MAX))));
        }
        Lane(spans)
    }

    /// What ran in this interval.
    fn within(&self, from: u64, to: u64) -> impl Iterator<Item = Ran> + '_ {
        let first = self.0.partition_point(|ran| ran.to <= from);
        self.0[first..].iter().take_while(move |ran| ran.from < to).copied()
    }
}

/// When each thread last lost a processor, and whether it was ready to go on then.
struct Losses<'a>(Vec<&'a Switched>);

impl Losses<'_> {
    fn was_preempted(&self, before: u64) -> bool {
        let next = self.0.partition_point(|switch| switch.at <= before);
        next > 0 && self.0[next - 1].preempted
    }
}

impl Outcome {
    /// The processor time that tasks lost, by time; nothing without the kernel's word.
    pub fn lost(&self) -> Vec<Lost> {
        let Some((switches, _)) = &self.witness else { return Vec::new() };
        let lane = |processor: &usize| (*processor, Lane::of(*processor, switches, self.witness_is_whole()));
        let lanes: BTreeMap<usize, Lane> = self.processors.iter().map(lane).collect();
        let left = |thread: &Tid| {
            Losses(switches.iter().filter(|switch| switch.thread == *thread && !switch.to).collect())
        };
        let left: Vec<Losses<'_>> = self.threads.iter().map(left).collect();
        let mut all: Vec<Lost> = decided(self)
            .iter()
            .flat_map(|span| self.lost_of(span, &lanes[&span.cpu], &left[span.task.index()]))
            .collect();
        all.sort_by_key(|lost| (lost.from, lost.processor));
        all
    }

    /// By task: when the kernel ran its thread; nothing without the kernel's word.
    pub fn executed(&self) -> Vec<Vec<(Instant, Instant)>> {
        let mut by_task = vec![Vec::new(); self.threads.len()];
        let Some((switches, _)) = &self.witness else { return by_task };
        let since = |ns: u64| Instant::from_ns(ns.saturating_sub(self.zero));
        for span in ran(self, switches, run_itself(self)) {
            by_task[span.task.index()].push((since(span.from), since(span.to)));
        }
        by_task
    }

    /// By task: for how long the kernel ran its thread after the end of the run, in nanoseconds: a job's code goes on to its own end.
    pub fn executed_afterwards(&self) -> Vec<u64> {
        let mut by_task = vec![0; self.threads.len()];
        let Some((switches, _)) = &self.witness else { return by_task };
        let over = switches.last().map_or(0, |last| last.at);
        for span in ran(self, switches, run_itself(self).end..over) {
            by_task[span.task.index()] += span.to - span.from;
        }
        by_task
    }

    fn lost_of(&self, span: &Span, lane: &Lane, left: &Losses<'_>) -> Vec<Lost> {
        let own = self.threads[span.task.index()];
        let since = |ns: u64| Instant::from_ns(ns.saturating_sub(self.zero));
        let others = lane.within(span.from, span.to).filter(|ran| ran.thread != own).map(|ran| Lost {
            task: span.task,
            processor: span.cpu,
            from: since(ran.from.max(span.from)),
            to: since(ran.to.min(span.to)),
            thread: ran.thread,
            process: ran.process,
            intruded: ran.from > span.from && left.was_preempted(ran.from),
        });
        others.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{CpuId, JobId};
    use schedlab_trace::Record;

    const TASK: Tid = 10;
    const OTHER: Tid = 20;

    fn switch(at: u64, thread: Tid, to: bool, preempted: bool) -> Switched {
        Switched { at: 1_000 + at, thread, process: thread, processor: 3, to, preempted }
    }

    /// A job is to run from 100 to 500. Its thread is there from 120 on, and loses the processor from 200 to 260.
    fn run(preempted: bool) -> Outcome {
        let job = JobId::new(TaskId(0), 0);
        let at = Instant::from_ns;
        let switches = vec![
            switch(50, OTHER, true, false),
            switch(120, OTHER, false, true),
            switch(120, TASK, true, false),
            switch(200, TASK, false, preempted),
            switch(200, OTHER, true, false),
            switch(260, OTHER, false, true),
            switch(260, TASK, true, false),
            switch(510, TASK, false, false),
        ];
        let dispatch = Record::Dispatch { cpu: CpuId(0), job };
        Outcome {
            decisions: vec![(at(100), dispatch), (at(500), Record::Complete { job }), (at(600), Record::End)],
            zero: 1_000,
            processors: vec![3],
            threads: vec![TASK],
            witness: Some((switches, 0)),
            ..Outcome::default()
        }
    }

    #[test]
    fn what_a_decision_gave_and_others_took_is_lost() {
        for preempted in [true, false] {
            let outcome = run(preempted);
            let lost = outcome.lost();
            let lengths: Vec<u64> = lost.iter().map(Lost::ns).collect();
            assert_eq!(lengths, [20, 60]);
            assert!(lost.iter().all(|one| one.thread == OTHER && one.processor == 3));
            // Who was there before the decision does not intrude, nor who comes while the thread sleeps.
            assert_eq!((lost[0].intruded, lost[1].intruded), (false, preempted));
            let ran =
                [(120, 200), (260, 510)].map(|(from, to)| (Instant::from_ns(from), Instant::from_ns(to)));
            assert_eq!(outcome.executed(), [ran]);
        }
    }

    /// The other thread leaves the processor at 210, and the task's comes at 260: in between it is on its way, unless the kernel may
    /// have said that somebody was there, and it was not written.
    #[test]
    fn an_idle_processor_is_lost_time() {
        for (missing, expected) in [(0, &[20, 10, 50][..]), (1, &[20, 10])] {
            let mut outcome = run(false);
            let (switches, lost) = outcome.witness.as_mut().unwrap();
            switches[5].at -= 50;
            *lost = missing;
            let found: Vec<_> = outcome.lost().iter().map(Lost::ns).collect();
            assert_eq!(found, expected);
            let nobody = outcome.lost().iter().filter(|lost| lost.thread == 0 && !lost.intruded).count();
            assert_eq!(nobody, usize::from(missing == 0));
        }
    }

    /// The run ends at 400, while the task's thread is there (it leaves at 510), or while the other one is, which came at 200 and stays.
    /// Whoever is somewhere at the end was there until then, if no switches are missing.
    #[test]
    fn who_is_there_at_the_end_was_there_until_then() {
        for (missing, stays, expected) in
            [(0, false, (80 + 140, 80, 110)), (0, true, (80, 220, 0)), (1, true, (80, 20, 0))]
        {
            let mut outcome = run(true);
            outcome.decisions.remove(1);
            outcome.decisions[1].0 = Instant::from_ns(400);
            let (switches, lost) = outcome.witness.as_mut().unwrap();
            switches.truncate(if stays { 5 } else { 8 });
            *lost = missing;
            let length = |(from, to): &(Instant, Instant)| (*to - *from).as_ns();
            let executed: u64 = outcome.executed()[0].iter().map(length).sum();
            let lost: u64 = outcome.lost().iter().map(Lost::ns).sum();
            assert_eq!((executed, lost, outcome.executed_afterwards()[0]), expected, "{missing} {stays}");
        }
    }

    /// As before, but the other thread leaves at 210 and nobody comes any more.
    #[test]
    fn nobody_is_there_until_the_end() {
        let mut outcome = run(true);
        let (switches, _) = outcome.witness.as_mut().unwrap();
        switches.truncate(6);
        switches[5].at = 1_210;
        let lost: Vec<_> = outcome.lost().iter().map(|lost| (lost.thread, lost.ns())).collect();
        assert_eq!(lost, [(OTHER, 20), (OTHER, 10), (0, 290)]);
    }

    /// Thread 20 leaves processor 3 as a decision gives it to task 0, whose thread has never been there; thread 21 comes first. Task 1 is told to run
    /// on processor 5 as thread 30 comes there, long after its thread was preempted. Who comes as the job is complete takes nothing.
    #[test]
    fn two_tasks_on_two_processors() {
        let at = Instant::from_ns;
        let jobs = [0, 1].map(|task| JobId::new(TaskId(task), 0));
        let on = |processor, at, thread, to| Switched { processor, ..switch(at, thread, to, true) };
        let switches = vec![
            on(3, 40, 20, true),
            on(3, 100, 20, false),
            on(3, 105, 21, true),
            on(5, 110, 11, true),
            on(3, 115, 21, false),
            on(3, 115, TASK, true),
            on(5, 120, 11, false),
            on(5, 150, 30, true),
            on(5, 170, 30, false),
            on(5, 170, 11, true),
            on(5, 480, 11, false),
            on(3, 500, TASK, false),
            on(3, 500, 20, true),
            on(3, 550, 20, false),
        ];
        let outcome = Outcome {
            decisions: vec![
                (at(100), Record::Dispatch { cpu: CpuId(0), job: jobs[0] }),
                (at(150), Record::Dispatch { cpu: CpuId(1), job: jobs[1] }),
                (at(480), Record::Complete { job: jobs[1] }),
                (at(500), Record::Complete { job: jobs[0] }),
                (at(600), Record::End),
            ],
            zero: 1_000,
            processors: vec![3, 5],
            threads: vec![TASK, 11],
            witness: Some((switches, 0)),
            ..Outcome::default()
        };
        let lost = outcome.lost();
        let found: Vec<_> =
            lost.iter().map(|one| (one.task.0, one.processor, one.thread, one.process)).collect();
        assert_eq!(found, [(0, 3, 0, 0), (0, 3, 21, 21), (1, 5, 30, 30)]);
        let times: Vec<_> = lost.iter().map(|one| (one.from.as_ns(), one.to.as_ns())).collect();
        assert_eq!(times, [(100, 105), (105, 115), (150, 170)]);
        assert!(lost.iter().all(|one| !one.intruded));
    }
}

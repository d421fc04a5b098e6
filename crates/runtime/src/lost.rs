//! Processor time that decisions gave to tasks and that the machine took: by the kernel's word alone.

use crate::agreement::{decided, ran, run_itself, Span};
use crate::sys::Tid;
use crate::witness::Switched;
use crate::Outcome;
use schedlab_model::{Instant, TaskId};

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

/// What ran on a processor, by time: from when on, and the switch with which it ended.
struct Lane(Vec<(u64, Switched)>);

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
                    if let Some(left) = left.take().filter(|left| whole && *left < switch.at) {
                        spans.push((left, nobody_until(switch.at, processor)));
                    }
                    since = Some(switch);
                }
                (false, Some(begin)) if begin.thread == switch.thread => {
                    spans.push((begin.at, *switch));
                    left = Some(switch.at);
                }
                (false, _) => left = None,
            }
        }
        if whole {
            let stays = since.map(|begin| (begin.at, Switched { at: u64::MAX, to: false, ..*begin }));
            spans.extend(stays.or(left.map(|left| (left, nobody_until(u64::MAX, processor)))));
        }
        Lane(spans)
    }

    /// What ran in this interval.
    fn within(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, Switched)> + '_ {
        let first = self.0.partition_point(|(_, end)| end.at <= from);
        self.0[first..].iter().take_while(move |(begin, _)| *begin < to).copied()
    }
}

/// The end of an interval in which a processor is idle.
fn nobody_until(at: u64, processor: usize) -> Switched {
    Switched { at, thread: 0, process: 0, processor, to: false, preempted: true }
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
        let most = self.processors.iter().max().map_or(0, |most| most + 1);
        let lanes: Vec<Lane> =
            (0..most).map(|processor| Lane::of(processor, switches, self.witness_is_whole())).collect();
        let left = |thread: &Tid| {
            Losses(switches.iter().filter(|switch| switch.thread == *thread && !switch.to).collect())
        };
        let left: Vec<Losses<'_>> = self.threads.iter().map(left).collect();
        let mut all: Vec<Lost> = decided(self)
            .iter()
            .flat_map(|span| self.lost_of(span, &lanes, &left[span.task.index()]))
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

    fn lost_of(&self, span: &Span, lanes: &[Lane], left: &Losses<'_>) -> Vec<Lost> {
        let own = self.threads[span.task.index()];
        let since = |ns: u64| Instant::from_ns(ns.saturating_sub(self.zero));
        let lane = lanes[span.cpu].within(span.from, span.to);
        let others = lane.filter(|(_, end)| end.thread != own).map(|(from, end)| Lost {
            task: span.task,
            processor: span.cpu,
            from: since(from.max(span.from)),
            to: since(end.at.min(span.to)),
            thread: end.thread,
            process: end.process,
            intruded: from > span.from && left.was_preempted(from),
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
}

//! Processor time that decisions gave to tasks and that the machine took: by the kernel's context switches alone.

pub(crate) mod by_class;
pub(crate) mod interfering;
pub(crate) mod outside;

use crate::trace::real_run::{RealRun, Switch};
use crate::trace::spans::{decided, ran, Span};
use schedlab_model::{CpuId, Instant, TaskId};
use schedlab_trace::Thread;

/// An interval in which a decision let a task's thread execute on a processor, and it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Task that lost the time.
    pub task: TaskId,
    /// Processor on which the time was lost.
    pub cpu: CpuId,
    /// Begin of the interval.
    pub from: Instant,
    /// End of the interval.
    pub to: Instant,
    /// Thread that ran instead; `None` where the task's own thread was on its way.
    pub thread: Option<Thread>,
    /// True if that thread got the processor after the decision, while the task's thread was ready.
    pub interrupted: bool,
}

impl Lost {
    /// Length of the interval in ns.
    pub fn ns(&self) -> u64 {
        (self.to - self.from).as_ns()
    }
}

/// A thread, or none, on a processor.
#[derive(Clone, Copy)]
struct Ran {
    from: Instant,
    to: Instant,
    thread: Option<Thread>,
}

/// The kernel's idle thread. A processor that runs it runs no thread.
const IDLE: Thread = Thread::Other(0);

/// Threads that ran on a processor, by time.
struct Lane(Vec<Ran>);

impl Lane {
    /// Reads the threads of a processor from its switches. Most kernels do not write idle threads' switches: between a
    /// thread that leaves and the next one that comes no thread ran, if no switches are missing (`whole`). No thread
    /// ran before the first one that comes either, and the last one stayed to the end.
    fn of(cpu: CpuId, switches: &[Switch], whole: bool) -> Self {
        let mut spans = Vec::new();
        let mut since: Option<&Switch> = None;
        let mut left = Some(Instant::ZERO);
        let here = || switches.iter().filter(|switch| switch.cpu == cpu);
        for switch in here() {
            match (switch.to, since.take()) {
                (true, _) => {
                    if let Some(from) = left.take().filter(|left| whole && *left < switch.at) {
                        spans.push(Ran { from, to: switch.at, thread: None });
                    }
                    since = Some(switch);
                }
                (false, Some(begin)) if begin.thread == switch.thread => {
                    spans.push(Ran { from: begin.at, to: switch.at, thread: not_idle(begin) });
                    left = Some(switch.at);
                }
                (false, _) => left = None,
            }
        }
        if whole {
            let stays = |from: Instant, thread| Ran { from, to: Instant::NEVER, thread };
            let last = since.map(|begin| stays(begin.at, not_idle(begin)));
            // Without any switch, one thread may have been there all the time.
            let left = left.filter(|_| here().next().is_some());
            spans.extend(last.or(left.map(|left| stays(left, None))));
        }
        Lane(spans)
    }

    /// Returns the threads that ran in this interval.
    fn within(&self, from: Instant, to: Instant) -> impl Iterator<Item = Ran> + '_ {
        let first = self.0.partition_point(|ran| ran.to <= from);
        self.0[first..].iter().take_while(move |ran| ran.from < to).copied()
    }
}

fn not_idle(begin: &Switch) -> Option<Thread> {
    Some(begin.thread).filter(|thread| *thread != IDLE)
}

/// Switches at which threads lost a processor, with whether they were ready to go on.
struct Losses<'a>(Vec<&'a Switch>);

impl Losses<'_> {
    fn was_preempted(&self, before: Instant) -> bool {
        let next = self.0.partition_point(|switch| switch.at <= before);
        next > 0 && self.0[next - 1].ready
    }
}

impl RealRun {
    /// Returns the processor time that tasks lost, by time; empty if the kernel was not asked.
    pub fn lost(&self) -> Vec<Lost> {
        if self.switches.is_none() {
            return Vec::new();
        }
        let switches = self.known_switches();
        let lane = |cpu| Lane::of(CpuId(cpu), switches, self.knows_all_switches());
        let lanes: Vec<Lane> = (0..self.processors.len() as u16).map(lane).collect();
        let mut left: Vec<Losses<'_>> = (0..self.tasks).map(|_| Losses(Vec::new())).collect();
        for switch in switches.iter().filter(|switch| !switch.to) {
            if let Thread::Task(task) = switch.thread {
                left[task.index()].0.push(switch);
            }
        }
        let mut all: Vec<Lost> = decided(self)
            .iter()
            .flat_map(|span| lost_of(span, &lanes[span.cpu.index()], &left[span.task.index()]))
            .collect();
        all.sort_by_key(|lost| (lost.from, lost.cpu));
        all
    }

    /// By task: the intervals in which the kernel ran its thread; empty if the kernel was not asked.
    pub(crate) fn executed(&self) -> Vec<Vec<(Instant, Instant)>> {
        let mut by_task = vec![Vec::new(); self.tasks];
        for span in ran(self) {
            by_task[span.task.index()].push((span.from, span.to));
        }
        by_task
    }
}

fn lost_of(span: &Span, lane: &Lane, left: &Losses<'_>) -> Vec<Lost> {
    let own = Some(Thread::Task(span.task));
    let others = lane.within(span.from, span.to).filter(|ran| ran.thread != own).map(|ran| Lost {
        task: span.task,
        cpu: span.cpu,
        from: ran.from.max(span.from),
        to: ran.to.min(span.to),
        thread: ran.thread,
        interrupted: ran.from > span.from && left.was_preempted(ran.from),
    });
    others.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::{of, one_task, OTHER, OWN};
    use schedlab_model::JobId;
    use schedlab_trace::Record;

    fn switch(at: u64, thread: Thread, to: bool, ready: bool) -> Switch {
        Switch { at: Instant::from_ns(at), cpu: CpuId(0), thread, to, ready }
    }

    /// A job is to run from 100 to 500. Its thread is there from 120 on, and loses the processor from 200 to 260.
    fn run(preempted: bool) -> RealRun {
        let job = JobId::new(TaskId(0), 0);
        let at = Instant::from_ns;
        let switches = vec![
            switch(50, OTHER, true, false),
            switch(120, OTHER, false, true),
            switch(120, OWN, true, false),
            switch(200, OWN, false, preempted),
            switch(200, OTHER, true, false),
            switch(260, OTHER, false, true),
            switch(260, OWN, true, false),
            switch(510, OWN, false, false),
        ];
        let dispatch = Record::Dispatch { cpu: CpuId(0), job };
        let decisions =
            vec![(at(100), dispatch), (at(500), Record::Complete { job }), (at(600), Record::End)];
        one_task(decisions, switches, 0)
    }

    #[test]
    fn what_a_decision_gave_and_others_took_is_lost() {
        for preempted in [true, false] {
            let run = run(preempted);
            let lost = run.lost();
            let lengths: Vec<u64> = lost.iter().map(Lost::ns).collect();
            assert_eq!(lengths, [20, 60]);
            assert!(lost.iter().all(|one| one.thread == Some(OTHER) && one.cpu == CpuId(0)));
            // A thread that was there before the decision does not interrupt, nor one that comes while the task's
            // sleeps.
            assert_eq!((lost[0].interrupted, lost[1].interrupted), (false, preempted));
            let ran =
                [(120, 200), (260, 510)].map(|(from, to)| (Instant::from_ns(from), Instant::from_ns(to)));
            assert_eq!(run.executed(), [ran]);
        }
    }

    /// The other thread leaves the processor at 210, and the task's comes at 260: in between it is on its way, unless
    /// the kernel's record of another thread may be missing.
    #[test]
    fn an_idle_processor_is_lost_time() {
        for (missing, expected) in [(0, &[20, 10, 50][..]), (1, &[20, 10])] {
            let mut run = run(false);
            let switches = run.switches.as_mut().unwrap();
            switches.all[5].at = Instant::from_ns(210);
            switches.missing = missing;
            let found: Vec<_> = run.lost().iter().map(Lost::ns).collect();
            assert_eq!(found, expected);
            let idle = run.lost().iter().filter(|lost| lost.thread.is_none() && !lost.interrupted).count();
            assert_eq!(idle, usize::from(missing == 0));
        }
    }

    /// The task's thread is the first to come to its processor.
    #[test]
    fn a_processor_is_idle_before_the_first_thread_comes() {
        for (missing, expected) in [(0, &[(None, 20), (Some(OTHER), 60)][..]), (1, &[(Some(OTHER), 60)])] {
            let mut run = run(false);
            let switches = run.switches.as_mut().unwrap();
            switches.all.drain(..2);
            switches.missing = missing;
            let lost: Vec<_> = run.lost().iter().map(|lost| (lost.thread, lost.ns())).collect();
            assert_eq!(lost, expected);
            let switches = run.switches.as_mut().unwrap();
            switches.all.truncate(2);
            for (switch, to) in switches.all.iter_mut().zip([true, false]) {
                (switch.at, switch.to, switch.thread) = (Instant::ZERO, to, OTHER);
            }
            let lost: Vec<_> = run.lost().iter().map(|lost| lost.thread).collect();
            assert_eq!(lost, if missing == 0 { vec![None] } else { vec![] }, "all left before the run");
            run.switches.as_mut().unwrap().all.clear();
            assert!(run.lost().is_empty(), "who was there is not known");
        }
    }

    /// Time that the kernel's idle thread is there is lost to no thread, not even if switches are missing.
    #[test]
    fn the_idle_thread_takes_nothing() {
        for missing in [0, 1] {
            let mut run = run(true);
            let switches = run.switches.as_mut().unwrap();
            switches.missing = missing;
            for switch in switches.all.iter_mut().filter(|switch| switch.thread == OTHER) {
                switch.thread = IDLE;
            }
            let lost: Vec<_> = run.lost().iter().map(|lost| (lost.thread, lost.ns())).collect();
            assert_eq!(lost, [(None, 20), (None, 60)]);
        }
    }

    /// The run ends at 400, while the task's thread is there, or while the other one is, which came at 200 and stays. A
    /// thread that is there at the end was there until then, if no switches are missing.
    #[test]
    fn who_is_there_at_the_end_was_there_until_then() {
        for (missing, stays, expected) in
            [(0, false, (80 + 140, 80)), (0, true, (80, 220)), (1, true, (80, 20))]
        {
            let mut run = run(true);
            run.decisions.remove(1);
            run.decisions[1].0 = Instant::from_ns(400);
            let switches = run.switches.as_mut().unwrap();
            switches.all.truncate(if stays { 5 } else { 8 });
            switches.missing = missing;
            let length = |(from, to): &(Instant, Instant)| (*to - *from).as_ns();
            let executed: u64 = run.executed()[0].iter().map(length).sum();
            let lost: u64 = run.lost().iter().map(Lost::ns).sum();
            assert_eq!((executed, lost), expected, "{missing} {stays}");
        }
    }

    /// The other thread leaves at 210, and no thread comes after it.
    #[test]
    fn no_thread_is_there_until_the_end() {
        let mut run = run(true);
        let switches = &mut run.switches.as_mut().unwrap().all;
        switches.truncate(6);
        switches[5].at = Instant::from_ns(210);
        let lost: Vec<_> = run.lost().iter().map(|lost| (lost.thread, lost.ns())).collect();
        assert_eq!(lost, [(Some(OTHER), 20), (Some(OTHER), 10), (None, 290)]);
    }

    /// Thread 20 leaves processor 0 as a decision gives it to task 0, whose thread has never been there; thread 21
    /// comes first. Task 1 is told to run on processor 1 as thread 30 comes there, long after its thread was preempted.
    /// A thread that comes as the job is complete takes nothing.
    #[test]
    fn two_tasks_on_two_processors() {
        let at = Instant::from_ns;
        let jobs = [0, 1].map(|task| JobId::new(TaskId(task), 0));
        let other = Thread::Other;
        let task = Thread::Task(TaskId(1));
        let on = |cpu, at, thread, to| Switch { cpu: CpuId(cpu), ..switch(at, thread, to, true) };
        let switches = vec![
            on(0, 40, other(20), true),
            on(0, 100, other(20), false),
            on(0, 105, other(21), true),
            on(1, 110, task, true),
            on(0, 115, other(21), false),
            on(0, 115, OWN, true),
            on(1, 120, task, false),
            on(1, 150, other(30), true),
            on(1, 170, other(30), false),
            on(1, 170, task, true),
            on(1, 480, task, false),
            on(0, 500, OWN, false),
            on(0, 500, other(20), true),
            on(0, 550, other(20), false),
        ];
        let decisions = vec![
            (at(100), Record::Dispatch { cpu: CpuId(0), job: jobs[0] }),
            (at(150), Record::Dispatch { cpu: CpuId(1), job: jobs[1] }),
            (at(480), Record::Complete { job: jobs[1] }),
            (at(500), Record::Complete { job: jobs[0] }),
            (at(600), Record::End),
        ];
        let lost = of(2, 2, decisions, switches, 0).lost();
        let found: Vec<_> = lost.iter().map(|one| (one.task.0, one.cpu.0, one.thread)).collect();
        assert_eq!(found, [(0, 0, None), (0, 0, Some(other(21))), (1, 1, Some(other(30)))]);
        let times: Vec<_> = lost.iter().map(|one| (one.from.as_ns(), one.to.as_ns())).collect();
        assert_eq!(times, [(100, 105), (105, 115), (150, 170)]);
        assert!(lost.iter().all(|one| !one.interrupted));
    }
}

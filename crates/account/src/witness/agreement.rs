//! Does what the kernel ran agree with what was decided?
//!
//! It is computed from the kernel's context switches alone: for each time that a decision gave a job a processor, when
//! the kernel ran its thread there; and for how long it ran the thread after a decision had taken the processor away.

use crate::trace::real_run::RealRun;
use crate::trace::spans::{after, decided, of_task, ran, Span};
use schedlab_model::{Duration, Instant, TaskId};
use std::collections::BTreeMap;

/// Agreement of the kernel with the decisions.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// Time from each decision to run a job to its thread's getting that processor, where it did before the decision
    /// changed.
    pub starts: Vec<Duration>,
    /// Time from each decision to stop a job to its thread's leaving the processor.
    pub stops: Vec<Duration>,
    /// Number of decisions to run a job that the kernel never made true before they changed.
    pub never_ran: usize,
    /// The longest time that a thread of a task ran while no decision let it: on its way out, or to its gate.
    pub unasked: Option<(TaskId, Instant, Duration)>,
    /// Number of decisions to run a job.
    pub decisions: usize,
    /// Number of times that a thread ran for longer than [`allowed`](Self::allowed) while no decision let it, or while
    /// the kernel had another job that decisions let execute wait for its processor.
    pub untrue: usize,
    /// Length of a quantum, if the kernel decided by quanta.
    pub quantum: Option<Duration>,
    /// Number of decisions to run a job for a quantum or longer that the kernel never made true.
    pub unused_quanta: usize,
    /// Number of times that a task's thread was on two processors at once, by the kernel's switches.
    pub on_two: usize,
    /// The longest processor time in a row that decisions gave to a task and no thread had, its own neither.
    pub unused: Option<(TaskId, Duration)>,
    /// The task whose thread was ready latest after a release, and by how much, if a scheduler in the kernel decided.
    pub late: Option<(TaskId, Duration)>,
    /// Number of switches that the kernel could not write.
    pub missing: u64,
}

/// Longest time for which a thread goes on after its decision while it is on its way out. No other thread can be to
/// blame for more: one that takes a processor from a thread keeps it from running.
pub const TRUE_WITHIN: Duration = Duration::from_ms(10);

/// Longest processor time in a row that a thread may leave unused on its way to where decisions gave it, and longest
/// time that it may take to wake up. One that takes longer sleeps by itself, or is bound to other processors.
const ON_ITS_WAY: Duration = Duration::from_ms(1_000);

impl Agreement {
    /// Compares the decisions in `run` with the switches of the kernel; `None` if it was not asked.
    pub fn of(run: &RealRun) -> Option<Self> {
        let missing = run.switches.as_ref()?.missing;
        let mut found = Agreement { missing, quantum: run.quantum, ..Agreement::default() };
        let (decided, ran) = (decided(run), ran(run));
        for task in run.task_ids() {
            found.compare(&of_task(&decided, task), &of_task(&ran, task));
        }
        found.untrue += shared(&decided, found.allowed());
        found.unused = longest_unused(run, &ran);
        found.starts.sort_unstable();
        found.stops.sort_unstable();
        Some(found)
    }

    /// Returns the time within which 99.9% of the decisions to run a job were true, if any was.
    pub fn true_within(&self) -> Option<Duration> {
        let last = self.starts.len().checked_sub(1)?;
        Some(self.starts[last * 999 / 1_000])
    }

    /// Longest time for which a thread may run while no decision lets it: where the kernel decides by quanta, at most
    /// one of them.
    pub fn allowed(&self) -> Duration {
        self.quantum.map_or(TRUE_WITHIN, |quantum| quantum.min(TRUE_WITHIN))
    }

    /// False if more than one decision in a hundred gave a job a quantum in which the kernel never ran its thread, or
    /// one more for each of the `missed` quanta that were over before they were given: a processor that stood still for
    /// so long gives the next one late, too.
    pub fn uses_quanta(&self, missed: u64) -> bool {
        self.unused_quanta as u64 <= missed.saturating_add(1 + self.decisions as u64 / 100)
    }

    /// False if threads were on two processors, if more than one decision in a hundred did not become true in time, or
    /// if a thread did not come to its processor, or wake up for its job, at all.
    pub(crate) fn holds(&self) -> bool {
        let never = self.never_came().or(self.never_woke());
        self.on_two == 0 && self.untrue <= 1 + self.decisions / 100 && never.is_none()
    }

    /// The task whose thread did not come to the processor that decisions gave it, and for how long, if there is one.
    pub(crate) fn never_came(&self) -> Option<(TaskId, Duration)> {
        self.unused.filter(|(_, length)| *length > ON_ITS_WAY)
    }

    /// The task whose thread did not wake up for a job that was released, and for how long, if there is one.
    pub(crate) fn never_woke(&self) -> Option<(TaskId, Duration)> {
        self.late.filter(|(_, length)| *length > ON_ITS_WAY)
    }

    fn compare(&mut self, decided: &[Span], ran: &[Span]) {
        for pair in ran.windows(2) {
            self.on_two += usize::from(pair[1].from < pair[0].to);
        }
        // Both are by time, and neither overlaps itself: what a span meets is found without looking at all others.
        for (index, span) in decided.iter().enumerate() {
            let until = decided.get(index + 1).map_or(Instant::NEVER, |next| next.from);
            let (first, end) = (after(ran, span.from), ran.partition_point(|run| run.from < span.to));
            let there = ran.get(first..end).into_iter().flatten().find(|run| run.cpu == span.cpu);
            match there {
                Some(run) => self.starts.push(run.from.saturating_since(span.from)),
                None => {
                    self.never_ran += 1;
                    let whole = self.quantum.is_some_and(|quantum| span.to - span.from >= quantum);
                    self.unused_quanta += usize::from(whole);
                }
            }
            let last = ran[..end].last().filter(|run| run.to > span.to && run.to < until);
            if let Some(run) = last {
                self.stops.push(run.to - span.to);
            }
        }
        self.decisions += decided.len();
        for run in ran {
            for (from, to) in outside(run, &decided[after(decided, run.from)..]) {
                let length = to - from;
                self.untrue += usize::from(length > self.allowed());
                if self.unasked.is_none_or(|(_, _, longest)| longest < length) {
                    self.unasked = Some((run.task, from, length));
                }
            }
        }
    }
}

/// How often two tasks had one processor by decisions for longer than `allowed`. Decisions never do so, but a kernel
/// that chooses the processors of a cluster may: one job waits behind another one although each was given a processor.
fn shared(decided: &[Span], allowed: Duration) -> usize {
    let mut by_cpu: Vec<&Span> = decided.iter().collect();
    by_cpu.sort_by_key(|span| (span.cpu, span.from, span.task));
    let mut times = 0;
    for of_cpu in by_cpu.chunk_by(|one, other| one.cpu == other.cpu) {
        let mut end = Instant::ZERO;
        for span in of_cpu {
            times += usize::from(end.min(span.to).saturating_since(span.from) > allowed);
            end = end.max(span.to);
        }
    }
    times
}

/// The longest processor time in a row that decisions gave to a task, and no thread had, while the run did not stand
/// still. `ran` is what the kernel ran.
fn longest_unused(run: &RealRun, ran: &[Span]) -> Option<(TaskId, Duration)> {
    let by_task: Vec<Vec<Span>> = run.task_ids().map(|task| of_task(ran, task)).collect();
    let mut rows: BTreeMap<TaskId, (Instant, Duration)> = BTreeMap::new();
    let mut longest: Option<(TaskId, Duration)> = None;
    for lost in run.lost() {
        let stood_still = run.standstills.iter().any(|(from, to)| lost.from < *to && *from < lost.to);
        if lost.thread.is_some() || stood_still {
            continue;
        }
        let (since, row) = rows.entry(lost.task).or_default();
        let own = &by_task[lost.task.index()];
        let next = own.partition_point(|own| own.from < *since);
        if own.get(next).is_some_and(|own| own.from < lost.from) {
            *row = Duration::ZERO;
        }
        *row += lost.to - lost.from;
        *since = lost.to;
        if longest.is_none_or(|(_, length)| length < *row) {
            longest = Some((lost.task, *row));
        }
    }
    longest
}

/// Returns the intervals in which `run` went on although none of `decided` (those that end after its beginning) let it
/// execute there.
fn outside(run: &Span, decided: &[Span]) -> Vec<(Instant, Instant)> {
    let mut parts = Vec::new();
    let mut at = run.from;
    for span in decided.iter().take_while(|span| span.from < run.to).filter(|span| span.cpu == run.cpu) {
        parts.push((at, span.from));
        at = span.to;
    }
    parts.push((at, run.to));
    parts.retain(|(from, to)| from < to);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand;
    use schedlab_model::{ClusterId, CpuId, JobId};
    use schedlab_trace::Record;

    fn span(cpu: u16, from: u64, to: u64) -> Span {
        let ns = Instant::from_ns;
        Span { task: TaskId(0), cpu: CpuId(cpu), from: ns(from), to: ns(to) }
    }

    /// Decided: 100 to 200 and 300 to 400 on processor 0, 500 to 520 on 1, 600 to 700 on 0.
    #[test]
    fn a_task_by_hand() {
        let decided = [span(0, 100, 200), span(0, 300, 400), span(1, 500, 520), span(0, 600, 700)];
        let ran = [
            span(0, 110, 150),
            span(0, 160, 205),
            span(0, 240, 270),
            span(0, 290, 390),
            span(1, 530, 540),
            span(1, 590, 605),
            span(0, 620, 690),
        ];
        let mut found = Agreement::default();
        found.compare(&decided, &ran);
        let ns = |all: &[Duration]| all.iter().map(|one| one.as_ns()).collect::<Vec<_>>();
        // It was there before the second decision; the fourth began while it was elsewhere; the third changed before it
        // was there.
        assert_eq!((ns(&found.starts), found.never_ran), (vec![10, 0, 20], 1));
        // After the first decision it went on for 5. Whether it left before the end or after the next decision, nothing
        // is said.
        assert_eq!(ns(&found.stops), [5]);
        assert_eq!(found.unasked, Some((TaskId(0), Instant::from_ns(240), Duration::from_ns(30))));
        assert_eq!((found.on_two, found.decisions, found.untrue, found.holds()), (0, 4, 0, true));
        found.compare(&[], &[span(0, 0, 10), span(1, 9, 20), span(0, 20, 30)]);
        assert_eq!(found.on_two, 1);
    }

    /// An interval does not meet another one that begins where it ends.
    #[test]
    fn instants_that_touch() {
        let decided = [span(0, 100, 200), span(0, 300, 400)];
        let mut found = Agreement::default();
        found.compare(&decided, &[span(0, 80, 100), span(0, 200, 300)]);
        assert_eq!((found.starts.len(), found.stops.len(), found.never_ran), (0, 0, 2));
        assert_eq!(found.unasked, Some((TaskId(0), Instant::from_ns(200), Duration::from_ns(100))));
        // It leaves with the decision, and when the next one lets it go on. Of equally long times that no decision
        // asked for, the first counts.
        let mut found = Agreement::default();
        found.compare(&decided, &[span(0, 100, 200), span(0, 210, 230), span(0, 400, 420)]);
        assert_eq!((found.stops.len(), found.never_ran), (0, 1));
        assert_eq!(found.unasked, Some((TaskId(0), Instant::from_ns(210), Duration::from_ns(20))));
        let mut found = Agreement::default();
        found.compare(&decided, &[span(0, 150, 300)]);
        assert_eq!((found.stops.len(), found.never_ran), (0, 1));
    }

    /// Two tasks on two processors. The first is complete at 200; the second is told to go to the other processor at
    /// 260, to which its thread comes only after it was told to leave at that very instant, at 300, and is there to the
    /// end.
    #[test]
    fn a_run_by_hand() {
        let jobs = [JobId::new(TaskId(0), 0), JobId::new(TaskId(1), 0)];
        let dispatch = |cpu, job| Record::Dispatch { cpu: CpuId(cpu), job };
        let preempt = |cpu, job| Record::Preempt { cpu: CpuId(cpu), job };
        let decisions = [
            (100, dispatch(0, jobs[0])),
            (100, dispatch(1, jobs[1])),
            (200, Record::Complete { job: jobs[0] }),
            (250, preempt(1, jobs[1])),
            (260, dispatch(0, jobs[1])),
            (260, preempt(0, jobs[1])),
            (300, dispatch(0, jobs[1])),
            (600, Record::End),
        ];
        let switches = [
            (110, 1, 1, true),
            (120, 0, 0, true),
            (203, 0, 0, false),
            (257, 1, 1, false),
            (330, 1, 0, true),
            (600, 1, 0, false),
        ];
        let mut run = by_hand::two_tasks(&decisions, &switches);
        run.switches.as_mut().unwrap().missing = 4;
        let found = Agreement::of(&run).unwrap();
        run.switches = None;
        assert!(Agreement::of(&run).is_none());
        let ns = |all: &[Duration]| all.iter().map(|one| one.as_ns()).collect::<Vec<_>>();
        assert_eq!((ns(&found.starts), ns(&found.stops)), (vec![10, 20, 30], vec![3, 7]));
        assert_eq!((found.never_ran, found.on_two, found.missing), (0, 0, 4));
        assert_eq!(
            found.unasked,
            Some((TaskId(1), Instant::from_ns(250), Duration::from_ns(7))),
            "on its way out"
        );
    }

    /// A thread that no gate ever stops: neither starts nor stops show it, the check does. What kept a thread from its
    /// processor is lost time.
    #[test]
    fn a_thread_that_nothing_stops_is_found() {
        let ms = 1_000_000;
        let decided: Vec<Span> = (0..10).map(|at| span(0, at * 100 * ms, (at * 100 + 20) * ms)).collect();
        let mut endless = Agreement::default();
        endless.compare(&decided, &[span(0, 0, 1_000 * ms)]);
        assert_eq!(endless.unasked, Some((TaskId(0), Instant::from_ns(20 * ms), Duration::from_ms(80))));
        assert_eq!((endless.untrue, endless.holds()), (10, false));
        let mut kept_away = Agreement::default();
        kept_away.compare(&decided, &[]);
        assert_eq!((kept_away.never_ran, kept_away.untrue, kept_away.holds()), (10, 0, true));
        let mut elsewhere = Agreement::default();
        elsewhere
            .compare(&decided, &decided.iter().map(|of| Span { cpu: CpuId(1), ..*of }).collect::<Vec<_>>());
        assert!(!elsewhere.holds(), "on the wrong processor");
        // A host that stopped a processor once, while a thread was on its way out, is forgiven.
        let mut once = Agreement::default();
        once.compare(&decided[..1], &[span(0, 0, 31 * ms)]);
        assert_eq!((once.untrue, once.holds()), (1, true));
    }

    /// A thread that does not come within a second will never come, but for a run that stood still.
    #[test]
    fn a_thread_that_never_comes_is_found() {
        let jobs = [JobId::new(TaskId(0), 0), JobId::new(TaskId(1), 0)];
        let (ms, cpus) = (1_000_000, [CpuId(0), CpuId(1)]);
        let decisions = [
            (0, Record::Dispatch { cpu: cpus[0], job: jobs[0] }),
            (0, Record::Dispatch { cpu: cpus[1], job: jobs[1] }),
            (700 * ms, Record::Preempt { cpu: cpus[0], job: jobs[0] }),
            (800 * ms, Record::Dispatch { cpu: cpus[0], job: jobs[0] }),
            (1_500 * ms, Record::End),
        ];
        // The other thread was on both processors, so that the kernel is known to write switches of either.
        let other = [(0, 1, 0, true), (1, 1, 0, false), (2, 1, 1, true), (1_500 * ms, 1, 1, false)];
        let mut run = by_hand::two_tasks(&decisions, &other);
        let found = Agreement::of(&run).unwrap();
        assert_eq!(found.never_came(), Some((TaskId(0), Duration::from_ns(1_400 * ms - 1))));
        assert!(!found.holds());
        run.standstills = vec![(Instant::from_ns(100 * ms), Instant::from_ns(200 * ms))];
        let found = Agreement::of(&run).unwrap();
        assert_eq!((found.unused, found.holds()), (Some((TaskId(0), Duration::from_ms(700))), true));
        let comes = [&other[..3], &[(690 * ms, 0, 0, true), (700 * ms, 0, 0, false)], &other[3..]].concat();
        let found = Agreement::of(&by_hand::two_tasks(&decisions, &comes)).unwrap();
        assert_eq!((found.unused, found.holds()), (Some((TaskId(0), Duration::from_ms(700))), true));
    }

    /// Decided on processors 0 and 1, and executed on 1 and 0. A kernel that chooses the processors of a cluster keeps
    /// the decisions; one that was told which they are does not.
    #[test]
    fn a_kernel_that_chooses_processors_may_exchange_them() {
        let (jobs, ms) = ([JobId::new(TaskId(0), 0), JobId::new(TaskId(1), 0)], 1_000_000);
        let decisions = [
            (0, Record::Dispatch { cpu: CpuId(0), job: jobs[0] }),
            (0, Record::Dispatch { cpu: CpuId(1), job: jobs[1] }),
            (50 * ms, Record::Complete { job: jobs[0] }),
            (50 * ms, Record::Complete { job: jobs[1] }),
            (60 * ms, Record::End),
        ];
        let switches =
            [(1, 0, 1, true), (1, 1, 0, true), (50 * ms + 5, 0, 1, false), (50 * ms + 5, 1, 0, false)];
        let mut run = by_hand::two_tasks(&decisions, &switches);
        let found = Agreement::of(&run).unwrap();
        assert_eq!((found.untrue, found.never_ran, found.holds()), (2, 2, false));
        run.cluster_of = Some(vec![ClusterId(0); 2]);
        let found = Agreement::of(&run).unwrap();
        assert_eq!((found.untrue, found.never_ran, found.starts.len(), found.holds()), (0, 0, 2, true));
        run.cluster_of = Some([0, 1].map(ClusterId).to_vec());
        assert!(!Agreement::of(&run).unwrap().holds(), "each processor is a cluster");
        // Both are executed on processor 1, one after the other, although both had a processor by decisions.
        let serial = [(1, 0, 1, true), (25 * ms, 0, 1, false), (25 * ms, 1, 1, true), (49 * ms, 1, 1, false)];
        let mut run = by_hand::two_tasks(&decisions, &serial);
        run.cluster_of = Some(vec![ClusterId(0); 2]);
        assert_eq!(Agreement::of(&run).unwrap().untrue, 1);
        // A thread that never woke up is found.
        let late = Some((TaskId(0), Duration::from_ms(1_001)));
        assert!(Agreement { late, ..Agreement::default() }.never_woke().is_some());
        assert!(!Agreement { late, ..Agreement::default() }.holds());
    }

    /// With quanta of 5 ms, a thread may go on for one of them; and a quantum in which its thread never runs is unused,
    /// but a part of one is not.
    #[test]
    fn where_the_kernel_decides_by_quanta_these_are_the_limit() {
        let us = 1_000;
        let decided: Vec<Span> =
            (0..4).map(|at| span(0, at * 20_000 * us, (at * 20_000 + 5_000) * us)).collect();
        let ran = [span(0, 0, 9_999 * us), span(0, 20_000 * us, 30_001 * us)];
        let quantum = |ms| Agreement { quantum: Some(Duration::from_ms(ms)), ..Agreement::default() };
        for (mut found, allowed, untrue, unused) in
            [(quantum(5), 5, 1, 2), (quantum(20), 10, 0, 0), (Agreement::default(), 10, 0, 0)]
        {
            found.compare(&decided, &ran);
            let seen = (found.allowed(), found.untrue, found.unused_quanta, found.never_ran);
            assert_eq!(seen, (Duration::from_ms(allowed), untrue, unused, 2));
        }
        let mut found = quantum(5);
        found.compare(&[span(0, 0, 4_999 * us)], &[]);
        assert_eq!((found.never_ran, found.unused_quanta, found.uses_quanta(0)), (1, 0, true));
        found.compare(&decided[..1], &[]);
        assert!(found.uses_quanta(0), "one may be the host's");
        found.compare(&decided[..1], &[]);
        assert_eq!((found.unused_quanta, found.uses_quanta(0), found.uses_quanta(1)), (2, false, true));
    }
}

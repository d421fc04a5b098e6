//! A run under a scheduling class of Linux itself: the schedule by the kernel's own switches, and the checks that are
//! possible.
//!
//! The run's threads record where their jobs begin and which resources they take and give back; no decision determines
//! which of them ought to execute. Therefore the switches are the schedule. A job executes from when the kernel gives
//! its thread a processor until it takes the thread off for another task's thread, the thread waits, or the job is
//! complete. A thread that only threads beside the tasks interrupt goes on afterwards: its job counts as preempted in
//! no trace of ours either. A thread with a reservation goes before all those, so that the kernel takes it off at the
//! end of its budget: its job is preempted.

use crate::results::Witness;
use crate::trace::real_run::{RealRun, Switch};
use crate::witness::write_violations;
use schedlab_lab::Prepared;
use schedlab_model::{Band, CpuId, Instant, JobId, ResourceId, TaskId};
use schedlab_report::invariants::{check, InvariantChecks};
use schedlab_report::Context;
use schedlab_trace::{about, Record, SuspendReason, Thread};
use std::fmt;

/// A task's thread, and its job, as a sweep over the run finds them.
#[derive(Clone, Copy, Debug, Default)]
struct Sweep {
    /// Processor on which the kernel runs the thread.
    on: Option<CpuId>,
    /// Number of the job that is ready and not complete.
    live: Option<JobId>,
    /// Processor on which the schedule has the job.
    dispatched: Option<CpuId>,
    /// Time at which the kernel took the thread, which was ready to go on, off that processor.
    taken_off: Option<Instant>,
    suspended: bool,
    /// True if the thread has a reservation.
    is_reserved: bool,
    waits_for: Option<ResourceId>,
}

type Schedule = Vec<(Instant, Record)>;

impl Sweep {
    /// Gives the thread `cpu`, as the kernel does.
    fn switch_in(&mut self, at: Instant, cpu: CpuId, out: &mut Schedule) {
        self.on = Some(cpu);
        if self.dispatched == Some(cpu) {
            self.taken_off = None;
        } else {
            self.preempt(at, out);
            self.dispatch(at, out);
        }
    }

    fn dispatch(&mut self, at: Instant, out: &mut Schedule) {
        let (Some(job), Some(cpu)) = (self.live, self.on) else { return };
        if std::mem::take(&mut self.suspended) {
            out.push((at, Record::Resume { job }));
        }
        out.push((at, Record::Dispatch { cpu, job }));
        self.dispatched = Some(cpu);
    }

    /// Preempts the job where it was, at the time when its thread was taken off there.
    fn preempt(&mut self, at: Instant, out: &mut Schedule) {
        if let (Some(job), Some(cpu)) = (self.live, self.dispatched.take()) {
            out.push((self.taken_off.take().unwrap_or(at), Record::Preempt { cpu, job }));
        }
    }

    fn switch_out(&mut self, at: Instant, ready: bool, out: &mut Schedule) {
        self.on = None;
        if ready {
            self.taken_off = Some(at);
            if self.is_reserved {
                self.preempt(at, out);
            }
        } else if let (Some(job), Some(_)) = (self.live, self.dispatched.take()) {
            let reason = self.waits_for.map_or(SuspendReason::Itself, SuspendReason::Resource);
            out.push((at, Record::Suspend { job, reason }));
            self.suspended = true;
        }
    }

    fn hear(&mut self, at: Instant, record: &Record, out: &mut Schedule) {
        match *record {
            Record::Ready { job, priority, .. } => {
                self.live = Some(job);
                self.is_reserved = priority.band() == Band::Boosted;
                self.dispatch(at, out);
            }
            Record::Complete { .. } => *self = Sweep { on: self.on, ..Sweep::default() },
            Record::Request { resource, .. } => self.waits_for = Some(resource),
            Record::Acquire { .. } => self.waits_for = None,
            about![
                Arrival, GiveUp, Abort, Miss, Spin, Delay, Release, places, urgencies, attempts, machine
            ] => {}
        }
    }
}

/// Returns the order of a record among those of one instant: jobs first report what they do, and leave their processors
/// before others come.
fn place(record: &Record) -> u8 {
    match record {
        Record::Preempt { .. } | Record::Suspend { .. } => 1,
        Record::Resume { .. } => 2,
        Record::Dispatch { .. } => 3,
        Record::End => 4,
        about![
            Link, Move, Lost, Run, lives, urgencies, requests, attempts, quanta, overheads, servers, tasks
        ] => 0,
    }
}

impl RealRun {
    /// Returns the records of the threads, without those that follow from the kernel's switches.
    fn said(&self) -> impl Iterator<Item = &(Instant, Record)> {
        self.decisions.iter().filter(|(_, record)| {
            let follows = matches!(place(record), 1..=3);
            !follows
        })
    }

    /// The schedule of a run under a class of the kernel, by its switches.
    pub fn schedule_of_kernel(&self) -> Schedule {
        let mut sweeps = vec![Sweep::default(); self.tasks];
        let mut out: Schedule = self.said().copied().collect();
        // Later ones bear the end's time.
        let end = self.end();
        let mut switches = self.known_switches().iter().filter(|switch| switch.at < end).peekable();
        let heard: Schedule = out.clone();
        for (at, record) in &heard {
            while let Some(switch) = switches.next_if(|switch| switch.at <= *at) {
                see(&mut sweeps, switch, &mut out);
            }
            if let Some(job) = record.job() {
                sweeps[job.task.index()].hear(*at, record, &mut out);
            }
        }
        switches.for_each(|switch| see(&mut sweeps, switch, &mut out));
        out.sort_by_key(|(at, record)| (*at, place(record)));
        let lost = self.switches.as_ref().map_or(0, |known| known.missing);
        if lost > 0 {
            let last = out.len().saturating_sub(1);
            out.insert(last, (self.end(), Record::Lost { count: lost }));
        }
        out
    }

    /// Returns how many records report that a thread executes, or that its job begins, although the kernel had it on no
    /// processor or on another one; and the number of such records.
    fn words_against_switches(&self) -> (u64, u64) {
        let mut on: Vec<Option<CpuId>> = vec![None; self.tasks];
        let mut switches = self.known_switches().iter().peekable();
        let (mut wrong, mut all) = (0, 0);
        for (at, record) in &self.decisions {
            while let Some(switch) = switches.next_if(|switch| switch.at <= *at) {
                if let Thread::Task(task) = switch.thread {
                    on[task.index()] = switch.to.then_some(switch.cpu);
                }
            }
            let (job, named) = match *record {
                Record::Dispatch { cpu, job } => (job, Some(cpu)),
                Record::Complete { job } | Record::Acquire { job, .. } | Record::Release { job, .. } => {
                    (job, None)
                }
                about![
                    Arrival, Ready, GiveUp, Abort, Miss, Link, Preempt, Suspend, Resume, Move, Request, Spin,
                    Delay, urgencies, attempts, machine
                ] => continue,
            };
            all += 1;
            let is_so = on[job.task.index()].is_some_and(|cpu| named.is_none_or(|named| named == cpu));
            wrong += u64::from(!is_so);
        }
        (wrong, all)
    }
}

fn see(sweeps: &mut [Sweep], switch: &Switch, out: &mut Schedule) {
    let Thread::Task(task) = switch.thread else { return };
    let Switch { at, cpu, to, ready, .. } = *switch;
    if to {
        // Whose job was there has lost its processor.
        for (other, sweep) in sweeps.iter_mut().enumerate() {
            if TaskId(other as u32) != task && sweep.dispatched == Some(cpu) {
                sweep.preempt(at, out);
            }
        }
        sweeps[task.index()].switch_in(at, cpu, out);
    } else if sweeps[task.index()].on == Some(cpu) {
        sweeps[task.index()].switch_out(at, ready, out);
    }
}

/// Account of a run under a scheduling class.
#[derive(Debug)]
pub struct ByClass {
    /// Result for the invariants that hold under any scheduler, if they were checked.
    pub invariants: Option<InvariantChecks>,
    /// Number of threads' records that the switches contradict, and of all such records.
    pub against: (u64, u64),
    missing: u64,
}

impl ByClass {
    /// Accounts for `run`; `None` if an engine of schedlab decides in the run.
    pub(crate) fn of(prepared: &Prepared, run: &RealRun, judged: bool) -> Option<Self> {
        if !run.backend.is_kernel() {
            return None;
        }
        let context: Context = prepared.context_by(run.backend);
        let judge = || check(&context, run.schedule_of_kernel());
        Some(ByClass {
            invariants: judged.then(judge),
            against: run.words_against_switches(),
            missing: run.switches.as_ref().map_or(0, |known| known.missing),
        })
    }

    /// Describes the disagreement of kernel and threads; `None` if they agree.
    pub(crate) fn contradiction(&self) -> Option<String> {
        let (wrong, all) = self.against;
        // Where switches are missing, a thread may well have been there.
        (wrong > 0 && self.missing == 0).then(|| {
            format!(
                "{wrong} of {all} times a thread said that it executes, and the kernel did not run it there"
            )
        })
    }

    /// False if a check failed.
    pub(crate) fn holds(&self) -> bool {
        self.contradiction().is_none() && self.invariants.as_ref().is_none_or(InvariantChecks::holds)
    }

    /// The account as plain values, for programs, in the form for decisions of schedlab; there are no decisions to
    /// compare with.
    pub(crate) fn witness(&self) -> Witness {
        Witness {
            invariants_hold: self.invariants.as_ref().map(InvariantChecks::holds),
            clipped_ns: None,
            holds: self.contradiction().is_none(),
            starts: None,
            stops: None,
            never_ran: 0,
            on_two_processors: 0,
            untrue: self.against.0,
            lost: self.missing,
        }
    }
}

impl fmt::Display for ByClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Linux itself decided: the schedule is that of its context switches")?;
        if self.missing > 0 {
            writeln!(f, "{} context switches are missing: the kernel's rings were full", self.missing)?;
        }
        if let Some(contradiction) = self.contradiction() {
            writeln!(f, "{contradiction}")?;
        }
        self.invariants.as_ref().map_or(Ok(()), |verdict| write_violations(f, "", verdict))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::of;
    use schedlab_model::{ClusterId, Priority, Work};

    const ONE: JobId = JobId { task: TaskId(0), number: 0 };
    const TWO: JobId = JobId { task: TaskId(1), number: 0 };
    const R: ResourceId = ResourceId(0);

    fn at(ns: u64) -> Instant {
        Instant::from_ns(ns)
    }

    /// A run with these switches: the time, the task (99 is none), the processor, whether the thread got it, and
    /// whether it was ready when it left.
    fn run(said: &[(u64, Record)], switches: &[(u64, u32, u16, bool, bool)]) -> RealRun {
        let thread = |task| if task == 99 { Thread::Other(99) } else { Thread::Task(TaskId(task)) };
        let switch = |&(ns, task, cpu, to, ready): &(u64, u32, u16, bool, bool)| Switch {
            at: at(ns),
            cpu: CpuId(cpu),
            thread: thread(task),
            to,
            ready,
        };
        let said = said.iter().map(|(ns, record)| (at(*ns), *record)).collect();
        of(2, 2, said, switches.iter().map(switch).collect(), 0)
    }

    fn arrives(ns: u64, job: JobId) -> [(u64, Record); 2] {
        let (priority, cluster) = (Priority::new(1, job), ClusterId(0));
        let arrival = Record::Arrival { job, absolute_deadline: at(1_000), cost: Work::ZERO };
        [(ns, arrival), (ns, Record::Ready { job, priority, cluster })]
    }

    fn schedule(run: &RealRun) -> Vec<(u64, Record)> {
        let is_derived = |(_, record): &(Instant, Record)| matches!(place(record), 1..=3);
        let all = run.schedule_of_kernel().into_iter().filter(is_derived);
        all.map(|(at, record)| (at.as_ns(), record)).collect()
    }

    fn on(cpu: u16, job: JobId) -> Record {
        Record::Dispatch { cpu: CpuId(cpu), job }
    }

    fn off(cpu: u16, job: JobId) -> Record {
        Record::Preempt { cpu: CpuId(cpu), job }
    }

    /// The second task preempts the first, which goes on elsewhere; at 60 to 65 a thread beside the tasks interrupts
    /// it.
    #[test]
    fn who_is_taken_off_for_a_task_is_preempted() {
        let said = [
            &arrives(0, ONE)[..],
            &arrives(20, TWO)[..],
            &[(50, Record::Complete { job: TWO }), (80, Record::Complete { job: ONE }), (90, Record::End)],
        ]
        .concat();
        let switches = [
            (1, 0, 0, true, false),
            (22, 0, 0, false, true),
            (22, 1, 0, true, false),
            (30, 0, 1, true, false),
            (51, 1, 0, false, false),
            (60, 0, 1, false, true),
            (60, 99, 1, true, false),
            (65, 99, 1, false, false),
            (65, 0, 1, true, false),
            (81, 0, 1, false, false),
        ];
        let found = schedule(&run(&said, &switches));
        assert_eq!(found, [(1, on(0, ONE)), (22, off(0, ONE)), (22, on(0, TWO)), (30, on(1, ONE))]);
    }

    /// At 20 the budget is used up, and comes back at 50; a thread beside the tasks has the processor meanwhile.
    #[test]
    fn who_has_used_a_reservation_up_is_preempted() {
        let of = |band| {
            let priority = Priority::in_band(band, 1, ONE);
            let ready = Record::Ready { job: ONE, priority, cluster: ClusterId(0) };
            let said = [(0, ready), (70, Record::Complete { job: ONE }), (90, Record::End)];
            let switches = [
                (1, 0, 0, true, false),
                (20, 0, 0, false, true),
                (20, 99, 0, true, false),
                (50, 99, 0, false, true),
                (50, 0, 0, true, false),
                (71, 0, 0, false, false),
            ];
            schedule(&run(&said, &switches))
        };
        assert_eq!(of(Band::Boosted), [(1, on(0, ONE)), (20, off(0, ONE)), (50, on(0, ONE))]);
        assert_eq!(of(Band::Base), [(1, on(0, ONE))], "it was interrupted");
    }

    /// The thread waits for a resource from 12 to 30, and for its next job from 41 on.
    #[test]
    fn who_waits_is_suspended() {
        let units = 1;
        let said = [
            &arrives(0, ONE)[..],
            &[
                (10, Record::Request { job: ONE, resource: R, units }),
                (31, Record::Acquire { job: ONE, resource: R, units }),
                (40, Record::Complete { job: ONE }),
                (50, Record::End),
            ],
        ]
        .concat();
        let switches = [
            (2, 0, 0, true, false),
            (12, 0, 0, false, false),
            (30, 0, 1, true, false),
            (41, 0, 1, false, false),
        ];
        let found = schedule(&run(&said, &switches));
        let expected = [
            (2, on(0, ONE)),
            (12, Record::Suspend { job: ONE, reason: SuspendReason::Resource(R) }),
            (30, Record::Resume { job: ONE }),
            (30, on(1, ONE)),
        ];
        assert_eq!(found, expected);
    }

    /// A thread's record where the kernel did not run it counts as a contradiction.
    #[test]
    fn words_are_held_against_switches() {
        let said = [(5, on(0, ONE)), (20, Record::Complete { job: ONE }), (30, Record::End)];
        let there = run(&said, &[(1, 0, 0, true, false), (22, 0, 0, false, false)]);
        assert_eq!(there.words_against_switches(), (0, 2));
        let elsewhere = run(&said, &[(1, 0, 1, true, false), (12, 0, 1, false, true)]);
        assert_eq!(elsewhere.words_against_switches(), (2, 2));
    }
}

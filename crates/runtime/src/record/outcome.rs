//! The outcome of a run: why it ended, and what happened.

use crate::record::call_counts::CallCounts;
use crate::record::inputs::EngineInput;
use crate::record::keeper::Keeper;
use crate::record::kernel_scheduler::{KernelScheduler, NativeCounts};
use crate::record::span::Span;
mod linked_passages;
mod run_records;

use self::run_records::decision;
use crate::machine::context_switches::Switched;
use crate::machine::stolen::Steal;
use crate::machine::sys::Tid;
use crate::record::tracer::Passage;
use schedlab_model::{CpuId, Duration, Instant, JobId, TaskId};
use schedlab_sim::Summary;
use schedlab_trace::{about, Backend, Life, Record};
use std::collections::BTreeMap;

/// The reason why a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// The run reached its horizon.
    #[default]
    Horizon,
    /// The run was asked to stop.
    Stopped,
    /// A task's code panicked.
    Crashed(TaskId),
    /// Real-time threads starved the machine.
    Starved,
    /// The run's own threads waited for a thread that they had stopped.
    StoodStill,
    /// The scheduler in the kernel was taken away.
    Ejected,
}

/// The outcome of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The engine's decisions, by time. Dispatches and preemptions have the times at which they were decided.
    pub decisions: Vec<(Instant, Record)>,
    /// The reason why the run ended.
    pub ending: Ending,
    /// By domain: its engine's inputs; `None` if they were too many to keep.
    pub inputs: Vec<Option<Vec<(Instant, JobId, EngineInput)>>>,
    /// By domain: the spans of its engine's decisions, as far as the options asked for them.
    pub spans: Vec<Vec<Span>>,
    /// The lengths of the moves of threads to other processors, in nanoseconds, as far as the options asked for them.
    pub moves: Vec<u64>,
    /// The backend that decided. Where Linux decided, its context switches alone show what ran.
    pub backend: Backend,
    /// The scheduler in the kernel, where one was to execute the threads.
    pub kernel_scheduler: KernelScheduler,
    /// Numbers of the scheduler in the kernel, where that decided by itself.
    pub native: Option<NativeCounts>,
    /// The passages of threads: when they began to execute their jobs, and when they were stopped, by time.
    pub passages: Vec<(Instant, JobId, Passage)>,
    /// The time of the monotonic clock at time zero, in nanoseconds.
    pub zero: u64,
    /// By processor of the system: the machine's number of it.
    pub processors: Vec<usize>,
    /// By task: the kernel's number of its thread.
    pub threads: Vec<Tid>,
    /// The kernel's context switches, and the number of those that are missing; none if the kernel was not asked or may
    /// not report them.
    pub switches: Option<(Vec<Switched>, u64)>,
    /// The time that the host took from the processors, by time; nothing if the kernel does not count it.
    pub stolen: Option<Vec<Steal>>,
    /// The times when no thread of the run executed, not even the watchdog: each from its last look until it came back.
    pub stood_still: Vec<(Instant, Instant)>,
    /// The number of the tracer's records that are missing: its rings were full.
    pub traced_lost: u64,
    /// True if processors were kept out of deep idle states.
    pub kept_awake: bool,
    /// By background thread: the processor time that it got; `None` if its code did not end.
    pub background: Vec<Option<Duration>>,
    /// By task: the numbers of calls for its jobs, if it is event-driven.
    pub calls: Vec<Option<CallCounts>>,
    /// The numbers of jobs.
    pub summary: Summary,
    /// Tasks whose code did not end with the run: their threads are shut in until the process ends.
    pub runaways: Vec<TaskId>,
    /// Tasks whose code was to begin a section after the end of the run, and never could: another task's code did not
    /// end, or they wait for each other. Their threads are shut in, too.
    pub kept_waiting: Vec<TaskId>,
    /// Tasks whose threads took a real-time class, where a scheduler in the kernel was to execute them: they were put
    /// back, but may have executed without a decision meanwhile.
    pub escaped: Vec<TaskId>,
    /// Tasks whose threads took other processors than the scheduler in the kernel gives them. It does not execute them
    /// as tasks from then on.
    pub strayed: Vec<TaskId>,
    /// The process that keeps the records until the trace is written, if the options asked for one.
    pub keeper: Option<Keeper>,
}

/// Time within which a thread looks at its gate for the second time, after it recorded that it passes.
const SECOND_LOOK: Duration = Duration::from_us(10);

impl Outcome {
    /// The end of the run.
    pub fn end(&self) -> Instant {
        self.decisions.last().map_or(Instant::ZERO, |(at, _)| *at)
    }

    /// True if the kernel reported every switch.
    pub(crate) fn switches_are_whole(&self) -> bool {
        matches!(self.switches, Some((_, 0)))
    }

    /// Adds the tracer's records, by the monotonic clock, and the number of those that are missing.
    pub(crate) fn add_passages(&mut self, passages: Vec<(u64, JobId, Passage)>, lost: u64) {
        let of_run = |at: u64| Instant::from_ns(at.saturating_sub(self.zero));
        self.passages = passages.into_iter().map(|(at, job, passage)| (of_run(at), job, passage)).collect();
        self.traced_lost = lost;
    }

    /// The trace of what really happened: dispatches and preemptions have the times at which threads made them. The
    /// decisions, and what the machine did, are recorded beside.
    ///
    /// A thread's passage is later than the decision that caused it, by the dispatch latency.
    pub fn trace(&self) -> Vec<(Instant, Record)> {
        let mut all: Vec<(Instant, Record)> =
            self.decisions.iter().map(|(at, record)| (*at, decision(*record))).collect();
        let end = self.end();
        if !self.backend.is_kernel() {
            all.extend(self.real_dispatches().into_iter().filter(|(at, _)| *at <= end));
        }
        all.extend(self.machine_records());
        if self.traced_lost > 0 {
            all.push((end, Record::Lost { count: self.traced_lost }));
        }
        all.sort_by_key(|(at, record)| (*at, matches!(record, Record::End)));
        all
    }

    /// The dispatches and preemptions as threads made them. A job is dispatched when its thread passes, and preempted
    /// when it is stopped, unless it gave up its processor. A thread that was stopped on a processor, and moved before
    /// it noticed, has left when the next thread passes there. A thread that records that it passes when it was stopped
    /// already, and at its second look that it is stopped, has not executed.
    fn real_dispatches(&self) -> Vec<(Instant, Record)> {
        let mut decisions = self.decisions.iter().peekable();
        let mut on: Vec<(JobId, CpuId)> = Vec::new();
        // Where each job is to be.
        let mut decided: BTreeMap<JobId, CpuId> = BTreeMap::new();
        let mut found = Vec::new();
        for (place, (at, job, passage)) in self.passages.iter().enumerate() {
            while let Some((_, record)) = decisions.next_if(|(when, _)| when <= at) {
                match *record {
                    Record::Dispatch { cpu, job } => drop(decided.insert(job, cpu)),
                    Record::Preempt { job, .. } => drop(decided.remove(&job)),
                    Record::Complete { job } | Record::Suspend { job, .. } | Record::Abort { job } => {
                        decided.remove(&job);
                        on.retain(|(other, _)| *other != job);
                    }
                    about![
                        Arrival, Ready, GiveUp, Miss, Link, Resume, Move, urgencies, requests, attempts,
                        machine
                    ] => {}
                }
            }
            let before = on.iter().position(|(other, _)| other == job).map(|place| on.swap_remove(place).1);
            if let Some(cpu) = before {
                found.push((*at, Record::Preempt { cpu, job: *job }));
            }
            let passed = match passage {
                Passage::Passed(cpu) => Some(cpu),
                Passage::Stopped => None,
            };
            let looks_again = |cpu: &&CpuId| decided.get(job) != Some(cpu) && self.is_stopped_at_once(place);
            if let Some(cpu) = passed.filter(|cpu| !looks_again(cpu)) {
                on.retain(|(other, place)| {
                    let has_left = place == cpu && decided.get(other) != Some(cpu);
                    found.extend(has_left.then_some((*at, Record::Preempt { cpu: *cpu, job: *other })));
                    !has_left
                });
                on.push((*job, *cpu));
                found.push((*at, Record::Dispatch { cpu: *cpu, job: *job }));
            }
        }
        found
    }

    /// True if the next record of the job's thread, after its passage at `place`, is that it was stopped, within
    /// [`SECOND_LOOK`].
    fn is_stopped_at_once(&self, place: usize) -> bool {
        let (at, job, _) = self.passages[place];
        let soon = self.passages[place + 1..].iter().take_while(|(next, ..)| *next - at <= SECOND_LOOK);
        let mut own = soon.filter(|(_, other, _)| *other == job);
        own.next().is_some_and(|(_, _, passage)| *passage == Passage::Stopped)
    }

    /// By job: how long after its arrival its code began.
    pub fn release_latencies(&self) -> Vec<(JobId, Duration)> {
        let mut started = BTreeMap::new();
        for (at, job, passage) in &self.passages {
            if matches!(passage, Passage::Passed(_)) {
                started.entry(*job).or_insert(*at);
            }
        }
        let arrivals = self.decisions.iter().filter_map(|(at, record)| match record.life() {
            Some(Life::Arrival(job, _)) => Some((job, *at)),
            Some(Life::Completion(_) | Life::Abort(_) | Life::Miss(_)) | None => None,
        });
        arrivals.filter_map(|(job, at)| started.get(&job).map(|start| (job, *start - at))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::Work;

    /// The records of the schedule in the trace.
    fn schedule(outcome: &Outcome) -> Vec<(Instant, Record)> {
        let is_schedule = |(_, record): &(Instant, Record)| !matches!(record, Record::Run(_));
        outcome.trace().into_iter().filter(is_schedule).collect()
    }

    /// The first job is dispatched on processor 0, stopped, and goes on on processor 1 after the second is complete;
    /// then it is moved back without having been seen to stop. It is complete at the instant at which its thread is
    /// seen to stop.
    #[test]
    fn a_trace_says_when_threads_passed() {
        let [one, two] = [0, 1].map(|task| JobId::new(TaskId(task), 0));
        let decided = |at, record| (Instant::from_ns(at), record);
        let dispatch = |cpu, job| Record::Dispatch { cpu: CpuId(cpu), job };
        let preempt = |cpu, job| Record::Preempt { cpu: CpuId(cpu), job };
        let arrival = |job, deadline| Record::Arrival {
            job,
            cost: Work::ZERO,
            absolute_deadline: Instant::from_ns(deadline),
        };
        let decisions = vec![
            decided(0, arrival(one, 90)),
            decided(5, arrival(two, 80)),
            decided(10, dispatch(0, one)),
            decided(12, dispatch(1, two)),
            decided(50, preempt(0, one)),
            decided(65, Record::Complete { job: two }),
            decided(66, dispatch(1, one)),
            decided(78, preempt(1, one)),
            decided(79, dispatch(0, one)),
            decided(100, Record::Complete { job: one }),
            decided(120, Record::End),
        ];
        let passed = |at: u64, job, cpu| (1_000 + at, job, Passage::Passed(CpuId(cpu)));
        let stopped = |at: u64, job| (1_000 + at, job, Passage::Stopped);
        let next = JobId::new(TaskId(0), 1);
        let passages = vec![
            passed(15, one, 0),
            passed(20, two, 1),
            stopped(55, one),
            passed(70, one, 1),
            passed(80, one, 0),
            stopped(100, one),
            passed(120, next, 0),
            passed(121, two, 0),
        ];
        let mut outcome = Outcome { decisions: decisions.clone(), zero: 1_000, ..Outcome::default() };
        outcome.add_passages(passages, 1);
        let expected = vec![
            decisions[0],
            decisions[1],
            decided(15, dispatch(0, one)),
            decided(20, dispatch(1, two)),
            decided(55, preempt(0, one)),
            decisions[5],
            decided(70, dispatch(1, one)),
            decided(80, preempt(1, one)),
            decided(80, dispatch(0, one)),
            decisions[9],
            decided(120, dispatch(0, next)),
            decided(120, Record::Lost { count: 1 }),
            decisions[10],
        ];
        assert_eq!(schedule(&outcome), expected);
        let latencies = [(one, Duration::from_ns(15)), (two, Duration::from_ns(15))];
        assert_eq!(outcome.release_latencies(), latencies, "each job's first passage counts");
        outcome.traced_lost = 0;
        assert!(!outcome.trace().iter().any(|(_, record)| matches!(record, Record::Lost { .. })));
    }

    /// The first job has to leave processor 0 for 1, where the kernel moves its thread before that looks. The thread
    /// records so only when the second one executes on 0. No job takes a processor from one that did not have to leave
    /// it.
    #[test]
    fn who_was_moved_without_noticing_has_left() {
        let [one, two] = [0, 1].map(|task| JobId::new(TaskId(task), 0));
        let at = Instant::from_ns;
        let dispatch = |cpu, job| Record::Dispatch { cpu: CpuId(cpu), job };
        let preempt = |cpu, job| Record::Preempt { cpu: CpuId(cpu), job };
        let trace = |is_told: bool| {
            let mut decisions =
                vec![(at(10), dispatch(0, one)), (at(50), dispatch(0, two)), (at(90), Record::End)];
            if is_told {
                decisions.insert(1, (at(50), preempt(0, one)));
                decisions.insert(3, (at(52), dispatch(1, one)));
            }
            let passed = |cpu| Passage::Passed(CpuId(cpu));
            let passages = vec![(at(15), one, passed(0)), (at(60), two, passed(0)), (at(61), one, passed(1))];
            schedule(&Outcome { decisions, passages, ..Outcome::default() })
        };
        let first = [(at(15), dispatch(0, one))];
        let end = [(at(61), dispatch(1, one)), (at(90), Record::End)];
        let left = [(at(60), preempt(0, one)), (at(60), dispatch(0, two))];
        assert_eq!(trace(true), [&first[..], &left, &end].concat());
        let stays = [(at(60), dispatch(0, two)), (at(61), preempt(0, one))];
        assert_eq!(trace(false), [&first[..], &stays, &end].concat());
    }

    /// The first job is to execute at 10, and has to leave for the second at 20. Its thread writes down at 30 that it
    /// passes, and is stopped.
    #[test]
    fn who_passes_too_late_does_not_execute() {
        let [one, two] = [0, 1].map(|task| JobId::new(TaskId(task), 0));
        let (at, cpu) = (Instant::from_ns, CpuId(0));
        let dispatch = |job| Record::Dispatch { cpu, job };
        let decisions = vec![
            (at(10), dispatch(one)),
            (at(20), Record::Preempt { cpu, job: one }),
            (at(20), dispatch(two)),
            (at(90_000), Record::End),
        ];
        let passed = Passage::Passed(cpu);
        let passages = vec![(at(25), two, passed), (at(30), one, passed), (at(31), one, Passage::Stopped)];
        let trace = |stopped: Instant| {
            let (decisions, mut passages) = (decisions.clone(), passages.clone());
            passages[2].0 = stopped;
            schedule(&Outcome { decisions, passages, ..Outcome::default() })
        };
        assert_eq!(trace(at(31)), [(at(25), dispatch(two)), (at(90_000), Record::End)]);
        // One that goes on is not overlooked.
        assert_eq!(trace(at(20_000)).len(), 4);
    }
}

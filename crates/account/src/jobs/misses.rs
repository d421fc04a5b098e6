//! Why jobs missed their deadlines in a real run, and why responses took as long as they did.
//!
//! A job that also misses in a simulation without any overhead misses by the schedule itself. Any other has to miss in
//! the simulation with reconstructed costs, too (see [`crate::jobs::reconstructed`]): else something made it late that
//! the kernel did not see. If what was visibly taken (see [`crate::jobs::taken`]) since its processors were last idle
//! is at least its tardiness, lost time explains it by itself; else through a decision that the lost time shifted.

use crate::jobs::simulated::{Cause, Simulated};
use crate::jobs::taken::{Taken, TakenTime, Taker};
use crate::jobs::{group_of, Jobs};
use crate::results::{LongestResponseResult, MissesResult, UnexplainedMiss};
use crate::trace::real_run::RealRun;
use schedlab_lab::{PrepareError, Prepared};
use schedlab_model::JobId;
use std::collections::BTreeMap;
use std::fmt;

/// Missed deadlines of a run, by reason.
#[derive(Debug, Default)]
pub struct Misses {
    /// Jobs that also miss in a simulation without overheads, or instead of which a utility-accrual scheduler chose
    /// others.
    pub of_schedule: usize,
    /// Jobs that are tardy by no more than the lost time: their number, by the one who took most of it.
    pub of_lost_time: BTreeMap<Taker, usize>,
    /// Jobs that are tardy by more than the lost time, and also miss in a simulation in which the losses are part of
    /// the costs: their number, by the one who took most.
    pub of_shifted_decisions: BTreeMap<Taker, usize>,
    /// Jobs without an explanation, with their tardiness and their lost time, in ns.
    pub unexplained: Vec<(JobId, u64, u64)>,
    /// By task: its longest response; `None` for a task without one.
    pub longest: Vec<Option<LongestResponseResult>>,
}

impl Misses {
    /// Describes how many jobs missed for which reason; empty where no job missed.
    fn words(&self) -> String {
        let mut said = Vec::new();
        if self.of_schedule > 0 {
            said.push(format!("{} by the schedule itself", self.of_schedule));
        }
        let because = |how: &str, by_taker: &BTreeMap<Taker, usize>| {
            let (most, count) = by_taker.iter().max_by_key(|(_, count)| **count)?;
            let all: usize = by_taker.values().sum();
            let of_them = if *count == all { String::new() } else { format!(" in {count}") };
            Some(format!("{all} by {how}, mostly to {most}{of_them}"))
        };
        said.extend(because("lost time", &self.of_lost_time));
        said.extend(because("decisions that lost time shifted", &self.of_shifted_decisions));
        if !self.unexplained.is_empty() {
            said.push(format!("{} UNEXPLAINED", self.unexplained.len()));
        }
        said.join(", ")
    }

    /// The misses as plain values, for programs.
    pub(crate) fn result(&self) -> MissesResult {
        let unexplained = |(job, tardiness, lost): &(JobId, u64, u64)| UnexplainedMiss {
            job: job.to_string(),
            tardiness_ns: *tardiness,
            lost_ns: *lost,
        };
        MissesResult {
            of_schedule: self.of_schedule,
            of_lost_time: self.of_lost_time.values().sum(),
            lost_mostly_to: by_name(&self.of_lost_time),
            of_shifted_decisions: self.of_shifted_decisions.values().sum(),
            shifted_mostly_by: by_name(&self.of_shifted_decisions),
            unexplained: self.unexplained.iter().map(unexplained).collect(),
            words: self.words(),
        }
    }
}

/// Returns each taker's name with its value.
pub(crate) fn by_name<T: Copy>(of: &BTreeMap<Taker, T>) -> BTreeMap<String, T> {
    of.iter().map(|(taker, much)| (taker.to_string(), *much)).collect()
}

impl fmt::Display for Misses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words() {
            words if words.is_empty() => Ok(()),
            words => write!(f, " ({words})"),
        }
    }
}

/// Explains every miss and the longest responses of `run`; `None` if the kernel was not asked. Reports its progress to
/// `progress`.
pub(crate) fn explain(
    prepared: &Prepared,
    run: &RealRun,
    progress: &mut dyn FnMut(&str),
) -> Result<Option<Misses>, PrepareError> {
    if run.switches.is_none() {
        return Ok(None);
    }
    progress("who took processor time");
    let jobs = Jobs::of(prepared, run)?;
    let taken_time = TakenTime::of(prepared, run, &jobs);
    progress("simulating the jobs without what was lost");
    let simulated = Simulated::of(prepared, run, &jobs)?;
    let mut found = Misses { longest: prepared.tasks.iter().map(|_| None).collect(), ..Misses::default() };
    for (id, job) in jobs.iter() {
        let taken = taken_time.within(group_of(prepared, *id), job.busy_since, job.until);
        if job.missed {
            found.add(&simulated, *id, job.tardiness(), &taken);
        }
        if job.complete {
            let length = job.until.saturating_since(job.arrival).as_ns();
            let (in_schedule, reconstructed) =
                (simulated.drawn.response(*id), simulated.reconstructed.response(*id));
            let this = response(*id, length, &taken, in_schedule, reconstructed);
            let longest = &mut found.longest[id.task.index()];
            *longest = Some(this.or_longer(longest.take()));
        }
    }
    Ok(Some(found))
}

impl Misses {
    /// Adds the miss of `job` by `tardiness`, in ns; `taken` is the time that was taken since its processors were last
    /// idle.
    fn add(&mut self, simulated: &Simulated, job: JobId, tardiness: u64, taken: &Taken) {
        match simulated.cause(job, tardiness, taken) {
            Cause::Schedule => self.of_schedule += 1,
            Cause::LostTime(most) => *self.of_lost_time.entry(most).or_default() += 1,
            Cause::ShiftedDecisions(most) => *self.of_shifted_decisions.entry(most).or_default() += 1,
            Cause::Unexplained => self.unexplained.push((job, tardiness, taken.values().sum())),
        }
    }
}

/// Returns the result for the response of one job, of `length`.
fn response(
    job: JobId,
    length: u64,
    taken: &Taken,
    in_schedule: u64,
    reconstructed: u64,
) -> LongestResponseResult {
    let lost_ns = taken.values().sum();
    LongestResponseResult {
        job: job.to_string(),
        response_ns: length,
        lost_ns,
        lost_to_ns: by_name(taken),
        longest_less_lost_ns: length.saturating_sub(lost_ns),
        longest_in_schedule_ns: in_schedule,
        reconstructed_ns: reconstructed,
    }
}

impl LongestResponseResult {
    /// Returns the longer of this response and the longest so far.
    fn or_longer(self, before: Option<Self>) -> Self {
        let Some(before) = before else { return self };
        let longest_less_lost_ns = before.longest_less_lost_ns.max(self.longest_less_lost_ns);
        let longest_in_schedule_ns = before.longest_in_schedule_ns.max(self.longest_in_schedule_ns);
        let longest = if before.response_ns < self.response_ns { self } else { before };
        LongestResponseResult { longest_less_lost_ns, longest_in_schedule_ns, ..longest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::{self, of, one_task, OTHER, OWN};
    use crate::JobAccount;
    use schedlab_model::{CpuId, Duration, Instant, TaskId, Work};
    use schedlab_scenario::Scenario;
    use schedlab_trace::{Record, Thread};

    /// Without preemption, `first` ends at 1,000 us, then `next` and `urgent` fit. If it ends at 1,005, `long` has
    /// arrived meanwhile (at 1,002) and begins: `urgent`, which arrives at 2,000, waits for 2,005 us and is 1,005 us
    /// late.
    const TASKS: [(u64, u64, u64); 4] =
        [(0, 1_000, 50_000), (0, 1_000, 90_000), (1_002, 3_000, 60_000), (2_000, 1_000, 2_000)];

    fn prepared() -> Prepared {
        let mut text = "schedlab = 1\nscheduler = \"NG-EDF\"\n[platform]\nprocessors = 1\n".to_owned();
        for (index, (offset, cost, deadline)) in TASKS.iter().enumerate() {
            text += &format!(
                "[[task]]\nname = \"t{index}\"\nwcet = \"{cost} us\"\noffset = \"{offset} us\"\n\
                 deadline = \"{deadline} us\"\nperiod = \"100 ms\"\n"
            );
        }
        Prepared::new(&Scenario::parse("anomaly.toml", &text).unwrap()).unwrap()
    }

    /// A run in which `first` takes 5 us longer; the kernel's switches show another thread then, or one of them is
    /// missing.
    fn run(seen: bool) -> RealRun {
        let at = |us: u64| Instant::from_ns(us * 1_000);
        let (cpu, job) = (CpuId(0), |task| JobId::new(TaskId(task), 0));
        let mut decisions: Vec<_> = (0..4)
            .map(|task| {
                let (offset, _, deadline) = TASKS[task as usize];
                let absolute_deadline = at(offset + deadline);
                (at(offset), Record::Arrival { job: job(task), absolute_deadline, cost: Work::ZERO })
            })
            .collect();
        let ran = [(0, 0, 1_005), (2, 1_005, 4_005), (3, 4_005, 5_005), (1, 5_005, 6_005)];
        for (task, from, to) in ran {
            decisions.push((at(from), Record::Dispatch { cpu, job: job(task) }));
            decisions.push((at(to), Record::Complete { job: job(task) }));
        }
        decisions.push((at(5_005), Record::Miss { job: job(3) }));
        decisions.push((at(20_000), Record::End));
        decisions.sort_by_key(|(at, _)| *at);
        let thread = |task| Thread::Task(TaskId(task));
        let mut spans = vec![(thread(0), 0, 500), (thread(0), 505, 1_005)];
        spans.extend(ran[1..].iter().map(|(task, from, to)| (thread(*task), *from, *to)));
        if seen {
            spans.insert(1, (OTHER, 500, 505));
        }
        let switches = spans.into_iter().flat_map(|(thread, from, to)| by_hand::ran(thread, from, to));
        of(4, 1, decisions, switches.collect(), u64::from(!seen))
    }

    /// Five microseconds do not make up for a thousand, but for the decision that they shifted.
    #[test]
    fn a_miss_by_a_shifted_decision_is_a_class_of_its_own() {
        let found = explain(&prepared(), &run(true), &mut |_| {}).unwrap().unwrap();
        let shifted: Vec<usize> = found.of_shifted_decisions.values().copied().collect();
        assert_eq!((found.of_schedule, found.of_lost_time.len(), shifted), (0, 0, vec![1]), "{found}");
        assert!(found.unexplained.is_empty());
        assert_eq!(found.result().of_shifted_decisions, 1);
        let urgent = found.longest[3].clone().unwrap();
        assert_eq!((urgent.response_ns, urgent.lost_ns), (3_005_000, 5_000));
        assert_eq!(urgent.longest_in_schedule_ns, 1_000_000, "`long` comes after it");
        assert_eq!(urgent.reconstructed_ns, 3_005_000);
        let said = found.to_string();
        assert!(said.starts_with(" (1 by decisions that lost time shifted, mostly to "), "{said}");
        let of_job =
            JobAccount::of(&prepared(), &run(true), JobId::new(TaskId(3), 0)).unwrap().unwrap().result();
        let cause = of_job.missed_by.unwrap();
        assert!(cause.starts_with("decisions that lost time shifted, mostly to "), "{cause}");
        assert_eq!(of_job.lost_ns, 5_000);
    }

    /// A delay that the run's records show, and the kernel does not confirm, explains nothing.
    #[test]
    fn a_miss_by_a_delay_that_the_kernel_did_not_see_is_unexplained() {
        let found = explain(&prepared(), &run(false), &mut |_| {}).unwrap().unwrap();
        let urgent = JobId::new(TaskId(3), 0);
        assert_eq!(found.unexplained, [(urgent, 1_005_000, 0)]);
        assert!(found.of_shifted_decisions.is_empty());
    }

    /// A job of 2 ms that has to be complete within one is late by the schedule itself, completed (at 2 ms) or not.
    #[test]
    fn a_miss_without_any_loss_is_the_schedules_own() {
        let text =
            "schedlab = 1\nscheduler = \"P-EDF\"\n[platform]\nprocessors = 1\n[[task]]\nname = \"a\"\n\
                    wcet = \"2 ms\"\ndeadline = \"1 ms\"\nperiod = \"10 ms\"\nwcet_may_exceed_deadline = true\n";
        let prepared = Prepared::new(&Scenario::parse("a.toml", text).unwrap()).unwrap();
        let at = |us: u64| Instant::from_ns(us * 1_000);
        let (job, cpu) = (JobId::new(TaskId(0), 0), CpuId(0));
        for end in [1_500, 5_000] {
            let mut decisions = vec![
                (at(0), Record::Arrival { job, absolute_deadline: at(1_000), cost: Work::ZERO }),
                (at(0), Record::Dispatch { cpu, job }),
                (at(1_000), Record::Miss { job }),
                (at(2_000), Record::Complete { job }),
            ];
            decisions.retain(|(when, _)| *when <= at(end));
            decisions.push((at(end), Record::End));
            let run = one_task(decisions, Vec::new(), 0);
            let found = explain(&prepared, &run, &mut |_| {}).unwrap().unwrap();
            assert_eq!((found.of_schedule, found.unexplained.len()), (1, 0), "{found}");
            let longest = found.longest[0].as_ref().map(|longest| longest.response_ns);
            assert_eq!(longest, (end > 2_000).then_some(2_000_000), "only what is complete has responded");
        }
    }

    /// `a` of 2 ms and the less urgent `b` of 1 ms have to be complete by 8 and 9 ms. The run ends at 12 ms and neither
    /// is: the kernel ran `a` all the time from `from` on, and so much longer than it costs, which made both late,
    /// unless the decision to let it execute came late itself.
    #[test]
    fn what_still_executes_at_the_end_kept_others_waiting_if_it_was_let_execute_in_time() {
        let text = "schedlab = 1\nscheduler = \"P-EDF\"\n[platform]\nprocessors = 1\n\
                    [[task]]\nname = \"a\"\nwcet = \"2 ms\"\ndeadline = \"8 ms\"\nperiod = \"100 ms\"\n\
                    [[task]]\nname = \"b\"\nwcet = \"1 ms\"\ndeadline = \"9 ms\"\nperiod = \"100 ms\"\n";
        let prepared = Prepared::new(&Scenario::parse("a.toml", text).unwrap()).unwrap();
        let at = |ms: u64| Instant::from_ns(ms * 1_000_000);
        let job = |task| JobId::new(TaskId(task), 0);
        let missed = |from: u64| {
            let arrival = |task, absolute_deadline| Record::Arrival {
                job: job(task),
                absolute_deadline,
                cost: Work::ZERO,
            };
            let decisions = vec![
                (at(0), arrival(0, at(8))),
                (at(0), arrival(1, at(9))),
                (at(from), Record::Dispatch { cpu: CpuId(0), job: job(0) }),
                (at(12), Record::Miss { job: job(0) }),
                (at(12), Record::Miss { job: job(1) }),
                (at(12), Record::End),
            ];
            let mut run = of(2, 1, decisions, by_hand::ran(OWN, from * 1_000, 12_000).to_vec(), 0);
            run.afterwards[0] = Duration::from_ms(1);
            let found = explain(&prepared, &run, &mut |_| {}).unwrap().unwrap();
            assert_eq!((found.of_schedule, found.of_shifted_decisions.len()), (0, 0), "{found}");
            (found.of_lost_time.get(&Taker::Slowness).copied().unwrap_or(0), found.unexplained.len())
        };
        assert_eq!(missed(0), (2, 0));
        assert_eq!(missed(9), (0, 2), "`a` needs 4 ms, and both would have been complete at 5");
    }

    /// `a` is put behind `b` when it has executed for its 2 ms, and executes for 100 us more at 5 ms: too late. That
    /// follows from its slowness if the scenario has such jobs wait, else from nothing.
    #[test]
    fn a_job_that_exceeds_its_wcet_waits_if_the_scenario_says_so() {
        let (at, job) = (|us: u64| Instant::from_ns(us * 1_000), |task| JobId::new(TaskId(task), 0));
        let cpu = CpuId(0);
        let arrival = |task, deadline| Record::Arrival {
            job: job(task),
            absolute_deadline: at(deadline),
            cost: Work::ZERO,
        };
        let decisions = vec![
            (at(0), arrival(0, 4_000)),
            (at(0), arrival(1, 10_000)),
            (at(0), Record::Dispatch { cpu, job: job(0) }),
            (at(2_000), Record::Preempt { cpu, job: job(0) }),
            (at(2_000), Record::Dispatch { cpu, job: job(1) }),
            (at(5_000), Record::Complete { job: job(1) }),
            (at(5_000), Record::Dispatch { cpu, job: job(0) }),
            (at(5_100), Record::Miss { job: job(0) }),
            (at(5_100), Record::Complete { job: job(0) }),
            (at(20_000), Record::End),
        ];
        let (ran, other) = (by_hand::ran, Thread::Task(TaskId(1)));
        let switches = [ran(OWN, 0, 2_000), ran(other, 2_000, 5_000), ran(OWN, 5_000, 5_100)];
        let run = of(2, 1, decisions, switches.concat(), 0);
        let unexplained = |overruns: &str| {
            let text = format!(
                "schedlab = 1\nscheduler = \"P-EDF\"\noverruns = \"{overruns}\"\n[platform]\nprocessors = 1\n\
                 [[task]]\nname = \"a\"\nwcet = \"2 ms\"\ndeadline = \"4 ms\"\nperiod = \"100 ms\"\n\
                 [[task]]\nname = \"b\"\nwcet = \"3 ms\"\ndeadline = \"10 ms\"\nperiod = \"100 ms\"\n"
            );
            let prepared = Prepared::new(&Scenario::parse("a.toml", &text).unwrap()).unwrap();
            explain(&prepared, &run, &mut |_| {}).unwrap().unwrap().unexplained.len()
        };
        assert_eq!((unexplained("best-effort"), unexplained("ignore")), (0, 1));
    }

    /// The longest response, and the longest less its own loss, may be those of different jobs.
    #[test]
    fn the_longest_responses_are_kept() {
        let mut longest = None;
        for (number, length, lost) in [(0, 50, 0), (1, 90, 60), (2, 70, 10), (3, 90, 80)] {
            let taken = Taken::from([(Taker::Way, lost)]);
            let job = JobId::new(TaskId(0), number);
            longest = Some(response(job, length, &taken, length - lost, length - 1).or_longer(longest));
        }
        let longest = longest.unwrap();
        assert_eq!((longest.longest_in_schedule_ns, longest.reconstructed_ns), (60, 89));
        assert_eq!((longest.job.as_str(), longest.response_ns, longest.lost_ns), ("T0J1", 90, 60));
        assert_eq!((longest.lost_to_ns.len(), longest.longest_less_lost_ns), (1, 60));
    }
}

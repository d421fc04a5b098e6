//! Account of a thread that was observed: its settings, how certain each number is, and the reasons to refuse it as a
//! task.

use crate::seen::{Seen, Thread};
use crate::threads::{Activity, Jobs, Pattern, ENOUGH};
use schedlab_model::Duration;

/// Warning that a reader must know.
pub(crate) const WARNING: &str = "OBSERVED, NOT PROVED: each wcet is the largest cost that was seen, and no bound on what the next job costs. \
                           Wake-ups are seen late by the thread's scheduling latency. Deadlines are taken to be implicit, and all tasks \
                           to be released together.";

/// Note on events that no context switch shows, with advice.
pub(crate) const UNSEEN: &str = "NOT SEEN: a mutex that is free when a thread takes it makes no context switch, so no critical section is in \
                          this scenario. Write each one down by hand. Its task gets program = [\"execute 1 ms\", \"request R\", \"execute 100 us\", \
                          \"release R\"]; wcet is the sum. A [[resource]] gets name = \"R\".";

/// Note on what is unknown where Linux shares the processors.
pub(crate) const FAIR: &str = "UNKNOWN ORDER: no thread has a real-time priority. Linux shares processors among such threads and all other \
                        programs, as no scheduler here does; EDF stands in its place. On a busy machine they wait behind other programs, \
                        and periods and least distances that are estimated are the machine's as much as their own. Start the program \
                        with `chrt --fifo 50`, or on an idle machine, to see its own.";

/// Note on what is unknown where only some threads have real-time priorities.
pub(crate) const MIXED: &str = "Threads without a real-time priority have priority 0 here, below all others. Linux shares among them what the \
                         others leave.";

/// Reason why a thread is no task: it was hardly woken, which is normal, or the observations contradict each other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Rare(String),
    Nonsense(String),
}

/// Returns the reason to refuse these jobs as a task, if there is one.
pub(crate) fn refusal(
    seen: &Seen,
    thread: &Thread,
    activity: &Activity,
    jobs: Option<&Jobs>,
) -> Option<Refusal> {
    let wakes = activity.wakes.len();
    if let Some(idle) = activity.idle_since(seen.end).filter(|_| wakes > 1) {
        let idle = about(idle);
        return Some(Refusal::Rare(format!("{wakes} wake-ups, none in the last {idle}")));
    }
    let Some(jobs) = jobs else {
        let s = if wakes == 1 { "" } else { "s" };
        let why = format!("{wakes} wake-up{s}, of {ENOUGH} that a task needs: observe it for longer");
        return Some(Refusal::Rare(why));
    };
    let (most, period) = (jobs.most(), jobs.period());
    let is_estimated = !matches!(jobs.pattern, Pattern::Stated(_));
    let waited = delay(thread, jobs).filter(|waited| is_estimated && *waited > period);
    if jobs.costs.len() + 1 < ENOUGH {
        let why =
            format!("{} jobs, of {} that a task needs: observe it for longer", jobs.costs.len(), ENOUGH - 1);
        Some(Refusal::Rare(why))
    } else if most == 0 {
        Some(Refusal::Rare("no job of it took any time".to_owned()))
    } else if let Some(waited) = waited {
        Some(Refusal::Nonsense(format!(
            "each job waited {} for a processor on average, longer than the estimated period of {}. Its wake-ups show when other \
             programs let it run, not when it was released",
            about(waited),
            about(period)
        )))
    } else if jobs.costs.len() * 4 > wakes * 5 {
        Some(Refusal::Nonsense(format!(
            "{} periods of {} had {wakes} wake-ups: its jobs take longer than that, or are more than one, so their costs are not known",
            jobs.costs.len(),
            about(period)
        )))
    } else if most > period {
        let means = match jobs.pattern {
            Pattern::Sporadic(_) => {
                "its wake-ups come in bursts, or late behind other programs, and are no releases of jobs"
            }
            Pattern::Stated(_) | Pattern::Periodic(..) => "it is overloaded, or several wake-ups are one job",
        };
        let (cost, period) = (about(most), about(period));
        Some(Refusal::Nonsense(format!("its largest cost, {cost}, is above its period, {period}: {means}")))
    } else {
        None
    }
}

/// Returns how long a job waited for a processor on average, in ns.
fn delay(thread: &Thread, jobs: &Jobs) -> Option<u64> {
    let (first, last) = thread.delay?;
    Some((last - first) / (jobs.costs.len() as u64).max(1))
}

/// Describes what is known of a task, in sentences that end.
pub(crate) fn describe(name: &str, thread: &Thread, jobs: &Jobs) -> String {
    let waits = thread.waits.describe();
    let (settings, period, cost) = (settings(thread), period(jobs), cost(jobs));
    let delay = match delay(thread, jobs) {
        Some(waited) => format!("It waited {} for a processor per job.", about(waited)),
        None => "How long it waited for processors is not known.".to_owned(),
    };
    format!("{name}: {settings}; {waits}. {period} {cost} {delay}")
}

/// Describes the thread's priority, and the processors to which it is bound.
pub(crate) fn settings(thread: &Thread) -> String {
    let bound: Vec<String> = thread.processors.iter().map(usize::to_string).collect();
    let may_use = match bound.as_slice() {
        [] => "processors unknown".to_owned(),
        [one] => format!("processor {one}"),
        several => format!("processors {}", several.join(", ")),
    };
    match thread.priority {
        0 => format!("no real-time priority, {may_use}"),
        u8::MAX => format!("SCHED_DEADLINE, {may_use}"),
        priority => format!("real-time priority {priority}, {may_use}"),
    }
}

fn period(jobs: &Jobs) -> String {
    let period = Duration::from_ns(jobs.period());
    let at = |percent: usize| about(jobs.distances[(jobs.distances.len() - 1) * percent / 100]);
    match jobs.pattern {
        Pattern::Stated(_) => format!("Period {period}: stated by the program, so exact."),
        Pattern::Periodic(_, share) if !jobs.distances.is_empty() => format!(
            "Period {period}: estimated; {share}% of its wake-ups have another one a period later, and nine of ten distances are \
             within {} and {}.",
            at(5),
            at(95)
        ),
        Pattern::Periodic(..) => format!("Period {period}: estimated."),
        Pattern::Sporadic(_) => format!(
            "No period: the least distance, {period}, is one that 95% of {} wake-ups keep, and no promise.",
            jobs.distances.len()
        ),
    }
}

fn cost(jobs: &Jobs) -> String {
    let at = |percent: usize| about(jobs.costs[(jobs.costs.len() - 1) * percent / 100]);
    let count = jobs.costs.len();
    format!(
        "Of {count} jobs, observed cost median {}, 95% {}, 99% {}, largest {}: if jobs are alike, 1 in {} costs more.",
        at(50),
        at(95),
        at(99),
        at(100),
        count + 1
    )
}

/// Rounds a length of time to four digits, because the rest is chance.
pub(crate) fn about(ns: u64) -> Duration {
    let digits = ns.checked_ilog10().unwrap_or(0).saturating_sub(3);
    let unit = 10_u64.pow(digits);
    Duration::from_ns((ns + unit / 2) / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn jobs(pattern: Pattern, cost: u64, count: usize) -> Jobs {
        Jobs { pattern, costs: vec![cost; count], distances: vec![10 * MS; count] }
    }

    /// A hundred wake-ups until now.
    fn refused(found: &Jobs, delay: u64) -> Option<Refusal> {
        let activity = Activity { wakes: (0..100).map(|at| at * 10 * MS).collect(), ran: Vec::new() };
        let seen = Seen { end: 1_000 * MS, ..Seen::default() };
        let thread = Thread { delay: Some((5, 5 + delay)), ..Thread::default() };
        refusal(&seen, &thread, &activity, Some(found))
    }

    fn is_nonsense(refusal: Option<Refusal>, why: &str) -> bool {
        matches!(&refusal, Some(Refusal::Nonsense(said)) if said.contains(why))
    }

    /// What a program without priority on a busy machine once became: 139 ms every 346 us.
    #[test]
    fn a_cost_above_the_period_is_refused() {
        let lidar = jobs(Pattern::Sporadic(346_000), 139_216_000, 99);
        assert!(is_nonsense(refused(&lidar, 0), "139.2 ms, is above its period, 346 us"));
        assert_eq!(refused(&jobs(Pattern::Sporadic(2 * MS), 2 * MS, 99), 0), None, "it may be equal");
    }

    /// Waiting refutes no period that the program itself states.
    #[test]
    fn an_estimate_is_refused_if_jobs_wait_for_longer() {
        let wait = 99 * 11 * MS;
        assert!(is_nonsense(refused(&jobs(Pattern::Periodic(10 * MS, 90), MS, 99), wait), "waited 11 ms"));
        assert_eq!(refused(&jobs(Pattern::Stated(10 * MS), MS, 99), wait), None);
        assert_eq!(refused(&jobs(Pattern::Periodic(10 * MS, 90), MS, 99), wait / 2), None);
    }

    /// A long job is no row of jobs that take a whole period each.
    #[test]
    fn periods_without_wake_ups_are_refused() {
        let why = "126 periods of 10 ms had 100 wake-ups";
        assert!(is_nonsense(refused(&jobs(Pattern::Periodic(10 * MS, 90), MS, 126), 0), why));
        assert!(is_nonsense(refused(&jobs(Pattern::Stated(10 * MS), MS, 126), 0), why));
        assert_eq!(refused(&jobs(Pattern::Stated(10 * MS), MS, 125), 0), None);
    }

    #[test]
    fn few_repetitions_are_refused() {
        let is_rare = |refusal| matches!(refusal, Some(Refusal::Rare(_)));
        assert!(is_rare(refused(&jobs(Pattern::Stated(10 * MS), MS, 8), 0)));
        assert_eq!(refused(&jobs(Pattern::Stated(10 * MS), MS, 9), 0), None);
        assert!(is_rare(refused(&jobs(Pattern::Stated(10 * MS), 0, 99), 0)), "it costs nothing");
    }

    #[test]
    fn lengths_have_four_digits() {
        assert_eq!(about(139_216_123), Duration::from_ns(139_200_000));
        assert_eq!((about(0), about(9_999)), (Duration::ZERO, Duration::from_ns(9_999)));
    }
}

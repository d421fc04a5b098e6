//! Scheduling classes of Linux whose order is one that tests know.
//!
//! On one processor, `SCHED_FIFO` with different priorities is fixed-priority scheduling. A thread of `SCHED_DEADLINE`
//! has a server with a constant bandwidth (Abeni and Buttazzo 1998). If jobs arrive a period or more apart, need at
//! most their budget, and never sleep, the server's deadlines are those of jobs, so the class is EDF.
//!
//! Threads of `SCHED_DEADLINE` go before those of `SCHED_FIFO` beside them. If their jobs keep to their reservations,
//! no server stops them, and all are more urgent than any thread of `SCHED_FIFO`, in some order.
//!
//! Threads of equal priority run in the order in which they came, so that either of two equal priorities may go first.
//!
//! Mutexes of `SCHED_FIFO` have bounds of their own. In other cases no test is known: on several processors Linux
//! pushes and pulls threads one by one, and mutexes of `SCHED_DEADLINE` add rules of their own.

use schedlab_model::{Duration, LockingClass, OrderClass, Platform, Step, Suspension, Task, ThreadClass};
use schedlab_policy::{KernelClass, Scheduler};

/// Returns the class of the scheduler's order; under a class of Linux, the order that the kernel follows with these
/// tasks.
pub(super) fn order_class(
    scheduler: &Scheduler,
    platform: &Platform,
    tasks: &[Task],
    locking: LockingClass,
    overheads: bool,
) -> OrderClass {
    let shares = tasks.iter().any(Task::has_requests);
    let is_alone = is_partitioned(platform, tasks) && (!shares || locking == LockingClass::Posix);
    match scheduler.kernel_class() {
        None => scheduler.class(),
        Some(KernelClass::Fifo) if is_alone && tasks.iter().any(is_reserved) => {
            // Linux binds no thread with a reservation to one of several processors. And overheads use reservations up,
            // so that a thread stops until its next period.
            match is_known(tasks) && platform.processors() == 1 && !overheads {
                true => OrderClass::FixedOpenTies(reserved_first),
                false => OrderClass::Unanalysed,
            }
        }
        Some(KernelClass::Fifo) if is_alone && !tasks.iter().any(is_ordinary) => {
            match has_different_priorities(tasks) {
                true => OrderClass::Fixed(|task| task.fixed_priority.into()),
                false => OrderClass::FixedOpenTies(|task| task.fixed_priority.into()),
            }
        }
        Some(KernelClass::Deadline) if is_alone && !overheads && tasks.iter().all(keeps_its_deadlines) => {
            OrderClass::Deadline
        }
        Some(KernelClass::Fifo | KernelClass::Deadline) => OrderClass::Unanalysed,
    }
}

/// True if the task's thread is of `SCHED_DEADLINE`, beside others of `SCHED_FIFO`.
fn is_reserved(task: &Task) -> bool {
    task.class == ThreadClass::Deadline
}

/// True if the task's thread is an ordinary one, beside others of `SCHED_FIFO`.
fn is_ordinary(task: &Task) -> bool {
    task.class == ThreadClass::Ordinary
}

/// True if tests know the order of these tasks, some of which have reservations. A reservation never stops a job that
/// arrives a period or more after the one before, waits for nothing, and is complete by then. Ordinary threads may have
/// time before others, by the fair server.
fn is_known(tasks: &[Task]) -> bool {
    let is_kept = |task: &Task| {
        let executes = task.program.iter().all(|step| matches!(step, Step::Execute(_)));
        executes
            && task.relative_deadline <= task.period
            && task.jitter == Duration::ZERO
            && task.suspension == Suspension::None
    };
    !tasks.iter().any(is_ordinary) && tasks.iter().filter(|task| is_reserved(task)).all(is_kept)
}

/// Orders threads with reservations before all others. Which of them goes first is left open, so that each has the
/// others before it.
fn reserved_first(task: &Task) -> u64 {
    if is_reserved(task) {
        0
    } else {
        1 + u64::from(task.fixed_priority)
    }
}

/// True if each task has a cluster of one processor, so that no processor affects another one's tasks but by mutexes.
fn is_partitioned(platform: &Platform, tasks: &[Task]) -> bool {
    tasks.iter().all(|task| platform.clusters[task.cluster.index()].cpus.len() == 1)
}

/// True if no two tasks of a processor have the same priority.
fn has_different_priorities(tasks: &[Task]) -> bool {
    let mut found: Vec<_> = tasks.iter().map(|task| (task.cluster.index(), task.fixed_priority)).collect();
    found.sort_unstable();
    found.windows(2).all(|pair| pair[0] != pair[1])
}

/// True if the deadlines of the server of such a task are those of its jobs.
fn keeps_its_deadlines(task: &Task) -> bool {
    let executes = task.program.iter().all(|step| matches!(step, Step::Execute(_)));
    let is_implicit = task.relative_deadline == task.period && task.jitter == Duration::ZERO;
    executes && is_implicit && task.suspension == Suspension::None
}

#[cfg(test)]
mod tests {
    use crate::prepare::prepared::Prepared;
    use crate::verdict::analysis::analyze;
    use crate::verdict::findings::Assumption;
    use schedlab_analysis::Answer;
    use schedlab_scenario::Scenario;

    use super::*;

    /// Prepares three tasks, with `of_last` in the last one.
    fn prepare(scheduler: &str, processors: u16, periods: [u64; 3], of_last: &str) -> Prepared {
        let [a, b, c] = periods;
        let text = format!(
            "schedlab = 1\nscheduler = \"{scheduler}\"\n[platform]\nprocessors = {processors}\n\
             [[task]]\nname = \"a\"\nwcet = \"5 ms\"\nperiod = \"{a} ms\"\n\
             [[task]]\nname = \"b\"\nwcet = \"5 ms\"\nperiod = \"{b} ms\"\n\
             [[task]]\nname = \"c\"\nwcet = \"4 ms\"\nperiod = \"{c} ms\"\n{of_last}"
        );
        Prepared::new(&Scenario::parse("a.toml", &text).unwrap()).unwrap()
    }

    fn answer(prepared: &Prepared) -> Answer {
        analyze(prepared).unwrap().analysis.map_or(Answer::Unknown, |analysis| analysis.hard)
    }

    /// 5 of 10, 5 of 20 and 4 of 40 ms on one processor: by periods, c is complete after 5 + 5 + 4 + 5 ms.
    #[test]
    fn threads_at_different_priorities_of_a_processor_are_fixed_priorities() {
        for scheduler in ["SCHED_FIFO", "P-SCHED_FIFO"] {
            let found = prepare(scheduler, 1, [10, 20, 40], "");
            assert!(matches!(found.order_class(), OrderClass::Fixed(_)), "{scheduler}");
            assert_eq!(answer(&found), Answer::Schedulable, "{scheduler}");
            // 5 of 8, 5 of 14: the second job of a, from 8 on, has b wait until 15.
            let late = prepare(scheduler, 1, [8, 14, 400], "");
            assert_ne!(answer(&late), Answer::Schedulable, "{scheduler}");
            // 5 of 10, 5 of 20 and 4 of 20 ms, either of the last two first: 5 + 5 + 4 + 5 ms.
            let equal = prepare(scheduler, 1, [10, 20, 20], "");
            assert!(
                matches!(equal.order_class(), OrderClass::FixedOpenTies(_)),
                "who comes first goes first"
            );
            assert_eq!(answer(&equal), Answer::Schedulable);
            let first = prepare(scheduler, 1, [8, 8, 400], "");
            assert_eq!(answer(&first), Answer::Unschedulable, "10 of 8 ms: the second of the two is late");
        }
        let bound = prepare("P-SCHED_FIFO", 2, [10, 20, 40], "");
        assert!(matches!(bound.order_class(), OrderClass::Fixed(_)), "each processor is on its own");
        let pushed = prepare("SCHED_FIFO", 2, [10, 20, 40], "");
        assert!(matches!(pushed.order_class(), OrderClass::Unanalysed), "threads move from one to the other");
    }

    /// A job of 1 ms always fits, but the job of 70 ms behind it is stopped after 50 ms.
    #[test]
    fn no_test_knows_when_a_throttled_processor_stops() {
        let of = |throttling: &str| {
            let text = format!(
                "schedlab = 1\nhorizon = \"1 s\"\n\
                 scheduler = {{ name = \"SCHED_FIFO\"{throttling} }}\n\
                 task = [{{ name = \"a\", wcet = \"1 ms\", period = \"50 ms\" }}, \
                 {{ name = \"b\", wcet = \"70 ms\", period = \"100 ms\" }}]\n"
            );
            Prepared::new(&Scenario::parse("a.toml", &text).unwrap()).unwrap()
        };
        assert_eq!(answer(&of("")), Answer::Schedulable);
        let whole = of(", throttling = { runtime = \"100 ms\", period = \"100 ms\" }");
        assert_eq!(answer(&whole), Answer::Schedulable, "it never stops");
        let half = of(", throttling = { runtime = \"50 ms\", period = \"100 ms\" }");
        assert_eq!(answer(&half), Answer::Unknown);
        let found = analyze(&half).unwrap();
        assert!(found.own_run.is_some(), "the scenario's own run shows a late job");
        let said = crate::verdict::findings::no_test(&half).unwrap();
        assert_eq!(said, crate::reason::Reason::Throttled { scheduler: "SCHED_FIFO".into() });
        let promised = of(", throttling = {}").context().promises;
        assert!(promised.is_empty(), "{promised:?}");
    }

    #[test]
    fn servers_whose_deadlines_are_those_of_jobs_are_edf() {
        // 5/8 + 5/14 + 1/100 is at most 1: enough for EDF, not for fixed priorities.
        let found = prepare("SCHED_DEADLINE", 1, [8, 14, 400], "");
        assert!(matches!(found.order_class(), OrderClass::Deadline));
        assert_eq!(answer(&found), Answer::Schedulable);
        for sleeps in ["deadline = \"30 ms\"\n", "jitter = \"1 ms\"\n", "suspension = \"1 ms\"\n"] {
            let other = prepare("SCHED_DEADLINE", 1, [10, 20, 400], sleeps);
            assert!(matches!(other.order_class(), OrderClass::Unanalysed), "{sleeps}");
        }
        let global = prepare("SCHED_DEADLINE", 2, [10, 20, 40], "");
        assert!(matches!(global.order_class(), OrderClass::Unanalysed));
    }

    #[test]
    fn what_linux_does_besides_is_an_assumption() {
        let scenario = |scheduler| prepare(scheduler, 1, [10, 20, 40], "");
        for (scheduler, stated) in [("SCHED_FIFO", true), ("P-RM", false)] {
            let prepared = scenario(scheduler);
            let found = analyze(&prepared).unwrap();
            let findings = crate::verdict::findings::findings(&prepared, &found);
            let proofs = findings.iter().filter(|one| one.answer == Answer::Schedulable);
            let stating: Vec<bool> =
                proofs.map(|one| one.assumptions.contains(&Assumption::LinuxDecidesAtOnce)).collect();
            assert!(!stating.is_empty() && stating.iter().all(|states| *states == stated), "{scheduler}");
        }
    }
}

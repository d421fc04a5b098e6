//! Makes a scenario, with remarks on its origin, of the observed threads of a program.

use crate::account::{describe, refusal, settings, Refusal, FAIR, MIXED, UNSEEN, WARNING};
use crate::seen::{Seen, Thread};
use crate::threads::{jobs, Activity, Jobs, Pattern};
use schedlab_account::share;
use schedlab_model::{Duration, Work};
use schedlab_scenario::{Arrival, PlatformSpec, Scenario, SchedulerSpec, TaskSpec, Wcets, OBSERVE};
use schedlab_tracepoints::{order_of, SeenClass, SeenOrder, CLASSES, DEADLINE};
use std::collections::BTreeSet;
use std::iter;

/// Returns the scenario, or the reason why no thread can be a task.
pub(crate) fn of(seen: &Seen, what: &str) -> Result<Scenario, String> {
    let (mut tasks, mut found, mut described) = (Vec::new(), Vec::new(), Vec::new());
    let (mut refused, mut left_out) = (Vec::new(), Vec::new());
    let mut names = BTreeSet::new();
    for (id, thread) in &seen.threads {
        let activity = Activity::of(seen.switches.iter().filter(|switch| switch.thread == *id));
        let jobs = jobs(&activity, thread.waits.stated(activity.distance()));
        match (refusal(seen, thread, &activity, jobs.as_ref()), jobs) {
            (None, Some(jobs)) => {
                let name = unique(&mut names, &thread.name);
                described.push(describe(&name, thread, &jobs));
                tasks.push(task(name, thread, &jobs, &seen.processors));
                found.push(thread);
            }
            (Some(Refusal::Nonsense(why)), _) => {
                let (settings, waits) = (settings(thread), thread.waits.describe());
                refused.push(format!("REFUSED: {}: {why}. ({settings}; {waits}.)", thread.name));
            }
            (Some(Refusal::Rare(why)), _) => left_out.push(format!("{} ({why})", thread.name)),
            (None, None) => unreachable!("too few wake-ups are a refusal"),
        }
    }
    let left_out = (!left_out.is_empty()).then(|| format!("Left out: {}.", left_out.join(", ")));
    if tasks.is_empty() {
        let why: Vec<String> = refused.into_iter().chain(left_out).collect();
        return Err(format!("{what}: no thread can be a task, so there is no scenario\n{}", why.join("\n")));
    }
    if !refused.is_empty() {
        refused.push(
            "INCOMPLETE: the scenario lacks the load of what is refused; write those tasks by hand."
                .to_owned(),
        );
    }
    let order = order(&found, &mut tasks);
    let mut notes = vec![WARNING.to_owned()];
    notes.extend(refused.into_iter().chain(described).chain(left_out).chain(order.notes));
    notes.push(UNSEEN.to_owned());
    if seen.lost > 0 {
        notes.push(format!("The kernel lost {} records: costs may be too small.", seen.lost));
    }
    notes.push(stolen(seen));
    let length = Duration::from_ns(seen.end - seen.begin);
    let mut scenario = Scenario::new(tasks);
    scenario.title = format!("Observed: {what}");
    scenario.source = format!("{OBSERVE} for {length}: the kernel's context switches of {what}");
    scenario.wcets = Wcets::Observed;
    scenario.notes = notes.join("\n");
    let processors = u16::try_from(seen.processors.len()).unwrap_or(u16::MAX);
    scenario.platform = PlatformSpec { processors, ..PlatformSpec::default() };
    scenario.scheduler = order.scheduler;
    Ok(scenario)
}

/// The scheduler that stands for Linux's, with the differences.
struct Order {
    scheduler: SchedulerSpec,
    notes: Vec<String>,
}

/// Priority by which the kernel tells of a thread of `SCHED_DEADLINE`.
const OF_DEADLINE: u8 = u8::MAX;

/// Returns the scheduler that stands for Linux's; partitioned if each thread is bound to one processor.
fn order(threads: &[&Thread], tasks: &mut [TaskSpec]) -> Order {
    let class = |thread: &&Thread| match thread.priority {
        0 => SeenClass::Ordinary,
        OF_DEADLINE => SeenClass::Deadline,
        priority => SeenClass::RealTime(priority),
    };
    let classes: Vec<SeenClass> = threads.iter().map(class).collect();
    let (scheduler, kind) = order_of(&classes, tasks);
    let note = match kind {
        SeenOrder::Fixed => None,
        SeenOrder::FixedAndOrdinary => Some(MIXED),
        SeenOrder::Classes => Some(CLASSES),
        SeenOrder::Deadline => Some(DEADLINE),
        SeenOrder::Ordinary => Some(FAIR),
    };
    let mut notes: Vec<String> = note.map(str::to_owned).into_iter().collect();
    let is_bound = |task: &&TaskSpec| task.processor.is_some() || !task.affinity.is_empty();
    let partitioned = tasks.iter().all(|task| task.processor.is_some());
    if !partitioned && tasks.iter().any(|task| is_bound(&task)) {
        let bound: Vec<&str> = tasks.iter().filter(is_bound).map(|task| task.name.as_str()).collect();
        notes.push(format!(
            "Bound to processors: {}. The scenario keeps that, but global schedulers do not heed it: P- schedulers do, which also \
             bind the others.",
            bound.join(", ")
        ));
    }
    Order { scheduler, notes }
}

/// Describes how much of the costs may be time of the host.
fn stolen(seen: &Seen) -> String {
    let all = Duration::from_ns((seen.end - seen.begin).saturating_mul(seen.processors.len() as u64));
    match seen.stolen {
        Some(0) => "The host stole no processor time meanwhile, as far as the kernel says.".to_owned(),
        Some(ns) => {
            let ns = Duration::from_ns(ns);
            format!(
                "The host stole {ns} of processor time meanwhile, {:.2}% of all. The kernel does not say from which thread, so costs \
                 contain what was stolen from it.",
                100.0 * share(ns, all)
            )
        }
        None => "Whether a host stole processor time is not known; costs contain what it took.".to_owned(),
    }
}

/// Returns a name that is not taken: threads may have equal names, tasks may not.
fn unique(names: &mut BTreeSet<String>, name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    // Another thread may be called what this one would be.
    let numbered = (2..).map(|number| format!("{clean}-{number}"));
    let mut free = iter::once(clean.clone()).chain(numbered).filter(|name| !names.contains(name));
    let name = free.next().expect("numbers do not end");
    names.insert(name.clone());
    name
}

fn task(name: String, thread: &Thread, jobs: &Jobs, observed: &[usize]) -> TaskSpec {
    let arrival = match jobs.pattern {
        Pattern::Stated(_) | Pattern::Periodic(..) => Arrival::Periodic,
        Pattern::Sporadic(_) => Arrival::Sporadic { delay: Duration::ZERO, like: None },
    };
    // The scenario numbers the processors that were observed; a thread that may use all of them is not bound.
    let here = |processor: &usize| observed.iter().position(|other| other == processor);
    let bound: Vec<u16> =
        thread.processors.iter().filter_map(here).filter_map(|at| u16::try_from(at).ok()).collect();
    let (processor, affinity) = match bound.as_slice() {
        all if all.len() == observed.len() => (None, Vec::new()),
        [one] => (Some(*one), Vec::new()),
        some => (None, some.to_vec()),
    };
    let spec = TaskSpec::new(name, Work::from_ns(jobs.most()), Duration::from_ns(jobs.period()));
    TaskSpec { arrival, processor, affinity, ..spec }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::ThreadClass;
    use schedlab_runtime::Switched;
    use schedlab_scenario::UrgentPriority;

    const MS: u64 = 1_000_000;

    /// Threads of these priorities and processors: 1 ms every 10 ms, for a second, on processors 2, 3 and 6.
    fn scenario(threads: &[(u8, &[usize])]) -> Scenario {
        let mut seen = Seen { end: 1_000 * MS, processors: vec![2, 3, 6], ..Seen::default() };
        for ((priority, processors), thread) in threads.iter().zip(1..) {
            let name = format!("t{thread}");
            let one =
                Thread { name, priority: *priority, processors: processors.to_vec(), ..Thread::default() };
            seen.threads.insert(thread, one);
            for at in (1..100).map(|job| job * 10 * MS) {
                let switch = |at, to| Switched { at, thread, process: 1, processor: 2, to, preempted: false };
                seen.switches.extend([switch(at, true), switch(at + MS, false)]);
            }
        }
        let scenario = of(&seen, "robot").unwrap();
        Scenario::parse("seen.toml", &scenario.to_toml()).expect("it is read again")
    }

    #[test]
    fn names_of_tasks_are_unique_whatever_threads_are_called() {
        let mut names = BTreeSet::new();
        let given = ["w", "w", "w-2", "w", "w-2"];
        assert_eq!(given.map(|name| unique(&mut names, name)), ["w", "w-2", "w-2-2", "w-3", "w-2-3"]);
    }

    #[test]
    fn priorities_and_processors_are_kept() {
        let bound = scenario(&[(80, &[2]), (70, &[6])]);
        let kept: Vec<_> = bound.tasks.iter().map(|task| (task.priority, task.processor)).collect();
        assert_eq!(kept, [(Some(80), Some(0)), (Some(70), Some(2))]);
        assert_eq!(
            (bound.scheduler.name.as_str(), bound.scheduler.urgent_priority),
            ("P-FP", UrgentPriority::Largest)
        );
        let free = scenario(&[(80, &[2, 3, 6]), (0, &[3, 6]), (0, &[3])]);
        assert_eq!(free.scheduler.name, "SCHED_FIFO");
        assert!(free.tasks[1..].iter().all(|task| task.class == ThreadClass::Ordinary), "they share fairly");
        let kept: Vec<_> =
            free.tasks.iter().map(|task| (task.priority, task.processor, &*task.affinity)).collect();
        assert_eq!(kept, [(Some(80), None, &[][..]), (Some(0), None, &[1, 2]), (Some(0), Some(1), &[])]);
        assert!(
            free.notes.contains(MIXED) && free.notes.contains("Bound to processors: t2, t3."),
            "{}",
            free.notes
        );
    }

    /// A thread of `SCHED_DEADLINE` beside one of a real-time priority.
    #[test]
    fn deadline_threads_state_their_class() {
        let mixed = scenario(&[(OF_DEADLINE, &[2, 3, 6]), (80, &[2, 3, 6])]);
        let classes: Vec<_> = mixed.tasks.iter().map(|task| task.class).collect();
        assert_eq!(classes, [ThreadClass::Deadline, ThreadClass::Fifo]);
        assert!(mixed.scheduler.name == "SCHED_FIFO" && mixed.notes.contains(CLASSES), "{}", mixed.notes);
        let alone = scenario(&[(OF_DEADLINE, &[2, 3, 6])]);
        assert!(alone.scheduler.name == "G-EDF" && alone.notes.contains(DEADLINE), "{}", alone.notes);
    }

    #[test]
    fn what_cannot_be_known_is_said() {
        let fair = scenario(&[(0, &[2, 3, 6])]);
        assert_eq!((fair.scheduler.name.as_str(), fair.tasks[0].priority), ("G-EDF", None));
        assert!([WARNING, FAIR, UNSEEN].iter().all(|line| fair.notes.contains(line)), "{}", fair.notes);
        assert!(
            fair.notes.contains("99% 1 ms, largest 1 ms: if jobs are alike, 1 in 98 costs more"),
            "{}",
            fair.notes
        );
    }
}

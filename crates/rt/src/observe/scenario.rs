//! What was seen of a program's threads, as a scenario that says so.

use super::threads::{jobs, Activity, Jobs, Pattern};
use super::{Seen, Thread};
use schedlab_account::share;
use schedlab_model::{Duration, Work};
use schedlab_scenario::{Arrival, PlatformSpec, Scenario, SchedulerSpec, TaskSpec, UrgentPriority};
use std::collections::BTreeMap;

/// What a reader must know.
const WARNING: &str = "OBSERVED, NOT PROVED: each wcet is the largest cost that was seen, and no bound on what the next job costs. \
                       Periods are estimated from wake-ups, which are seen late by the thread's scheduling latency; deadlines are \
                       taken to be implicit, all tasks to be released together, and what threads wait for is not known.";

/// The scenario; an error if no thread was woken often enough to be a task.
pub fn of(seen: &Seen, what: &str) -> Result<Scenario, String> {
    let mut tasks = Vec::new();
    let mut notes = vec![WARNING.to_owned()];
    let mut left_out = Vec::new();
    let mut names = BTreeMap::new();
    let everywhere_fixed = seen.threads.values().all(|thread| thread.priority > 0);
    for (id, thread) in &seen.threads {
        let activity = Activity::of(seen.switches.iter().filter(|switch| switch.thread == *id));
        let idle = activity.idle_since(seen.end);
        let found = jobs(&activity).filter(|jobs| jobs.costs.last().is_some_and(|most| *most > 0));
        let Some(jobs) = found.filter(|_| idle.is_none()) else {
            left_out.push(left(&thread.name, activity.wakes.len(), idle));
            continue;
        };
        let name = unique(&mut names, &thread.name);
        notes.push(describe(&name, thread, &jobs));
        tasks.push(task(name, thread, &jobs, everywhere_fixed));
    }
    if tasks.is_empty() {
        return Err(format!("{what}: no thread was woken often enough to be a task: observe it for longer"));
    }
    if !left_out.is_empty() {
        notes.push(format!("Left out: {}.", left_out.join(", ")));
    }
    if seen.lost > 0 {
        notes.push(format!("The kernel lost {} records: costs may be too small.", seen.lost));
    }
    notes.push(stolen(seen));
    let length = Duration::from_ns(seen.end - seen.begin);
    let mut scenario = Scenario::new(tasks);
    scenario.title = format!("Observed: {what}");
    scenario.source = format!("schedlab observe, for {length}: the kernel's context switches of {what}");
    scenario.notes = notes.join("\n");
    let processors = u16::try_from(seen.processors).unwrap_or(u16::MAX);
    scenario.platform = PlatformSpec { processors, ..PlatformSpec::default() };
    let scheduler = if everywhere_fixed { "G-FP" } else { "G-EDF" };
    scenario.scheduler = SchedulerSpec {
        name: scheduler.to_owned(),
        urgent_priority: UrgentPriority::Largest,
        ..SchedulerSpec::default()
    };
    Ok(scenario)
}

/// What of the costs may be the host's time.
fn stolen(seen: &Seen) -> String {
    let all = Duration::from_ns((seen.end - seen.begin).saturating_mul(seen.processors as u64));
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

/// Why a thread is no task.
fn left(name: &str, wakes: usize, idle: Option<u64>) -> String {
    match idle {
        Some(idle) if wakes > 1 => {
            format!("{name} ({wakes} wake-ups, none in the last {})", Duration::from_ns(idle))
        }
        _ => format!("{name} ({wakes} wake-ups)"),
    }
}

/// Threads may be called the same; tasks may not.
fn unique(names: &mut BTreeMap<String, usize>, name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    let count = names.entry(clean.clone()).or_insert(0);
    *count += 1;
    if *count == 1 {
        clean
    } else {
        format!("{clean}-{count}")
    }
}

fn task(name: String, thread: &Thread, jobs: &Jobs, everywhere_fixed: bool) -> TaskSpec {
    let most = jobs.costs.last().copied().unwrap_or(1).max(1);
    let (period, arrival) = match jobs.pattern {
        Pattern::Periodic(period, _) => (rounded(period), Arrival::Periodic),
        Pattern::Sporadic(distance) => (distance, Arrival::Sporadic { delay: Duration::ZERO, like: None }),
    };
    let spec = TaskSpec::new(name, Work::from_ns(most), Duration::from_ns(period));
    // The kernel's larger priorities are more urgent, as the scenario says.
    let priority = everywhere_fixed.then_some(u32::from(thread.priority));
    TaskSpec { arrival, priority, wcet_may_exceed_deadline: most > period, ..spec }
}

/// To whole microseconds: what is below is not seen.
fn rounded(period: u64) -> u64 {
    if period < 1_000_000 {
        period
    } else {
        (period + 500) / 1_000 * 1_000
    }
}

fn describe(name: &str, thread: &Thread, jobs: &Jobs) -> String {
    let at = |percent: usize| Duration::from_ns(jobs.costs[(jobs.costs.len() - 1) * percent / 100]);
    let comes = match jobs.pattern {
        Pattern::Periodic(period, share) => {
            format!(
                "every {} ({share}% of its wake-ups have another one a period later)",
                Duration::from_ns(period)
            )
        }
        Pattern::Sporadic(distance) => {
            format!("without a period, 95% of its wake-ups at least {} apart", Duration::from_ns(distance))
        }
    };
    let priority = match thread.priority {
        0 => "no real-time priority".to_owned(),
        priority => format!("real-time priority {priority}"),
    };
    format!(
        "{name}: {priority}; {comes}; {} jobs, observed cost median {}, 95% {}, 99% {}, largest {}.",
        jobs.costs.len(),
        at(50),
        at(95),
        at(99),
        at(100)
    )
}

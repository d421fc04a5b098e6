//! When the jobs of a system arrive, and how long it is watched.

use crate::draw::pick;
use crate::system::{Arrivals, Costs, Lateness, System};
use schedlab_model::{Instant, Task};
use schedlab_workload::Random;

/// Synchronous, offset, sporadic or adversarial.
pub(super) fn draw(system: &mut System, random: &mut Random) {
    let below = *pick(random, &[Costs::Worst, Costs::Below]);
    match random.below(4) {
        0 => system.lateness = Lateness::FirstOnly,
        1 => {
            system.costs = below;
            for task in &mut system.tasks {
                task.offset = Instant::from_ns(random.below(task.period.as_ns()));
            }
        }
        2 => {
            system.costs = below;
            system.arrivals = Arrivals::Sporadic;
        }
        _ => attack(system, random),
    }
}

/// All at once, or an attack; periodic, and as costly as may be.
pub(super) fn at_worst(system: &mut System, random: &mut Random) {
    system.arrivals = Arrivals::Periodic;
    system.costs = Costs::Worst;
    system.lateness = Lateness::FirstOnly;
    match random.below(3) {
        0 => system.tasks.iter_mut().for_each(|task| task.offset = Instant::ZERO),
        _ => attack(system, random),
    }
}

/// One victim: the others' deadlines coincide with its own, as far as their first arrivals allow, or they all arrive
/// with it but the longest, which begins just before.
fn attack(system: &mut System, random: &mut Random) {
    system.lateness = Lateness::FirstOnly;
    let longest = system.tasks.iter().map(|task| task.period.as_ns() + task.jitter.as_ns()).max();
    let longest = longest.expect("some task");
    if random.below(2) == 0 {
        let victim = random.below(system.tasks.len() as u64) as usize;
        let due = longest + system.tasks[victim].relative_deadline.as_ns();
        for task in &mut system.tasks {
            let until = (due - due.min(task.relative_deadline.as_ns())) % task.period.as_ns();
            task.offset = Instant::from_ns(until);
        }
    } else {
        // First releases coincide, as late as jitter allows.
        let costliest = system.tasks.iter().map(|task| task.wcet).max().expect("some task");
        for task in &mut system.tasks {
            let early = task.jitter.as_ns() + u64::from(task.wcet == costliest);
            task.offset = Instant::from_ns(longest + 1 - early);
        }
    }
}

/// The least common multiple of the periods; none if it is too long.
pub(super) fn hyperperiod(tasks: &[Task]) -> Option<u64> {
    tasks.iter().try_fold(1u64, |all, task| {
        let period = task.period.as_ns();
        (all / gcd(all, period)).checked_mul(period)
    })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}

/// Two hyperperiods (if costs or arrivals are random, six) after the last first arrival, or 1,000 longest periods.
/// True for the former.
pub(super) fn set_horizon(system: &mut System) -> bool {
    let most = |of: fn(&Task) -> u64| system.tasks.iter().map(of).max().expect("some task");
    let thousand = 1_000 * most(|task| task.period.as_ns());
    let start = most(|task| task.offset.as_ns() + task.relative_deadline.as_ns());
    // What is random does not recur.
    let recurs = system.arrivals == Arrivals::Periodic && system.costs == Costs::Worst;
    let times = if recurs { 2 } else { 6 };
    let several = hyperperiod(&system.tasks).and_then(|once| once.checked_mul(times)?.checked_add(start));
    let whole = several.filter(|several| *several <= thousand);
    system.horizon = Instant::from_ns(whole.unwrap_or(thousand));
    whole.is_some()
}

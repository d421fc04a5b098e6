//! Costs by hand, and by search of every number of quanta.

use super::*;
use crate::overheads::tests::accounting;
use schedlab_model::{Cost, Overheads};
use Continuity::{Moves, Stays, StaysStaggered};

const KINDS: [(OverheadKind, u64); 5] = [
    (OverheadKind::Ipi, 1),
    (OverheadKind::Tick, 10),
    (OverheadKind::Scheduling, 20),
    (OverheadKind::ContextSwitch, 30),
    (OverheadKind::CacheRelatedPreemption, 40),
];

fn charged(kinds: &[(OverheadKind, u64)]) -> Overheads {
    let mut overheads = Overheads::default();
    for &(kind, ns) in kinds {
        overheads.set(kind, Cost::Constant(Duration::from_ns(ns)).into());
    }
    overheads
}

fn task(cost: u64, period: u64) -> Task {
    Task::implicit(Work::from_ns(cost), Duration::from_ns(period))
}

fn inflated(quantum: u64, release: u64, cost: u64, continuity: Continuity) -> Option<[(u64, u64); 2]> {
    let mut overheads = charged(&KINDS);
    overheads.set(OverheadKind::Release, Cost::Constant(Duration::from_ns(release)).into());
    let tasks = [task(cost, 3000), Task { jitter: Duration::from_ns(1200), ..task(100, 1500) }];
    let found = inflate(&tasks, &accounting(&overheads, quantum), continuity).ok()?;
    Some([0, 1].map(|index| (found[index].wcet.as_ns(), found[index].jitter.as_ns())))
}

fn costs(found: Result<Vec<Task>, NotInflated>) -> Vec<u64> {
    found.unwrap().iter().map(|task| task.wcet.as_ns()).collect()
}

/// In 2000 and a jitter the first task is released once and the second ceil(3200 / 1500) = 3 times: 10 + 4 5 + 2 20 +
/// 30 + 1 = 101 are the system's, 141 are lost with the cache, 859 are left of a quantum of 1000.
#[test]
fn jobs_that_move_lose_all_in_every_quantum() {
    assert_eq!(inflated(1000, 5, 1700, Moves), Some([(1700 + 2 * 141, 101), (100 + 141, 1301)]));
    assert_eq!(inflated(1000, 5, 2 * 859, Moves), Some([(2000, 101), (241, 1301)]));
    assert_eq!(inflated(1000, 5, 2 * 859 + 1, Moves), Some([(1719 + 3 * 141, 101), (241, 1301)]));
}

/// Three slots, and a fourth as a release may be late. Two quanta: 2 10 for ticks, 2 (1 + 20 + 30) for stretches, 40
/// for one reload, 40 for releases: in six quanta and a jitter there are 2 and 5 of them, but no more than 4 in each
/// quantum.
#[test]
fn jobs_that_stay_reload_once_for_each_preemption() {
    let most = 2000 - 20 - 102 - 40 - 7 * 5;
    assert_eq!(inflated(1000, 5, most, Stays).unwrap()[0], (2000, 81));
    // Three of four slots are two stretches, too: 30 + 102 + 40 + 35.
    assert_eq!(inflated(1000, 5, most + 1, Stays).unwrap()[0], (most + 1 + 207, 81));
}

/// Three quanta of three slots are one stretch: 3 10 + 51.
#[test]
fn a_job_that_always_runs_is_never_preempted() {
    for stays in [Stays, StaysStaggered] {
        assert_eq!(inflated(1000, 0, 2919, stays).unwrap()[0], (3000, 0));
    }
    assert_eq!(inflated(1000, 0, 2900, Stays).unwrap()[0], (2981, 0));
}

/// Two processors are 500 apart. Another one has let the job go by then, but for 100 of the 600 that its scheduler
/// takes. Where a job moves from one slot to the next, it waits for all 600.
#[test]
fn a_staggered_job_waits_for_what_is_left_of_the_others_scheduler() {
    let overheads = charged(&[(OverheadKind::Scheduling, 600)]);
    let found = |continuity| costs(inflate(&[task(200, 3000)], &accounting(&overheads, 1000), continuity))[0];
    assert_eq!([found(Stays), found(StaysStaggered)], [800, 900]);
    let (overheads, tasks) = (charged(&[(OverheadKind::Scheduling, 400)]), [task(200, 3000)]);
    let found = |continuity| costs(inflate(&tasks, &accounting(&overheads, 1000), continuity))[0];
    assert_eq!([found(StaysStaggered), found(Moves)], [600, 1000]);
}

/// Two of three slots are parted by one; all three are not. 1840 and 20 + 102 + 40 make two quanta and 2 ns. The third
/// quantum would lose less than the other two: 30 + 51. Yet the cost must not fall to two quanta, which are not enough.
#[test]
fn a_cost_never_falls_below_the_quanta_that_it_needs() {
    assert_eq!(inflated(1000, 0, 1838, Stays).unwrap()[0], (2000, 0));
    assert_eq!(inflated(1000, 0, 1840, Stays).unwrap()[0], (2001, 0));
}

/// One release of each task: 131 are lost of a quantum, which has to be longer.
#[test]
fn something_is_left_of_a_quantum() {
    assert_eq!(inflated(131, 5, 1, Moves), None);
    assert_eq!(inflated(132, 5, 1, Moves), Some([(1 + 131, 91), (100 + 100 * 131, 1291)]));
}

/// Srinivasan et al. 2003: two of four slots may be parted: 2 (10 + 20) + 2 30 + 40.
#[test]
fn the_published_accounting_charges_decisions_in_every_quantum() {
    let overheads = charged(&KINDS);
    let found = |cost| costs(published(&[task(cost, 4000)], &accounting(&overheads, 1000)))[0];
    assert_eq!([found(1840), found(1841)], [2000, 1841 + 3 * 30 + 2 * 30 + 40]);
    assert_eq!(found(3850), 4000);
}

/// All that a job may lose, for each number of quanta in turn.
#[test]
fn no_smaller_number_of_quanta_is_enough() {
    let mut below = numbers();
    let (mut fewer, mut raised) = (0, 0);
    for _ in 0..20_000 {
        let overheads = charged(&KINDS.map(|(kind, _)| (kind, below(100))));
        let accounting = accounting(&overheads, 1000);
        let slots = 1 + below(30);
        let tasks = [task(1 + below(slots * 1000), slots * 1000)];
        let cost_if = |continuity| costs(inflate(&tasks, &accounting, continuity))[0];
        let (inflated, crude) = (cost_if(Stays), cost_if(Moves));
        let of = |kind| u64::try_from(accounting.of(kind)).unwrap();
        let lost = |quanta: u64| {
            let stretches = quanta.min(slots - quanta + 1);
            let start =
                of(OverheadKind::Ipi) + of(OverheadKind::Scheduling) + of(OverheadKind::ContextSwitch);
            let reload = of(OverheadKind::CacheRelatedPreemption);
            quanta * of(OverheadKind::Tick) + stretches * start + (stretches - 1) * reload
        };
        let cost = tasks[0].wcet.as_ns();
        let least = (1..=slots).find(|&quanta| quanta * 1000 >= cost + lost(quanta));
        match least {
            Some(least) => {
                assert_eq!(inflated.div_ceil(1000), least, "{tasks:?} {overheads:?}");
                raised += u64::from(inflated > cost + lost(least));
            }
            None => assert!(inflated > slots * 1000, "{tasks:?} {overheads:?}"),
        }
        fewer += u64::from(inflated.div_ceil(1000) < crude.div_ceil(1000));
    }
    assert!(fewer > 1_000 && raised > 10, "{fewer} {raised}");
}

/// A charge in stretches is never more than the charge of all overheads in every quantum, which only jobs that move
/// pay.
#[test]
fn stretches_never_cost_more_than_all_in_every_quantum() {
    let mut below = numbers();
    let (mut compared, mut less) = (0, 0);
    for _ in 0..20_000 {
        let most = [20, 60, 200][below(3) as usize];
        let mut overheads = charged(&KINDS.map(|(kind, _)| (kind, below(most))));
        let release = Cost::Constant(Duration::from_ns(below(2) * below(most / 4)));
        overheads.set(OverheadKind::Release, release.into());
        let mut drawn = || {
            let period = 1 + below(30_000);
            let (cost, jitter) = (1 + below(period), Duration::from_ns(below(2) * below(3000)));
            Task { jitter, relative_deadline: Duration::from_ns(1 + below(2 * period)), ..task(cost, period) }
        };
        let tasks = [drawn(), drawn(), drawn()];
        let found = |continuity| match inflate(&tasks, &accounting(&overheads, 1000), continuity) {
            Ok(tasks) => Some(tasks),
            Err(why) => {
                assert_eq!(why, NotInflated::Interrupts, "no other task is drawn");
                None
            }
        };
        let Some(crude) = found(Moves) else { continue };
        for stays in [Stays, StaysStaggered] {
            let fine = found(stays).expect("less is lost in a quantum");
            for (fine, crude) in fine.iter().zip(&crude) {
                assert!(fine.wcet <= crude.wcet && fine.jitter <= crude.jitter, "{tasks:?} {overheads:?}");
                (compared, less) = (compared + 1, less + u64::from(fine.wcet < crude.wcet));
            }
        }
    }
    assert!(compared > 30_000 && less > compared / 2, "{less} of {compared}");
}

/// Numbers below a bound, the same in each run.
fn numbers() -> impl FnMut(u64) -> u64 {
    let mut x = 1u64;
    move |most| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (x >> 33) % most.max(1)
    }
}

//! The golden family `locking`, key `lp`: the same numbers as another tool's programs and another solver's optimum.

use crate::support;

use schedlab_analysis::blocking::{fmlp_plus, mpcp, Sharing};
use schedlab_lp_blocking::maximum;
use schedlab_lp_blocking::semaphore;
use schedlab_lp_blocking::spin::greedy::Greedy;
use schedlab_lp_blocking::spin::ranked::{Lock, PendingJob, Ranks, WaitLength};
use schedlab_lp_blocking::spin::Spinning;
use support::{homes, numbers, records, sharing};

/// Compares the bound of each task with the recorded one, which is an integer.
fn check(key: &str, mut bound: impl FnMut(&Sharing, &[u64], usize) -> u64) {
    let mut agree = 0;
    for record in records() {
        let (sharing, responses) = (sharing(&record), numbers(&record["pending_interval"]));
        let theirs = numbers(&record["results"]["lp"][key]);
        let ours: Vec<u64> = (0..theirs.len()).map(|task| bound(&sharing, &responses, task)).collect();
        assert_eq!(ours, theirs, "{key} of {}", record["id"]);
        agree += 1;
    }
    assert!(agree >= 120, "only {agree} records have {key}");
}

#[test]
fn spin_locks_in_closed_form() {
    let bound = |spinning| {
        move |sharing: &Sharing, responses: &[u64], task: usize| {
            let mut greedy = Greedy::default();
            greedy.read(sharing);
            greedy.bound(sharing, responses, task, spinning)
        }
    };
    check("lp_pfp_msrp", bound(Spinning::NonPreemptive));
    check("lp_pfp_fifo_preempt", bound(Spinning::Preemptable));
}

#[test]
fn the_fmlp_plus_also_below_its_classic_bound() {
    check("lp_fmlp_plus", |sharing, responses, task| {
        let bound = maximum(&semaphore::fmlp_plus::program(sharing, responses, task)).expect("it is small");
        let classic = fmlp_plus::bounds(sharing, responses, true)[task].total().expect("it is small");
        assert!(bound <= classic, "{bound} by the program, {classic} classic");
        bound
    });
}

#[test]
fn the_dflp() {
    check("lp_dflp", |sharing, responses, task| {
        let homes = homes(sharing);
        maximum(&semaphore::dflp::program(sharing, responses, task, &homes)).expect("it is small")
    });
}

/// Tasks for which the other tool's value is no bound (docs/peers.md): it stopped before its waiting times were fixed
/// points.
const STOPPED_EARLY: [(&str, usize); 4] =
    [("lock-00216", 6), ("lock-00820", 1), ("lock-00820", 3), ("lock-01496", 4)];

#[test]
fn the_mpcp_also_below_its_classic_bound() {
    let mut agree = 0;
    for record in records() {
        let (sharing, responses) = (sharing(&record), numbers(&record["pending_interval"]));
        let theirs = numbers(&record["results"]["lp"]["lp_mpcp"]);
        let mpcp = semaphore::mpcp::Mpcp::new(&sharing);
        let classic = mpcp::bounds(&sharing, &responses, false);
        for (task, theirs) in theirs.into_iter().enumerate() {
            let ours = maximum(&mpcp.program(&responses, task)).expect("it is small");
            match STOPPED_EARLY.contains(&(record["id"].as_str().unwrap(), task)) {
                true => assert!(ours > theirs, "{} {task}: {ours}, {theirs}", record["id"]),
                false => assert_eq!(ours, theirs, "{} {task}", record["id"]),
            }
            assert!(classic[task].total().is_none_or(|classic| ours <= classic), "{} {task}", record["id"]);
            agree += 1;
        }
    }
    assert!(agree > 600, "only {agree} values");
}

/// SchedCAT takes all requests as equally urgent, and waits as over at once (docs/peers.md): so its values are no
/// bounds.
#[test]
fn unordered_spin_locks_and_what_the_other_tool_makes_of_them() {
    let bound = |wait: WaitLength| {
        move |sharing: &Sharing, responses: &[u64], task: usize| {
            let lock = Lock { ranks: Ranks::Equal, spinning: Spinning::NonPreemptive, wait };
            PendingJob { sharing, responses, task, lock }.bound()
        }
    };
    check("lp_pfp_prio_spin", bound(WaitLength::Instant));
    let mut larger = 0;
    for record in records() {
        let (sharing, responses) = (sharing(&record), numbers(&record["pending_interval"]));
        for (task, theirs) in numbers(&record["results"]["lp"]["lp_pfp_prio_spin"]).into_iter().enumerate() {
            let ours = bound(WaitLength::Bounded)(&sharing, &responses, task);
            assert!(ours >= theirs, "{} {task}: {ours}, {theirs}", record["id"]);
            larger += usize::from(ours > theirs);
        }
    }
    assert!(larger > 0, "the difference is never seen");
}

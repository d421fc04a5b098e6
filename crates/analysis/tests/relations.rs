//! How tests stand to each other, as the literature proves: which accepts whatever another accepts, and which say the
//! same.
//!
//! On random systems; on golden ones see `dominance` in `golden_global.rs`.

use crate::draw;
use crate::mixer;

use draw::{system, tasks, Freedoms};
use mixer::Mixer;
use schedlab_analysis::multiprocessor::{
    bertogna_cirinei_edf, bertogna_cirinei_fp, guan, load_approximation,
};
use schedlab_analysis::split::{c_equals_d, edf_wm};
use schedlab_analysis::{interference, registry, AnalysedOrder, Answer, Bounds, Budget, System, Verdict};
use schedlab_model::{Duration, Suspension, Task, TaskId};

const SYSTEMS: u32 = 1_500;

fn verdict(name: &str, system: &System) -> Verdict {
    let test = registry::find(name).expect("a test of this name");
    assert!((test.applies)(system), "{name}");
    (test.run)(system)
}

fn accepts(name: &str, system: &System) -> bool {
    verdict(name, system).answer == Answer::Schedulable
}

fn response_times(name: &str, system: &System) -> Vec<Option<Duration>> {
    match verdict(name, system).bounds {
        Bounds::ResponseTime(bounds) => bounds,
        other => panic!("{name}: {other:?}"),
    }
}

const CONSTRAINED: Freedoms =
    Freedoms { constrained: true, arbitrary: false, jitter: false, suspension: false };
const ARBITRARY: Freedoms = Freedoms { arbitrary: true, ..CONSTRAINED };
const DISTURBED: Freedoms = Freedoms { jitter: true, suspension: true, ..CONSTRAINED };

/// Draws systems for a relation between two verdicts and demands that each is met often.
fn often(seed: u64, processors: u64, freedoms: Freedoms, mut relation: impl FnMut(&[Task]) -> (bool, bool)) {
    let mut random = Mixer(seed);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..SYSTEMS {
        let (weaker, stronger) = relation(&tasks(&mut random, processors, freedoms));
        (yes, no) = (yes + u32::from(weaker), no + u32::from(!stronger));
    }
    assert!(yes > SYSTEMS / 50 && no > SYSTEMS / 50, "{yes} of {SYSTEMS} accepted, {no} not");
}

/// Whether the tasks need a whole processor: busy periods then need not end, and searches that go through one say
/// unknown.
fn fills_a_processor(tasks: &[Task]) -> bool {
    let share = |task: &Task| task.wcet.as_ns() * 120 / task.period.as_ns();
    tasks.iter().map(share).sum::<u64>() == 120
}

/// Quick processor-demand analysis decides the demand criterion (Zhang and Burns, IEEE TC 58(9), 2009, Theorem 5), and
/// so do exact response times.
#[test]
fn demand_qpa_and_response_times_decide_the_same() {
    for freedoms in [CONSTRAINED, ARBITRARY, Freedoms { jitter: true, ..ARBITRARY }] {
        often(0x9e37_79b9, 1, freedoms, |tasks| {
            let system = system(tasks, 1, AnalysedOrder::Edf, true);
            let found =
                ["demand_criterion", "qpa", "edf_response_time"].map(|name| verdict(name, &system).answer);
            let agree = |answer: &Answer| {
                *answer == found[0] || (*answer == Answer::Unknown && fills_a_processor(tasks))
            };
            assert!(found.iter().all(agree), "{found:?} {tasks:?}");
            (found[0] == Answer::Schedulable, found[0] == Answer::Schedulable)
        });
    }
}

/// Both conditions are exact for sporadic arrivals (George, Rivierre and Spuri, 1996, sections 5 and 6).
#[test]
fn nonpreemptive_demand_and_response_times_decide_the_same() {
    for freedoms in [CONSTRAINED, ARBITRARY] {
        often(0x7f4a_7c15, 1, freedoms, |tasks| {
            let system = system(tasks, 1, AnalysedOrder::Edf, false);
            let found = ["np_edf_demand", "np_edf_response_time"].map(|name| accepts(name, &system));
            assert!(found[0] == found[1] || (found[0] && fills_a_processor(tasks)), "{found:?} {tasks:?}");
            (found[0], found[0])
        });
    }
}

/// Every job's jitter delays it and no one else's deadline: as much less time is left, which the demand says too.
#[test]
fn nonpreemptive_response_times_prove_no_more_than_fits_with_jitter() {
    often(0xf39c_c060, 1, Freedoms { jitter: true, ..CONSTRAINED }, |tasks| {
        let system = system(tasks, 1, AnalysedOrder::Edf, false);
        let (demand, responses) =
            (accepts("np_edf_demand", &system), accepts("np_edf_response_time", &system));
        // Without jitter they decide the same, and jitter only adds.
        let calm: Vec<Task> =
            tasks.iter().map(|task| Task { jitter: Duration::ZERO, ..task.clone() }).collect();
        let fits = accepts("np_edf_demand", &draw::system(&calm, 1, AnalysedOrder::Edf, false));
        assert!(fits || !(demand || responses), "{tasks:?}");
        for (task, bound) in tasks.iter().zip(response_times("np_edf_response_time", &system)) {
            let least = task.wcet.as_ns() + task.jitter.as_ns();
            assert!(bound.is_none_or(|bound| bound.as_ns() >= least), "{tasks:?}");
        }
        (responses, demand)
    });
}

/// Bini and Buttazzo, IEEE TC 52(7), 2003, Theorem 1: the hyperbolic bound accepts more than Liu and Layland's, and
/// response times decide.
#[test]
fn hyperbolic_bound_lies_between() {
    let rate_monotonic = |tasks: &[Task]| {
        let mut tasks = tasks.to_vec();
        tasks.sort_by_key(|task| task.period);
        tasks
    };
    let implicit = Freedoms { jitter: true, suspension: true, ..Freedoms::default() };
    often(0x1b87_3593, 1, implicit, |tasks| {
        let system = system(&rate_monotonic(tasks), 1, AnalysedOrder::FixedPriority, true);
        let found = ["liu_layland", "hyperbolic", "response_time"].map(|name| accepts(name, &system));
        assert!(found.is_sorted(), "{found:?} {tasks:?}");
        (found[0], found[2])
    });
}

/// Bertogna, Cirinei and Lipari, IEEE TPDS 20(4), 2009, for slacks; Bertogna and Cirinei, RTSS 2007, whose W only adds
/// a minimum; and the tests that the combination asks.
#[test]
fn each_test_of_global_edf_accepts_what_its_ancestor_does() {
    for (processors, freedoms) in [(2, CONSTRAINED), (3, DISTURBED)] {
        often(0xcc9e_2d51, processors, freedoms, |tasks| {
            let system = system(tasks, processors as u32, AnalysedOrder::Edf, true);
            let chain = ["bcl", "bcl_iterative", "bertogna_cirinei_edf", "global_edf"]
                .map(|name| accepts(name, &system));
            assert!(chain.is_sorted(), "{chain:?} {tasks:?}");
            (chain[0], chain[3])
        });
    }
}

#[test]
fn the_combination_accepts_what_any_of_its_tests_does() {
    let members = ["gfb", "baker", "bcl", "baruah", "ff_dbf", "load", "bertogna_cirinei_edf", "liu_anderson"];
    for freedoms in [CONSTRAINED, DISTURBED, Freedoms { jitter: true, ..CONSTRAINED }] {
        often(0x85eb_ca6b, 2, freedoms, |tasks| {
            let system = system(tasks, 2, AnalysedOrder::Edf, true);
            let (any, all) =
                (members.iter().any(|name| accepts(name, &system)), accepts("global_edf", &system));
            assert_eq!(any, all, "{tasks:?}");
            (any, all)
        });
    }
}

/// Liu and Anderson, ECRTS 2013: without self-suspension their test is Baruah's; and a jitter is to it a
/// self-suspension.
#[test]
fn liu_and_anderson_extend_baruah() {
    often(0xc2b2_ae35, 2, CONSTRAINED, |tasks| {
        let system = system(tasks, 2, AnalysedOrder::Edf, true);
        let found = ["baruah", "liu_anderson"].map(|name| accepts(name, &system));
        assert_eq!(found[0], found[1], "{tasks:?}");
        (found[0], found[1])
    });
    often(0x27d4_eb2f, 2, Freedoms { jitter: true, ..CONSTRAINED }, |tasks| {
        let suspended = |task: &Task| Task {
            jitter: Duration::ZERO,
            suspension: Suspension::Dynamic(task.jitter),
            ..task.clone()
        };
        let suspended: Vec<Task> = tasks.iter().map(suspended).collect();
        let found = [tasks, &suspended]
            .map(|tasks| accepts("liu_anderson", &system(tasks, 2, AnalysedOrder::Edf, true)));
        assert_eq!(found[0], found[1], "{tasks:?}");
        (found[0], found[1])
    });
}

/// An approximation from above accepts less than what it approximates (Fisher, Baker and Baruah, RTCSA 2006).
#[test]
fn the_load_accepts_what_its_approximation_does() {
    often(0x1656_67b1, 2, CONSTRAINED, |tasks| {
        let system = system(tasks, 2, AnalysedOrder::Edf, true);
        let (approximate, load) =
            (load_approximation::holds(&system, 10) == Some(true), accepts("load", &system));
        assert!(load || !approximate, "{tasks:?}");
        (approximate, load)
    });
}

/// Guan, Stigge, Yi and Yu, RTSS 2009: bounds with limited carry-in are nowhere larger than Bertogna and Cirinei's,
/// which slacks make smaller.
#[test]
fn limiting_who_carries_in_makes_bounds_smaller() {
    use bertogna_cirinei_fp::Carry;
    for processors in [2, 3] {
        often(0xd3a2_646c, processors, CONSTRAINED, |tasks| {
            let system = system(tasks, processors as u32, AnalysedOrder::FixedPriority, true);
            let by_slack = bertogna_cirinei_fp::bounds(&system, Carry::Response, true);
            let chain = [
                bertogna_cirinei_fp::bounds(&system, Carry::Deadline, true),
                by_slack,
                guan::bounds(&system),
            ];
            for k in 0..tasks.len() {
                let smaller = |pair: &[Vec<Option<u64>>]| match (pair[0][k], pair[1][k]) {
                    (Some(before), after) => after.is_some_and(|after| after <= before),
                    (None, _) => true,
                };
                assert!(chain.windows(2).all(smaller), "task {k} {chain:?} {tasks:?}");
            }
            (accepts("bertogna_cirinei_fp_no_slack", &system), accepts("guan", &system))
        });
    }
}

/// Both algorithms begin as first-fit placement by falling utilization does, and split only what that leaves over (Kato
/// et al., ECRTS 2009; Burns et al., RTS 48(1), 2012).
#[test]
fn splitting_begins_as_first_fit() {
    often(0xfd70_46c5, 3, CONSTRAINED, |tasks| {
        let system = system(tasks, 3, AnalysedOrder::Edf, true);
        let budget = &mut Budget::default();
        let found = [c_equals_d::split(&system, budget), edf_wm::split(&system, budget)].map(Result::unwrap);
        let placed = first_fit(tasks, 3);
        for split in &found {
            let mut pieces: Vec<TaskId> = split.processors.iter().flatten().map(|piece| piece.task).collect();
            pieces.sort_unstable();
            let are_whole = pieces.windows(2).all(|pair| pair[0] != pair[1]);
            assert!(!placed || (split.fits() && are_whole), "{tasks:?}");
        }
        (placed, found.iter().all(|split| split.fits()))
    });
}

/// Whether every task finds a processor where the demand criterion holds, in order of falling utilization.
fn first_fit(tasks: &[Task], processors: usize) -> bool {
    let mut queue: Vec<&Task> = tasks.iter().collect();
    queue.sort_by(|a, b| {
        let scaled = |x: &Task, y: &Task| u128::from(x.wcet.as_ns()) * u128::from(y.period.as_ns());
        scaled(b, a).cmp(&scaled(a, b))
    });
    let mut placed: Vec<Vec<Task>> = vec![Vec::new(); processors];
    queue.into_iter().all(|task| {
        placed.iter_mut().any(|there| {
            there.push(task.clone());
            let fits = accepts("demand_criterion", &system(there, 1, AnalysedOrder::Edf, true));
            if !fits {
                there.pop();
            }
            fits
        })
    })
}

/// Who has a bound can be told what it is made of: the terms of the analysis add up to it.
#[test]
fn bounds_are_told_by_task() {
    let mut told = 0;
    let mut random = Mixer(0x2545_f491);
    for round in 0..SYSTEMS {
        let processors = 2 + u64::from(round % 2);
        let tasks = tasks(&mut random, processors, CONSTRAINED);
        for order in [AnalysedOrder::Edf, AnalysedOrder::FixedPriority] {
            let system = system(&tasks, processors as u32, order, true);
            let bounds: Vec<Option<u64>> = match order {
                AnalysedOrder::Edf => {
                    let rounds = bertogna_cirinei_edf::Rounds::AsLongAsTheyHelp;
                    let bounds = bertogna_cirinei_edf::bounds(&system, rounds);
                    bounds.map_or(vec![None; tasks.len()], |bounds| bounds.into_iter().map(Some).collect())
                }
                _ => guan::bounds(&system),
            };
            for (task, bound) in bounds.into_iter().enumerate() {
                let delay = interference::of(&system, task);
                assert_eq!(delay.as_ref().map(|delay| delay.bound), bound, "task {task} {order:?} {tasks:?}");
                let Some(delay) = delay else { continue };
                let parts: u64 = delay.by.iter().map(|(_, length)| length).sum();
                assert_eq!(tasks[task].wcet.as_ns() + parts, delay.bound, "task {task} {order:?} {tasks:?}");
                assert!(delay.by.iter().all(|(id, _)| id.index() != task), "task {task} {order:?} {tasks:?}");
                told += u32::from(!delay.by.is_empty());
            }
        }
    }
    assert!(told > SYSTEMS, "{told}");
}

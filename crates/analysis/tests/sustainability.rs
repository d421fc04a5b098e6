//! What stays proved of tasks that behave better than they were declared.
//!
//! T. Baker and S. Baruah, *Sustainable multiprocessor scheduling of sporadic task systems*, ECRTS 2009, call a test
//! self-sustainable if it goes on to accept when a cost falls, a period grows, a relative deadline grows or a jitter
//! falls. (A system that a test of sporadic tasks accepts keeps its deadlines with shorter costs and later arrivals in
//! any case; the question is whether the test says so.) They show that many tests of global EDF do not; S. Baruah and
//! A. Burns, *Sustainable scheduling analysis*, RTSS 2006, ask it of one processor. [`CLAIMS`] says for each test of
//! the registry what is claimed and why; random systems try every claim.

use crate::draw;
use crate::mixer;

use draw::{system, tasks, Freedoms};
use mixer::Mixer;
use schedlab_analysis::registry::{COMBINATIONS, TESTS, YARDSTICKS};
use schedlab_analysis::{AnalysedOrder, Answer, System, Test};
use schedlab_model::{Duration, Task, Work};

/// What becomes better.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Better {
    Cost,
    Period,
    RelativeDeadline,
    Jitter,
}

use Better::{Cost, Jitter, Period, RelativeDeadline};

const ALL: &[Better] = &[Cost, Period, RelativeDeadline, Jitter];

struct Claim {
    tests: &'static [&'static str],
    better: &'static [Better],
    because: &'static str,
}

const CLAIMS: &[Claim] = &[
    Claim {
        tests: &["qpa", "demand_criterion", "edf_response_time", "response_time"],
        better: ALL,
        because: "Baruah and Burns, RTSS 2006: processor demand and response times are sustainable",
    },
    Claim {
        tests: &["response_time_any_tie"],
        better: ALL,
        because: "each bound is that of response_time in an order with the task's equals before it",
    },
    Claim {
        tests: &["np_edf_demand", "np_response_time"],
        better: ALL,
        because: "demand falls by a whole cost where blocking grows by less than it; response times only fall",
    },
    Claim {
        tests: &["one_processor_each"],
        better: ALL,
        because: "it compares each task's cost and jitter with its own period and relative deadline",
    },
    Claim {
        tests: &["edf_utilization"],
        better: &[Cost, RelativeDeadline, Jitter],
        because: "utilizations fall; a longer period may be beyond its relative deadline, where the test is silent",
    },
    Claim {
        tests: &["liu_layland", "hyperbolic"],
        better: &[Cost, Jitter],
        because: "utilizations fall; they ask for implicit deadlines",
    },
    Claim { tests: &["gfb"], better: ALL, because: "densities fall, and with them their sum and the largest" },
    Claim {
        tests: &["load"],
        better: ALL,
        because: "load and largest density fall, and with the density the bound grows; Baker and Baruah, ECRTS 2009, for one test",
    },
    Claim {
        tests: &["bcl_iterative", "bertogna_cirinei_edf"],
        better: &[Cost, Period, Jitter],
        because: "each bound on interference only falls; a longer relative deadline lengthens the window in which others are due",
    },
    Claim {
        tests: &["bertogna_cirinei_fp"],
        better: ALL,
        because: "by falling priority: what a job waits only falls, and with it the carry-in R - C of those below",
    },
    Claim {
        tests: &["compliant_vector"],
        better: ALL,
        because: "tardiness is bounded if U <= m and C <= T; the bounds themselves may grow",
    },
    Claim {
        tests: &["devi_anderson"],
        better: &[Cost, Jitter],
        because: "tardiness is bounded if U <= m; it asks for implicit deadlines, and its bounds may grow",
    },
    Claim {
        tests: &["devi_anderson_np"],
        better: &[Cost],
        because: "tardiness is bounded if U <= m; it asks for implicit deadlines and no jitter, and its bounds may grow",
    },
    Claim {
        tests: &["optimal"],
        better: &[],
        because: "it asks for tasks that are periodic and arrive together, and those drawn here are sporadic",
    },
    Claim {
        tests: &["ekg"],
        better: &[],
        because: "it asks for tasks that are periodic and arrive together, and those drawn here are sporadic",
    },
    Claim {
        tests: &["qps"],
        better: &[],
        because: "tasks are packed in the order of their utilizations, and what rounding takes depends on the periods",
    },
    Claim {
        tests: &["nps_f"],
        better: &[],
        because: "first fit packs cheaper tasks otherwise, and a longer period makes slots longer",
    },
    Claim {
        tests: &["edf_us"],
        better: &[],
        because: "the scheduler decides by costs and periods which tasks are heavy, and a light task delays others",
    },
    Claim {
        tests: &["semi_partitioned_edf"],
        better: &[],
        because: "it asks for pieces, and tasks that are drawn here have none",
    },
    Claim {
        tests: &["edzl_as_edf"],
        better: &[],
        because: "it asks the tests of global EDF, most of which are not self-sustainable",
    },
    Claim {
        tests: &["mllf_as_edf"],
        better: &[],
        because: "no system of its scheduler is drawn here; the tests of EDF that it asks have lines of their own",
    },
    Claim { tests: &["overload", "overload_soft"], better: &[], because: "they accept nothing" },
    Claim {
        tests: &["bcl", "baker", "baruah", "liu_anderson", "ff_dbf", "global_edf"],
        better: &[],
        because: "Baker and Baruah, ECRTS 2009: most tests of global EDF are not self-sustainable",
    },
    Claim {
        tests: &["bertogna_cirinei_fp_no_slack"],
        better: &[],
        because: "the carry-in D - C grows as a cost falls or a relative deadline grows",
    },
    Claim {
        tests: &["dm_density"],
        better: &[Cost],
        because: "densities fall, and with the largest one the bound grows; other parameters change the order",
    },
    Claim {
        tests: &["guan", "np_edf_response_time", "suspension_aware"],
        better: &[],
        because: "not proved; the last one's choice of what delays whom may change",
    },
    Claim {
        tests: &["pfair", "pfair_lateness"],
        better: &[],
        because: "weights are rounded to quanta and lags kept by them: not proved",
    },
    Claim {
        tests: &["schedule_abstraction", "schedule_abstraction_global"],
        better: &[],
        because: "they explore the given costs, offsets and periods alone",
    },
];

fn all_tests() -> impl Iterator<Item = &'static Test> {
    TESTS.iter().chain(YARDSTICKS).chain(COMBINATIONS).copied()
}

#[test]
fn every_test_has_its_line() {
    for test in all_tests() {
        let lines = CLAIMS.iter().filter(|claim| claim.tests.contains(&test.name)).count();
        assert_eq!(lines, 1, "{}: CLAIMS has to say once what stays proved, and why", test.name);
    }
    let known = |name: &&str| all_tests().any(|test| test.name == *name);
    for claim in CLAIMS {
        assert!(claim.tests.iter().all(known) && !claim.because.is_empty(), "{:?}", claim.tests);
    }
}

/// One task better in one way; `None` if it cannot be. Relative deadlines stay within the periods where they were.
fn improve(tasks: &[Task], better: Better, random: &mut Mixer) -> Option<Vec<Task>> {
    let mut tasks = tasks.to_vec();
    let index = random.below(tasks.len() as u64) as usize;
    let task = &mut tasks[index];
    let (cost, period) = (task.wcet.as_ns(), task.period.as_ns());
    let (due, jitter) = (task.relative_deadline.as_ns(), task.jitter.as_ns());
    match better {
        Cost if cost > 1 => task.wcet = Work::from_ns(1 + random.below(cost - 1)),
        Period => task.period = Duration::from_ns(period + 1 + random.below(period)),
        RelativeDeadline if due >= period => {
            task.relative_deadline =
                Duration::from_ns(due + if due > period { 1 + random.below(period) } else { 0 });
        }
        RelativeDeadline => task.relative_deadline = Duration::from_ns(due + 1 + random.below(period - due)),
        Jitter if jitter > 0 => task.jitter = Duration::from_ns(random.below(jitter)),
        Cost | Jitter => return None,
    }
    Some(tasks)
}

/// The systems that a test is about: under each order, preemptive or not, on one to three processors.
fn kinds(test: &Test, tasks: &[Task]) -> Vec<(u32, AnalysedOrder, bool)> {
    let orders = [AnalysedOrder::Edf, AnalysedOrder::FixedPriority, AnalysedOrder::FixedPriorityOpenTies];
    let all = orders.into_iter().flat_map(|order| [(order, true), (order, false)]);
    let all = all.flat_map(|(order, preemptive)| [1, 2, 3].map(|m| (m, order, preemptive)));
    all.filter(|&(m, order, preemptive)| (test.applies)(&system(tasks, m, order, preemptive))).collect()
}

/// In rate-monotonic order, which the tests of utilization ask for.
fn drawn(random: &mut Mixer, processors: u64, better: Better) -> Vec<Task> {
    let implicit = Freedoms { jitter: random.below(2) == 0 || better == Jitter, ..Freedoms::default() };
    let freedoms = match random.below(3) {
        0 => implicit,
        1 => Freedoms { constrained: true, ..implicit },
        _ => Freedoms { arbitrary: true, ..implicit },
    };
    let mut tasks = tasks(random, processors, freedoms);
    tasks.sort_by_key(|task| task.period);
    tasks
}

#[test]
fn what_is_claimed_holds() {
    const ACCEPTED: u32 = 150;
    let accepts = |test: &Test, system: &System| (test.run)(system).answer == Answer::Schedulable;
    let some = tasks(&mut Mixer(1), 1, Freedoms::default());
    for claim in CLAIMS {
        for test in all_tests().filter(|test| claim.tests.contains(&test.name)) {
            for &better in claim.better {
                let mut random = Mixer(0x9e37_79b9_7f4a_7c15);
                let kinds = kinds(test, &some);
                let (mut accepted, mut drawn_sets) = (0, 0);
                while accepted < ACCEPTED {
                    drawn_sets += 1;
                    assert!(drawn_sets < 40 * ACCEPTED, "{} accepts too little", test.name);
                    let (m, order, preemptive) = kinds[random.below(kinds.len() as u64) as usize];
                    let tasks = drawn(&mut random, m.into(), better);
                    if !accepts(test, &system(&tasks, m, order, preemptive)) {
                        continue;
                    }
                    let Some(improved) = improve(&tasks, better, &mut random) else { continue };
                    accepted += 1;
                    let still = accepts(test, &system(&improved, m, order, preemptive));
                    assert!(still, "{} {better:?} m={m} {tasks:?}\n{improved:?}", test.name);
                }
            }
        }
    }
}

//! Optimal priority assignment: N. Audsley, *Optimal priority assignment and feasibility of static priority tasks with
//! arbitrary start times*, Technical Report YCS 164, University of York 1991; *On priority assignment in fixed priority
//! scheduling*, Information Processing Letters 79(1), 2001.
//!
//! The lowest priority goes to the first task that the test accepts there below all others, and so on upwards. If any
//! order is accepted, one is found, by at most n (n + 1) / 2 calls - provided that the test is *compatible* (R. Davis
//! and A. Burns, *Priority assignment for global fixed priority pre-emptive scheduling in multiprocessor real-time
//! systems*, RTSS 2009): its verdict on a task depends on which tasks are above and below, not on their order among
//! themselves, and a task does not lose by moving up. Tests that read the response times of more urgent tasks
//! (self-suspension as jitter, Guan's and Bertogna and Cirinei's) are not: they are refused.
//!
//! Tasks that share resources are refused, too: their tests count the requests of others by response times, or grant by
//! priority. Only blocking by ceilings on one processor would be compatible. It depends on the set of tasks below and
//! on the resources that these and the others use, and a task that moves up is blocked by a section of a task that
//! interfered by its whole cost before. But there DM is optimal already, for constrained deadlines (K. Bletsas and N.
//! Audsley, *Optimal priority assignment in the presence of blocking*, Information Processing Letters 99(3), 2006).

use crate::budget::Budget;
use crate::steps::Unwatched;
use crate::system::{AnalysedOrder, System};
use crate::uniprocessor::response_time::LongestResponse;
use crate::uniprocessor::{nonpreemptive_fp, response_time};

/// A test that is compatible with the algorithm.
struct Compatible {
    name: &'static str,
    applies: fn(&System) -> bool,
    /// The response time of a task (a place in the system) below the second and above the third.
    response: fn(&System, usize, &[usize], &[usize], &mut Budget) -> LongestResponse,
}

const COMPATIBLE: &[Compatible] = &[
    Compatible {
        name: response_time::TEST.name,
        applies: System::is_preemptive_fp_uniprocessor,
        response: |system, own, higher, _, budget| {
            response_time::lowest(system, own, higher, budget, &mut Unwatched)
        },
    },
    Compatible {
        name: nonpreemptive_fp::TEST.name,
        applies: |system| system.processors == 1 && !system.preemptive && !system.has_suspension(),
        response: nonpreemptive_fp::between,
    },
];

/// Reason why no order is looked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The test is not compatible, or there is none of this name.
    #[error(
        "the test \"{0}\" is not compatible with Audsley's algorithm; allowed: {allowed}",
        allowed = COMPATIBLE.iter().map(|test| test.name).collect::<Vec<_>>().join(" ")
    )]
    Incompatible(String),
    /// The test does not speak of the system.
    #[error("the test \"{0}\" does not apply to the system")]
    DoesNotApply(&'static str),
    /// Tasks share resources.
    #[error(
        "tasks share resources: what blocks a task depends on the order of others. Allowed: given priorities, or DM, which \
         is optimal under ceilings on one processor"
    )]
    Shares,
}

/// A rank for each task, 0 the highest, with which the test called `test` accepts `system`; `None` if there is no such
/// order, or none that the budget suffices for. The ranks that `system` has are not read; among equals, the later task
/// gets the lower priority.
pub fn assign(system: &System, test: &str, budget: &mut Budget) -> Result<Option<Vec<u32>>, Refused> {
    let found = COMPATIBLE.iter().find(|compatible| compatible.name == test);
    let test = found.ok_or_else(|| Refused::Incompatible(test.into()))?;
    if system.needs_blocking() {
        return Err(Refused::Shares);
    }
    if system.order != AnalysedOrder::FixedPriority || !(test.applies)(system) {
        return Err(Refused::DoesNotApply(test.name));
    }
    let mut ranks = vec![0; system.tasks.len()];
    let mut above: Vec<usize> = (0..system.tasks.len()).collect();
    let mut below = Vec::with_capacity(above.len());
    while !above.is_empty() {
        let fits = |place: usize, budget: &mut Budget| {
            let mut others = above.clone();
            let own = others.remove(place);
            let due = u128::from(system.tasks[own].relative_deadline);
            matches!((test.response)(system, own, &others, &below, budget), LongestResponse::Bounded(r) if r <= due)
        };
        let Some(place) = (0..above.len()).rev().find(|&place| fits(place, budget)) else { return Ok(None) };
        ranks[above[place]] = above.len() as u32 - 1;
        below.push(above.remove(place));
    }
    Ok(Some(ranks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnalysedScheduler, Answer, Arrivals};
    use schedlab_model::{Duration, Task, Work};

    fn system(tasks: &[Task], ranks: &[u32], preemptive: bool) -> System {
        let arrivals = Arrivals::Sporadic;
        let scheduler = AnalysedScheduler {
            order: AnalysedOrder::FixedPriority,
            preemptive,
            ranks,
            points: &[],
            arrivals,
        };
        System::global(tasks, 1, &scheduler).unwrap()
    }

    fn permutations(count: usize) -> Vec<Vec<u32>> {
        if count == 0 {
            return vec![vec![]];
        }
        let insert = |rest: Vec<u32>| {
            (0..=rest.len()).map(move |index| {
                let mut longer = rest.clone();
                longer.insert(index, count as u32 - 1);
                longer
            })
        };
        permutations(count - 1).into_iter().flat_map(insert).collect()
    }

    /// An order is found exactly where one of all orders is accepted, with arbitrary deadlines, jitter and without
    /// preemption.
    #[test]
    fn finds_an_order_wherever_there_is_one() {
        let mut state = 7u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let (mut found, mut none, mut beyond_dm) = (0, 0, 0);
        for _ in 0..300 {
            let task = |below: &mut dyn FnMut(u64) -> u64| {
                let period = 4 + below(20);
                let cost = 1 + below(period / 3);
                let mut task = Task::constrained(
                    Work::from_ns(cost),
                    Duration::from_ns(period),
                    Duration::from_ns(cost + below(2 * period)),
                );
                task.jitter = Duration::from_ns(below(4));
                task
            };
            let tasks: Vec<Task> = (0..4).map(|_| task(&mut below)).collect();
            for (preemptive, name) in [(true, "response_time"), (false, "np_response_time")] {
                let test = crate::registry::find(name).unwrap();
                let accepts = |ranks: &[u32]| {
                    (test.run)(&system(&tasks, ranks, preemptive)).answer == Answer::Schedulable
                };
                let any = permutations(4).iter().any(|ranks| accepts(ranks));
                let given = system(&tasks, &[0; 4], preemptive);
                let assigned = assign(&given, name, &mut Budget::default()).unwrap();
                assert_eq!(assigned.is_some(), any, "{tasks:?} {name}");
                if let Some(ranks) = assigned {
                    assert!(accepts(&ranks), "{tasks:?} {ranks:?}");
                    let dm = super::super::find("DM").unwrap().ranks(&given.tasks, 1);
                    beyond_dm += u32::from(!accepts(&dm));
                    found += 1;
                } else {
                    none += 1;
                }
            }
        }
        assert!(found > 50 && none > 50 && beyond_dm > 3, "{found} {none} {beyond_dm}");
    }

    fn constrained(cost: u64, relative_deadline: u64) -> Task {
        let [period, relative_deadline] = [20, relative_deadline].map(Duration::from_ns);
        Task::constrained(Work::from_ns(cost), period, relative_deadline)
    }

    /// A task is blocked by the tasks that this very order puts below it: neither by none nor by those of another
    /// order.
    #[test]
    fn blocking_is_that_of_the_order_at_hand() {
        let ranks = |tasks: &[Task], given: &[u32]| {
            assign(&system(tasks, given, false), "np_response_time", &mut Budget::default()).unwrap()
        };
        // Without blocking the first would have response 1 above the second, whose job may just have begun: 4 + 1 > 2.
        assert_eq!(ranks(&[constrained(1, 2), constrained(5, 10)], &[0, 1]), None);
        // The third has to be the highest (6 + 1), the first is then blocked by the second alone: 1 + 6 + 1 = 8, while
        // below it in the given order stands the third too, which would block for 5: 5 + 6 + 1 > 9.
        let tasks = [constrained(1, 9), constrained(2, 20), constrained(6, 7)];
        assert_eq!(ranks(&tasks, &[0, 1, 2]), Some(vec![1, 2, 0]));
    }

    /// Compatible tests know nothing of blocking, so systems that share resources are refused.
    #[test]
    fn systems_that_share_resources_are_refused() {
        use schedlab_model::{ResourceId, Step};
        let mut tasks = [constrained(1, 9), constrained(2, 20)];
        tasks[0].program = vec![Step::Request(ResourceId(0), 1), Step::Release(ResourceId(0), 1)];
        let refused = assign(&system(&tasks, &[0, 1], true), "response_time", &mut Budget::default());
        assert_eq!(refused, Err(Refused::Shares));
        assert!(Refused::Shares.to_string().starts_with("tasks share resources: "));
    }

    /// Among equals the later task gets the lower priority; ranks are those of the order, whatever was given.
    #[test]
    fn equals_keep_their_order() {
        let tasks = [constrained(2, 20), constrained(2, 20), constrained(2, 20)];
        for preemptive in [true, false] {
            let test = if preemptive { "response_time" } else { "np_response_time" };
            let ranks =
                assign(&system(&tasks, &[2, 0, 1], preemptive), test, &mut Budget::default()).unwrap();
            assert_eq!(ranks, Some(vec![0, 1, 2]));
        }
    }

    /// A response time as long as the relative deadline is short enough.
    #[test]
    fn what_just_fits_is_accepted() {
        let ranks = |relative_deadline| {
            let tasks = [constrained(3, 20), constrained(2, relative_deadline), constrained(4, 9)];
            assign(&system(&tasks, &[0; 3], true), "response_time", &mut Budget::default()).unwrap()
        };
        // The third has response 9 below the others, which just fits; of these the second has 2 above the first, and 5
        // below it.
        let above = Some(vec![1, 0, 2]);
        assert_eq!([1, 2, 4, 5].map(ranks), [None, above.clone(), above, Some(vec![0, 1, 2])]);
    }

    /// Without a budget nothing is found; the order at hand is not trusted.
    #[test]
    fn a_spent_budget_finds_nothing() {
        let tasks = [constrained(2, 9), constrained(3, 20)];
        assert_eq!(assign(&system(&tasks, &[0, 1], true), "response_time", &mut Budget::of(0)), Ok(None));
    }

    #[test]
    fn incompatible_tests_are_refused() {
        let tasks = [Task::implicit(Work::from_ns(1), Duration::from_ns(4))];
        let system = system(&tasks, &[0], true);
        for name in ["suspension_aware", "guan", "nobody"] {
            let refused = assign(&system, name, &mut Budget::default()).unwrap_err();
            assert!(refused.to_string().ends_with("allowed: response_time np_response_time"), "{refused}");
        }
        let does_not = Err(Refused::DoesNotApply("np_response_time"));
        assert_eq!(assign(&system, "np_response_time", &mut Budget::default()), does_not);
        let edf = AnalysedScheduler { preemptive: false, ..AnalysedScheduler::EDF };
        let by_deadline = System::global(&tasks, 1, &edf).unwrap();
        assert_eq!(assign(&by_deadline, "np_response_time", &mut Budget::default()), does_not);
    }
}

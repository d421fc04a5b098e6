//! Linear programs prove what the bounds in closed form leave open, and what no method bounds is not taken for zero.

use schedlab_analysis::blocking::{Blocking, Locking, Terms};
use schedlab_analysis::steps::Show;
use schedlab_analysis::{analyze_with_locks, deadlines_are_met};
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Answer};
use schedlab_lock::find_protocol;
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::{ClusterId, Duration, Platform, Resource, ResourceId, Step, Task, Work};

const RESOURCE: ResourceId = ResourceId(0);

/// Executes for 1, then requests the resource so many times for `length`.
fn task(cluster: u16, period: u64, requests: usize, length: u64) -> Task {
    let section =
        [Step::Request(RESOURCE, 1), Step::Execute(Work::from_ns(length)), Step::Release(RESOURCE, 1)];
    let mut program = vec![Step::Execute(Work::from_ns(1))];
    program.extend(std::iter::repeat_n(section, requests).flatten());
    let cost = Work::from_ns(1 + requests as u64 * length);
    let period = Duration::from_ns(period);
    Task { program, cluster: ClusterId(cluster), ..Task::implicit(cost, period) }
}

/// HIGH, LOW and LAST in falling priority; HIGH and LAST on one processor, LOW, which holds the resource for long, on
/// the other.
///
/// HIGH requests five times, each of which may wait for LOW's section of 10 (it executes above all else there, so W =
/// 10): 6 + 50 is beyond its deadline. But LOW has one job while HIGH has one, and that one section: 6 + 10.
fn tasks() -> Vec<Task> {
    vec![task(0, 50, 5, 1), task(1, 200, 1, 10), task(0, 200, 0, 0)]
}

fn with<T>(
    tasks: &[Task],
    protocol: &str,
    ask: impl Fn(&[Task], &Platform, &AnalysedScheduler<'_>, Locking<'_>) -> T,
) -> T {
    let scheduler = AnalysedScheduler {
        order: AnalysedOrder::FixedPriority,
        ranks: &[0, 1, 2],
        ..AnalysedScheduler::EDF
    };
    let locking = Locking {
        protocol,
        class: find_protocol(protocol).unwrap().class,
        resources: &[Resource { units: 1 }],
        short: &[false],
        attempts: &[],
        fails: &[],
        mutexes: &[],
    };
    ask(tasks, &Platform::partitioned(2), &scheduler, locking)
}

fn totals(blocking: &Blocking) -> Vec<Option<u64>> {
    blocking.terms.iter().map(|terms| terms.total()).collect()
}

#[test]
fn a_program_proves_more_than_the_closed_bound() {
    let closed = with(&tasks(), "mpcp", |tasks, platform, scheduler, locking| {
        analyze_with_locks(tasks, platform, scheduler, locking, &[], Show::Nothing).unwrap()
    });
    assert_eq!(closed.hard, Answer::Unknown);
    let met = |programs| {
        with(&tasks(), "mpcp", |tasks, platform, scheduler, locking| {
            deadlines_are_met(tasks, platform, scheduler, locking, programs).unwrap()
        })
    };
    assert!(!met(&[]) && met(PROGRAMS));
    let both = with(&tasks(), "mpcp", |tasks, platform, scheduler, locking| {
        analyze_with_locks(tasks, platform, scheduler, locking, PROGRAMS, Show::Nothing).unwrap()
    });
    assert_eq!(both.hard, Answer::Schedulable);
    let program = &both.more_blocking[0];
    assert_eq!((program.method, &program.not_a_bound), ("mpcp_program", &None));
    assert_eq!(totals(program)[0], Some(10));
    assert_eq!(both.response_times[0], Some(Duration::from_ns(16)));
}

/// Where a method stops at HIGH, those after it were not looked at: nothing is known of their blocking, which is not to
/// say that there is none.
#[test]
fn what_was_not_looked_at_is_not_bounded() {
    assert_eq!(Terms::default().total(), None);
    assert_eq!(Terms::default().as_execution(&task(0, 200, 0, 0)), None);
    // 6 + 10 is beyond this deadline.
    let tasks = [task(0, 15, 5, 1), task(1, 200, 1, 10), task(0, 200, 0, 0)];
    for (protocol, method) in
        [("mpcp", "mpcp_program"), ("msrp", "msrp_program"), ("fmlp+", "fmlp_plus_program")]
    {
        let found = with(&tasks, protocol, |tasks, platform, scheduler, locking| {
            analyze_with_locks(tasks, platform, scheduler, locking, PROGRAMS, Show::Nothing).unwrap()
        });
        assert_eq!(found.hard, Answer::Unknown);
        let program = &found.more_blocking[0];
        assert_eq!(program.method, method);
        assert!(program.not_a_bound.is_some());
        assert_eq!(totals(program)[1..], [None, None], "{method}: {:?}", program.terms);
    }
}

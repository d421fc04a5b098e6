//! The FMLP with a short and a long resource, computed by hand.
//!
//! Tasks A, B and C, periods and deadlines 100. Short resource s: A holds it for 2, B for 3, C for 1. Long resource l:
//! A for 10, B for 4. Each requests each once. Then with requests for s inside sections of l.

use schedlab_analysis::blocking::Sections;
use schedlab_analysis::blocking::{fmlp, Case, Locking, Requests, Sharer, Sharing, Terms};
use schedlab_analysis::AnalysedScheduler;
use schedlab_model::LockingClass;
use schedlab_model::{ClusterId, Duration, Platform, Resource, ResourceId, Step, Task, Work};

fn sharing(clusters: [u32; 3]) -> Sharing {
    let (s, l) = (|length| Requests::mutex(0, 1, length), |length| Requests::mutex(1, 1, length));
    let requests: [&[Requests]; 3] = [&[s(2), l(10)], &[s(3), l(4)], &[s(1)]];
    let mut sharing = Sharing::new(1 + clusters[1], vec![1, 1]);
    for ((cluster, cost), requests) in clusters.into_iter().zip([20, 20, 6]).zip(requests) {
        let task = Sharer { cost, period: 100, relative_deadline: 100, cluster, level: 0 };
        sharing.push(task, requests).unwrap();
    }
    sharing
}

fn case(platform: &Platform) -> Case<'_> {
    let locking = Locking {
        protocol: "fmlp",
        class: LockingClass::Fmlp,
        resources: &[Resource { units: 1 }; 2],
        short: &[true, false],
        attempts: &[],
        fails: &[],
        mutexes: &[],
    };
    Case { tasks: &[], platform, scheduler: &AnalysedScheduler::EDF, locking }
}

/// Two processors, G-EDF. One request for s spins for one other, the longest (two processors): A for B's 3, B for A's
/// 2, C for B's 3. A job that arrives may be kept off its processor by one spin and section of another: at most 2 + 3,
/// or 3 + 2. So may one that resumes with l, or is raised by the other who waits for it; sections of l, with such
/// delays when they are granted and raised, last 10 + 10 and 4 + 10.
#[test]
fn global_terms_are_those_of_the_hand() {
    let platform = Platform::global(2);
    let terms = fmlp::global(&case(&platform), &sharing([0, 0, 0]), &[100; 3]);
    let a = Terms::new(3 + (4 + 10), 5 + 5 + 5);
    let b = Terms::new(2 + (10 + 10), 5 + 5 + 5);
    let c = Terms::new(3, 5);
    assert_eq!(terms, [a, b, c]);
}

/// A and C on one processor, B on another, P-EDF. Spins as above. When A is granted l, two jobs of C (one pending, one
/// that arrives) may precede it, each 6 + 3: B waits 18 + 10. Nothing precedes B: A waits 4. When A resumes, C may be
/// in its section: 3 + 1. On arrival C's spin and section delay A, and A's section of l, not preempted once it
/// executes, delays C.
#[test]
fn partitioned_terms_are_those_of_the_hand() {
    let platform = Platform::partitioned(2);
    let found = fmlp::partitioned(&case(&platform), &sharing([0, 1, 0]));
    let a = Terms::new(3 + 4, (3 + 1) + (3 + 1));
    let b = Terms::new(2 + (18 + 10), 0);
    let c = Terms::new(3, 10);
    assert_eq!(found.terms, [a, b, c]);
    assert!(found.met.is_ok());
}

const S: [Step; 2] = [Step::Request(ResourceId(0), 1), Step::Release(ResourceId(0), 1)];
const L: [Step; 2] = [Step::Request(ResourceId(1), 1), Step::Release(ResourceId(1), 1)];

fn run(ns: u64) -> Step {
    Step::Execute(Work::from_ns(ns))
}

/// A holds l for 10, and s for 3 of them; B, of cost 8, holds s for 4; C, of cost 6, holds l all the time.
fn nested(clusters: [u16; 3]) -> Vec<Task> {
    let programs = [
        vec![L[0], run(2), S[0], run(3), S[1], run(5), L[1]],
        vec![run(4), S[0], run(4), S[1]],
        vec![L[0], run(6), L[1]],
    ];
    let task = |((program, cost), cluster)| Task {
        program,
        cluster: ClusterId(cluster),
        ..Task::implicit(Work::from_ns(cost), Duration::from_ns(100))
    };
    programs.into_iter().zip([10, 8, 6]).zip(clusters).map(task).collect()
}

/// Two processors, G-EDF. A spins for B's 4, B for A's 3; both together are 7. A's section of l is 10 + 4, C's 6; each
/// is kept off its processor for 7 when it is granted, and for 7 when the other raises it. On arrival, when it resumes
/// with l, and when either of the two other jobs of a task that meets it raises a holder, a job is kept off for 7.
#[test]
fn short_requests_lengthen_global_sections() {
    let platform = Platform::global(2);
    let tasks = nested([0; 3]);
    let case = Case { tasks: &tasks, ..case(&platform) };
    let sharing = case.sharing(Sections::Groups).unwrap();
    let a = Terms::new(4 + (6 + 14), 7 * (1 + 1 + 2));
    let b = Terms::new(3, 7 * (1 + 4));
    let c = Terms::new(14 + 14, 7 * (1 + 1 + 2));
    assert_eq!(fmlp::global(&case, &sharing, &[100; 3]), [a, b, c]);
}

/// A on one processor, B and C on another, P-EDF. When C is granted l, two jobs of B may precede it, each 8 + 3: A
/// waits for 22 + 6, C for 10 + 4. When C resumes, B may be in its section: 3 + 4. On arrival B's spin and section
/// delay C, and C's section delays B.
#[test]
fn short_requests_lengthen_sections_of_partitions() {
    let platform = Platform::partitioned(2);
    let tasks = nested([0, 1, 1]);
    let case = Case { tasks: &tasks, ..case(&platform) };
    let sharing = case.sharing(Sections::Groups).unwrap();
    let found = fmlp::partitioned(&case, &sharing);
    let a = Terms::new(4 + (22 + 6), 0);
    let b = Terms::new(3, 6);
    let c = Terms::new(10 + 4, 7 + 7);
    assert_eq!(found.terms, [a, b, c]);
    assert!(found.met.is_ok());
}

/// The other way round a job would suspend itself where it must not be preempted.
#[test]
fn long_requests_inside_short_sections_are_refused() {
    let platform = Platform::global(2);
    let mut tasks = nested([0; 3]);
    tasks[1].program = vec![run(4), S[0], L[0], run(4), L[1], S[1]];
    let case = Case { tasks: &tasks, ..case(&platform) };
    let said = "T1 requests R1, which is long, while it holds R0, which is short; allowed: short ones inside long ones";
    assert_eq!(case.sharing(Sections::Groups).unwrap_err().to_string(), said);
}

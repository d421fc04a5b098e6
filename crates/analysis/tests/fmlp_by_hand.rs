//! The FMLP with a short and a long resource, computed by hand.
//!
//! Tasks A, B and C, periods and deadlines 100. Short resource s: A holds it for 2, B for 3, C for 1. Long resource l: A for
//! 10, B for 4. Each requests each once.

use schedlab_analysis::blocking::{fmlp, Case, Locking, Request, Sharer, Sharing, Terms};
use schedlab_analysis::Scheduler;
use schedlab_model::Platform;

fn sharing(clusters: [u32; 3]) -> Sharing {
    let (s, l) = (|length| Request::mutex(0, 1, length), |length| Request::mutex(1, 1, length));
    let requests: [&[Request]; 3] = [&[s(2), l(10)], &[s(3), l(4)], &[s(1)]];
    let mut sharing = Sharing::new(1 + clusters[1], vec![1, 1]);
    for ((cluster, cost), requests) in clusters.into_iter().zip([20, 20, 6]).zip(requests) {
        let task = Sharer { cost, period: 100, relative_deadline: 100, cluster, level: 0 };
        sharing.push(task, requests).unwrap();
    }
    sharing
}

fn case(platform: &Platform) -> Case<'_> {
    let locking = Locking { protocol: "fmlp", resources: &[], short: &[true, false] };
    Case { tasks: &[], platform, scheduler: &Scheduler::EDF, locking }
}

/// Two processors, G-EDF. One request for s spins for one other, the longest (two processors): A for B's 3, B for A's 2, C
/// for B's 3. A job that arrives may be kept off its processor by one spin and section of another: at most 2 + 3, or
/// 3 + 2. So may one that resumes with l, and a holder of l, when it inherits and when it is granted: sections of l last 10 + 10 and 4 + 10.
#[test]
fn global_terms_are_those_of_the_hand() {
    let platform = Platform::global(2);
    let terms = fmlp::global(&case(&platform), &sharing([0, 0, 0]), &[100; 3]);
    let a = Terms::new(3 + (4 + 10), 5 + 5);
    let b = Terms::new(2 + (10 + 10), 5 + 5);
    let c = Terms::new(3, 5);
    assert_eq!(terms, [a, b, c]);
}

/// A and C on one processor, B on another, P-EDF. Spins as above. When A is granted l, two jobs of C (one pending, one that
/// arrives) may precede it, each 6 + 3: B waits 18 + 10. Nothing precedes B: A waits 4. When A resumes, C may be in its
/// section: 3 + 1. On arrival C's spin and section delay A, and A's section of l, not preempted once it executes, delays C.
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

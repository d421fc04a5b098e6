//! What locking protocols promise: who is granted first, that no job is denied, no deadlock, one blocking.

use super::{broken, only_rejects, verdict_in};
use schedlab_model::{Invariant, Resource};
use schedlab_report::Context;

/// Three jobs on one processor, T0 most urgent; T2 holds the mutex and both others wait for it.
fn both_wait(granted: &str) -> String {
    format!(
        "
0 arrival T2J0 90 5
0 ready T2J0 30 0
0 link P0 T2J0
0 dispatch P0 T2J0
1 request T2J0 R0 1
1 acquire T2J0 R0 1
2 arrival T1J0 80 5
2 ready T1J0 20 0
2 link P0 T1J0
2 preempt P0 T2J0
2 dispatch P0 T1J0
3 request T1J0 R0 1
3 suspend T1J0 R0
3 link P0 T2J0
3 dispatch P0 T2J0
4 arrival T0J0 70 5
4 ready T0J0 10 0
4 link P0 T0J0
4 preempt P0 T2J0
4 dispatch P0 T0J0
5 request T0J0 R0 1
5 suspend T0J0 R0
5 link P0 T2J0
5 dispatch P0 T2J0
6 release T2J0 R0 1
6 acquire {granted} R0 1
"
    )
}

fn one_processor(promise: Invariant) -> Context {
    let resources = vec![Resource { units: 1 }; 2];
    Context { resources, promises: vec![promise], ..Context::global(1) }
}

#[test]
fn grants_in_order() {
    let fifo = "at 6 ns: T0J0 is granted R0 although T1J0, which waits for it too, has waited longer";
    only_rejects(
        &one_processor(Invariant::GrantsAreFifo),
        Invariant::GrantsAreFifo,
        fifo,
        &both_wait("T0J0"),
    );
    assert!(verdict_in(&one_processor(Invariant::GrantsAreFifo), &both_wait("T1J0")).holds());
    for (invariant, why) in [
        (Invariant::GrantsByBasePriority, "a higher base priority"),
        (Invariant::GrantsByPriority, "a higher priority"),
    ] {
        let what = format!("at 6 ns: T1J0 is granted R0 although T0J0, which waits for it too, has {why}");
        only_rejects(&one_processor(invariant), invariant, &what, &both_wait("T1J0"));
        assert!(verdict_in(&one_processor(invariant), &both_wait("T0J0")).holds());
    }
}

/// By effective priority, and not by base priority, the job that inherited the most goes first.
#[test]
fn inherited_priorities_count_for_one_order_only() {
    let raised = both_wait("T1J0").replace("6 release", "6 priority T1J0 1\n6 release");
    assert!(verdict_in(&one_processor(Invariant::GrantsByPriority), &raised).holds());
    assert!(!verdict_in(&one_processor(Invariant::GrantsByBasePriority), &raised).holds());
}

#[test]
fn requests_are_never_denied() {
    let invariant = Invariant::RequestsAreNeverDenied;
    let verdict = verdict_in(&one_processor(invariant), &both_wait("T1J0"));
    assert_eq!(broken(&verdict), [invariant]);
    let found: Vec<_> = verdict.outcomes.iter().flat_map(|outcome| &outcome.found.violations).collect();
    assert_eq!(found[0].to_string(), "at 3 ns: T1J0 has to wait for R0");
    assert_eq!(found[1].to_string(), "at 5 ns: T0J0 has to wait for R0");
}

/// T1 holds R0 and wants R1, T0 holds R1 and wants R0.
#[test]
fn no_deadlock() {
    let text = "
0 arrival T1J0 90 5
0 ready T1J0 20 0
0 dispatch P0 T1J0
1 request T1J0 R0 1
1 acquire T1J0 R0 1
2 arrival T0J0 80 5
2 ready T0J0 10 0
2 preempt P0 T1J0
2 dispatch P0 T0J0
3 request T0J0 R1 1
3 acquire T0J0 R1 1
4 request T0J0 R0 1
4 suspend T0J0 R0
4 dispatch P0 T1J0
5 request T1J0 R1 1
5 suspend T1J0 R1
";
    let what = "at 5 ns: T1J0 waits for R1 and so for itself, by way of T0J0";
    only_rejects(&one_processor(Invariant::NoDeadlock), Invariant::NoDeadlock, what, text);
    let without_circle = text.replace("5 request T1J0 R1 1\n5 suspend T1J0 R1\n", "");
    assert!(verdict_in(&one_processor(Invariant::NoDeadlock), &without_circle).holds());
}

/// T0 waits for a section of T2, and then for one of T1, which is less urgent than T0 too.
#[test]
fn blocked_at_most_once() {
    let text = "
0 arrival T2J0 90 9
0 ready T2J0 30 0
0 dispatch P0 T2J0
1 request T2J0 R0 1
1 acquire T2J0 R0 1
2 arrival T0J0 70 5
2 ready T0J0 10 0
3 release T2J0 R0 1
3 preempt P0 T2J0
3 arrival T1J0 80 5
3 ready T1J0 20 0
3 dispatch P0 T1J0
4 preempt P0 T1J0
4 dispatch P0 T0J0
";
    let what = "at 3 ns: T0J0 waits for T1J0, and waited for T2J0 before";
    only_rejects(&one_processor(Invariant::BlockedAtMostOnce), Invariant::BlockedAtMostOnce, what, text);
    let once =
        text.replace("3 dispatch P0 T1J0\n4 preempt P0 T1J0\n4 dispatch P0 T0J0\n", "3 dispatch P0 T0J0\n");
    assert!(verdict_in(&one_processor(Invariant::BlockedAtMostOnce), &once).holds());
    // The run ends as the section does: no job is dispatched, and none waits.
    let ends = text.split("3 preempt").next().unwrap();
    assert!(verdict_in(&one_processor(Invariant::BlockedAtMostOnce), ends).holds());
    let second_section = text.replace("3 preempt", "3 request T2J0 R0 1\n3 acquire T2J0 R0 1\n5 preempt");
    let second_section = second_section.split("3 arrival T1J0").next().unwrap().to_string();
    assert_eq!(
        broken(&verdict_in(
            &one_processor(Invariant::BlockedAtMostOnce),
            &(second_section + "6 dispatch P0 T0J0\n")
        )),
        [Invariant::BlockedAtMostOnce]
    );
}

/// Under SRP, T0 waits for a section of T1. T1 leaves it at 5 and goes on until 7, as a thread does that has yet to
/// stop.
const STOPS_LATE: &str = "
0 arrival T1J0 90 0
0 ready T1J0 30 0
0 link P0 T1J0
0 dispatch P0 T1J0
1 request T1J0 R0 1
1 acquire T1J0 R0 1
2 arrival T0J0 70 0
2 ready T0J0 10 0
2 suspend T0J0 gate
5 release T1J0 R0 1
5 resume T0J0
5 link P0 T0J0
7 preempt P0 T1J0
7 dispatch P0 T0J0
9 complete T0J0
";

fn blocks_twice(text: &str) -> bool {
    let invariant = Invariant::BlockedAtMostOnce;
    let verdict = verdict_in(&one_processor(invariant), text);
    assert!(broken(&verdict).is_empty() || broken(&verdict) == [invariant], "{verdict:?}");
    !verdict.holds()
}

#[test]
fn a_job_that_has_yet_to_stop_blocks_no_other() {
    assert!(!blocks_twice(STOPS_LATE));
    // It was told to stop before the section that T0 waits for later: while it executes outside of any, and within one.
    let earlier = |held: &str| {
        format!(
            "
0 arrival T2J0 95 9
0 ready T2J0 40 0
0 link P0 T2J0
0 dispatch P0 T2J0
1 request T2J0 R0 1
1 acquire T2J0 R0 1
2 arrival T1J0 90 9
2 ready T1J0 30 0
2 link P0 T1J0
2 preempt P0 T2J0
2 dispatch P0 T1J0
3 request T1J0 R1 1
3 acquire T1J0 R1 1
{held}4 arrival T0J0 70 5
4 ready T0J0 10 0
4 link P0 T0J0
6 preempt P0 T1J0
6 dispatch P0 T0J0
7 request T0J0 R0 1
7 suspend T0J0 R0
7 link P0 T2J0
7 dispatch P0 T2J0
8 release T2J0 R0 1
8 resume T0J0
8 link P0 T0J0
9 preempt P0 T2J0
9 dispatch P0 T0J0
"
        )
    };
    for text in [earlier(""), earlier("3 release T1J0 R1 1\n")] {
        assert!(!blocks_twice(&text), "{text}");
    }
}

/// A job that was told to stop and is in a section all the same keeps others waiting.
#[test]
fn a_section_begun_after_the_word_to_stop_blocks() {
    let again = STOPS_LATE.replace("7 preempt", "6 request T1J0 R1 1\n6 acquire T1J0 R1 1\n7 preempt");
    assert!(blocks_twice(&again));
    let spins = STOPS_LATE.replace("7 preempt", "6 request T1J0 R1 1\n6 spin T1J0 R1\n7 preempt");
    assert!(blocks_twice(&spins));
    // The link changes, but the section is not preemptive: its end is waited for.
    let enters = STOPS_LATE.replace("7 preempt", "6 np_enter T1J0\n7 preempt");
    assert!(blocks_twice(&enters));
    // No decision told it to stop.
    let goes_on =
        STOPS_LATE.replace("5 link P0 T0J0\n", "").replace("7 preempt", "7 link P0 T0J0\n7 preempt");
    assert!(blocks_twice(&goes_on));
}

//! Each invariant rejects its mutant, a small bad trace, and no other invariant does; good traces pass.

mod promises_of_locks;
mod servers;

use crate::support::lines::parse;
use schedlab_model::{CpuId, Duration, Instant, Invariant, JobId, Resource, TaskId, TaskPiece, Work};
use schedlab_report::invariants::{check, InvariantChecks};
use schedlab_report::Context;

/// Two processors in one cluster, a mutex, and every promise.
fn context() -> Context {
    let resources = vec![Resource { units: 1 }];
    let promises = vec![
        Invariant::HoldersAreNotPreempted,
        Invariant::WorkConserving,
        Invariant::RespectsPriority,
        Invariant::NonPreemptive,
    ];
    Context { resources, promises, ..Context::global(2) }
}

fn verdict_in(context: &Context, text: &str) -> InvariantChecks {
    check(context, parse(text))
}

fn broken(verdict: &InvariantChecks) -> Vec<Invariant> {
    verdict.outcomes.iter().filter(|outcome| !outcome.holds()).map(|outcome| outcome.invariant).collect()
}

/// `text` violates `invariant` once, saying `what`, and nothing else.
#[track_caller]
fn only_rejects(context: &Context, invariant: Invariant, what: &str, text: &str) {
    let verdict = verdict_in(context, text);
    let violations: Vec<_> = verdict.outcomes.iter().flat_map(|outcome| &outcome.found.violations).collect();
    assert_eq!(broken(&verdict), [invariant], "{violations:#?}");
    assert_eq!(violations.len(), 1, "{violations:#?}");
    assert_eq!(violations[0].to_string(), what);
}

const GOOD: &str = "
0 join T0
0 arrival T0J0 10 3
0 arrival T1J0 8 4
0 arrival T2J0 20 6
0 ready T0J0 10 0
0 ready T1J0 8 0
0 ready T2J0 20 0
0 link P0 T1J0
0 link P1 T0J0
0 dispatch P0 T1J0
0 dispatch P1 T0J0
1 request T1J0 R0 1
1 acquire T1J0 R0 1
2 request T0J0 R0 1
2 spin T0J0 R0
3 release T1J0 R0 1
3 acquire T0J0 R0 1
4 complete T1J0
4 link P0 T2J0
4 overhead_begin P0 context_switch T2J0
4 release T0J0 R0 1
4 complete T0J0
4 link P1 -
6 overhead_end P0 context_switch
6 dispatch P0 T2J0
8 suspend T2J0 itself
8 link P0 -
11 arrival T0J1 21 1
11 ready T0J1 21 0
11 link P1 T0J1
11 dispatch P1 T0J1
12 complete T0J1
12 link P1 -
12 resume T2J0
12 link P1 T2J0
12 dispatch P1 T2J0
13 overhead_begin P1 ipi T2J0
14 overhead_begin P1 tick -
19 overhead_end P1 ipi
20 overhead_end P1 tick
22 complete T2J0
22 miss T2J0
22 link P1 -
30 end
";

#[test]
fn a_good_trace_passes() {
    let verdict = verdict_in(&context(), GOOD);
    assert!(verdict.holds(), "{verdict:#?}");
    assert!(
        verdict.ended && verdict.records == 44 && verdict.outcomes.len() == Invariant::UNIVERSAL.len() + 4,
        "{verdict:?}"
    );
}

/// All prefixes of a good trace are good: a cut trace is not accused of what it lacks.
#[test]
fn a_cut_trace_passes() {
    let records = parse(GOOD);
    for length in 0..records.len() {
        let verdict = check(&context(), records[..length].iter().copied());
        assert!(verdict.holds() && !verdict.ended, "{length}: {verdict:#?}");
    }
}

#[test]
fn nothing_is_judged_once_records_are_lost() {
    let verdict = verdict_in(&context(), "0 join T0\n5 lost 3\n6 complete T0J7\n7 end");
    assert!(verdict.holds() && verdict.lost_at.is_some() && verdict.records == 1);
}

#[test]
fn promises_are_checked_only_if_made() {
    assert_eq!(verdict_in(&Context::global(1), "0 end").outcomes.len(), Invariant::UNIVERSAL.len());
}

#[test]
fn time_is_monotone() {
    let what = "at 2 ns: a record follows one of time 3 ns";
    only_rejects(&context(), Invariant::TimeIsMonotone, what, "3 join T0\n2 join T1\n4 end");
}

/// One job on one of two processors, from 0 to 5; `more` goes where its name says.
fn one_job(before: &str, during: &str, after: &str) -> String {
    format!(
        "{before}\n0 arrival T0J0 10 5\n0 ready T0J0 10 0\n0 link P0 T0J0\n0 dispatch P0 T0J0
{during}\n5 complete T0J0\n5 link P0 -\n{after}\n90 end"
    )
}

#[test]
fn completed_jobs_dont_execute() {
    let what = "at 6 ns: T0J0 is dispatched on P0 after it was done";
    only_rejects(
        &context(),
        Invariant::CompletedJobsDontExecute,
        what,
        &one_job("", "", "6 dispatch P0 T0J0"),
    );
    let aborted = "0 arrival T0J0 10 5\n1 abort T0J0\n6 dispatch P0 T0J0\n7 end";
    only_rejects(&context(), Invariant::CompletedJobsDontExecute, what, aborted);
}

#[test]
fn jobs_must_be_ready_to_execute() {
    let invariant = Invariant::JobsMustBeReadyToExecute;
    let what = "at 0 ns: T0J0 is dispatched on P0 before it is ready";
    let early = "0 arrival T0J0 10 5\n0 link P0 T0J0\n0 dispatch P0 T0J0\n0 ready T0J0 10 0\n5 complete T0J0\n5 link P0 -\n6 end";
    only_rejects(&context(), invariant, what, early);
    let what = "at 3 ns: T0J0 is dispatched on P1 while it is suspended";
    let asleep = "2 suspend T0J0 itself\n2 link P0 -\n3 link P1 T0J0\n3 dispatch P1 T0J0\n4 resume T0J0\n4 preempt P1 T0J0\n4 dispatch P1 T0J0";
    // On P1 from 3 to 4 and from 4 to 6.
    let text =
        one_job("", asleep, "").replace("5 complete", "6 complete").replace("5 link P0 -", "6 link P1 -");
    only_rejects(&context(), invariant, what, &text);
    let what = "at 0 ns: T7J0 is dispatched on P1 before it has arrived";
    only_rejects(&context(), invariant, what, "0 dispatch P1 T7J0\n1 end");
}

#[test]
fn one_processor_at_a_time() {
    let invariant = Invariant::OneProcessorAtATime;
    let two = "0 arrival T0J0 10 5\n0 arrival T1J0 10 5\n0 ready T0J0 10 0\n0 ready T1J0 10 0\n0 link P0 T0J0\n0 link P1 T1J0\n";
    let what = "at 3 ns: T1J0 is dispatched on P0, which T0J0 has not left";
    let shared = format!("{two}0 dispatch P0 T0J0\n3 dispatch P0 T1J0\n9 end");
    only_rejects(&context(), invariant, what, &shared);
    let what = "at 2 ns: T0J0 is dispatched on P1 while it is on P0";
    let torn = "0 arrival T0J0 10 5\n0 ready T0J0 10 0\n0 link P0 T0J0\n0 dispatch P0 T0J0\n2 dispatch P1 T0J0\n5 complete T0J0\n5 link P0 -\n9 end";
    only_rejects(&context(), invariant, what, torn);
}

#[test]
fn jobs_in_order() {
    let invariant = Invariant::JobsInOrder;
    let what = "at 0 ns: T0J1 becomes ready before T0J0 is done";
    let together = "0 arrival T0J1 20 1\n0 ready T0J1 20 0\n0 link P1 T0J1\n0 dispatch P1 T0J1\n1 complete T0J1\n1 link P1 -";
    only_rejects(&context(), invariant, what, &one_job("", together, ""));
    let what = "at 6 ns: T0J0 becomes ready after T0J0";
    only_rejects(&context(), invariant, what, &one_job("", "", "6 ready T0J0 10 0"));
    let what = "at 6 ns: T0J0 completes but is not there";
    only_rejects(&context(), invariant, what, &one_job("", "", "6 complete T0J0"));
    let what = "at 3 ns: T0J0 arrives after T0J1";
    only_rejects(&context(), invariant, what, "2 arrival T0J1 9 0\n3 arrival T0J0 9 0\n4 end");
}

#[test]
fn completed_jobs_received_their_cost() {
    let invariant = Invariant::CompletedJobsReceivedTheirCost;
    let reload =
        "2 overhead_begin P0 cache_related_preemption T0J0\n3 overhead_end P0 cache_related_preemption";
    let what = "at 5 ns: T0J0 completes after receiving 4 ns of its cost 5 ns";
    only_rejects(&context(), invariant, what, &one_job("", reload, ""));
    let spun = "2 spin T0J0 R0\n3 acquire T0J0 R0 1\n4 release T0J0 R0 1";
    only_rejects(&context(), invariant, what, &one_job("", spun, ""));
    // An overhead that began before the dispatch and ends after it.
    let late = one_job("0 overhead_begin P0 tick -", "1 overhead_end P0 tick", "");
    only_rejects(&context(), invariant, what, &late);
    let what = "at 5 ns: T0J0 completes after receiving 5 ns of its cost 4 ns";
    only_rejects(&context(), invariant, what, &one_job("", "", "").replace("10 5", "10 4"));
    assert!(verdict_in(&context(), &one_job("", "", "").replace("10 5", "10 0")).holds(), "unknown cost");
}

#[test]
fn jobs_stay_in_their_cluster() {
    let mut context = context();
    context.clusters[0].0 = 1;
    let what = "at 0 ns: T0J0 of cluster C0 is dispatched on P0 of cluster C1";
    only_rejects(&context, Invariant::JobsStayInTheirCluster, what, &one_job("", "", ""));
    let moved = one_job("", "", "").replace("0 link P0 T0J0", "0 move T0J0 1\n0 link P0 T0J0");
    assert!(verdict_in(&context, &moved).holds());
}

#[test]
fn misses_are_recorded() {
    let invariant = Invariant::MissesAreRecorded;
    let late = one_job("", "", "").replace("10 5", "4 5");
    only_rejects(
        &context(),
        invariant,
        "at 5 ns: T0J0 missed its deadline 4 ns, but no miss is recorded",
        &late,
    );
    assert!(verdict_in(&context(), &late.replace("5 complete T0J0", "5 miss T0J0\n5 complete T0J0")).holds());
    let what = "at 5 ns: a miss of T0J0 is recorded, which met its deadline 5 ns";
    let in_time = one_job("", "", "5 miss T0J0").replace("10 5", "5 5");
    only_rejects(&context(), invariant, what, &in_time);
    let what = "at 20 ns: T0J0 missed its deadline 10 ns, but no miss is recorded";
    only_rejects(&context(), invariant, what, "0 arrival T0J0 10 5\n20 end");
    assert!(verdict_in(&context(), "0 arrival T0J0 20 5\n20 end").holds(), "at its deadline, undecided");
    let what = "at 7 ns: a miss of T0J0 is recorded but it is not there";
    only_rejects(&context(), invariant, what, &one_job("", "", "7 miss T0J0"));
    let what = "at 5 ns: a miss of T0J0 is recorded again";
    only_rejects(
        &context(),
        invariant,
        what,
        &format!("{}5 miss T0J0\n5 miss T0J0\n6 end", late.replace("90 end", "")),
    );
}

#[test]
fn overheads_occupy_the_processor() {
    let invariant = Invariant::OverheadsOccupyTheProcessor;
    let what = "at 1 ns: overhead tick begins on P1 during release, which began at 0 ns";
    let nested = "0 overhead_begin P1 release -\n1 overhead_begin P1 tick -\n2 overhead_end P1 tick\n9 end";
    only_rejects(&context(), invariant, what, nested);
    let what = "at 2 ns: overhead tick ends on P1 without having begun";
    only_rejects(&context(), invariant, what, "2 overhead_end P1 tick\n9 end");
    let what = "at 5 ns: T0J0 completes on P0 during overhead tick";
    let inside = one_job("", "4 overhead_begin P0 tick -", "7 overhead_end P0 tick").replace("10 5", "10 4");
    only_rejects(&context(), invariant, what, &inside);
}

#[test]
fn mutual_exclusion() {
    let invariant = Invariant::MutualExclusion;
    let what = "at 2 ns: T9J0 acquires 1 of R0: 2 of its 1 units are held";
    let twice = "1 acquire T0J0 R0 1\n2 acquire T9J0 R0 1\n3 release T9J0 R0 1\n4 release T0J0 R0 1";
    only_rejects(&context(), invariant, what, &one_job("", twice, ""));
    let what = "at 4 ns: T0J0 releases 1 of R0 but holds 0";
    only_rejects(&context(), invariant, what, &one_job("", "4 release T0J0 R0 1", ""));
}

#[test]
fn holders_are_not_preempted() {
    let invariant = Invariant::HoldersAreNotPreempted;
    let what = "at 3 ns: T0J0 is preempted while it holds R0";
    let held = "1 acquire T0J0 R0 1\n3 preempt P0 T0J0\n3 dispatch P0 T0J0\n4 release T0J0 R0 1";
    only_rejects(&context(), invariant, what, &one_job("", held, ""));
    let before = "1 acquire T0J0 R0 1\n3 release T0J0 R0 1\n3 preempt P0 T0J0\n3 dispatch P0 T0J0";
    assert!(verdict_in(&context(), &one_job("", before, "")).holds());
}

/// A section that is known to take longer than it should, by its job and its grant, excuses that its holder is
/// preempted: not that it gives up its processor.
#[test]
fn holders_of_overlong_sections_are_excused() {
    let invariant = Invariant::HoldersAreNotPreempted;
    let preempted = "1 acquire T0J0 R0 1\n3 preempt P0 T0J0\n3 dispatch P0 T0J0\n4 release T0J0 R0 1";
    let found = |number, at, records: &str| {
        let overlong = [(JobId::new(TaskId(0), number), Instant::from_ns(at))].into();
        let verdict = verdict_in(&Context { overlong, ..context() }, &one_job("", records, ""));
        let of = verdict.outcomes.into_iter().find(|outcome| outcome.invariant == invariant).unwrap();
        (of.found.count, of.found.excused)
    };
    assert_eq!(found(0, 1, preempted), (0, 1));
    assert_eq!((found(0, 2, preempted), found(1, 1, preempted)), ((1, 0), (1, 0)), "that is another section");
    let given_up = preempted.replace("3 preempt P0 T0J0", "2 suspend T0J0 R0\n3 resume T0J0");
    assert_eq!(found(0, 1, &given_up), (1, 0));
}

/// What a failed attempt received does not count, also if it was preempted meanwhile.
#[test]
fn failed_attempts_give_no_service() {
    let tried = "1 attempt T0J0 R0\n2 preempt P0 T0J0\n2 dispatch P0 T0J0\n4 retry T0J0 R0\n5 commit T0J0 R0";
    let cost = |cost: &str| one_job("", tried, "").replace("10 5", &format!("10 {cost}"));
    assert!(verdict_in(&context(), &cost("2")).holds());
    let what = "at 5 ns: T0J0 completes after receiving 2 ns of its cost 5 ns";
    let invariant = Invariant::CompletedJobsReceivedTheirCost;
    only_rejects(&context(), invariant, what, &cost("5"));
}

/// An attempt fails because of an operation of another job that overlaps it: one, or as many as the object says.
#[test]
fn retries_are_bounded() {
    let (invariant, context) =
        (Invariant::RetriesAreBounded, Context { promises: vec![Invariant::RetriesAreBounded], ..context() });
    // What was done in vain is no service: the cost is the rest.
    let tried = |records: &str, cost| one_job("", records, "").replace("10 5", &format!("10 {cost}"));
    let alone = "1 attempt T0J0 R0\n4 retry T0J0 R0\n5 commit T0J0 R0";
    let what = "at 4 ns: 1 attempts of T0J0 on R0 failed, beside 0 operations that fail 1 each";
    only_rejects(&context, invariant, what, &tried(alone, 2));
    // Another operation that goes on when this one begins, or begins within it, fails one attempt, and not two.
    let beside = "0 attempt T9J0 R0\n1 attempt T0J0 R0\n2 commit T9J0 R0\n3 retry T0J0 R0\n5 commit T0J0 R0";
    assert!(verdict_in(&context, &tried(beside, 3)).holds());
    let within = "1 attempt T0J0 R0\n1 attempt T9J0 R0\n2 commit T9J0 R0\n3 retry T0J0 R0\n4 retry T0J0 R0\n5 commit T0J0 R0";
    let what = "at 4 ns: 2 attempts of T0J0 on R0 failed, beside 1 operations that fail 1 each";
    only_rejects(&context, invariant, what, &tried(within, 2));
    let queue = Context { fails: vec![3], ..context.clone() };
    assert!(verdict_in(&queue, &tried(within, 2)).holds());
    let unexplained = "at 3 ns: 1 attempts of T0J0 on R0 failed, beside 0 operations that fail 1 each";
    let elsewhere = beside.replace("T9J0 R0", "T9J0 R1");
    only_rejects(&context, invariant, unexplained, &tried(&elsewhere, 3));
    let over = beside.replace("1 attempt T0J0", "0 commit T9J0 R0\n1 attempt T0J0");
    only_rejects(&context, invariant, unexplained, &tried(&over, 3));
    let what = "at 4 ns: T0J0 tries R0 again without having tried it";
    only_rejects(&context, invariant, what, &tried("4 retry T0J0 R0\n5 commit T0J0 R0", 5));
}

/// Three jobs on two processors; `links` decides.
fn three_jobs(links: &str) -> String {
    format!(
        "0 arrival T0J0 90 0\n0 arrival T1J0 90 0\n0 arrival T2J0 90 0
0 ready T0J0 10 0\n0 ready T1J0 11 0\n0 ready T2J0 12 0\n{links}\n80 end"
    )
}

#[test]
fn work_conserving() {
    let what = "at 0 ns: P1 has no link although T1J0 is backlogged";
    only_rejects(&context(), Invariant::WorkConserving, what, &three_jobs("0 link P0 T0J0"));
    let gated = three_jobs("0 suspend T1J0 gate\n0 suspend T2J0 gate\n0 link P0 T0J0");
    assert!(verdict_in(&context(), &gated).holds(), "what the gate holds is not backlogged");
    let what = "at 5 ns: P1 has no link although T2J0 is backlogged";
    let stale = "0 link P0 T0J0\n0 link P1 T1J0\n5 complete T1J0\n6 link P1 T2J0";
    only_rejects(&context(), Invariant::WorkConserving, what, &three_jobs(stale));
}

#[test]
fn respects_priority() {
    let invariant = Invariant::RespectsPriority;
    let what = "at 0 ns: T0J0 is backlogged although T2J0, linked to P1, is less urgent";
    only_rejects(&context(), invariant, what, &three_jobs("0 link P0 T1J0\n0 link P1 T2J0"));
    let what = "at 5 ns: T2J0 is backlogged although T1J0, linked to P1, is less urgent";
    let raised = "0 link P0 T0J0\n0 link P1 T1J0\n5 priority T2J0 boosted:0:T2J0";
    only_rejects(&context(), invariant, what, &three_jobs(raised));
    let within = "0 link P0 T1J0\n0 link P1 T2J0\n0 link P1 T0J0";
    assert!(verdict_in(&context(), &three_jobs(within)).holds(), "only the end of an instant counts");
}

#[test]
fn non_preemptive() {
    let what = "at 5 ns: T1J0 has started on P1 and lost its link before it completed or suspended";
    let before = "0 link P0 T0J0\n0 link P1 T1J0\n0 dispatch P0 T0J0\n0 dispatch P1 T1J0\n";
    let swapped = format!("{before}5 priority T2J0 1\n5 link P1 T2J0");
    only_rejects(&context(), Invariant::NonPreemptive, what, &three_jobs(&swapped));
    let asleep = format!("{before}5 suspend T1J0 itself\n5 link P1 T2J0");
    assert!(verdict_in(&context(), &three_jobs(&asleep)).holds());
    let moved = format!("{before}5 move T1J0 1\n5 link P1 T2J0");
    assert!(verdict_in(&context(), &three_jobs(&moved)).holds(), "it executes a section elsewhere");
    let unstarted = "0 link P0 T0J0\n0 link P1 T1J0\n0 dispatch P0 T0J0\n5 priority T2J0 1\n5 link P1 T2J0";
    assert!(verdict_in(&context(), &three_jobs(unstarted)).holds());
}

/// Pieces of 2 on P0 and of 3 on P1, which begins 4 after the arrival.
#[test]
fn pieces_are_kept() {
    let piece = |cpu, budget, begin| TaskPiece {
        cpu: CpuId(cpu),
        budget: Work::from_ns(budget),
        begin: Duration::from_ns(begin),
        relative_deadline: Duration::from_ns(4),
    };
    let pieces = vec![vec![piece(0, 2, 0), piece(1, 3, 4)]];
    let promises = vec![Invariant::PiecesAreKept];
    let context = Context { promises, pieces, ..Context::global(3) };
    let job = |records: &str| format!("0 arrival T0J0 10 5\n0 ready T0J0 10 0\n{records}");
    let good = "0 dispatch P0 T0J0\n2 preempt P0 T0J0\n4 dispatch P1 T0J0\n7 complete T0J0";
    assert!(verdict_in(&context, &job(good)).holds());
    let rejects = |what, records: &str| only_rejects(&context, Invariant::PiecesAreKept, what, &job(records));
    rejects("at 0 ns: T0J0 is on P2, which has no piece of it", "0 dispatch P2 T0J0");
    let beyond = "0 dispatch P0 T0J0\n3 preempt P0 T0J0";
    rejects("at 3 ns: T0J0 is on P0 with 3 ns of the 2 up to the end of piece 1", beyond);
    let before = "0 dispatch P0 T0J0\n1 preempt P0 T0J0\n4 dispatch P1 T0J0";
    rejects("at 4 ns: T0J0 is on P1 in piece 2 with 1 ns of the 2 before it", before);
    let early = "0 dispatch P0 T0J0\n2 preempt P0 T0J0\n3 dispatch P1 T0J0";
    rejects("at 3 ns: T0J0 begins piece 2 on P1 before 4 ns", early);
}

/// Measured times that are wrong by 2 ns pass with a tolerance of 2 ns, and with 1 ns they do not.
#[test]
fn real_traces_state_the_error_they_tolerate() {
    let wrong = "
2 join T1
0 arrival T0J0 3 5
1 dispatch P0 T0J0
2 ready T0J0 10 0
3 link P0 T0J0
3 arrival T1J0 90 0
3 ready T1J0 9 0
5 link P1 T1J0
6 dispatch P0 T1J0
8 complete T0J0
8 link P0 -
9 end
";
    let with = |ns| Context { tolerance: Duration::from_ns(ns), ..context() };
    let strict = broken(&verdict_in(&with(0), wrong));
    use Invariant::*;
    assert_eq!(
        strict,
        [
            TimeIsMonotone,
            JobsMustBeReadyToExecute,
            OneProcessorAtATime,
            CompletedJobsReceivedTheirCost,
            MissesAreRecorded,
            WorkConserving,
            RespectsPriority
        ]
    );
    let tolerant = broken(&verdict_in(&with(5), wrong));
    assert!(tolerant.is_empty(), "{tolerant:?}");
    assert!(!verdict_in(&with(1), wrong).holds());
}

/// What is wrong for longer than the tolerance is objected to once, also if it lasts to the end.
#[test]
fn what_lasts_longer_than_the_tolerance_is_wrong() {
    let tolerant = Context { tolerance: Duration::from_ns(5), ..context() };
    let what = "at 0 ns: P1 has no link although T1J0 is backlogged";
    only_rejects(&tolerant, Invariant::WorkConserving, what, &three_jobs("0 link P0 T0J0"));
    let soon = "0 link P0 T0J0\n5 link P1 T1J0";
    assert!(verdict_in(&tolerant, &three_jobs(soon)).holds());
    let late = "0 link P0 T0J0\n6 link P1 T1J0";
    only_rejects(&tolerant, Invariant::WorkConserving, what, &three_jobs(late));
}

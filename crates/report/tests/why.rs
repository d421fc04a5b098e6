//! Each part of a response time, on traces worked out by hand; the parts always sum to the whole.

use crate::support::lines::parse;
use schedlab_model::{Duration, Instant, JobId};
use schedlab_report::context::QuantumGrid;
use schedlab_report::why::{why, JobEnding, Why};
use schedlab_report::{lines::parse_job, Context};
use schedlab_trace::Record;

fn explained(context: &Context, job: &str, text: &str) -> Why {
    let why = why(context, parse_job(job).unwrap(), parse(text)).unwrap();
    sums(&why);
    why
}

/// Parts and intervals both sum to the response time, and intervals leave no gap.
fn sums(why: &Why) {
    let total = why.parts().into_iter().fold(Duration::ZERO, |sum, (_, length)| sum + length);
    assert_eq!(total, why.response_time());
    let mut at = why.arrival;
    for interval in &why.intervals {
        assert_eq!(interval.from, at);
        at = interval.to;
    }
    assert_eq!(at, why.end);
}

fn intervals(why: &Why) -> Vec<String> {
    let row = |interval: &schedlab_report::why::Interval| {
        let jobs: Vec<String> = interval.cause.jobs().iter().map(|job| job.to_string()).collect();
        let (from, to) = (interval.from.as_ns(), interval.to.as_ns());
        format!("{from}-{to} {} {}", interval.cause.as_ref(), jobs.join(",")).trim_end().to_string()
    };
    why.intervals.iter().map(row).collect()
}

const EVERY_CAUSE: &str = "
0 arrival T0J0 20 5
0 ready T0J0 20 0
0 link P0 T0J0
0 dispatch P0 T0J0
1 arrival T0J1 90 9
3 complete T0J0
3 link P0 -
5 overhead_begin P0 release T0J1
6 overhead_end P0 release
6 ready T0J1 50 0
6 arrival T1J0 30 9
6 ready T1J0 30 0
6 arrival T2J0 31 9
6 ready T2J0 31 0
6 link P0 T1J0
6 link P1 T2J0
6 dispatch P0 T1J0
6 dispatch P1 T2J0
11 priority T2J0 60
12 priority T2J0 31
13 np_enter T2J0
14 link P1 T0J1
14 priority T2J0 99
16 np_exit T2J0
17 preempt P1 T2J0
17 overhead_begin P1 context_switch T0J1
19 overhead_end P1 context_switch
19 dispatch P1 T0J1
20 overhead_begin P1 tick -
21 overhead_end P1 tick
21 acquire T1J0 R0 1
22 request T0J1 R0 1
22 spin T0J1 R0
24 release T1J0 R0 1
24 acquire T0J1 R0 1
25 release T0J1 R0 1
25 acquire T1J0 R0 1
26 request T0J1 R0 1
26 suspend T0J1 R0
26 link P1 -
29 release T1J0 R0 1
29 suspend T0J1 gate
30 suspend T0J1 itself
32 resume T0J1
32 overhead_begin P1 ipi T0J1
32 link P1 T0J1
33 overhead_end P1 ipi
34 dispatch P1 T0J1
35 complete T0J1
40 end
";

#[test]
fn every_cause_has_its_time() {
    let why = explained(&Context::global(2), "T0J1", EVERY_CAUSE);
    let expected = [
        "1-3 predecessor T0J0",
        "3-5 release_delay",
        "5-6 overhead",
        "6-11 interference T1J0,T2J0",
        "11-12 inversion T2J0",
        "12-14 interference T1J0,T2J0",
        "14-16 non_preemptive_blocking T2J0",
        "16-17 dispatch_latency",
        "17-19 overhead",
        "19-20 own_work",
        "20-21 overhead",
        "21-22 own_work",
        "22-24 spinning T1J0",
        "24-26 own_work",
        "26-29 blocking T1J0",
        "29-30 gate",
        "30-32 self_suspension",
        "32-33 overhead",
        "33-34 dispatch_latency",
        "34-35 own_work",
    ];
    assert_eq!(intervals(&why), expected);
    assert_eq!(why.ending, JobEnding::Completed);
}

#[test]
fn lengths_of_the_parts_end_in_one_column() {
    let text = "0 arrival T0J0 90000 12000\n7 ready T0J0 90000 0\n7 link P0 T0J0\n7 dispatch P0 T0J0\n12007 complete T0J0\n";
    let said = explained(&Context::global(1), "T0J0", text).text(&Context::global(1));
    let columns: Vec<usize> = said.lines().filter_map(|line| line.find('%')).collect();
    assert!(columns.len() == 2 && columns[0] == columns[1], "{said}");
}

#[test]
fn the_text_lists_the_parts() {
    let mut context = Context::global(2);
    context.tasks = vec!["radar".into(), "display".into()];
    let text = explained(&context, "T0J1", EVERY_CAUSE).text(&context);
    let expected = "\
T0J1 (radar) took 34 ns, from its arrival at 1 ns to 35 ns: 55 ns before its deadline 90 ns
  own work                                  5 ns   14.7%  #####
  waiting for its release                   2 ns    5.9%  ##
  waiting for its task's T0J0               2 ns    5.9%  ##
  interference by T1J0 (display)            4 ns   11.8%  ####
  interference by T2J0                      3 ns    8.8%  ###
  less urgent, not preempted: T2J0          1 ns    2.9%  #
  non-preemptive section of T2J0            2 ns    5.9%  ##
  suspended for R0, held by T1J0 (display)  3 ns    8.8%  ###
  spinning for R0, held by T1J0 (display)   2 ns    5.9%  ##
  self-suspension                           2 ns    5.9%  ##
  held back by the protocol                 1 ns    2.9%  #
  overhead: context switch                  2 ns    5.9%  ##
  overhead: release                         1 ns    2.9%  #
  overhead: tick                            1 ns    2.9%  #
  overhead: ipi                             1 ns    2.9%  #
  dispatch latency                          2 ns    5.9%  ##
  sum                                       34 ns
";
    assert_eq!(text, expected);
}

#[test]
fn the_data_form_sums_too() {
    let why = explained(&Context::global(2), "T0J1", EVERY_CAUSE).result();
    let data = serde_json::to_value(why).unwrap();
    let parts = data["parts"].as_array().unwrap();
    let sum: u64 = parts.iter().map(|part| part["length_ns"].as_u64().unwrap()).sum();
    assert_eq!((sum, &data["response_time_ns"]), (34, &34.into()));
    assert_eq!(data["intervals"][12]["resource"], "R0");
}

/// Three jobs share 10 ns of interference as 4, 3, 3.
#[test]
fn what_does_not_divide_goes_to_the_first() {
    let mut text = String::from("0 arrival T9J0 99 1\n0 ready T9J0 99 0\n");
    for (task, cpu) in [(0, 0), (1, 2), (2, 1)] {
        text += &format!("0 arrival T{task}J0 50 10\n0 ready T{task}J0 50 0\n0 link P{cpu} T{task}J0\n");
    }
    text += "10 complete T0J0\n10 link P0 T9J0\n10 dispatch P0 T9J0\n11 complete T9J0\n12 end";
    let why = explained(&Context::global(3), "T9J0", &text);
    assert_eq!(intervals(&why), ["0-10 interference T0J0,T1J0,T2J0", "10-11 own_work"]);
    let lengths: Vec<u64> = why.parts().iter().map(|(_, length)| length.as_ns()).collect();
    assert_eq!(lengths, [1, 4, 3, 3]);
}

#[test]
fn jobs_that_never_complete_are_explained_up_to_their_end() {
    let text = "5 arrival T0J0 9 2\n5 ready T0J0 9 0\n7 link P0 T0J0\n7 dispatch P0 T0J0\n8 abort T0J0\n9 arrival T0J1 20 2\n12 end";
    let aborted = explained(&Context::global(1), "T0J0", text);
    assert_eq!((aborted.ending, aborted.end), (JobEnding::Aborted, Instant::from_ns(8)));
    assert_eq!(intervals(&aborted), ["5-7 idle", "7-8 own_work"]);
    let handled = text.replace("8 abort", "8 give_up T0J0\n8 abort");
    assert_eq!(aborted.given_up, None);
    let handled = explained(&Context::global(1), "T0J0", &handled);
    assert_eq!(handled.given_up, Some(Instant::from_ns(8)));
    let words = handled.text(&Context::global(1));
    assert!(words.contains("from 8 ns on, its own work is its abort handler"), "{words}");
    let unfinished = explained(&Context::global(1), "T0J1", text);
    assert_eq!(intervals(&unfinished), ["9-12 release_delay"]);
    assert!(unfinished.text(&Context::global(1)).starts_with("T0J1 is not complete after 3 ns"));
    let absent = why(&Context::global(1), JobId::default(), [(Instant::ZERO, Record::End)]);
    assert_eq!(absent.unwrap_err().to_string(), "the trace has no arrival of T0J0");
}

#[test]
fn failed_attempts_and_ignored_requests_have_their_causes() {
    let text = "0 arrival T0J0 20 6\n0 ready T0J0 9 0\n0 link P0 T0J0\n0 dispatch P0 T0J0\n\
        1 attempt T0J0 R0\n3 retry T0J0 R0\n4 preempt P0 T0J0\n5 dispatch P0 T0J0\n6 retry T0J0 R0\n8 commit T0J0 R0\n\
        9 request T0J0 R1 1\n9 delay T0J0 R1\n10 acquire T0J0 R1 1\n12 release T0J0 R1 1\n12 complete T0J0\n12 end";
    let context = Context::global(1);
    let why = explained(&context, "T0J0", text);
    let expected = [
        "0-1 own_work",
        "1-4 lock_free_retry",
        "4-5 dispatch_latency",
        "5-6 lock_free_retry",
        "6-9 own_work",
        "9-10 automatic_blocking_zone",
        "10-12 own_work",
    ];
    assert_eq!(intervals(&why), expected);
    assert!(why.text(&context).contains("failed attempts on R0"), "{}", why.text(&context));
    assert!(why.text(&context).contains("request of R1 ignored until the quantum's end"));
}

/// The rows with their resources and with those behind whom the holder waits.
fn blocked(why: &Why) -> Vec<String> {
    let list = |jobs: &[JobId]| jobs.iter().map(|job| job.to_string()).collect::<Vec<_>>().join(",");
    let row = |interval: &schedlab_report::why::Interval| {
        let cause = &interval.cause;
        let resource = cause.resource().map(|resource| resource.to_string()).unwrap_or_default();
        let (from, to) = (interval.from.as_ns(), interval.to.as_ns());
        let (jobs, behind) = (list(cause.jobs()), list(cause.behind()));
        format!("{from}-{to} {} {resource} {jobs}<{behind}", cause.as_ref())
    };
    why.intervals.iter().map(row).collect()
}

/// The urgent T0 needs what the least urgent T2 holds, and T1 in between keeps that from running.
#[test]
fn the_one_behind_whom_a_holder_waits_is_named() {
    let text = "
0 arrival T2J0 99 9
0 ready T2J0 30 0
0 link P0 T2J0
0 dispatch P0 T2J0
1 acquire T2J0 R0 1
2 arrival T0J0 99 9
2 ready T0J0 10 0
2 preempt P0 T2J0
2 link P0 T0J0
2 dispatch P0 T0J0
3 request T0J0 R0 1
3 suspend T0J0 R0
3 link P0 T2J0
3 dispatch P0 T2J0
4 arrival T1J0 99 9
4 ready T1J0 20 0
4 preempt P0 T2J0
4 link P0 T1J0
4 dispatch P0 T1J0
9 complete T1J0
9 link P0 T2J0
9 dispatch P0 T2J0
11 release T2J0 R0 1
11 preempt P0 T2J0
11 acquire T0J0 R0 1
11 resume T0J0
11 link P0 T0J0
11 dispatch P0 T0J0
12 release T0J0 R0 1
12 complete T0J0
";
    let why = explained(&Context::global(1), "T0J0", text);
    let expected = [
        "2-3 own_work  <",
        "3-4 blocking R0 T2J0<",
        "4-9 blocking R0 T2J0<T1J0",
        "9-11 blocking R0 T2J0<",
        "11-12 own_work  <",
    ];
    assert_eq!(blocked(&why), expected);
    let text = why.text(&Context::global(1));
    assert!(text.contains("suspended for R0, held by T2J0, which waits behind T1J0"));
    assert_eq!(serde_json::to_value(why.result()).unwrap()["intervals"][2]["behind"][0], "T1J0");
}

/// T2 inherits the urgency of T0: T1, which shares nothing, is blocked by T2's section; without what T2 holds, it
/// would be an inversion for which no job's section is to blame.
#[test]
fn a_raised_holder_blocks_by_its_section() {
    let text = |acquire: &str| {
        format!(
            "
0 arrival T2J0 99 9
0 ready T2J0 30 0
0 link P0 T2J0
0 dispatch P0 T2J0
{acquire}
2 priority T2J0 10
3 arrival T1J0 99 9
3 ready T1J0 20 0
6 priority T2J0 30
6 preempt P0 T2J0
6 link P0 T1J0
6 dispatch P0 T1J0
8 complete T1J0
"
        )
    };
    let context = Context::global(1);
    let section = explained(&context, "T1J0", &text("1 acquire T2J0 R3 1\n1 acquire T2J0 R1 1"));
    assert_eq!(blocked(&section), ["3-6 section_blocking R3 T2J0<", "6-8 own_work  <"]);
    let none = explained(&context, "T1J0", &text(""));
    assert_eq!(blocked(&none), ["3-6 interference  T2J0<", "6-8 own_work  <"]);
}

/// T0 asks for the free R1 while the less urgent T2 holds R0: only a ceiling denies it. Then T2 waits for R2 of
/// the more urgent T3 on the second processor: the chain's end is behind.
#[test]
fn ceilings_and_chains_name_their_ends() {
    let text = "
0 arrival T3J0 99 9
0 ready T3J0 5 0
0 link P1 T3J0
0 dispatch P1 T3J0
0 acquire T3J0 R2 1
0 arrival T2J0 99 9
0 ready T2J0 30 0
0 link P0 T2J0
0 dispatch P0 T2J0
1 acquire T2J0 R0 1
2 arrival T0J0 99 9
2 ready T0J0 10 0
2 preempt P0 T2J0
2 link P0 T0J0
2 dispatch P0 T0J0
3 request T0J0 R1 1
3 suspend T0J0 R1
3 link P0 T2J0
3 dispatch P0 T2J0
5 request T2J0 R2 1
5 suspend T2J0 R2
8 release T3J0 R2 1
8 resume T2J0
8 acquire T2J0 R2 1
8 dispatch P0 T2J0
9 release T2J0 R2 1
9 suspend T0J0 gate
10 release T2J0 R0 1
11 complete T0J0
";
    let why = explained(&Context::global(2), "T0J0", text);
    let expected = [
        "2-3 own_work  <",
        "3-5 ceiling_blocking R1 T2J0<",
        "5-8 ceiling_blocking R1 T2J0<T3J0",
        "8-9 ceiling_blocking R1 T2J0<",
        "9-10 gate  T2J0<",
        "10-11 gate  <",
    ];
    assert_eq!(blocked(&why), expected);
}

/// Quanta of 10 ns on two processors, the second one's 5 ns later.
fn by_quanta() -> Context {
    let offsets = [0, 5].map(Duration::from_ns).to_vec();
    let quanta = QuantumGrid { length: Duration::from_ns(10), offsets, ..QuantumGrid::default() };
    Context { quanta: Some(quanta), ..Context::global(2) }
}

/// T0J0 arrives within slot 0, whose rest T1 leaves unused on P0; waits for slot 1, in which T1 and T2 are more urgent,
/// then for P1's part of slot 2; has a quantum; and waits for its next window, which begins at 50.
const BY_QUANTA: &str = "
0 arrival T1J0 90 3
0 arrival T2J0 90 20
0 ready T1J0 9 0
0 ready T2J0 9 0
0 link P0 T1J0
0 dispatch P0 T1J0
0 subtask P0 T1J0 0 20
2 arrival T0J0 90 20
2 ready T0J0 5 0
3 complete T1J0
3 link P0 -
3 waste P0 10
5 link P1 T2J0
5 dispatch P1 T2J0
5 subtask P1 T2J0 0 20
10 arrival T1J1 90 4
10 ready T1J1 9 0
10 link P0 T1J1
10 dispatch P0 T1J1
10 subtask P0 T1J1 10 30
14 complete T1J1
14 link P0 -
14 waste P0 20
15 subtask P1 T2J0 10 40
25 complete T2J0
25 link P1 T0J0
25 dispatch P1 T0J0
25 subtask P1 T0J0 10 40
35 preempt P1 T0J0
35 link P1 -
50 link P0 T0J0
50 dispatch P0 T0J0
50 subtask P0 T0J0 50 70
60 complete T0J0
60 link P0 -
60 end
";

#[test]
fn quanta_windows_and_waste_are_causes() {
    let expected = "2-10 quantum_boundary; 10-14 interference T1J1,T2J0; 14-20 wasted_quantum; \
                    20-25 quantum_boundary; 25-35 own_work; 35-50 ineligible_window; 50-60 own_work";
    assert_eq!(intervals(&explained(&by_quanta(), "T0J0", BY_QUANTA)).join("; "), expected);
    // Released early, its subtask is eligible when the one before has run: no other job was linked.
    let early = QuantumGrid { early_release: true, ..by_quanta().quanta.unwrap() };
    let early = Context { quanta: Some(early), ..by_quanta() };
    assert_eq!(intervals(&explained(&early, "T0J0", BY_QUANTA))[5], "35-50 quantum_boundary");
    // Without quanta it is not known why the processors are idle.
    let unknown = explained(&Context::global(2), "T0J0", BY_QUANTA);
    assert_eq!(intervals(&unknown)[6..8], ["35-50 idle", "50-60 own_work"]);
}

/// Components wait for their supertask, or for the one of them that has its quantum.
#[test]
fn components_wait_for_their_supertask() {
    let quanta = QuantumGrid { supertasks: vec![Some(0), Some(0), None], ..by_quanta().quanta.unwrap() };
    let context = Context { quanta: Some(quanta), ..by_quanta() };
    let text = "
0 arrival T0J0 90 3
0 arrival T1J0 90 3
0 arrival T2J0 90 10
0 ready T0J0 5 0
0 ready T1J0 9 0
0 ready T2J0 9 0
0 link P0 T2J0
0 dispatch P0 T2J0
0 subtask P0 T2J0 0 10
10 complete T2J0
10 link P0 T1J0
10 dispatch P0 T1J0
10 subtask P0 T1J0 0 20
13 complete T1J0
13 link P0 T0J0
13 dispatch P0 T0J0
16 complete T0J0
16 link P0 -
16 end
";
    let expected = ["0-10 supertask", "10-13 interference T1J0", "13-16 own_work"];
    assert_eq!(intervals(&explained(&context, "T0J0", text)), expected);
    let said = explained(&context, "T0J0", text).text(&context);
    assert!(said.contains("its supertask has no quantum"), "{said}");
}

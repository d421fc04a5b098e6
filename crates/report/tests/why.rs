//! Each part of a response time, on traces worked out by hand; the parts always sum to the whole.

use schedlab_model::{Duration, Instant, JobId};
use schedlab_report::why::{why, Ending, Why};
use schedlab_report::{lines, Context};
use schedlab_trace::Record;

fn explained(context: &Context, job: &str, text: &str) -> Why {
    let why = why(context, lines::parse_job(job).unwrap(), lines::parse(text).unwrap()).unwrap();
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
        format!("{from}-{to} {} {}", interval.cause.name(), jobs.join(",")).trim_end().to_string()
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
    assert_eq!(why.ending, Ending::Completed);
}

#[test]
fn the_text_lists_the_parts() {
    let mut context = Context::global(2);
    context.tasks = vec!["radar".into(), "display".into()];
    let text = explained(&context, "T0J1", EVERY_CAUSE).text(&context);
    let expected = "\
T0J1 (radar) took 34ns, from its arrival at 1ns to 35ns: 55ns before its deadline 90ns
  own work                                  5ns   14.7%  #####
  waiting for its release                   2ns    5.9%  ##
  waiting for its task's T0J0               2ns    5.9%  ##
  interference by T1J0 (display)            4ns   11.8%  ####
  interference by T2J0                      3ns    8.8%  ###
  less urgent, not preempted: T2J0          1ns    2.9%  #
  non-preemptive section of T2J0            2ns    5.9%  ##
  suspended for R0, held by T1J0 (display)  3ns    8.8%  ###
  spinning for R0, held by T1J0 (display)   2ns    5.9%  ##
  self-suspension                           2ns    5.9%  ##
  held by the protocol's gate               1ns    2.9%  #
  overhead: context switch                  2ns    5.9%  ##
  overhead: release                         1ns    2.9%  #
  overhead: tick                            1ns    2.9%  #
  overhead: ipi                             1ns    2.9%  #
  dispatch latency                          2ns    5.9%  ##
  sum                                       34ns
";
    assert_eq!(text, expected);
}

#[test]
fn the_data_form_sums_too() {
    let data = explained(&Context::global(2), "T0J1", EVERY_CAUSE).to_json();
    let parts = data["parts"].as_array().unwrap();
    let sum: u64 = parts.iter().map(|part| part["length_ns"].as_u64().unwrap()).sum();
    assert_eq!((sum, data["response_time_ns"].as_u64()), (34, Some(34)));
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
    assert_eq!((aborted.ending, aborted.end), (Ending::Aborted, Instant::from_ns(8)));
    assert_eq!(intervals(&aborted), ["5-7 idle", "7-8 own_work"]);
    let unfinished = explained(&Context::global(1), "T0J1", text);
    assert_eq!(intervals(&unfinished), ["9-12 release_delay"]);
    assert!(unfinished.text(&Context::global(1)).starts_with("T0J1 is not complete after 3ns"));
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

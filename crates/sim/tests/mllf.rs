//! MLLF: drawn schedules, its rule worked out nanosecond by nanosecond, and deadlines on one processor.

use crate::support;
use schedlab_model::*;
use schedlab_sim::Setup;
use schedlab_trace::{Record, Timeline};
use schedlab_workload::Random;
use std::collections::VecDeque;
use support::{check, draw, ideal, misses, run, run_setup, run_with_drawn_costs, task};

/// A task by cost, period and relative deadline.
type Row = (u64, u64, u64);

/// A platform whose quantum is a nanosecond.
fn in_quanta(rows: &[Row], processors: u16, horizon: u64) -> Setup {
    let platform = Platform { quantum: Duration::from_ns(1), ..Platform::global(processors) };
    ideal(rows.iter().map(|&(c, t, d)| task(c, t, d)).collect(), platform, horizon)
}

/// The file of MLLF draws the first two; the third is where LLF switches at each quantum.
#[test]
fn drawn_schedules_of_mllf() {
    let near = [(5, 9, 9), (2, 8, 8)];
    check(&near, "MLLF", 1, "AAAABBA");
    assert_eq!(draw(&run_setup(in_quanta(&near, 1, 7), "LLF"), 1, 7), "AAABABA");
    check(&[(4, 9, 6), (4, 9, 7), (2, 9, 6)], "MLLF", 2, "AAAAB / BBBCC");
    check(&[(2, 6, 6), (2, 6, 6)], "MLLF", 1, "AABB..");
}

/// Jobs of a task that are not complete, the first one ready: absolute deadline and what is left to execute.
type Pending = VecDeque<(u64, u64)>;

/// Works out which tasks execute in each nanosecond, from the rule alone.
fn model(rows: &[Row], processors: usize, horizon: u64) -> Vec<String> {
    let mut pending = vec![Pending::new(); rows.len()];
    let mut chosen: Vec<usize> = Vec::new();
    let mut look = None;
    let mut columns = Vec::new();
    for now in 0..horizon {
        let mut decides = look == Some(now);
        for jobs in &mut pending {
            if jobs.front().is_some_and(|job| job.1 == 0) {
                jobs.pop_front();
                decides = true;
            }
        }
        for (jobs, &(cost, period, relative_deadline)) in pending.iter_mut().zip(rows) {
            if now % period == 0 {
                decides |= jobs.is_empty();
                jobs.push_back((now + relative_deadline, cost));
            }
        }
        if decides {
            (chosen, look) = decide(&pending, processors, now);
        }
        columns.push(chosen.iter().map(|task| (b'A' + *task as u8) as char).collect());
        for &task in &chosen {
            pending[task].front_mut().expect("a job is ready").1 -= 1;
        }
    }
    columns
}

/// Returns the tasks that execute, in order of their ids, and when to decide again.
fn decide(pending: &[Pending], processors: usize, now: u64) -> (Vec<usize>, Option<u64>) {
    let laxity = |(due, left): (u64, u64)| i128::from(due) - i128::from(now) - i128::from(left);
    let heads = pending.iter().enumerate().filter_map(|(task, jobs)| Some((task, *jobs.front()?)));
    let mut ready: Vec<(i128, u64, usize)> = heads.map(|(task, job)| (laxity(job), job.0, task)).collect();
    ready.sort_unstable();
    let waiting = ready.split_off(processors.min(ready.len()));
    let first = waiting.iter().map(|job| i128::from(job.1) - i128::from(now)).min();
    let last = ready.last().map(|job| job.0);
    let length = first.zip(last).map(|(first, last)| first - last);
    let mut chosen: Vec<usize> = ready.into_iter().map(|job| job.2).collect();
    chosen.sort_unstable();
    (chosen, length.and_then(|length| u64::try_from(length).ok()).map(|length| now + length))
}

/// The tasks that execute in each nanosecond, in order of their ids.
fn columns(timeline: &Timeline, processors: u16, until: u64) -> Vec<String> {
    let drawn = draw(timeline, processors, until);
    let rows: Vec<&[u8]> = drawn.split(" / ").map(str::as_bytes).collect();
    let column = |at: usize| {
        let mut letters: Vec<u8> = rows.iter().map(|row| row[at]).filter(|letter| *letter != b'.').collect();
        letters.sort_unstable();
        String::from_utf8(letters).expect("letters")
    };
    (0..until as usize).map(column).collect()
}

/// Tasks with periods of up to so many nanoseconds, and deadlines from the cost to one and a half periods.
fn random_rows(random: &mut Random, longest: u64) -> Vec<Row> {
    let row = |random: &mut Random| {
        let period = random.between(2, longest);
        let cost = random.between(1, period.div_ceil(2));
        (cost, period, random.between(cost, period + period / 2))
    };
    (0..random.between(2, 7)).map(|_| row(random)).collect()
}

#[test]
fn every_nanosecond_is_as_the_rule_says() {
    let (mut late, mut again) = (0, 0);
    for seed in 0..600 {
        let random = &mut Random::new(seed, *b"MLLFRULE", 0);
        let processors = random.between(1, 3) as u16;
        let rows = random_rows(random, 30);
        let timeline = run_setup(in_quanta(&rows, processors, 300), "MLLF");
        let expected = model(&rows, processors.into(), 300);
        assert_eq!(columns(&timeline, processors, 300), expected, "{rows:?} on {processors}");
        late += u32::from(!misses(&timeline).is_empty());
        again += u32::from(preempts_between_arrivals(&timeline));
    }
    assert!(late > 50 && late < 550 && again > 50, "{late} systems are late, {again} preempt by laxity");
}

/// True if some job is preempted when none arrives or completes.
fn preempts_between_arrivals(timeline: &Timeline) -> bool {
    let at = |wanted: fn(&Record) -> bool| {
        timeline.records.iter().filter(move |(_, record)| wanted(record)).map(|(at, _)| *at)
    };
    let is_event = |record: &Record| matches!(record, Record::Arrival { .. } | Record::Complete { .. });
    at(|record| matches!(record, Record::Preempt { .. })).any(|time| !at(is_event).any(|event| event == time))
}

fn preemptions(timeline: &Timeline) -> usize {
    timeline.records.iter().filter(|(_, record)| matches!(record, Record::Preempt { .. })).count()
}

/// All periods up to 8 divide it.
const HYPERPERIOD: u64 = 840;

/// Time by which whatever recurs has occurred, where tasks arrive together and utilizations add up to at most 1.
const UNTIL: u64 = 2 * HYPERPERIOD;

/// On one processor MLLF is late only where EDF is, also if jobs need less than their WCETs; LLF with a quantum of a
/// nanosecond preempts more often.
#[test]
fn one_processor_meets_what_edf_meets() {
    let (mut met, mut by_mllf, mut by_llf) = (0, 0, 0);
    for seed in 0..600 {
        let rows = random_rows(&mut Random::new(seed, *b"MLLFMEET", 0), 8);
        let whole: u64 = rows.iter().map(|(cost, period, _)| cost * HYPERPERIOD / period).sum();
        let tasks = || rows.iter().map(|&(c, t, d)| task(c, t, d)).collect();
        let is_late = |name: &str| !misses(&run(tasks(), name, 1, UNTIL)).is_empty();
        if whole > HYPERPERIOD || is_late("G-EDF") {
            continue;
        }
        met += 1;
        let timeline = run(tasks(), "MLLF", 1, UNTIL);
        assert_eq!(misses(&timeline), [], "{rows:?}");
        by_mllf += preemptions(&timeline);
        by_llf += preemptions(&run_setup(in_quanta(&rows, 1, UNTIL), "LLF"));
        assert_eq!(
            misses(&run_with_drawn_costs(in_quanta(&rows, 1, UNTIL), "MLLF", seed)),
            [],
            "{rows:?} with drawn costs"
        );
    }
    assert!(met > 50 && by_mllf < by_llf, "{met} systems, {by_mllf} preemptions and {by_llf} of LLF");
}

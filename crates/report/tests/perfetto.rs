//! The bytes for Perfetto, decoded by a small decoder of this file's own, keep the importer's rules.

use crate::support;
use crate::support::lines::parse;

use schedlab_model::*;
use schedlab_report::export::{Lane, Perfetto};
use schedlab_report::{lines::parse_job, Context};
use schedlab_sim::Charges;
use schedlab_trace::{Record, Sink};
use std::collections::{BTreeMap, BTreeSet};
use support::*;

/// A decoded field: its number and its value.
#[derive(Clone, Debug)]
enum Field<'a> {
    Number(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first().expect("a varint ends");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
        shift += 7;
    }
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let value = match tag & 7 {
            0 => Field::Number(varint(&mut bytes)),
            1 => {
                let (content, rest) = bytes.split_at(8);
                bytes = rest;
                Field::Fixed(u64::from_le_bytes(content.try_into().unwrap()))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (content, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(content)
            }
            other => panic!("wire type {other}"),
        };
        fields.push((tag >> 3, value));
    }
    fields
}

fn number(fields: &[(u64, Field<'_>)], wanted: u64) -> Option<u64> {
    fields.iter().find_map(|(field, value)| match value {
        Field::Number(value) if *field == wanted => Some(*value),
        _ => None,
    })
}

fn fixed(fields: &[(u64, Field<'_>)], wanted: u64) -> Option<u64> {
    fields.iter().find_map(|(field, value)| match value {
        Field::Fixed(value) if *field == wanted => Some(*value),
        _ => None,
    })
}

fn bytes<'a>(fields: &[(u64, Field<'a>)], wanted: u64) -> Option<&'a [u8]> {
    fields.iter().find_map(|(field, value)| match value {
        Field::Bytes(value) if *field == wanted => Some(*value),
        _ => None,
    })
}

fn text(fields: &[(u64, Field<'_>)], wanted: u64) -> Option<String> {
    bytes(fields, wanted).map(|text| String::from_utf8(text.to_vec()).unwrap())
}

const RUNNING: u64 = 3;

/// What a viewer would show.
#[derive(Debug, Default)]
struct Shown {
    threads: BTreeMap<u64, String>,
    /// Processor, thread, from, to.
    running: BTreeSet<(u64, u64, u64, u64)>,
    /// Track's name, slice's name, from, to, depth.
    slices: Vec<(String, String, u64, u64, usize)>,
    instants: Vec<(String, String, u64)>,
    /// Counter's name, time, value.
    counts: Vec<(String, u64, u64)>,
    /// Arrows: track and event where each begins and ends, and when.
    arrows: Vec<(String, String, u64)>,
}

fn name_track(packet: &[(u64, Field<'_>)], tracks: &mut BTreeMap<u64, String>) {
    let Some(track) = bytes(packet, 60) else { return };
    let track = fields(track);
    assert_eq!(number(&track, 15), Some(2), "siblings are not merged");
    let known = tracks.insert(number(&track, 1).unwrap(), text(&track, 2).unwrap());
    assert_eq!(known, None, "each track has its own number");
    assert!(number(&track, 5).is_none_or(|parent| tracks.contains_key(&parent)));
}

fn name_threads(packet: &[(u64, Field<'_>)], threads: &mut BTreeMap<u64, String>) {
    let Some(tree) = bytes(packet, 122) else { return };
    for (_, thread) in fields(tree).iter().filter(|(field, _)| *field == 2) {
        let Field::Bytes(thread) = thread else { panic!() };
        let thread = fields(thread);
        threads.insert(number(&thread, 1).unwrap(), text(&thread, 3).unwrap());
    }
}

/// Decodes a trace and checks the importer's rules on the way.
fn shown(trace: &[u8]) -> Shown {
    let mut shown = Shown::default();
    let mut tracks: BTreeMap<u64, String> = BTreeMap::new();
    let mut open: BTreeMap<u64, Vec<(String, u64)>> = BTreeMap::new();
    let mut states: BTreeMap<u64, (u64, Option<u64>, u64)> = BTreeMap::new();
    let mut cpus: BTreeMap<u64, u64> = BTreeMap::new();
    let mut flows: BTreeMap<u64, String> = BTreeMap::new();
    for (index, (field, packet)) in fields(trace).into_iter().enumerate() {
        let (1, Field::Bytes(packet)) = (field, packet) else { panic!("a trace consists of packets") };
        let packet = fields(packet);
        assert_eq!(number(&packet, 10), Some(1), "every packet belongs to the sequence");
        assert_eq!(
            (number(&packet, 13), number(&packet, 87)),
            if index == 0 { (Some(1), Some(1)) } else { (None, None) }
        );
        name_track(&packet, &mut tracks);
        name_threads(&packet, &mut shown.threads);
        let Some(at) = number(&packet, 8) else { continue };
        if let Some(event) = bytes(&packet, 117) {
            let event = fields(event);
            let (cpu, thread, state) =
                (number(&event, 1), number(&event, 3).unwrap(), number(&event, 4).unwrap());
            assert!(shown.threads.contains_key(&thread), "a thread is named before it does anything");
            assert!((2..=5).contains(&state), "rule v: neither created nor dead");
            if let Some((before, ran_on, since)) = states.insert(thread, (state, cpu, at)) {
                assert!(since < at, "rule iv: thread {thread} has two states at {at}");
                if before == RUNNING {
                    assert_ne!(state, RUNNING, "rule iii: thread {thread} starts twice at {at}");
                    assert_eq!(cpu, ran_on, "rule i: a stop names its processor");
                    assert_eq!(cpus.remove(&cpu.unwrap()), Some(thread), "rule ii: stops come before starts");
                    shown.running.insert((cpu.unwrap(), thread, since, at));
                }
            }
            if state == RUNNING {
                assert_eq!(cpus.insert(cpu.unwrap(), thread), None, "rule ii: the processor is free at {at}");
            }
        }
        if let Some(event) = bytes(&packet, 11) {
            let event = fields(event);
            let (kind, track) = (number(&event, 9).unwrap(), number(&event, 11).unwrap());
            let place = |at| format!("{}: {} {at}", tracks[&track], text(&event, 23).unwrap());
            if let Some(flow) = fixed(&event, 47) {
                assert_eq!(flows.insert(flow, place(at)), None, "each arrow begins once");
            }
            if let Some(flow) = fixed(&event, 48) {
                let begin = flows.remove(&flow).expect("an arrow begins before it ends");
                shown.arrows.push((begin, place(at), flow));
            }
            let (lane, stack) = (tracks[&track].clone(), open.entry(track).or_default());
            match kind {
                1 => stack.push((text(&event, 23).unwrap(), at)),
                2 => {
                    let (name, from) = stack.pop().expect("an end has a begin");
                    assert!(from <= at);
                    shown.slices.push((lane, name, from, at, stack.len()));
                }
                3 => shown.instants.push((lane, text(&event, 23).unwrap(), at)),
                4 => shown.counts.push((lane, at, number(&event, 30).unwrap())),
                other => panic!("event type {other}"),
            }
        }
    }
    assert!(flows.is_empty(), "every arrow ends");
    assert!(open.values().all(Vec::is_empty), "all slices are closed");
    assert!(cpus.is_empty() || states.values().any(|(state, _, _)| *state == RUNNING));
    shown
}

fn exported(context: &Context, records: &[(Instant, Record)]) -> Vec<u8> {
    let mut perfetto = Perfetto::new(Vec::new(), context);
    records.iter().for_each(|(at, record)| perfetto.record(*at, *record));
    perfetto.finish().unwrap()
}

fn of_text(text: &str) -> Shown {
    shown(&exported(&Context::global(2), &parse(text)))
}

/// A job is released and dispatched at once, migrates within an instant, and its task's next job goes on.
#[test]
fn what_lasts_no_time_is_left_out_and_a_migration_starts_late() {
    let shown = of_text(
        "0 arrival T0J0 9 5\n0 ready T0J0 9 0\n0 dispatch P0 T0J0\n3 preempt P0 T0J0\n3 dispatch P1 T0J0
4 arrival T0J1 20 5\n6 complete T0J0\n6 ready T0J1 20 0\n6 dispatch P1 T0J1\n8 suspend T0J1 R0\n9 resume T0J1\n10 end",
    );
    assert_eq!(shown.running.into_iter().collect::<Vec<_>>(), [(0, 2, 0, 3), (1, 2, 4, 8)]);
    let slices: Vec<_> = shown
        .slices
        .iter()
        .map(|(lane, name, from, to, depth)| format!("{lane}: {name} {from}-{to} {depth}"))
        .collect();
    assert_eq!(slices, ["T0: T0J0 0-6 0", "T0, 1 late: blocked on R0 8-9 1", "T0, 1 late: T0J1 4-10 0"]);
    assert_eq!(shown.instants, [("T0".into(), "deadline".into(), 9)]);
    assert_eq!(shown.counts.last(), Some(&("C0 backlogged".into(), 9, 1)));
}

/// A migration whose late start never comes, since the job stops one nanosecond later.
#[test]
fn a_late_start_may_be_overtaken() {
    let shown = of_text(
        "0 arrival T0J0 9 5\n0 ready T0J0 9 0\n0 dispatch P0 T0J0\n3 preempt P0 T0J0\n3 dispatch P1 T0J0
4 preempt P1 T0J0\n5 dispatch P0 T0J0\n6 complete T0J0\n9 end",
    );
    assert_eq!(shown.running.into_iter().collect::<Vec<_>>(), [(0, 2, 0, 3), (0, 2, 5, 6)]);
}

#[test]
fn waits_resources_overheads_and_misses_are_shown() {
    let shown = of_text(
        "0 arrival T0J0 4 5\n0 ready T0J0 4 0\n0 arrival T1J0 9 5\n0 ready T1J0 9 0\n0 dispatch P0 T0J0\n0 dispatch P1 T1J0
1 acquire T1J0 R0 1\n2 spin T0J0 R0\n3 release T1J0 R0 1\n3 acquire T0J0 R0 1\n5 overhead_begin P1 tick -\n6 overhead_end P1 tick
7 complete T0J0\n7 miss T0J0\n8 complete T1J0\n10 end",
    );
    let has = |lane: &str, name: &str, from, to| {
        shown.slices.contains(&(lane.into(), name.into(), from, to, usize::from(name.starts_with("spin"))))
    };
    assert!(has("T0", "spinning for R0 (holder T1J0)", 2, 3), "{shown:#?}");
    assert!(has("R0", "held by T1J0", 1, 3) && has("R0", "held by T0J0", 3, 7) && has("P1", "tick", 5, 6));
    let deadlines: Vec<_> =
        shown.instants.iter().filter(|(_, name, _)| name.starts_with("deadline")).cloned().collect();
    assert_eq!(deadlines, [("T0".into(), "deadline missed".into(), 4), ("T1".into(), "deadline".into(), 9)]);
    let arrows: Vec<_> = shown.arrows.iter().map(|(from, to, _)| format!("{from} -> {to}")).collect();
    assert_eq!(
        arrows,
        ["T0: waits for T1J0 2 -> R0: T0J0 waits 2", "T1: lets T0J0 go on 3 -> R0: held by T0J0 3"]
    );
}

/// Under the PCP a job waits for what no job holds: the arrow goes to the section because of which it does, and when
/// that ends, back to the job, which asks again.
#[test]
fn arrows_show_ceilings_too() {
    let shown = of_text(
        "0 arrival T1J0 99 5\n0 ready T1J0 99 0\n0 dispatch P0 T1J0\n1 acquire T1J0 R1 1\n2 arrival T0J0 50 5\n2 ready T0J0 50 0
2 preempt P0 T1J0\n2 dispatch P0 T0J0\n3 suspend T0J0 R0\n3 dispatch P0 T1J0\n4 release T1J0 R1 1\n4 resume T0J0
4 preempt P0 T1J0\n4 dispatch P0 T0J0\n4 acquire T0J0 R0 1\n5 release T0J0 R0 1\n6 complete T0J0\n7 end",
    );
    let arrows: Vec<_> = shown.arrows.iter().map(|(from, to, _)| format!("{from} -> {to}")).collect();
    assert_eq!(
        arrows,
        ["T0: waits for T1J0 3 -> R1: T0J0 waits 3", "T1: lets T0J0 go on 4 -> T0: goes on 4"]
    );
}

#[test]
fn simulated_traces_keep_the_rules_and_show_the_schedule() {
    let mut shown_intervals = 0;
    for seed in 1..=40u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let tasks: Vec<Task> = (0..dice.roll(2, 8))
            .map(|_| {
                let period = dice.roll(20, 200);
                task(dice.roll(1, period / 2), period, period)
            })
            .collect();
        let overhead = Duration::from_ns(dice.roll(0, 3));
        let charges = Charges {
            release: overhead,
            scheduling: overhead,
            tick: overhead,
            ipi: overhead,
            ..Charges::default()
        };
        let name = ["G-EDF", "P-RM", "C-EDF", "NG-FIFO"][seed as usize % 4];
        let simulated = simulated(tasks, name, dice.roll(1, 4) as u16, charges, 2_000);
        let records = &simulated.timeline.records;
        let shown = shown(&exported(&simulated.context, records));
        let completed =
            records.iter().filter(|(_, record)| matches!(record, Record::Complete { .. })).count();
        let arrived = records.iter().filter(|(_, record)| matches!(record, Record::Arrival { .. })).count();
        let jobs = shown.slices.iter().filter(|(_, name, ..)| parse_job(name).is_some());
        assert_eq!((jobs.clone().count(), completed <= arrived), (arrived, true));
        let mut expected = occupancy(records);
        for (cpu, thread, from, to) in &shown.running {
            // After a migration, a nanosecond late.
            let exact = expected.remove(&(*cpu, thread - 2, *from, *to));
            let known = exact || expected.remove(&(*cpu, thread - 2, from - 1, *to));
            assert!(known, "{name} {seed}: P{cpu} T{} {from}-{to}", thread - 2);
        }
        assert!(expected.iter().all(|(_, _, from, to)| to - from <= 1), "{name} {seed}: {expected:?}");
        shown_intervals += shown.running.len();
    }
    assert!(shown_intervals > 1_000);
}

/// Which task's jobs occupied which processor from when to when, without interruption.
fn occupancy(records: &[(Instant, Record)]) -> BTreeSet<(u64, u64, u64, u64)> {
    let (mut spans, mut on) = (BTreeSet::new(), BTreeMap::new());
    let end = (records.last().unwrap().0.as_ns(), Record::End);
    for (at, record) in records.iter().map(|(at, record)| (at.as_ns(), *record)).chain([end]) {
        let left: Vec<(u64, u64, u64)> = match record {
            Record::Dispatch { cpu, job } => {
                on.insert(u64::from(job.task.0), (u64::from(cpu.0), at));
                continue;
            }
            Record::Preempt { job, .. } | Record::Suspend { job, .. } | Record::Complete { job } => {
                let task = u64::from(job.task.0);
                on.remove(&task).map(|(cpu, from)| (cpu, task, from)).into_iter().collect()
            }
            Record::End => {
                core::mem::take(&mut on).into_iter().map(|(task, (cpu, from))| (cpu, task, from)).collect()
            }
            _ => continue,
        };
        for (cpu, task, from) in left.into_iter().filter(|(_, _, from)| *from < at) {
            let before = spans.iter().find(|(c, t, _, to)| (*c, *t, *to) == (cpu, task, from)).copied();
            let from = before.map_or(from, |before| {
                spans.remove(&before);
                before.2
            });
            spans.insert((cpu, task, from, at));
        }
    }
    spans
}

#[test]
fn every_job_is_a_row() {
    use schedlab_report::export::JobCsv;
    let records = parse("0 arrival T0J0 9 5\n0 ready T0J0 9 0\n1 dispatch P0 T0J0\n3 preempt P0 T0J0\n4 dispatch P1 T0J0\n8 suspend T0J0 R2\n9 arrival T1J3 10 0\n12 complete T0J0\n12 miss T0J0\n13 overhead_begin P0 tick -\n13 miss T1J3\n14 end");
    let mut context = Context::global(2);
    context.tasks = vec!["a, \"b\"".into()];
    let mut jobs = JobCsv::new(Vec::new(), &context);
    for (at, record) in &records {
        jobs.record(*at, *record);
    }
    let jobs = String::from_utf8(jobs.finish().unwrap()).unwrap();
    let expected = "0,\"a, \"\"b\"\"\",0,0,9,5,1,12,12,3,1,0,1,1\n1,T1,3,9,10,,,,,,1,0,0,0\n";
    assert_eq!(jobs.split_once('\n').unwrap().1, expected);
}

/// The budget of 3 is used from 0 to 2, from 4 to 5, and given back then. A server without a name has its number.
#[test]
fn budgets_of_servers_are_counters() {
    let records = parse(
        "0 server_budget S0 3 1000\n0 server_budget S1 7 1000\n2 server_use S0 2\n5 server_use S0 1
5 server_budget S0 3 2000\n6 end",
    );
    let context = Context { server_names: vec!["messages".into()], ..Context::global(1) };
    let counts: Vec<_> = shown(&exported(&context, &records))
        .counts
        .iter()
        .map(|(lane, at, value)| format!("{lane} {value} at {at}"))
        .collect();
    assert_eq!(counts, ["messages 3 at 0", "S1 7 at 0", "messages 1 at 2", "messages 3 at 5"]);
}

/// Lanes of another source stand beside the records' own.
#[test]
fn lanes_of_another_source_have_a_group_of_their_own() {
    let at = |ns| Instant::from_ns(ns);
    let slices = vec![(at(1), at(3), "A".to_owned()), (at(3), at(4), "other".to_owned())];
    let lanes = [Lane { name: "processor 0".to_owned(), slices }];
    let mut perfetto = Perfetto::new(Vec::new(), &Context::global(1));
    perfetto.lanes("Kernel", &lanes);
    perfetto.record(
        at(0),
        Record::Arrival { job: JobId::new(TaskId(0), 0), absolute_deadline: at(9), cost: Work::from_ns(2) },
    );
    perfetto.record(at(5), Record::End);
    let shown = shown(&perfetto.finish().unwrap());
    let lane = shown.slices.iter().filter(|(lane, ..)| lane == "processor 0");
    let lane: Vec<_> = lane.map(|(_, name, from, to, depth)| (name.as_str(), *from, *to, *depth)).collect();
    assert_eq!(lane, [("A", 1, 3, 0), ("other", 3, 4, 0)]);
}

//! What is found by the index is what is found from the begin; a damaged, stale or missing index is no harm.

use crate::simulated::each_system;
use crate::support::{schedule_of, Dice};

use schedlab_model::*;
use schedlab_report::context::QuantumGrid;
use schedlab_report::files::{index_path, Asked, Indexing};
use schedlab_report::schedule::{Schedule, ScheduleRecorder, Window};
use schedlab_report::why::{why, Explainer, Why};
use schedlab_report::{Context, TraceFile, TraceWriter};
use schedlab_trace::{Header, Record, Sink, SuspendReason};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

type Records = Vec<(Instant, Record)>;

/// An entry for every few records.
const FINE: Indexing = Indexing { least_bytes: 0, stride: 160 };

/// A folder of its own, which goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("schedlab-seek-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write(path: &Path, records: &[(Instant, Record)]) {
    let mut writer = TraceWriter::new(
        Vec::new(),
        &Header::new(schedlab_trace::Backend::Simulation).with("scheduler", "any"),
    );
    records.iter().for_each(|(at, record)| writer.record(*at, *record));
    fs::write(path, writer.finish().unwrap()).unwrap();
}

fn jobs(records: &[(Instant, Record)]) -> BTreeSet<JobId> {
    let arrived = |(_, record): &(Instant, Record)| match record {
        Record::Arrival { job, .. } => Some(*job),
        _ => None,
    };
    records.iter().filter_map(arrived).collect()
}

/// Of a job.
fn explain(how: &Indexing, path: &Path, context: &Context, job: JobId) -> Result<Why, String> {
    let mut explainer = Explainer::new(context, job);
    let found = how.records(path, context, Asked::Job(job), |at, record| {
        explainer.record(at, record);
        !explainer.is_done()
    });
    found.map_err(|error| error.to_string())?;
    explainer.finish().map_err(|error| error.to_string())
}

/// Of a window, with the number of records that were read for it.
fn draw(how: &Indexing, path: &Path, context: &Context, window: Window) -> (Schedule, usize) {
    let (mut recorder, mut count) = (ScheduleRecorder::new(context, window), 0);
    let found = how.records(path, context, Asked::From(window.from), |at, record| {
        recorder.record(at, record);
        count += 1;
        !recorder.is_past(at)
    });
    found.unwrap();
    (recorder.finish(), count)
}

/// With names for all tasks, as every file's header has them.
fn named(context: &Context, records: &Records) -> Context {
    let count = records.iter().filter_map(|(_, record)| record.task()).map(|task| task.index() + 1).max();
    Context { tasks: vec!["a".into(); count.unwrap_or(0)], ..context.clone() }
}

/// What is said of every sixth job, with the index and without; true if the trace has an index.
fn compare(what: &str, path: &Path, context: &Context, records: &Records) -> bool {
    let context = &named(context, records);
    write(path, records);
    let _ = fs::remove_file(index_path(path));
    let mut asked: Vec<JobId> = jobs(records).into_iter().step_by(6).collect();
    asked.push(JobId::new(TaskId(2), 99_999));
    // The last question makes the index.
    for job in asked.iter().rev() {
        let plain = why(context, *job, records.iter().copied()).map_err(|error| error.to_string());
        assert_eq!(explain(&FINE, path, context, *job), plain, "{what}: {job}");
    }
    let is_indexed = index_path(path).is_file();
    compare_windows(what, path, context, records);
    is_indexed
}

/// What is shown in windows anywhere, with an index, without one, and with a damaged one.
fn compare_windows(what: &str, path: &Path, context: &Context, records: &Records) {
    let end = records.last().map_or(0, |(at, _)| at.as_ns());
    let mut dice = Dice(end.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for round in 0..24 {
        let from = dice.roll(0, end + 2);
        let to = if round % 8 == 0 { u64::MAX } else { from + dice.roll(1, end / 4 + 2) };
        let window = Window { from: Instant::from_ns(from), to: Instant::from_ns(to) };
        match round {
            12 => drop(fs::remove_file(index_path(path))),
            18 => fs::write(index_path(path), b"[3,[1,2],[]]....").unwrap(),
            _ => {}
        }
        let plain = schedule_of(context, records.iter().copied(), window);
        assert!(draw(&FINE, path, context, window).0 == plain, "{what}: from {from} to {to}");
    }
}

#[test]
fn simulated_systems_are_explained_and_shown_alike() {
    let folder = Folder::new("simulated");
    let mut indexed = 0;
    each_system(|what, simulated| {
        let path = folder.0.join("a.slt");
        indexed += u32::from(compare(what, &path, &simulated.context, &simulated.timeline.records));
    });
    assert!(indexed > 400, "{indexed} of 540 traces had an index");
}

/// What live jobs may do, in any order, and now and then what no job may do.
fn lively(dice: &mut Dice, wrong: bool) -> Records {
    let (mut at, mut next, mut live) = (0, [0u32; 4], Vec::<JobId>::new());
    let mut records = Vec::new();
    for step in 0..600 {
        at += dice.roll(0, 3);
        let task = dice.roll(0, 3);
        if live.is_empty() || (dice.roll(0, 5) == 0 && live.len() < 7) {
            let job = JobId::new(TaskId(task as u32), next[task as usize]);
            next[task as usize] += dice.roll(1, 2) as u32;
            live.push(job);
            let far = [50, 5, 20, 120, u64::MAX - at][dice.roll(0, 4) as usize];
            let absolute_deadline = Instant::from_ns(at + far);
            records.push((
                Instant::from_ns(at),
                Record::Arrival { job, absolute_deadline, cost: Work::from_ns(9) },
            ));
            continue;
        }
        let place = dice.roll(0, live.len() as u64 - 1) as usize;
        let job = live[place];
        if wrong && step > 300 && dice.roll(0, 9) == 0 {
            // A job that was done long ago comes back.
            let old = JobId::new(job.task, dice.roll(0, u64::from(job.number)) as u32);
            let (priority, cluster) = (Priority::new(dice.roll(0, 9), old), ClusterId(0));
            records.push((Instant::from_ns(at), Record::Ready { job: old, priority, cluster }));
            records.push((Instant::from_ns(at), Record::Link { cpu: CpuId(0), job: Some(old) }));
            continue;
        }
        let record = of_job(dice, job, at);
        if matches!(record, Record::Complete { .. } | Record::Abort { .. }) {
            live.retain(|known| *known != job);
        }
        records.push((Instant::from_ns(at), record));
    }
    records.push((Instant::from_ns(at), Record::End));
    records
}

fn of_job(dice: &mut Dice, job: JobId, at: u64) -> Record {
    let cpu = CpuId(dice.roll(0, 2) as u16);
    let (resource, units) = (ResourceId(dice.roll(0, 2) as u32), 1);
    let priority = Priority::new(dice.roll(0, 9), job);
    let kind = [OverheadKind::Ipi, OverheadKind::Scheduling, OverheadKind::Release][dice.roll(0, 2) as usize];
    let reason = [SuspendReason::Itself, SuspendReason::HeldBack, SuspendReason::Resource(resource)]
        [dice.roll(0, 2) as usize];
    match dice.roll(0, 31) {
        0..=2 => Record::Ready { job, priority, cluster: ClusterId(0) },
        3 | 4 => Record::Link { cpu, job: Some(job) },
        5 => Record::Link { cpu, job: None },
        6 | 7 => Record::Dispatch { cpu, job },
        8 => Record::Preempt { cpu, job },
        9 => Record::Suspend { job, reason },
        10 => Record::Resume { job },
        11 => Record::Priority { job, priority },
        12 => Record::NpEnter { job },
        13 => Record::NpExit { job },
        14 => Record::Spin { job, resource },
        15 | 16 => Record::Acquire { job, resource, units },
        17 => Record::Release { job, resource, units },
        18 => Record::OverheadBegin { cpu, kind, job: Some(job) },
        19..=21 => Record::OverheadEnd { cpu, kind },
        22 => Record::Attempt { job, resource },
        23 => Record::Retry { job, resource },
        24 => Record::Commit { job, resource },
        25 => Record::Waste { cpu, until: Instant::from_ns(at + [3, 8, 12, 60][dice.roll(0, 3) as usize]) },
        26 => Record::Abort { job },
        27 => Record::Delay { job, resource },
        28 => Record::Miss { job },
        29 => {
            let release = at + dice.roll(0, 9);
            let deadline = Instant::from_ns(release + dice.roll(1, 40));
            Record::Subtask { cpu, job, release: Instant::from_ns(release), deadline }
        }
        _ => Record::Complete { job },
    }
}

#[test]
fn whatever_jobs_do_they_are_explained_and_shown_alike() {
    let folder = Folder::new("lively");
    let path = folder.0.join("a.slt");
    let resources = vec![Resource { units: 1 }; 3];
    let plain = Context { resources, ..Context::global(3) };
    let quanta = QuantumGrid {
        length: Duration::from_ns(5),
        offsets: vec![Duration::ZERO; 3],
        ..QuantumGrid::default()
    };
    for wrong in [false, true] {
        let mut indexed = 0;
        for seed in 1..=100u64 {
            let context = Context { quanta: (seed % 2 == 0).then(|| quanta.clone()), ..plain.clone() };
            let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let records = lively(&mut dice, wrong);
            indexed += u32::from(compare(&format!("seed {seed}"), &path, &context, &records));
        }
        let expected = if wrong { 0..=30 } else { 30..=100 };
        assert!(expected.contains(&indexed), "{indexed} of 100 traces had an index");
    }
}

/// A long trace whose jobs do not overlap.
fn plain(count: u32, shift: u64) -> Records {
    let mut records = Vec::new();
    for number in 0..count {
        let (at, job) = (u64::from(number) * 10 + shift, JobId::new(TaskId(0), number));
        let absolute_deadline = Instant::from_ns(at + 10);
        let mut add = |at, record| records.push((Instant::from_ns(at), record));
        add(at, Record::Arrival { job, absolute_deadline, cost: Work::from_ns(4) });
        add(at, Record::Ready { job, priority: Priority::new(1, job), cluster: ClusterId(0) });
        add(at, Record::Link { cpu: CpuId(0), job: Some(job) });
        add(at, Record::Dispatch { cpu: CpuId(0), job });
        add(at + 4, Record::Complete { job });
        add(at + 4, Record::Link { cpu: CpuId(0), job: None });
    }
    records.push((Instant::from_ns(u64::from(count) * 10), Record::End));
    records
}

const LAST: JobId = JobId { task: TaskId(0), number: 1_999 };

/// A reader of a window begins near it and ends with it.
#[test]
fn a_window_is_found_by_the_index() {
    let folder = Folder::new("window");
    let (path, records) = (folder.0.join("a.slt"), plain(2_000, 0));
    let context = named(&Context::global(1), &records);
    write(&path, &records);
    let window = |from, to| Window { from: Instant::from_ns(from), to: Instant::from_ns(to) };
    let late = window(19_000, 19_100);
    let (shown, count) = draw(&FINE, &path, &context, late);
    assert_eq!((shown.segments.len(), count), (10, 1_910 * 6 + 5), "the first question reads all before");
    for (asked, most) in [(late, 200), (window(19_000, u64::MAX), 700), (window(10, 50), 50)] {
        let expected = schedule_of(&context, records.iter().copied(), asked);
        let (found, count) = draw(&FINE, &path, &context, asked);
        assert!(count < most, "{count} records were read");
        assert_eq!(found, expected);
    }
    // What began before the window shows in it: no window is read from within a job.
    let begun = draw(&FINE, &path, &context, window(19_002, 19_003)).0;
    assert_eq!((begun.segments.len(), begun.arrivals.len()), (1, 0));
}

/// A job is found by the index although another one's deadline, which a picture would show, is far.
#[test]
fn a_far_deadline_does_not_hide_jobs() {
    let folder = Folder::new("far");
    let (path, mut records) = (folder.0.join("a.slt"), plain(2_000, 0));
    let job = JobId::new(TaskId(1), 0);
    let arrival = Record::Arrival { job, absolute_deadline: Instant::from_ns(1 << 40), cost: Work::ZERO };
    records.splice(0..0, [arrival, Record::Complete { job }].map(|record| (Instant::ZERO, record)));
    let context = named(&Context::global(1), &records);
    write(&path, &records);
    let expected = why(&context, LAST, records.iter().copied()).unwrap();
    assert_eq!(explain(&FINE, &path, &context, LAST).unwrap(), expected);
    assert!(index_path(&path).is_file());
    let (mut explainer, mut count) = (Explainer::new(&context, LAST), 0);
    let found = FINE.records(&path, &context, Asked::Job(LAST), |at, record| {
        count += 1;
        explainer.record(at, record);
        !explainer.is_done()
    });
    found.unwrap();
    assert!(count < 200, "{count} records were read");
    assert_eq!(explainer.finish().unwrap(), expected);
}

/// A quantum that is wasted all the time, which no index may forget; its jobs are never linked.
#[test]
fn what_is_wasted_since_long_ago_is_known() {
    let folder = Folder::new("wasted");
    let quanta =
        QuantumGrid { length: Duration::from_ns(5), offsets: vec![Duration::ZERO], ..QuantumGrid::default() };
    let context = Context { quanta: Some(quanta), ..Context::global(1) };
    let mut records = plain(200, 0);
    records.retain(|(_, record)| !matches!(record, Record::Link { .. } | Record::Dispatch { .. }));
    for until in [0, 100_000] {
        let waste = Record::Waste { cpu: CpuId(0), until: Instant::from_ns(until) };
        let records: Records = [(Instant::ZERO, waste)].into_iter().chain(records.iter().copied()).collect();
        let indexed = compare("wasted", &folder.0.join("a.slt"), &context, &records);
        assert_eq!(indexed, until == 0);
    }
}

/// A picture has a lane for each processor that any record names, so no record may be left out that names another one.
#[test]
fn what_the_header_does_not_know_makes_no_index() {
    let folder = Folder::new("unknown");
    let mut records = plain(200, 0);
    assert!(compare("known", &folder.0.join("a.slt"), &Context::global(1), &records));
    records.insert(0, (Instant::ZERO, Record::Link { cpu: CpuId(1), job: None }));
    assert!(!compare("unknown", &folder.0.join("a.slt"), &Context::global(1), &records));
}

#[test]
fn only_a_question_about_the_second_half_of_a_long_trace_makes_an_index() {
    let folder = Folder::new("made");
    let (path, context) = (folder.0.join("a.slt"), named(&Context::global(1), &plain(1, 0)));
    write(&path, &plain(2_000, 0));
    explain(&FINE, &path, &context, JobId::new(TaskId(0), 400)).unwrap();
    explain(&Indexing::default(), &path, &context, LAST).unwrap();
    assert!(!index_path(&path).exists());
    explain(&FINE, &path, &context, LAST).unwrap();
    let (made, trace) = (fs::read(index_path(&path)).unwrap(), fs::metadata(&path).unwrap().len());
    assert!(made.len() > 1_000 && made.len() < trace as usize / 3, "{} of {trace}", made.len());
    // The index is read, not made anew: the begin of the records may be unreadable.
    let mut bytes = fs::read(&path).unwrap();
    let begin = bytes.len() / 4;
    bytes[begin..begin + 40].fill(0xff);
    fs::write(&path, &bytes).unwrap();
    assert!(explain(&FINE, &path, &context, LAST).is_err(), "an index of other bytes is not believed");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2, "no parts are left behind");
}

#[test]
fn an_index_of_another_trace_or_a_damaged_one_is_not_believed() {
    let folder = Folder::new("stale");
    let (path, context) = (folder.0.join("a.slt"), named(&Context::global(1), &plain(1, 0)));
    let index = index_path(&path);
    write(&path, &plain(2_000, 0));
    explain(&FINE, &path, &context, LAST).unwrap();
    let made = fs::read(&index).unwrap();

    // Another trace of the same length.
    let other = plain(2_000, 3);
    let length = fs::metadata(&path).unwrap().len();
    write(&path, &other);
    assert_eq!(fs::metadata(&path).unwrap().len(), length);
    let expected = why(&context, LAST, other.iter().copied()).unwrap();
    assert_eq!(explain(&FINE, &path, &context, LAST).unwrap(), expected);
    let renewed = fs::read(&index).unwrap();
    assert_ne!(renewed, made);

    // Cut at any place, with any bit flipped, empty, of a later version: it is made anew.
    let mut flipped = renewed.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    let mut later = renewed.clone();
    later[8] += 1;
    let cut = |length: usize| renewed[..length].to_vec();
    for bad in [flipped, later, Vec::new(), cut(7), cut(30), cut(middle), cut(renewed.len() - 1)] {
        fs::write(&index, bad).unwrap();
        assert_eq!(explain(&FINE, &path, &context, LAST).unwrap(), expected);
        assert_eq!(fs::read(&index).unwrap(), renewed);
    }

    // Where it cannot be written, nothing is lost but time.
    fs::remove_file(&index).unwrap();
    fs::create_dir(&index).unwrap();
    assert_eq!(explain(&FINE, &path, &context, LAST).unwrap(), expected);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2);
}

#[test]
fn reading_ends_where_the_job_ends() {
    let mut bytes = Vec::new();
    let mut writer = TraceWriter::new(&mut bytes, &Header::new(schedlab_trace::Backend::Simulation));
    plain(10, 0).iter().for_each(|(at, record)| writer.record(*at, *record));
    writer.finish().unwrap();
    bytes.extend([1, 1, 0xff]);
    let mut seen = Vec::new();
    let mut trace = TraceFile::open(bytes.as_slice()).unwrap();
    let read = trace.each_record(|_, _, offset| {
        seen.push(offset);
        seen.len() < 5
    });
    // What is not wanted any longer may be garbled.
    assert!(read.is_ok() && seen.len() == 5 && seen.is_sorted());
    let mut trace = TraceFile::open(bytes.as_slice()).unwrap();
    assert!(trace.each_record(|_, _, _| true).is_err());
}

//! Kernel traces as traces of schedlab: what its readers make of them.

use crate::support::bytes;
use schedlab_lab::context_of;
use schedlab_model::{Duration, JobId, TaskId};
use schedlab_report::invariants::check;
use schedlab_report::metrics::Metrics;
use schedlab_report::schedule::{ScheduleRecorder, Window};
use schedlab_report::why::{why, Cause, Why};
use schedlab_report::Context;
use schedlab_scenario::Scenario;
use schedlab_trace::{about, Record, Sink, SuspendReason, Timeline};
use schedlab_tracepoints::{read_bytes, Examined, Unit};
use std::collections::BTreeMap;

struct Seen {
    examined: Examined,
    scenario: Scenario,
    context: Context,
    timeline: Timeline,
}

impl Seen {
    fn of(name: &str, unit: Option<&str>) -> Self {
        let recording = read_bytes(&bytes(name), unit.and_then(Unit::parse)).unwrap();
        let examined = Examined::of(recording);
        let tasks = examined.tasks(name).unwrap();
        let (scenario, context) = context_of(&examined.header(&tasks, name)).unwrap();
        let mut timeline = Timeline::default();
        examined.play(&tasks, &mut timeline);
        Seen { examined, scenario, context, timeline }
    }

    fn task(&self, name: &str) -> TaskId {
        let place = self.scenario.tasks.iter().position(|task| task.name == name);
        TaskId(place.unwrap_or_else(|| panic!("{name} is no task")) as u32)
    }

    fn why(&self, name: &str, number: u32) -> Why {
        why(&self.context, JobId::new(self.task(name), number), self.timeline.records.iter().copied())
            .unwrap()
    }
}

/// All inputs whose stamps are times.
const ALL: [(&str, Option<&str>); 23] = [
    ("01-trace.txt", None),
    ("02-perf.txt", None),
    ("03-as-report.txt", None),
    ("05-report.txt", None),
    ("07-trace.txt", None),
    ("09-trace.txt", None),
    ("11-perf.txt", None),
    ("13-perf.txt", None),
    ("15-trace.txt", Some("2448 MHz")),
    ("16-pipe.txt", None),
    ("18-trace.txt", None),
    ("19-trace.txt", None),
    ("20-trace.txt", None),
    ("22-trace.txt", None),
    ("24-trace.html", None),
    ("25-trace.txt.gz", None),
    ("26-trace.txt", None),
    ("28-trace.txt", None),
    ("29-trace.txt", Some("ns")),
    ("30-trace.pftrace", None),
    ("31-trace.pftrace", None),
    ("34-trace.txt", None),
    ("35-trace.txt", None),
];

/// Whatever holds of every trace holds of these, and runs are as long as the recording says.
#[test]
fn all_traces_keep_the_invariants_of_every_trace() {
    for (name, unit) in ALL {
        let seen = Seen::of(name, unit);
        let found = check(&seen.context, seen.timeline.records.iter().copied());
        assert!(found.holds(), "{name}: {found:?}");
        let mut recorder = ScheduleRecorder::new(&seen.context, Window::ALL);
        seen.timeline.records.iter().for_each(|(at, record)| recorder.record(*at, *record));
        let mut ran: BTreeMap<TaskId, Duration> = BTreeMap::new();
        for segment in recorder.finish().segments {
            *ran.entry(segment.job.task).or_default() += segment.to - segment.from;
        }
        let threads = seen.examined.concluded(name).result.threads;
        for thread in &threads {
            let is_alone = threads.iter().filter(|other| other.name == thread.name).count() == 1;
            if !is_alone || thread.runs_without_start > 0 || thread.switches_in == 0 {
                continue;
            }
            let shown = ran.get(&seen.task(&thread.name)).copied().unwrap_or_default().as_ns();
            // A run that is not over at the end is shown, and has no known length.
            assert!(
                shown >= thread.run_ns.unwrap(),
                "{name}: {} ran {:?}, shown {shown}",
                thread.name,
                thread.run_ns
            );
        }
    }
}

/// The third thread waits for both others after its release, and is preempted by the first.
#[test]
fn why_names_the_threads_that_ran_instead() {
    let seen = Seen::of("01-trace.txt", None);
    let slow = seen.why("slow", 0);
    let parts: Vec<(String, u64)> = slow
        .parts()
        .iter()
        .map(|(cause, length)| match cause {
            Cause::Interference(jobs) => {
                (seen.scenario.tasks[jobs[0].task.index()].name.clone(), length.as_ns())
            }
            Cause::Own => ("own".to_owned(), length.as_ns()),
            other => (format!("{other:?}"), length.as_ns()),
        })
        .collect();
    let of = |name: &str| parts.iter().filter(|(other, _)| other == name).map(|(_, ns)| *ns).sum::<u64>();
    // From the stamps: fast runs before, and again within slow; mid runs before. The processor is idle when they are
    // woken, and fast is to run there from then on.
    let (mid, own) =
        (2_350_117_485 - 2_350_115_461, 2_350_119_567 - 2_350_117_485 + 2_350_122_331 - 2_350_120_379);
    assert_eq!((of("mid"), of("own")), (mid * 1_000, own * 1_000), "{parts:?}");
    let fast = 2_350_115_461 - 2_350_114_605 + 2_350_120_379 - 2_350_119_567;
    assert_eq!(of("fast"), fast * 1_000, "{parts:?}");
    assert_eq!(slow.response_time().as_ns(), (2_350_122_331 - 2_350_114_605) * 1_000);
}

#[test]
fn a_wait_for_a_mutex_is_blocking_by_its_holder() {
    let seen = Seen::of("19-trace.txt", None);
    let (high, low) = (seen.task("hi_prio"), seen.task("lo_prio"));
    let waits: Vec<JobId> = seen
        .timeline
        .records
        .iter()
        .filter_map(|(_, record)| match record {
            Record::Suspend { job, reason: SuspendReason::Resource(_) } => Some(*job),
            about![lives, places, urgencies, requests, attempts, machine] => None,
        })
        .collect();
    assert_eq!(waits.len(), 5);
    assert!(waits.iter().all(|job| job.task == high));
    let explained = seen.why("hi_prio", waits[0].number);
    let blocked = |(cause, _): &(Cause, Duration)| match cause {
        Cause::Blocking { holders, .. } => holders.iter().any(|job| job.task == low),
        _ => false,
    };
    let part =
        explained.parts().into_iter().find(blocked).unwrap_or_else(|| panic!("{:?}", explained.parts()));
    assert!(part.1 > Duration::from_us(2_000) && part.1 < Duration::from_us(2_700), "{:?}", part.1);
    assert_eq!(seen.scenario.resources[0].name, "mutex_of_lo_prio");
}

/// Jobs of which something is missed are given up, and not counted as complete.
#[test]
fn what_is_missed_is_no_completion() {
    let seen = Seen::of("16-pipe.txt", None);
    let mut metrics = Metrics::new(seen.context.tasks.len(), seen.context.clusters.len());
    seen.timeline.records.iter().for_each(|(at, record)| metrics.record(*at, *record));
    let lost = |(_, record): &&(_, Record)| matches!(record, Record::Lost { .. });
    assert!(seen.timeline.records.iter().filter(lost).count() >= 3);
    let fast = seen.task("fast");
    let longest = metrics.tasks()[fast.index()].response_time.max().unwrap();
    assert!(longest < 1_500_000, "no response of fast reaches across a hole: {longest} ns");
}

#[test]
fn without_times_or_switches_there_is_no_trace() {
    for name in ["14-trace.txt", "15-trace.txt", "29-trace.txt", "33-wakeups-only.txt"] {
        let examined = Examined::of(read_bytes(&bytes(name), None).unwrap());
        assert!(examined.tasks(name).is_none(), "{name}");
    }
}

/// A file may end anywhere: it is read as far as it goes, says so, and its trace is as good as a whole one.
#[test]
fn traces_of_cut_files_keep_the_invariants() {
    for (name, unit) in ALL {
        let whole = bytes(name);
        for part in 1..12 {
            let cut = &whole[..whole.len() * part / 12];
            let Ok(recording) = read_bytes(cut, unit.and_then(Unit::parse)) else { continue };
            let examined = Examined::of(recording);
            let Some(tasks) = examined.tasks(name) else { continue };
            let (_, context) = context_of(&examined.header(&tasks, name)).unwrap();
            let mut timeline = Timeline::default();
            examined.play(&tasks, &mut timeline);
            let found = check(&context, timeline.records);
            assert!(found.holds(), "{name}, {part} of 12: {found:?}");
            let said = examined.concluded(name).notes.join("\n");
            let is_said = said.contains("CUT") || said.contains("DAMAGED");
            // Text may be cut between lines, and a line that is no event needs no remark.
            assert!(
                is_said || !(name.ends_with("gz") || name.ends_with("pftrace")),
                "{name}, {part} of 12: {said}"
            );
        }
    }
}

/// A damaged trace can have a thread on two processors at once. What it does is not known then.
#[test]
fn a_thread_on_two_processors_is_lost() {
    let switch = |cpu: u32, us: u32, from: (&str, u32), to: (&str, u32)| {
        let (from, from_pid, to, to_pid) = (from.0, from.1, to.0, to.1);
        format!(
            "x-1 [00{cpu}] 1.{us:06}: sched_switch: prev_comm={from} prev_pid={from_pid} prev_prio=120 prev_state=S ==> \
             next_comm={to} next_pid={to_pid} next_prio=120\n"
        )
    };
    let (idle, one, two) = (("idle", 0), ("one", 11), ("two", 12));
    let text = [
        switch(0, 1, idle, one),
        switch(1, 2, idle, two),
        switch(1, 3, two, one),
        switch(0, 4, one, two),
        switch(1, 5, one, idle),
        switch(0, 6, two, idle),
    ];
    let examined = Examined::of(read_bytes(text.concat().as_bytes(), None).unwrap());
    let tasks = examined.tasks("torn").unwrap();
    let (_, context) = context_of(&examined.header(&tasks, "torn")).unwrap();
    let mut timeline = Timeline::default();
    examined.play(&tasks, &mut timeline);
    let found = check(&context, timeline.records);
    assert!(found.holds(), "{found:?}");
    let one = &examined.concluded("torn").result.threads[0];
    assert_eq!((one.pid, one.jobs), (11, 0), "none of its jobs is whole");
}

/// Names of threads, and of files, come from elsewhere: what is written of them is read again.
#[test]
fn names_are_printable() {
    let text =
        String::from_utf8(bytes("01-trace.txt")).unwrap().replace("comm=fast ", "comm= f\u{1}\u{7f}\"t  ");
    let examined = Examined::of(read_bytes(text.as_bytes(), None).unwrap());
    let scenario = examined.concluded("a\nfile").scenario.unwrap();
    assert_eq!(Scenario::parse("seen.toml", &scenario.to_toml()), Ok(scenario));
    let tasks = examined.tasks("a\nfile").unwrap();
    let (scenario, _) = context_of(&examined.header(&tasks, "a\nfile")).unwrap();
    assert!(scenario.tasks.iter().any(|task| task.name == "f__\"t"));
}

#[test]
fn lost_events_of_a_processor_without_others_are_said() {
    let text =
        [&b"CPU:9 [LOST 5 EVENTS]\n"[..], &bytes("26-trace.txt"), b"CPU:7 [EVENTS DROPPED]\n"].concat();
    let examined = Examined::of(read_bytes(&text, None).unwrap());
    let lost: Vec<_> =
        examined.concluded("x").result.lost_events.iter().map(|loss| (loss.cpu, loss.lost)).collect();
    assert_eq!(lost, [(9, Some(5)), (7, None)]);
}

/// A damaged stamp makes a recording as long as half a year.
#[test]
fn a_stamp_far_away_makes_no_trace_unreadable() {
    let mut text = bytes("26-trace.txt");
    text.extend_from_slice(
        b"x-1 [000] d..2. 16000000.0: sched_switch: prev_comm=a prev_pid=1 prev_prio=9 prev_state=S ==> \
          next_comm=b next_pid=2 next_prio=9\n",
    );
    let examined = Examined::of(read_bytes(&text, None).unwrap());
    let tasks = examined.tasks("far").unwrap();
    assert!(context_of(&examined.header(&tasks, "far")).is_ok());
}

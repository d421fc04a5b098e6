//! Records in any order and of any content make no reader panic.

use crate::support;
use crate::support::lines::parse;

use schedlab_model::*;
use schedlab_report::export::{JobCsv, Perfetto};
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Metrics;
use schedlab_report::schedule::{Lanes, ScheduleRecorder, Window};
use schedlab_report::why::Explainer;
use schedlab_report::{lines::Line, Context};
use schedlab_trace::{Decoder, Record, RunRecord, Sink, SuspendReason, Thread, Timeline};
use support::Dice;

fn any_record(dice: &mut Dice) -> Record {
    let job = JobId::new(TaskId(dice.roll(0, 3) as u32), dice.roll(0, 3) as u32);
    let (cpu, cluster) = (CpuId(dice.roll(0, 3) as u16), ClusterId(dice.roll(0, 2) as u16));
    let (resource, units) = (ResourceId(dice.roll(0, 1) as u32), dice.roll(0, 2) as u32);
    let some_job = (dice.roll(0, 2) > 0).then_some(job);
    let kind = OverheadKind::ALL[dice.roll(0, OverheadKind::ALL.len() as u64 - 1) as usize];
    let priority = Priority::new(dice.roll(0, 9), job);
    let far = if dice.roll(0, 9) == 0 { u64::MAX } else { dice.roll(0, 200) };
    let reason = [SuspendReason::Itself, SuspendReason::HeldBack, SuspendReason::Resource(resource)]
        [dice.roll(0, 2) as usize];
    match dice.roll(0, 40) {
        0..=2 => Record::Arrival { job, absolute_deadline: Instant::from_ns(far), cost: Work::from_ns(far) },
        3 | 4 => Record::Ready { job, priority, cluster },
        5 => Record::Link { cpu, job: some_job },
        6..=8 => Record::Dispatch { cpu, job },
        9 => Record::Preempt { cpu, job },
        10 => Record::Suspend { job, reason },
        11 => Record::Resume { job },
        12 => Record::Priority { job, priority },
        13 => Record::NpEnter { job },
        14 => Record::NpExit { job },
        15 => Record::Request { job, resource, units },
        16 => Record::Spin { job, resource },
        17 => Record::Acquire { job, resource, units },
        18 => Record::Release { job, resource, units },
        19 => Record::Budget { job },
        20 => Record::Move { job, cluster },
        21 => Record::OverheadBegin { cpu, kind, job: some_job },
        22 => Record::OverheadEnd { cpu, kind },
        23 => Record::Abort { job },
        24 => Record::Complete { job },
        25 => Record::Miss { job },
        26 => Record::Delay { job, resource },
        27 => Record::Attempt { job, resource },
        28 => Record::Retry { job, resource },
        29 => Record::Commit { job, resource },
        31 => {
            Record::Subtask { cpu, job, release: Instant::from_ns(far / 2), deadline: Instant::from_ns(far) }
        }
        30 => Record::Waste { cpu, until: Instant::from_ns(far) },
        32 | 33 => Record::Run(any_run_record(dice, cpu, job, far)),
        38 => Record::ServerUse { server: cpu.0.into(), used: Work::from_ns(far) },
        39 => Record::ServerBudget {
            server: cpu.0.into(),
            left: Work::from_ns(far / 3),
            absolute_deadline: Instant::from_ns(far),
        },
        34 => Record::GiveUp { job },
        35 => Record::Join { task: job.task },
        36 => Record::Leave { task: job.task },
        // Where records are missing, the checker begins anew.
        37 if far == u64::MAX => Record::Lost { count: far },
        _ => Record::Quantum { cpu },
    }
}

fn any_run_record(dice: &mut Dice, cpu: CpuId, job: JobId, far: u64) -> RunRecord {
    let (since, length) = (Instant::from_ns(far), Duration::from_ns(far));
    let thread =
        if dice.roll(0, 1) == 0 { Thread::Task(job.task) } else { Thread::Other(far.min(1 << 20) as u32) };
    match dice.roll(0, 8) {
        0 => RunRecord::Dispatch { cpu, job },
        1 => RunRecord::Preempt { cpu, job },
        2 => RunRecord::SwitchIn { cpu, thread },
        3 => RunRecord::SwitchOut { cpu, thread },
        4 => RunRecord::SwitchOutReady { cpu, thread },
        5 => RunRecord::Switches { missing: far },
        6 => RunRecord::Stolen { cpu, since, length },
        7 => RunRecord::Standstill { since },
        _ => RunRecord::Afterwards { task: job.task, length },
    }
}

/// Records of one nonsensical trace; times rise, now and then to where no more is left.
fn nonsense(dice: &mut Dice) -> Timeline {
    let mut timeline = Timeline::default();
    let mut now = 0u64;
    for _ in 0..dice.roll(1, 120) {
        let step = if dice.roll(0, 199) == 0 { u64::MAX / 2 } else { dice.roll(0, 3) };
        now = now.saturating_add(step);
        timeline.record(Instant::from_ns(now), any_record(dice));
    }
    if dice.roll(0, 1) == 0 {
        timeline.record(Instant::from_ns(now), Record::End);
    }
    timeline
}

fn read_by_all(context: &Context, timeline: &Timeline) -> u64 {
    let job = JobId::new(TaskId(1), 1);
    let window = Window::new(Instant::from_ns(5), Instant::from_ns(60)).unwrap();
    let mut checker = Checker::only(context, &Invariant::ALL);
    let (mut metrics, mut why) = (Metrics::new(0, 0), Explainer::new(context, job));
    let mut recorders = [ScheduleRecorder::new(context, window), ScheduleRecorder::new(context, Window::ALL)];
    let mut perfetto = Perfetto::new(Vec::new(), context);
    let mut jobs = JobCsv::new(Vec::new(), context);
    for (at, record) in &timeline.records {
        let sinks: [&mut dyn Sink; 5] = [&mut checker, &mut metrics, &mut why, &mut perfetto, &mut jobs];
        sinks.into_iter().for_each(|sink| sink.record(*at, *record));
        recorders.iter_mut().for_each(|recorder| recorder.record(*at, *record));
    }
    metrics.settle(Instant::ZERO);
    let (tasks, cpus) = (metrics.all_tasks(), metrics.all_processors());
    let _ = (tasks.lateness.mean_tardiness(), cpus.load(), cpus.overheads());
    for schedule in recorders.map(ScheduleRecorder::finish) {
        for lanes in [Lanes::Tasks, Lanes::Processors] {
            let _ = schedule.text(context, lanes, schedule.exact_unit());
            let _ = (schedule.svg(context, lanes), schedule.tikz(context, lanes));
        }
        let _ = schedule.drawing();
    }
    if let Ok(why) = why.finish() {
        let sum = why.parts().iter().fold(Duration::ZERO, |sum, (_, length)| sum + *length);
        assert_eq!(sum, why.response_time());
        let _ = (why.text(context), why.result());
    }
    assert!(perfetto.finish().is_ok() && jobs.finish().is_ok());
    checker.finish().outcomes.iter().map(|outcome| outcome.found.count).sum()
}

#[test]
fn each_kind_is_drawn() {
    let mut dice = Dice(1);
    let drawn: Vec<u8> =
        (0..10_000).map(|_| any_record(&mut dice).kind()).chain([Record::End.kind()]).collect();
    // A reader passes over a kind that it does not know.
    let is_known = |kind: &u8| Decoder::new(&[*kind, 1, 0]).next().is_some();
    let missing = (0..=u8::MAX).filter(is_known).find(|kind| !drawn.contains(kind));
    assert_eq!(missing, None, "`any_record` draws no record of this kind");
}

#[test]
fn no_reader_panics_and_the_checker_objects() {
    let (mut dice, mut objections) = (Dice(0x9E37_79B9_7F4A_7C15), 0);
    for round in 0..1_000 {
        let timeline = nonsense(&mut dice);
        let mut context = Context::global(round % 4);
        context.tolerance = Duration::from_ns(u64::from(round % 3));
        objections += read_by_all(&context, &timeline);
        let text: String = timeline.records.iter().map(|(at, r)| format!("{}\n", Line(*at, *r))).collect();
        assert_eq!(parse(&text), timeline.records);
    }
    assert!(objections > 10_000, "{objections}");
}

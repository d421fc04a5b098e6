//! Traces: whatever can be played, everything that reads traces can bear.
//!
//! Bytes that are no trace stand for the records of one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use schedlab_account::{Agreement, RealRun, Sizes};
use schedlab_lab::context_of;
use schedlab_model::{Instant, Invariant, JobId, TaskId};
use schedlab_report::export::{JobCsv, Perfetto};
use schedlab_report::invariants::Checker;
use schedlab_report::metrics::Metrics;
use schedlab_report::schedule::{Lanes, ScheduleRecorder, Window};
use schedlab_report::why::Explainer;
use schedlab_report::{Context, TraceFile};
use schedlab_trace::Header;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(file) = TraceFile::open(bytes) {
        look_at_run(file);
    }
    if let Ok(mut file) = TraceFile::open(bytes) {
        if let Ok((_, context)) = context_of(file.header()) {
            read_by_all(&context, &mut file);
        }
        return;
    }
    let mut trace = Vec::new();
    Header::new(schedlab_trace::Backend::Simulation).encode(&mut trace);
    trace.extend_from_slice(bytes);
    let mut file = TraceFile::open(trace.as_slice()).expect("its header was just written");
    read_by_all(&Context::global(3), &mut file);
});

/// What a trace of a real run says of the kernel, without the simulations that explain misses.
fn look_at_run(file: TraceFile<&[u8]>) {
    let sizes = Sizes { tasks: 3, processors: 3, resources: 2 };
    let header = file.header().clone();
    let Ok(records) = file.collect::<Result<Vec<_>, _>>() else { return };
    if let Ok(run) = RealRun::read(sizes, &header, records) {
        let _ = (run.lost(), run.kernel_trace(), Agreement::of(&run));
    }
}

fn read_by_all(context: &Context, file: &mut TraceFile<&[u8]>) {
    let mut checker = Checker::only(context, &Invariant::ALL);
    let mut metrics = Metrics::new(context.tasks.len(), context.clusters.len());
    let mut why = Explainer::new(context, JobId::new(TaskId(0), 0));
    let mut drawn = ScheduleRecorder::new(context, Window::ALL);
    let (mut perfetto, mut rows) = (Perfetto::new(Vec::new(), context), JobCsv::new(Vec::new(), context));
    let _ =
        file.play(&mut (((&mut checker, &mut metrics), (&mut why, &mut drawn)), (&mut perfetto, &mut rows)));
    metrics.settle(Instant::ZERO);
    let _ = (checker.finish(), why.finish().map(|why| why.text(context)));
    let schedule = drawn.finish();
    for lanes in [Lanes::Tasks, Lanes::Processors] {
        let _ = (schedule.text(context, lanes, schedule.exact_unit()), schedule.svg(context, lanes));
    }
    assert!(perfetto.finish().is_ok() && rows.finish().is_ok());
}

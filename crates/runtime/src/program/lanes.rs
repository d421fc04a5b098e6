//! A real run for Perfetto: processors as the tracer saw them, and again as the kernel did.

use crate::machine::context_switches::Switched;
use crate::program::whole_file;
use crate::record::outcome::Outcome;
use schedlab_lab::Prepared;
use schedlab_model::Instant;
use schedlab_report::export::{Lane, Perfetto};
use schedlab_trace::Sink;
use std::io;
use std::path::Path;

/// What the kernel says that each of the system's processors ran. Threads that are no task's are "other".
pub fn of_kernel(prepared: &Prepared, outcome: &Outcome) -> Vec<Lane> {
    let Some((switches, _)) = &outcome.switches else { return Vec::new() };
    let lane = |processor: &usize| Lane {
        name: format!("processor {processor}, by the kernel"),
        slices: slices(prepared, outcome, switches.iter().filter(|switch| switch.processor == *processor)),
    };
    outcome.processors.iter().map(lane).collect()
}

fn slices<'a>(
    prepared: &Prepared,
    outcome: &Outcome,
    switches: impl Iterator<Item = &'a Switched>,
) -> Vec<(Instant, Instant, String)> {
    let end = outcome.end();
    let name = |thread| match outcome.threads.iter().position(|tid| *tid == thread) {
        Some(task) => prepared.scenario.tasks[task].name.clone(),
        None => format!("other ({thread})"),
    };
    let mut slices = Vec::new();
    let mut since = None;
    for switch in switches {
        let at = Instant::from_ns(switch.at.saturating_sub(outcome.zero));
        match (switch.to, since.take()) {
            (true, _) => since = Some((at, switch.thread)),
            (false, Some((from, thread))) if thread == switch.thread && from < at && at <= end => {
                slices.push((from, at, name(thread)));
            }
            (false, _) => {}
        }
    }
    slices
}

/// Writes a run for <https://ui.perfetto.dev>: the trace, whose processors are as the tracer saw them, and the kernel's lanes.
pub fn write(path: &Path, prepared: &Prepared, outcome: &Outcome) -> io::Result<()> {
    whole_file::fill(path, |file| {
        let mut perfetto = Perfetto::new(file, &prepared.context());
        perfetto.lanes("Kernel", &of_kernel(prepared, outcome));
        for (at, record) in outcome.trace() {
            perfetto.record(at, record);
        }
        perfetto.finish()
    })
}

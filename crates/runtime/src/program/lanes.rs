//! A real run for Perfetto: processors as the tracer saw them, and again as the kernel did.

use crate::program::trace::RealTrace;
use crate::program::whole_file;
use schedlab_account::Switch;
use schedlab_lab::Prepared;
use schedlab_model::Instant;
use schedlab_report::export::{Lane, Perfetto};
use schedlab_trace::{Sink, Thread};
use std::io;
use std::path::Path;

/// By processor of the system: the lane of what ran there, as the kernel reports it. Threads that are no task's are
/// "other".
fn of_kernel(prepared: &Prepared, trace: &RealTrace) -> Vec<Lane> {
    let Some(switches) = &trace.run.switches else { return Vec::new() };
    let lane = |(index, processor): (usize, &usize)| Lane {
        name: format!("processor {processor}, by the kernel"),
        slices: slices(prepared, switches.all.iter().filter(|switch| switch.cpu.index() == index)),
    };
    trace.run.processors.iter().enumerate().map(lane).collect()
}

fn slices<'a>(
    prepared: &Prepared,
    switches: impl Iterator<Item = &'a Switch>,
) -> Vec<(Instant, Instant, String)> {
    let name = |thread| match thread {
        Thread::Task(task) => prepared.scenario.tasks[task.index()].name.clone(),
        Thread::Other(number) => format!("other ({number})"),
    };
    let mut slices = Vec::new();
    let mut since = None;
    for switch in switches {
        match (switch.to, since.take()) {
            (true, _) => since = Some((switch.at, switch.thread)),
            (false, Some((from, thread))) if thread == switch.thread && from < switch.at => {
                slices.push((from, switch.at, name(thread)));
            }
            (false, _) => {}
        }
    }
    slices
}

/// Writes a run for <https://ui.perfetto.dev>: the trace, whose processors are as the tracer saw them, and the kernel's
/// lanes.
pub fn write(path: &Path, prepared: &Prepared, trace: &RealTrace) -> io::Result<()> {
    whole_file::fill(path, |file| {
        let mut perfetto = Perfetto::new(file, &prepared.context());
        perfetto.lanes("Kernel", &of_kernel(prepared, trace));
        for (at, record) in &trace.records {
            perfetto.record(*at, *record);
        }
        perfetto.finish()
    })
}
